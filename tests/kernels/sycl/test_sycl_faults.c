/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The layer on Level Zero when the driver fails. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "emulated.h"
#include "layer_faults.h"
#include "support/cases.h"

static const Emulated *driver;
static const VmafDeviceOpenParams usual;

static void use_machine(const char *machine)
{
    assert_int_equal(driver->configure(machine, NULL), 0);
}

static void assert_balanced(const char *create, const char *destroy)
{
    assert_int_equal(driver->count(create), driver->count(destroy));
}

static bool has(const char *machine, const char *word)
{
    return machine && strstr(machine, word);
}

/* What a failed wait leaves behind, or a hang, ends with the session. A lost device answers every
 * call with an error, also those that give back. */
static void leave_machine(const char *machine)
{
    if (has(machine, "lose") || has(machine, "illegal-address"))
        return;
    assert_int_equal(driver->count("memory"), 0);
    if (!has(machine, "zeEventQueryStatus") && !has(machine, "hang"))
        assert_int_equal(driver->count("complaint"), 0);
    if (has(machine, "fail")) /* such calls are counted, too */
        return;
    assert_balanced("zeContextCreate", "zeContextDestroy");
    assert_balanced("zeCommandListCreateImmediate", "zeCommandListDestroy");
    assert_balanced("zeEventPoolCreate", "zeEventPoolDestroy");
    assert_balanced("zeEventCreate", "zeEventDestroy");
    assert_balanced("zeModuleCreate", "zeModuleDestroy");
    assert_balanced("zeKernelCreate", "zeKernelDestroy");
}

CASE(given_results_of_a_device_that_works_no_more_it_is_lost)
{
    static const char *const results[] = {"ZE_RESULT_ERROR_DEVICE_LOST", "0x70000006",
                                          "0x70000007"};
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        Trip trip;
        VmafDeviceTicket ticket;
        char machine[128];
        snprintf(machine, sizeof(machine), "fail zeCommandListAppendLaunchKernel 1 %s", results[i]);
        use_machine(machine);
        assert_int_equal(trip_begin(&trip, &usual), 0);
        assert_int_equal(trip_submit(&trip, 1, 0, &ticket), -ENODEV);
        layer_faults_assert_lost(&trip);
        trip_end(&trip);
    }
}

/* Asking never tells: the layer has to wait now and then. */
CASE(given_work_that_hangs_for_long_the_device_is_lost)
{
    Trip trip;
    VmafDeviceTicket ticket;
    use_machine("hang run 3; hang-limit 0.1");
    assert_int_equal(trip_begin(&trip, &usual), 0);
    assert_int_equal(trip_submit(&trip, 1, 0, &ticket), 0);
    assert_int_equal(trip.layer->wait(trip.queue, ticket, 100000000), -ETIMEDOUT);
    assert_int_equal(driver->count("zeEventHostSynchronize"), 0);
    assert_int_equal(trip.layer->wait(trip.queue, ticket, UINT64_C(20000000000)), -ENODEV);
    assert_true(driver->count("zeEventHostSynchronize") > 0);
    layer_faults_assert_lost(&trip);
    trip_end(&trip);
}

/* What was started cannot be waited for, so nothing that it uses is given back. */
CASE(given_work_that_cannot_be_settled_the_device_is_stuck)
{
    Trip trip;
    VmafDeviceTicket ticket;
    char machine[256];
    use_machine(NULL);
    assert_int_equal(trip_begin(&trip, &usual), 0);
    const uint64_t resets = driver->count("zeEventHostReset");
    assert_int_equal(trip_submit(&trip, 1, 0, &ticket), 0);
    /* The events of the copies and of the end; that of the end does not come. */
    const uint64_t next = driver->count("zeEventHostReset") - resets;
    assert_int_equal(trip_run(&trip, 1), 0);
    trip_end(&trip);
    snprintf(machine, sizeof(machine),
             "fail zeCommandListAppendLaunchKernel 2 ZE_RESULT_ERROR_UNKNOWN; "
             "fail zeEventHostReset %u ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY",
             (unsigned)(resets + next));
    use_machine(machine);
    assert_int_equal(trip_begin(&trip, &usual), 0);
    assert_true(trip_submit(&trip, 1, 0, &ticket) < 0);
    assert_true(atomic_load(&trip.device->stuck));
    layer_faults_assert_lost(&trip);
}

int main(int argc, char **argv)
{
    driver = emulated_load();
    const LayerFaults faults = {
        .layer = "sycl",
        .use_machine = use_machine,
        .leave_machine = leave_machine,
        .count = driver->count,
        .functions = {"zeContextCreate", "zeCommandListCreateImmediate", "zeEventPoolCreate",
                      "zeEventCreate", "zeEventHostReset", "zeEventQueryStatus", "zeMemAllocDevice",
                      "zeMemAllocHost", "zeModuleCreate", "zeKernelCreate", "zeKernelSetGroupSize",
                      "zeKernelSetArgumentValue", "zeCommandListAppendMemoryCopy",
                      "zeCommandListAppendLaunchKernel", "zeCommandListAppendBarrier"},
        .query = "zeEventQueryStatus",
        .errors = {{"ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY", -ENOMEM},
                   {"ZE_RESULT_ERROR_UNKNOWN", -EIO},
                   {"ZE_RESULT_ERROR_UNSUPPORTED_FEATURE", -ENOTSUP}},
        .n_allocated = 3, /* for events */
        .takes_turns = true,
        .failing_submission =
            "fail zeCommandListAppendLaunchKernel 2 ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY",
        .hanging = "run",
        .n_hanging = 6,
        .hang_limit = "0.05",
    };
    select_cases(argc, argv);
    const int failed = layer_faults_run(&faults);
    return end_cases(failed + run_defined_cases(NULL, NULL));
}
