/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Encoders, and what they compute. */
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "support/cases.h"

enum { PAGE_FAULT = 3 };

/* -- kernels -- */

static void finish(Id commands)
{
    metal_commit(commands);
    metal_wait_until_completed(commands);
}

#define TEST(name) CASE_WITH(name, fixture_set_up, fixture_tear_down)

TEST(given_a_kernel_that_reads_too_much_when_it_runs_then_the_command_buffer_fails)
{
    const Id src = fixture_words(16, 0), dst = fixture_words(16, 0);
    Id commands = metal_command_buffer(fixture_queue);
    commit_shift(commands, src, dst, 1, 2);
    finish(commands);
    assert_int_equal(metal_status(commands), FAILED);
    assert_int_equal(metal_code(metal_error(commands)), PAGE_FAULT);
    assert_non_null(
        strstr(metal_utf8(metal_description(metal_error(commands))), "element 16 of src"));
    commands = metal_command_buffer(fixture_queue);
    commit_shift(commands, src, dst, 0, 2);
    finish(commands);
    assert_int_equal(metal_status(commands), COMPLETED);
    assert_null(metal_error(commands));
    metal_release(src);
    metal_release(dst);
}

/* A dispatch of which one thing is wrong. */
typedef struct Wrong {
    const char *text;
    NSUInteger offset, args_size;
    Size3 groups, threads;
    bool has_no_target, has_no_pipeline;
} Wrong;

static void encode_wrong(const Wrong *wrong, Id src, Id dst)
{
    const int32_t distance[1024] = {0};
    const Id pipeline = fixture_pipeline("reads_outside");
    const Id encoder = compute_encoder(metal_command_buffer(fixture_queue));
    if (!wrong->has_no_pipeline)
        metal_set_pipeline(encoder, pipeline);
    metal_set_buffer(encoder, src, wrong->offset, 0);
    metal_set_buffer(encoder, wrong->has_no_target ? NULL : dst, 0, 1);
    metal_set_bytes(encoder, distance, wrong->args_size, 2);
    metal_dispatch(encoder, wrong->groups, wrong->threads);
}

TEST(given_a_wrong_dispatch_when_encoded_then_the_program_ends)
{
    static const Wrong cases[] = {
        {"groups of 4 x 1 x 1 threads", 0, 4, {2, 1, 1}, {4, 1, 1}, false, false},
        {"groups of 4 x 2 x 1 threads", 0, 4, {2, 1, 1}, {4, 2, 1}, false, false},
        {"groups of 8 x 2 x 1 threads", 0, 4, {2, 1, 1}, {8, 2, 1}, false, false},
        {"2 x 0 x 1 groups", 0, 4, {2, 0, 1}, {8, 1, 1}, false, false},
        {"8 bytes of arguments", 0, 8, {2, 1, 1}, {8, 1, 1}, false, false},
        {"4097 bytes", 0, 4097, {2, 1, 1}, {8, 1, 1}, false, false},
        {"has no buffer 1", 0, 4, {2, 1, 1}, {8, 1, 1}, true, false},
        {"no multiple of its elements", 2, 4, {2, 1, 1}, {8, 1, 1}, false, false},
        {"offset 64 of MTLBuffer", 64, 4, {2, 1, 1}, {8, 1, 1}, false, false},
        {"there is no pipeline", 0, 4, {2, 1, 1}, {8, 1, 1}, false, true},
    };
    const Id src = fixture_words(16, 0), dst = fixture_words(16, 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_aborts(cases[i].text, encode_wrong(&cases[i], src, dst));
    metal_release(src);
    metal_release(dst);
}

/* -- copies -- */

static void encode_copy(Id src, Id dst, NSUInteger from, NSUInteger to, NSUInteger size)
{
    metal_copy(metal_blit_encoder(metal_command_buffer(fixture_queue)), src, from, dst, to, size);
}

TEST(given_a_wrong_copy_when_encoded_then_the_program_ends)
{
    const Id src = fixture_words(16, 0), dst = fixture_words(16, 0);
    const char *multiple = "not all are multiples of 4";
    assert_aborts("which has 64", encode_copy(src, dst, 8, 0, 60));
    assert_aborts("which has 64", encode_copy(src, dst, 0, 64, 4));
    assert_aborts(multiple, encode_copy(src, dst, 2, 0, 4));
    assert_aborts(multiple, encode_copy(src, dst, 0, 1, 4));
    assert_aborts(multiple, encode_copy(src, dst, 0, 0, 7));
    assert_aborts(multiple, encode_copy(src, dst, 0, 0, 0));
    assert_aborts("overlap", encode_copy(src, src, 0, 4, 8));
    metal_release(src);
    metal_release(dst);
}

/* -- the life of encoders and command buffers -- */

static void commit_with_open_encoder(void)
{
    const Id commands = metal_command_buffer(fixture_queue);
    compute_encoder(commands);
    metal_commit(commands);
}

static void open_two_encoders(void)
{
    const Id commands = metal_command_buffer(fixture_queue);
    compute_encoder(commands);
    metal_blit_encoder(commands);
}

static void encode_after_end(void)
{
    const Id encoder = compute_encoder(metal_command_buffer(fixture_queue));
    metal_end_encoding(encoder);
    metal_memory_barrier(encoder, 1);
}

static void forget_to_end(void)
{
    void *pool = objc_autoreleasePoolPush();
    compute_encoder(metal_command_buffer(fixture_queue));
    objc_autoreleasePoolPop(pool);
}

static void commit_twice(void)
{
    const Id commands = metal_command_buffer(fixture_queue);
    metal_commit(commands);
    metal_commit(commands);
}

TEST(given_an_encoder_used_out_of_turn_when_told_then_the_program_ends)
{
    assert_aborts("has an encoder that has not ended", commit_with_open_encoder());
    assert_aborts("has an encoder that has not ended", open_two_encoders());
    assert_aborts("after endEncoding", encode_after_end());
    assert_aborts("was not told endEncoding", forget_to_end());
    assert_aborts("was committed before", commit_twice());
    assert_aborts("was not committed",
                  metal_wait_until_completed(metal_command_buffer(fixture_queue)));
}

TEST(given_a_resource_when_released_before_the_work_runs_then_the_command_buffer_keeps_it)
{
    const Id src = fixture_words(8, 5), dst = fixture_words(8, 0);
    const Id commands = metal_command_buffer(fixture_queue);
    commit_shift(commands, src, dst, 0, 1);
    metal_release(src);
    finish(commands);
    assert_int_equal(metal_status(commands), COMPLETED);
    assert_int_equal(words_of(dst)[7], 12);
    metal_release(dst);
    assert_int_equal(emulated_metal_count("memory"), 0);
}
