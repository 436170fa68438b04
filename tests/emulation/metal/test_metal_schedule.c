/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* When work of the emulated Metal runs and in which order, on one queue and on several; machines.
 */
#include <stdio.h>

#include "fixture.h"

/* Three buffers, between which the tests of the order of work copy. */

static Id src, middle, dst; /* 8 words each: 100 and on, 0 and on, 0 and on */

static void make_words(NSUInteger options)
{
    src = fixture_words(8, 100);
    middle = metal_new_buffer(fixture_device, 32, SHARED | options);
    dst = metal_new_buffer(fixture_device, 32, SHARED | options);
    memset(metal_contents(middle), 0, 32);
    memset(metal_contents(dst), 0, 32);
}

static void drop_words(void)
{
    metal_release(src);
    metal_release(middle);
    metal_release(dst);
}

static void start_again(const char *machine, const char *order)
{
    fixture_tear_down(NULL);
    fixture_start(machine, order);
}

/* A command buffer, committed, that copies all words. */
static Id committed_copy(Id queue, Id from, Id to)
{
    const Id commands = metal_command_buffer(queue);
    commit_shift(commands, from, to, 0, 1);
    metal_commit(commands);
    return commands;
}

/* -- when -- */

TEST(given_committed_work_when_asked_then_the_answer_is_not_yet_at_least_once)
{
    make_words(0);
    const Id commands = committed_copy(fixture_queue, src, dst);
    assert_true(metal_start_time(commands) == 0 && metal_end_time(commands) == 0);
    assert_null(metal_error(commands));
    assert_int_equal(metal_status(commands), COMMITTED);
    assert_int_equal(words_of(dst)[0], 100); /* to ask lets it run */
    assert_int_equal(metal_status(commands), COMPLETED);
    const Id empty = metal_command_buffer(fixture_queue);
    metal_commit(empty);
    assert_int_equal(metal_status(empty), COMMITTED);
    assert_int_equal(metal_status(empty), COMPLETED);
    const Id event = metal_new_shared_event(fixture_device);
    const Id signals = metal_command_buffer(fixture_queue);
    metal_encode_signal(signals, event, 5);
    metal_commit(signals);
    assert_int_equal(metal_signaled_value(event), 0);
    assert_int_equal(metal_signaled_value(event), 5);
    metal_release(event);
    drop_words();
}

/* -- within a queue -- */

/* src to middle, then middle to dst; what arrives. */
static uint32_t run_chain(NSUInteger options, bool has_two_command_buffers)
{
    make_words(options);
    Id commands = metal_command_buffer(fixture_queue);
    Id encoder = compute_encoder(commands);
    encode_shift(encoder, src, middle, 0, 1);
    metal_end_encoding(encoder);
    if (has_two_command_buffers) {
        metal_commit(commands);
        commands = metal_command_buffer(fixture_queue);
    }
    encoder = compute_encoder(commands);
    encode_shift(encoder, middle, dst, 0, 1);
    metal_end_encoding(encoder);
    metal_commit(commands);
    metal_wait_until_completed(commands);
    assert_int_equal(metal_status(commands), COMPLETED);
    const uint32_t arrived = words_of(dst)[3];
    drop_words();
    return arrived;
}

TEST(given_tracked_buffers_when_passes_depend_then_they_run_in_order)
{
    for (int order = 0; order < 8; order++) {
        const char digits[] = {(char)('0' + order), '\0'};
        start_again(NULL, order ? digits : "late");
        assert_int_equal(run_chain(0, order & 1), 103);
    }
}

TEST(given_untracked_buffers_when_passes_depend_then_nothing_orders_them)
{
    assert_int_equal(run_chain(UNTRACKED, false), 0);
    assert_int_equal(run_chain(UNTRACKED, true), 0);
}

TEST(given_passes_that_only_read_when_run_late_then_the_last_runs_first)
{
    make_words(0);
    const Id commands = metal_command_buffer(fixture_queue);
    commit_shift(commands, src, middle, 0, 1);
    commit_shift(commands, src, dst, 0, 1);
    metal_commit(commands);
    metal_status(commands);
    drop_words();
    start_again("hang run 2", "late");
    make_words(0);
    const Id other = metal_command_buffer(fixture_queue);
    commit_shift(other, src, middle, 0, 1);
    commit_shift(other, src, dst, 0, 1);
    metal_commit(other);
    metal_status(other);
    assert_int_equal(words_of(dst)[0], 100);
    assert_int_equal(words_of(middle)[0], 0);
    drop_words();
}

/* -- within a pass -- */

static uint32_t run_in_one_pass(NSUInteger type, bool has_barrier)
{
    make_words(0);
    const Id commands = metal_command_buffer(fixture_queue);
    const Id encoder = metal_compute_encoder(commands, type);
    encode_shift(encoder, src, middle, 0, 1);
    if (has_barrier)
        metal_memory_barrier(encoder, 1);
    encode_shift(encoder, middle, dst, 0, 1);
    metal_end_encoding(encoder);
    metal_commit(commands);
    metal_wait_until_completed(commands);
    const uint32_t arrived = words_of(dst)[3];
    drop_words();
    return arrived;
}

TEST(given_dispatches_of_one_pass_when_concurrent_then_only_barriers_order_them)
{
    assert_int_equal(run_in_one_pass(SERIAL, false), 103);
    assert_int_equal(run_in_one_pass(CONCURRENT, true), 103);
    assert_int_equal(run_in_one_pass(CONCURRENT, false), 0);
    start_again(NULL, "early");
    assert_int_equal(run_in_one_pass(CONCURRENT, false), 103);
    bool differs = false;
    for (char seed = '0'; seed <= '9'; seed++) {
        start_again(NULL, (const char[]){seed, '\0'});
        assert_int_equal(run_in_one_pass(CONCURRENT, true), 103);
        assert_int_equal(run_in_one_pass(SERIAL, false), 103);
        differs |= run_in_one_pass(CONCURRENT, false) != 103;
    }
    assert_true(differs);
}

TEST(given_copies_that_depend_when_encoded_then_they_run_in_order)
{
    make_words(0);
    Id commands = metal_command_buffer(fixture_queue);
    Id encoder = metal_blit_encoder(commands);
    metal_copy(encoder, src, 0, middle, 0, 32);
    metal_copy(encoder, middle, 0, dst, 0, 16);
    metal_end_encoding(encoder);
    metal_commit(commands);
    metal_wait_until_completed(commands);
    assert_int_equal(words_of(dst)[3], 103);
    commands = metal_command_buffer(fixture_queue);
    encoder = metal_blit_encoder(commands);
    metal_copy(encoder, src, 0, dst, 0, 32);
    metal_copy(encoder, src, 16, dst, 8, 8); /* over what the first one wrote */
    metal_end_encoding(encoder);
    metal_commit(commands);
    metal_wait_until_completed(commands);
    assert_int_equal(words_of(dst)[1], 101);
    assert_int_equal(words_of(dst)[2], 104);
    assert_int_equal(words_of(dst)[4], 104);
    drop_words();
}

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

enum { TIMEOUT = 2, PAGE_FAULT = 3, DEVICE_REMOVED = 11 };

/* -- devices -- */

TEST(given_objects_of_two_devices_when_mixed_then_the_program_ends)
{
    start_again("device A\ndevice B", NULL);
    const Id devices = MTLCopyAllDevices();
    const Id buffer = metal_new_buffer(metal_object_at(devices, 1), 16, SHARED);
    assert_aborts(
        "is another device's",
        metal_set_buffer(compute_encoder(metal_command_buffer(fixture_queue)), buffer, 0, 0));
    metal_release(buffer);
    metal_release(devices);
}

/* -- what goes wrong -- */

static void expect_failure(Id commands, NSInteger code)
{
    assert_int_equal(metal_status(commands), FAILED);
    assert_int_equal(metal_code(metal_error(commands)), code);
    assert_string_equal(metal_utf8(metal_domain(metal_error(commands))),
                        "MTLCommandBufferErrorDomain");
    assert_true(strlen(metal_utf8(metal_description(metal_error(commands)))) > 0);
}

TEST(given_a_wait_for_a_signal_that_never_comes_when_waited_for_then_it_fails)
{
    start_again("hang-limit 0.05", NULL);
    const Id event = metal_new_shared_event(fixture_device);
    const Id commands = metal_command_buffer(fixture_queue);
    metal_encode_wait(commands, event, 1);
    metal_commit(commands);
    metal_wait_until_completed(commands);
    expect_failure(commands, TIMEOUT);
    metal_release(event);
}
