/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Shards of a run, and their merge: the reports are those of the run at once, byte for byte. */
#include "clip.h"
#include "parts.h"
#include "platform/file.h"
#include "program.h"
#include "report_files.h"
#include "shards/shard_reader.h"
#include "shards/shard_writer.h"
#include "support/sha256.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cases.h"

enum { FRAMES = 24 };

/* With a sanitizer each start of the program takes half a second: then a part of the variants. */
#ifdef VMAF_SANITIZED
enum { STEP = 5 };
#else
enum { STEP = 1 };
#endif

static int make_clips(void **state)
{
    if (program_enter_folder(state))
        return -1;
    Clip clip = {.width = 96, .height = 80, .frames = FRAMES};
    clip_write_pair(&clip);
    clip.frames = FRAMES - 3;
    clip_write(&clip, "short.y4m");
    clip.cut = 100;
    clip_write(&clip, "cut.y4m");
    clip = (Clip){.width = 96, .height = 80, .frames = 1};
    clip_write(&clip, "ref1.y4m");
    clip.distorted = true;
    clip_write(&clip, "dis1.y4m");
    clip = (Clip){.width = 96, .height = 80, .frames = FRAMES, .raw = true};
    clip_write(&clip, "ref.yuv");
    clip.distorted = true;
    clip_write(&clip, "dis.yuv");
    clip = (Clip){.width = 64, .height = 64, .frames = 5, .frame_header = "FRAME Ixyz\n"};
    clip_write(&clip, "headers.y4m");
    clip = (Clip){.width = 64, .height = 64, .frames = 7, .tag = "420p10"};
    clip_write(&clip, "deep.y4m");
    return 0;
}

/* -- equal reports -- */

static void any_number_of_shards_gives_the_report_of_the_run(void **state)
{
    (void)state;
    static const unsigned counts[] = {1, 2, 5, 23, 24, 30};
    static const char run[] = "ref.y4m dis.y4m --feature psnr";
    score_whole(run);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i += STEP) {
        make_shards(run, counts[i]);
        expect_whole("merge", part_names(counts[i]), "");
        expect_whole("merge", part_names(counts[i]), "--threads 1");
        remove_shards(counts[i]);
    }
    remove_whole();
}

static void several_models_and_a_collection(void **state)
{
    (void)state;
    expect_same_in_shards("ref.y4m dis.y4m -m version=vmaf_v0.6.1:name=a "
                          "-m version=vmaf_v0.6.1neg:name=b:disable_clip -m "
                          "version=vmaf_b_v0.6.3:name=c -m "
                          "version=vmaf_v0.6.1:name=d:enable_transform",
                          5);
}

static void an_overload_of_a_model(void **state)
{
    (void)state;
    expect_same_in_shards(
        "ref.y4m dis.y4m -m version=vmaf_v0.6.1:vif.vif_enhn_gain_limit=1.0:name=x", 3);
}

static void features_that_look_at_neighbours(void **state)
{
    (void)state;
    static const char *const runs[] = {
        "ref.y4m dis.y4m -n --feature motion",
        "ref.y4m dis.y4m -n --feature motion=motion_five_frame_window=true",
        "ref.y4m dis.y4m -n --feature motion=motion_moving_average=true",
        "ref.y4m dis.y4m -n --feature motion=motion_max_val=3",
        ("ref.y4m dis.y4m -n --feature "
         "motion=motion_five_frame_window=true:motion_moving_average=true:motion_max_val=5"),
        "ref.y4m dis.y4m -n --feature float_motion",
        "ref.y4m dis.y4m -n --feature float_motion --feature motion --feature ciede",
        "ref.y4m dis.y4m -n --feature speed_temporal --feature psnr",
    };
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
        expect_same_in_shards(runs[i], 7);
}

static void squares_are_summed_over_the_run(void **state)
{
    (void)state;
    expect_same_in_shards("ref.y4m dis.y4m -n --feature psnr=enable_apsnr=true", 5);
}

static void subsampling_counts_from_the_first_frame_of_the_run(void **state)
{
    (void)state;
    expect_same_in_shards("ref.y4m dis.y4m --subsample 3 --feature psnr=enable_apsnr=true", 5);
    expect_same_in_shards("ref.y4m dis.y4m --subsample 3 --feature psnr", 24);
    expect_same_in_shards("ref.y4m dis.y4m -n --subsample 5 --feature motion --feature "
                          "speed_temporal",
                          9);
}

static void streams_of_one_frame(void **state)
{
    (void)state;
    expect_same_in_shards("ref1.y4m dis1.y4m --feature psnr=enable_apsnr=true", 1);
    expect_same_in_shards("ref1.y4m dis1.y4m --feature speed_temporal", 4);
    expect_same_in_shards("ref.y4m dis.y4m --frames 1", 3);
}

static void frames_that_are_passed_over(void **state)
{
    (void)state;
    expect_same_in_shards("ref.y4m dis.y4m --frame_skip_ref 3 --frame_skip_dist 3 --frames 11", 4);
    expect_same_in_shards("ref.y4m dis.y4m --frame_skip_ref 2", 4);
}

static void the_shorter_video_ends_the_run(void **state)
{
    (void)state;
    static const char run[] = "ref.y4m short.y4m";
    run_free(&(Run[]){run_words("%s -o whole.csv", run)}[0]);
    make_shards(run, 4);
    do_words("merge %s -o other.csv", part_names(4));
    expect_equal_reports("other.csv", "whole.csv");
    remove_shards(4);
}

/* Only pages say which it was. */
static void the_page_names_the_shorter_video(void **state)
{
    (void)state;
    static const char *const runs[] = {"ref.y4m short.y4m", "short.y4m ref.y4m"};
    static const char *const says[] = {"The distorted video has fewer frames than the other",
                                       "The reference video has fewer frames than the other"};
    for (unsigned i = 0; i < 2; i++) {
        run_free(&(Run[]){run_words("%s --keep-records run.vmafs", runs[i])}[0]);
        run_free(&(Run[]){run_words("%s --resume run.vmafs -o resumed.html", runs[i])}[0]);
        make_shards(runs[i], 2);
        do_words("merge %s -o merged.html", part_names(2));
        do_words("merge run.vmafs -o records.html");
        static const char *const pages[] = {"resumed.html", "merged.html", "records.html"};
        for (unsigned p = 0; p < 3; p++) {
            char *page = take_report(pages[p]);
            assert_non_null(strstr(page, says[i]));
            assert_null(strstr(page, says[!i]));
            free(page);
        }
        remove_shards(2);
        remove("run.vmafs");
    }
}

static void raw_video(void **state)
{
    (void)state;
    expect_same_in_shards("ref.yuv dis.yuv -w 96 -h 80 -p 420 -b 8 --feature psnr", 5);
}

static void deep_video(void **state)
{
    (void)state;
    expect_same_in_shards("deep.y4m deep.y4m", 3);
}

/* Their place is not known by their size. */
static void headers_of_frames_that_say_something(void **state)
{
    (void)state;
    expect_same_in_shards("headers.y4m headers.y4m", 3);
}

/* Three frames, of which one has a header so long that they are as many bytes as four. */
static void write_uneven(const char *path)
{
    enum { PLAIN = 6 + 64 * 32 * 3 / 2 };
    size_t size;
    unsigned char *bytes = clip_make(&(Clip){.width = 64, .height = 32, .frames = 3}, &size);
    const size_t second = size - 2 * PLAIN;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(bytes, 1, second, file);
    fprintf(file, "FRAME X%0*d", PLAIN - 2, 0);
    fwrite(bytes + second + 5, 1, size - second - 5, file);
    assert_int_equal(fclose(file), 0);
    free(bytes);
}

static void headers_of_different_sizes_are_refused(void **state)
{
    (void)state;
    clip_write(&(Clip){.width = 64, .height = 32, .frames = 4}, "even.y4m");
    write_uneven("uneven.y4m");
    static const char *const videos[] = {"uneven.y4m even.y4m", "even.y4m uneven.y4m"};
    for (int i = 0; i < 2; i++) {
        do_words("%s -n --feature psnr -q", videos[i]);
        expect_status(run_words("%s -n --feature psnr --shard 1/4 -o a.vmafs", videos[i]), 234,
                      "uneven.y4m: its frames have headers of different sizes");
        assert_false(file_exists("a.vmafs"));
    }
}

static void what_only_reports_need_is_said_at_the_merge(void **state)
{
    (void)state;
    do_words("ref.y4m dis.y4m -o whole.json --pool p1,median --precision max");
    make_shards("ref.y4m dis.y4m", 3);
    do_words("merge %s -o other.json --pool p1,median --precision max", part_names(3));
    expect_equal_reports("other.json", "whole.json");
    expect_status(run_words("merge %s -o other.json --require vmaf.mean>=99.9", part_names(3)), 3,
                  "required vmaf.mean>=99.9");
    assert_true(file_exists("other.json"));
    remove("other.json");
    do_words("merge %s -o page.html", part_names(3));
    char *page = take_report("page.html");
    assert_non_null(strstr(page, "<html"));
    free(page);
    remove_shards(3);
}

static void write_model(const char *path, double rho)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(
        file,
        "{\"model_dict\": {\"model_type\": \"LIBSVMNUSVR\", \"norm_type\": "
        "\"linear_rescale\", \"slopes\": [0.012, 0.05], \"intercepts\": [-0.3, 0.01], "
        "\"feature_names\": [\"VMAF_integer_feature_motion2_score\"], \"model\": "
        "\"svm_type nu_svr\\nkernel_type rbf\\ngamma 0.5\\nnr_class 2\\ntotal_sv 1\\nrho %g\\nSV\\n"
        "1 1:0.5\\n\"}}",
        rho);
    assert_int_equal(fclose(file), 0);
}

/* The file may change, or be gone, before the merge. */
static void model_files_go_with_the_shards(void **state)
{
    (void)state;
    write_model("model.json", -50);
    score_whole("ref.y4m dis.y4m -m path=model.json");
    make_shards("ref.y4m dis.y4m -m path=model.json", 2);
    write_model("model.json", -60);
    expect_whole("merge", part_names(2), "");
    do_words("ref.y4m dis.y4m -m path=model.json --shard 1/2 -o part-1.vmafs");
    expect_status(run_words("merge %s -o other.json", part_names(2)), 234, "other models");
    remove("model.json");
    remove_shards(2);
    remove_whole();
}

static void a_signature_of_each_frame_lets_the_merge_look_whether_they_line_up(void **state)
{
    (void)state;
    make_shards("ref.y4m dis.y4m --align check", 2);
    do_words("merge %s -o other.csv", part_names(2));
    remove("other.csv");
    remove_shards(2);
}

/* -- what is refused -- */

static void expect_refusal(const char *files, const char *says)
{
    const unsigned before = file_count();
    expect_status(run_words("merge %s -o other.json -o other.ndjson", files), 234, says);
    assert_int_equal(file_count(), before);
}

static void gaps_and_overlaps_are_refused(void **state)
{
    (void)state;
    make_shards("ref.y4m dis.y4m", 4);
    expect_refusal("part-0.vmafs part-1.vmafs part-3.vmafs", "no part has frames 12 to 17");
    expect_refusal("part-1.vmafs part-2.vmafs part-3.vmafs", "no part has frames 0 to 5");
    expect_refusal("part-0.vmafs part-1.vmafs part-2.vmafs", "no part has frames 18 to 23");
    expect_refusal("part-0.vmafs part-1.vmafs part-1.vmafs part-2.vmafs part-3.vmafs",
                   "part-1.vmafs and part-1.vmafs have the same frames");
    do_words("ref.y4m dis.y4m --shard 1/3 -o x.vmafs");
    expect_refusal("part-0.vmafs part-1.vmafs x.vmafs part-2.vmafs part-3.vmafs",
                   "have the same frames, from 8 on");
    /* A lost shard can be made anew in smaller ones. */
    do_words("ref.y4m dis.y4m -o whole.csv");
    do_words("ref.y4m dis.y4m --shard 4/8 -o x.vmafs");
    do_words("ref.y4m dis.y4m --shard 5/8 -o y.vmafs");
    do_words("merge part-0.vmafs part-1.vmafs x.vmafs y.vmafs part-3.vmafs -o other.csv");
    expect_equal_reports("other.csv", "whole.csv");
    remove("x.vmafs");
    remove("y.vmafs");
    remove_shards(4);
}

static void parts_of_other_runs_are_refused(void **state)
{
    (void)state;
    static const char *const others[][2] = {
        {"ref.y4m dis.y4m -m version=vmaf_v0.6.1neg", "models"},
        {"ref.y4m dis.y4m -m version=vmaf_v0.6.1:name=b", "models"},
        {"ref.y4m dis.y4m --feature psnr", "features"},
        {"ref.y4m dis.y4m -n --feature psnr", "other"},
        {"ref.y4m dis.y4m --subsample 2", "subsample"},
        {"ref.y4m dis.y4m --frames 23", "pairs"},
        {"ref.y4m dis.y4m --align check", "align"},
        {"ref.y4m short.y4m", "pairs"},
        {"ref.yuv dis.yuv -w 96 -h 80 -p 420 -b 8", "another reference video"},
    };
    do_words("ref.y4m dis.y4m --shard 0/2 -o part-0.vmafs");
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        run_free(&(Run[]){run_words("%s --shard 1/2 -o part-1.vmafs", others[i][0])}[0]);
        expect_refusal("part-0.vmafs part-1.vmafs", others[i][1]);
        expect_refusal("part-0.vmafs part-1.vmafs", "part-1.vmafs");
    }
    remove_shards(2);
}

/* Names are for people. */
static void videos_may_have_other_names(void **state)
{
    (void)state;
    assert_int_equal(symlink("dis.y4m", "other-name.y4m"), 0);
    do_words("ref.y4m dis.y4m -o whole.json");
    do_words("ref.y4m dis.y4m --shard 0/2 -o part-0.vmafs");
    do_words("ref.y4m other-name.y4m --shard 1/2 -o part-1.vmafs");
    do_words("merge part-0.vmafs part-1.vmafs -o other.json");
    expect_equal_reports("other.json", "whole.json");
    remove("other-name.y4m");
    remove_shards(2);
}

static unsigned char *load(const char *path, size_t *size)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    *size = (size_t)status.st_size;
    unsigned char *bytes = malloc(*size + 1);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void store(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* test_shard_file.c tries every byte. */
/* One sample of the last frame of dis.y4m differs. */
static void write_changed_video(const char *name)
{
    const Clip clip = {.width = 96, .height = 80, .frames = FRAMES, .distorted = true};
    clip_write(&clip, name);
    FILE *file = fopen(name, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, -1, SEEK_END), 0);
    const int last = fgetc(file);
    assert_int_equal(fseek(file, -1, SEEK_END), 0);
    assert_int_equal(fputc(last ^ 1, file), last ^ 1);
    assert_int_equal(fclose(file), 0);
}

static void with_hashes_videos_that_are_alike_are_told_apart(void **state)
{
    (void)state;
    write_changed_video("alike.y4m");
    do_words("ref.y4m dis.y4m -o whole.json");
    do_words("ref.y4m dis.y4m --sha256 --shard 0/2 -o part-0.vmafs");
    do_words("ref.y4m dis.y4m --sha256 --shard 1/2 -o part-1.vmafs");
    do_words("merge part-0.vmafs part-1.vmafs -o other.json");
    expect_equal_reports("other.json", "whole.json");
    remove("other.json"); /* so that nothing is there to be taken for a report */
    static const char *const others[][2] = {
        {"ref.y4m alike.y4m --sha256", "another distorted video than part-0.vmafs: other sha256"},
        {"alike.y4m dis.y4m --sha256", "another reference video than part-0.vmafs: other sha256"},
        {"ref.y4m dis.y4m", "another reference video than part-0.vmafs: other sha256"},
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        do_words("%s --shard 1/2 -o part-1.vmafs", others[i][0]);
        expect_refusal("part-0.vmafs part-1.vmafs", others[i][1]);
        expect_refusal("part-1.vmafs part-0.vmafs", "other sha256");
    }
    remove("alike.y4m");
    remove_shards(2);
}

static void info_tells_the_hash_of_a_video(void **state)
{
    (void)state;
    size_t size;
    char hex[SHA256_HEX_SIZE], *content;
    assert_int_equal(vmaf_file_load("dis.y4m", 1 << 24, &content, &size), 0);
    sha256_hex(content, size, hex); /* which is not the program's */
    free(content);
    do_words("ref.y4m dis.y4m --sha256 --shard 0/2 -o part-0.vmafs");
    Run run = run_words("merge part-0.vmafs --info");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, hex));
    run_free(&run);
    remove("part-0.vmafs");
}

static void damage_is_one_line_and_nothing_is_written(void **state)
{
    (void)state;
    make_shards("ref.y4m dis.y4m", 2);
    size_t size;
    unsigned char *bytes = load("part-1.vmafs", &size);
    for (unsigned i = 0; i < 20; i += STEP) {
        const size_t at = i * (size - 1) / 19;
        bytes[at] ^= 0x10;
        store("part-1.vmafs", bytes, size);
        bytes[at] ^= 0x10;
        const unsigned before = file_count();
        Run run = run_words("merge part-0.vmafs part-1.vmafs -o other.json -o other.ndjson");
        assert_int_equal(run.status, 234);
        assert_int_equal(occurrences(run.err, "\n"), 1);
        assert_non_null(strstr(run.err, "part-1.vmafs: "));
        assert_int_equal(file_count(), before);
        run_free(&run);
        store("part-1.vmafs", bytes, at);
        expect_refusal("part-0.vmafs part-1.vmafs", "part-1.vmafs: ");
    }
    free(bytes);
    expect_refusal("ref.y4m", "ref.y4m: it is no file of stored records");
    expect_refusal("none.vmafs", "none.vmafs: No such file or directory");
    expect_refusal(".", ".: it is no file");
    remove_shards(2);
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
    (void)record;
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
    (void)record;
    if (header)
        json_object_set_new(json_object_get(header, "run"), "subsample", json_integer(0));
}

static void change_layout(json_t *header, unsigned char *record)
{
    (void)record;
    if (header)
        json_object_set_new(json_object_get(header, "layout"), "records", json_object());
}

static void change_models(json_t *header, unsigned char *record)
{
    (void)record;
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
    (void)record;
    if (header)
        json_array_append_new(json_object_get(first_of(header, "features"), "options"),
                              json_pack("[s,s]", "heatmaps_path", "maps"));
}

static void change_feature_value(json_t *header, unsigned char *record)
{
    (void)record;
    if (header)
        json_array_append_new(json_object_get(first_of(header, "features"), "options"),
                              json_pack("[s,s]", "topk", "0.5:heatmaps_path=maps"));
}

static void change_feature_name(json_t *header, unsigned char *record)
{
    (void)record;
    if (header)
        json_object_set_new(first_of(header, "features"), "name",
                            json_string("cambi=heatmaps_path=maps"));
}

static void change_overload(json_t *header, unsigned char *record)
{
    (void)record;
    if (header)
        json_array_append_new(json_object_get(first_of(header, "models"), "overloads"),
                              json_pack("[s,s,s]", "cambi", "heatmaps_path", "maps"));
}

static void change_version_of_model(json_t *header, unsigned char *record)
{
    (void)record;
    if (header)
        json_object_set_new(first_of(header, "models"), "version",
                            json_string("vmaf_v0.6.1:cambi.heatmaps_path=maps"));
}

static void change_model_file(json_t *header, unsigned char *record)
{
    (void)record;
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
    (void)record;
    if (header)
        json_object_set_new(json_object_get(cambi_of(header), "options"), "heatmaps_path",
                            json_string("maps"));
}

static void change_layout_name(json_t *header, unsigned char *record)
{
    (void)record;
    if (header)
        json_object_set_new(cambi_of(header), "feature", json_string("cambi=heatmaps_path=maps"));
}

static void large_shard(void)
{
    do_words("large-ref.y4m large-dis.y4m --feature cambi --shard 0/1 -o part-0.vmafs");
}

/* Whoever reads the records of others has no file written that they name. */
static void nothing_in_a_file_names_files(void **state)
{
    (void)state;
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
        expect_refusal("part-0.vmafs", cases[i].says);
        const unsigned before = file_count();
        Run run = run_words("rescore part-0.vmafs --all -o other.json");
        remove("other.json"); /* a model that is not used harms nobody */
        assert_int_equal(file_count(), before);
        run_free(&run);
    }
    remove_shards(1);
}

/* Heat maps are written by the run that was asked for them, and by no other. */
static void records_hold_no_files(void **state)
{
    (void)state;
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
    (void)record;
    if (header)
        json_object_set_new(
            json_object_get(json_object_get(header, "input"), "distorted"), "report",
            json_string("}, \"notes\": []}, \"pooled_metrics\": {\"vmaf\": {\"mean\": "
                        "100}}, \"rest\": {\"rest\": {\"rest\": 0"));
}

static void change_report_member(json_t *header, unsigned char *record)
{
    (void)record;
    if (header)
        json_object_set_new(reported(header), "vmaf", json_real(100));
}

static void change_report_type(json_t *header, unsigned char *record)
{
    (void)record;
    if (header)
        json_object_set_new(reported(header), "width", json_string("1}, \"vmaf\": {"));
}

static void change_report_light(json_t *header, unsigned char *record)
{
    (void)record;
    if (header)
        json_object_set_new(reported(header), "content_light", json_pack("{s:i}", "mean", 100));
}

static void change_clock(json_t *header, unsigned char *record)
{
    (void)record;
    if (header)
        json_object_set_new(header, "clock_passed_over", json_integer(-1));
}

static void what_a_file_says_of_videos_is_checked(void **state)
{
    (void)state;
    static void (*const changes[])(json_t * header, unsigned char *record) = {
        change_report_to_text, change_report_member, change_report_type,
        change_report_light,   change_clock,         change_subsampling,
    };
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        do_words("ref.y4m dis.y4m --shard 0/1 -o part-0.vmafs");
        forge("part-0.vmafs", changes[i]);
        expect_refusal("part-0.vmafs", "part-0.vmafs: its header is wrong");
    }
    remove_shards(1);
}

/* -- files that do not belong together -- */

static void change_pairs(json_t *header, unsigned char *record)
{
    (void)record;
    if (!header)
        return;
    json_object_set_new(json_object_get(header, "run"), "pairs", json_integer(FRAMES - 1));
    json_object_set_new(forged_end, "pairs", json_integer(FRAMES - 1));
}

static void change_start(json_t *header, unsigned char *record)
{
    (void)record;
    if (header)
        json_object_set_new(header, "clock_passed_over", json_integer(5));
}

static void a_part_ends_with_its_run_and_begins_as_the_others(void **state)
{
    (void)state;
    do_words("ref.y4m dis.y4m --shard 0/1 -o part-0.vmafs");
    forge("part-0.vmafs", change_pairs);
    expect_refusal("part-0.vmafs", "part-0.vmafs: it has other frames than it says");
    make_shards("ref.y4m dis.y4m", 2);
    forge("part-1.vmafs", change_start);
    expect_refusal("part-0.vmafs part-1.vmafs",
                   "belongs to another run than part-0.vmafs: other start");
    remove_shards(2);
}

/* A shard without frames overlaps nothing, wherever it lies. */
static void an_empty_shard_may_lie_anywhere(void **state)
{
    (void)state;
    do_words("ref.y4m dis.y4m -o whole.csv");
    do_words("ref.y4m dis.y4m --shard 0/1 -o part-0.vmafs");
    do_words("ref.y4m dis.y4m --shard 50/100 -o part-1.vmafs");
    Run info = run_words("merge --info part-1.vmafs");
    assert_non_null(strstr(info.out, "none of 24"));
    run_free(&info);
    do_words("merge part-0.vmafs part-1.vmafs -o other.csv");
    expect_equal_reports("other.csv", "whole.csv");
    remove_shards(2);
}

/* Checksums are right, but nobody who can be trusted has written it. */
static void forged_files_are_refused(void **state)
{
    (void)state;
    do_words("ref.y4m dis.y4m --shard 0/1 -o part-0.vmafs");
    forge("part-0.vmafs", change_version);
    expect_refusal("part-0.vmafs", "part-0.vmafs: libvmaf 1.2.3 has made it");
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
    expect_refusal("part-0.vmafs", "part-0.vmafs: its header is wrong");
    remove_shards(1);
}

static void what_a_shard_cannot_do_is_refused(void **state)
{
    (void)state;
    static const char *const lines[][2] = {
        {"ref.y4m dis.y4m --shard 2/2 -o a.vmafs", "should be I/N"},
        {"ref.y4m dis.y4m --shard 1 -o a.vmafs", "should be I/N"},
        {"ref.y4m dis.y4m --shard -1/2 -o a.vmafs", "should be I/N"},
        {"ref.y4m dis.y4m --shard 0/0 -o a.vmafs", "should be I/N"},
        {"ref.y4m dis.y4m --shard 0/2x -o a.vmafs", "should be I/N"},
        {"ref.y4m dis.y4m --shard 0/2", "--shard writes one file"},
        {"ref.y4m dis.y4m --shard 0/2 -o a.vmafs -o b.vmafs", "--shard writes one file"},
        {"ref.y4m dis.y4m --shard 0/2 -o a.json", "a shard is no report"},
        {"ref.y4m dis.y4m --shard 0/2 -o a.html", "a shard is no report"},
        {"ref.y4m dis.y4m --shard 0/2 --csv -o a.vmafs", "a shard is no report"},
        {"ref.y4m dis.y4m --shard 0/2 --pool p1 -o a.vmafs", "for vmaf merge"},
        {"ref.y4m dis.y4m --shard 0/2 --precision max -o a.vmafs", "for vmaf merge"},
        {"ref.y4m dis.y4m --shard 0/2 --require vmaf.mean>=1 -o a.vmafs", "for vmaf merge"},
        {"ref.y4m dis.y4m --shard 0/2 --align auto -o a.vmafs", "--align auto"},
        {"ref.y4m dis.y4m --shard 0/2 --sync time -o a.vmafs", "--sync time"},
        {"ref.y4m dis.y4m --shard 0/2 --errors ignore -o a.vmafs", "--errors ignore"},
        {"ref.y4m dis.y4m --shard 0/2 --keep-records b.vmafs -o a.vmafs", "--keep-records"},
        {"ref.y4m - --shard 0/2 -o a.vmafs", "standard input"},
        {"ref.y4m /dev/null --shard 0/2 -o a.vmafs", ""},
        {"-r ref.y4m -d dis.y4m -d short.y4m --shard 0/2 -o a-{}.vmafs", ""},
        {"ref.y4m dis.y4m -n --feature psnr_vulkan --shard 0/2 -o a.vmafs", "psnr_vulkan"},
        {"merge", "files of stored records are required"},
        {"merge part-0.vmafs -m version=vmaf_v0.6.1 -o a.csv", "not for vmaf merge"},
        {"merge part-0.vmafs --shard 0/2 -o a.csv", "not for vmaf merge"},
        {"rescore part-0.vmafs --info -o a.csv", "not for vmaf rescore"},
        {"ref.y4m dis.y4m --sha256 -o a.csv", "--sha256 goes into files of records"},
        {"merge part-0.vmafs --sha256 -o a.csv", "not for vmaf merge"},
        {"ref.y4m dis.y4m --info", "is for vmaf merge"},
        {"ref.y4m dis.y4m --all", "is for vmaf rescore"},
    };
    const unsigned before = file_count();
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        Run run = run_words("%s", lines[i][0]);
        const bool is_opened = strstr(lines[i][0], "/dev/null") != NULL;
        if (is_opened ? !run.status : run.status != 1 || !strstr(run.err, lines[i][1]))
            fail_msg("%s: status %d\n%s", lines[i][0], run.status, run.err);
        run_free(&run);
    }
    assert_int_equal(file_count(), before);
}

static void a_named_pipe_is_refused(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("pipe.y4m", 0600), 0);
    static const char *const arguments[] = {"ref.y4m", "pipe.y4m", "--shard", "0/2",
                                            "-o",      "a.vmafs",  NULL};
    expect_status(program_run_fed("cat dis.y4m > pipe.y4m", arguments), 1, "pipe.y4m is a pipe");
    assert_false(file_exists("a.vmafs"));
    remove("pipe.y4m");
}

static void what_cannot_be_read_fails_as_in_the_run(void **state)
{
    (void)state;
    run_free(&(Run[]){run_words("ref.y4m cut.y4m -o whole.csv")}[0]);
    assert_false(file_exists("whole.csv"));
    expect_status(run_words("ref.y4m cut.y4m --shard 0/2 -o a.vmafs"), 234, "frame 20");
    assert_false(file_exists("a.vmafs"));
    expect_same_in_shards("ref.y4m cut.y4m --frames 20", 3);
    expect_status(run_words("ref.y4m dis.y4m --frame_skip_ref 24 --shard 0/2 -o a.vmafs"), 234,
                  "there are no frames to score");
    expect_status(run_words("ref.y4m dis.y4m --shard 0/2 -o ref.y4m"), 255,
                  "would replace a video");
    expect_status(run_words("ref.y4m dis.y4m --shard 0/2 -o none/a.vmafs"), 255,
                  "could not open file: none/a.vmafs");
}

static void info_tells_what_is_in_the_files(void **state)
{
    (void)state;
    make_shards("ref.y4m dis.y4m --feature psnr", 30);
    Run run = run_words("merge part-0.vmafs part-29.vmafs --info");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "none of 24, shard 0/30"));
    assert_non_null(strstr(run.out, "23 to 23 of 24, shard 29/30"));
    assert_non_null(strstr(run.out, "ref.y4m, "));
    assert_non_null(strstr(run.out, "vmaf_v0.6.1"));
    assert_non_null(strstr(run.out, "psnr"));
    run_free(&run);
    run = run_words("merge part-0.vmafs dis.y4m --info");
    assert_int_equal(run.status, 234);
    run_free(&run);
    remove_shards(30);
}

/* The first word is the name of the command; a file of that name is ./merge. */
static void a_video_may_be_called_merge(void **state)
{
    (void)state;
    assert_int_equal(symlink("ref.y4m", "merge"), 0);
    do_words("./merge dis.y4m -o other.csv");
    do_words("-r merge -d dis.y4m -o whole.csv");
    expect_equal_reports("other.csv", "whole.csv");
    remove("merge");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_shards_gives_the_report_of_the_run),
        cmocka_unit_test(several_models_and_a_collection),
        cmocka_unit_test(an_overload_of_a_model),
        cmocka_unit_test(features_that_look_at_neighbours),
        cmocka_unit_test(squares_are_summed_over_the_run),
        cmocka_unit_test(subsampling_counts_from_the_first_frame_of_the_run),
        cmocka_unit_test(streams_of_one_frame),
        cmocka_unit_test(frames_that_are_passed_over),
        cmocka_unit_test(the_shorter_video_ends_the_run),
        cmocka_unit_test(the_page_names_the_shorter_video),
        cmocka_unit_test(raw_video),
        cmocka_unit_test(deep_video),
        cmocka_unit_test(headers_of_frames_that_say_something),
        cmocka_unit_test(headers_of_different_sizes_are_refused),
        cmocka_unit_test(what_only_reports_need_is_said_at_the_merge),
        cmocka_unit_test(model_files_go_with_the_shards),
        cmocka_unit_test(a_signature_of_each_frame_lets_the_merge_look_whether_they_line_up),
        cmocka_unit_test(gaps_and_overlaps_are_refused),
        cmocka_unit_test(parts_of_other_runs_are_refused),
        cmocka_unit_test(videos_may_have_other_names),
        cmocka_unit_test(with_hashes_videos_that_are_alike_are_told_apart),
        cmocka_unit_test(info_tells_the_hash_of_a_video),
        cmocka_unit_test(damage_is_one_line_and_nothing_is_written),
        cmocka_unit_test(a_part_ends_with_its_run_and_begins_as_the_others),
        cmocka_unit_test(an_empty_shard_may_lie_anywhere),
        cmocka_unit_test(forged_files_are_refused),
        cmocka_unit_test(nothing_in_a_file_names_files),
        cmocka_unit_test(records_hold_no_files),
        cmocka_unit_test(what_a_file_says_of_videos_is_checked),
        cmocka_unit_test(what_a_shard_cannot_do_is_refused),
        cmocka_unit_test(a_named_pipe_is_refused),
        cmocka_unit_test(what_cannot_be_read_fails_as_in_the_run),
        cmocka_unit_test(info_tells_what_is_in_the_files),
        cmocka_unit_test(a_video_may_be_called_merge),
    };
    return run_cases(argc, argv, tests, make_clips, program_leave_folder);
}
