/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* NDJSON reports: what they say, and that they say it while frames are scored. */
#include "clip.h"
#include "program.h"
#include "report_files.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"

enum { N_FRAMES = 9 };

#define RUN(...) program_run("-r", "ref.y4m", "-d", "dis.y4m", __VA_ARGS__, NULL)

static int make_clips(void **state)
{
    if (program_enter_folder(state))
        return -1;
    Clip clip = {.width = 96, .height = 64, .frames = N_FRAMES};
    clip_write_pair(&clip);
    clip.raw = true;
    clip_write(&clip, "dis.yuv");
    clip.cut = 100;
    clip.raw = false;
    clip_write(&clip, "cut.y4m");
    return 0;
}

static char *take(const char *path)
{
    char *text = file_content(path);
    if (!text)
        fail_msg("%s was not written", path);
    remove(path);
    return text;
}

static void remove_spaces(char *text)
{
    char *end = text;
    for (const char *c = text; *c; c++) {
        if (!isspace((unsigned char)*c))
            *end++ = *c;
    }
    *end = '\0';
}

/* Lines as a JSON report writes them: frames without their times, and the last line. */
static char *as_json(const char *lines)
{
    char *text = calloc(1, 2 * strlen(lines) + 64), *end = text;
    end += sprintf(end, "\"frames\":[");
    for (const char *line = lines; *line;) {
        const char *feed = strchr(line, '\n');
        if (!feed)
            fail_msg("the last line has no end: %s", line);
        const bool is_last = !feed[1];
        const char *time = strstr(line, ",\"time\":");
        if (is_last) {
            end += sprintf(end, "],%.*s", (int)(feed - line - 2), line + 1);
        } else {
            const char *rest = time && time < feed ? strchr(time + 1, ',') : line;
            if (line != lines)
                end += sprintf(end, ",");
            if (rest != line)
                end += sprintf(end, "%.*s", (int)(time - line), line);
            end += sprintf(end, "%.*s", (int)(feed - rest), rest);
        }
        line = feed + 1;
    }
    return text;
}

/* The members of the last line are followed by others in the JSON report. */
static void expect_equal(const char *ndjson, const char *json)
{
    char *lines = take(ndjson), *report = take(json), *expected = as_json(lines);
    remove_spaces(report);
    remove_spaces(expected);
    const char *frames = strstr(report, "\"frames\":[");
    assert_non_null(frames);
    if (strncmp(frames, expected, strlen(expected)))
        fail_msg("%s\nis not the beginning of\n%s", expected, frames);
    free(lines);
    free(report);
    free(expected);
}

CASE(lines_are_the_json_report_of_the_same_run)
{
    static const char *const threads[] = {"0", "1", "2", "5"};
    for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
        expect_status(RUN("-o", "a.ndjson", "-o", "a.json", "--threads", threads[t]), 0, "");
        expect_equal("a.ndjson", "a.json");
        expect_status(RUN("-o", "a.ndjson", "-o", "a.json", "-o", "a.html", "--threads", threads[t],
                          "--subsample", "2", "--precision", "max", "--pool", "p1,stddev",
                          "--feature", "psnr=enable_apsnr=true", "--feature",
                          "float_motion=debug=true", "--feature", "ciede", "--frame_skip_ref", "1"),
                      0, "ended before");
        remove("a.html");
        expect_equal("a.ndjson", "a.json");
        expect_status(RUN("-o", "a.ndjson", "-o", "a.json", "--threads", threads[t], "-m",
                          "version=vmaf_b_v0.6.3:name=b", "-m", "version=vmaf_v0.6.1"),
                      0, "");
        expect_equal("a.ndjson", "a.json");
        expect_status(RUN("-o", "a.ndjson", "-o", "a.json", "--threads", threads[t], "-n",
                          "--feature", "vif"),
                      0, "");
        expect_equal("a.ndjson", "a.json");
    }
}

/* 25 frames a second, of which two are passed over. */
static void expect_lines_from_the_third_frame_on(void)
{
    char *lines = take("a.ndjson"), *line = lines;
    for (unsigned i = 0; i < N_FRAMES - 2; i++, line = strchr(line, '\n') + 1) {
        char head[96];
        snprintf(head, sizeof(head), "{\"frameNum\":%u,\"time\":%.6f,\"metrics\":{\"", i,
                 (i + 2) / 25.0);
        if (strncmp(line, head, strlen(head)))
            fail_msg("%s\ndoes not begin with %s", line, head);
    }
    assert_memory_equal(line, "{\"pooled_metrics\":{\"", 20);
    assert_string_equal(strchr(line, '\n'), "\n");
    free(lines);
}

CASE(every_frame_has_a_line_and_its_time)
{
    expect_status(RUN("-o", "a.ndjson", "--frame_skip_ref", "2", "--frame_skip_dist", "2"), 0, "");
    expect_lines_from_the_third_frame_on();
    expect_status(RUN("-o", "a.ndjson", "--start", "2"), 0, "");
    expect_lines_from_the_third_frame_on();

    expect_status(RUN("-o", "a.ndjson", "--subsample", "4"), 0, "");
    char *lines = take("a.ndjson");
    assert_int_equal(occurrences(lines, "\"frameNum\":"), 3);
    assert_non_null(strstr(lines, "{\"frameNum\":8,\"time\":0.320000,"));
    free(lines);
}

CASE(raw_video_has_no_times)
{
    expect_status(program_run("-r", "dis.yuv", "-d", "dis.yuv", "-w96", "-h64", "-p420", "-b8",
                              "--ndjson", "-o", "lines", NULL),
                  0, "");
    char *lines = take("lines");
    assert_int_equal(occurrences(lines, "\"frameNum\":"), N_FRAMES);
    assert_int_equal(occurrences(lines, "time"), 0);
    free(lines);
}

CASE(without_features_there_is_a_last_line_alone)
{
    expect_status(RUN("-o", "a.ndjson", "-n", "--feature", "null"), 0, "");
    char *lines = take("a.ndjson");
    assert_string_equal(lines, "{\"pooled_metrics\":{},\"aggregate_metrics\":{}}\n");
    free(lines);
}

CASE(standard_output_is_an_output)
{
    Run run = RUN("-o", "-", "--ndjson");
    assert_int_equal(run.status, 0);
    expect_status(RUN("-o", "a.ndjson"), 0, "");
    char *lines = take("a.ndjson");
    assert_string_equal(run.out, lines);
    free(lines);
    run_free(&run);
}

static void shell(const char *command)
{
    const int status = system(command);
    if (status)
        fail_msg("%s: status %d", command, status);
}

/* A file that standard output goes to keeps what was in it. */
CASE(a_redirected_file_is_written_where_it_stands)
{
    shell("{ echo before; \"$VMAF\" -r ref.y4m -d dis.y4m --ndjson -o -; echo after; } > both");
    char *both = take("both");
    assert_memory_equal(both, "before\n{\"frameNum\":0,", 21);
    static const char end[] = "}}\nafter\n";
    assert_string_equal(both + strlen(both) - strlen(end), end);
    free(both);
}

/* The feeder holds the end of the video back until lines have come. */
CASE(lines_come_before_the_video_has_ended)
{
    static const char feeder[] =
        "n=$(($(wc -c < dis.y4m) - 5 * (96 * 64 * 3 / 2 + 6)));"
        "head -c $n dis.y4m;"
        "while [ \"$(cat live.ndjson 2>/dev/null | wc -l)\" -lt 3 ]; do sleep 0.01; done;"
        "wc -l < live.ndjson > seen; tail -c +$((n + 1)) dis.y4m";
    static const char *const threads[] = {"0", "3"};
    for (int t = 0; t < 2; t++) {
        const char *const arguments[] = {"-r",          "ref.y4m",   "-d",       "-", "-o",
                                         "live.ndjson", "--threads", threads[t], NULL};
        remove("live.ndjson");
        expect_status(program_run_fed(feeder, arguments), 0, "");
        char *seen = take("seen");
        /* Of four frames, the last one depends on the next. */
        assert_int_equal(atoi(seen), 3);
        free(seen);
        expect_status(RUN("-o", "a.json"), 0, "");
        expect_equal("live.ndjson", "a.json");
    }
}

/* Videos without an end, which wait for that after some frames. */
CASE(a_reader_that_leaves_ends_the_run)
{
    shell("mkfifo ref dis;"
          "feed() { cat ref.y4m; until [ -e gone ]; do sleep 0.01; done;"
          "  while tail -c $((96 * 64 * 3 / 2 + 6)) ref.y4m; do :; done; };"
          "feed > ref 2> /dev/null & feed > dis 2> /dev/null &"
          "{ \"$VMAF\" -r ref -d dis --ndjson -o - 2> why; echo $? > status; } |"
          "{ head -n 1 > first; exec 0<&-; touch gone; }; wait");
    char *why = take("why"), *status = take("status"), *first = take("first");
    assert_string_equal(why, "problem writing output: /dev/stdout (Broken pipe)\n");
    assert_string_equal(status, "255\n");
    assert_memory_equal(first, "{\"frameNum\":0,", 14);
    free(why);
    free(status);
    free(first);
    remove("gone");
    remove("ref");
    remove("dis");
}

/* Others are written, and it is said. */
CASE(an_output_that_fails_does_not_stop_others)
{
    if (!file_exists("/dev/full"))
        skip();
    expect_status(RUN("--ndjson", "-o", "/dev/full", "-o", "a.json", "-o", "a.ndjson"), 255,
                  "problem writing output: /dev/full (No space left on device)");
    expect_equal("a.ndjson", "a.json");
    expect_status(RUN("--ndjson", "-o", "/dev/full"), 255, "problem writing output: /dev/full");
    expect_status(RUN("--ndjson", "-o", "none/lines"), 255, "could not open file: none/lines");
}

CASE(a_run_that_fails_says_so_in_its_last_line)
{
    expect_status(
        program_run("-r", "ref.y4m", "-d", "cut.y4m", "-o", "a.ndjson", "-o", "a.json", NULL), 234,
        "cut.y4m: frame 8 cannot be read");
    assert_false(file_exists("a.json"));
    char *lines = take("a.ndjson");
    /* Frame 7 depends on the one that is damaged. */
    assert_int_equal(occurrences(lines, "\"metrics\":"), 7);
    assert_int_equal(occurrences(lines, "pooled_metrics"), 0);
    const char *last = strstr(lines, "{\"error\":");
    assert_non_null(last);
    assert_non_null(strstr(last, "cut.y4m: frame 8 cannot be read"));
    static const char end[] = ",\"frame\":7}\n";
    assert_string_equal(last + strlen(last) - strlen(end), end);
    free(lines);

    /* Before the first frame nothing is touched. */
    expect_status(RUN("-o", "a.ndjson"), 0, "");
    expect_status(program_run("-r", "ref.y4m", "-d", "none.y4m", "-o", "a.ndjson", NULL), 255,
                  "could not open file");
    lines = take("a.ndjson");
    assert_int_equal(occurrences(lines, "pooled_metrics"), 1);
    free(lines);
}

CASE(several_videos_have_one_each)
{
    expect_status(program_run("-r", "ref.y4m", "-d", "dis.y4m", "-d", "ref.y4m", "-d", "cut.y4m",
                              "-o", "x-{}.ndjson", "-o", "x-{}.json", NULL),
                  234, "cut.y4m: frame 8 cannot be read");
    expect_equal("x-dis.ndjson", "x-dis.json");
    expect_equal("x-ref.ndjson", "x-ref.json");
    char *lines = take("x-cut.ndjson");
    assert_int_equal(occurrences(lines, "\"metrics\":"), 7);
    assert_non_null(strstr(lines, "\n{\"error\":"));
    assert_non_null(strstr(lines, "cut.y4m: frame 8 cannot be read"));
    free(lines);
    expect_status(
        program_run("-r", "ref.y4m", "-d", "dis.y4m", "-d", "ref.y4m", "-o", "x.ndjson", NULL), 1,
        "one report on several distorted videos has to be JSON");
}

CASE(a_backend_that_is_missing_is_said_there_too)
{
    assert_int_equal(setenv("VMAF_BACKEND_PATH", "/nonexistent", 1), 0);
    expect_status(RUN("--backend", "cuda", "-o", "a.ndjson"), 100, "cuda");
    assert_int_equal(unsetenv("VMAF_BACKEND_PATH"), 0);
    char *lines = take("a.ndjson");
    assert_memory_equal(lines, "{\"error\": \"", 11);
    assert_int_equal(occurrences(lines, "\n"), 1);
    free(lines);
}

CASE(a_backend_takes_part)
{
    assert_int_equal(setenv("VMAF_BACKEND_PATH", getenv("EXAMPLE_BACKEND"), 1), 0);
    expect_status(RUN("--backend", "example", "-o", "a.ndjson", "-o", "a.json"), 0,
                  "vif: the example backend has no twin of this extractor");
    assert_int_equal(unsetenv("VMAF_BACKEND_PATH"), 0);
    expect_equal("a.ndjson", "a.json");
}

CASES_SHARE(make_clips, program_leave_folder);
