/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scores that are demanded (--require), and the table at the end of a run on a terminal. */
#include "clip.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"

#define RUN(...) program_run("-r", "ref.y4m", "-d", "dis.y4m", __VA_ARGS__, NULL)
#define RUN_ON_TERMINAL(...)                                                                       \
    program_run_on_terminal("-r", "ref.y4m", "-d", "dis.y4m", __VA_ARGS__, NULL)

static int make_clips(void **state)
{
    if (program_enter_folder(state))
        return -1;
    Clip clip = {.width = 96, .height = 64, .frames = 5};
    clip_write_pair(&clip);
    return 0;
}

/* What is said, to the last character, by a program that says nothing else. */
static void expect(Run run, int status, const char *says)
{
    if (run.status != status || strcmp(run.err, says) || run.out[0])
        fail_msg("status %d, expected %d and \"%s\"; said:\n%s%s", run.status, status, says,
                 run.out, run.err);
    run_free(&run);
}

static void expect_part(Run run, int status, const char *says)
{
    if (run.status != status || !strstr(run.err, says))
        fail_msg("status %d, expected %d and \"%s\"; said:\n%s", run.status, status, says, run.err);
    run_free(&run);
}

/* A pooled value of the JSON report at 17 digits, as text. */
static const char *pooled(const char *score, const char *pool)
{
    static char value[64];
    char member[128];
    Run run = RUN("-o", "full.json", "--precision", "max", "--pool", "p1,p50,median,stddev",
                  "--feature", "psnr");
    assert_int_equal(run.status, 0);
    run_free(&run);
    char *report = file_content("full.json");
    snprintf(member, sizeof(member), "\"%s\": {", score);
    char *at = strstr(strstr(report, "\"pooled_metrics\""), member);
    assert_non_null(at);
    snprintf(member, sizeof(member), "\"%s\": ", pool);
    at = strstr(at, member) + strlen(member);
    snprintf(value, sizeof(value), "%.*s", (int)strcspn(at, ",\n"), at);
    free(report);
    remove("full.json");
    return value;
}

CASE(scores_that_are_as_demanded_are_no_news)
{
    expect(RUN("--require", "vmaf.mean>=97.14,vmaf.mean<=97.15,vmaf.min>50,vmaf.max<100.5",
               "--require", "psnr_y.p1>20,integer_motion2.median>=0", "--feature", "psnr"),
           0, "");
}

CASE(each_relation_at_its_limit)
{
    static const char *const pools[] = {"min", "max",    "mean", "harmonic_mean",
                                        "p1",  "median", "p50",  "stddev"};
    static const char *const met[] = {">=", "<="}, *const missed[] = {">", "<"};
    for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]); i++) {
        const char *value = pooled("psnr_y", pools[i]);
        for (int k = 0; k < 2; k++) {
            char gate[128];
            snprintf(gate, sizeof(gate), "psnr_y.%s%s%s", pools[i], met[k], value);
            expect(RUN("--feature", "psnr", "--require", gate), 0, "");
            snprintf(gate, sizeof(gate), "psnr_y.%s%s%s", pools[i], missed[k], value);
            expect_part(RUN("--feature", "psnr", "--require", gate), 3, gate);
        }
    }
}

CASE(what_is_missed_is_said_with_its_value)
{
    expect(RUN("--require", "vmaf.mean>=98,vmaf.mean<90,vmaf.mean>=97", "-o", "report.json"), 3,
           "required vmaf.mean>=98: it is 97.140259\n"
           "required vmaf.mean<90: it is 97.140259\n");
    assert_true(file_exists("report.json"));
    remove("report.json");
    /* Not even with --quiet is this silent. */
    expect(RUN("-q", "--require", "vmaf.mean>=98"), 3, "required vmaf.mean>=98: it is 97.140259\n");
}

/* "it is 97.140259" would not tell why 97.140259 is not enough. */
CASE(a_value_has_the_digits_that_it_takes)
{
    char gate[128];
    const double value = strtod(pooled("vmaf", "mean"), NULL);
    snprintf(gate, sizeof(gate), "vmaf.mean>%.17g", value);
    Run run = RUN("--require", gate);
    assert_int_equal(run.status, 3);
    const char *said = strstr(run.err, ": it is ");
    assert_non_null(said);
    assert_true(strtod(said + 8, NULL) <= value);
    run_free(&run);
}

CASE(names_are_those_of_the_report_and_keys)
{
    expect(RUN("--require",
               "VMAF_integer_feature_adm2_score.mean>0,integer_adm2.mean>0,b.mean>0,"
               "b_bagging.mean>0,b_stddev.max<50,b_ci_p95_lo.min>0,b_ci_p95_hi.min>0,"
               "b_0003.min>0",
               "-m", "version=vmaf_b_v0.6.3:name=b"),
           0, "");
    expect(RUN("--require", "a.b.mean>0", "-m", "version=vmaf_v0.6.1:name=a.b"), 0, "");
}

CASE(other_names_are_refused_before_scoring)
{
    expect(RUN("--require", "vmaf.mean>1,psnr_y.mean>1", "-o", "report.json", "-n", "--feature",
               "motion"),
           255,
           "--require: there is no score \"vmaf\"; there are: "
           "VMAF_integer_feature_motion_sad_score, integer_motion2, integer_motion3\n");
    assert_false(file_exists("report.json"));
    expect_part(RUN("--require", "psnr_y.mean>1"), 255,
                "--require: there is no score \"psnr_y\"; there are: vmaf, integer_adm2, ");
    expect_part(RUN("--require", "mse_y.mean>1", "--feature", "psnr"), 255,
                "there is no score \"mse_y\"");
    expect(RUN("--require", "mse_y.mean>1", "--feature", "psnr=enable_mse=true"), 0, "");
    /* Nobody knows before how many members a collection has. */
    expect(RUN("--require", "b_9999.mean>1", "-m", "version=vmaf_b_v0.6.3:name=b"), 3,
           "required b_9999.mean>1: it is not there\n");
    expect_part(RUN("--require", "b_01.mean>1", "-m", "version=vmaf_b_v0.6.3:name=b"), 255,
                "there is no score \"b_01\"; there are: b, b_bagging, ");
}

CASE(what_is_no_gate_is_a_usage_error)
{
    /* clang-format off */
    static const char *const wrong[] = {
        "", ",", "vmaf", "vmaf.mean", "vmaf.mean>=", "vmaf>=3", ".mean>3", "vmaf.mode>3",
        "vmaf.p101>3", "vmaf.mean>3,", "vmaf.mean=3", "vmaf.mean>=x", "vmaf.mean>=3x",
        "vmaf.mean>=nan", "vmaf.mean>=1e999", "vmaf.mean>= 3", "vmaf.>3", "vmaf.p1,p5>3",
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        expect_part(RUN("--require", wrong[i]), 1, "--require: \"");
    char many[33 * 16] = "";
    for (int i = 0; i < 33; i++)
        strcat(many, i ? ",vmaf.mean>1" : "vmaf.mean>1");
    expect_part(RUN("--require", many), 1, "--require: at most 32 conditions");
}

CASE(each_of_several_videos_is_judged)
{
    expect(program_run("-r", "ref.y4m", "-d", "dis.y4m", "-d", "ref.y4m", "--require",
                       "vmaf.mean>=97.2", "-o", "{}.json", NULL),
           3, "dis.y4m: required vmaf.mean>=97.2: it is 97.140259\n");
    assert_true(file_exists("dis.json") && file_exists("ref.json"));
    remove("dis.json");
    remove("ref.json");
    /* Worse things come first. */
    expect_part(program_run("-r", "ref.y4m", "-d", "dis.y4m", "-d", "none.y4m", "--require",
                            "vmaf.mean>=97.2", NULL),
                255, "dis.y4m: required vmaf.mean>=97.2: it is 97.140259\n");
    expect_part(RUN("--require", "vmaf.mean>=98", "-o", "/dev/full", "--csv"), 255,
                "problem writing output");
}

CASE(a_run_on_a_terminal_ends_with_a_table)
{
    Run run = RUN_ON_TERMINAL("-m", "version=vmaf_v0.6.1", "-m", "version=vmaf_v0.6.1neg:name=neg",
                              "--threads", "2", "--require", "vmaf.mean>=98");
    assert_int_equal(run.status, 3);
    const char *table = strstr(run.err, "\r\n\r\nmodel ");
    if (!table || !strstr(table, "mean  harmonic mean    worst 1 %      minimum\r\nvmaf  "))
        fail_msg("%s", run.err);
    assert_non_null(strstr(table, "\r\nneg  "));
    assert_non_null(strstr(table, "97.140259"));
    assert_non_null(strstr(table, "frame "));
    assert_non_null(strstr(table, "\r\n5 frames, "));
    assert_non_null(strstr(table, " a second, by the CPU, 2 threads\r\n"));
    /* What is not as demanded stands at the very end. */
    const char *last = strstr(table, "required vmaf.mean>=98: it is 97.140259\r\n");
    assert_non_null(last);
    assert_string_equal(strchr(last, '\n'), "\n");
    assert_string_equal(run.out, "");
    run_free(&run);
}

CASE(the_worst_frame_is_named_with_its_time)
{
    Run run = RUN("-o", "report.csv", "-n", "--feature", "psnr=enable_chroma=false");
    assert_int_equal(run.status, 0);
    run_free(&run);
    char *csv = file_content("report.csv"), *line = csv;
    unsigned worst = 0;
    double least = 1e9;
    for (unsigned i = 0; i < 5; i++) {
        line = strchr(line, '\n') + 1;
        const double score = strtod(strchr(line, ',') + 1, NULL);
        if (score < least) {
            least = score;
            worst = i;
        }
    }
    free(csv);
    remove("report.csv");
    char expected[64];
    run = program_run_on_terminal("-r", "ref.y4m", "-d", "dis.y4m", "-n", "--feature",
                                  "psnr=enable_chroma=false", "--precision", "4", NULL);
    const char *table = strstr(run.err, "\r\nfeature ");
    snprintf(expected, sizeof(expected), " %.4g  frame %u, 0:00:00.%02u\r\n", least, worst,
             4 * worst);
    if (!table || !strstr(table, expected))
        fail_msg("no \"%s\" in:\n%s", expected, run.err);
    run_free(&run);
    /* High errors are bad ones; motion is neither. */
    run = RUN_ON_TERMINAL("-n", "--feature", "ciede", "--feature", "motion", "--precision", "3");
    assert_non_null(strstr(run.err, "worst\r\nciede2000 "));
    const char *motion = strstr(run.err, "\r\nVMAF_integer_feature_motion_sad_score ");
    assert_memory_equal(strchr(motion + 2, '\r') - 12, "           -", 12);
    run_free(&run);
}

CASE(several_videos_have_a_table_each)
{
    Run run = program_run_on_terminal("-r", "ref.y4m", "-d", "dis.y4m", "-d", "none.y4m", "-d",
                                      "ref.y4m", NULL);
    assert_int_equal(run.status, 255);
    assert_int_equal(occurrences(run.err, "\r\nmodel "), 2);
    assert_non_null(strstr(run.err, "\r\n\r\ndis.y4m\r\nmodel "));
    assert_non_null(strstr(run.err, "\r\n\r\nref.y4m\r\nmodel "));
    run_free(&run);
}

CASE(a_table_goes_to_stdout_if_that_alone_is_a_terminal)
{
    Run run = program_run_into_terminal("-r", "ref.y4m", "-d", "dis.y4m", "--threads", "2", NULL);
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    const char *table = strstr(run.out, "\r\nmodel ");
    assert_non_null(table);
    assert_non_null(strstr(table, "97.140259"));
    assert_non_null(strstr(table, "\r\n5 frames, "));
    assert_int_equal(occurrences(run.out, "97.140259"), 1); /* the table, and nothing else */
    run_free(&run);
    /* Nothing is mixed with a report, or said to who wants silence. */
    run = program_run_into_terminal("-r", "ref.y4m", "-d", "dis.y4m", "-o", "/dev/stdout", "--csv",
                                    NULL);
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    assert_memory_equal(run.out, "Frame,", 6);
    assert_null(strstr(run.out, "model "));
    assert_null(strstr(run.out, "5 frames"));
    run_free(&run);
    run = program_run_into_terminal("-r", "ref.y4m", "-d", "dis.y4m", "-q", NULL);
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "");
    assert_string_equal(run.err, "");
    run_free(&run);
}

CASE(elsewhere_there_is_no_table)
{
    expect(RUN("--threads", "1"), 0, "");
    Run run = RUN_ON_TERMINAL("-q");
    assert_string_equal(run.err, "vmaf_v0.6.1: 97.140259\r\n");
    run_free(&run);
    run = RUN_ON_TERMINAL("-q", "-o", "report.xml");
    assert_true(!run.err || !run.err[0]);
    run_free(&run);
    remove("report.xml");
}

CASES_SHARE(make_clips, program_leave_folder);
