/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the program does when all goes well: reports, silence, terminals, pipes, frame ranges. */
#include "clip.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cases.h"

#define RUN(...) program_run(__VA_ARGS__, NULL)

/* The clip of the reference values: 96x64, five frames. */
static int make_clips(void **state)
{
    if (program_enter_folder(state))
        return -1;
    Clip clip = {.width = 96, .height = 64, .frames = 5};
    clip_write_pair(&clip);
    clip.raw = true;
    clip_write_pair(&clip);
    return 0;
}

/* Fails unless the run succeeded in silence. */
static void expect_silent_success(Run run)
{
    if (run.status || run.out[0] || run.err[0])
        fail_msg("status %d, said:\n%s%s", run.status, run.out, run.err);
    run_free(&run);
}

/* The report, taken from the folder; to be freed. */
static char *take_report(void)
{
    char *report = file_content("report");
    if (!report)
        fail_msg("no report was written");
    remove("report");
    return report;
}

static void expect_in_report(const char *text)
{
    char *report = take_report();
    if (!strstr(report, text))
        fail_msg("\"%s\" is not in the report:\n%s", text, report);
    free(report);
}

static unsigned frames_of(const char *report)
{
    return occurrences(report, "\"frameNum\"");
}

/* psnr of the clip, libvmaf 3.2 reference values. */
static const char psnr_csv[] = "Frame,psnr_y,psnr_cb,psnr_cr,\n"
                               "0,25.328931,24.086632,27.066973,\n"
                               "1,28.339342,31.857372,28.867493,\n"
                               "2,30.886511,52.583200,31.827333,\n"
                               "3,26.413587,25.826930,31.798553,\n"
                               "4,28.856836,28.861467,31.811467,\n";

CASE(given_no_terminal_then_success_is_silent_and_the_report_complete)
{
    expect_silent_success(RUN("-r", "ref.y4m", "-d", "dis.y4m", "--json", "-o", "report"));
    expect_in_report("\"mean\": 97.140259"); /* libvmaf 3.2 */
    expect_silent_success(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-o", "report"));
    expect_in_report("<VMAF version=");
    expect_silent_success(RUN("-r", "ref.y4m", "-d", "dis.y4m", "--sub", "-o", "report"));
    expect_in_report("{0}{1}frame: 0|");
}

CASE(given_no_output_then_nothing_is_written)
{
    unsigned before = file_count();
    expect_silent_success(RUN("-r", "ref.y4m", "-d", "dis.y4m"));
    assert_int_equal(file_count(), before);
}

/* What libvmaf accepts although nothing comes of it. */
CASE(given_options_without_effect_then_a_warning)
{
    static const struct {
        const char *options[5];
        const char *said;
    } cases[] = {
        {{"--json"}, "warning: there is a format, but no report: name a file for it with -o\n"},
        {{"--sub", "-n", "--feature", "psnr"},
         "warning: there is a format, but no report: name a file for it with -o\n"},
        {{"-n"}, "warning: nothing is computed: -n goes with --feature\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const *o = cases[i].options;
        Run run = RUN("-r", "ref.y4m", "-d", "dis.y4m", o[0], o[1], o[2], o[3]);
        assert_int_equal(run.status, 0);
        assert_string_equal(run.err, cases[i].said);
        run_free(&run);
        expect_silent_success(RUN("-q", "-r", "ref.y4m", "-d", "dis.y4m", o[0], o[1], o[2], o[3]));
    }
    Run run = RUN("-r", "ref.y4m", "-d", "dis.y4m", "-w96", "-h64", "-p420", "-b8", "--frame_cnt",
                  "1", "-n", "--feature", "psnr");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.err, "warning: ref.y4m begins like a Y4M file, but -w, -h, -p and "
                                    "-b make it raw video\n"));
    assert_non_null(strstr(run.err, "warning: dis.y4m begins like a Y4M file"));
    run_free(&run);
}

CASE(given_a_name_then_the_report_has_its_format)
{
    static const struct {
        const char *name, *option, *begins;
    } cases[] = {
        {"a.json", NULL, "{\n  \"version\""},
        {"a.JSON", NULL, "{\n"},
        {"a.csv", NULL, psnr_csv},
        {"a.sub", NULL, "{0}{1}frame: 0|"},
        {"a.xml", NULL, "<VMAF version="},
        {"a.txt", NULL, "<VMAF version="},
        {"json", NULL, "<VMAF version="},
        {"a.json", "--csv", psnr_csv},
        {"a.csv", "--xml", "<VMAF version="},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect_silent_success(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-n", "--feature", "psnr", "-o",
                                  cases[i].name, cases[i].option));
        char *report = file_content(cases[i].name);
        assert_non_null(report);
        if (strncmp(report, cases[i].begins, strlen(cases[i].begins)))
            fail_msg("%s: %s", cases[i].name, report);
        free(report);
        remove(cases[i].name);
    }
}

CASE(given_a_dash_then_the_report_goes_to_standard_output)
{
    unsigned before = file_count();
    Run run = RUN("-r", "ref.y4m", "-d", "dis.y4m", "-n", "--feature", "psnr", "--csv", "-o", "-");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, psnr_csv);
    assert_string_equal(run.err, "");
    run_free(&run);
    assert_int_equal(file_count(), before);
}

CASE(given_y4m_raw_and_stdin_then_one_report)
{
    expect_silent_success(
        RUN("-r", "ref.y4m", "-d", "dis.y4m", "-n", "--feature", "psnr", "--csv", "-o", "report"));
    char *report = take_report();
    assert_string_equal(report, psnr_csv);
    free(report);

    expect_silent_success(RUN("-r", "ref.yuv", "-d", "dis.yuv", "-w96", "-h64", "-p420", "-b8",
                              "-n", "--feature", "psnr", "--csv", "-o", "report"));
    report = take_report();
    assert_string_equal(report, psnr_csv);
    free(report);

    const char *const piped[] = {"-r",   "ref.y4m", "-d", "-",      "-n", "--feature",
                                 "psnr", "--csv",   "-o", "report", NULL};
    static const char *const feeders[] = {"cat dis.y4m", "dd if=dis.y4m bs=777 2>/dev/null"};
    for (int i = 0; i < 2; i++) {
        expect_silent_success(program_run_fed(feeders[i], piped));
        report = take_report();
        assert_string_equal(report, psnr_csv);
        free(report);
    }
}

CASE(given_a_redirected_file_then_reading_starts_where_it_stands)
{
    char command[512];
    snprintf(
        command, sizeof(command),
        "{ head -c 0; exec '%s' -r - -d dis.y4m -n --feature psnr --csv -o report; } < ref.y4m",
        getenv("VMAF"));
    assert_int_equal(system(command), 0);
    char *report = take_report();
    assert_string_equal(report, psnr_csv);
    free(report);
}

CASE(given_two_pipes_fed_by_one_program_then_no_deadlock)
{
    assert_int_equal(mkfifo("ref.fifo", 0600), 0);
    assert_int_equal(mkfifo("dis.fifo", 0600), 0);
    /* 20 frames that each exceed what a pipe holds; two frames at a time to either side. */
    Clip clip = {.width = 352, .height = 288, .frames = 20, .raw = true};
    clip_write(&clip, "long.yuv");
    static const char feeder[] =
        "exec 3>ref.fifo 4>dis.fifo; i=0; while [ $i -lt 10 ]; do "
        "dd if=long.yuv bs=304128 skip=$i count=1 >&3 2>/dev/null; "
        "dd if=long.yuv bs=304128 skip=$i count=1 >&4 2>/dev/null; i=$((i+1)); done";
    const char *const arguments[] = {"-r",    "ref.fifo", "-d",  "dis.fifo", "-w352",
                                     "-h288", "-p420",    "-b8", "-n",       "--feature",
                                     "psnr",  "--json",   "-o",  "report",   NULL};
    expect_silent_success(program_run_fed(feeder, arguments));
    char *report = take_report();
    assert_int_equal(frames_of(report), 20);
    free(report);
    remove("ref.fifo");
    remove("dis.fifo");
    remove("long.yuv");
}

CASE(given_a_pipe_that_stays_open_then_frame_cnt_ends_the_run)
{
    const char *const arguments[] = {"-r",        "ref.y4m", "-d",     "-",           "-n",
                                     "--feature", "psnr",    "--json", "--frame_cnt", "2",
                                     "-o",        "report",  NULL};
    expect_silent_success(program_run_fed(
        "head -c 18500 dis.y4m; until [ -s report ]; do sleep 0.01; done", arguments));
    char *report = take_report();
    assert_int_equal(frames_of(report), 2);
    free(report);
}

CASE(given_frame_ranges_then_those_frames_are_scored)
{
    expect_silent_success(RUN("-r", "ref.y4m", "-d", "dis.y4m", "-n", "--feature", "psnr", "--json",
                              "--frame_cnt", "2", "-o", "report"));
    char *report = take_report();
    assert_int_equal(frames_of(report), 2);
    free(report);

    Run run = RUN("-r", "ref.y4m", "-d", "dis.y4m", "-n", "--feature", "psnr=enable_chroma=false",
                  "--csv", "--frame_skip_ref", "1", "--frame_skip_dist", "2", "-o", "report");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "\"dis.y4m\" ended before \"ref.y4m\".\n");
    run_free(&run);
    report = take_report();
    /* libvmaf 3.2 reference values */
    assert_string_equal(report, "Frame,psnr_y,\n0,17.145749,\n1,17.181374,\n2,17.288194,\n");
    free(report);
}

CASE(given_subsampling_then_every_nth_frame_and_their_pool)
{
    expect_silent_success(
        RUN("-r", "ref.y4m", "-d", "dis.y4m", "--subsample", "2", "--json", "-o", "report"));
    char *report = take_report();
    assert_int_equal(frames_of(report), 3);
    /* libvmaf 3.2 reference values */
    assert_non_null(strstr(report, "\"vmaf\": 88.088684"));
    assert_non_null(strstr(report, "\"mean\": 96.029561"));
    assert_non_null(strstr(report, "\"harmonic_mean\": 95.690758"));
    free(report);
}

CASE(given_one_file_shorter_then_its_length_counts_and_it_is_said)
{
    clip_write(&(Clip){.width = 96, .height = 64, .frames = 3}, "short.y4m");
    static const char *const pairs[][3] = {{"short.y4m", "dis.y4m", "\"short.y4m\" ended before "},
                                           {"ref.y4m", "short.y4m", "\"short.y4m\" ended before "}};
    for (int i = 0; i < 2; i++) {
        Run run = RUN("-r", pairs[i][0], "-d", pairs[i][1], "-n", "--feature", "psnr", "--json",
                      "-o", "report");
        assert_int_equal(run.status, 0);
        assert_non_null(strstr(run.err, pairs[i][2]));
        run_free(&run);
        char *report = take_report();
        assert_int_equal(frames_of(report), 3);
        free(report);
    }
}

CASE(given_any_number_of_threads_then_the_same_report)
{
    expect_silent_success(RUN("-r", "ref.y4m", "-d", "dis.y4m", "--feature", "psnr", "--precision",
                              "max", "--csv", "-o", "report", "--threads", "0"));
    char *serial = take_report();
    static const char *const threads[] = {"1", "2", "7"};
    for (int i = 0; i < 3; i++) {
        expect_silent_success(RUN("-r", "ref.y4m", "-d", "dis.y4m", "--feature", "psnr",
                                  "--precision", "max", "--csv", "-o", "report", "--threads",
                                  threads[i]));
        char *report = take_report();
        assert_string_equal(report, serial);
        free(report);
    }
    expect_silent_success(RUN("-r", "ref.y4m", "-d", "dis.y4m", "--feature", "psnr", "--precision",
                              "max", "--csv", "-o", "report")); /* all cores */
    char *report = take_report();
    assert_string_equal(report, serial);
    free(report);
    free(serial);
}

CASE(given_a_precision_then_scores_have_those_digits)
{
    static const struct {
        const char *precision, *expected;
    } cases[] = {{"legacy", "\"vmaf\": 88.088684"},
                 {"3", "\"vmaf\": 88.1"},
                 {"max", "\"vmaf\": 88.088684460453138"}, /* libvmaf 3.2 */
                 {"full", "\"vmaf\": 88.088684460453138"},
                 {"17", "\"vmaf\": 88.088684460453138"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect_silent_success(RUN("-r", "ref.y4m", "-d", "dis.y4m", "--precision",
                                  cases[i].precision, "--json", "-o", "report"));
        expect_in_report(cases[i].expected);
    }
}

CASE(given_unusual_but_valid_y4m_then_it_is_scored)
{
    static const struct {
        const char *header, *frame_header, *warning;
    } cases[] = {
        {"YUV4MPEG2 W96 H64 F25:1 A1:1 C420jpeg\n", NULL,
         "interlacing format unknown; assuming progressive scan"},
        {"YUV4MPEG2 W96 H64 F25:1 Ip A1:1\n", NULL, NULL},
        {"YUV4MPEG2 W96 H64 F25:1 Ip A1:1 XYSCSS=420JPEG XCOLORRANGE=FULL C420mpeg2\n", NULL, NULL},
        {"YUV4MPEG2 W96 H64 F25:1 Ip A1:1 C420jpeg\n", "FRAME Ip Xfoo=1\n", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        clip_write(&(Clip){.width = 96,
                           .height = 64,
                           .frames = 5,
                           .header = cases[i].header,
                           .frame_header = cases[i].frame_header},
                   "unusual.y4m");
        Run run = RUN("-r", "unusual.y4m", "-d", "dis.y4m", "-n", "--feature", "psnr", "--csv",
                      "-o", "report");
        assert_int_equal(run.status, 0);
        if (cases[i].warning)
            assert_non_null(strstr(run.err, cases[i].warning));
        else
            assert_string_equal(run.err, "");
        run_free(&run);
        char *report = take_report();
        assert_string_equal(report, psnr_csv);
        free(report);
        /* Warnings are not errors. */
        expect_silent_success(RUN("-q", "-r", "unusual.y4m", "-d", "dis.y4m", "-n"));
    }
}

CASE(given_every_layout_that_can_be_read_then_it_is_scored)
{
    static const char *const tags[] = {"422",    "444",    "444alpha", "420paldv", "mono",
                                       "420p10", "422p12", "444p16",   "420p16"};
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        Clip clip = {.width = 65, .height = 63, .frames = 2, .tag = tags[i]};
        clip_write(&clip, "a.y4m");
        clip.distorted = true;
        clip_write(&clip, "b.y4m");
        expect_silent_success(
            RUN("-r", "a.y4m", "-d", "b.y4m", "--feature", "psnr", "--json", "-o", "report"));
        char *report = take_report();
        assert_int_equal(frames_of(report), 2);
        assert_non_null(strstr(report, "\"psnr_y\""));
        assert_int_equal(strstr(report, "\"psnr_cb\"") != NULL, strcmp(tags[i], "mono") != 0);
        free(report);
    }
}

CASE(given_no_features_at_all_then_an_empty_report)
{
    expect_silent_success(
        RUN("-q", "-r", "ref.y4m", "-d", "dis.y4m", "-n", "--csv", "-o", "report"));
    char *report = take_report();
    assert_int_equal(occurrences(report, "vmaf"), 0);
    free(report);
}

CASE(given_auto_and_cpu_then_scores_agree_and_the_report_says_who_computed)
{
    expect_silent_success(RUN("-r", "ref.y4m", "-d", "dis.y4m", "--json", "-o", "report"));
    char *plain = take_report();
    assert_null(strstr(plain, "backend_used"));
    free(plain);
    static const char *const backends[] = {"auto", "cpu"};
    for (int i = 0; i < 2; i++) {
        expect_silent_success(RUN("-r", "ref.y4m", "-d", "dis.y4m", "--json", "-o", "report",
                                  "--backend", backends[i]));
        char *report = take_report();
        assert_non_null(strstr(report, "\"mean\": 97.140259"));
        assert_non_null(strstr(report, "\"backend_used\": \"cpu\""));
        free(report);
    }
    /* Flags that steer auto are no reason to fail where no backend is installed. */
    expect_silent_success(RUN("-r", "ref.y4m", "-d", "dis.y4m", "--no_cuda", "--no_sycl",
                              "--no_hip", "--no_metal", "--no_vulkan", "--gpumask", "-1"));
    expect_silent_success(RUN("-r", "ref.y4m", "-d", "dis.y4m", "--vulkan_device", "-1",
                              "--backend-device", "cuda:-1"));
}

CASE(given_questions_then_answers_on_stdout_and_the_version_on_stderr)
{
    Run run = RUN("--help");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    static const char *const shown[] = {"--reference", "auto|cpu|cuda|sycl|hip|vulkan|metal",
                                        "Examples:", "vmaf_v0.6.1", "Exit status:"};
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
        assert_non_null(strstr(run.out, shown[i]));
    run_free(&run);

    run = RUN("--version", "--nosuch");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "");
    assert_int_equal(occurrences(run.err, "\n"), 1);
    run_free(&run);
    run = RUN("-v");
    assert_int_equal(run.status, 0);
    run_free(&run);

    run = RUN("--list-models");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "vmaf_v0.6.1neg"));
    assert_non_null(strstr(run.out, "vmaf_b_v0.6.3"));
    run_free(&run);
    run = RUN("--list-features");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "adm_enhn_gain_limit"));
    assert_non_null(strstr(run.out, "enable_chroma"));
    run_free(&run);
}

/* Every --name that --help shows must be in a page of the documentation. */
static void expect_all_options_in(const char *page, const char *dashes, const char *help)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/docs/%s", getenv("VMAF_SOURCE_DIR"), page);
    char *text = file_content(path);
    if (!text)
        fail_msg("there is no %s", path);
    unsigned count = 0;
    for (const char *line = strstr(help, "\n  "); line; line = strstr(line + 1, "\n  ")) {
        char name[64], option[80];
        if (sscanf(line, " -%*1s, --%63[a-z0-9_-]", name) != 1 &&
            sscanf(line, " --%63[a-z0-9_-]", name) != 1)
            continue;
        snprintf(option, sizeof(option), "%s%s", dashes, name);
        if (!strstr(text, option))
            fail_msg("%s does not mention %s", page, option);
        count++;
    }
    assert_true(count > 30);
    free(text);
}

CASE(given_the_documentation_then_it_names_every_option)
{
    Run run = RUN("--help", "all");
    expect_all_options_in("cli.md", "--", run.out);
    expect_all_options_in("vmaf.1", "Fl Fl ", run.out);
    run_free(&run);
}

CASE(given_output_that_cannot_be_written_then_255_and_a_message)
{
    if (!file_exists("/dev/full"))
        skip();
    static const char *const options[] = {"--help", "--completion bash", "--list-backends",
                                          "--capabilities"};
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        char command[512];
        snprintf(command, sizeof(command), "'%s' %s > /dev/full 2> why", getenv("VMAF"),
                 options[i]);
        assert_int_equal(system(command) >> 8, 255);
        char *why = file_content("why");
        assert_string_equal(why, "could not write to standard output\n");
        free(why);
    }
}

CASE(given_a_terminal_then_progress_and_scores)
{
    Run run =
        program_run_on_terminal("-r", "ref.y4m", "-d", "dis.y4m", "-m", "version=vmaf_b_v0.6.3",
                                "-m", "version=vmaf_v0.6.1:name=b", NULL);
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "");
    assert_true(!strncmp(run.err, "VMAF version ", 13));
    assert_non_null(strstr(run.err, "\r1 frame of 5 (20%) "));
    assert_non_null(strstr(run.err, "\r5 frames of 5 (100%) "));
    assert_non_null(strstr(run.err, " FPS"));
    /* libvmaf 3.2 reference values; all models first, then the collection. */
    assert_non_null(strstr(run.err, "\nvmaf_b_v0.6.3: 96.906055\r\n"
                                    "vmaf_v0.6.1: 97.140259\r\n"
                                    "vmaf_b_v0.6.3: 96.681125, ci.p95: [90.719304, 98.287411], "
                                    "stddev: 1.074286\r\n"));
    run_free(&run);

    /* As many frames are expected as the shorter file has. */
    clip_write(&(Clip){.width = 96, .height = 64, .frames = 3}, "short.y4m");
    run = program_run_on_terminal("-r", "ref.y4m", "-d", "short.y4m", NULL);
    assert_non_null(strstr(run.err, "\r1 frame of 3 (33%) "));
    run_free(&run);
    run = program_run_on_terminal("-r", "short.y4m", "-d", "dis.y4m", NULL);
    assert_non_null(strstr(run.err, "\r1 frame of 3 (33%) "));
    run_free(&run);

    run = program_run_on_terminal("-r", "ref.y4m", "-d", "dis.y4m", "--precision", "4", NULL);
    assert_non_null(strstr(run.err, "vmaf_v0.6.1: 97.14\r\n"));
    run_free(&run);
}

/* Means of the values in psnr_csv. Without a model these are the scores: of every column, as the
 * report calls it. */
CASE(given_no_model_on_a_terminal_then_the_means_of_features)
{
    static const char means[] = "\r\npsnr_y: 27.965041\r\npsnr_cb: 32.643120\r\n"
                                "psnr_cr: 30.274364\r\ninteger_vif_scale0: ";
    Run run = program_run_on_terminal("-r", "ref.y4m", "-d", "dis.y4m", "-n", "--feature", "psnr",
                                      "--feature", "vif", NULL);
    assert_int_equal(run.status, 0);
    if (!strstr(run.err, means))
        fail_msg("%s", run.err);
    run_free(&run);
    run = program_run_on_terminal("-r", "ref.y4m", "-d", "dis.y4m", "-n", "-q", "--precision", "3",
                                  "--feature", "psnr=enable_chroma=false", NULL);
    assert_string_equal(run.err, "psnr_y: 28\r\n");
    run_free(&run);
    run = program_run_on_terminal("-r", "ref.y4m", "-d", "dis.y4m", "-n", "-q", "-o", "report",
                                  "--feature", "psnr", NULL);
    assert_true(!run.err || !run.err[0]);
    run_free(&run);
    free(take_report());
}

CASE(given_quiet_on_a_terminal_then_the_score_unless_there_is_a_report)
{
    Run run = program_run_on_terminal("-q", "-r", "ref.y4m", "-d", "dis.y4m", NULL);
    assert_string_equal(run.err, "vmaf_v0.6.1: 97.140259\r\n");
    run_free(&run);
    run = program_run_on_terminal("-q", "-r", "ref.y4m", "-d", "dis.y4m", "-o", "report", NULL);
    assert_int_equal(run.status, 0);
    assert_true(!run.err || !run.err[0]);
    run_free(&run);
    free(take_report());
}

CASE(given_1080p_and_no_threads_then_little_memory)
{
#ifdef VMAF_SANITIZED
    skip(); /* sanitizers need memory of their own */
#else
    /* Twenty black frames, which take no room on the disk. */
    FILE *file = fopen("large.yuv", "wb");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), 20L * 1920 * 1080 * 3 / 2), 0);
    assert_int_equal(fclose(file), 0);
    Run run = RUN("-r", "large.yuv", "-d", "large.yuv", "-w1920", "-h1080", "-p420", "-b8",
                  "--threads", "1");
    assert_int_equal(run.status, 0);
    assert_true(run.peak_kilobytes < 70 * 1024);
    run_free(&run);
    remove("large.yuv");
#endif
}

CASES_SHARE(make_clips, program_leave_folder);
