/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Shards with right checksums that nobody who can be trusted has written. */
#include "clip.h"
#include "parts.h"
#include "program.h"
#include "report_files.h"
#include "shards/shard_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"

enum { FRAMES = 24 };

static int make_clips(void **state)
{
    if (program_enter_folder(state))
        return -1;
    Clip clip = {.width = 96, .height = 80, .frames = FRAMES};
    clip_write_pair(&clip);
    return 0;
}

static size_t forged_bytes;
static json_t *forged_end; /* while `change` looks at the header */

/* Writes the file anew, with right checksums, after `change` has seen its header and each record.
 */
static void forge(const char *path, void (*change)(json_t *header, unsigned char *record))
{
    Message why;
    ShardReader *reader;
    ShardWriter *writer;
    ShardRow row;
    uint64_t rows;
    assert_int_equal(shard_reader_open(&reader, path, &why), 0);
    assert_int_equal(shard_reader_verify(reader, &rows, &why), 0);
    const ShardShape shape = shard_reader_shape(reader);
    unsigned char *record = malloc(shape.record_bytes);
    forged_bytes = shape.record_bytes;
    assert_non_null(record);
    memset(record, 0, shape.record_bytes);
    forged_end = shard_reader_end(reader);
    change(shard_reader_header(reader), record);
    char *header = json_dumps(shard_reader_header(reader), JSON_COMPACT);
    char *end = json_dumps(shard_reader_end(reader), JSON_COMPACT);
    assert_int_equal(shard_writer_create(&writer, "forged.vmafs", SHARD_GROWS, header, &shape), 0);
    while (shard_reader_next(reader, &row, &why) > 0) {
        memcpy(record, row.record, shape.record_bytes);
        change(NULL, record);
        row.record = record;
        assert_int_equal(shard_writer_add(writer, &row), 0);
    }
    assert_int_equal(shard_writer_finish(writer, end), 0);
    shard_reader_close(reader);
    free(record);
    free(header);
    free(end);
    assert_int_equal(rename("forged.vmafs", path), 0);
}

static void change_version(json_t *header, unsigned char *record)
{
    if (header)
        json_object_set_new(header, "libvmaf", json_string("1.2.3"));
}

static void change_record(json_t *header, unsigned char *record)
{
    if (!header)
        memset(record + 8, 0xff, forged_bytes - 8);
}

static void change_subsampling(json_t *header, unsigned char *record)
{
    if (header)
        json_object_set_new(json_object_get(header, "run"), "subsample", json_integer(0));
}

static void change_layout(json_t *header, unsigned char *record)
{
    if (header)
        json_object_set_new(json_object_get(header, "layout"), "records", json_object());
}

static void change_models(json_t *header, unsigned char *record)
{
    if (header)
        json_object_set_new(json_object_get(header, "run"), "models",
                            json_pack("[{s:s}]", "a", "b"));
}

/* -- files that decide about files -- */

static json_t *first_of(json_t *header, const char *list)
{
    return json_array_get(json_object_get(json_object_get(header, "run"), list), 0);
}

static void change_feature_option(json_t *header, unsigned char *record)
{
    if (header)
        json_array_append_new(json_object_get(first_of(header, "features"), "options"),
                              json_pack("[s,s]", "heatmaps_path", "maps"));
}

static void change_feature_value(json_t *header, unsigned char *record)
{
    if (header)
        json_array_append_new(json_object_get(first_of(header, "features"), "options"),
                              json_pack("[s,s]", "topk", "0.5:heatmaps_path=maps"));
}

static void change_feature_name(json_t *header, unsigned char *record)
{
    if (header)
        json_object_set_new(first_of(header, "features"), "name",
                            json_string("cambi=heatmaps_path=maps"));
}

static void change_overload(json_t *header, unsigned char *record)
{
    if (header)
        json_array_append_new(json_object_get(first_of(header, "models"), "overloads"),
                              json_pack("[s,s,s]", "cambi", "heatmaps_path", "maps"));
}

static void change_version_of_model(json_t *header, unsigned char *record)
{
    if (header)
        json_object_set_new(first_of(header, "models"), "version",
                            json_string("vmaf_v0.6.1:cambi.heatmaps_path=maps"));
}

static void change_model_file(json_t *header, unsigned char *record)
{
    if (!header)
        return;
    json_object_del(first_of(header, "models"), "version");
    json_object_set_new(first_of(header, "models"), "path", json_string("model.json"));
    json_object_set_new(
        first_of(header, "models"), "file",
        json_string("{\"model_dict\": {\"model_type\": \"LIBSVMNUSVR\", \"norm_type\": "
                    "\"linear_rescale\", \"slopes\": [0.012, 0.05], \"intercepts\": [-0.3, "
                    "0.01], \"feature_names\": [\"Cambi_feature_cambi_score\"], "
                    "\"feature_opts_dicts\": [{\"heatmaps_path\": \"maps\"}], \"model\": "
                    "\"svm_type nu_svr\\nkernel_type rbf\\ngamma 0.5\\nnr_class 2\\ntotal_sv "
                    "1\\nrho -50\\nSV\\n1 1:0.5\\n\"}}"));
}

static json_t *cambi_of(json_t *header)
{
    const json_t *records = json_object_get(json_object_get(header, "layout"), "records");
    for (size_t i = 0; i < json_array_size(records); i++) {
        json_t *record = json_array_get(records, i);
        if (!strcmp(json_string_value(json_object_get(record, "feature")), "cambi"))
            return record;
    }
    fail_msg("there is no record of cambi");
    return NULL;
}

static void change_cambi(json_t *header, unsigned char *record)
{
    if (header)
        json_object_set_new(json_object_get(cambi_of(header), "options"), "heatmaps_path",
                            json_string("maps"));
}

static void change_layout_name(json_t *header, unsigned char *record)
{
    if (header)
        json_object_set_new(cambi_of(header), "feature", json_string("cambi=heatmaps_path=maps"));
}

static void large_shard(void)
{
    do_words("large-ref.y4m large-dis.y4m --feature cambi --shard 0/1 -o part-0.vmafs");
}

/* Whoever reads the records of others has no file written that they name. */
CASE(nothing_in_a_file_names_files)
{
    static const struct {
        void (*change)(json_t *header, unsigned char *record);
        const char *says;
    } cases[] = {
        {change_feature_option, "its header is wrong: models or features"},
        {change_feature_value, "its header is wrong: models or features"},
        {change_feature_name, "its header is wrong: models or features"},
        {change_overload, "its header is wrong: models or features"},
        {change_version_of_model, "its header is wrong: models or features"},
        {change_model_file, "has no records of cambi:heatmaps_path=maps"},
        {change_cambi, "its header is wrong: an option names files"},
        {change_layout_name, "has no records of cambi"},
    };
    Clip clip = {.width = 240, .height = 216, .frames = 2};
    clip_write(&clip, "large-ref.y4m");
    clip.distorted = true;
    clip_write(&clip, "large-dis.y4m");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        large_shard();
        forge("part-0.vmafs", cases[i].change);
        expect_rejection("part-0.vmafs", cases[i].says);
        const unsigned before = file_count();
        Run run = run_words("rescore part-0.vmafs --all -o other.json");
        remove("other.json"); /* a model that is not used harms nobody */
        assert_int_equal(file_count(), before);
        run_free(&run);
    }
    remove_shards(1);
}

/* Heat maps are written by the run that was asked for them, and by no other. */
CASE(records_hold_no_files)
{
    static const char run[] = "large-ref.y4m large-dis.y4m --feature cambi=heatmaps_path=maps";
    do_words("%s --keep-records run.vmafs", run);
    assert_true(file_exists("maps/cambi_heatmap_scale_0_240x216_16b.gray"));
    assert_int_equal(system("rm -r maps"), 0);
    do_words("%s --shard 0/1 -o part-0.vmafs -q", run);
    static const char *const files[] = {"run.vmafs", "part-0.vmafs"};
    for (unsigned i = 0; i < 2; i++) {
        do_words("large-ref.y4m large-dis.y4m --feature cambi -o whole.csv");
        do_words("merge %s -o other.csv", files[i]);
        expect_equal_reports("other.csv", "whole.csv");
        expect_status(
            run_words("rescore %s --feature cambi=heatmaps_path=maps -o no.csv", files[i]), 234,
            "has no records of cambi:heatmaps_path=maps");
    }
    expect_status(run_words("%s --resume run.vmafs -o no.csv", run), 234,
                  "has no records of cambi:heatmaps_path=maps");
    expect_status(run_words("%s --shard 0/1 -o part-0.vmafs", run), 0, "heatmaps_path of cambi");
    assert_false(file_exists("maps"));
    remove("run.vmafs");
    remove_shards(1);
}

/* -- files that write reports -- */

static json_t *reported(json_t *header)
{
    return json_object_get(json_object_get(json_object_get(header, "input"), "distorted"),
                           "report");
}

static void change_report_to_text(json_t *header, unsigned char *record)
{
    if (header)
        json_object_set_new(
            json_object_get(json_object_get(header, "input"), "distorted"), "report",
            json_string("}, \"notes\": []}, \"pooled_metrics\": {\"vmaf\": {\"mean\": "
                        "100}}, \"rest\": {\"rest\": {\"rest\": 0"));
}

static void change_report_member(json_t *header, unsigned char *record)
{
    if (header)
        json_object_set_new(reported(header), "vmaf", json_real(100));
}

static void change_report_type(json_t *header, unsigned char *record)
{
    if (header)
        json_object_set_new(reported(header), "width", json_string("1}, \"vmaf\": {"));
}

static void change_report_light(json_t *header, unsigned char *record)
{
    if (header)
        json_object_set_new(reported(header), "content_light", json_pack("{s:i}", "mean", 100));
}

static void change_clock(json_t *header, unsigned char *record)
{
    if (header)
        json_object_set_new(header, "clock_passed_over", json_integer(-1));
}

CASE(what_a_file_says_of_videos_is_checked)
{
    static void (*const changes[])(json_t * header, unsigned char *record) = {
        change_report_to_text, change_report_member, change_report_type,
        change_report_light,   change_clock,         change_subsampling,
    };
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        do_words("ref.y4m dis.y4m --shard 0/1 -o part-0.vmafs");
        forge("part-0.vmafs", changes[i]);
        expect_rejection("part-0.vmafs", "part-0.vmafs: its header is wrong");
    }
    remove_shards(1);
}

/* -- files that do not belong together -- */

static void change_pairs(json_t *header, unsigned char *record)
{
    if (!header)
        return;
    json_object_set_new(json_object_get(header, "run"), "pairs", json_integer(FRAMES - 1));
    json_object_set_new(forged_end, "pairs", json_integer(FRAMES - 1));
}

static void change_start(json_t *header, unsigned char *record)
{
    if (header)
        json_object_set_new(header, "clock_passed_over", json_integer(5));
}

CASE(a_part_ends_with_its_run_and_begins_as_the_others)
{
    do_words("ref.y4m dis.y4m --shard 0/1 -o part-0.vmafs");
    forge("part-0.vmafs", change_pairs);
    expect_rejection("part-0.vmafs", "part-0.vmafs: it has other frames than it says");
    make_shards("ref.y4m dis.y4m", 2);
    forge("part-1.vmafs", change_start);
    expect_rejection("part-0.vmafs part-1.vmafs",
                     "belongs to another run than part-0.vmafs: other start");
    remove_shards(2);
}

/* Checksums are right, but nobody who can be trusted has written it. */
CASE(forged_files_are_refused)
{
    do_words("ref.y4m dis.y4m --shard 0/1 -o part-0.vmafs");
    forge("part-0.vmafs", change_version);
    expect_rejection("part-0.vmafs", "part-0.vmafs: libvmaf 1.2.3 has made it");
    do_words("ref.y4m dis.y4m --shard 0/1 -o part-0.vmafs");
    forge("part-0.vmafs", change_record);
    const unsigned before = file_count();
    Run run = run_words("merge part-0.vmafs -o other.json -o other.ndjson");
    assert_int_equal(run.status, 234);
    assert_non_null(strstr(run.err, "part-0.vmafs: frame 0 cannot be used"));
    assert_int_equal(file_count(), before);
    run_free(&run);
    do_words("ref.y4m dis.y4m --shard 0/1 -o part-0.vmafs");
    forge("part-0.vmafs", change_layout);
    run = run_words("merge part-0.vmafs -o other.json");
    assert_int_equal(run.status, 234);
    assert_int_equal(file_count(), before);
    run_free(&run);
    do_words("ref.y4m dis.y4m --shard 0/1 -o part-0.vmafs");
    forge("part-0.vmafs", change_models);
    expect_rejection("part-0.vmafs", "part-0.vmafs: its header is wrong");
    remove_shards(1);
}

CASES_SHARE(make_clips, program_leave_folder);
