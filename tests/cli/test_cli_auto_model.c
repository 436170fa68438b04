/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* --model auto: which model the size of the videos chooses, and what is said of it. */
#include "clip.h"
#include "program.h"
#include "run/models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"

#define RUN(...) program_run(__VA_ARGS__, (char *)NULL)

enum { WIDE = 2562, HIGH = 64 }; /* more than fits into 2560x1440 */

static int make_clips(void **state)
{
    if (program_enter_folder(state))
        return -1;
    Clip clip = {.width = 96, .height = HIGH, .frames = 3};
    clip_write_pair(&clip);
    clip_write(&clip, "dis2.y4m");
    clip = (Clip){.width = 96, .height = HIGH, .frames = 3};
    clip.header = "YUV4MPEG2 W96 H64 F60000:1001 Ip A1:1 C420jpeg\n";
    clip_write(&clip, "fast.y4m");
    clip.header = "YUV4MPEG2 W96 H64 F50:1 Ip A1:1 C420jpeg\n";
    clip_write(&clip, "fifty.y4m");
    clip = (Clip){.width = WIDE, .height = HIGH, .frames = 3, .raw = true};
    clip_write(&clip, "wide-ref.yuv");
    clip.distorted = true;
    clip_write(&clip, "wide-dis.yuv");
    return 0;
}

CASE(given_a_size_then_the_model_that_was_made_for_it)
{
    static const struct {
        unsigned width, height;
        bool is_4k;
    } cases[] = {
        {1920, 1080, false}, {2560, 1440, false}, {1440, 2560, false}, {2562, 1440, true},
        {2560, 1442, true},  {3840, 2160, true},  {2160, 3840, true},  {3840, 1600, true},
        {16, 16, false},     {1442, 1442, true},  {1440, 1440, false}, {1440, 2562, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const VideoFormat format = {.width = cases[i].width, .height = cases[i].height};
        assert_int_equal(auto_model_is_4k(&format), cases[i].is_4k);
        assert_string_equal(auto_model_version(&format),
                            cases[i].is_4k ? "vmaf_4k_v0.6.1" : "vmaf_v0.6.1");
    }
}

/* The text of the report without frame rates; to be freed. */
static char *take_report(void)
{
    char *report = file_content("report.json");
    assert_non_null(report);
    for (char *fps; (fps = strstr(report, "\"fps\""));)
        memmove(fps, strchr(fps, '\n'), strlen(strchr(fps, '\n')) + 1);
    remove("report.json");
    return report;
}

/* The report and standard error of a successful run. */
static char *score(const char *const arguments[], char **said)
{
    Run run = program_run_fed("true", arguments);
    if (run.status)
        fail_msg("status %d: %s", run.status, run.err);
    if (said)
        *said = strdup(run.err);
    run_free(&run);
    return take_report();
}

#define SCORE(said, ...)                                                                           \
    score((const char *const[]){__VA_ARGS__, "-o", "report.json", "--precision", "max", NULL}, said)
#define SMALL "-r", "ref.y4m", "-d", "dis.y4m"
#define LARGE                                                                                      \
    "-r", "wide-ref.yuv", "-d", "wide-dis.yuv", "-w", "2562", "-h", "64", "-p", "420", "-b", "8"

CASE(given_videos_then_the_report_is_that_of_their_model)
{
    char *said, *expected = SCORE(NULL, SMALL, "-m", "version=vmaf_v0.6.1"),
                *found = SCORE(&said, SMALL, "-m", "auto");
    assert_string_equal(found, expected);
    assert_string_equal(said, "note: --model auto: vmaf_v0.6.1, since 96x64 samples are not more "
                              "than 2560x1440\n");
    free(said);
    free(found);
    free(expected);

    expected = SCORE(NULL, LARGE, "-m", "version=vmaf_4k_v0.6.1:name=x:vif.vif_enhn_gain_limit=1");
    found = SCORE(&said, LARGE, "-m", "auto:name=x:vif.vif_enhn_gain_limit=1");
    assert_string_equal(found, expected);
    assert_string_equal(said, "note: --model auto: vmaf_4k_v0.6.1, since 2562x64 samples are more "
                              "than 2560x1440\n");
    free(said);
    free(found);
    free(expected);
}

CASE(given_nothing_then_it_is_never_chosen)
{
    char *said, *expected = SCORE(NULL, LARGE, "-m", "version=vmaf_v0.6.1"),
                *found = SCORE(&said, LARGE);
    assert_string_equal(found, expected);
    assert_string_equal(said, "");
    free(said);
    free(found);
    free(expected);
}

CASE(given_many_frames_a_second_then_a_hint)
{
    char *said;
    free(SCORE(&said, "-r", "fast.y4m", "-d", "fast.y4m", "-m", "auto"));
    assert_non_null(strstr(said, "note: --model auto: 59.9401 frames a second: "
                                 "version=vmaf_v1.0.16_hfr_3d0h was made for high frame rates\n"));
    free(said);
    free(SCORE(&said, "-r", "fifty.y4m", "-d", "fifty.y4m", "-m", "auto"));
    assert_int_equal(occurrences(said, "\n"), 1);
    free(said);
    free(SCORE(&said, "-r", "fast.y4m", "-d", "fast.y4m", "-m", "auto", "-q"));
    assert_string_equal(said, "");
    free(said);

    /* The models that hints name exist. */
    Run models = RUN("--list-models");
    assert_non_null(strstr(models.out, "vmaf_v1.0.16_hfr_3d0h "));
    assert_non_null(strstr(models.out, "vmaf_v1.0.16_hfr_1d5h_2160 "));
    run_free(&models);
    Notes notes = {0};
    auto_model_note(&(VideoFormat){.width = 3840, .height = 2160, .rate_num = 120, .rate_den = 1},
                    &notes);
    assert_int_equal(notes.count, 2);
    assert_non_null(
        strstr(notes.text[1], "120 frames a second: version=vmaf_v1.0.16_hfr_1d5h_2160 "));
    notes_free(&notes);
}

CASE(given_several_videos_then_one_note_and_the_same_scores)
{
    char *said, *expected = SCORE(NULL, SMALL, "-d", "dis2.y4m", "-m", "version=vmaf_v0.6.1"),
                *found = SCORE(&said, SMALL, "-d", "dis2.y4m", "-m", "auto");
    assert_string_equal(found, expected);
    assert_int_equal(occurrences(said, "--model auto"), 1);
    free(said);
    free(found);
    free(expected);
}

CASE(given_two_sources_of_a_model_then_1)
{
    static const char *const cases[] = {"auto:version=vmaf_v0.6.1", "path=x.json:auto"};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        Run run = RUN(SMALL, "-m", cases[i]);
        assert_int_equal(run.status, 1);
        assert_non_null(
            strstr(run.err, i ? "has both auto and path=" : "has both auto and version="));
        run_free(&run);
    }
    Run run = RUN(SMALL, "-m", "auto", "-m", "version=vmaf_v0.6.1");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "each model should be uniquely named"));
    run_free(&run);
}

CASES_SHARE(make_clips, program_leave_folder);
