/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "shards/shard_writer.h"

#include "common/html/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"

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
    shard_put32(bytes, kind);
    shard_put32(bytes + 4, count);
    shard_put64(bytes + 8, writer->rows);
    shard_put32(bytes + size, checksum_crc32(writer->head_crc, bytes, size));
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
    shard_put32(head + 8, SHARD_VERSION);
    shard_put32(head + 12, (uint32_t)length);
    memcpy(head + SHARD_HEAD_SIZE, header, length);
    writer->head_crc = checksum_crc32(0, head, size);
    shard_put32(head + size, writer->head_crc);
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
        shard_put16(to, signature ? signature->mean[i] : 0);
    return to;
}

int shard_writer_add(ShardWriter *writer, const ShardRow *row)
{
    unsigned char *to =
        writer->block + SHARD_BLOCK_HEAD_SIZE + writer->in_block * writer->row_bytes;
    uint64_t time;
    memcpy(&time, &row->time, sizeof(time));
    shard_put32(to, row->index);
    shard_put32(to + 4, row->record ? SHARD_HAS_RECORD : 0);
    shard_put64(to + 8, time);
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
