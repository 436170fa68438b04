/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef HASH_FILE_HASH_H
#define HASH_FILE_HASH_H

#include "hash/sha256.h"

/* SHA-256 of what is in a file, which is read to its end. Returns 0 or -errno. */
int file_sha256(const char *path, char text[SHA256_TEXT_SIZE]);

#endif
