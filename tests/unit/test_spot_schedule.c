/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which frames are checked, over made-up time. */

#include "engine/spot_check.h"
#include "support/cases.h"

enum { SECOND = 1000000, MANY = 64 };

typedef struct Run {
    unsigned every, n_processors;
    int64_t frame_us, check_us, likely_us;
    double load;  /* processors that the process itself keeps busy */
    double slice; /* part of a processor that a check gets; 0: a whole one */
    bool scarce;
    uint64_t seed;
    int64_t from, to; /* of the time in which checks are counted */
} Run;

typedef struct Tally {
    unsigned frames, checks;
    int64_t spent, first; /* us; processor time, when it was */
} Tally;

static SpotTime at(const Run *run, int64_t clock)
{
    return (SpotTime){clock, (int64_t)((double)clock * run->load)};
}

/* A backend that answers a frame each frame_us; checks take check_us, one at a time. */
static Tally simulate(const Run *run)
{
    SpotSchedule schedule;
    Tally tally = {.first = -1};
    int64_t busy_until = 0;
    const int64_t held_us = (int64_t)((double)run->check_us / (run->slice > 0 ? run->slice : 1));
    spot_schedule_init(&schedule, run->every, run->seed, run->n_processors, run->likely_us,
                       at(run, 0));
    for (int64_t now = 0; now < run->to; now += run->frame_us) {
        const bool counts = now >= run->from;
        tally.frames += counts;
        if (now < busy_until || !spot_schedule_draws(&schedule, now) ||
            !spot_schedule_affords(&schedule, run->scarce, at(run, now)))
            continue;
        busy_until = now + held_us;
        spot_schedule_note(&schedule, at(run, now), run->check_us, held_us);
        tally.checks += counts;
        tally.spent += counts ? run->check_us : 0;
        if (tally.first < 0)
            tally.first = now;
    }
    return tally;
}

CASE(given_cheap_checks_then_one_frame_in_so_many_is_chosen)
{
    static const unsigned rates[] = {2, 16, 128, 1000};
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        const Run run = {.every = rates[i],
                         .n_processors = MANY,
                         .frame_us = 1000,
                         .check_us = 1,
                         .from = SPOT_EARLY_US,
                         .to = 1000 * (int64_t)SECOND};
        const Tally tally = simulate(&run);
        const double expected = (double)tally.frames / rates[i];
        assert_true(tally.checks > 0.85 * expected && tally.checks < 1.15 * expected);
    }
}

CASE(given_the_first_seconds_then_checks_are_more_frequent)
{
    unsigned early = 0, late = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        Run run = {.every = 128,
                   .n_processors = MANY,
                   .frame_us = 1000,
                   .check_us = 1,
                   .seed = seed,
                   .to = SPOT_EARLY_US};
        early += simulate(&run).checks;
        run.from = SPOT_EARLY_US;
        run.to = 2 * SPOT_EARLY_US;
        late += simulate(&run).checks;
    }
    assert_true(early > 6 * late && early < 11 * late);
}

CASE(given_another_seed_then_other_frames_are_chosen)
{
    SpotSchedule a, b;
    const SpotTime start = {0, 0};
    unsigned both = 0, one = 0;
    spot_schedule_init(&a, 8, 1, MANY, 0, start);
    spot_schedule_init(&b, 8, 2, MANY, 0, start);
    for (int64_t i = 0; i < 10000; i++) {
        const bool by_a = spot_schedule_draws(&a, SPOT_EARLY_US + i);
        const bool by_b = spot_schedule_draws(&b, SPOT_EARLY_US + i);
        both += by_a && by_b;
        one += by_a;
    }
    assert_true(one > 1000 && both < one / 4);
}

/* Whatever checks cost: never more than the share, which is used, and not even by the first one. */
static void assert_share(Run run, double greatest)
{
    for (run.check_us = 1000; run.check_us <= SECOND; run.check_us *= 10) {
        run.likely_us = run.check_us;
        const Tally tally = simulate(&run);
        const double share = (double)tally.spent / (double)run.to;
        assert_true(share <= greatest * 1.001);
        assert_true(tally.checks > 0 && share > greatest / 2);
        assert_true((double)run.check_us <= greatest * (double)tally.first * 1.001);
    }
}

CASE(given_idle_processors_then_checks_take_a_tenth_of_one_at_most)
{
    static const unsigned processors[] = {2, 4, 64};
    for (size_t i = 0; i < sizeof(processors) / sizeof(processors[0]); i++) {
        const Run run = {.every = 16,
                         .n_processors = processors[i],
                         .frame_us = 500,
                         .load = 0.2,
                         .to = 300 * (int64_t)SECOND};
        assert_share(run, 0.10);
    }
}

/* Half of the processors, and not all of them, are what a check may count on. */
CASE(given_a_process_that_needs_most_processors_then_they_are_not_idle)
{
    SpotSchedule schedule;
    spot_schedule_init(&schedule, 16, 1, 4, 0, (SpotTime){0, 0});
    spot_schedule_note(&schedule, (SpotTime){0, 0}, SECOND, SECOND);
    const int64_t later = 100 * (int64_t)SECOND;
    schedule.next_by_process = 1000 * (int64_t)SECOND;
    assert_true(spot_schedule_affords(&schedule, false, (SpotTime){later, 2 * later - 1}));
    assert_false(spot_schedule_affords(&schedule, false, (SpotTime){later, 2 * later}));
    assert_false(spot_schedule_affords(&schedule, false, (SpotTime){later, 4 * later - 1}));
}

CASE(given_a_process_that_needs_all_processors_then_it_loses_less_than_2_percent)
{
    static const unsigned processors[] = {1, 2, 4};
    for (size_t i = 0; i < sizeof(processors) / sizeof(processors[0]); i++) {
        const Run run = {.every = 16,
                         .n_processors = processors[i],
                         .frame_us = 500,
                         .load = processors[i],
                         .to = 300 * (int64_t)SECOND};
        assert_share(run, 0.015 * processors[i]);
    }
}

/* The first check finds out; what it took is paid off before the next. */
CASE(given_processors_that_others_use_then_it_loses_less_than_2_percent_too)
{
    const Run run = {.every = 16,
                     .n_processors = 8,
                     .frame_us = 500,
                     .check_us = 10000,
                     .likely_us = 10000,
                     .load = 1,
                     .slice = 0.4,
                     .to = 300 * (int64_t)SECOND};
    const double share = (double)simulate(&run).spent / (double)run.to;
    assert_true(share < 0.0151 && share > 0.01);
}

CASE(given_pictures_of_a_pool_then_they_are_held_for_a_fiftieth_of_the_time)
{
    const Run run = {.every = 2,
                     .n_processors = MANY,
                     .frame_us = 500,
                     .check_us = 40000,
                     .likely_us = 40000,
                     .scarce = true,
                     .to = 100 * (int64_t)SECOND};
    const double share = (double)simulate(&run).spent / (double)run.to;
    assert_true(share <= 0.0201 && share > 0.015);
}

CASE(given_all_frames_or_none_then_cost_does_not_matter)
{
    Run run = {.every = 1,
               .n_processors = 1,
               .frame_us = 1000,
               .check_us = 1000,
               .likely_us = SECOND,
               .scarce = true,
               .to = SECOND};
    Tally tally = simulate(&run);
    assert_int_equal(tally.checks, tally.frames);
    run.every = 0;
    assert_int_equal(simulate(&run).checks, 0);
}

CASE(given_the_end_then_patience_is_a_fiftieth_of_the_run)
{
    SpotSchedule schedule;
    const SpotTime seven = {7 * SECOND, 0};
    spot_schedule_init(&schedule, 128, 0, MANY, 0, seven);
    assert_int_equal(spot_schedule_time_limit(&schedule, 17 * SECOND), SECOND / 5);
    spot_schedule_init(&schedule, 1, 0, MANY, 0, seven);
    assert_int_equal(spot_schedule_time_limit(&schedule, 0), -1);
}
