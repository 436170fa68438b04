/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_HIP_MSGPACK_H
#define TESTS_EMULATION_HIP_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads MessagePack, item by item: what code objects say about themselves. */

enum MsgpackKind {
    MSGPACK_END, /* or what is no MessagePack; nothing follows */
    MSGPACK_INTEGER,
    MSGPACK_BOOL,
    MSGPACK_TEXT,
    MSGPACK_ARRAY,
    MSGPACK_MAP,
    MSGPACK_OTHER, /* nil, fractions, bytes */
};

typedef struct MsgpackReader {
    const unsigned char *at, *end;
    bool failed;
} MsgpackReader;

typedef struct MsgpackItem {
    enum MsgpackKind kind;
    uint64_t value;   /* an integer, 0 or 1, or the number of elements, or of pairs, that follow */
    const char *text; /* without a zero at its end */
    size_t length;
} MsgpackItem;

MsgpackItem msgpack_next(MsgpackReader *reader);
/* Passes over what an item begins, with all elements. */
void msgpack_skip(MsgpackReader *reader, const MsgpackItem *item);

bool msgpack_is(const MsgpackItem *item, const char *text);
/* Copies a text. False if the item is none, or too long. */
bool msgpack_copy(const MsgpackItem *item, char *to, size_t size);

#endif
