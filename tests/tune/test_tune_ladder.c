/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tune/plan/ladder_internal.h"
#include "tune/search/choice.h"

typedef struct Pair {
    double kbps, score;
} Pair;

static const Pair cloud[] = {{8000, 95}, {4000, 93}, {2000, 85},  {3000, 90.5}, {1500, 84},
                             {800, 76},  {1400, 80}, {700, 74.5}, {350, 62},    {1000, 70}};
enum { N_CLOUD = sizeof(cloud) / sizeof(cloud[0]), N_HULL = 7 };

static const double hull_kbps[N_HULL] = {350, 700, 800, 1500, 3000, 4000, 8000};

static size_t make_points(const Pair *pairs, size_t n, EncodePoint *points)
{
    for (size_t i = 0; i < n; i++)
        points[i] = (EncodePoint){.width = 1920,
                                  .height = 1080,
                                  .kbps = pairs[i].kbps,
                                  .score = pairs[i].score,
                                  .source = i};
    return n;
}

static void assert_kbps(const EncodePoint *points, size_t n, const double *kbps, size_t n_expected)
{
    assert_int_equal(n, n_expected);
    for (size_t i = 0; i < n; i++)
        if (points[i].kbps != kbps[i])
            fail_msg("point %zu: %g instead of %g", i, points[i].kbps, kbps[i]);
}

CASE(given_a_cloud_then_its_hull_is_known)
{
    EncodePoint points[N_CLOUD];
    make_points(cloud, N_CLOUD, points);
    const size_t n = convex_hull(points, N_CLOUD, HULL_LINEAR);
    assert_kbps(points, n, hull_kbps, N_HULL);
    for (size_t i = 0; i < n; i++)
        assert_true(cloud[points[i].source].score == points[i].score);
}

CASE(given_points_on_a_line_then_its_ends_are_the_hull)
{
    EncodePoint points[] = {{.kbps = 100, .score = 50},
                            {.kbps = 200, .score = 60},
                            {.kbps = 300, .score = 70},
                            {.kbps = 400, .score = 75},
                            {.kbps = 500, .score = 80}};
    assert_kbps(points, convex_hull(points, 5, HULL_LINEAR), (const double[]){100, 300, 500}, 3);
}

CASE(given_random_clouds_then_no_mixture_beats_the_hull)
{
    srand(7);
    for (int round = 0; round < 200; round++) {
        EncodePoint all[40], points[40];
        const HullAxis axis = round % 2 ? HULL_LOG : HULL_LINEAR;
        for (int i = 0; i < 40; i++)
            all[i] = points[i] =
                (EncodePoint){.kbps = 100 + rand() % 40 * 10, .score = rand() % 200 / 2.0};
        const size_t n = convex_hull(points, 40, axis);
        assert_true(n >= 1);
        for (size_t h = 1; h < n; h++) {
            assert_true(points[h].kbps > points[h - 1].kbps);
            assert_true(points[h].score > points[h - 1].score);
        }
        for (int i = 0; i < 40; i++) {
            /* The line of the hull above this point. */
            size_t h = 0;
            while (h + 2 < n && points[h + 1].kbps < all[i].kbps)
                h++;
            if (n == 1 || all[i].kbps < points[0].kbps || all[i].kbps > points[n - 1].kbps) {
                assert_true(all[i].score <= points[n - 1].score);
                continue;
            }
            const double x_0 = axis == HULL_LOG ? log(points[h].kbps) : points[h].kbps;
            const double x_1 = axis == HULL_LOG ? log(points[h + 1].kbps) : points[h + 1].kbps;
            const double x = axis == HULL_LOG ? log(all[i].kbps) : all[i].kbps;
            const double line =
                points[h].score + (points[h + 1].score - points[h].score) * (x - x_0) / (x_1 - x_0);
            assert_true(all[i].score <= line + 1e-9);
        }
    }
}

CASE(given_points_that_are_no_numbers_then_they_are_left_out)
{
    static const Pair pairs[] = {{100, NAN},      {NAN, 50}, {0, 99},   {200, 40},
                                 {INFINITY, 100}, {200, 41}, {300, 41}, {250, 41}};
    EncodePoint points[8];
    make_points(pairs, 8, points);
    const size_t n = pareto_front(points, 8);
    assert_kbps(points, n, (const double[]){200}, 1);
    assert_true(points[0].score == 41);
    assert_int_equal(convex_hull(points, 0, HULL_LINEAR), 0);
}

CASE(given_a_front_then_ties_and_losers_are_left_out)
{
    static const Pair pairs[] = {{300, 70}, {100, 50}, {200, 50}, {200, 49}, {400, 69}, {100, 48}};
    EncodePoint points[6];
    make_points(pairs, 6, points);
    assert_kbps(points, pareto_front(points, 6), (const double[]){100, 300}, 2);
}

CASE(given_the_logarithm_of_bitrate_then_the_hull_keeps_more)
{
    /* On a line over the logarithm; over bitrate itself it is convex from below at the start. */
    static const Pair pairs[] = {{100, 50}, {200, 58}, {400, 70}, {800, 80}};
    EncodePoint points[4];
    make_points(pairs, 4, points);
    assert_kbps(points, convex_hull(points, 4, HULL_LOG), (const double[]){100, 400, 800}, 3);
    make_points(pairs, 4, points);
    assert_kbps(points, convex_hull(points, 4, HULL_LINEAR), (const double[]){100, 200, 400, 800},
                4);
}

CASE(given_a_larger_picture_that_is_cheaper_then_smaller_ones_above_it_go)
{
    EncodePoint hull[4] = {{.width = 640, .height = 360, .kbps = 1},
                           {.width = 1280, .height = 720, .kbps = 2},
                           {.width = 960, .height = 540, .kbps = 3},
                           {.width = 1280, .height = 720, .kbps = 4}};
    assert_kbps(hull, keep_monotone_resolution(hull, 4), (const double[]){1, 2, 4}, 3);
}

CASE(given_a_number_of_rungs_then_the_nearest_points_are_chosen)
{
    static const struct {
        RungSpacing spacing;
        size_t wanted;
        double kbps[5];
    } cases[] = {
        {RUNGS_BY_LOG_BITRATE, 3, {350, 1500, 8000}},
        {RUNGS_BY_LOG_BITRATE, 4, {350, 800, 3000, 8000}},
        {RUNGS_BY_LOG_BITRATE, 5, {350, 800, 1500, 4000, 8000}},
        {RUNGS_BY_SCORE, 3, {350, 800, 8000}},
        {RUNGS_BY_SCORE, 4, {350, 700, 1500, 8000}},
        {RUNGS_BY_SCORE, 5, {350, 700, 800, 1500, 8000}},
        {RUNGS_BY_SCORE, 1, {8000}},
        {RUNGS_BY_LOG_BITRATE, 2, {350, 8000}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        EncodePoint points[N_CLOUD];
        make_points(cloud, N_CLOUD, points);
        const size_t n = convex_hull(points, N_CLOUD, HULL_LINEAR);
        const int chosen = ladder_choose(points, n, cases[i].wanted, cases[i].spacing);
        assert_kbps(points, (size_t)chosen, cases[i].kbps, cases[i].wanted);
    }
}

CASE(given_as_many_rungs_as_points_then_all)
{
    EncodePoint points[N_CLOUD];
    make_points(cloud, N_CLOUD, points);
    const size_t n = convex_hull(points, N_CLOUD, HULL_LINEAR);
    assert_int_equal(ladder_choose(points, n, 7, RUNGS_BY_SCORE), 7);
    assert_int_equal(ladder_choose(points, n, 70, RUNGS_BY_SCORE), 7);
    assert_kbps(points, n, hull_kbps, N_HULL);
    assert_int_equal(ladder_choose(points, n, 0, RUNGS_BY_SCORE), -EINVAL);
    assert_int_equal(ladder_choose(points, 0, 3, RUNGS_BY_SCORE), 0);
}

/* All between the ends are next to the upper one, so that several want the same. */
CASE(given_crowded_points_then_no_rung_is_chosen_twice)
{
    static const Pair pairs[] = {{100, 10}, {7700, 90}, {7800, 91}, {7900, 92}, {8000, 93}};
    for (size_t wanted = 2; wanted <= 4; wanted++) {
        EncodePoint points[5];
        make_points(pairs, 5, points);
        const int n = ladder_choose(points, 5, wanted, RUNGS_BY_SCORE);
        assert_int_equal(n, wanted);
        for (int i = 1; i < n; i++)
            assert_true(points[i].kbps > points[i - 1].kbps);
        assert_true(points[0].kbps == 100 && points[n - 1].kbps == 8000);
    }
}

/* The third target is nearest to the best point, which is taken, and so is the one below it. */
CASE(given_no_free_point_above_then_the_nearest_below_is_chosen)
{
    static const Pair pairs[] = {{100, 10}, {200, 12}, {300, 14}, {400, 16}, {8000, 93}};
    EncodePoint points[5];
    make_points(pairs, 5, points);
    const int n = ladder_choose(points, 5, 4, RUNGS_BY_SCORE);
    assert_kbps(points, (size_t)n, (const double[]){100, 300, 400, 8000}, 4);
}

/* Shots and what was measured of them, few enough to try all combinations. */
static double cheapest_combination(EncodePoint points[3][4], const size_t *frames, double target)
{
    double least = INFINITY;
    for (int i = 0; i < 64; i++) {
        const EncodePoint *chosen[3] = {&points[0][i & 3], &points[1][i >> 2 & 3],
                                        &points[2][i >> 4]};
        double score = 0, kbps = 0, all = 0;
        for (int s = 0; s < 3; s++) {
            score += chosen[s]->score * (double)frames[s];
            kbps += chosen[s]->kbps * (double)frames[s];
            all += (double)frames[s];
        }
        if (score >= target * all)
            least = fmin(least, kbps / all);
    }
    return least;
}

CASE(given_shots_when_bits_are_allocated_then_no_mix_on_the_hull_is_cheaper)
{
    static const double scores[3][4] = {{60, 75, 85, 90}, {80, 90, 95, 98}, {40, 60, 75, 86}};
    static const double kbps[3][4] = {
        {100, 200, 350, 600}, {50, 100, 180, 400}, {300, 600, 1000, 1600}};
    static const size_t frames[3] = {50, 100, 25};
    for (double target = 60; target <= 95; target += 0.5) {
        EncodePoint all[3][4], points[3][4];
        ShotChoices shots[3];
        for (int s = 0; s < 3; s++) {
            for (int i = 0; i < 4; i++)
                all[s][i] = (EncodePoint){.kbps = kbps[s][i], .score = scores[s][i], .q = 40 - i};
            memcpy(points[s], all[s], sizeof(all[s]));
            shots[s] = (ShotChoices){.points = points[s], .n = 4, .frames = frames[s]};
        }
        Allocation allocation;
        assert_int_equal(allocate_bits(shots, 3, target, &allocation), 0);
        const double least = cheapest_combination(all, frames, target);
        assert_int_equal(allocation.reached, least < INFINITY);
        if (!allocation.reached) {
            for (int s = 0; s < 3; s++)
                assert_int_equal(shots[s].chosen.q, 37);
            continue;
        }
        assert_true(allocation.score >= target);
        /* Greedy steps end at a vertex: optimal for the score that they have. */
        assert_true(allocation.kbps <=
                    cheapest_combination(all, frames, allocation.score - 1e-9) + 1e-9);
        double score = 0;
        for (int s = 0; s < 3; s++)
            score += shots[s].chosen.score * (double)frames[s] / 175;
        assert_true(fabs(score - allocation.score) < 1e-9);
    }
}

CASE(given_many_shots_then_all_end_at_the_same_slope)
{
    enum { N = 500, M = 8 };
    static EncodePoint points[N][M];
    static ShotChoices shots[N];
    srand(3);
    for (int s = 0; s < N; s++) {
        const double cost = 1 + rand() % 100;
        for (int i = 0; i < M; i++)
            points[s][i] = (EncodePoint){.kbps = cost * exp2(i), .score = 100 - 60 * exp2(-i)};
        shots[s] = (ShotChoices){.points = points[s], .n = M, .frames = 1 + (size_t)(rand() % 50)};
    }
    Allocation allocation;
    assert_int_equal(allocate_bits(shots, N, 92, &allocation), 0);
    assert_true(allocation.reached && allocation.score < 92.1);
    double least_taken = INFINITY, most_left = 0;
    for (int s = 0; s < N; s++) {
        size_t i = 0;
        while (shots[s].points[i].kbps != shots[s].chosen.kbps)
            i++;
        const EncodePoint *at = &shots[s].points[i];
        if (i)
            least_taken = fmin(least_taken, (at->score - at[-1].score) / (at->kbps - at[-1].kbps));
        if (i + 1 < shots[s].n)
            most_left = fmax(most_left, (at[1].score - at->score) / (at[1].kbps - at->kbps));
    }
    assert_true(least_taken >= most_left);
}

CASE(given_a_shot_without_encodes_then_refused)
{
    EncodePoint point = {.kbps = 100, .score = 90}, bad = {.kbps = 100, .score = NAN};
    ShotChoices shots[2] = {{.points = &point, .n = 1, .frames = 10},
                            {.points = &bad, .n = 1, .frames = 10}};
    Allocation allocation;
    assert_int_equal(allocate_bits(shots, 2, 80, &allocation), -EINVAL);
    assert_int_equal(allocate_bits(shots, 0, 80, &allocation), -EINVAL);
    assert_int_equal(allocate_bits(shots, 1, 80, &allocation), 0);
    shots[0].frames = 0;
    assert_int_equal(allocate_bits(shots, 1, 80, &allocation), -EINVAL);
}

/* -- playlists -- */

/* RFC 8216, 4.3.3.1: durations, rounded, are no more than the target. */
CASE(given_segments_then_the_longest_is_rounded_to_the_target)
{
    static const struct {
        double seconds;
        const char *target;
    } cases[] = {{0.5, ":1\n"}, {5.4, ":5\n"}, {5.6, ":6\n"}, {6.006, ":6\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TrackSegment segments[] = {{1000, cases[i].seconds}, {500, cases[i].seconds / 2}};
        const LadderTrack track = {.name = "x", .segments = segments, .n_segments = 2};
        char text[1000] = "";
        FILE *out = fmemopen(text, sizeof text, "w");
        ladder_print_playlist(&track, out);
        fclose(out);
        const char *found = strchr(strstr(text, "#EXT-X-TARGETDURATION"), ':');
        assert_int_equal(strncmp(found, cases[i].target, strlen(cases[i].target)), 0);
    }
}

/* -- which encode is next -- */

/* Sizes whose scores and bitrates are known at every q: smaller ones end below 100. */
typedef struct TrueSize {
    int width, height;
    double end;     /* score at no compression */
    double q_at_90; /* where 10.5 are missing to the end */
    double kbps_at_20;
} TrueSize;

static const TrueSize true_sizes[][3] = {
    {{480, 270, 93, 19, 400}, {960, 540, 98, 24, 900}, {1920, 1080, 100, 27, 2500}},
    {{480, 270, 97, 27, 300}, {960, 540, 99, 26, 1100}, {1920, 1080, 100, 26, 4000}},
    {{640, 360, 88, 14, 700}, {1280, 720, 93, 18, 1900}, {1920, 1080, 100, 22, 2600}},
    {{320, 180, 95, 22, 100}, {640, 360, 97, 25, 500}, {1280, 720, 100, 31, 900}},
};
enum { N_VIDEOS = sizeof true_sizes / sizeof *true_sizes };

static double true_score(const TrueSize *size, double q)
{
    return fmax(0, size->end + 0.5 - 10.5 * exp((q - size->q_at_90) / 7.5));
}

static double true_kbps(const TrueSize *size, double q)
{
    return size->kbps_at_20 * exp(-0.125 * (q - 20));
}

static const double four_targets[] = {60, 78, 88, 95};

typedef struct LadderRun {
    Measurement encodes[3][64];
    LadderCurve curves[3];
    SearchOptions goals[4];
    LadderSearch search;
    size_t n; /* encodes */
} LadderRun;

static void begin_ladder(LadderRun *run, const TrueSize *sizes)
{
    *run = (LadderRun){.search = {.qualities = {.lowest = 0, .highest = 51}, .last = 51}};
    for (size_t i = 0; i < 3; i++)
        run->curves[i] = (LadderCurve){sizes[i].width, sizes[i].height, run->encodes[i], 0};
    for (size_t i = 0; i < 4; i++) {
        run->goals[i].n_gates = 1;
        run->goals[i].gates[0] = (SearchGate){
            .target = four_targets[i],
            .prior = curve_prior_of_vmaf("libx264", &run->search.qualities, sizes[2].height)};
    }
    run->search.curves = run->curves;
    run->search.n_curves = 3;
    run->search.goals = run->goals;
    run->search.n_goals = 4;
}

static void make_ladder(LadderRun *run, const TrueSize *sizes, size_t jobs)
{
    LadderProbe probes[8];
    for (size_t n; (n = ladder_next(&run->search, jobs, probes));) {
        assert_true(n <= jobs);
        for (size_t i = 0; i < n; i++) {
            LadderCurve *curve = &run->curves[probes[i].curve];
            const TrueSize *size = &sizes[probes[i].curve];
            const double q = probes[i].q;
            for (size_t k = 0; k < curve->n; k++)
                assert_true(curve->encodes[k].q != q);
            run->encodes[probes[i].curve][curve->n++] =
                (Measurement){.q = q, .values = {true_score(size, q)}, .kbps = true_kbps(size, q)};
            run->n++;
        }
    }
}

/* The cheapest of all qualities, or of those that were encoded. */
static double cheapest(const LadderRun *run, const TrueSize *sizes, double target, bool encoded)
{
    double least = INFINITY;
    for (size_t s = 0; s < 3; s++) {
        for (int q = 0; q <= 51 && !encoded; q++)
            if (true_score(&sizes[s], q) >= target)
                least = fmin(least, true_kbps(&sizes[s], q));
        for (size_t i = 0; i < run->curves[s].n && encoded; i++)
            if (run->encodes[s][i].values[0] >= target)
                least = fmin(least, run->encodes[s][i].kbps);
    }
    return least;
}

CASE(given_sizes_when_a_ladder_is_searched_then_few_encodes_and_little_is_lost)
{
    static LadderRun run;
    double lost = 0;
    size_t encodes = 0;
    for (size_t v = 0; v < N_VIDEOS; v++) {
        begin_ladder(&run, true_sizes[v]);
        run.search.any_order = true;
        make_ladder(&run, true_sizes[v], 1);
        encodes += run.n;
        for (size_t t = 0; t < 4; t++) {
            const double best = cheapest(&run, true_sizes[v], four_targets[t], false);
            const double found = cheapest(&run, true_sizes[v], four_targets[t], true);
            assert_true(found <= best * 1.2); /* a step, or a size that was left */
            lost += found / best - 1;
        }
    }
    assert_true(encodes <= 13 * N_VIDEOS);
    assert_true(lost / (4 * N_VIDEOS) < 0.02);
}

/* Several at a time know less of each other. */
CASE(given_jobs_then_as_many_encodes_at_a_time_and_little_more_is_lost)
{
    static LadderRun run;
    double lost = 0;
    for (size_t v = 0; v < N_VIDEOS; v++) {
        begin_ladder(&run, true_sizes[v]);
        run.search.any_order = true;
        make_ladder(&run, true_sizes[v], 4);
        assert_true(run.n <= 32);
        for (size_t t = 0; t < 4; t++)
            lost += cheapest(&run, true_sizes[v], four_targets[t], true) /
                        cheapest(&run, true_sizes[v], four_targets[t], false) -
                    1;
    }
    assert_true(lost / (4 * N_VIDEOS) < 0.05);
}

CASE(given_a_target_out_of_reach_then_the_best_quality_of_the_largest_size_proves_it)
{
    static const TrueSize poor[3] = {
        {480, 270, 60, 19, 400}, {960, 540, 70, 24, 900}, {1920, 1080, 80, 27, 2500}};
    static LadderRun run;
    begin_ladder(&run, poor);
    make_ladder(&run, poor, 1);
    bool is_proved = false;
    for (size_t i = 0; i < run.curves[2].n; i++)
        is_proved |= run.encodes[2][i].q == 0;
    assert_true(is_proved);
    assert_true(run.n < 30);
}

CASE(given_limits_of_bitrate_then_nothing_outside_of_them_is_asked_for_twice)
{
    static LadderRun run;
    begin_ladder(&run, true_sizes[0]);
    run.search.any_order = true;
    run.search.lowest_kbps = 300;
    run.search.highest_kbps = 900;
    make_ladder(&run, true_sizes[0], 1);
    size_t outside = 0;
    for (size_t s = 0; s < 3; s++)
        for (size_t i = 0; i < run.curves[s].n; i++)
            outside += run.encodes[s][i].kbps < 250 || run.encodes[s][i].kbps > 1100;
    assert_true(outside <= 4);
    assert_true(run.n > outside);
}

/* Sets of random curves: 3 to 5 sizes, scores with noise, five targets. */
enum { MAX_SIZES = 5, N_SETS = 300, N_RANDOM_TARGETS = 5 };

typedef struct RandomSize {
    int width, height;
    double end, q_at_90, bend, kbps_at_25, slope, curvature;
    unsigned seed;
} RandomSize;

static double uniform(void)
{
    return rand() / (double)RAND_MAX;
}

static double normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

/* From -1 to 1, always the same for an encode. */
static double scatter(unsigned seed, int q, unsigned what)
{
    unsigned x = seed * 2654435761u + (unsigned)q * 40503u + what * 7919u;
    x ^= x >> 13;
    x *= 1274126177u;
    x ^= x >> 16;
    return (x & 0xffff) / 32767.5 - 1;
}

static Measurement random_encode(const RandomSize *size, int q)
{
    const double score = size->end + 0.5 - 10.5 * exp((q - size->q_at_90) / size->bend);
    const double way = q - 25;
    return (Measurement){
        .q = q,
        .values = {fmin(100, fmax(0, score + 0.08 * scatter(size->seed, q, 1)))},
        .kbps = size->kbps_at_25 * exp(-size->slope * way + size->curvature * way * way) *
                (1 + 0.01 * scatter(size->seed, q, 2)),
    };
}

static size_t make_random(RandomSize sizes[MAX_SIZES])
{
    static const int heights[MAX_SIZES] = {240, 360, 540, 720, 1080};
    const size_t n = 3 + (size_t)rand() % 3;
    const double q = 27 + 3 * normal(), bend = 7 + 1.2 * normal(),
                 kbps = 3000 * exp(0.7 * normal());
    const double slope = 0.125 + 0.015 * normal(), curvature = 0.0006 * normal();
    const double power = 0.75 + 0.08 * normal(), lost = 4.5 + 1.5 * normal(),
                 steps = 4 + 1.2 * normal();
    for (size_t i = 0; i < n; i++) {
        const int height = heights[MAX_SIZES - n + i];
        const double quarters = log2(1080.0 / height);
        sizes[i] = (RandomSize){
            .width = height * 16 / 9,
            .height = height,
            .end = 100 - quarters * fmax(0, lost + 0.5 * normal()),
            .q_at_90 = q - quarters * (steps + 0.4 * normal()),
            .bend = fmax(3, bend * (1 + 0.05 * normal())),
            .kbps_at_25 = kbps * exp(-power * log(4) * quarters + 0.1 * normal()),
            .slope = slope * (1 + 0.04 * normal()),
            .curvature = curvature,
            .seed = (unsigned)rand(),
        };
    }
    return n;
}

CASE(given_random_sizes_then_sixteen_encodes_on_average_lose_one_percent)
{
    static const double targets[N_RANDOM_TARGETS] = {60, 75, 85, 90, 95};
    static Measurement encodes[MAX_SIZES][64];
    double lost = 0;
    size_t made = 0;
    srand(5);
    for (size_t set = 0; set < N_SETS; set++) {
        RandomSize sizes[MAX_SIZES];
        LadderCurve curves[MAX_SIZES];
        SearchOptions goals[N_RANDOM_TARGETS] = {{.n_gates = 1}};
        LadderProbe probe;
        LadderSearch search = {.qualities = {.highest = 51},
                               .last = 51,
                               .any_order = true,
                               .goals = goals,
                               .n_goals = N_RANDOM_TARGETS,
                               .curves = curves,
                               .n_curves = make_random(sizes)};
        for (size_t i = 0; i < search.n_curves; i++)
            curves[i] = (LadderCurve){sizes[i].width, sizes[i].height, encodes[i], 0};
        for (size_t i = 0; i < N_RANDOM_TARGETS; i++) {
            goals[i].n_gates = 1;
            goals[i].gates[0] =
                (SearchGate){.target = targets[i],
                             .prior = curve_prior_of_vmaf("libx264", &search.qualities, 1080)};
        }
        for (; ladder_next(&search, 1, &probe); made++) {
            LadderCurve *curve = &curves[probe.curve];
            assert_true(curve->n < 64);
            curve->encodes[curve->n++] = random_encode(&sizes[probe.curve], (int)probe.q);
        }
        for (size_t t = 0; t < N_RANDOM_TARGETS; t++) {
            double best = INFINITY, found = INFINITY;
            for (size_t i = 0; i < search.n_curves; i++) {
                for (int q = 0; q <= 51; q++) {
                    const Measurement encode = random_encode(&sizes[i], q);
                    best = encode.values[0] >= targets[t] ? fmin(best, encode.kbps) : best;
                }
                for (size_t k = 0; k < curves[i].n; k++)
                    if (encodes[i][k].values[0] >= targets[t])
                        found = fmin(found, encodes[i][k].kbps);
            }
            lost += found / best - 1;
        }
    }
    assert_true(made <= 16 * N_SETS);
    assert_true(lost <= 0.01 * N_SETS * N_RANDOM_TARGETS);
}
