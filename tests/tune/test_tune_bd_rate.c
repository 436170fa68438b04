/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Values: from an independent prototype of the same definition. */

#include "support/cases.h"

#include <math.h>
#include <string.h>

#include "tune/search/bd_rate.h"

static const RatePoint a_points[] = {{1000, 80}, {2000, 88}, {4000, 94}, {8000, 97}};
static const RatePoint b_points[] = {{900, 81}, {1700, 88.5}, {3300, 93.5}, {7000, 97.5}};
static const RatePoint e_points[] = {{500, 70}, {1200, 82}, {2500, 89}, {5000, 93}, {9000, 95}};
static const RatePoint hull_points[] = {{8000, 95}, {4000, 93}, {2000, 85}, {3000, 90.5},
                                        {1500, 84}, {800, 76},  {1400, 80}, {700, 74.5},
                                        {350, 62},  {1000, 70}};

#define CURVE(points) (&(const RateCurve){points, sizeof(points) / sizeof((points)[0])})

static const BdOptions everywhere = {.min_quality = -INFINITY, .max_quality = INFINITY};
static const BdOptions exactly = {.exact = true, .min_quality = -INFINITY, .max_quality = INFINITY};

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected))))
        fail_msg("%.17g instead of %.17g", value, expected);
}

static double rate(const RateCurve *reference, const RateCurve *test, const BdOptions *options)
{
    double fraction = NAN;
    assert_int_equal(bd_rate(reference, test, options, &fraction), BD_OK);
    return fraction;
}

CASE(given_curves_when_compared_then_rates_are_those_of_the_prototype)
{
    assert_near(rate(CURVE(a_points), CURVE(b_points), &everywhere), -0.16709154780900);
    assert_near(rate(CURVE(b_points), CURVE(a_points), &everywhere), 0.20061214094954);
    assert_near(rate(CURVE(a_points), CURVE(e_points), &everywhere), 0.17348086696189);
    assert_near(rate(CURVE(a_points), CURVE(b_points), &exactly), -0.16708669855071);
    assert_near(rate(CURVE(b_points), CURVE(a_points), &exactly), 0.20060515093225);
    assert_near(rate(CURVE(a_points), CURVE(e_points), &exactly), 0.17346580778529);
}

CASE(given_hulls_when_compared_then_points_below_them_do_not_count)
{
    BdOptions options = everywhere;
    options.hull = true;
    assert_near(rate(CURVE(a_points), CURVE(hull_points), &options), 0.14817781532942);
    /* Neither do those of the same quality or the same rate that are worse. */
    RatePoint more[sizeof(hull_points) / sizeof(hull_points[0]) + 3] = {
        {9000, 95}, {350, 61}, {8000, 94}};
    memcpy(more + 3, hull_points, sizeof(hull_points));
    assert_near(rate(CURVE(a_points), CURVE(more), &options), 0.14817781532942);
}

CASE(given_a_part_of_the_way_when_compared_then_it_is_at_that_quality)
{
    double fraction;
    assert_int_equal(bd_rate_at(CURVE(a_points), CURVE(b_points), &everywhere, 50, &fraction),
                     BD_OK);
    assert_near(fraction, -0.18684142703998);
}

CASE(given_curves_when_points_are_left_out_then_changes_are_the_uncertainty)
{
    static const RatePoint straight[] = {{1, 10}, {2, 20}, {4, 30}, {8, 40}, {16, 50}};
    static const RatePoint above[] = {{3, 10}, {6, 20}, {12, 30}, {24, 40}, {48, 50}};
    double half_width;
    assert_int_equal(bd_rate_uncertainty(CURVE(a_points), CURVE(b_points), &exactly, &half_width),
                     BD_OK);
    assert_near(half_width, 0.19396546036609);
    const BdInterval interval = bd_interval(-0.16708669855071, half_width);
    assert_near(interval.low, -0.31394067986232);
    assert_near(interval.high, 0.01120201616376);
    /* Any two points of a straight line say all of it. */
    assert_int_equal(bd_rate_uncertainty(CURVE(straight), CURVE(above), &exactly, &half_width),
                     BD_OK);
    assert_true(fabs(half_width) < 1e-12);
    half_width = 7;
    assert_int_equal(bd_rate_uncertainty(CURVE(a_points), &(const RateCurve){a_points, 3}, &exactly,
                                         &half_width),
                     BD_TOO_FEW_POINTS);
    assert_true(half_width == 7);
}

CASE(given_equal_rates_when_compared_then_quality_differs)
{
    const struct {
        const RateCurve *reference, *test;
        double difference;
    } cases[] = {
        {CURVE(a_points), CURVE(b_points), 1.45447398635},
        {CURVE(b_points), CURVE(a_points), -1.45447398635},
        {CURVE(a_points), CURVE(e_points), -1.39838217388},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double difference;
        assert_int_equal(bd_quality(cases[i].reference, cases[i].test, &exactly, &difference),
                         BD_OK);
        assert_true(fabs(difference - cases[i].difference) < 1e-10);
        assert_int_equal(bd_quality(cases[i].reference, cases[i].test, &everywhere, &difference),
                         BD_OK);
        assert_true(fabs(difference - cases[i].difference) < 1e-3);
    }
}

CASE(given_limits_of_quality_then_only_between_them)
{
    BdOptions options = everywhere;
    options.min_quality = 88.999;
    options.max_quality = 89.001;
    double at;
    const double percent = 100.0 * (89 - 81) / (97 - 81);
    assert_int_equal(bd_rate_at(CURVE(a_points), CURVE(b_points), &everywhere, percent, &at),
                     BD_OK);
    assert_true(fabs(rate(CURVE(a_points), CURVE(b_points), &options) - at) < 1e-6);
    options.min_quality = 89.5;
    double fraction = 7;
    assert_int_equal(bd_rate(CURVE(a_points), CURVE(b_points), &options, &fraction), BD_NO_OVERLAP);
    assert_true(fraction == 7);
}

CASE(given_bad_curves_then_each_is_told_apart)
{
    static const RatePoint few[] = {{1, 1}, {2, 2}, {3, 3}};
    static const RatePoint zero[] = {{0, 1}, {2, 2}, {3, 3}, {4, 4}};
    static const RatePoint no_number[] = {{1, 1}, {NAN, 2}, {3, 3}, {4, 4}};
    static const RatePoint no_quality[] = {{1, 1}, {2, NAN}, {3, 3}, {4, 4}};
    static const RatePoint same_quality[] = {{1, 1}, {2, 2}, {3, 2}, {4, 4}};
    static const RatePoint falling[] = {{1, 1}, {3, 2}, {2, 3}, {4, 4}};
    static const RatePoint same_rate[] = {{1, 1}, {2, 2}, {2, 3}, {4, 4}};
    static const RatePoint far_away[] = {{1, 1}, {2, 2}, {3, 3}, {4, 4}};
    const struct {
        const RateCurve *curve;
        BdStatus status;
    } cases[] = {
        {CURVE(few), BD_TOO_FEW_POINTS},
        {CURVE(zero), BD_BAD_RATE},
        {CURVE(no_number), BD_BAD_RATE},
        {CURVE(no_quality), BD_BAD_QUALITY},
        {CURVE(same_quality), BD_QUALITY_NOT_INCREASING},
        {CURVE(falling), BD_RATE_NOT_INCREASING},
        {CURVE(same_rate), BD_RATE_NOT_INCREASING},
        {CURVE(far_away), BD_NO_OVERLAP},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double fraction = 7;
        assert_int_equal(bd_rate(CURVE(a_points), cases[i].curve, &everywhere, &fraction),
                         cases[i].status);
        assert_int_equal(bd_rate(cases[i].curve, CURVE(a_points), &everywhere, &fraction),
                         cases[i].status);
        assert_true(fraction == 7);
        for (size_t j = 0; j < i; j++)
            if (cases[i].status != cases[j].status)
                assert_string_not_equal(bd_status_text(cases[i].status),
                                        bd_status_text(cases[j].status));
    }
}

CASE(given_an_infinite_quality_then_it_is_100)
{
    static const RatePoint lossless[] = {{900, 81}, {1700, 88.5}, {3300, 93.5}, {7000, INFINITY}};
    static const RatePoint hundred[] = {{900, 81}, {1700, 88.5}, {3300, 93.5}, {7000, 100}};
    assert_true(rate(CURVE(a_points), CURVE(lossless), &everywhere) ==
                rate(CURVE(a_points), CURVE(hundred), &everywhere));
}

CASE(given_the_points_of_a_curve_in_any_order_then_the_same)
{
    static const RatePoint mixed[] = {{3300, 93.5}, {900, 81}, {7000, 97.5}, {1700, 88.5}};
    assert_true(rate(CURVE(a_points), CURVE(mixed), &everywhere) ==
                rate(CURVE(a_points), CURVE(b_points), &everywhere));
}

CASE(given_points_when_interpolated_then_slopes_are_those_of_the_prototype)
{
    static const double expected[] = {0.070139893270946857, 0.099699251998348309,
                                      0.15995704166767968, 0.26955723688442323};
    double x[4], y[4], slopes[4];
    for (int i = 0; i < 4; i++) {
        x[i] = a_points[i].quality;
        y[i] = log(a_points[i].rate);
    }
    pchip_slopes(x, y, 4, slopes);
    for (int i = 0; i < 4; i++) {
        assert_near(slopes[i], expected[i]);
        assert_near(pchip_value(x, y, slopes, 4, x[i]), y[i]);
    }
}

CASE(given_a_line_when_interpolated_then_slopes_are_its_own)
{
    static const double x[] = {0, 1, 3, 4}, y[] = {1, 3, 7, 9};
    double slopes[4];
    pchip_slopes(x, y, 4, slopes);
    for (int i = 0; i < 4; i++)
        assert_near(slopes[i], 2);
}

CASE(given_extrema_and_steep_ends_when_interpolated_then_no_overshoot)
{
    static const double x[] = {0, 1, 2, 3, 4}, y[] = {0, 10, 10, 0, -0.001};
    double slopes[5];
    pchip_slopes(x, y, 5, slopes);
    assert_true(slopes[1] == 0 && slopes[2] == 0);
    for (int i = 0; i <= 400; i++) {
        const double value = pchip_value(x, y, slopes, 5, i / 100.0);
        assert_true(value >= -0.001 - 1e-12 && value <= 10 + 1e-12);
    }
}

CASE(given_a_turn_next_to_an_end_then_its_slope_is_limited)
{
    /* Inclinations 1 and -10: the parabola would begin with 6.5. */
    static const double x[] = {0, 1, 2}, y[] = {0, 1, -9};
    double slopes[3];
    pchip_slopes(x, y, 3, slopes);
    assert_true(slopes[0] == 3 && slopes[1] == 0);
    static const double mirrored[] = {-9, 1, 0};
    pchip_slopes(x, mirrored, 3, slopes);
    assert_true(slopes[2] == -3);
}
