/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "shards/shard_info.h"

#include "common/messages.h"
#include "exit_status.h"
#include "shards/json_text.h"
#include "shards/shard_header.h"
#include "shards/shard_reader.h"
#include "shards/stored_run.h"
#include "standard_output.h"

#include <errno.h>

static void print_row(const char *name, const char *value)
{
    print_line(stdout, "%-12s %s", name, value ? value : "unknown");
}

static void print_choice(const json_t *run)
{
    const json_t *models = json_object_get(run, "models");
    for (size_t i = 0; i < json_array_size(models); i++) {
        const json_t *model = json_array_get(models, i);
        const char *version = json_text_get(model, "version");
        print_row("model", version ? version : json_text_get(model, "path"));
    }
    const json_t *features = json_object_get(run, "features");
    for (size_t i = 0; i < json_array_size(features); i++)
        print_row("feature", json_text_get(json_array_get(features, i), "name"));
}

static void print_video(const json_t *header, const char *role)
{
    const json_t *video = json_object_get(json_object_get(header, "input"), role);
    const json_t *bytes = json_object_get(video, "bytes");
    const char *name = json_text_get(video, "name");
    if (json_is_integer(bytes))
        print_line(stdout, "%-12s %s, %lld bytes", role, name ? name : "unknown",
                   (long long)json_integer_value(bytes));
    else
        print_row(role, name);
    if (json_text_get(video, "sha256"))
        print_row("  SHA-256", json_text_get(video, "sha256"));
}

static void print_records(const json_t *header)
{
    const json_t *records = json_object_get(json_object_get(header, "layout"), "records");
    for (size_t i = 0; i < json_array_size(records); i++) {
        const json_t *record = json_array_get(records, i);
        const char *feature = json_text_get(record, "feature");
        char *options = json_dumps(json_object_get(record, "options"), JSON_COMPACT);
        print_line(stdout, "%-12s %s %s", "record", feature ? feature : "unknown",
                   options ? options : "");
        free(options);
    }
}

static void print_frames(const ShardAbout *about)
{
    if (about->is_whole)
        print_line(stdout, "%-12s all %u", "frames", about->pairs);
    else if (about->begin == about->end)
        print_line(stdout, "%-12s none of %u, shard %u/%u", "frames", about->pairs, about->shard,
                   about->n_shards);
    else
        print_line(stdout, "%-12s %u to %u of %u, shard %u/%u", "frames", about->begin,
                   about->end - 1, about->pairs, about->shard, about->n_shards);
}

static int print_part(const char *path, Message *why)
{
    ShardReader *reader;
    ShardAbout about;
    uint64_t rows = 0;
    int err = shard_reader_open(&reader, path, why);
    if (!err)
        err = shard_reader_verify(reader, &rows, why);
    if (!err)
        err = shard_header_about(shard_reader_header(reader), shard_reader_end(reader), rows, path,
                                 &about, why);
    if (!err) {
        const json_t *header = shard_reader_header(reader);
        print_row("file", path);
        print_row("libvmaf", json_text_get(header, "libvmaf"));
        print_frames(&about);
        print_row("computed by", json_text_get(shard_reader_end(reader), "computed_by"));
        print_video(header, "reference");
        print_video(header, "distorted");
        print_choice(json_object_get(header, "run"));
        print_records(header);
    }
    shard_reader_close(reader);
    return err;
}

int shard_info_print(const char *const paths[], unsigned count)
{
    int status = STATUS_OK;
    for (unsigned i = 0; i < count; i++) {
        Message why;
        const int err = print_part(paths[i], &why);
        if (err)
            status = stored_run_refuse(&why, err);
        else if (i + 1 < count)
            print_line(stdout, "%s", "");
    }
    const int written = standard_output_finish();
    return status ? status : written;
}
