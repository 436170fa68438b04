/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Waiting by asking: how often it asks, what it returns, when it gives up. */
#include <errno.h>

#include "platform/time.h"
#include "poll_wait.h"
#include "support/cases.h"

typedef struct Event {
    unsigned asked;
    unsigned comes_at; /* at this question; 0: never */
    int answer;
} Event;

static int ask(void *cookie)
{
    Event *event = cookie;
    event->asked++;
    return event->comes_at && event->asked >= event->comes_at ? event->answer : -EAGAIN;
}

static void what_has_happened_is_not_waited_for(void **state)
{
    Event done = {.comes_at = 1}, failed = {.comes_at = 1, .answer = -ENODEV};
    assert_int_equal(vmaf_poll_wait(ask, &done, 0), 0);
    assert_int_equal(vmaf_poll_wait(ask, &failed, UINT64_MAX), -ENODEV);
    assert_int_equal(done.asked, 1);
    assert_int_equal(failed.asked, 1);
}

static void what_happens_later_is_waited_for(void **state)
{
    Event event = {.comes_at = 20};
    assert_int_equal(vmaf_poll_wait(ask, &event, UINT64_MAX), 0);
    assert_int_equal(event.asked, 20);
}

static void what_never_happens_is_given_up_in_time(void **state)
{
    Event never = {0}, now = {0};
    assert_int_equal(vmaf_poll_wait(ask, &now, 0), -ETIMEDOUT);
    assert_int_equal(now.asked, 1);
    const int64_t begin = vmaf_steady_ns();
    assert_int_equal(vmaf_poll_wait(ask, &never, 30000000), -ETIMEDOUT);
    assert_true(vmaf_steady_ns() - begin >= 30000000);
    /* Pauses of an eighth: some 30 to a millisecond of pause, and then 22; not a busy loop. */
    assert_true(never.asked < 200);
    assert_true(never.asked > 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_happened_is_not_waited_for),
        cmocka_unit_test(what_happens_later_is_waited_for),
        cmocka_unit_test(what_never_happens_is_given_up_in_time),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
