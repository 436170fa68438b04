/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Input: a file of stored records. Checksums would keep everything out that is behind them, so the
 * file is put together here: the input is its header, its rows and its last text, with zero bytes
 * between them. */
#include "fuzz.h"

#include "shards/shards_internal.h"

#include <stdlib.h>
#include <string.h>

/* The next part of the input, ended by 0, to be freed. */
static char *take_part(const uint8_t **data, size_t *size)
{
    const uint8_t *end = memchr(*data, 0, *size);
    const size_t length = end ? (size_t)(end - *data) : *size;
    char *part = malloc(length + 1);
    memcpy(part, *data, length);
    part[length] = '\0';
    *data += length + (end != NULL);
    *size -= length + (end != NULL);
    return part;
}

static void use_header(const ShardReader *reader, uint64_t rows)
{
    const json_t *header = shard_reader_header(reader), *end = shard_reader_end(reader);
    Message why;
    ShardAbout about;
    StoredVideo video;
    Notes notes = {.count = 0};
    Options options = {.task = TASK_SCORE};
    bool can_apply;
    (void)shard_header_about(header, end, rows, "a", &about, &why);
    (void)shard_header_check_version(header, "a", &why);
    (void)shard_header_compare(header, "a", header, "b", &why);
    (void)shard_header_compare(header, "a", end, "b", &why);
    (void)shard_header_take_choice(header, &options, "a", &why);
    (void)shard_header_take_video(header, "reference", &video, "a", &why);
    shard_header_take_notes(header, "notes", &notes);
    (void)shard_header_align(header, &can_apply);
    notes_free(&notes);
    command_line_free(&options);
}

static void read_file(const char *path)
{
    ShardReader *reader;
    ShardPlace place;
    ShardRow row;
    Message why;
    uint64_t rows = 0;
    bool is_complete;
    if (shard_reader_open(&reader, path, &why))
        return;
    (void)shard_reader_find_end(reader, &place, &is_complete, &why);
    if (!shard_reader_verify(reader, &rows, &why))
        use_header(reader, rows);
    while (shard_reader_next(reader, &row, &why) > 0)
        continue;
    shard_reader_close(reader);
}

/* Rows of the size that the writer is told; what the header says of it may be a lie. */
static void write_file(const char *path, const char *header, const uint8_t *rows, size_t size,
                       const char *end)
{
    enum { RECORD = 8 };
    ShardWriter *writer;
    if (shard_writer_create(&writer, path, SHARD_GROWS, header, &(ShardShape){RECORD, false}))
        return;
    for (uint32_t i = 0; size >= RECORD && i < 100; i++, rows += RECORD, size -= RECORD)
        (void)shard_writer_add(writer, &(ShardRow){.index = i, .record = rows});
    (void)shard_writer_finish(writer, end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MemoryFile file;
    memory_file_open(&file, data, size); /* as it is */
    read_file(file.path);
    memory_file_close(&file);
    char *header = take_part(&data, &size), *end = take_part(&data, &size);
    memory_file_open(&file, data, 0);
    write_file(file.path, header, data, size, end);
    read_file(file.path);
    memory_file_close(&file);
    free(header);
    free(end);
    return 0;
}
