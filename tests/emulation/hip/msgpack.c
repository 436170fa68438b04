/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "msgpack.h"

#include <string.h>

static const MsgpackItem ended = {.kind = MSGPACK_END};

/* A number of 1, 2, 4 or 8 bytes, the highest first. */
static uint64_t read_number(MsgpackReader *reader, unsigned bytes)
{
    uint64_t value = 0;
    if ((size_t)(reader->end - reader->at) < bytes) {
        reader->failed = true;
        return 0;
    }
    while (bytes-- > 0)
        value = value << 8 | *reader->at++;
    return value;
}

static MsgpackItem read_text(MsgpackReader *reader, enum MsgpackKind kind, uint64_t length)
{
    if (reader->failed || length > (size_t)(reader->end - reader->at)) {
        reader->failed = true;
        return ended;
    }
    const MsgpackItem item = {.kind = kind, .text = (const char *)reader->at, .length = length};
    reader->at += length;
    return item;
}

static MsgpackItem item_of(const MsgpackReader *reader, enum MsgpackKind kind, uint64_t value)
{
    return reader->failed ? ended : (MsgpackItem){.kind = kind, .value = value};
}

/* Items whose first byte is 0xc0 to 0xdf. */
static MsgpackItem read_long(MsgpackReader *reader, unsigned first)
{
    if (first >= 0xc4 && first <= 0xc6)
        return read_text(reader, MSGPACK_OTHER, read_number(reader, 1U << (first - 0xc4)));
    if (first >= 0xc7 && first <= 0xc9) {
        const uint64_t length = read_number(reader, 1U << (first - 0xc7));
        return read_text(reader, MSGPACK_OTHER, length + 1);
    }
    if (first >= 0xcc && first <= 0xcf)
        return item_of(reader, MSGPACK_INTEGER, read_number(reader, 1U << (first - 0xcc)));
    if (first >= 0xd0 && first <= 0xd3) { /* negative ones matter to nobody here */
        const uint64_t value = read_number(reader, 1U << (first - 0xd0));
        return item_of(reader, MSGPACK_INTEGER, value);
    }
    if (first >= 0xd4 && first <= 0xd8)
        return read_text(reader, MSGPACK_OTHER, 1 + (UINT64_C(1) << (first - 0xd4)));
    if (first >= 0xd9 && first <= 0xdb)
        return read_text(reader, MSGPACK_TEXT, read_number(reader, 1U << (first - 0xd9)));
    switch (first) {
    case 0xc2:
    case 0xc3:
        return item_of(reader, MSGPACK_BOOL, first & 1);
    case 0xca:
        return read_text(reader, MSGPACK_OTHER, 4);
    case 0xcb:
        return read_text(reader, MSGPACK_OTHER, 8);
    case 0xdc:
    case 0xdd:
        return item_of(reader, MSGPACK_ARRAY, read_number(reader, first == 0xdc ? 2 : 4));
    case 0xde:
    case 0xdf:
        return item_of(reader, MSGPACK_MAP, read_number(reader, first == 0xde ? 2 : 4));
    case 0xc0:
        return item_of(reader, MSGPACK_OTHER, 0);
    default:
        reader->failed = true;
        return ended;
    }
}

MsgpackItem msgpack_next(MsgpackReader *reader)
{
    const unsigned first = (unsigned)read_number(reader, 1);
    if (reader->failed)
        return ended;
    if (first < 0x80)
        return item_of(reader, MSGPACK_INTEGER, first);
    if (first < 0x90)
        return item_of(reader, MSGPACK_MAP, first & 15);
    if (first < 0xa0)
        return item_of(reader, MSGPACK_ARRAY, first & 15);
    if (first < 0xc0)
        return read_text(reader, MSGPACK_TEXT, first & 31);
    if (first < 0xe0)
        return read_long(reader, first);
    return item_of(reader, MSGPACK_INTEGER, first);
}

void msgpack_skip(MsgpackReader *reader, const MsgpackItem *item)
{
    uint64_t left = item->kind == MSGPACK_ARRAY ? item->value
                    : item->kind == MSGPACK_MAP ? 2 * item->value
                                                : 0;
    for (; left > 0 && !reader->failed; left--) {
        const MsgpackItem next = msgpack_next(reader);
        left += next.kind == MSGPACK_ARRAY ? next.value
                : next.kind == MSGPACK_MAP ? 2 * next.value
                                           : 0;
    }
}

bool msgpack_is(const MsgpackItem *item, const char *text)
{
    return item->kind == MSGPACK_TEXT && item->length == strlen(text) &&
           memcmp(item->text, text, item->length) == 0;
}

bool msgpack_copy(const MsgpackItem *item, char *to, size_t size)
{
    if (item->kind != MSGPACK_TEXT || item->length >= size)
        return false;
    memcpy(to, item->text, item->length);
    to[item->length] = '\0';
    return true;
}
