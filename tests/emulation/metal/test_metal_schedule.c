/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* When work runs, and in which order on one queue. */
#include "support/cases.h"
#include "words.h"

/* -- when -- */

#define TEST(name) CASE_WITH(name, fixture_set_up, fixture_tear_down)

TEST(given_committed_work_when_nobody_waits_then_it_does_not_run)
{
    make_words(0);
    const Id commands = committed_copy(fixture_queue, src, dst);
    assert_int_equal(words_of(dst)[0], 0);
    words_of(src)[0] = 7; /* too early: the work has not run */
    metal_wait_until_completed(commands);
    assert_int_equal(words_of(dst)[0], 7);
    assert_int_equal(words_of(dst)[1], 101);
    drop_words();
}

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
