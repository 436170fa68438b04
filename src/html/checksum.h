/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef HTML_CHECKSUM_H
#define HTML_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of zlib and PNG (ISO/IEC 15948, annex D) of bytes that follow those of `crc`; 0: none
 * precede. */
uint32_t checksum_crc32(uint32_t crc, const void *bytes, size_t size);

#endif
