/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The rules of the HIP layer, on the emulated runtime: what it calls and when, what a caller's
 * thread is left with, which devices it reports. What every layer has to do is in test_layer.c,
 * which code a chip gets in test_hip_chips.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulated.h"
#include "hip_layer.h"
#include "layer_rules.h"
#include "platform/thread.h"
#include "support/cases.h"
#include "test_sets.h"

static const Emulated *runtime;
static const VmafDeviceOpenParams usual;

/* Two cards, of which the application uses the second; the layer takes the first. */
static const char two_cards[] = "device First\n chip gfx1030\n device Second\n chip gfx906\n";
enum { MINE = 1 };

static void use_machine(const char *machine, const char *order)
{
    char lines[256];
    snprintf(lines, sizeof(lines), "%s%s", two_cards, machine ? machine : "");
    emulated_use(lines, true);
    if (order) /* the machine is the same */
        assert_int_equal(runtime->configure(lines, order), 0);
    assert_int_equal(runtime->set_device(MINE), hipSuccess);
}

static int set_up(void **state)
{
    use_machine(NULL, NULL);
    return 0;
}

#define ON_TWO_CARDS(test) CASE_WITH(test, set_up, NULL)

/* The caller's device is where it was, and no error of ours is left to it. */
static void assert_caller_untouched(void)
{
    int device = -1;
    assert_int_equal(runtime->peek_error(), hipSuccess);
    assert_int_equal(runtime->get_device(&device), hipSuccess);
    assert_int_equal(device, MINE);
}

/* Nothing that the layer made is left. */
static void assert_nothing_left(void)
{
    assert_caller_untouched();
    assert_int_equal(runtime->count("memory"), 0);
    assert_int_equal(runtime->count("hipStreamCreateWithFlags"),
                     runtime->count("hipStreamDestroy"));
    assert_int_equal(runtime->count("hipEventCreateWithFlags"), runtime->count("hipEventDestroy"));
    assert_int_equal(runtime->count("hipModuleLoadData"), runtime->count("hipModuleUnload"));
}

static void begin(Trip *trip, const VmafDeviceOpenParams *params)
{
    trip_start(trip, params);
    assert_caller_untouched();
}

static void end(Trip *trip)
{
    trip_end(trip);
    assert_nothing_left();
}

/* -- threads -- */

static void *use_device(void *argument)
{
    Trip *trip = argument;
    int device = -1;
    if (runtime->set_device(MINE) != hipSuccess || trip_run(trip, 5) ||
        runtime->get_device(&device) != hipSuccess)
        return NULL;
    return device == MINE ? trip : NULL;
}

static void *use_device_first(void *argument)
{
    Trip *trip = argument;
    int device = -1;
    return trip_run(trip, 6) == 0 && runtime->get_device(&device) == hipSuccess && device == 0
               ? trip
               : NULL;
}

typedef struct Caller {
    void *(*use)(void *argument);
    Trip *trip;
    void *result;
} Caller;

static void *call(void *argument)
{
    Caller *caller = argument;
    caller->result = caller->use(caller->trip);
    return NULL;
}

ON_TWO_CARDS(given_other_threads_each_keeps_its_current_device)
{
    Trip trip;
    begin(&trip, &usual);
    Caller callers[] = {{use_device, &trip, NULL}, {use_device_first, &trip, NULL}};
    for (size_t i = 0; i < 2; i++) {
        VmafThread thread;
        assert_int_equal(vmaf_thread_start(&thread, call, &callers[i]), 0);
        vmaf_thread_join(thread);
        assert_non_null(callers[i].result);
    }
    assert_caller_untouched();
    end(&trip);
}

/* -- devices -- */

ON_TWO_CARDS(given_a_context_of_the_application_its_device_is_borrowed)
{
    hipCtx_t context;
    HipExternal external = {0};
    const VmafDeviceOpenParams params = {.external = &external};
    Trip trip;
    int device = -1;
    assert_int_equal(runtime->create_context(&context, 0, 1), hipSuccess);
    assert_int_equal(runtime->set_device(0), hipSuccess);
    external.context = (uintptr_t)context;
    assert_int_equal(trip_begin(&trip, &params), 0);
    assert_string_equal(trip.device->info.name, "Second");
    assert_non_null(strstr(trip.device->info.driver, ", gfx906"));
    assert_int_equal(trip_run(&trip, 1), 0);
    assert_int_equal(runtime->get_device(&device), hipSuccess);
    assert_int_equal(device, 0);
    trip_end(&trip);
    assert_int_equal(runtime->destroy_context(context), hipSuccess);
    external.context = 0;
    assert_int_equal(trip_begin(&trip, &params), -EINVAL);
}

ON_TWO_CARDS(given_devices_they_are_described_and_usable_ones_come_first)
{
    VmafDeviceInfo infos[3];
    size_t count;
    char reason[256] = "";
    emulated_use("device Odd card\n chip gfx1013\n"
                 "device Small chip\n kind integrated\n chip gfx1030\n pci 0000:05:00.0\n"
                 "device Large card\n chip gfx906\n multiprocessors 60\n copy-engines 3\n"
                 " pci 000A:0B:00.0\n memory 64G\n",
                 true);
    emulated_say_version("100103", "130102");
    assert_int_equal(runtime->layer->enumerate(infos, 3, &count, reason, sizeof(reason)), 0);
    assert_int_equal(count, 3);
    assert_string_equal(infos[0].name, "Large card");
    assert_string_equal(infos[0].id, "000a:0b:00.0");
    assert_string_equal(infos[0].vendor, "AMD");
    assert_int_equal(strncmp(infos[0].driver, "HIP ", 4), 0);
    assert_int_equal(infos[0].kind, VMAF_DEVICE_DISCRETE);
    assert_int_equal(infos[0].identities, VMAF_BACKEND_IDENTITY_PCI);
    assert_string_equal(infos[0].pci, "000a:0b:00.0");
    assert_int_equal(infos[0].caps.compute_units, 60);
    assert_int_equal(infos[0].caps.subgroup_size, 64);
    assert_int_equal(infos[0].caps.group_memory, 65536);
    assert_true(infos[0].caps.memory_size == UINT64_C(64) << 30);
    assert_int_equal(infos[0].caps.imports, 1u << VMAF_BACKEND_IMPORT_HIP_POINTER);
    assert_false(infos[0].caps.unified_memory);
    assert_string_equal(infos[0].unusable, "");
    assert_string_equal(infos[1].name, "Small chip");
    assert_int_equal(infos[1].kind, VMAF_DEVICE_INTEGRATED);
    assert_int_equal(infos[1].caps.subgroup_size, 32);
    assert_true(infos[1].caps.unified_memory);
    assert_string_equal(infos[2].unusable, "no kernels for gfx1312 (Odd card)");

    /* A limit that ROCm does not know is 0, and no error of the caller's. */
    emulated_use("fail hipDeviceGetAttribute 7 hipErrorInvalidValue", true);
    assert_int_equal(runtime->layer->enumerate(infos, 3, &count, reason, sizeof(reason)), 0);
    assert_string_equal(infos[0].unusable,
                        "Emulated AMD GPU has smaller work-groups than kernels need");
    assert_int_equal(runtime->peek_error(), hipSuccess);
}

ON_TWO_CARDS(given_a_device_that_is_not_usable_it_is_not_opened)
{
    VmafDeviceInfo infos[1];
    size_t count;
    char reason[256] = "";
    emulated_use("device\n chip gfx1013", true);
    emulated_say_version("100103", "130102");
    assert_int_equal(runtime->layer->enumerate(infos, 1, &count, reason, sizeof(reason)), 0);
    layer_rules_refuse_device(runtime->layer, &infos[0], test_kernel_set("hip"));
}

ON_TWO_CARDS(given_nothing_usable_the_reason_says_why)
{
    /* The kernel knows the cards of the machine before. */
    layer_rules_find_none("no-device", 0, 0, "may this user open /dev/kfd");
    emulated_use(NULL, false);
    layer_rules_find_none("no-device", 0, 0, "there is no AMD GPU");
    layer_rules_find_none(
        "fail hipInit 1 hipErrorInvalidDevice\nfail hipInit 2 hipErrorInvalidDevice", 0, 0,
        "there is no AMD GPU");
    layer_rules_find_none("fail hipInit 1 hipErrorOutOfMemory\nfail hipInit 2 hipErrorOutOfMemory",
                          -ENOMEM, 0, "ROCm does not start: hipErrorOutOfMemory");
    layer_rules_find_none("fail hipInit 1 hipErrorUnknown\nfail hipInit 2 hipErrorUnknown", -ENODEV,
                          0, "ROCm does not start: hipErrorUnknown");
}

static void assert_calls(uint32_t submissions)
{
    assert_int_equal(runtime->count("hipModuleLaunchKernel"), 2 * submissions);
}

int main(int argc, char **argv)
{
    runtime = emulated_load();
    const LayerRules rules = {
        .layer = "hip",
        .configure = runtime->configure,
        .use_machine = use_machine,
        .leave_machine = assert_nothing_left,
        .assert_caller_untouched = assert_caller_untouched,
        .count = runtime->count,
        .assert_calls = assert_calls,
        /* The caller's device, ours, and the caller's; the copy, the event behind it and the wait
         * for it; two kernels, the copy back, the last event. */
        .calls = 10,
        .copy_commands = 3, /* with its events */
        .is_lazy = true,
        .counts_memory = true,
        .allocations = "memory",
        .load = "hipModuleLoadData",
        .hang = "hang hipMemcpyAsync 1\nhang-limit 0.1",
        .query = "hipEventQuery",
        .refuses_memory = "fail hipHostRegister 2 hipErrorHostMemoryAlreadyRegistered\n"
                          "fail hipHostRegister 3 hipErrorInvalidValue\n"
                          "fail hipHostRegister 4 hipErrorUnknown",
        .n_refused = 3,
    };
    select_cases(argc, argv);
    const int failed = layer_rules_run(&rules) + run_defined_cases(NULL, NULL);
    emulated_unload();
    return end_cases(failed);
}
