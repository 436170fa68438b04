/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which row stands for an encoder, and how encoders are compared over sources. */

#include "support/cases.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tune/commands/benchmark.h"
#include "tune/rows/row_file.h"
#include "tune/session/output.h"

enum { MAX_ROWS = 16 };

static Row rows[MAX_ROWS];
static size_t n_rows;

static Row *add(const char *src, const char *encoder, int crf, double kbps, double score)
{
    Row *row = &rows[n_rows++];
    row_init(row);
    assert_int_equal(row_set_text(&row->src, src), 0);
    assert_int_equal(row_set_text(&row->encoder, encoder), 0);
    assert_int_equal(row_set_text(&row->preset, "medium"), 0);
    row->crf = crf;
    row->bitrate_kbps = kbps;
    row->vmaf_score = score;
    row->exit_status = 0;
    return row;
}

static int forget(void **state)
{
    while (n_rows)
        row_free(&rows[--n_rows]);
    return 0;
}

#define TEST(name) CASE_WITH(name, NULL, forget)

static Benchmark made(double target, const char *baseline)
{
    Benchmark benchmark;
    Message message = {""};
    const BenchmarkOptions options = {target, baseline};
    if (benchmark_make(&benchmark, rows, n_rows, &options, &message))
        fail_msg("%s", message.text);
    return benchmark;
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * fmax(1, fabs(b))))
        fail_msg("%.17g, not %.17g", a, b);
}

TEST(given_one_source_then_the_cheapest_row_that_passes_stands_for_an_encoder)
{
    add("a", "x264", 20, 3000, 97);
    add("a", "x264", 24, 2000, 93);
    add("a", "x264", 26, 1600, 91);
    add("a", "x265", 27, 1500, 92); /* inclusively */
    add("a", "x265", 22, 2500, 96);
    add("a", "vp9", 40, 700, 88);
    add("a", "vp9", 33, 900, 90);
    add("a", "av1", 40, 1800, 94);
    Benchmark benchmark = made(92, NULL);
    assert_int_equal(benchmark.n, 4);
    static const char *const order[] = {"x265", "av1", "x264", "vp9"};
    static const double deltas[] = {0, 20, 100.0 / 3, -40}, margins[] = {0, 2, 1, -2};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(benchmark.entries[i].encoder, order[i]);
        assert_int_equal(benchmark.entries[i].met, i < 3);
        assert_near(benchmark.entries[i].delta_pct, deltas[i]);
        assert_true(benchmark.entries[i].margin == margins[i]);
    }
    assert_string_equal(benchmark.baseline, "x265");
    assert_int_equal(benchmark_crf(&benchmark.entries[3]), 33); /* the best there is */
    assert_int_equal(benchmark.entries[2].n_rows, 3);
    assert_true(benchmark.entries[0].kbps == 1500);
    benchmark_free(&benchmark);
    benchmark = made(92, "x264");
    assert_string_equal(benchmark.baseline, "x264");
    assert_near(benchmark.entries[0].delta_pct, -25);
    benchmark_free(&benchmark);
    /* A baseline that misses the target is one nevertheless. */
    benchmark = made(92, "vp9");
    assert_near(benchmark.entries[2].delta_pct, 100 * (2000 - 900) / 900.0);
    benchmark_free(&benchmark);
}

TEST(given_ties_then_score_then_quality_value_then_name_decide)
{
    add("a", "z", 30, 1000, 93);
    add("a", "z", 28, 1000, 94);
    add("a", "z", 27, 1000, 94);
    add("a", "z", 29, 1000, 94);
    add("a", "b", 20, 1000, 95);
    add("a", "unmet", 33, 500, 90);
    add("a", "unmet", 35, 450, 90); /* as good, and cheaper */
    add("a", "unmet", 34, 450, 90);
    Benchmark benchmark = made(92, NULL);
    assert_string_equal(benchmark.entries[0].encoder, "b");
    assert_string_equal(benchmark.baseline, "b");
    assert_string_equal(benchmark.entries[1].encoder, "z");
    assert_int_equal(benchmark_crf(&benchmark.entries[1]), 27);
    assert_int_equal(benchmark_crf(&benchmark.entries[2]), 34);
    benchmark_free(&benchmark);
}

TEST(given_none_that_passes_then_there_is_no_baseline)
{
    add("a", "x", 20, 900, 80);
    add("a", "y", 20, 800, 85);
    Benchmark benchmark = made(92, NULL);
    assert_null(benchmark.baseline);
    assert_true(isnan(benchmark.entries[0].delta_pct));
    assert_string_equal(benchmark.entries[0].encoder, "y");
    char text[4096] = "";
    FILE *out = fmemopen(text, sizeof(text), "w");
    benchmark_print_markdown(&benchmark, out);
    fclose(out);
    assert_non_null(strstr(text, "- Baseline: \xe2\x80\x94\n"));
    assert_non_null(strstr(text, "| y | unmet | 85.00 | 800.0 | \xe2\x80\x94 | medium | 20 | 1 | "
                                 "\xe2\x80\x94 | \xe2\x80\x94 |"));
    benchmark_free(&benchmark);
}

/* The clip "easy" is cheap: an encoder that was tried on it only would win by its bitrate. */
TEST(given_several_sources_then_they_are_aggregated_first)
{
    add("easy", "x", 30, 100, 93);
    add("hard", "x", 25, 8000, 93);
    add("hard", "x", 24, 9000, 95);
    add("easy", "y", 31, 80, 94);
    add("hard", "y", 20, 5000, 92.5);
    add("easy", "w", 35, 90, 93);
    Benchmark benchmark = made(92, NULL);
    assert_int_equal(benchmark.n_sources, 2);
    /* Only "easy" is shared by all three that pass: y is the cheapest there. */
    assert_string_equal(benchmark.baseline, "y");
    assert_string_equal(benchmark.entries[0].encoder, "y");
    assert_string_equal(benchmark.entries[1].encoder, "w");
    assert_near(benchmark.entries[1].delta_pct, 12.5);
    const BenchmarkEntry *x = &benchmark.entries[2];
    assert_near(x->delta_pct, 100 * (sqrt(100.0 / 80 * 8000 / 5000) - 1));
    assert_near(x->kbps, sqrt(100.0 * 8000));
    assert_near(x->score, 93);
    assert_near(x->margin, 1);
    assert_int_equal(x->n_sources, 2);
    assert_near(x->sources[0].delta_pct, 25);
    assert_near(x->sources[1].delta_pct, 60);
    assert_int_equal(benchmark_crf(x), ROW_NO_INTEGER); /* 30 and 25 */
    assert_string_equal(benchmark_preset(x), "medium");
    benchmark_free(&benchmark);
    /* One source that is missed: the encoder is. */
    rows[4].vmaf_score = 91;
    benchmark = made(92, NULL);
    assert_string_equal(benchmark.entries[2].encoder, "y");
    assert_false(benchmark.entries[2].met);
    assert_near(benchmark.entries[2].margin, -1);
    benchmark_free(&benchmark);
}

TEST(given_no_source_in_common_then_there_is_no_delta)
{
    add("a", "x", 30, 100, 93);
    add("b", "y", 30, 50, 93);
    Benchmark benchmark = made(92, "x");
    assert_true(isnan(benchmark.entries[1].delta_pct));
    assert_string_equal(benchmark.entries[1].encoder, "y");
    benchmark_free(&benchmark);
    benchmark = made(92, NULL);
    assert_null(benchmark.baseline);
    benchmark_free(&benchmark);
}

TEST(given_rows_that_failed_or_lack_numbers_then_they_do_not_count)
{
    add("a", "x", 30, 100, 95)->exit_status = 1;
    add("a", "x", 30, 0, 95); /* an older program did not know */
    add("a", "x", 30, NAN, 95);
    add("a", "x", 30, 100, NAN);
    add("a", "x", 30, INFINITY, 95);
    Benchmark benchmark;
    Message message = {""};
    const BenchmarkOptions options = {92, NULL}, named = {92, "y"};
    assert_int_equal(benchmark_make(&benchmark, rows, n_rows, &options, &message), -ENODATA);
    assert_true(*message.text);
    add("a", "x", 31, 700, 93);
    benchmark = made(92, NULL);
    assert_int_equal(benchmark.n_skipped, 5);
    assert_int_equal(benchmark.entries[0].n_rows, 1);
    benchmark_free(&benchmark);
    assert_int_equal(benchmark_make(&benchmark, rows, n_rows, &named, &message), -EINVAL);
    assert_non_null(strstr(message.text, "y"));
    assert_int_equal(benchmark_make(&benchmark, rows, 0, &options, &message), -ENODATA);
}

TEST(given_times_then_speeds_are_frames_per_second)
{
    Row *row = add("a", "x", 30, 100, 93);
    assert_true(isnan(row_encode_fps(row)) && isnan(row_score_fps(row)));
    row->encode_speed_fps = 12;
    assert_true(row_encode_fps(row) == 12);
    row->duration_s = 10;
    row->framerate = 24;
    row->encode_time_ms = 4000;
    row->score_time_ms = 500;
    assert_true(row_encode_fps(row) == 60); /* 240 frames in 4 s; 2.5 is the factor of real time */
    assert_true(row_score_fps(row) == 480);
    assert_int_equal(row_set_text(&row->clip_mode, "sample_2s"), 0);
    assert_true(row_encode_fps(row) == 12);
    row->frames = 100;
    row->score_frames = 50;
    assert_true(row_encode_fps(row) == 25 && row_score_fps(row) == 100);
    row->encode_time_ms = 0;
    assert_true(row_encode_fps(row) == 12);
    row->encode_time_ms = 4000;
    row = add("a", "x", 31, 90, 92);
    row->frames = 100;
    row->encode_time_ms = 1000;
    add("a", "x", 32, 80, 91); /* says nothing */
    Benchmark benchmark = made(92, NULL);
    assert_true(benchmark.entries[0].encode_fps == 62.5);
    assert_true(benchmark.entries[0].score_fps == 100);
    benchmark_free(&benchmark);
}

TEST(given_hostile_names_then_tables_stay_tables)
{
    add("a", "x|y\r\nz\"<b>", 30, 100, 93);
    assert_int_equal(row_set_text(&rows[0].preset, "p,\"q\"\n"), 0);
    Benchmark benchmark = made(92, NULL);
    char text[4096] = "";
    FILE *out = fmemopen(text, sizeof(text), "w");
    benchmark_print_markdown(&benchmark, out);
    benchmark_print_csv(&benchmark, out);
    fclose(out);
    assert_non_null(
        strstr(text, "\n| x\\|y z\"&lt;b> | ok | 93.00 | 100.0 | +0.0 % | p,\"q\"  | 30"));
    assert_non_null(strstr(text, "\n\"x|y\r\nz\"\"<b>\",ok,92.000,93.000,1.000,100.000,0.000,"
                                 "\"p,\"\"q\"\"\n\",30,1,1,1,,\n"));
    benchmark_free(&benchmark);
}

TEST(given_cells_then_what_is_missing_is_a_dash)
{
    char text[400] = "";
    FILE *out = fmemopen(text, sizeof(text), "w");
    markdown_text(out, NULL);
    markdown_text(out, "");
    markdown_number(out, "%.1f", NAN);
    markdown_number(out, "%.1f", INFINITY);
    markdown_text(out, "a\\|b\tc\x7f\n&");
    csv_text(out, NULL);
    csv_number(out, NAN);
    csv_text(out, "plain");
    csv_number(out, 1e3 / 3);
    fclose(out);
    assert_string_equal(text, "\xe2\x80\x94\xe2\x80\x94\xe2\x80\x94\xe2\x80\x94"
                              "a\\\\\\|b c  &amp;plain333.333");
}
