/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* When frames are shown: as the file says, else by their number. */
#include "input/input.h"

#include <math.h>

#include "support/cases.h"

static void expect_time(FrameClock *clock, unsigned frame, double seconds)
{
    const double time = frame_clock_at(clock, frame);
    if (!(time == seconds || (isnan(time) && isnan(seconds))))
        fail_msg("frame %u is shown at %.17g, not %.17g", frame, time, seconds);
}

CASE(by_number_where_the_file_says_nothing)
{
    FrameClock clock;
    frame_clock_start(&clock, 25, 0);
    frame_clock_add(&clock, 0, NAN);
    frame_clock_add(&clock, 1, NAN);
    assert_true(frame_clock_is_plain(&clock));
    expect_time(&clock, 0, 0);
    expect_time(&clock, 50, 2);
    frame_clock_free(&clock);

    frame_clock_start(&clock, 25, 5);
    assert_false(frame_clock_is_plain(&clock));
    expect_time(&clock, 0, 5 / 25.0);
    frame_clock_free(&clock);
}

CASE(unknown_without_a_rate)
{
    FrameClock clock;
    frame_clock_start(&clock, 0, 3);
    expect_time(&clock, 0, NAN);
    frame_clock_add(&clock, 0, NAN);
    frame_clock_add(&clock, 1, 0.5);
    expect_time(&clock, 0, NAN);
    expect_time(&clock, 1, 0.5);
    expect_time(&clock, 2, NAN);
    frame_clock_free(&clock);
}

CASE(as_the_file_says)
{
    FrameClock clock;
    frame_clock_start(&clock, 10, 0);
    for (unsigned i = 0; i < 5000; i++)
        frame_clock_add(&clock, i, i % 7 == 2 ? NAN : 1.4 + i * i);
    assert_false(frame_clock_is_plain(&clock));
    for (unsigned i = 0; i < 5000; i++)
        expect_time(&clock, i, i % 7 == 2 ? i / 10.0 : 1.4 + i * i);
    expect_time(&clock, 5000, 500);
    frame_clock_free(&clock);
}

CASE(one_that_never_started_can_be_freed)
{
    FrameClock clock = {.rate = 0};
    frame_clock_free(&clock);
}
