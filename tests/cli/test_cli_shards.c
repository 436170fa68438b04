/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Shards of a run, and their merge: the reports are those of the run at once, byte for byte. */
#include "clip.h"
#include "parts.h"
#include "program.h"
#include "report_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    clip = (Clip){.width = 96, .height = 80, .frames = 1};
    clip_write(&clip, "ref1.y4m");
    clip.distorted = true;
    clip_write(&clip, "dis1.y4m");
    clip = (Clip){.width = 96, .height = 80, .frames = FRAMES, .raw = true};
    clip_write_pair(&clip);
    clip = (Clip){.width = 64, .height = 64, .frames = 5, .frame_header = "FRAME Ixyz\n"};
    clip_write(&clip, "headers.y4m");
    clip = (Clip){.width = 64, .height = 64, .frames = 7, .tag = "420p10"};
    clip_write(&clip, "deep.y4m");
    return 0;
}

/* -- equal reports -- */

CASE(any_number_of_shards_gives_the_report_of_the_run)
{
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

CASE(several_models_and_a_collection)
{
    expect_same_in_shards("ref.y4m dis.y4m -m version=vmaf_v0.6.1:name=a "
                          "-m version=vmaf_v0.6.1neg:name=b:disable_clip -m "
                          "version=vmaf_b_v0.6.3:name=c -m "
                          "version=vmaf_v0.6.1:name=d:enable_transform",
                          5);
}

CASE(an_overload_of_a_model)
{
    expect_same_in_shards(
        "ref.y4m dis.y4m -m version=vmaf_v0.6.1:vif.vif_enhn_gain_limit=1.0:name=x", 3);
}

CASE(features_that_look_at_neighbours)
{
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

CASE(squares_are_summed_over_the_run)
{
    expect_same_in_shards("ref.y4m dis.y4m -n --feature psnr=enable_apsnr=true", 5);
}

CASE(subsampling_counts_from_the_first_frame_of_the_run)
{
    expect_same_in_shards("ref.y4m dis.y4m --subsample 3 --feature psnr=enable_apsnr=true", 5);
    expect_same_in_shards("ref.y4m dis.y4m --subsample 3 --feature psnr", 24);
    expect_same_in_shards("ref.y4m dis.y4m -n --subsample 5 --feature motion --feature "
                          "speed_temporal",
                          9);
}

CASE(streams_of_one_frame)
{
    expect_same_in_shards("ref1.y4m dis1.y4m --feature psnr=enable_apsnr=true", 1);
    expect_same_in_shards("ref1.y4m dis1.y4m --feature speed_temporal", 4);
    expect_same_in_shards("ref.y4m dis.y4m --frames 1", 3);
}

CASE(frames_that_are_passed_over)
{
    expect_same_in_shards("ref.y4m dis.y4m --frame_skip_ref 3 --frame_skip_dist 3 --frames 11", 4);
    expect_same_in_shards("ref.y4m dis.y4m --frame_skip_ref 2", 4);
}

CASE(the_shorter_video_ends_the_run)
{
    static const char run[] = "ref.y4m short.y4m";
    run_free(&(Run[]){run_words("%s -o whole.csv", run)}[0]);
    make_shards(run, 4);
    do_words("merge %s -o other.csv", part_names(4));
    expect_equal_reports("other.csv", "whole.csv");
    remove_shards(4);
}

/* Only pages say which it was. */
CASE(the_page_names_the_shorter_video)
{
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

CASE(raw_video)
{
    expect_same_in_shards("ref.yuv dis.yuv -w 96 -h 80 -p 420 -b 8 --feature psnr", 5);
}

CASE(deep_video)
{
    expect_same_in_shards("deep.y4m deep.y4m", 3);
}

/* Their place is not known by their size. */
CASE(headers_of_frames_that_say_something)
{
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

CASE(headers_of_different_sizes_are_refused)
{
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

CASE(what_only_reports_need_is_said_at_the_merge)
{
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
CASE(model_files_go_with_the_shards)
{
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

CASE(a_signature_of_each_frame_lets_the_merge_look_whether_they_line_up)
{
    make_shards("ref.y4m dis.y4m --align check", 2);
    do_words("merge %s -o other.csv", part_names(2));
    remove("other.csv");
    remove_shards(2);
}

CASE(info_tells_what_is_in_the_files)
{
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
CASE(a_video_may_be_called_merge)
{
    assert_int_equal(symlink("ref.y4m", "merge"), 0);
    do_words("./merge dis.y4m -o other.csv");
    do_words("-r merge -d dis.y4m -o whole.csv");
    expect_equal_reports("other.csv", "whole.csv");
    remove("merge");
}

CASES_SHARE(make_clips, program_leave_folder);
