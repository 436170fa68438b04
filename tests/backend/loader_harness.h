/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_LOADER_HARNESS_H
#define TESTS_LOADER_HARNESS_H

/*
 * Each test of the registry runs in a process of its own, since there is one registry per process
 * and what was loaded stays. The child ends by exit, so that sanitizers look for leaks.
 */

#include <stdbool.h>

#include "backend/registry.h"
#include "support/cases.h"
#include "support/files.h"

/* For use in the child, where the assertions of cmocka cannot be: ends it with a message. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            require_failed(__FILE__, __LINE__, #condition);                                        \
    } while (0)
_Noreturn void require_failed(const char *file, int line, const char *condition);

/* An empty directory of this test program; removed at the end of the program. */
const char *scratch_directory(void);
/* A path in it; valid until the program ends. */
const char *scratch_path(const char *name);
/* Copies a file, of which `limit` bytes at most. */
void copy_file(const char *from, const char *to, size_t limit);
/* Copies a hostile plugin, under its own name, into a directory. */
void install_plugin(const char *directory, const char *name);

typedef struct ChildSettings {
    const char *search_path; /* NULL: HOSTILE_DIR */
    const char *helper;      /* NULL: that of the build */
    const char *cache;       /* NULL: a new, empty directory */
    bool inprocess;          /* without a helper */
    unsigned time_limit_ms;  /* 0: as it is */
} ChildSettings;

/* Runs `body` in a child; fails the test if that did not end well within 60 s. */
void in_child(const ChildSettings *settings, void (*body)(void *argument), void *argument);

/* A case whose body runs in a child with the usual settings, without an argument. */
#define CASE_IN_CHILD(name)                                                                        \
    static void name##_in_child(void *argument);                                                   \
    CASE(name)                                                                                     \
    {                                                                                              \
        in_child(NULL, name##_in_child, NULL);                                                     \
    }                                                                                              \
    static void name##_in_child(void *argument)

/* Memory that a child shares with the test; zeroed. */
void *shared_memory(size_t size);

/* Everything that a plugin must leave alone, to be compared in the child. */
typedef struct HostCheck HostCheck;
HostCheck *host_check_begin(void);
void host_check_end(HostCheck *check);

#endif
