/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The machine file: devices, and what goes wrong on them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "support/cases.h"

enum {
    INTERNAL = 1,
    TIMEOUT = 2,
    PAGE_FAULT = 3,
    ACCESS_REVOKED = 4,
    OUT_OF_MEMORY = 8,
    DEVICE_REMOVED = 11
};

enum { APPLE7 = 1007, APPLE8 = 1008, APPLE9 = 1009, MAC2 = 2002, METAL3 = 5001 };

static void start_again(const char *machine, const char *order)
{
    fixture_tear_down(NULL);
    fixture_start(machine, order);
}

/* -- devices -- */

#define TEST(name) CASE_WITH(name, fixture_set_up, fixture_tear_down)

TEST(given_the_default_machine_when_asked_then_it_is_an_apple_gpu)
{
    assert_string_equal(metal_utf8(metal_name(fixture_device)), "Emulated Apple GPU");
    assert_true(metal_supports_family(fixture_device, APPLE7));
    assert_false(metal_supports_family(fixture_device, APPLE8));
    assert_true(metal_supports_family(fixture_device, MAC2));
    assert_true(metal_supports_family(fixture_device, METAL3));
    assert_true(metal_has_unified_memory(fixture_device));
    assert_false(metal_is_low_power(fixture_device));
    assert_int_equal(metal_max_buffer_length(fixture_device), UINT64_C(4) << 30);
    assert_true(metal_working_set(fixture_device) < UINT64_C(8) << 30);
}

TEST(given_several_devices_when_asked_then_each_is_as_described)
{
    start_again("device Apple M3 Max; family apple9; memory 64G; registry-id 7\n"
                "device Intel UHD; family mac2; kind integrated; memory 1536M # the second\n"
                "device AMD Radeon Pro; family mac2; kind discrete; removable",
                NULL);
    const Id devices = MTLCopyAllDevices();
    assert_int_equal(metal_count(devices), 3);
    const Id intel = metal_object_at(devices, 1), amd = metal_object_at(devices, 2);
    assert_ptr_equal(metal_object_at(devices, 0), fixture_device);
    assert_string_equal(metal_utf8(metal_name(fixture_device)), "Apple M3 Max");
    assert_true(metal_supports_family(fixture_device, APPLE9));
    assert_int_equal(metal_registry_id(fixture_device) & 0xffff, 7);
    assert_false(metal_supports_family(intel, APPLE7));
    assert_true(metal_supports_family(intel, MAC2));
    assert_true(metal_has_unified_memory(intel) && metal_is_low_power(intel) &&
                !metal_is_removable(intel));
    assert_true(!metal_has_unified_memory(amd) && !metal_is_low_power(amd) &&
                metal_is_removable(amd));
    assert_int_not_equal(metal_registry_id(intel), metal_registry_id(amd));
    metal_release(devices);
    start_again("family apple6", NULL); /* of a phone */
    assert_true(metal_supports_family(fixture_device, 1006));
    assert_false(metal_supports_family(fixture_device, APPLE7));
    assert_false(metal_supports_family(fixture_device, MAC2));
    assert_false(metal_supports_family(fixture_device, METAL3));
}

TEST(given_no_device_when_asked_then_there_is_none)
{
    start_again("no-device", NULL);
    assert_null(fixture_device);
    const Id devices = MTLCopyAllDevices();
    assert_int_equal(metal_count(devices), 0);
    metal_release(devices);
}

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

TEST(given_a_word_that_is_not_known_when_configured_then_it_is_refused)
{
    static const char *const wrong[] = {
        "gpu",           "family apple11",  "family nvidia",         "max-buffer 4K",
        "fail commit 1", "fail cuInit 1 1", "fail commit 1 NoError", "hang commit 0",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(emulated_metal_configure(wrong[i], NULL), -1);
    assert_int_equal(emulated_metal_configure(NULL, "backwards"), -1);
    assert_non_null(fixture_device);
    metal_release(metal_new_buffer(fixture_device, 16, SHARED)); /* nothing has changed */
}

/* -- what goes wrong -- */

/* Commits a pass and a signal; waits. */
static Id run_work(Id event)
{
    const Id src = fixture_words(8, 100), dst = fixture_words(8, 0);
    const Id commands = metal_command_buffer(fixture_queue);
    commit_shift(commands, src, dst, 0, 1);
    if (event)
        metal_encode_signal(commands, event, 1);
    metal_commit(commands);
    metal_wait_until_completed(commands);
    if (metal_status(commands) == COMPLETED)
        assert_int_equal(words_of(dst)[0], 100);
    metal_release(src);
    metal_release(dst);
    return commands;
}

static void expect_failure(Id commands, NSInteger code)
{
    assert_int_equal(metal_status(commands), FAILED);
    assert_int_equal(metal_code(metal_error(commands)), code);
    assert_string_equal(metal_utf8(metal_domain(metal_error(commands))),
                        "MTLCommandBufferErrorDomain");
    assert_true(strlen(metal_utf8(metal_description(metal_error(commands)))) > 0);
}

TEST(given_a_commit_that_fails_when_waited_for_then_it_has_that_error)
{
    start_again("fail commit 2 MTLCommandBufferErrorOutOfMemory\nfail commit 3 4", NULL);
    assert_int_equal(metal_status(run_work(NULL)), COMPLETED);
    expect_failure(run_work(NULL), OUT_OF_MEMORY);
    expect_failure(run_work(NULL), ACCESS_REVOKED);
    assert_int_equal(metal_status(run_work(NULL)), COMPLETED);
}

TEST(given_work_that_fails_when_it_ends_then_its_events_are_signalled_only_if_so_said)
{
    for (int k = 0; k < 2; k++) {
        start_again(k ? "illegal-address commit 1; errors-signal" : "illegal-address commit 1",
                    NULL);
        const Id event = metal_new_shared_event(fixture_device);
        expect_failure(run_work(event), PAGE_FAULT);
        for (int i = 0; i < 3; i++)
            assert_int_equal(metal_signaled_value(event), k);
        metal_release(event);
    }
}

TEST(given_faults_of_launches_and_runs_when_their_turn_comes_then_they_hit)
{
    start_again("illegal-address launch 2", NULL);
    assert_int_equal(metal_status(run_work(NULL)), COMPLETED);
    expect_failure(run_work(NULL), PAGE_FAULT);
    start_again("illegal-address run 1", NULL);
    expect_failure(run_work(NULL), PAGE_FAULT);
    assert_int_equal(emulated_metal_count("launch"), 1);
    assert_int_equal(emulated_metal_count("submission"), 1);
}

TEST(given_work_that_hangs_when_waited_for_then_it_fails_after_a_while)
{
    start_again("hang commit 1; hang-limit 0.05", NULL);
    expect_failure(run_work(NULL), TIMEOUT);
    assert_int_equal(metal_status(run_work(NULL)), COMPLETED);
}

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

TEST(given_work_that_hangs_when_asked_then_it_fails_after_a_while)
{
    start_again("hang run 1; hang-limit 0.05", NULL);
    const Id commands = metal_command_buffer(fixture_queue);
    metal_commit(commands);
    const double begin = seconds_now();
    while (metal_status(commands) < COMPLETED)
        usleep(1000);
    assert_true(seconds_now() - begin >= 0.05);
    expect_failure(commands, TIMEOUT);
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

TEST(given_a_device_that_is_lost_when_used_then_everything_fails)
{
    start_again("device A\ndevice B\nlose commit 2", NULL);
    const Id devices = MTLCopyAllDevices(), other = metal_object_at(devices, 1);
    const Id early = metal_command_buffer(fixture_queue);
    metal_commit(early);
    expect_failure(run_work(NULL), DEVICE_REMOVED);
    expect_failure(early, DEVICE_REMOVED);
    assert_null(metal_new_buffer(fixture_device, 16, SHARED));
    assert_null(new_queue(fixture_device));
    assert_null(metal_new_shared_event(fixture_device));
    const Id late = metal_command_buffer(fixture_queue);
    metal_commit(late);
    expect_failure(late, DEVICE_REMOVED);
    const Id buffer = metal_new_buffer(other, 16, SHARED);
    assert_non_null(buffer);
    metal_release(buffer);
    metal_release(devices);
}

TEST(given_the_second_device_when_lost_then_the_first_one_works)
{
    start_again("device A\ndevice B\nlose commit 1", NULL);
    const Id devices = MTLCopyAllDevices();
    const Id queue = new_queue(metal_object_at(devices, 1));
    const Id commands = metal_command_buffer(queue);
    metal_commit(commands);
    expect_failure(commands, DEVICE_REMOVED);
    assert_int_equal(metal_status(run_work(NULL)), COMPLETED);
    metal_release(queue);
    metal_release(devices);
}

TEST(given_a_device_that_is_lost_otherwise_when_used_then_the_error_is_that)
{
    start_again("lose run 1 MTLCommandBufferErrorAccessRevoked", NULL);
    expect_failure(run_work(NULL), ACCESS_REVOKED);
    start_again("lose commandBuffer 1 1", NULL);
    const Id commands = metal_command_buffer(fixture_queue);
    metal_commit(commands);
    expect_failure(commands, INTERNAL);
}

TEST(given_calls_that_fail_when_made_then_they_return_nothing)
{
    start_again("fail newBufferWithLength:options: 2 1; fail newSharedEvent 1 1; "
                "fail commandBuffer 1 1; fail MTLCopyAllDevices 1 1",
                NULL);
    const Id buffer = metal_new_buffer(fixture_device, 16, SHARED);
    assert_non_null(buffer);
    assert_null(metal_new_buffer(fixture_device, 16, SHARED));
    assert_null(metal_new_shared_event(fixture_device));
    assert_null(metal_command_buffer(fixture_queue));
    assert_null(MTLCopyAllDevices());
    metal_release(buffer);
    start_again("fail newLibraryWithSource:options:error: 1 1", NULL);
    Id error = NULL;
    assert_null(
        metal_new_library(fixture_device, fixture_string(fixture_text), fixture_options(), &error));
    assert_non_null(error);
}

TEST(given_a_slower_device_when_work_is_timed_then_it_takes_longer)
{
    double seconds[2];
    for (int k = 0; k < 2; k++) {
        start_again(k ? "speed 0.1" : NULL, NULL);
        const Id from = metal_new_buffer(fixture_device, 64 << 20, PRIVATE);
        const Id to = metal_new_buffer(fixture_device, 64 << 20, PRIVATE);
        const Id commands = metal_command_buffer(fixture_queue);
        const Id encoder = metal_blit_encoder(commands);
        metal_copy(encoder, from, 0, to, 0, 64 << 20);
        metal_end_encoding(encoder);
        metal_commit(commands);
        metal_wait_until_completed(commands);
        seconds[k] = metal_end_time(commands) - metal_start_time(commands);
        metal_release(from);
        metal_release(to);
    }
    assert_true(seconds[1] > 9 * seconds[0]);
}

/* -- the Metal backend -- */

/* The next string of a C source, or several that follow one another; NULL: there is none. */
static char *next_string(char *at, char *string, size_t size)
{
    size_t length = 0;
    at = strchr(at, '"');
    while (at && *at == '"') {
        for (at++; *at != '"' && length + 1 < size; at++)
            string[length++] = *at;
        at++;
        at += strspn(at, " \n");
    }
    string[length] = '\0';
    return at;
}

/* A fault can name each message that the backend sends, so that something answers it. */
TEST(given_the_messages_of_the_backend_when_named_in_faults_then_all_are_known)
{
    static const char *const of_all_objects =
        " alloc init retain release respondsToSelector: objc_msgSend _objc_msgSend ";
    static char text[65536];
    char name[200], word[256], line[256];
    unsigned known = 0;
    FILE *file = fopen(METAL_MESSAGES, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    for (char *at = text; (at = next_string(at, name, sizeof(name))) != NULL;) {
        snprintf(word, sizeof(word), " %s ", name);
        snprintf(line, sizeof(line), "fail %s 1 1", name);
        if (strstr(of_all_objects, word))
            continue;
        if (emulated_metal_configure(line, NULL) != 0)
            fail_msg("%s", line);
        known++;
    }
    assert_true(known > 50);
    fixture_device = fixture_queue = NULL; /* configuring forgets all objects */
}

/* -- in a process of its own, as a program finds it -- */

static int look(void)
{
    void *pool = objc_autoreleasePoolPush();
    const Id devices = MTLCopyAllDevices();
    const NSUInteger count = metal_count(devices);
    for (NSUInteger i = 0; i < count; i++)
        printf("[%s]", metal_utf8(metal_name(metal_object_at(devices, i))));
    if (count > 0)
        new_queue(metal_object_at(devices, 0)); /* it is left */
    metal_release(devices);
    objc_autoreleasePoolPop(pool);
    return 0;
}

TEST(given_the_environment_when_a_program_starts_then_it_is_the_machine)
{
    char path[] = "/tmp/test_metal_log.XXXXXX";
    static const char *const cases[][3] = {
        {"VMAF_EMULATED_METAL_FAULTS", "device Apple M1; device Apple M2", "[Apple M1][Apple M2]"},
        {"VMAF_EMULATED_METAL_FAULTS", "device X; no-device", ""},
        {"VMAF_EMULATED_METAL", "/nonexistent", NULL}};
    close(mkstemp(path));
    for (size_t i = 0; i < 3; i++) {
        const char *said = fixture_run_again(
            (const char *const[]){cases[i][0], cases[i][1], "VMAF_EMULATED_METAL_LOG", path, NULL});
        if (cases[i][2])
            assert_string_equal(said, cases[i][2]);
        else
            assert_null(strchr(said, '['));
    }
    const char *log = fixture_take_file(path);
    assert_non_null(strstr(log, "\nname MTLDevice "));
    assert_non_null(strstr(log, "\nleft MTLCommandQueue "));
    assert_null(strstr(log, "\nleft NSArray "));
}

int main(int argc, char **argv)
{
    if (take_argument(&argc, &argv, "--again"))
        return look();
    return run_cases(argc, argv);
}
