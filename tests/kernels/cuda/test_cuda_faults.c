/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The CUDA layer when the driver fails: at each call in turn, the device is lost, memory runs out,
 * or an error passes. What arrives is right or nothing does, every error is told, everything is
 * given back, and a lost device is left alone.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "broken_args.h"
#include "test_sets.h"
#include "trip.h"

static const Emulated *driver;
static const VmafDeviceOpenParams usual;

enum { CALLS_MAX = 2000 };

static void use_machine(const char *machine)
{
    assert_int_equal(driver->configure(machine, NULL), 0);
}

/* Two frames and another command list, from nothing to nothing; the first error. */
static int whole_run(Trip *trip)
{
    int err = trip_begin(trip, &usual);
    for (uint32_t run = 0; run < 2 && !err; run++)
        err = trip_run(trip, 10 + run);
    return err;
}

/* How many calls of this name a run makes; all of them by the name "call". */
static uint64_t calls_of(const char *function)
{
    Trip trip;
    use_machine(NULL);
    assert_int_equal(whole_run(&trip), 0);
    const uint64_t calls = driver->count(function);
    trip_end(&trip);
    assert_in_range(calls, 0, CALLS_MAX);
    return calls;
}

static void assert_lost(const Trip *trip)
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
    char text[256];
    layer->last_error(trip->device, text, sizeof(text));
    assert_non_null(strstr(text, "lost"));
    const uint64_t calls = driver->count("call");
    if (trip->queue && trip->list) {
        assert_int_equal(trip_submit(trip, 1, 0, &ticket), -ENODEV);
        assert_int_equal(layer->wait(trip->queue, 4, UINT64_MAX), -ENODEV);
    }
    assert_int_equal(layer->buffer_create(trip->device, &buffer, &params), -ENODEV);
    assert_int_equal(layer->command_list_begin(trip->device, &list), -ENODEV);
    assert_int_equal(layer->queue_create(trip->device, &queue), -ENODEV);
    assert_int_equal(layer->kernel_find(trip->device, &kernel, "reads_outside"), -ENODEV);
    assert_int_equal(layer->image_import(trip->device, &image, &import), -ENODEV);
    assert_int_equal(driver->count("call"), calls); /* at once */
}

static void given_a_device_lost_at_any_call_it_says_so_and_closes(void **state)
{
    const uint64_t calls = calls_of("call");
    uint64_t lost = 0;
    (void)state;
    for (uint64_t n = 1; n <= calls; n++) {
        Trip trip;
        char machine[64];
        snprintf(machine, sizeof(machine), "lose call %llu", (unsigned long long)n);
        use_machine(machine);
        const int err = whole_run(&trip);
        if (err && trip.device && err == -ENODEV) {
            assert_lost(&trip);
            lost++;
        }
        /* The calls that ask about a device may be answered by guesses. */
        if (err && err != -ENODEV && trip.device)
            fail_msg("call %llu: error %d", (unsigned long long)n, err);
        trip_end(&trip);
    }
    assert_true(lost > calls / 2);
}

/* The functions whose failure a run can survive if it is repeated, or not. */
static const char *const functions[] = {
    "cuDevicePrimaryCtxRetain",
    "cuMemAlloc_v2",
    "cuMemHostAlloc",
    "cuModuleLoadData",
    "cuModuleGetFunction",
    "cuStreamCreate",
    "cuEventCreate",
    "cuEventRecord",
    "cuStreamWaitEvent",
    "cuMemcpyAsync",
    "cuGraphCreate",
    "cuGraphAddKernelNode",
    "cuGraphAddMemcpyNode",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuLaunchKernel",
    "cuEventQuery",
};

static void assert_nothing_left(void)
{
    assert_int_equal(driver->count("memory"), 0);
    assert_true(driver->count("cuStreamDestroy_v2") <= driver->count("cuStreamCreate"));
    assert_int_equal(driver->count("cuGraphCreate") - driver->count("cuGraphDestroy"), 0);
}

static void given_any_call_that_fails_the_error_is_told_and_the_next_run_is_right(void **state)
{
    static const struct {
        const char *name;
        int error;
    } errors[] = {{"CUDA_ERROR_OUT_OF_MEMORY", -ENOMEM}, {"CUDA_ERROR_NOT_PERMITTED", -EIO}};
    uint64_t tried = 0;
    (void)state;
    for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); f++) {
        const uint64_t calls = calls_of(functions[f]);
        for (uint64_t i = 0; i < 2 * calls; i++) {
            const size_t e = i % 2;
            Trip trip;
            char machine[128];
            snprintf(machine, sizeof(machine), "fail %s %llu %s", functions[f],
                     (unsigned long long)(i / 2 + 1), errors[e].name);
            use_machine(machine);
            const int err = whole_run(&trip);
            if (err != errors[e].error)
                fail_msg("%s: error %d, not %d", machine, err, errors[e].error);
            if (trip.device) {
                char text[256];
                trip.layer->last_error(trip.device, text, sizeof(text));
                assert_string_not_equal(text, "");
                assert_null(strstr(text, "lost"));
            }
            trip_end(&trip);
            if (driver->count(functions[f]) && strcmp(functions[f], "cuGraphCreate") != 0)
                assert_int_equal(driver->count("memory"), 0);
            tried++;
        }
        Trip trip; /* the driver itself is as it was */
        assert_int_equal(whole_run(&trip), 0);
        trip_end(&trip);
        assert_int_equal(driver->count("memory"), 0);
    }
    assert_true(tried > 40);
}

/* No ticket tells when the copies of such a submission end. */
static void given_a_submission_that_fails_nothing_of_it_runs_on(void **state)
{
    Trip trip;
    VmafDeviceTicket ticket;
    char machine[64];
    (void)state;
    snprintf(machine, sizeof(machine), "fail %s 1 CUDA_ERROR_OUT_OF_MEMORY",
             driver->has_graphs ? "cuGraphLaunch" : "cuLaunchKernel");
    use_machine(machine);
    assert_int_equal(trip_begin(&trip, &usual), 0);
    assert_int_equal(trip_submit(&trip, 1, 0, &ticket), -ENOMEM);
    trip_forget(&trip);
    assert_int_equal(trip_prepare(&trip), 0);
    assert_int_equal(trip_run(&trip, 2), 0);
    trip_end(&trip);
}

static void given_no_memory_at_any_allocation_the_run_ends_in_words(void **state)
{
    (void)state;
    use_machine(NULL);
    for (uint64_t n = 1;; n++) {
        Trip trip;
        char machine[64], text[256];
        snprintf(machine, sizeof(machine), "out-of-memory at %llu", (unsigned long long)n);
        use_machine(machine);
        const int err = whole_run(&trip);
        if (!err) {
            assert_int_equal(n, 6); /* there are five buffers */
            trip_end(&trip);
            break;
        }
        assert_int_equal(err, -ENOMEM);
        trip.layer->last_error(trip.device, text, sizeof(text));
        assert_non_null(strstr(text, n == 1 || n == 5 ? "no 4096 bytes of pinned host memory"
                                                      : "no 4096 bytes of device memory"));
        trip_end(&trip);
        assert_int_equal(driver->count("memory"), 0);
    }
    assert_nothing_left();
}

static void given_a_kernel_that_accesses_what_is_not_there_the_device_is_lost(void **state)
{
    Trip trip;
    (void)state;
    for (int n = 1; n <= 2; n++) {
        char machine[64];
        VmafDeviceTicket ticket;
        snprintf(machine, sizeof(machine), "illegal-address run %d", n + 1);
        use_machine(machine);
        assert_int_equal(trip_begin(&trip, &usual), 0);
        assert_int_equal(trip_submit(&trip, 5, 0, &ticket), 0);
        assert_int_equal(trip.layer->wait(trip.queue, ticket, UINT64_MAX), -ENODEV);
        assert_lost(&trip);
        trip_end(&trip);
    }
}

static void given_a_hang_at_any_command_waiting_ends(void **state)
{
    (void)state;
    /* Copy, event, two kernels, copy, event. */
    for (int n = 1; n <= 6; n++) {
        Trip trip;
        char machine[64];
        VmafDeviceTicket ticket;
        snprintf(machine, sizeof(machine), "hang run %d\nhang-limit 0.05", n);
        use_machine(machine);
        assert_int_equal(trip_begin(&trip, &usual), 0);
        assert_int_equal(trip_submit(&trip, 5, 0, &ticket), 0);
        assert_int_equal(trip.layer->wait(trip.queue, ticket, 20000000), -ETIMEDOUT);
        assert_int_equal(trip.layer->wait(trip.queue, ticket, 0), -ETIMEDOUT);
        trip_end(&trip);
    }
}

static void given_faults_that_the_layer_injects_they_come_to_the_same(void **state)
{
    const VmafDeviceFaults lose = {.lose_at_submit = 2}, hang = {.hang_at_submit = 2};
    const VmafDeviceOpenParams loses = {.faults = &lose}, hangs = {.faults = &hang};
    Trip trip;
    VmafDeviceTicket ticket;
    (void)state;
    use_machine(NULL);
    assert_int_equal(trip_begin(&trip, &loses), 0);
    assert_int_equal(trip_run(&trip, 1), 0);
    assert_int_equal(trip_submit(&trip, 2, 1, &ticket), -ENODEV);
    assert_lost(&trip);
    trip_end(&trip);
    assert_int_equal(trip_begin(&trip, &hangs), 0);
    assert_int_equal(trip_run(&trip, 1), 0);
    assert_int_equal(trip_submit(&trip, 2, 1, &ticket), 0);
    assert_int_equal(trip.layer->wait(trip.queue, ticket, 2000000), -ETIMEDOUT);
    assert_int_equal(trip_submit(&trip, 3, 0, &ticket), 0);
    assert_int_equal(trip.layer->wait(trip.queue, ticket, 0), -ETIMEDOUT);
    trip_end(&trip);
}

int main(void)
{
    driver = emulated_load();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_device_lost_at_any_call_it_says_so_and_closes),
        cmocka_unit_test(given_any_call_that_fails_the_error_is_told_and_the_next_run_is_right),
        cmocka_unit_test(given_a_submission_that_fails_nothing_of_it_runs_on),
        cmocka_unit_test(given_no_memory_at_any_allocation_the_run_ends_in_words),
        cmocka_unit_test(given_a_kernel_that_accesses_what_is_not_there_the_device_is_lost),
        cmocka_unit_test(given_a_hang_at_any_command_waiting_ends),
        cmocka_unit_test(given_faults_that_the_layer_injects_they_come_to_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
