/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Several outputs of one run: each is what a run with it alone would have written. */
#include "clip.h"
#include "common/output_guard.h"
#include "program.h"
#include "report_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cases.h"

#define RUN(...)   program_run("-r", "ref.y4m", "-d", "dis.y4m", __VA_ARGS__, NULL)
#define RUN_2(...) program_run("-r", "ref.y4m", "-d", "dis.y4m", "-d", "ref.y4m", __VA_ARGS__, NULL)

static int make_clips(void **state)
{
    if (program_enter_folder(state))
        return -1;
    Clip clip = {.width = 96, .height = 64, .frames = 5};
    clip_write_pair(&clip);
    return mkdir("folder", 0777);
}

CASE(each_output_is_that_of_a_run_of_its_own)
{
    expect_status(RUN("-o", "a.xml", "-o", "a.json", "-o", "a.csv", "-o", "a.sub", "-o", "folder/b",
                      "--json", "-o", "c.txt", "--precision", "7"),
                  0, "");
    static const char *const files[][2] = {{"a.xml", "--xml"},     {"a.json", "--json"},
                                           {"a.csv", "--csv"},     {"a.sub", "--sub"},
                                           {"folder/b", "--json"}, {"c.txt", "--json"}};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        expect_status(RUN(files[i][1], "-o", "alone", "--precision", "7"), 0, "");
        expect_equal_reports(files[i][0], "alone");
    }
}

CASE(standard_output_may_be_one_of_them)
{
    Run run = RUN("-o", "a.json", "--csv", "-o", "-");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    expect_status(RUN("-o", "alone.csv"), 0, "");
    char *alone = take_report("alone.csv"), *json = take_report("a.json");
    assert_string_equal(run.out, alone);
    assert_memory_equal(json, "{\n  \"version\"", 13);
    free(alone);
    free(json);
    run_free(&run);
}

CASE(several_videos_have_several_outputs)
{
    expect_status(RUN_2("-o", "{}.csv", "-o", "all.json", "-o", "folder/{}", "-o", "{}-{}.json"), 0,
                  "");
    static const char *const videos[] = {"dis", "ref"};
    static const char *const formats[] = {"--csv", "--json", "--xml"};
    static const char *const names[] = {"%s.csv", "%s-%s.json", "folder/%s"};
    for (size_t i = 0; i < 6; i++) {
        const char *video = videos[i / 3];
        char distorted[16], name[32];
        snprintf(distorted, sizeof(distorted), "%s.y4m", video);
        snprintf(name, sizeof(name), names[i % 3], video, video);
        expect_status(
            program_run("-r", "ref.y4m", "-d", distorted, formats[i % 3], "-o", "alone", NULL), 0,
            "");
        expect_equal_reports(name, "alone");
    }
    char *all = take_report("all.json");
    assert_int_equal(occurrences(all, "{\"distorted\": "), 2);
    assert_int_equal(occurrences(all, "\"error\": null"), 2);
    free(all);
    /* Two documents on all. */
    expect_status(RUN_2("-o", "1.json", "-o", "2.json"), 0, "");
    remove("2.json");
    remove("1.json");
}

CASE(no_report_replaces_a_video_of_another_name)
{
    const unsigned before = file_count();
    char command[512];
    assert_int_equal(link("ref.y4m", "hard.y4m"), 0);
    expect_status(RUN("--overwrite", "-o", "hard.y4m"), 255,
                  "the report would replace a video: hard.y4m");
    assert_int_equal(remove("hard.y4m"), 0);
    snprintf(command, sizeof(command),
             "'%s' -r - -d dis.y4m --overwrite -o ref.y4m <ref.y4m 2>said", getenv("VMAF"));
    assert_int_equal(system(command) >> 8, 255);
    char *said = file_content("said");
    assert_non_null(strstr(said, "the report would replace a video: ref.y4m"));
    free(said);
    assert_int_equal(remove("said"), 0);
    assert_int_equal(file_count(), before);
}

CASE(outputs_that_would_meet_are_refused)
{
    const unsigned before = file_count();
    expect_status(RUN("-o", "a.json", "-o", "b", "-o", "a.json"), 1,
                  "two reports have the same name: a.json");
    expect_status(RUN_2("-o", "{}.json", "-o", "dis.json"), 1,
                  "two reports have the same name: dis.json");
    expect_status(RUN_2("-o", "{}.json", "-o", "dis.{}"), 0, "");
    expect_status(RUN_2("-o", "{}.json", "-o", "a.csv"), 1, "has to be JSON");
    expect_status(RUN("-o", "a.json", "-o", "ref.y4m"), 255, "would replace a video: ref.y4m");
    expect_status(RUN("-o", "a.json", "-o", "none/a"), 255, "could not open file: none/a");
    remove("dis.json");
    remove("ref.json");
    remove("dis.dis");
    remove("dis.ref");
    assert_int_equal(file_count(), before);
}

/* One that cannot be written does not cost the others. */
CASE(the_others_are_written_if_one_cannot_be)
{
    for (int i = 0; i < 2; i++) {
        Run run = i ? RUN_2("-o", "{}.json", "-o", "/dev/full", "--json", "-o", "{}.csv")
                    : RUN("-o", "dis.json", "-o", "/dev/full", "-o", "dis.csv");
        expect_status(run, 255, "problem writing output: /dev/full (No space left on device)");
        free(take_report("dis.json"));
        free(take_report("dis.csv"));
        if (!i)
            continue;
        free(take_report("ref.json"));
        free(take_report("ref.csv"));
    }
}

/* Each JSON report says why. */
CASE(a_missing_backend_is_told_to_all_readers_of_json)
{
    expect_status(RUN("-o", "a.json", "-o", "a.csv", "-o", "b.json", "--backend", "metal"), 100,
                  "--backend metal requested but");
    char *a = take_report("a.json"), *b = take_report("b.json");
    assert_memory_equal(a, "{\"error\": ", 10);
    assert_string_equal(a, b);
    assert_false(file_exists("a.csv"));
    free(a);
    free(b);
}

/* The value of a key of pooled metrics: of the last column that has it. */
static double pooled_value(const char *report, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof(quoted), "\"%s\": ", key);
    const char *at = NULL;
    for (const char *next = report; (next = strstr(next, quoted)); next++)
        at = next;
    if (!at)
        fail_msg("there is no %s in %s", key, report);
    return strtod(at + strlen(quoted), NULL);
}

/* Scores of the five frames: 90.52, 100, 100, 97.61, 97.57. */
CASE(percentiles_are_added_on_request)
{
    expect_status(RUN("-o", "plain.json", "-o", "plain.xml", "-o", "p.csv", "--precision", "max"),
                  0, "");
    expect_status(RUN("-o", "a.json", "-o", "a.xml", "-o", "a.csv", "--precision", "max", "--pool",
                      "p25,median,p100,stddev"),
                  0, "");
    char *report = take_report("a.json"), *plain = take_report("plain.json");
    double scores[5];
    const char *at = report;
    for (int i = 0; i < 5; i++) {
        at = strstr(at, "\"vmaf\": ") + 8;
        scores[i] = strtod(at, NULL);
    }
    double mean = 0, squares = 0, min = scores[0], max = scores[0];
    for (int i = 0; i < 5; i++) {
        mean += scores[i] / 5;
        min = scores[i] < min ? scores[i] : min;
        max = scores[i] > max ? scores[i] : max;
    }
    for (int i = 0; i < 5; i++)
        squares += (scores[i] - mean) * (scores[i] - mean);
    /* With five scores p25 is the second smallest, and the median the third. */
    double sorted[5];
    for (int i = 0; i < 5; i++) {
        int below = 0;
        for (int k = 0; k < 5; k++)
            below += scores[k] < scores[i] || (scores[k] == scores[i] && k < i);
        sorted[below] = scores[i];
    }
    assert_true(pooled_value(report, "min") == min);
    assert_true(pooled_value(report, "p25") == sorted[1]);
    assert_true(pooled_value(report, "median") == sorted[2]);
    assert_true(pooled_value(report, "p100") == max);
    const double stddev = pooled_value(report, "stddev");
    assert_true(stddev * stddev > squares / 5 * (1 - 1e-12));
    assert_true(stddev * stddev < squares / 5 * (1 + 1e-12));
    assert_null(strstr(plain, "median"));
    assert_int_equal(occurrences(report, "\"median\": "), occurrences(report, "\"mean\": "));
    free(report);
    free(plain);
    expect_equal_reports("a.csv", "p.csv");
    char *xml = take_report("a.xml"), *plain_xml = take_report("plain.xml");
    assert_int_equal(occurrences(xml, " p25="), occurrences(xml, " mean="));
    assert_int_equal(occurrences(plain_xml, " p25="), 0);
    free(xml);
    free(plain_xml);
}

CASE(percentiles_are_in_reports_on_several_videos)
{
    expect_status(RUN_2("-o", "all.json", "-o", "{}.json", "--pool", "p1"), 0, "");
    expect_status(RUN("-o", "alone.json", "--pool", "p1"), 0, "");
    char *all = take_report("all.json");
    assert_int_equal(occurrences(all, "\"p1\": "), occurrences(all, "\"harmonic_mean\": "));
    assert_true(occurrences(all, "\"p1\": ") > 0);
    free(all);
    expect_equal_reports("dis.json", "alone.json");
    remove("ref.json");
}

CASE(other_lists_are_refused)
{
    static const char *const lists[] = {"p101", "mean", "p1,", "", "p5;p1", "P5"};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        expect_status(RUN("--pool", lists[i]), 1, "a list of p0 to p100, median and stddev");
    char many[256] = "p0", *end = many + 2;
    for (int i = 1; i < 33; i++)
        end += sprintf(end, ",p%d", i);
    expect_status(RUN("--pool", many), 1, "a list of at most 32");
}

/* Outputs of lines of a batch that were rejected. */
CASE(files_that_are_forgotten_are_unknown)
{
    OutputGuard guard = {.count = 0};
    Message why;
    char path[16];
    for (int turn = 0; turn < 2; turn++) {
        output_guard_forget(&guard, 0);
        for (int i = 0; i < 12; i++) {
            snprintf(path, sizeof(path), "%d.csv", i);
            const GuardedOutput output = {.path = path, .name = "the report", .label = "a line"};
            assert_int_equal(output_guard_write(&guard, &output, &why), 0);
            assert_int_equal(output_guard_write(&guard, &output, &why), -EINVAL);
        }
        for (int i = 12; i < 1000; i++) { /* in all buckets */
            snprintf(path, sizeof(path), "%d.csv", i);
            assert_int_equal(output_guard_read(&guard, path, "a video", &why), 0);
        }
    }
    output_guard_free(&guard);
}

CASES_SHARE(make_clips, program_leave_folder);
