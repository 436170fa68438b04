/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_SHARD_FORMAT_H
#define CLI_SHARD_FORMAT_H

/*
 * Files of stored records, as docs/shards.md describes them for other programs:
 *
 *   head   magic (8 bytes), version, length of the header; the header, JSON; CRC-32 of all that
 *   block  kind, number of rows, rows before it (8 bytes); rows; CRC-32
 *   last   kind, length of the text, rows before it (8 bytes); text, JSON; CRC-32
 *   row    index of the frame, flags, time (8 bytes, a double); record; signatures if there are any
 *
 * Integers have 4 bytes unless it says otherwise. Everything is little-endian. The CRC-32 of a
 * block goes on from that of the head, so that blocks of another file are noticed.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "media/alignment/signature.h"

enum {
    SHARD_MAGIC_SIZE = 8,
    SHARD_VERSION = 1,
    SHARD_HEAD_SIZE = 16,       /* before the header */
    SHARD_BLOCK_HEAD_SIZE = 16, /* before the rows */
    SHARD_CRC_SIZE = 4,
    SHARD_ROW_HEAD_SIZE = 16,        /* before the record */
    SHARD_HEADER_MAX = 512 << 20,    /* bytes: 32 models of the largest size that is read */
    SHARD_RECORD_MAX = 16 << 20,     /* bytes of a frame; far more than all features have */
    SHARD_BLOCK_ROWS = 32,           /* as they are written */
    SHARD_BLOCK_BYTES_MAX = 1 << 30, /* as they are read */
    SHARD_HAS_RECORD = 1,            /* flag of a row: subsampling has not left the frame out */
    SHARD_ROWS = 0x53574f52,         /* "ROWS": the kind of a block */
    SHARD_LAST = 0x5453414c,         /* "LAST" */
    SHARD_SIGNATURE_BYTES = 2 * SIGNATURE_ROWS * SIGNATURE_COLUMNS,
};

/* Text tools that change line ends change it. */
#define SHARD_MAGIC "\x89VMAFS\r\n"

/* What is stored of a pair of frames. */
typedef struct ShardRow {
    uint32_t index;     /* in the whole run */
    double time;        /* of the reference's frame, see FrameClock; NaN: the file does not say */
    const void *record; /* NULL: subsampling has left the frame out */
    const Signature *reference, *distorted; /* NULL: the file has none */
} ShardRow;

/* Bytes of a row with a record of so many. */
static inline size_t shard_row_bytes(size_t record_bytes, bool has_signatures)
{
    return SHARD_ROW_HEAD_SIZE + record_bytes + (has_signatures ? 2 * SHARD_SIGNATURE_BYTES : 0);
}

static inline void shard_put16(unsigned char *to, uint16_t value)
{
    to[0] = (unsigned char)value;
    to[1] = (unsigned char)(value >> 8);
}

static inline void shard_put32(unsigned char *to, uint32_t value)
{
    shard_put16(to, (uint16_t)value);
    shard_put16(to + 2, (uint16_t)(value >> 16));
}

static inline void shard_put64(unsigned char *to, uint64_t value)
{
    shard_put32(to, (uint32_t)value);
    shard_put32(to + 4, (uint32_t)(value >> 32));
}

static inline uint16_t shard_get16(const unsigned char *from)
{
    return (uint16_t)(from[0] | from[1] << 8);
}

static inline uint32_t shard_get32(const unsigned char *from)
{
    return shard_get16(from) | (uint32_t)shard_get16(from + 2) << 16;
}

static inline uint64_t shard_get64(const unsigned char *from)
{
    return shard_get32(from) | (uint64_t)shard_get32(from + 4) << 32;
}

#endif
