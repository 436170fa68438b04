/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A merge of 1,000 shards of 1,000 frames: its processor time and memory. The shards repeat the
 * records of a short clip. */
#include "clip.h"
#include "parts.h"
#include "program.h"
#include "shards/shard_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "support/cases.h"

enum { CLIP = 25, SHARDS = 1000, EACH = 1000, PAIRS = SHARDS * EACH };
enum { MOST_SECONDS = 10, MOST_KILOBYTES = 200 * 1024 };

typedef struct Source {
    json_t *header;
    ShardShape shape;
    unsigned char *records[CLIP];
} Source;

static void read_source(Source *source)
{
    Message why;
    ShardReader *reader;
    ShardRow row;
    uint64_t rows;
    clip_write(&(Clip){.width = 64, .height = 48, .frames = CLIP}, "ref.y4m");
    clip_write(&(Clip){.width = 64, .height = 48, .frames = CLIP, .distorted = true}, "dis.y4m");
    do_words("ref.y4m dis.y4m --shard 0/1 -o source.vmafs");
    assert_int_equal(shard_reader_open(&reader, "source.vmafs", &why), 0);
    assert_int_equal(shard_reader_verify(reader, &rows, &why), 0);
    assert_int_equal(rows, CLIP);
    source->header = json_deep_copy(shard_reader_header(reader));
    source->shape = shard_reader_shape(reader);
    for (unsigned i = 0; i < CLIP; i++) {
        assert_int_equal(shard_reader_next(reader, &row, &why), 1);
        source->records[i] = malloc(source->shape.record_bytes);
        assert_non_null(source->records[i]);
        memcpy(source->records[i], row.record, source->shape.record_bytes);
    }
    shard_reader_close(reader);
}

static char *header_of(const Source *source, unsigned shard)
{
    json_t *range = json_object_get(source->header, "range");
    json_object_set_new(range, "begin", json_integer((json_int_t)shard * EACH));
    json_object_set_new(range, "end", json_integer((json_int_t)(shard + 1) * EACH));
    json_object_set_new(range, "shard", json_integer(shard));
    json_object_set_new(range, "shards", json_integer(SHARDS));
    json_object_set_new(json_object_get(source->header, "run"), "pairs", json_integer(PAIRS));
    return json_dumps(source->header, JSON_COMPACT);
}

static void write_shard(const Source *source, unsigned shard)
{
    ShardWriter *writer;
    char path[32], end[128], *header = header_of(source, shard);
    snprintf(path, sizeof(path), "part-%u.vmafs", shard);
    snprintf(end, sizeof(end), "{\"pairs\":%d,\"ended_first\":null,\"notes\":[]}", PAIRS);
    assert_int_equal(shard_writer_create(&writer, path, SHARD_GROWS, header, &source->shape), 0);
    for (unsigned i = shard * EACH; i < (shard + 1) * EACH; i++) {
        const ShardRow row = {.index = i, .record = source->records[i % CLIP]};
        assert_int_equal(shard_writer_add(writer, &row), 0);
    }
    assert_int_equal(shard_writer_finish(writer, end), 0);
    free(header);
}

/* Processor time of the programs that have ended. */
static double seconds(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static void merge_to(const char *report)
{
    static char names[32 * SHARDS];
    static const char *words[SHARDS + 4];
    size_t used = 0;
    unsigned n = 0;
    words[n++] = "merge";
    for (unsigned i = 0; i < SHARDS; i++) {
        words[n++] = names + used;
        used += (size_t)snprintf(names + used, sizeof(names) - used, "part-%u.vmafs", i) + 1;
    }
    words[n++] = "-o";
    words[n++] = report;
    words[n] = NULL;
    const double before = seconds();
    Run run = program_run_fed(":", words);
    const double took = seconds() - before;
    printf("%s: %.2f s, %ld KiB\n", report, took, run.peak_kilobytes);
    assert_int_equal(run.status, 0);
    assert_true(run.peak_kilobytes < MOST_KILOBYTES);
    assert_true(took < MOST_SECONDS);
    run_free(&run);
    assert_true(file_exists(report));
}

CASE(a_thousand_shards_of_a_thousand_frames)
{
    Source source;
    read_source(&source);
    for (unsigned i = 0; i < SHARDS; i++)
        write_shard(&source, i);
    merge_to("whole.csv");
    merge_to("whole.json");
    char *report = file_content("whole.csv");
    assert_int_equal(occurrences(report, "\n"), PAIRS + 1);
    free(report);
    for (unsigned i = 0; i < CLIP; i++)
        free(source.records[i]);
    json_decref(source.header);
}

CASES_SHARE(program_enter_folder, program_leave_folder);
