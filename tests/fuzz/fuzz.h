/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

/*
 * A fuzz target is one function of the form that libFuzzer calls. Linked with replay.c, which
 * passes it the files of a corpus, it is an ordinary test.
 */

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An anonymous file with the given content, for code that takes a path. */
typedef struct MemoryFile {
    int fd;
    char path[32];
} MemoryFile;

void memory_file_open(MemoryFile *file, const uint8_t *data, size_t size);
void memory_file_close(MemoryFile *file);

#endif
