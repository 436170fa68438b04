/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef COMMON_HASH_H
#define COMMON_HASH_H

/* Hashes that distinguish contents: SHA-256 (FIPS 180-4), of data that comes in parts. */

#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32, SHA256_TEXT_SIZE = 65 };

typedef struct Sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes so far */
    uint8_t block[64];
} Sha256;

void sha256_start(Sha256 *hash);
void sha256_add(Sha256 *hash, const void *data, size_t size);
/* Lower-case hexadecimal, with a 0 at the end. The state is used up. */
void sha256_text(Sha256 *hash, char text[SHA256_TEXT_SIZE]);

/* SHA-256 of what is in a file, which is read to its end. Returns 0 or -errno. */
int file_sha256(const char *path, char text[SHA256_TEXT_SIZE]);

#endif
