/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The line that tells how far a run is. */
#include "clip.h"
#include "program.h"
#include "run/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"

static void expect_line(const ProgressLine *line, unsigned columns, const char *expected)
{
    char text[256];
    progress_format(text, sizeof(text), line, columns);
    assert_string_equal(text, expected);
}

CASE(given_a_number_of_frames_then_what_is_left)
{
    ProgressLine line = {.done = 50, .total = 200, .rate = 5};
    expect_line(&line, 80, "50 frames of 200 (25%) 5.00 FPS, 30 s left");
    line.is_estimate = true;
    expect_line(&line, 80, "50 frames of about 200 (25%) 5.00 FPS, 30 s left");
    line = (ProgressLine){.done = 10, .total = 100010, .rate = 0.1};
    expect_line(&line, 80, "10 frames of 100010 (0%) 0.10 FPS, over 99 hours left");
    line = (ProgressLine){.done = 999, .total = 1000, .rate = 10};
    expect_line(&line, 80,
                "999 frames of 1000 (99%) 10.00 FPS, 0 s left"); /* 100 only at the end */
    line.done = 1000;
    expect_line(&line, 80, "1000 frames of 1000 (100%) 10.00 FPS, 0 s left");
    line = (ProgressLine){.done = 0, .total = 5};
    expect_line(&line, 80, "0 frames of 5 (0%) 0.00 FPS, ? left");
    static const struct {
        unsigned long long left;
        const char *expected;
    } cases[] = {{59, "59 s"},    {60, "1:00"},      {61, "1:01"},
                 {3599, "59:59"}, {3600, "1:00:00"}, {3900, "1:05:00"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[256], expected[32];
        line = (ProgressLine){.done = 100, .total = 100 + cases[i].left, .rate = 1};
        progress_format(text, sizeof(text), &line, 80);
        snprintf(expected, sizeof(expected), " FPS, %s left", cases[i].expected);
        assert_non_null(strstr(text, expected));
    }
}

CASE(given_no_number_of_frames_then_no_percentage)
{
    ProgressLine line = {.done = 1, .rate = 0.5};
    expect_line(&line, 80, "1 frame 0.50 FPS");
    line = (ProgressLine){.done = 7, .total = 5, .rate = 7}; /* the file has grown */
    expect_line(&line, 80, "7 frames 7.00 FPS");
    line =
        (ProgressLine){.done = 70, .rate = 7, .backend = "cuda", .cpu_rate = 2, .backend_rate = 5};
    expect_line(&line, 80, "70 frames 7.00 FPS (cpu 2.00, cuda 5.00)");
    expect_line(&line, 40, "70 frames 7.00 FPS");
    expect_line(&line, 18, "70 frames");
    expect_line(&line, 5, "70 f");
    expect_line(&line, 0, "");
}

/* A line that is as long as the terminal is wide would make it scroll. */
CASE(given_a_narrow_terminal_then_less_is_said)
{
    const ProgressLine line = {.done = 1250,
                               .total = 5000,
                               .rate = 125,
                               .backend = "cuda",
                               .cpu_rate = 25,
                               .backend_rate = 100};
    static const char *const variants[] = {
        "1250 frames of 5000 (25%) 125.00 FPS (cpu 25.00, cuda 100.00), 30 s left",
        "1250 frames of 5000 (25%) 125.00 FPS, 30 s left",
        "25% 125.00 FPS, 30 s left",
        "25%, 30 s left",
        "25%",
    };
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        const unsigned length = (unsigned)strlen(variants[i]);
        expect_line(&line, length + 1, variants[i]);
        if (i + 1 < sizeof(variants) / sizeof(variants[0]))
            expect_line(&line, length, variants[i + 1]);
    }
}

CASE(given_two_marks_then_the_rates_between_them)
{
    const ProgressMark from = {10, 100, {NULL, 90, 0}};
    ProgressMark to = {12, 300, {"cuda", 110, 150}};
    ProgressLine line = progress_between(&from, &to);
    assert_int_equal(line.done, 300);
    assert_true(line.rate == 100);
    assert_string_equal(line.backend, "cuda");
    assert_true(line.cpu_rate == 10 && line.backend_rate == 75);
    to.shares.by_cpu = 90; /* the backend computes everything */
    assert_null(progress_between(&from, &to).backend);
    to.shares = (ProgressShares){"cuda", 100, 0}; /* or nothing yet */
    assert_null(progress_between(&from, &to).backend);
    to.shares = (ProgressShares){NULL, 100, 50}; /* or was lost */
    assert_null(progress_between(&from, &to).backend);
    to.time = 10;
    assert_true(!(progress_between(&from, &to).rate > 0));
}

static unsigned long long counted;

static void count_halves(void *cookie, ProgressShares *shares)
{
    assert_ptr_equal(cookie, &counted);
    *shares = (ProgressShares){"cuda", counted / 2, counted - counted / 2};
}

/* What it writes of a run that began some seconds before the first frame. */
static char *lines_of(bool enabled, double before)
{
    FILE *out = fopen("lines", "w+");
    Progress progress;
    progress_start(&progress, out, enabled, 40, false);
    progress_ask(&progress, count_halves, &counted);
    progress.start.time -= before;
    for (counted = 1; counted <= 40; counted++)
        progress_update(&progress, counted);
    counted = 40;
    progress_end(&progress, counted);
    progress_end(&progress, counted);
    fclose(out);
    return file_content("lines");
}

CASE(given_a_run_then_its_end_is_told_once_and_who_did_it)
{
    setenv("COLUMNS", "200", 1); /* nothing is as fast as this */
    char *lines = lines_of(true, 0);
    assert_int_equal(occurrences(lines, "\n"), 1);
    const char *last = strrchr(lines, '\r');
    assert_non_null(strstr(last, "40 frames of 40 (100%) "));
    assert_non_null(strstr(last, " FPS (cpu "));
    assert_non_null(strstr(last, ", cuda "));
    free(lines);
    lines = lines_of(false, 0);
    assert_string_equal(lines, "");
    free(lines);
    lines = lines_of(true, 1000); /* the end tells the rate of the whole run */
    assert_non_null(strstr(lines, "40 frames of 40 (100%) 0.04 FPS (cpu 0.02, cuda 0.02)"));
    free(lines);
    setenv("COLUMNS", "80", 1);
}

/* -- the program -- */

static int enter(void **state)
{
    if (program_enter_folder(state))
        return -1;
    Clip clip = {.width = 96, .height = 64, .frames = 6};
    clip_write_pair(&clip);
    return setenv("COLUMNS", "80", 1);
}

/* The longest line that was shown, and whether the last one holds a text. */
static void expect_on_terminal(Run run, const char *last, size_t most)
{
    assert_int_equal(run.status, 0);
    bool found = false;
    for (const char *at = run.err; *at; at += strcspn(at, "\r\n") + !!at[strcspn(at, "\r\n")]) {
        const char *end = strstr(at, "\x1b[K");
        const size_t length = end && end < at + strcspn(at, "\r\n") ? (size_t)(end - at) : 0;
        if (length > most)
            fail_msg("too wide: %.*s", (int)length, at);
        found |= length >= strlen(last) && !strncmp(at, last, strlen(last));
    }
    if (!found)
        fail_msg("no '%s' in: %s", last, run.err);
    run_free(&run);
}

CASE(given_a_terminal_then_exact_numbers_that_fit)
{
    expect_on_terminal(program_run_on_terminal("-r", "ref.y4m", "-d", "dis.y4m", NULL),
                       "6 frames of 6 (100%) ", 79);
    expect_on_terminal(
        program_run_on_terminal("-r", "ref.y4m", "-d", "dis.y4m", "--frames", "4", NULL),
        "4 frames of 4 (100%) ", 79);
    expect_on_terminal(
        program_run_on_terminal("-r", "ref.y4m", "-d", "dis.y4m", "--start", "2", NULL),
        "4 frames of 4 (100%) ", 79);
    setenv("COLUMNS", "12", 1);
    expect_on_terminal(program_run_on_terminal("-r", "ref.y4m", "-d", "dis.y4m", NULL), "100%", 11);
    setenv("COLUMNS", "80", 1);
}

CASES_SHARE(enter, program_leave_folder);
