/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_SHA256_H
#define TESTS_SUPPORT_SHA256_H

/* SHA-256 (FIPS 180-4), to recognise generated files. */

#include <stddef.h>

enum { SHA256_HEX_SIZE = 65 };

/* Hash of `size` bytes as lower-case hexadecimal text. */
void sha256_hex(const void *data, size_t size, char hex[SHA256_HEX_SIZE]);

#endif
