/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "tune/measure/score_statistics.h"
#include "tune/search/choice.h"

static const QualityRange crf = {.lowest = 0, .highest = 51};
static const QualityRange quality = {.lowest = 0, .highest = 100, .higher_is_better = true};

static EncodePoint point(int q, double kbps, double score)
{
    return (EncodePoint){.q = q, .kbps = kbps, .score = score};
}

CASE(given_a_corpus_then_the_cheapest_that_passes_is_chosen)
{
    const EncodePoint points[] = {point(20, 900, 96), point(30, 400, 92),   point(25, 350, 93),
                                  point(27, 350, 93), point(26, 350, 92.5), point(40, 100, 70)};
    Choice choice = choose_cheapest(&crf, points, 6, 92);
    assert_int_equal(choice.status, CHOICE_MET);
    assert_int_equal(choice.index, 3); /* as cheap and as good, but more compressed */
    choice = choose_cheapest(&quality, points, 6, 92);
    assert_int_equal(choice.index, 2);
    choice = choose_cheapest(&crf, points, 6, 96.5);
    assert_int_equal(choice.status, CHOICE_UNMET);
    assert_int_equal(choice.index, 0);
    assert_int_equal(choose_cheapest(&crf, points, 6, 96).index, 0); /* inclusively */
    const EncodePoint failed = point(30, 300, NAN);
    assert_int_equal(choose_cheapest(&crf, &failed, 1, 92).status, CHOICE_NONE);
    assert_int_equal(choose_cheapest(&crf, points, 0, 92).status, CHOICE_NONE);
}

CASE(given_scores_of_frames_then_all_pools_are_known)
{
    double scores[101];
    for (int i = 0; i <= 100; i++)
        scores[i] = (i * 37) % 101; /* 0 to 100, mixed */
    PooledScores pooled;
    assert_int_equal(pool_scores(scores, 101, &pooled), 0);
    static const struct {
        ScorePool pool;
        const char *name;
        double score;
    } cases[] = {{POOL_MEAN, "mean", 50},
                 {POOL_MIN, "min", 0},
                 {POOL_P1, "p1", 1},
                 {POOL_P5, "p5", 5},
                 {POOL_P10, "p10", 10}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ScorePool pool;
        assert_true(pooled_score(&pooled, cases[i].pool) == cases[i].score);
        assert_string_equal(score_pool_name(cases[i].pool), cases[i].name);
        assert_true(score_pool_named(cases[i].name, &pool) && pool == cases[i].pool);
    }
    double inverse = 0;
    for (int i = 0; i <= 100; i++)
        inverse += 1.0 / (i + 1);
    assert_true(fabs(pooled_score(&pooled, POOL_HARMONIC_MEAN) - (101 / inverse - 1)) < 1e-9);
    assert_true(fabs(pooled.deviation - sqrt((101.0 * 101 - 1) / 12)) < 1e-9);
    assert_true(pooled.max == 100 && pooled.frames == 101);
    ScorePool pool;
    assert_false(score_pool_named("p2", &pool));
    assert_null(score_pool_name((ScorePool)6));
    assert_int_equal(pool_scores(scores, 0, &pooled), -EINVAL);
    scores[50] = NAN;
    assert_int_equal(pool_scores(scores, 101, &pooled), -EINVAL);
    scores[0] = 7;
    assert_int_equal(pool_scores(scores, 1, &pooled), 0);
    assert_true(pooled.p1 == 7 && pooled.deviation == 0);
}
