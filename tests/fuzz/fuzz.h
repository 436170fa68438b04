/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

/*
 * A fuzz target is one function in the form that libFuzzer calls. The same function is linked
 * with replay.c, which feeds it the files of a corpus, as an ordinary test.
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
