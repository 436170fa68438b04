/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf batch: each pair gives what a run of its own gives, and one that fails stops no other. */
#include "batch_run.h"
#include "clip.h"
#include "program.h"
#include "report_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cases.h"

#define RUN(...)   program_run(__VA_ARGS__, NULL)
#define BATCH(...) batch_run(__VA_ARGS__, NULL)

#define PAIR "{\"reference\":\"ref.y4m\",\"distorted\":\"dis.y4m\""

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
    clip_write(&(Clip){.width = 98, .height = 64, .frames = 5}, "other.y4m");
    return 0;
}

static const char *const words[][9] = {
    {"-m", "version=vmaf_v0.6.1"},
    {"-m", "version=vmaf_v0.6.1neg"},
    {"-m", "version=vmaf_b_v0.6.3"},
    {"-m", "version=vmaf_4k_v0.6.1:name=a", "-m", "version=vmaf_v0.6.1:disable_clip"},
    {"-m", "version=vmaf_v0.6.1:adm.adm_enhn_gain_limit=1.0"},
    {"-m", "version=vmaf_v0.6.1:adm.adm_enhn_gain_limit=1.2"},
    {"-m", "version=vmaf_v0.6.1:enable_transform"},
    {"-n", "--feature", "psnr=enable_apsnr=true", "--feature", "ciede"},
    {"--feature", "float_ssim", "--subsample", "2", "--precision", "max"},
    {"--feature", "float_motion", "--feature", "psnr_hvs", "--threads", "3"},
    {"--frame_skip_ref", "1", "--frame_skip_dist", "1", "--frames", "2", "--pool", "p5,median"},
};
enum { N_WORDS = sizeof(words) / sizeof(words[0]) };
static const char *const formats[] = {"json", "xml", "csv", "sub", "ndjson"};
enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

static void put_pair(FILE *list, unsigned i, const char *format)
{
    fprintf(list, PAIR ",\"output\":\"%u.%s\",\"options\":[", i, format);
    for (unsigned k = 0; words[i][k]; k++)
        fprintf(list, "%s\"%s\"", k ? "," : "", words[i][k]);
    fputs("]}\n", list);
}

static void write_single(unsigned i, const char *path)
{
    const char *arguments[16] = {"ref.y4m", "dis.y4m", "-o", path};
    for (unsigned k = 0; words[i][k]; k++)
        arguments[4 + k] = words[i][k];
    expect_status(program_run_fed("true", arguments), 0, "");
}

/* Its pooled metrics are those of a JSON report. */
static void expect_pooled(const BatchRun *batch, unsigned line, const char *report)
{
    json_error_t error;
    json_t *document = json_load_file(report, 0, &error);
    if (!document)
        fail_msg("%s: %s", report, error.text);
    assert_true(json_equal(json_object_get(document, "pooled_metrics"),
                           json_object_get(batch_result_of(batch, line), "pooled_metrics")));
    json_decref(document);
}

CASE(reports_are_those_of_runs_of_their_own)
{
    static const char *const jobs[] = {"1", "2", "5"};
    for (unsigned f = 0; f < N_FORMATS; f++) {
        char *text = NULL;
        size_t size;
        FILE *list = open_memstream(&text, &size);
        for (unsigned i = 0; i < N_WORDS; i++)
            put_pair(list, i, formats[f]);
        fclose(list);
        BatchRun batch = BATCH(text, "--jobs", jobs[f % 3]);
        if (batch.run.status || *batch.run.err)
            fail_msg("status %d: %s%s", batch.run.status, batch.run.err, batch.run.out);
        assert_int_equal(json_array_size(batch.results), N_WORDS);
        for (unsigned i = 0; i < N_WORDS; i++) {
            char mine[32], single[32];
            snprintf(mine, sizeof(mine), "%u.%s", i, formats[f]);
            snprintf(single, sizeof(single), "single.%s", formats[f]);
            write_single(i, single);
            batch_expect(&batch, i + 1, 0, "");
            assert_string_equal(
                json_string_value(json_object_get(batch_result_of(&batch, i + 1), "output")), mine);
            if (!f)
                expect_pooled(&batch, i + 1, single);
            expect_equal_reports(mine, single);
        }
        batch_run_free(&batch);
        free(text);
    }
}

CASE(options_of_the_batch_are_defaults_of_all_lines)
{
    BatchRun batch =
        BATCH(PAIR ",\"output\":\"a.xml\"}\n" PAIR
                   ",\"output\":\"b\",\"options\":[\"--csv\",\"--feature\",\"psnr\"]}\n",
              "-n", "--feature", "float_psnr", "--json", "--precision", "3");
    assert_int_equal(batch.run.status, 0);
    expect_status(RUN("ref.y4m", "dis.y4m", "-n", "--feature", "float_psnr", "--precision", "3",
                      "--json", "-o", "c.xml"),
                  0, "");
    expect_equal_reports("a.xml", "c.xml");
    expect_status(RUN("ref.y4m", "dis.y4m", "-n", "--feature", "float_psnr", "--precision", "3",
                      "--csv", "--feature", "psnr", "-o", "c"),
                  0, "");
    expect_equal_reports("b", "c");
    batch_run_free(&batch);
}

CASE(a_failing_pair_stops_no_other)
{
    const char *list =
        PAIR ",\"output\":\"1.json\"}\n"
             "{\"reference\":\"none.y4m\",\"distorted\":\"dis.y4m\",\"output\":\"2.json\"}\n"
             "{\"reference\":\"ref.y4m\",\"distorted\":\"cut.y4m\",\"output\":\"3.json\"}\n"
             "{\"reference\":\"ref.y4m\",\"distorted\":\"other.y4m\"}\n" PAIR
             ",\"output\":null,\"options\":[\"-m\",\"version=nosuch\"]}\n" PAIR
             ",\"output\":\"/dev/full\"}\n" PAIR
             ",\"options\":[\"--require\",\"vmaf.mean>=101\"]}\n" PAIR
             ",\"output\":\"ref.y4m\"}\n" PAIR ",\"options\":[\"--backend\",\"vulkan\"]}\n"
             "{\"reference\":\"ref.y4m\",\"distorted\":\"short.y4m\",\"output\":\"10.json\"}\n";
    for (int jobs = 1; jobs <= 3; jobs++) {
        BatchRun batch = BATCH(list, "--jobs", jobs == 1 ? "1" : "3");
        assert_int_equal(batch.run.status, 255);
        assert_int_equal(json_array_size(batch.results), 10);
        batch_expect(&batch, 1, 0, "");
        batch_expect(&batch, 2, 255, "could not open file: none.y4m (No such file or directory)");
        batch_expect(&batch, 3, 234, "problem reading pictures");
        batch_expect(&batch, 4, 255, "videos are incompatible");
        batch_expect(&batch, 5, 255, "problem loading model: nosuch");
        batch_expect(&batch, 6, 255, "/dev/full");
        batch_expect(&batch, 7, 3, "required vmaf.mean>=101: it is ");
        batch_expect(&batch, 8, 1, "would replace a video");
        batch_expect(&batch, 9, 100, "--backend vulkan requested");
        batch_expect(&batch, 10, 0, "");
        /* What is known is told, and what is no error is not one. */
        assert_true(json_is_object(json_object_get(batch_result_of(&batch, 6), "pooled_metrics")));
        assert_true(json_is_object(json_object_get(batch_result_of(&batch, 7), "pooled_metrics")));
        assert_true(json_is_null(json_object_get(batch_result_of(&batch, 3), "pooled_metrics")));
        assert_non_null(strstr(batch.run.err, "line 10: \"short.y4m\" ended before \"ref.y4m\"."));
        assert_false(file_exists("2.json") || file_exists("3.json"));
        free(take_report("1.json"));
        free(take_report("10.json"));
        batch_run_free(&batch);
    }
}

/* A warning that was given before the frames came is no part of it. */
CASE(the_error_is_what_was_said_last)
{
    BatchRun batch =
        BATCH(PAIR ",\"options\":[\"-w\",\"96\",\"-h\",\"64\",\"-p\",\"420\",\"-b\",\"8\","
                   "\"--frames\",\"1\",\"--require\",\"vmaf.mean>=101\"]}\n");
    batch_expect(&batch, 1, 3, "required vmaf.mean>=101: it is ");
    assert_non_null(strstr(batch.run.err, "begins like a Y4M file"));
    assert_null(strstr(batch.run.out, "begins like a Y4M file"));
    batch_run_free(&batch);
}

CASE(malformed_lines_have_results)
{
    static const struct {
        const char *line, *error;
    } cases[] = {
        {"ref.y4m dis.y4m", "this is no JSON: "},
        {"[\"ref.y4m\",\"dis.y4m\"]", "this is no JSON object"},
        {"{\"reference\":\"ref.y4m\"}", "\"distorted\" is missing"},
        {"{\"distorted\":\"dis.y4m\"}", "\"reference\" is missing"},
        {"{}", "\"reference\" is missing"},
        {"{\"reference\":1,\"distorted\":\"dis.y4m\"}", "\"reference\" has to be a string"},
        {"{\"reference\":null,\"distorted\":\"dis.y4m\"}", "\"reference\" has to be a string"},
        {"{\"reference\":\"\",\"distorted\":\"dis.y4m\"}", "\"reference\" is empty"},
        {PAIR ",\"output\":\"\"}", "\"output\" is empty"},
        {PAIR ",\"output\":[\"a\"]}", "\"output\" has to be a string"},
        {PAIR ",\"option\":[]}", "there is no member \"option\"; did you mean \"options\"?"},
        {PAIR ",\"model\":\"x\"}", "there are reference, distorted, output and options"},
        {PAIR ",\"reference\":\"dis.y4m\"}", "duplicate"},
        {PAIR ",\"options\":\"-n\"}", "has to be an array of words"},
        {PAIR ",\"options\":[\"--threads\",2]}", "number 2 is no string"},
        {PAIR ",\"options\":[\"--thraeds\",\"2\"]}", "did you mean '--threads'?"},
        {PAIR ",\"options\":[\"--threads\"]}", "requires an argument"},
        {PAIR ",\"options\":[\"a.y4m\"]}", "unexpected word 'a.y4m' among the options"},
        {PAIR ",\"options\":[\"-r\",\"a\"]}", "-r/--reference is not for a line of a batch"},
        {PAIR ",\"options\":[\"-da\"]}", "-d/--distorted is not for a line of a batch"},
        {PAIR ",\"options\":[\"--jobs\",\"2\"]}", "--jobs is not for a line of a batch"},
        {PAIR ",\"options\":[\"--help\"]}", "--help is not for a line of a batch"},
        {PAIR ",\"options\":[\"-v\"]}", "-v/--version is not for a line of a batch"},
        {PAIR ",\"options\":[\"--list-models\"]}", "--list-models is not for a line"},
        {PAIR ",\"options\":[\"--list-features\"]}", "--list-features is not for a line"},
        {PAIR ",\"options\":[\"--list-backends\"]}", "--list-backends is not for a line"},
        {PAIR ",\"options\":[\"--capabilities=x\"]}", "--capabilities is not for a line"},
        {PAIR ",\"options\":[\"--completion\",\"zsh\"]}", "--completion is not for a line"},
        {PAIR ",\"options\":[\"-m\",\"version=vmaf_v0.6.1\",\"-m\",\"version=vmaf_b_v0.6.3\"]}",
         "each model should be uniquely named"},
        {PAIR ",\"output\":\"-\"}", "standard output has the results"},
        {PAIR ",\"output\":\"/dev/stdout\"}", "standard output has the results"},
        {PAIR ",\"output\":\"/proc/self/fd/1\"}", "standard output has the results"},
        {PAIR ",\"options\":[\"-o\",\"-\"]}", "standard output has the results"},
        {"{\"reference\":\"-\",\"distorted\":\"dis.y4m\"}", "standard input cannot be a video"},
        {"{\"reference\":\"ref.y4m\",\"distorted\":\"-\"}", "standard input cannot be a video"},
        {PAIR ",\"output\":\"list.ndjson\"}", "the report would replace the list"},
        {PAIR ",\"output\":\"a\\u0000b\"}", "this is no JSON: "},
        {"\"\xff\"", "this is no JSON: "},
    };
    enum { N = sizeof(cases) / sizeof(cases[0]) };
    static const char *const blanks[] = {"\n", "", " \t\r\n", ""}; /* count as lines */
    char *list = NULL;
    size_t size;
    FILE *out = open_memstream(&list, &size);
    for (unsigned i = 0; i < N; i++)
        fprintf(out, "%s\n%s", cases[i].line, blanks[i % 4]);
    fputs(PAIR "}", out); /* the last line has no end */
    fclose(out);
    const unsigned files = file_count();
    BatchRun batch = BATCH(list);
    assert_int_equal(batch.run.status, 255);
    assert_int_equal(json_array_size(batch.results), N + 1);
    for (unsigned i = 0; i < N; i++)
        batch_expect(&batch, 1 + i + (i + 1) / 2, 1, cases[i].error);
    batch_expect(&batch, 1 + N + (N + 1) / 2, 0, "");
    assert_int_equal(file_count(), files);
    batch_run_free(&batch);
    free(list);
}

CASE(reports_may_go_where_nothing_stays_even_if_results_go_there)
{
    file_put_text("list.ndjson", PAIR ",\"output\":\"/dev/null\"}\n");
    assert_int_equal(system("\"$VMAF\" batch list.ndjson >/dev/null"), 0);
    remove("list.ndjson");
}

CASE(names_that_are_not_ascii_are_in_results)
{
    BatchRun batch = BATCH("{\"reference\":\"ref.y4m\",\"distorted\":\"caf\xc3\xa9.y4m\"}\n");
    batch_expect(&batch, 1, 255, "caf\xc3\xa9.y4m");
    batch_run_free(&batch);
}

CASE(two_lines_cannot_have_one_report)
{
    assert_int_equal(symlink("a.json", "link.json"), 0);
    assert_int_equal(symlink(".", "folder"), 0);
    BatchRun batch =
        BATCH(PAIR ",\"output\":\"a.json\"}\n" PAIR ",\"output\":\"./a.json\"}\n" PAIR
                   ",\"options\":[\"-o\",\"a.json\"]}\n" PAIR ",\"output\":\"link.json\"}\n" PAIR
                   ",\"output\":\"folder/a.json\"}\n" PAIR
                   ",\"output\":\"b.json\",\"options\":[\"-o\",\"./b.json\"]}\n" PAIR
                   ",\"output\":\"b.json\"}\n" PAIR ",\"output\":\"/dev/null\"}\n" PAIR
                   ",\"output\":\"/dev/null\"}\n"
                   "{\"reference\":\"ref.y4m\",\"distorted\":\"a.json\"}\n");
    batch_expect(&batch, 1, 0, "");
    batch_expect(&batch, 2, 1, "the report would replace what line 1 writes: ./a.json");
    batch_expect(&batch, 3, 1, "the report would replace what line 1 writes: a.json");
    batch_expect(&batch, 4, 1, "the report would replace what line 1 writes: link.json");
    batch_expect(&batch, 5, 1, "the report would replace what line 1 writes: folder/a.json");
    batch_expect(&batch, 6, 1, "the report would replace what line 6 writes: ./b.json");
    batch_expect(&batch, 7, 0, ""); /* since line 6 does not have it */
    batch_expect(&batch, 8, 0, "");
    batch_expect(&batch, 9, 0, "");
    batch_expect(&batch, 10, 1, "is what line 1 writes: a.json");
    batch_run_free(&batch);
    remove("link.json");
    remove("folder");
    free(take_report("a.json"));
    free(take_report("b.json"));
}

CASE(long_lines_are_passed_over)
{
    enum { MOST = 1 << 20 }; /* BATCH_LINE_MAX */
    static const size_t lengths[] = {MOST, MOST + 1, 2 * MOST + 12345, 5 * MOST};
    char *list = malloc(16 * (size_t)MOST), *end = list;
    for (int i = 0; i < 4; i++) {
        end += sprintf(end, PAIR "}");
        const size_t blanks = lengths[i] - strlen(PAIR "}");
        memset(end, ' ', blanks);
        end += blanks;
        *end++ = '\n';
    }
    strcpy(end, PAIR "}\n");
    BatchRun batch = BATCH(list);
    assert_int_equal(json_array_size(batch.results), 5);
    batch_expect(&batch, 1, 0, "");
    for (unsigned i = 2; i <= 4; i++)
        batch_expect(&batch, i, 1, "the line has more than 1048576 bytes");
    batch_expect(&batch, 5, 0, "");
    batch_run_free(&batch);
    /* One that never ends takes no more memory. */
    char *tail = end;
    memset(list, '[', (size_t)(tail - list));
    *tail = '\0';
    batch = BATCH(list);
    assert_int_equal(json_array_size(batch.results), 1);
    batch_expect(&batch, 1, 1, "the line has more than");
    batch_run_free(&batch);
    free(list);
}

CASE(an_empty_list_is_done)
{
    static const char *const lists[] = {"", "\n", " \n\n\t\r\n ", "\n\n"};
    for (int i = 0; i < 4; i++) {
        BatchRun batch = BATCH(lists[i], "--jobs", "2");
        assert_int_equal(batch.run.status, 0);
        assert_int_equal(json_array_size(batch.results), 0);
        assert_string_equal(batch.run.err, "");
        batch_run_free(&batch);
    }
}

CASE(a_wrong_command_line_is_refused)
{
    static const struct {
        const char *words[4], *says;
        int status;
    } cases[] = {
        {{"batch"}, "a list of pairs is required", 1},
        {{"batch", "a", "b"}, "there are two lists: 'a' and 'b'", 1},
        {{"batch", "a", "--jobs", "0"}, "--jobs has to be at least 1", 1},
        {{"batch", "a", "--jobs", "1025"}, "an integer up to 1024", 1},
        {{"batch", "a", "-rx"}, "option -r/--reference is not for the command line of", 1},
        {{"batch", "a", "-dx"}, "option -d/--distorted is not for the command line of", 1},
        {{"batch", "a", "-ox"}, "option -o/--output is not for the command line of", 1},
        {{"batch", "a", "--list-backends"}, "option --list-backends is not for the command", 1},
        {{"batch", "a", "--capabilities"}, "option --capabilities is not for the command", 1},
        {{"batch", "a", "--feature", "psnr=nosuch=1"}, "nosuch", 1},
        {{"batch", "a", "--no_cuda", "--backend=cuda"}, "contradict each other", 1},
        {{"batch", "none.ndjson"}, "could not open file: none.ndjson (No such file", 255},
        {{"batch", "."}, "could not open file: . (Is a directory)", 255},
        {{"ref.y4m", "dis.y4m", "--jobs", "2"}, "option --jobs is for vmaf batch", 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *arguments[5] = {cases[i].words[0], cases[i].words[1], cases[i].words[2],
                                    cases[i].words[3]};
        Run run = program_run_fed("true", arguments);
        if (cases[i].status == 1 && !strncmp(cases[i].words[0], "batch", 5) &&
            !strstr(run.err, "Usage: vmaf batch LIST"))
            fail_msg("no usage: %s", run.err);
        expect_status(run, cases[i].status, cases[i].says);
    }
    Run help = RUN("batch", "--help"), group = RUN("--help", "batch");
    assert_int_equal(help.status, 0);
    assert_string_equal(help.out, group.out);
    assert_non_null(strstr(help.out, "--jobs N"));
    run_free(&help);
    run_free(&group);
}

/* Neither progress nor scores or a table are shown: several pairs would be mixed up. */
CASE(a_terminal_shows_messages_only)
{
    file_put_text("list.ndjson",
                  PAIR "}\n{\"reference\":\"ref.y4m\",\"distorted\":\"none.y4m\"}\n");
    Run run = program_run_on_terminal("batch", "list.ndjson", NULL);
    assert_int_equal(run.status, 255);
    assert_string_equal(run.err,
                        "line 2: could not open file: none.y4m (No such file or directory)\r\n");
    run_free(&run);
    run = program_run_into_terminal("batch", "list.ndjson", NULL);
    assert_null(strstr(run.out, "harmonic mean "));
    assert_int_equal(occurrences(run.out, "\n"), 2);
    run_free(&run);
    remove("list.ndjson");
}

/* Who shortens a file that is scored ends its pair, not the program. */
CASE(a_file_that_shrinks_fails_its_pair_alone)
{
    enum { FRAMES = 40 };
    clip_write(&(Clip){.width = 640, .height = 360, .frames = FRAMES}, "large.y4m");
    assert_int_equal(mkfifo("slow", 0600), 0);
    const pid_t writer = fork();
    if (!writer) { /* the reference arrives half, then the other file is cut */
        size_t size;
        unsigned char *bytes =
            clip_make(&(Clip){.width = 640, .height = 360, .frames = FRAMES}, &size);
        FILE *slow = fopen("slow", "w");
        fwrite(bytes, 1, size / 2, slow);
        fflush(slow);
        if (truncate("large.y4m", 100))
            _exit(1);
        fwrite(bytes + size / 2, 1, size - size / 2, slow);
        fclose(slow);
        _exit(0);
    }
    BatchRun batch = BATCH("{\"reference\":\"slow\",\"distorted\":\"large.y4m\",\"options\":"
                           "[\"-n\",\"--feature\",\"psnr\"]}\n" PAIR "}\n");
    assert_int_equal(batch.run.status, 255);
    assert_int_equal(json_array_size(batch.results), 2);
    batch_expect(&batch, 1, 234, "");
    batch_expect(&batch, 2, 0, "");
    batch_run_free(&batch);
    remove("slow");
    remove("large.y4m");
}

CASES_SHARE(make_clips, program_leave_folder);
