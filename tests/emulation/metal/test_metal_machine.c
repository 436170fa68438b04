/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The machine file: devices, and what goes wrong on them. */
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "support/cases.h"

enum { TIMEOUT = 2, PAGE_FAULT = 3, DEVICE_REMOVED = 11 };

static void start_again(const char *machine, const char *order)
{
    fixture_tear_down(NULL);
    fixture_start(machine, order);
}

/* -- devices -- */

#define TEST(name) CASE_WITH(name, fixture_set_up, fixture_tear_down)

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
