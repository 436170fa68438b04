/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "html/checksum.h"

#ifdef HTML_HAS_ZLIB

#include <zlib.h>

uint32_t checksum_crc32(uint32_t crc, const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(crc, bytes, size);
}

#else

uint32_t checksum_crc32(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= byte[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

#endif
