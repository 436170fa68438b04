/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/html/html_internal.h"
#include "common/html/parts.h"
#include "support/cases.h"

static char *escaped(void (*put)(FILE *, const char *), const char *text)
{
    char *result;
    size_t size;
    FILE *out = open_memstream(&result, &size);
    put(out, text);
    fclose(out);
    return result;
}

static void assert_escaped(void (*put)(FILE *, const char *), const char *text,
                           const char *expected)
{
    char *result = escaped(put, text);
    assert_string_equal(result, expected);
    free(result);
}

CASE(text_cannot_leave_its_place)
{
    assert_escaped(html_put_text, "<a href='x' b=\"y\">&amp;",
                   "&lt;a href=&#39;x&#39; b=&quot;y&quot;&gt;&amp;amp;");
    assert_escaped(html_put_text, "\xc3\xa9\xe2\x82\xac", "\xc3\xa9\xe2\x82\xac");
    assert_escaped(html_put_text, "a\xff\xc3", "a\xef\xbf\xbd\xef\xbf\xbd");
    assert_escaped(html_put_text, "\x01\n\xe2\x80\xae", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_escaped(html_put_text, "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_escaped(html_put_json_string, "</script>\"\\",
                   "\"\\u003c/script\\u003e\\u0022\\u005c\"");
}

CASE(numbers_are_written_for_people)
{
    char text[HTML_NUMBER_SIZE];
    assert_string_equal(html_number(text, -1.256, 2), "\xe2\x88\x92"
                                                      "1.26");
    assert_string_equal(html_number(text, -0.001, 2), "0.00");
    assert_string_equal(html_number(text, NAN, 2), "not a number");
    assert_string_equal(html_count(text, 900000), "900\xe2\x80\xaf"
                                                  "000");
    assert_string_equal(html_count(text, 1234), "1234");
    assert_string_equal(html_time(text, 59.999, 2), "1:00.00");
    assert_string_equal(html_time(text, 3723.5, 1), "1:02:03.5");
    assert_string_equal(html_time(text, 5, 0), "0:05");
}

CASE(percentiles_are_those_of_numpy)
{
    const double scores[] = {30, 10, 40, 20};
    const HtmlSeries series = {.name = "a", .n = 4, .scores = scores};
    Statistics s;
    assert_int_equal(statistics_of(&s, &series), 0);
    assert_true(statistics_percentile(&s, 0) == 10);
    assert_true(fabs(statistics_percentile(&s, 1) - 10.3) < 1e-12);
    assert_true(statistics_percentile(&s, 50) == 25);
    assert_true(statistics_percentile(&s, 75) == 32.5);
    assert_true(statistics_percentile(&s, 100) == 40);
    assert_true(fabs(statistics_worst_percentile(&s, HTML_HIGH_IS_BAD, 1) - 39.7) < 1e-12);
    assert_true(s.mean == 25);
    assert_true(fabs(s.harmonic_mean - (4 / (1. / 31 + 1. / 11 + 1. / 41 + 1. / 21) - 1)) < 1e-12);
    assert_true(fabs(s.deviation - sqrt(125)) < 1e-12);
    assert_int_equal(s.worst, 1);
    statistics_free(&s);
    const HtmlSeries high = {.name = "a", .n = 4, .scores = scores, .sense = HTML_HIGH_IS_BAD};
    assert_int_equal(statistics_of(&s, &high), 0);
    assert_int_equal(s.worst, 2);
    statistics_free(&s);
}

CASE(scores_that_are_not_finite_are_told_apart)
{
    const double scores[] = {NAN, 10, INFINITY};
    const HtmlSeries series = {.name = "a", .n = 3, .scores = scores};
    Statistics s;
    assert_int_equal(statistics_of(&s, &series), 0);
    assert_int_equal(s.n_finite, 1);
    assert_int_equal(s.worst, 1);
    assert_true(isnan(s.mean) && isnan(statistics_percentile(&s, 50)));
    assert_true(s.min == 10 && s.max == 10);
    statistics_free(&s);
}

CASE(curves_keep_extremes_and_means)
{
    double scores[1000], sum = 0, low = INFINITY;
    for (int i = 0; i < 1000; i++)
        scores[i] = i == 567 ? 1 : 50 + i % 7;
    const HtmlSeries series = {.name = "a", .n = 1000, .scores = scores};
    Curve curve;
    assert_int_equal(curve_of(&curve, &series, NULL, 100), 0);
    assert_int_equal(curve.n, 100);
    assert_false(curve.is_exact);
    for (size_t i = 0; i < curve.n; i++) {
        sum += curve.points[i].mean * 10;
        low = fmin(low, curve.points[i].min);
        assert_true(curve.points[i].frame == 10 * (double)i + 4.5);
    }
    assert_true(low == 1 && curve.points[56].min == 1 && curve.points[55].min == 50);
    double all = 0;
    for (int i = 0; i < 1000; i++)
        all += scores[i];
    assert_true(fabs(sum - all) < 1e-6);
    curve_free(&curve);
}

CASE(scenes_are_where_scores_are_low)
{
    double scores[500];
    for (int i = 0; i < 500; i++)
        scores[i] = (i >= 100 && i < 160) || i == 300 ? 40 : 90;
    HtmlSeries series = {.name = "a", .n = 500, .scores = scores};
    Scenes scenes;
    assert_int_equal(scenes_of(&scenes, &series, 90, 6, 25, 10), 0);
    assert_int_equal(scenes.n, 1); /* a single frame is none */
    assert_int_equal(scenes.scenes[0].first, 100);
    assert_int_equal(scenes.scenes[0].last, 159);
    scenes_free(&scenes);
    for (int i = 0; i < 500; i++)
        scores[i] = 90;
    assert_int_equal(scenes_of(&scenes, &series, 90, 6, 25, 10), 0);
    assert_int_equal(scenes.n, 0);
    scenes_free(&scenes);
}

CASE(axes_hold_their_values)
{
    const double ranges[][2] = {{0, 1}, {93.2, 98.1}, {5, 5},         {-3, 1e7},
                                {0, 0}, {NAN, NAN},   {-1e300, 1e300}};
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        const Axis axis = axis_of_values(ranges[i][0], ranges[i][1], 5);
        assert_true(axis.low < axis.high && axis.step > 0);
        assert_true(!(ranges[i][0] < axis.low) && !(ranges[i][1] > axis.high));
        assert_true(axis_ticks(&axis) >= 2 && axis_ticks(&axis) <= 12);
    }
    const Axis time = axis_of_range(0, 36000, 7, 1);
    assert_true(time.step == 7200);
}

CASE(lead_is_what_judges)
{
    const HtmlSeries series[] = {{.name = "motion", .sense = HTML_NO_SENSE},
                                 {.name = "psnr_y"},
                                 {.name = "vmaf", .is_model = true}};
    assert_int_equal(html_lead_series(series, 3), 2);
    assert_int_equal(html_lead_series(series, 2), 1);
    assert_int_equal(html_lead_series(series, 1), 0);
}
