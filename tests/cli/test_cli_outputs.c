/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Several outputs of one run: each is what a run with it alone would have written. */
#include "clip.h"
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define RUN(...)   program_run("-r", "ref.y4m", "-d", "dis.y4m", __VA_ARGS__, NULL)
#define RUN_2(...) program_run("-r", "ref.y4m", "-d", "dis.y4m", "-d", "ref.y4m", __VA_ARGS__, NULL)

static int make_clips(void **state)
{
    if (program_enter_folder(state))
        return -1;
    Clip clip = {.width = 96, .height = 64, .frames = 5};
    clip_write(&clip, "ref.y4m");
    clip.distorted = true;
    clip_write(&clip, "dis.y4m");
    return mkdir("folder", 0777);
}

static void expect_status(Run run, int status, const char *says)
{
    if (run.status != status || !strstr(run.err, says) || run.out[0])
        fail_msg("status %d, expected %d and \"%s\"; said:\n%s%s", run.status, status, says,
                 run.out, run.err);
    if (!*says)
        assert_string_equal(run.err, "");
    run_free(&run);
}

/* The text of a report without its frame rate; to be freed. */
static char *without_rate(char *report)
{
    char *fps = report ? strstr(report, "fps") : NULL;
    char *end = fps ? strchr(fps, '\n') : NULL;
    if (end)
        memmove(fps, end, strlen(end) + 1);
    return report;
}

static char *take_report(const char *path)
{
    char *report = without_rate(file_content(path));
    if (!report)
        fail_msg("no report %s was written", path);
    remove(path);
    return report;
}

static void expect_equal_reports(const char *path, const char *expected)
{
    char *a = take_report(path), *b = take_report(expected);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

static void each_output_is_that_of_a_run_of_its_own(void **state)
{
    (void)state;
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

static void standard_output_may_be_one_of_them(void **state)
{
    (void)state;
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

static void several_videos_have_several_outputs(void **state)
{
    (void)state;
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

static void outputs_that_would_meet_are_refused(void **state)
{
    (void)state;
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
static void the_others_are_written_if_one_cannot_be(void **state)
{
    (void)state;
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
static void a_missing_backend_is_told_to_all_readers_of_json(void **state)
{
    (void)state;
    expect_status(RUN("-o", "a.json", "-o", "a.csv", "-o", "b.json", "--backend", "metal"), 100,
                  "--backend metal requested but");
    char *a = take_report("a.json"), *b = take_report("b.json");
    assert_memory_equal(a, "{\"error\": ", 10);
    assert_string_equal(a, b);
    assert_false(file_exists("a.csv"));
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_output_is_that_of_a_run_of_its_own),
        cmocka_unit_test(standard_output_may_be_one_of_them),
        cmocka_unit_test(several_videos_have_several_outputs),
        cmocka_unit_test(outputs_that_would_meet_are_refused),
        cmocka_unit_test(the_others_are_written_if_one_cannot_be),
        cmocka_unit_test(a_missing_backend_is_told_to_all_readers_of_json),
    };
    return cmocka_run_group_tests(tests, make_clips, program_leave_folder);
}
