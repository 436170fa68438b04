/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "layer_faults.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "support/cases.h"

static const LayerFaults *tested;
static const VmafDeviceOpenParams usual;

enum { CALLS_MAX = 2000 };

int layer_faults_session(Trip *trip)
{
    int err = trip_begin(trip, &usual);
    for (uint32_t run = 0; run < 2 && !err; run++)
        err = trip_run(trip, 10 + run);
    return err;
}

uint64_t layer_faults_calls(const char *function)
{
    Trip trip;
    tested->use_machine(NULL);
    assert_int_equal(layer_faults_session(&trip), 0);
    const uint64_t calls = tested->count(function);
    trip_end(&trip);
    tested->leave_machine(NULL);
    if (calls < 1 || calls > CALLS_MAX)
        fail_msg("%s is called %u times", function, (unsigned)calls);
    return calls;
}

void layer_faults_assert_told(const Trip *trip, int err, const char *machine)
{
    char text[256];
    if (err != 0 && err != -ENODEV && err != -ENOMEM && err != -EIO && err != -ENOTSUP)
        fail_msg("%s: error %d", machine, err);
    if (!err || !trip->device)
        return;
    trip->layer->last_error(trip->device, text, sizeof(text));
    assert_string_not_equal(text, "");
    if ((strstr(text, "the device was lost") != NULL) != (err == -ENODEV))
        fail_msg("%s: error %d: %s", machine, err, text);
}

void layer_faults_assert_lost(const Trip *trip)
{
    const VmafDeviceBufferParams params = {.memory = VMAF_MEMORY_DEVICE, .size = 4};
    const VmafDeviceLayer *layer = trip->layer;
    VmafDeviceBuffer *buffer;
    VmafDeviceCommandList *list;
    VmafDeviceQueue *queue;
    const VmafDeviceKernel *kernel;
    VmafDeviceImage *image;
    const VmafBackendImport import = {.struct_size = sizeof(import)};
    VmafDeviceTicket ticket;
    layer_faults_assert_told(trip, -ENODEV, "lost");
    const uint64_t calls = tested->count("call");
    if (trip->queue && trip->list) {
        assert_int_equal(trip_submit(trip, 1, 0, &ticket), -ENODEV);
        assert_int_equal(layer->wait(trip->queue, 4, UINT64_MAX), -ENODEV);
    }
    assert_int_equal(layer->buffer_create(trip->device, &buffer, &params), -ENODEV);
    assert_int_equal(layer->command_list_begin(trip->device, &list), -ENODEV);
    assert_int_equal(layer->queue_create(trip->device, &queue), -ENODEV);
    assert_int_equal(layer->kernel_find(trip->device, &kernel, "reads_outside"), -ENODEV);
    assert_int_equal(layer->image_import(trip->device, &image, &import), -ENODEV);
    assert_int_equal(tested->count("call"), calls); /* at once */
}

static void given_a_device_lost_at_any_call_it_says_so_and_closes(void **state)
{
    const uint64_t calls = layer_faults_calls("call");
    uint64_t failed = 0, lost = 0;
    for (uint64_t n = 1; n <= calls; n++) {
        Trip trip;
        char machine[64];
        snprintf(machine, sizeof(machine), "lose call %u", (unsigned)n);
        tested->use_machine(machine);
        const int err = layer_faults_session(&trip);
        layer_faults_assert_told(&trip, err, machine);
        failed += err != 0;
        if (err == -ENODEV && trip.device) {
            layer_faults_assert_lost(&trip);
            lost++;
        }
        /* The calls that ask about a device may be answered by guesses. */
        if (err && err != -ENODEV && trip.device && !tested->is_vague)
            fail_msg("%s: error %d", machine, err);
        trip_end(&trip);
        tested->leave_machine(machine);
    }
    assert_true(failed > calls / 2);
    assert_true(lost > calls / (tested->is_vague ? 4 : 2));
}

static void check_failure(const char *function, uint64_t n, size_t e)
{
    Trip trip;
    char machine[128];
    snprintf(machine, sizeof(machine), "fail %s %u %s", function, (unsigned)n,
             tested->errors[e].name);
    tested->use_machine(machine);
    const int err = layer_faults_session(&trip);
    if (tested->is_vague ? !err : err != tested->errors[e].error)
        fail_msg("%s: error %d, not %d", machine, err, tested->errors[e].error);
    layer_faults_assert_told(&trip, err, machine);
    trip_end(&trip);
    if (tested->assert_caller_untouched)
        tested->assert_caller_untouched();
    if (strcmp(function, tested->query) == 0)
        tested->use_machine(NULL);
    const int later = layer_faults_session(&trip); /* the driver itself is as it was */
    if (later)
        fail_msg("%s: error %d of the session after it", machine, later);
    trip_end(&trip);
    tested->leave_machine(machine);
}

static void given_any_call_that_fails_the_error_is_told_and_the_next_run_is_right(void **state)
{
    size_t n_errors = 0, tried = 0;
    while (n_errors < 4 && tested->errors[n_errors].name)
        n_errors++;
    for (size_t f = 0; tested->functions[f]; f++) {
        const uint64_t calls = layer_faults_calls(tested->functions[f]);
        for (uint64_t n = 1; n <= calls; n++) {
            for (size_t e = 0; e < n_errors; e++) {
                if (!tested->takes_turns || e == n % n_errors) {
                    check_failure(tested->functions[f], n, e);
                    tried++;
                }
            }
        }
    }
    assert_true(tried > 20);
}

/* No ticket tells when the copies of such a submission end. */
static void given_a_submission_that_fails_nothing_of_it_runs_on(void **state)
{
    Trip trip;
    VmafDeviceTicket ticket;
    if (!tested->failing_submission)
        skip(); /* it is among the layer's own */
    tested->use_machine(tested->failing_submission);
    assert_int_equal(trip_begin(&trip, &usual), 0);
    assert_int_equal(trip_submit(&trip, 1, 0, &ticket), -ENOMEM);
    trip_forget(&trip);
    assert_int_equal(trip_prepare(&trip), 0);
    assert_int_equal(trip_run(&trip, 2), 0);
    trip_end(&trip);
    tested->leave_machine(tested->failing_submission);
}

/* What a run says that has no memory for one of the trip's five buffers. */
static void assert_no_memory(const Trip *trip, int err, unsigned buffer)
{
    char text[256];
    const char *words = buffer == 1 || buffer == 5 ? "no 4096 bytes of pinned host memory"
                                                   : "no 4096 bytes of device memory";
    trip->layer->last_error(trip->device, text, sizeof(text));
    if (err != -ENOMEM || !strstr(text, words))
        fail_msg("buffer %u: error %d: %s", buffer, err, text);
}

static void given_no_memory_at_any_allocation_the_run_ends_in_words(void **state)
{
    const unsigned first = tested->n_allocated;
    unsigned n = 0;
    int err = -ENOMEM;
    while (err) {
        Trip trip;
        char machine[64];
        snprintf(machine, sizeof(machine), "out-of-memory at %u", ++n);
        tested->use_machine(machine);
        err = layer_faults_session(&trip);
        layer_faults_assert_told(&trip, err, machine);
        if (err && !tested->is_vague) {
            assert_int_equal(err, -ENOMEM);
            if (n > first)
                assert_no_memory(&trip, err, n - first);
        }
        trip_end(&trip);
        tested->leave_machine(machine);
    }
    assert_in_range(n - 1, first + 5, tested->is_vague ? 100 : first + 5);
}

static void given_host_memory_that_has_no_address_none_of_it_is_left(void **state)
{
    for (unsigned n = 1; tested->mapping && n <= 2; n++) {
        Trip trip;
        char machine[128];
        snprintf(machine, sizeof(machine), "kind integrated\nfail %s %u %s", tested->mapping, n,
                 tested->errors[0].name);
        tested->use_machine(machine);
        const int err = layer_faults_session(&trip);
        assert_int_equal(err, tested->errors[0].error);
        layer_faults_assert_told(&trip, err, machine);
        trip_end(&trip);
        tested->leave_machine(machine);
    }
}

static void given_a_kernel_that_accesses_what_is_not_there_the_device_is_lost(void **state)
{
    for (unsigned n = 0; n < 4; n++) {
        Trip trip;
        char machine[64];
        VmafDeviceTicket ticket;
        snprintf(machine, sizeof(machine), "illegal-address launch %u", n + 1);
        tested->use_machine(machine);
        assert_int_equal(trip_begin(&trip, &usual), 0);
        if (n >= 2) /* a run has two kernels */
            assert_int_equal(trip_run(&trip, 4), 0);
        assert_int_equal(trip_submit(&trip, 5, 0, &ticket), 0);
        assert_int_equal(trip.layer->wait(trip.queue, ticket, UINT64_MAX), -ENODEV);
        layer_faults_assert_lost(&trip);
        trip_end(&trip);
        tested->leave_machine(machine);
    }
}

static void given_a_hang_at_any_command_waiting_ends(void **state)
{
    for (unsigned n = 1; n <= tested->n_hanging; n++) {
        Trip trip;
        char machine[64];
        VmafDeviceTicket ticket;
        snprintf(machine, sizeof(machine), "hang %s %u\nhang-limit %s", tested->hanging, n,
                 tested->hang_limit);
        tested->use_machine(machine);
        assert_int_equal(trip_begin(&trip, &usual), 0);
        assert_int_equal(trip_submit(&trip, 5, 0, &ticket), 0);
        assert_int_equal(trip.layer->wait(trip.queue, ticket, 20000000), -ETIMEDOUT);
        assert_int_equal(trip.layer->wait(trip.queue, ticket, 0), -ETIMEDOUT);
        if (tested->ends_hangs)
            assert_int_equal(trip.layer->wait(trip.queue, ticket, UINT64_MAX), -ENODEV);
        trip_end(&trip);
        tested->leave_machine(machine);
    }
}

static void given_faults_that_the_layer_injects_they_come_to_the_same(void **state)
{
    const VmafDeviceFaults lose = {.lose_at_submit = 2}, hang = {.hang_at_submit = 2};
    const VmafDeviceOpenParams loses = {.faults = &lose}, hangs = {.faults = &hang};
    Trip trip;
    VmafDeviceTicket ticket;
    tested->use_machine(NULL);
    assert_int_equal(trip_begin(&trip, &loses), 0);
    assert_int_equal(trip_run(&trip, 1), 0);
    assert_int_equal(trip_submit(&trip, 2, 1, &ticket), -ENODEV);
    layer_faults_assert_lost(&trip);
    trip_end(&trip);
    assert_int_equal(trip_begin(&trip, &hangs), 0);
    assert_int_equal(trip_run(&trip, 1), 0);
    assert_int_equal(trip_submit(&trip, 2, 1, &ticket), 0);
    assert_int_equal(trip.layer->wait(trip.queue, ticket, 2000000), -ETIMEDOUT);
    assert_int_equal(trip_submit(&trip, 3, 0, &ticket), 0);
    assert_int_equal(trip.layer->wait(trip.queue, ticket, 0), -ETIMEDOUT);
    trip_end(&trip);
    tested->leave_machine(NULL);
}

int layer_faults_run(const LayerFaults *layer)
{
    tested = layer;
    trip_use_layer(layer->layer);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_device_lost_at_any_call_it_says_so_and_closes),
        cmocka_unit_test(given_any_call_that_fails_the_error_is_told_and_the_next_run_is_right),
        cmocka_unit_test(given_a_submission_that_fails_nothing_of_it_runs_on),
        cmocka_unit_test(given_no_memory_at_any_allocation_the_run_ends_in_words),
        cmocka_unit_test(given_host_memory_that_has_no_address_none_of_it_is_left),
        cmocka_unit_test(given_a_kernel_that_accesses_what_is_not_there_the_device_is_lost),
        cmocka_unit_test(given_a_hang_at_any_command_waiting_ends),
        cmocka_unit_test(given_faults_that_the_layer_injects_they_come_to_the_same),
    };
    return run_case_group(tests, NULL, NULL);
}
