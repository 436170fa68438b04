/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files of stored records: what is written is read, and what is damaged is rejected. */
#include "program.h"
#include "shards/shard_file.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"
#include "support/files.h"

enum { RECORD = 24, ROWS = SHARD_BLOCK_ROWS + 3, FIRST = 7 };

static const char path[] = "a.vmafs";

/* A header that describes such rows. */
static const char *header_text(bool has_signatures)
{
    static char text[256];
    snprintf(text, sizeof(text),
             "{\"row\":{\"bytes\":%zu,\"record\":%d,\"signatures\":%s},\"range\":{\"begin\":%d}}",
             shard_row_bytes(RECORD, has_signatures), RECORD, has_signatures ? "true" : "false",
             FIRST);
    return text;
}

static void fill(unsigned char record[RECORD], uint32_t index)
{
    for (unsigned i = 0; i < RECORD; i++)
        record[i] = (unsigned char)(index * 31 + i * 7 + 1);
}

static Signature signature_of(uint32_t index, unsigned side)
{
    Signature signature;
    for (unsigned i = 0; i < SIGNATURE_ROWS * SIGNATURE_COLUMNS; i++)
        signature.mean[i] = (uint16_t)(index * 257 + i * 3 + side);
    return signature;
}

/* Every third frame has no record. */
static void add_rows(ShardWriter *writer, uint32_t begin, uint32_t end, bool has_signatures)
{
    for (uint32_t index = begin; index < end; index++) {
        unsigned char record[RECORD];
        const Signature reference = signature_of(index, 0), distorted = signature_of(index, 1);
        fill(record, index);
        const ShardRow row = {
            .index = index,
            .time = index % 2 ? NAN : index * 0.04,
            .record = index % 3 ? record : NULL,
            .reference = has_signatures ? &reference : NULL,
            .distorted = has_signatures ? &distorted : NULL,
        };
        assert_int_equal(shard_writer_add(writer, &row), 0);
    }
}

static void make_file(ShardFileMode mode, bool has_signatures)
{
    ShardWriter *writer;
    const ShardShape shape = {RECORD, has_signatures};
    assert_int_equal(shard_writer_create(&writer, path, mode, header_text(has_signatures), &shape),
                     0);
    add_rows(writer, FIRST, FIRST + ROWS, has_signatures);
    assert_int_equal(shard_writer_finish(writer, "{\"pairs\":99}"), 0);
}

static void expect_row(const ShardRow *row, uint32_t index, bool has_signatures)
{
    unsigned char record[RECORD];
    fill(record, index);
    assert_int_equal(row->index, index);
    if (index % 2)
        assert_true(isnan(row->time));
    else
        assert_true(row->time == index * 0.04);
    assert_true((row->record != NULL) == (index % 3 != 0));
    if (row->record)
        assert_memory_equal(row->record, record, RECORD);
    assert_true((row->reference != NULL) == has_signatures);
    if (!has_signatures)
        return;
    const Signature reference = signature_of(index, 0), distorted = signature_of(index, 1);
    assert_memory_equal(row->reference, &reference, sizeof(reference));
    assert_memory_equal(row->distorted, &distorted, sizeof(distorted));
}

/* Reads all of the file. 0, or the error. */
static int read_file(bool has_signatures, uint64_t *rows)
{
    Message why;
    ShardReader *reader;
    ShardRow row;
    *rows = 0;
    int err = shard_reader_open(&reader, path, &why);
    if (err)
        return err;
    err = shard_reader_verify(reader, rows, &why);
    uint64_t n = 0;
    while (!err && (err = shard_reader_next(reader, &row, &why)) > 0) {
        expect_row(&row, FIRST + (uint32_t)n++, has_signatures);
        err = 0;
    }
    if (!err)
        assert_int_equal(n, *rows);
    else
        assert_non_null(strstr(why.text, path));
    shard_reader_close(reader);
    return err;
}

CASE(what_is_written_is_read)
{
    uint64_t rows;
    for (int i = 0; i < 4; i++) {
        make_file(i & 1 ? SHARD_GROWS : SHARD_APPEARS_COMPLETE, i & 2);
        assert_int_equal(read_file(i & 2, &rows), 0);
        assert_int_equal(rows, ROWS);
        remove(path);
    }
}

/* The bytes that docs/shards.md promises. */
CASE(the_layout_is_as_documented)
{
    ShardWriter *writer;
    const char *header = header_text(false);
    const size_t length = strlen(header);
    assert_int_equal(
        shard_writer_create(&writer, path, SHARD_GROWS, header, &(ShardShape){RECORD, false}), 0);
    add_rows(writer, FIRST, FIRST + 1, false);
    assert_int_equal(shard_writer_finish(writer, "{}"), 0);
    size_t size;
    unsigned char *bytes = file_bytes(path, &size);
    assert_memory_equal(bytes, "\x89VMAFS\r\n\x01\0\0\0", 12);
    assert_int_equal(bytes[12], length);
    assert_memory_equal(bytes + 16, header, length);
    const unsigned char *block = bytes + 16 + length + 4;
    assert_memory_equal(block, "ROWS\x01\0\0\0\0\0\0\0\0\0\0\0", 16);
    assert_memory_equal(block + 16, "\x07\0\0\0\x01\0\0\0", 8);
    const unsigned char *last = block + 16 + 16 + RECORD + 4;
    assert_memory_equal(last, "LAST\x02\0\0\0\x01\0\0\0\0\0\0\0{}", 18);
    free(bytes);
    remove(path);
}

CASE(every_flipped_byte_is_noticed)
{
    size_t size;
    uint64_t rows;
    make_file(SHARD_APPEARS_COMPLETE, false);
    unsigned char *bytes = file_bytes(path, &size);
    for (size_t i = 0; i < size; i++) {
        static const unsigned char flips[] = {0x01, 0x80, 0xff};
        const unsigned char flip = flips[i % 3];
        bytes[i] ^= flip;
        file_put(path, bytes, size);
        if (read_file(false, &rows) != -EBADMSG)
            fail_msg("byte %zu of %zu", i, size);
        bytes[i] ^= flip;
    }
    free(bytes);
    remove(path);
}

CASE(every_cut_is_noticed)
{
    size_t size;
    uint64_t rows;
    make_file(SHARD_APPEARS_COMPLETE, false);
    unsigned char *bytes = file_bytes(path, &size);
    for (size_t i = 0; i < size; i++) {
        file_put(path, bytes, i);
        if (read_file(false, &rows) != -EBADMSG)
            fail_msg("%zu of %zu bytes", i, size);
    }
    bytes[size] = 0;
    file_put(path, bytes, size + 1);
    assert_int_equal(read_file(false, &rows), -EBADMSG);
    free(bytes);
    remove(path);
}

/* Blocks of another file, whole and with right checksums, are not those of this one. */
CASE(blocks_of_another_file_are_noticed)
{
    size_t size, other_size;
    uint64_t rows;
    make_file(SHARD_APPEARS_COMPLETE, false);
    unsigned char *bytes = file_bytes(path, &size);
    ShardWriter *writer;
    char header[300];
    snprintf(header, sizeof(header), "%s", header_text(false));
    header[strlen(header) - 1] = ',';
    strcat(header, "\"x\":1}");
    assert_int_equal(
        shard_writer_create(&writer, path, SHARD_GROWS, header, &(ShardShape){RECORD, false}), 0);
    add_rows(writer, FIRST, FIRST + ROWS, false);
    assert_int_equal(shard_writer_finish(writer, "{\"pairs\":99}"), 0);
    unsigned char *other = file_bytes(path, &other_size);
    const size_t more = strlen("\"x\":1,");
    assert_int_equal(other_size, size + more);
    const size_t head = 16 + strlen(header_text(false)) + 4;
    memcpy(bytes + head, other + head + more, size - head);
    file_put(path, bytes, size);
    assert_int_equal(read_file(false, &rows), -EBADMSG);
    free(bytes);
    free(other);
    remove(path);
}

CASE(frames_out_of_order_are_noticed)
{
    uint64_t rows;
    ShardWriter *writer;
    assert_int_equal(shard_writer_create(&writer, path, SHARD_GROWS, header_text(false),
                                         &(ShardShape){RECORD, false}),
                     0);
    add_rows(writer, FIRST, FIRST + 2, false);
    add_rows(writer, FIRST + 3, FIRST + 5, false);
    assert_int_equal(shard_writer_finish(writer, "{}"), 0);
    assert_int_equal(read_file(false, &rows), -EBADMSG);
    remove(path);
}

CASE(impossible_times_are_noticed)
{
    uint64_t rows;
    ShardWriter *writer;
    assert_int_equal(shard_writer_create(&writer, path, SHARD_GROWS, header_text(false),
                                         &(ShardShape){RECORD, false}),
                     0);
    assert_int_equal(shard_writer_add(writer, &(ShardRow){.index = FIRST, .time = -INFINITY}), 0);
    assert_int_equal(shard_writer_finish(writer, "{}"), 0);
    assert_int_equal(read_file(false, &rows), -EBADMSG);
    remove(path);
}

static ShardPlace find_end(bool *is_complete)
{
    Message why;
    ShardReader *reader;
    ShardPlace place;
    assert_int_equal(shard_reader_open(&reader, path, &why), 0);
    assert_int_equal(shard_reader_find_end(reader, &place, is_complete, &why), 0);
    shard_reader_close(reader);
    return place;
}

/* Wherever it is cut behind its head: whole blocks stay, and the file can be completed. */
CASE(writing_goes_on_behind_the_last_good_block)
{
    size_t size;
    uint64_t rows;
    bool is_complete;
    make_file(SHARD_GROWS, false);
    unsigned char *bytes = file_bytes(path, &size);
    const size_t head = 16 + strlen(header_text(false)) + 4;
    const size_t block = 16 + SHARD_BLOCK_ROWS * shard_row_bytes(RECORD, false) + 4;
    find_end(&is_complete);
    assert_true(is_complete);
    for (size_t cut = head; cut < size; cut += cut % 5 + 1) {
        file_put(path, bytes, cut);
        const ShardPlace place = find_end(&is_complete);
        assert_false(is_complete);
        if (cut < head + block) {
            assert_int_equal(place.rows, 0);
            assert_int_equal(place.position, head);
        } else {
            assert_true(place.rows == SHARD_BLOCK_ROWS || place.rows == ROWS);
        }
        ShardWriter *writer;
        assert_int_equal(shard_writer_resume(&writer, path, &place, &(ShardShape){RECORD, false}),
                         0);
        add_rows(writer, FIRST + (uint32_t)place.rows, FIRST + ROWS, false);
        assert_int_equal(shard_writer_finish(writer, "{\"pairs\":99}"), 0);
        assert_int_equal(read_file(false, &rows), 0);
        assert_int_equal(rows, ROWS);
    }
    free(bytes);
    remove(path);
}

/* One that grows keeps what it has, one that appears complete does not appear. */
CASE(what_is_abandoned)
{
    ShardWriter *writer;
    bool is_complete;
    for (int i = 0; i < 4; i++) {
        const bool discards = i % 2;
        const unsigned n = i < 2 ? 2 : SHARD_BLOCK_ROWS + 2; /* the second time: a finished block */
        assert_int_equal(shard_writer_create(&writer, path, SHARD_GROWS, header_text(false),
                                             &(ShardShape){RECORD, false}),
                         0);
        add_rows(writer, FIRST, FIRST + n, false);
        if (discards)
            shard_writer_discard(writer);
        else
            shard_writer_abandon(writer);
        assert_int_equal(find_end(&is_complete).rows, discards ? 0 : n);
        remove(path);
    }
    assert_int_equal(shard_writer_create(&writer, path, SHARD_APPEARS_COMPLETE, header_text(false),
                                         &(ShardShape){RECORD, false}),
                     0);
    add_rows(writer, FIRST, FIRST + 2, false);
    shard_writer_abandon(writer);
    assert_int_equal(file_count(), 0);
}

enum { MANY = 200000 };

typedef struct Pairs {
    RowKeeper *keeper;
    atomic_uint expected; /* so many */
} Pairs;

/* As a thread of the library does. NULL: all went well. */
static void *take_records(void *argument)
{
    Pairs *pairs = argument;
    for (uint32_t i = 0; i < MANY; i++) {
        unsigned char record[RECORD];
        const VmafStoredFrame frame = {sizeof(frame), FIRST + i, record, RECORD};
        while (atomic_load(&pairs->expected) <= i)
            sched_yield();
        fill(record, frame.index);
        if (frame.index % 3 && row_keeper_take(pairs->keeper, &frame))
            return pairs;
    }
    return NULL;
}

CASE(pairs_and_records_come_from_threads_of_their_own)
{
    ShardWriter *writer;
    Pairs pairs;
    pthread_t thread;
    void *failed;
    uint64_t rows;
    assert_int_equal(shard_writer_create(&writer, path, SHARD_APPEARS_COMPLETE, header_text(false),
                                         &(ShardShape){RECORD, false}),
                     0);
    pairs.keeper = row_keeper_create(writer, RECORD);
    atomic_init(&pairs.expected, 0);
    assert_int_equal(pthread_create(&thread, NULL, take_records, &pairs), 0);
    for (uint32_t index = FIRST; index < FIRST + MANY; index++) {
        const ShardRow row = {.index = index, .time = index % 2 ? NAN : index * 0.04};
        row_keeper_expect(pairs.keeper, &row);
        atomic_fetch_add(&pairs.expected, 1);
    }
    pthread_join(thread, &failed);
    assert_null(failed);
    assert_int_equal(row_keeper_finish(pairs.keeper), 0);
    row_keeper_destroy(pairs.keeper);
    assert_int_equal(shard_writer_finish(writer, "{}"), 0);
    assert_int_equal(read_file(false, &rows), 0);
    assert_int_equal(rows, MANY);
    remove(path);
}

CASE(headers_that_lie_are_refused)
{
    static const char *const headers[] = {
        "[]",
        "{}",
        "{\"row\":{\"bytes\":39,\"record\":24,\"signatures\":false},\"range\":{\"begin\":0}}",
        "{\"row\":{\"bytes\":40,\"record\":-1,\"signatures\":false},\"range\":{\"begin\":0}}",
        "{\"row\":{\"bytes\":40,\"record\":24,\"signatures\":false},\"range\":{}}",
        "{\"row\":{\"bytes\":40,\"record\":24,\"signatures\":false},\"range\":{\"begin\":-1}}",
        ("{\"row\":{\"bytes\":40,\"record\":24,\"signatures\":false},\"range\":{\"begin\":0},"
         "\"range\":{\"begin\":0}}"),
        "{\"row\":{\"bytes\":99999999999,\"record\":99999999983},\"range\":{\"begin\":0}}",
    };
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        ShardWriter *writer;
        ShardReader *reader;
        Message why;
        assert_int_equal(shard_writer_create(&writer, path, SHARD_GROWS, headers[i],
                                             &(ShardShape){RECORD, false}),
                         0);
        assert_int_equal(shard_writer_finish(writer, "{}"), 0);
        assert_int_equal(shard_reader_open(&reader, path, &why), -EBADMSG);
        assert_null(reader);
    }
    remove(path);
}

CASE(ranges_cover_all_pairs_once)
{
    static const unsigned pairs[] = {0, 1, 2, 23, 24, 299, 300, 4294967295u};
    static const unsigned counts[] = {1, 2, 5, 24, 30, 310, 1000000};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
            unsigned next = 0;
            for (unsigned shard = 0; shard < counts[k]; shard++) {
                unsigned begin, end;
                shard_range_cut(pairs[i], shard, counts[k], &begin, &end);
                assert_int_equal(begin, next);
                assert_true(end >= begin && end - begin <= 1ULL + pairs[i] / counts[k]);
                next = end;
            }
            assert_int_equal(next, pairs[i]);
        }
    }
}

CASES_SHARE(program_enter_folder, program_leave_folder);
