/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_TRACE_CHILD_H
#define TESTS_TRACE_CHILD_H

/* What is traced is decided once in a process, so tests run what they look at in children. */

#include <stddef.h>

/* A folder for the files of this test, which is made anew; ends with a slash. */
const char *child_folder(void);
/* The path of a file in it; valid for the next three calls. */
const char *child_file(const char *name);
/* Removes the folder: the teardown of a group. */
int child_remove_folder(void **state);

/* Memory that children share, zeroed. */
void *child_memory(size_t size);

/*
 * Runs a function in a child and waits for it. VMAF_TRACE is `path`, or unset if it is NULL. What
 * the child writes to standard error is in `messages` (NULL: it goes where that of the test goes),
 * of `size` bytes. The number of the process; fails if the function does not return.
 */
int child_run(const char *path, void (*function)(void *argument), void *argument, char *messages,
              size_t size);

#endif
