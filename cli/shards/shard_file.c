/* SPDX-License-Identifier: BSD-2-Clause-Patent */
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
#include "shard_file.h"

#include "common/html/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"

/* -- the format -- */

enum {
    SHARD_MAGIC_SIZE = 8,
    SHARD_VERSION = 1,
    SHARD_HEAD_SIZE = 16,       /* before the header */
    SHARD_BLOCK_HEAD_SIZE = 16, /* before the rows */
    SHARD_CRC_SIZE = 4,
    SHARD_ROW_HEAD_SIZE = 16,        /* before the record */
    SHARD_HEADER_MAX = 512 << 20,    /* bytes: 32 models of the largest size that is read */
    SHARD_RECORD_MAX = 16 << 20,     /* bytes of a frame; far more than all features have */
    SHARD_BLOCK_BYTES_MAX = 1 << 30, /* as they are read */
    SHARD_HAS_RECORD = 1,            /* flag of a row: subsampling has not left the frame out */
    SHARD_ROWS = 0x53574f52,         /* "ROWS": the kind of a block */
    SHARD_LAST = 0x5453414c,         /* "LAST" */
};

size_t shard_row_bytes(size_t record_bytes, bool has_signatures)
{
    return SHARD_ROW_HEAD_SIZE + record_bytes + (has_signatures ? 2 * SHARD_SIGNATURE_BYTES : 0);
}

static void put16(unsigned char *to, uint16_t value)
{
    to[0] = (unsigned char)value;
    to[1] = (unsigned char)(value >> 8);
}

static void put32(unsigned char *to, uint32_t value)
{
    put16(to, (uint16_t)value);
    put16(to + 2, (uint16_t)(value >> 16));
}

static void put64(unsigned char *to, uint64_t value)
{
    put32(to, (uint32_t)value);
    put32(to + 4, (uint32_t)(value >> 32));
}

static uint16_t get16(const unsigned char *from)
{
    return (uint16_t)(from[0] | from[1] << 8);
}

static uint32_t get32(const unsigned char *from)
{
    return get16(from) | (uint32_t)get16(from + 2) << 16;
}

static uint64_t get64(const unsigned char *from)
{
    return get32(from) | (uint64_t)get32(from + 4) << 32;
}

/* -- writing -- */

struct ShardWriter {
    VmafAtomicFile *atomic; /* NULL: the file grows */
    VmafFile file;
    int64_t begin, position; /* of a file that grows: of the first new row, of the next block */
    char *path;              /* likewise */
    ShardShape shape;
    size_t row_bytes;
    uint32_t head_crc;
    uint64_t rows; /* in finished blocks */
    uint32_t in_block;
    unsigned char *block; /* with room for its head, rows and checksum */
    int err;              /* the first */
};

static void put(ShardWriter *writer, const void *data, size_t size)
{
    if (writer->err)
        return;
    if (writer->atomic) { /* which keeps its own first error */
        vmaf_atomic_file_write(writer->atomic, data, size);
        return;
    }
    writer->err = vmaf_file_write_at(&writer->file, data, size, writer->position);
    writer->position += (int64_t)size;
}

/* Completes what stands in `bytes`, which has room for a checksum. */
static void put_block(ShardWriter *writer, unsigned char *bytes, size_t size, uint32_t kind,
                      uint32_t count)
{
    put32(bytes, kind);
    put32(bytes + 4, count);
    put64(bytes + 8, writer->rows);
    put32(bytes + size, checksum_crc32(writer->head_crc, bytes, size));
    put(writer, bytes, size + SHARD_CRC_SIZE);
}

static void put_rows(ShardWriter *writer)
{
    if (!writer->in_block)
        return;
    const size_t size = SHARD_BLOCK_HEAD_SIZE + writer->in_block * writer->row_bytes;
    put_block(writer, writer->block, size, SHARD_ROWS, writer->in_block);
    writer->rows += writer->in_block;
    writer->in_block = 0;
}

static int put_head(ShardWriter *writer, const char *header)
{
    const size_t length = strlen(header), size = SHARD_HEAD_SIZE + length;
    unsigned char *head = length <= SHARD_HEADER_MAX ? malloc(size + SHARD_CRC_SIZE) : NULL;
    if (!head)
        return length <= SHARD_HEADER_MAX ? -ENOMEM : -EFBIG;
    memcpy(head, SHARD_MAGIC, SHARD_MAGIC_SIZE);
    put32(head + 8, SHARD_VERSION);
    put32(head + 12, (uint32_t)length);
    memcpy(head + SHARD_HEAD_SIZE, header, length);
    writer->head_crc = checksum_crc32(0, head, size);
    put32(head + size, writer->head_crc);
    put(writer, head, size + SHARD_CRC_SIZE);
    free(head);
    return writer->err;
}

static ShardWriter *create(const char *path, const ShardShape *shape)
{
    ShardWriter *writer = calloc(1, sizeof(*writer));
    if (!writer)
        return NULL;
    writer->file = VMAF_FILE_NONE;
    writer->shape = *shape;
    writer->row_bytes = shard_row_bytes(shape->record_bytes, shape->has_signatures);
    writer->block =
        malloc(SHARD_BLOCK_HEAD_SIZE + SHARD_BLOCK_ROWS * writer->row_bytes + SHARD_CRC_SIZE);
    writer->path = strdup(path);
    if (writer->block && writer->path)
        return writer;
    free(writer->path);
    free(writer->block);
    free(writer);
    return NULL;
}

static void destroy(ShardWriter *writer)
{
    vmaf_file_close(&writer->file);
    free(writer->path);
    free(writer->block);
    free(writer);
}

int shard_writer_create(ShardWriter **writer, const char *path, ShardFileMode mode,
                        const char *header, const ShardShape *shape)
{
    *writer = NULL;
    ShardWriter *made = shape->record_bytes <= SHARD_RECORD_MAX ? create(path, shape) : NULL;
    if (!made)
        return shape->record_bytes <= SHARD_RECORD_MAX ? -ENOMEM : -EFBIG;
    int err = mode == SHARD_GROWS ? vmaf_file_create(&made->file, path)
                                  : vmaf_atomic_file_open(&made->atomic, path);
    if (!err)
        err = put_head(made, header);
    if (err) {
        vmaf_atomic_file_abandon(made->atomic);
        destroy(made);
        return err;
    }
    made->begin = made->position;
    *writer = made;
    return 0;
}

int shard_writer_resume(ShardWriter **writer, const char *path, const ShardPlace *place,
                        const ShardShape *shape)
{
    *writer = NULL;
    ShardWriter *made = create(path, shape);
    if (!made)
        return -ENOMEM;
    const int err = vmaf_file_open_to_append(&made->file, path, place->position);
    if (err) {
        destroy(made);
        return err;
    }
    made->begin = made->position = place->position;
    made->rows = place->rows;
    made->head_crc = place->head_crc;
    *writer = made;
    return 0;
}

static unsigned char *put_signature(unsigned char *to, const Signature *signature)
{
    for (unsigned i = 0; i < SIGNATURE_ROWS * SIGNATURE_COLUMNS; i++, to += 2)
        put16(to, signature ? signature->mean[i] : 0);
    return to;
}

int shard_writer_add(ShardWriter *writer, const ShardRow *row)
{
    unsigned char *to =
        writer->block + SHARD_BLOCK_HEAD_SIZE + writer->in_block * writer->row_bytes;
    uint64_t time;
    memcpy(&time, &row->time, sizeof(time));
    put32(to, row->index);
    put32(to + 4, row->record ? SHARD_HAS_RECORD : 0);
    put64(to + 8, time);
    to += SHARD_ROW_HEAD_SIZE;
    if (row->record)
        memcpy(to, row->record, writer->shape.record_bytes);
    else
        memset(to, 0, writer->shape.record_bytes);
    to += writer->shape.record_bytes;
    if (writer->shape.has_signatures)
        put_signature(put_signature(to, row->reference), row->distorted);
    if (++writer->in_block == SHARD_BLOCK_ROWS)
        put_rows(writer);
    return writer->err;
}

static int put_last(ShardWriter *writer, const char *text)
{
    const size_t length = strlen(text), size = SHARD_BLOCK_HEAD_SIZE + length;
    unsigned char *block = length <= SHARD_HEADER_MAX ? malloc(size + SHARD_CRC_SIZE) : NULL;
    if (!block)
        return length <= SHARD_HEADER_MAX ? -ENOMEM : -EFBIG;
    memcpy(block + SHARD_BLOCK_HEAD_SIZE, text, length);
    put_block(writer, block, size, SHARD_LAST, (uint32_t)length);
    free(block);
    return writer->err;
}

int shard_writer_finish(ShardWriter *writer, const char *text)
{
    put_rows(writer);
    int err = put_last(writer, text);
    if (writer->atomic && err)
        vmaf_atomic_file_abandon(writer->atomic);
    else if (writer->atomic)
        err = vmaf_atomic_file_commit(writer->atomic);
    destroy(writer);
    return err;
}

void shard_writer_abandon(ShardWriter *writer)
{
    if (!writer)
        return;
    if (writer->atomic)
        vmaf_atomic_file_abandon(writer->atomic);
    else
        put_rows(writer);
    destroy(writer);
}

void shard_writer_discard(ShardWriter *writer)
{
    if (writer && !writer->atomic) {
        writer->in_block = 0;
        vmaf_file_close(&writer->file);
        (void)vmaf_file_open_to_append(&writer->file, writer->path, writer->begin);
    }
    shard_writer_abandon(writer);
}

/* -- reading: the head -- */

struct ShardReader {
    const char *path;
    VmafFile file; /* open while it is read: there may be a thousand of them */
    json_t *header, *end;
    ShardShape shape;
    size_t row_bytes;
    uint32_t head_crc;
    uint32_t first;      /* index of the first row */
    int64_t begin, size; /* of the blocks; of the file when it was opened */

    /* The block that is being read. */
    int64_t position; /* of the next one */
    uint64_t rows;    /* before it */
    uint32_t kind, count, next_row;
    unsigned char *block;
    size_t room;
    Signature reference, distorted;
};

static int damaged(const ShardReader *reader, Message *why, const char *what)
{
    return message_set(why, -EBADMSG, "%s: %s", reader->path, what);
}

static int failed(const ShardReader *reader, Message *why, int err)
{
    return message_set(why, err, "%s: %s", reader->path, strerror(-err));
}

/* All of `size` bytes. */
static int read_exactly(ShardReader *reader, void *to, size_t size, int64_t position, Message *why)
{
    size_t done = 0, got = 1;
    int err = reader->file.handle < 0 ? vmaf_file_open(&reader->file, reader->path) : 0;
    while (!err && done < size && got) {
        err = vmaf_file_read_at(&reader->file, (char *)to + done, size - done,
                                position + (int64_t)done, &got);
        done += got;
    }
    if (err)
        return failed(reader, why, err);
    return done < size ? damaged(reader, why, "it ends too early") : 0;
}

static bool take_size(const json_t *object, const char *key, size_t most, size_t *size)
{
    const json_t *value = json_object_get(object, key);
    const json_int_t number = json_integer_value(value);
    *size = (size_t)number;
    return json_is_integer(value) && number >= 0 && (uint64_t)number <= most;
}

/* What rows look like, and where they begin. */
static int take_shape(ShardReader *reader, Message *why)
{
    const json_t *row = json_object_get(reader->header, "row");
    size_t bytes = 0, first = 0;
    reader->shape.has_signatures = json_is_true(json_object_get(row, "signatures"));
    if (!take_size(row, "record", SHARD_RECORD_MAX, &reader->shape.record_bytes) ||
        !take_size(row, "bytes", SIZE_MAX / 2, &bytes) ||
        !take_size(json_object_get(reader->header, "range"), "begin", UINT32_MAX, &first))
        return damaged(reader, why, "its header does not describe its rows");
    reader->row_bytes = shard_row_bytes(reader->shape.record_bytes, reader->shape.has_signatures);
    reader->first = (uint32_t)first;
    return bytes == reader->row_bytes ? 0 : damaged(reader, why, "its rows have another size");
}

static int parse_header(ShardReader *reader, const char *text, size_t length, Message *why)
{
    json_error_t error;
    reader->header = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    return json_is_object(reader->header) ? take_shape(reader, why)
                                          : damaged(reader, why, "its header is no JSON object");
}

static int read_header(ShardReader *reader, uint32_t length, Message *why)
{
    const size_t size = SHARD_HEAD_SIZE + (size_t)length;
    if ((int64_t)(size + SHARD_CRC_SIZE) > reader->size)
        return damaged(reader, why, "it ends within its header");
    unsigned char *head = malloc(size + SHARD_CRC_SIZE);
    if (!head)
        return failed(reader, why, -ENOMEM);
    int err = read_exactly(reader, head, size + SHARD_CRC_SIZE, 0, why);
    reader->head_crc = checksum_crc32(0, head, size);
    if (!err && get32(head + size) != reader->head_crc)
        err = damaged(reader, why, "its header is damaged");
    if (!err)
        err = parse_header(reader, (char *)head + SHARD_HEAD_SIZE, length, why);
    reader->begin = reader->position = (int64_t)(size + SHARD_CRC_SIZE);
    free(head);
    return err;
}

static int read_head(ShardReader *reader, Message *why)
{
    unsigned char head[SHARD_HEAD_SIZE];
    VmafFileStatus status;
    int err = vmaf_file_status_at(reader->path, &status);
    if (err)
        return failed(reader, why, err);
    if (status.kind != VMAF_FILE_REGULAR)
        return message_set(why, -EINVAL, "%s: it is no file", reader->path);
    reader->size = status.size;
    if (status.size < SHARD_HEAD_SIZE)
        return damaged(reader, why, "it is no file of stored records");
    err = read_exactly(reader, head, sizeof(head), 0, why);
    if (err)
        return err;
    const uint32_t version = get32(head + 8), length = get32(head + 12);
    if (memcmp(head, SHARD_MAGIC, SHARD_MAGIC_SIZE) != 0)
        return damaged(reader, why, "it is no file of stored records");
    if (version != SHARD_VERSION)
        return message_set(why, -EBADMSG, "%s: its format is version %u, this program knows %d",
                           reader->path, (unsigned)version, SHARD_VERSION);
    if (length > SHARD_HEADER_MAX)
        return damaged(reader, why, "its header is damaged");
    return read_header(reader, length, why);
}

bool shard_reader_lacks_header(const char *path)
{
    unsigned char head[SHARD_HEAD_SIZE];
    VmafFileStatus status = {.size = 0};
    VmafFile file;
    size_t size = 0;
    if (vmaf_file_open(&file, path))
        return false;
    int err = vmaf_file_status(&file, &status);
    if (!err)
        err = vmaf_file_read_at(&file, head, sizeof(head), 0, &size);
    vmaf_file_close(&file);
    if (err || memcmp(head, SHARD_MAGIC, size < SHARD_MAGIC_SIZE ? size : SHARD_MAGIC_SIZE) != 0)
        return false;
    return size < sizeof(head) ||
           (get32(head + 8) == SHARD_VERSION && get32(head + 12) <= SHARD_HEADER_MAX &&
            status.size < (int64_t)get32(head + 12) + SHARD_HEAD_SIZE + SHARD_CRC_SIZE);
}

int shard_reader_open(ShardReader **reader, const char *path, Message *why)
{
    *reader = NULL;
    ShardReader *made = calloc(1, sizeof(*made));
    if (!made)
        return message_set(why, -ENOMEM, "%s: out of memory", path);
    made->path = path;
    made->file = VMAF_FILE_NONE;
    const int err = read_head(made, why);
    vmaf_file_close(&made->file);
    if (err) {
        shard_reader_close(made);
        return err;
    }
    *reader = made;
    return 0;
}

void shard_reader_close(ShardReader *reader)
{
    if (!reader)
        return;
    json_decref(reader->header);
    json_decref(reader->end);
    vmaf_file_close(&reader->file);
    free(reader->block);
    free(reader);
}

const char *shard_reader_path(const ShardReader *reader)
{
    return reader->path;
}

json_t *shard_reader_header(const ShardReader *reader)
{
    return reader->header;
}

json_t *shard_reader_end(const ShardReader *reader)
{
    return reader->end;
}

ShardShape shard_reader_shape(const ShardReader *reader)
{
    return reader->shape;
}

/* -- reading: blocks -- */

static bool make_room(ShardReader *reader, size_t size)
{
    if (size <= reader->room)
        return true;
    unsigned char *larger = realloc(reader->block, size);
    if (!larger)
        return false;
    reader->block = larger;
    reader->room = size;
    return true;
}

/* Bytes between the head of a block and its checksum; SIZE_MAX: more than any block has. */
static size_t payload_bytes(const ShardReader *reader, uint32_t kind, uint32_t count)
{
    size_t bytes = count;
    if (kind == SHARD_ROWS && __builtin_mul_overflow(bytes, reader->row_bytes, &bytes))
        return SIZE_MAX;
    return bytes <= SHARD_BLOCK_BYTES_MAX ? bytes : SIZE_MAX;
}

static int check_head(const ShardReader *reader, const unsigned char *head, size_t *size,
                      Message *why)
{
    const uint32_t kind = get32(head), count = get32(head + 4);
    const size_t payload = payload_bytes(reader, kind, count);
    if ((kind != SHARD_ROWS && kind != SHARD_LAST) || payload == SIZE_MAX ||
        get64(head + 8) != reader->rows)
        return damaged(reader, why, "a block is damaged");
    *size = SHARD_BLOCK_HEAD_SIZE + payload;
    if ((int64_t)(*size + SHARD_CRC_SIZE) > reader->size - reader->position)
        return damaged(reader, why, "it ends within a block");
    return 0;
}

/* The next block into memory. */
static int read_block(ShardReader *reader, Message *why)
{
    unsigned char head[SHARD_BLOCK_HEAD_SIZE];
    size_t size = 0;
    if (reader->size - reader->position < SHARD_BLOCK_HEAD_SIZE + SHARD_CRC_SIZE)
        return damaged(reader, why,
                       reader->size == reader->position
                           ? "it has no last block: whoever wrote it was interrupted"
                           : "it ends within a block");
    int err = read_exactly(reader, head, sizeof(head), reader->position, why);
    if (!err)
        err = check_head(reader, head, &size, why);
    if (!err && !make_room(reader, size + SHARD_CRC_SIZE))
        err = failed(reader, why, -ENOMEM);
    if (err)
        return err;
    memcpy(reader->block, head, sizeof(head));
    err = read_exactly(reader, reader->block + sizeof(head), size + SHARD_CRC_SIZE - sizeof(head),
                       reader->position + (int64_t)sizeof(head), why);
    if (err)
        return err;
    if (checksum_crc32(reader->head_crc, reader->block, size) != get32(reader->block + size))
        return damaged(reader, why, "a block is damaged");
    reader->kind = get32(head);
    reader->count = get32(head + 4);
    reader->next_row = 0;
    reader->position += (int64_t)(size + SHARD_CRC_SIZE);
    return 0;
}

static const unsigned char *row_at(const ShardReader *reader, uint32_t row)
{
    return reader->block + SHARD_BLOCK_HEAD_SIZE + row * reader->row_bytes;
}

static double time_of(const unsigned char *row)
{
    double seconds;
    const uint64_t bits = get64(row + 8);
    memcpy(&seconds, &bits, sizeof(seconds));
    return seconds;
}

/* A checksum does not say that who wrote the rows was right. */
static int check_rows(ShardReader *reader, Message *why)
{
    for (uint32_t i = 0; i < reader->count; i++) {
        const unsigned char *row = row_at(reader, i);
        if (get32(row) != reader->first + reader->rows + i || get32(row + 4) > SHARD_HAS_RECORD)
            return damaged(reader, why, "its frames are not in order");
        if (isinf(time_of(row)))
            return damaged(reader, why, "a frame has no possible time");
    }
    reader->rows += reader->count;
    return 0;
}

static void start_again(ShardReader *reader)
{
    reader->position = reader->begin;
    reader->rows = 0;
    reader->count = reader->next_row = 0;
    reader->kind = SHARD_ROWS;
}

static int take_end(ShardReader *reader, Message *why)
{
    json_error_t error;
    json_decref(reader->end);
    reader->end = json_loadb((char *)reader->block + SHARD_BLOCK_HEAD_SIZE, reader->count,
                             JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(reader->end))
        return damaged(reader, why, "its last block is no JSON object");
    return reader->position == reader->size
               ? 0
               : damaged(reader, why, "something follows its last block");
}

int shard_reader_verify(ShardReader *reader, uint64_t *rows, Message *why)
{
    start_again(reader);
    int err;
    do {
        err = read_block(reader, why);
        if (!err && reader->kind == SHARD_ROWS)
            err = check_rows(reader, why);
    } while (!err && reader->kind == SHARD_ROWS);
    if (!err)
        err = take_end(reader, why);
    *rows = reader->rows;
    start_again(reader);
    return err;
}

int shard_reader_find_end(ShardReader *reader, ShardPlace *place, bool *is_complete, Message *why)
{
    Message unused;
    start_again(reader);
    int err;
    do {
        *place = (ShardPlace){reader->position, reader->rows, reader->head_crc};
        err = read_block(reader, &unused);
        if (!err && reader->kind == SHARD_ROWS)
            err = check_rows(reader, &unused);
    } while (!err && reader->kind == SHARD_ROWS);
    *is_complete = !err && !take_end(reader, &unused);
    start_again(reader);
    return err == -EBADMSG || !err ? 0 : message_set(why, err, "%s", unused.text);
}

/* -- reading: rows -- */

static const unsigned char *take_signature(const unsigned char *from, Signature *signature)
{
    for (unsigned i = 0; i < SIGNATURE_ROWS * SIGNATURE_COLUMNS; i++, from += 2)
        signature->mean[i] = get16(from);
    return from;
}

static void take_row(ShardReader *reader, const unsigned char *from, ShardRow *row)
{
    *row = (ShardRow){.index = get32(from), .time = time_of(from)};
    if (get32(from + 4) & SHARD_HAS_RECORD)
        row->record = from + SHARD_ROW_HEAD_SIZE;
    if (!reader->shape.has_signatures)
        return;
    from += SHARD_ROW_HEAD_SIZE + reader->shape.record_bytes;
    take_signature(take_signature(from, &reader->reference), &reader->distorted);
    row->reference = &reader->reference;
    row->distorted = &reader->distorted;
}

int shard_reader_next(ShardReader *reader, ShardRow *row, Message *why)
{
    while (reader->kind == SHARD_ROWS && reader->next_row == reader->count) {
        int err = read_block(reader, why);
        if (!err && reader->kind == SHARD_ROWS)
            err = check_rows(reader, why);
        if (err)
            return err;
    }
    if (reader->kind != SHARD_ROWS)
        return 0;
    take_row(reader, row_at(reader, reader->next_row++), row);
    return 1;
}

void shard_reader_rest(ShardReader *reader)
{
    vmaf_file_close(&reader->file);
    free(reader->block);
    reader->block = NULL;
    reader->room = 0;
    start_again(reader);
}
