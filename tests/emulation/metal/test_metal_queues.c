/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Several queues: events, threads, limits. */
#include <stdio.h>

#include "support/cases.h"
#include "words.h"

/* -- events -- */

/* Two queues use the same buffer between two dispatches of a pass; what arrives. */
static uint32_t run_with_shared_scratch(bool has_event)
{
    make_words(0);
    const Id other = new_queue(fixture_device), event = metal_new_shared_event(fixture_device);
    const Id foreign = fixture_words(8, 500);
    const Id first = metal_command_buffer(fixture_queue), second = metal_command_buffer(other);
    const Id encoder = compute_encoder(first);
    encode_shift(encoder, src, middle, 0, 1);
    encode_shift(encoder, middle, dst, 0, 1);
    metal_end_encoding(encoder);
    metal_encode_signal(first, event, 1);
    metal_commit(first);
    if (has_event)
        metal_encode_wait(second, event, 1);
    commit_shift(second, foreign, middle, 0, 1);
    metal_commit(second);
    metal_wait_until_completed(first);
    metal_wait_until_completed(second);
    const uint32_t arrived = words_of(dst)[3];
    metal_release(other);
    metal_release(event);
    metal_release(foreign);
    drop_words();
    return arrived;
}

#define TEST(name) CASE_WITH(name, fixture_set_up, fixture_tear_down)

TEST(given_two_queues_with_one_scratch_buffer_when_run_at_random_then_they_meet)
{
    unsigned wrong = 0;
    for (int seed = 1; seed <= 40; seed++) {
        char order[8];
        snprintf(order, sizeof(order), "%d", seed);
        start_again(NULL, order);
        assert_int_equal(run_with_shared_scratch(true), 103);
        wrong += run_with_shared_scratch(false) != 103;
    }
    assert_true(wrong > 2 && wrong < 38);
}

static uint32_t run_on_two_queues(Id event, uint64_t value)
{
    make_words(0);
    const Id other = new_queue(fixture_device);
    const Id writes = metal_command_buffer(other), reads = metal_command_buffer(fixture_queue);
    const Id encoder = metal_blit_encoder(writes); /* kernels of a device wait for each other */
    metal_copy(encoder, src, 0, middle, 0, 32);
    metal_end_encoding(encoder);
    if (event)
        metal_encode_signal(writes, event, value);
    metal_commit(writes);
    if (event)
        metal_encode_wait(reads, event, value);
    commit_shift(reads, middle, dst, 0, 1);
    metal_commit(reads);
    metal_wait_until_completed(reads);
    assert_int_equal(metal_status(reads), COMPLETED);
    if (event)
        assert_true(metal_start_time(reads) >= metal_end_time(writes));
    const uint32_t arrived = words_of(dst)[3];
    metal_wait_until_completed(writes);
    metal_release(other);
    drop_words();
    return arrived;
}

TEST(given_two_queues_when_work_depends_then_only_events_order_it)
{
    assert_int_equal(run_on_two_queues(NULL, 0), 0);
    for (char seed = '0'; seed <= '9'; seed++) {
        start_again(NULL, seed == '0' ? "late" : (const char[]){seed, '\0'});
        const Id event = metal_new_shared_event(fixture_device);
        assert_int_equal(run_on_two_queues(event, 3), 103);
        assert_int_equal(metal_signaled_value(event), 3);
        metal_release(event);
    }
}

TEST(given_an_event_that_two_queues_signal_when_waited_for_then_the_right_one_runs)
{
    start_again("hang-limit 1", "late");
    const Id event = metal_new_shared_event(fixture_device);
    const Id queues[] = {new_queue(fixture_device), new_queue(fixture_device)};
    Id signals[2];
    for (int i = 0; i < 2; i++) {
        signals[i] = metal_command_buffer(queues[i]);
        metal_encode_signal(signals[i], event, (uint64_t)i + 1);
        metal_commit(signals[i]);
    }
    const Id waits = metal_command_buffer(fixture_queue);
    metal_encode_wait(waits, event, 2);
    metal_commit(waits);
    metal_wait_until_completed(waits);
    assert_int_equal(metal_status(waits), COMPLETED);
    assert_int_equal(metal_status(signals[0]), COMMITTED);
    metal_release(queues[0]);
    metal_release(queues[1]);
    metal_release(event);
}

TEST(given_a_signal_when_seen_then_everything_before_it_on_its_queue_has_run)
{
    make_words(UNTRACKED);
    const Id event = metal_new_shared_event(fixture_device);
    committed_copy(fixture_queue, src, middle);
    const Id commands = metal_command_buffer(fixture_queue);
    metal_encode_signal(commands, event, 1);
    commit_shift(commands, src, dst, 0, 1);
    metal_commit(commands);
    while (metal_signaled_value(event) < 1)
        continue;
    assert_int_equal(words_of(middle)[3], 103);
    metal_release(event);
    drop_words();
}

TEST(given_a_wait_when_the_program_signals_then_the_work_goes_on)
{
    make_words(0);
    const Id event = metal_new_shared_event(fixture_device);
    const Id waits = metal_command_buffer(fixture_queue);
    metal_encode_wait(waits, event, 2);
    commit_shift(waits, src, middle, 0, 1);
    metal_commit(waits);
    const Id behind = committed_copy(fixture_queue, src, dst); /* waits, too */
    for (int i = 0; i < 4; i++)
        assert_int_equal(metal_status(waits), COMMITTED);
    assert_int_equal(metal_status(behind), COMMITTED);
    metal_set_signaled_value(event, 1);
    assert_int_equal(metal_status(behind), COMMITTED);
    assert_int_equal(words_of(dst)[0], 0);
    metal_set_signaled_value(event, 2);
    assert_int_equal(metal_signaled_value(event), 2);
    metal_wait_until_completed(behind);
    assert_int_equal(words_of(middle)[0], 100);
    assert_int_equal(words_of(dst)[0], 100);
    metal_release(event);
    drop_words();
}

/* -- threads -- */

enum { THREADS = 4, ROUNDS = 25 };

/* -- limits of queues -- */

static void ask_for_too_many(Id queue)
{
    metal_command_buffer(queue);
    metal_command_buffer(queue);
    metal_command_buffer(queue);
}

TEST(given_a_full_queue_when_asked_for_more_then_it_waits)
{
    make_words(0);
    const Id queue = metal_new_queue(fixture_device, 2);
    const Id first = committed_copy(queue, src, middle);
    const Id second = committed_copy(queue, src, dst);
    assert_int_equal(words_of(middle)[0], 0);
    const Id third = metal_command_buffer(queue);
    assert_int_equal(words_of(middle)[0], 100);
    assert_int_equal(words_of(dst)[0], 0);
    metal_commit(third);
    metal_wait_until_completed(third);
    assert_int_equal(metal_status(first), COMPLETED);
    assert_int_equal(metal_status(second), COMPLETED);
    assert_aborts("would wait forever", ask_for_too_many(queue));
    void *pool = objc_autoreleasePoolPush();
    metal_command_buffer(queue);
    metal_command_buffer(queue);
    objc_autoreleasePoolPop(pool); /* never committed: they count no more */
    assert_non_null(metal_command_buffer(queue));
    metal_release(queue);
    drop_words();
}
