/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Several distorted videos in one run: what each gives is what a run of its own would give. */
#include "clip.h"
#include "program.h"
#include "report_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cases.h"

#define RUN(...) program_run(__VA_ARGS__, NULL)

static int make_clips(void **state)
{
    if (program_enter_folder(state))
        return -1;
    Clip clip = {.width = 96, .height = 64, .frames = 5};
    clip_write_pair(&clip);
    clip.frames = 3;
    clip_write(&clip, "short.y4m");
    clip.cut = 100;
    clip_write(&clip, "cut.y4m");
    clip.header = "YUV4MPEG2 W96 H64 F25:1 C420jpeg\n"; /* which causes a warning */
    clip_write(&clip, "warned.y4m");
    clip = (Clip){.width = 98, .height = 64, .frames = 5};
    clip_write(&clip, "other.y4m");
    clip = (Clip){.width = 320, .height = 320, .frames = 1};
    clip_write(&clip, "large.y4m");
    clip.tag = "420p10";
    clip_write(&clip, "deep.y4m");
    clip = (Clip){.width = 96, .height = 64, .frames = 5, .raw = true};
    clip_write_pair(&clip);
    return mkdir("folder", 0777);
}

CASE(each_has_the_report_of_a_run_of_its_own)
{
    static const char *const threads[] = {"1", "2", "3"};
    static const char *const formats[] = {"--json", "--xml", "--csv", "--sub"};
    for (size_t i = 0; i < 12; i++) {
        const char *n = threads[i % 3], *format = formats[i / 3];
        expect_status(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-d", "ref.y4m", "-d", "short.y4m",
                          format, "--feature", "psnr", "-o", "a-{}-{}.report", "--threads", n),
                      0, "\"short.y4m\" ended before \"ref.y4m\".");
        static const char *const names[] = {"dis", "ref", "short"};
        for (size_t k = 0; k < 3; k++) {
            char video[32], report[64];
            snprintf(video, sizeof(video), "%s.y4m", names[k]);
            snprintf(report, sizeof(report), "a-%s-%s.report", names[k], names[k]);
            run_free(&(Run[]){RUN("-r", "ref.y4m", "-d", video, format, "--feature", "psnr", "-o",
                                  "alone", "--threads", n)}[0]);
            expect_equal_reports(report, "alone");
        }
    }
}

CASE(raw_videos_are_scored_too)
{
    expect_status(RUN("-r", "ref.yuv", "-d", "dis.yuv", "-d", "./ref.yuv", "-w", "96", "-h", "64",
                      "-p", "420", "-b", "8", "-o", "{}.csv", "--frame_cnt", "2"),
                  0, "");
    expect_status(RUN("-r", "ref.yuv", "-d", "dis.yuv", "-w", "96", "-h", "64", "-p", "420", "-b",
                      "8", "-o", "alone.csv", "--frame_cnt", "2"),
                  0, "");
    expect_equal_reports("dis.csv", "alone.csv");
    free(take_report("ref.csv"));
}

/* Names keep dots but the last, and one at the beginning. */
CASE(names_are_those_of_the_videos)
{
    assert_int_equal(symlink("../dis.y4m", "folder/a.b.y4m"), 0);
    assert_int_equal(symlink("../dis.y4m", "folder/.y4m"), 0);
    assert_int_equal(symlink("../dis.y4m", "folder/plain"), 0);
    expect_status(RUN("-r", "ref.y4m", "-d", "folder/a.b.y4m", "-d", "folder/.y4m", "-d",
                      "folder/plain", "-n", "--feature", "psnr", "-o", "folder/{}.{}"),
                  0, "");
    assert_true(file_exists("folder/a.b.a.b"));
    assert_true(file_exists("folder/.y4m..y4m"));
    assert_true(file_exists("folder/plain.plain"));
}

CASE(one_video_leaves_braces_alone)
{
    expect_status(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-o", "{}.json"), 0, "");
    assert_true(file_exists("{}.json"));
    assert_int_equal(remove("{}.json"), 0);
}

CASE(what_cannot_be_told_apart_is_refused)
{
    const unsigned before = file_count();
    expect_status(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-d", "folder/dis.mkv", "-o", "{}.json"), 1,
                  "dis.y4m and folder/dis.mkv would have the same report: dis.json");
    expect_status(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-d", "ref.y4m", "-o", "all.xml"), 1,
                  "has to be JSON");
    expect_status(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-d", "ref.y4m", "--csv", "-o", "a.json"),
                  1, "has to be JSON");
    expect_status(RUN("-r", "ref.y4m", "-d", "-", "-d", "-"), 1,
                  "only one of the video files can be standard input");
    expect_status(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-d", "ref.y4m", "-o", "{}.y4m"), 255,
                  "the report would replace a video");
    clip_write(&(Clip){.width = 96, .height = 64, .frames = 1}, "dis2.y4m");
    expect_status(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-d", "dis2.y4m", "-o", "{}2.y4m"), 255,
                  "the report would replace a video");
    assert_int_equal(remove("dis2.y4m"), 0);
    expect_status(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-d", "ref.y4m", "--json", "-o", "dis.y4m"),
                  255, "the report would replace a video");
    expect_status(RUN("-r", "none.y4m", "-d", "dis.y4m", "-d", "ref.y4m", "-o", "{}.json"), 255,
                  "could not open file: none.y4m");
    expect_status(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-d", "ref.y4m", "-o", "none/{}.json"), 255,
                  "could not open file: none/dis.json");
    assert_int_equal(file_count(), before);
}

CASE(at_most_64_videos)
{
    const char *arguments[2 + 2 * 65 + 2] = {"-r", "ref.y4m"};
    for (unsigned i = 0; i < 65; i++) {
        arguments[2 + 2 * i] = "-d";
        arguments[3 + 2 * i] = "dis.y4m";
    }
    expect_status(program_run_fed(":", arguments), 1, "at most 64 distorted videos");
    arguments[2 + 2 * 64] = "--json";
    arguments[3 + 2 * 64] = "-oall";
    expect_status(program_run_fed(":", arguments), 0, "");
    char *report = take_report("all");
    assert_int_equal(occurrences(report, "\"mean\": 97.140259"), 64);
    free(report);
}

/* The document says what became of each, in the order of the options. */
CASE(one_document_has_all_results)
{
    expect_status(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-d", "none.y4m", "-d", "short.y4m", "-d",
                      "other.y4m", "-d", "ref.y4m", "-d", "cut.y4m", "-o", "all.json"),
                  255, "could not open file: none.y4m");
    expect_status(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-o", "alone.json"), 0, "");
    char *all = file_content("all.json"), *report = file_content("alone.json");
    assert_non_null(all);
    assert_memory_equal(all, "{\"results\": [\n{\"distorted\": \"dis.y4m\", \"report\": {", 45);
    /* From the frames on it is the report of a run of its own. */
    report[strlen(report) - 1] = '\0'; /* the line feed */
    assert_non_null(strstr(all, strstr(report, "\"frames\"")));
    static const char *const results[] = {
        "{\"distorted\": \"none.y4m\", \"report\": null, \"error\": \"could not open file: "
        "none.y4m "
        "(No such file or directory)\"}",
        "{\"distorted\": \"short.y4m\", \"report\": {",
        "{\"distorted\": \"other.y4m\", \"report\": null, \"error\": \"",
        "{\"distorted\": \"ref.y4m\", \"report\": {",
        "{\"distorted\": \"cut.y4m\", \"report\": null, \"error\": \"",
    };
    const char *at = all;
    for (size_t i = 0; i < 5; i++) {
        at = strstr(at, results[i]);
        if (!at)
            fail_msg("%s is not, or not there, in %s", results[i], all);
    }
    assert_int_equal(occurrences(all, "\"error\": null}"), 3);
    assert_int_equal(occurrences(all, "\"frameNum\""), 13);
    assert_string_equal(all + strlen(all) - 4, "\n]}\n");
    free(all);
    free(report);
    remove("all.json");
    remove("alone.json");
}

/* Not warnings before. */
CASE(the_error_is_what_was_said_of_it)
{
    expect_status(RUN("-r", "ref.y4m", "-d", "warned.y4m", "-d", "dis.y4m", "-o", "all.json"), 234,
                  "warning");
    char *all = take_report("all.json");
    assert_int_equal(occurrences(all, "warning"), 0);
    assert_int_equal(occurrences(all, "warned.y4m: frame 2 cannot be read"), 1);
    free(all);
}

/* A backend that declines looks at each of them. */
CASE(the_error_is_why_the_backend_rejects_it)
{
    setenv("VMAF_BACKEND_PATH", getenv("HOSTILE_BACKEND"), 1);
    setenv("VMAF_TEST_HOSTILE", "plan-declines", 1);
    expect_status(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-d", "short.y4m", "-n", "--feature",
                      "psnr", "--backend", "hostile", "-o", "all.json"),
                  100, "it computes nothing of what was asked");
    unsetenv("VMAF_TEST_HOSTILE");
    unsetenv("VMAF_BACKEND_PATH");
    char *all = take_report("all.json");
    assert_int_equal(occurrences(all, "\"error\": \"vmaf: --backend hostile requested but it"), 2);
    free(all);
}

CASE(the_status_is_the_worst)
{
    expect_status(RUN("-r", "ref.y4m", "-d", "cut.y4m", "-d", "dis.y4m", "-o", "{}.json"), 234,
                  "cut.y4m");
    assert_true(file_exists("dis.json"));
    assert_false(file_exists("cut.json"));
    remove("dis.json");
    expect_status(
        RUN("-r", "ref.y4m", "-d", "cut.y4m", "-d", "dis.y4m", "-d", "other.y4m", "-o", "{}.json"),
        255, "videos are incompatible");
    assert_true(file_exists("dis.json"));
    remove("dis.json");
    expect_status(RUN("-r", "ref.y4m", "-d", "other.y4m", "-d", "none.y4m", "-o", "all.json"), 255,
                  "videos are incompatible");
    char *all = take_report("all.json");
    assert_int_equal(occurrences(all, "\"report\": null"), 2);
    free(all);
    expect_status(RUN("-r", "cut.y4m", "-d", "dis.y4m", "-d", "ref.y4m", "-o", "{}.json"), 234,
                  "cut.y4m: frame 2 cannot be read");
    assert_false(file_exists("dis.json"));
}

/* The reference is scored at one depth. */
CASE(other_depths_take_runs_of_their_own)
{
    expect_status(RUN("-r", "large.y4m", "-d", "large.y4m", "-d", "deep.y4m", "--aom_ctc", "v6.0",
                      "-o", "{}.json"),
                  255, "that takes a run of its own");
    assert_true(file_exists("large.json"));
    assert_false(file_exists("deep.json"));
    remove("large.json");
    expect_status(RUN("-r", "large.y4m", "-d", "deep.y4m", "-d", "./deep.y4m", "--aom_ctc", "v6.0",
                      "-o", "all.json"),
                  0, "");
    remove("all.json");
}

CASE(standard_input_may_be_one_of_them)
{
    const char *const arguments[] = {"-r", "ref.y4m", "-d",      "ref.y4m", "-d",
                                     "-",  "-o",      "{}.json", NULL};
    expect_status(program_run_fed("cat dis.y4m", arguments), 0, "");
    expect_status(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-o", "alone.json"), 0, "");
    expect_equal_reports("stdin.json", "alone.json");
    remove("ref.json");
}

CASE(a_terminal_shows_scores_of_each)
{
    Run run = program_run_on_terminal("-r", "ref.y4m", "-d", "dis.y4m", "-d", "ref.y4m", "-d",
                                      "none.y4m", NULL);
    assert_int_equal(run.status, 255);
    const char *dis = strstr(run.err, "dis.y4m:"), *ref = strstr(run.err, "ref.y4m:");
    assert_non_null(dis);
    assert_non_null(ref);
    assert_true(dis < strstr(run.err, "vmaf_v0.6.1: 97.140259"));
    assert_true(strstr(run.err, "vmaf_v0.6.1: 97.140259") < ref);
    assert_non_null(strstr(ref, "vmaf_v0.6.1: "));
    assert_int_equal(occurrences(run.err, "vmaf_v0.6.1: "), 2);
    run_free(&run);
}

static int remove_folder(void **state)
{
    remove("folder/a.b.y4m");
    remove("folder/.y4m");
    remove("folder/plain");
    remove("folder/a.b.a.b");
    remove("folder/.y4m..y4m");
    remove("folder/plain.plain");
    return rmdir("folder") || program_leave_folder(state) ? -1 : 0;
}

CASES_SHARE(make_clips, remove_folder);
