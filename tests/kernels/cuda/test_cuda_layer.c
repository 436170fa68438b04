/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The rules of the CUDA layer, on the emulated driver: what it calls and when, contexts, waits with
 * a limit, which devices it reports. What every layer has to do is in test_layer.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_layer.h"
#include "emulated.h"
#include "layer_rules.h"
#include "support/cases.h"
#include "test_sets.h"

static const Emulated *driver;

/* The application's own context, which is current when the layer is called. */
static CUcontext mine;

static void use_machine_in(const char *machine, const char *order)
{
    assert_int_equal(driver->configure(machine, order), 0);
    assert_int_equal(driver->init(0), CUDA_SUCCESS);
    assert_int_equal(driver->create_context(&mine, 0, 0), CUDA_SUCCESS);
}

static void use_machine(const char *machine)
{
    use_machine_in(machine, NULL);
}

static int set_up(void **state)
{
    use_machine(NULL);
    return 0;
}

#define ON_NEW_MACHINE(test) CASE_WITH(test, set_up, NULL)

/* The caller's context is where it was, alone. */
static void assert_context_untouched(void)
{
    CUcontext found = NULL, below = NULL;
    assert_int_equal(driver->get_current(&found), CUDA_SUCCESS);
    assert_ptr_equal(found, mine);
    assert_int_equal(driver->pop(&found), CUDA_SUCCESS);
    assert_int_equal(driver->get_current(&below), CUDA_SUCCESS);
    assert_null(below);
    assert_int_equal(driver->push(mine), CUDA_SUCCESS);
}

/* Nothing that the layer made is left. */
static void assert_nothing_left(void)
{
    assert_context_untouched();
    assert_int_equal(driver->count("memory"), 0);
    assert_int_equal(driver->count("cuStreamCreate"), driver->count("cuStreamDestroy_v2"));
    assert_int_equal(driver->count("cuEventCreate"), driver->count("cuEventDestroy_v2"));
    assert_int_equal(driver->count("cuModuleLoadData"), driver->count("cuModuleUnload"));
    assert_int_equal(driver->count("cuGraphCreate"), driver->count("cuGraphDestroy"));
    assert_int_equal(driver->count("cuGraphInstantiateWithFlags"),
                     driver->count("cuGraphExecDestroy"));
    assert_int_equal(driver->count("cuDevicePrimaryCtxRetain"),
                     driver->count("cuDevicePrimaryCtxRelease"));
}

static void begin(Trip *trip, const VmafDeviceOpenParams *params)
{
    trip_start(trip, params);
    assert_context_untouched();
}

static void end(Trip *trip)
{
    trip_end(trip);
    assert_nothing_left();
}

/* -- kernels -- */

ON_NEW_MACHINE(given_code_that_the_driver_refuses_the_kernel_is_not_found)
{
    layer_rules_refuse_kernel("fail cuModuleLoadData 1 CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
                              -ENOTSUP,
                              "reads_outside failed with CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
}

/* Loads a kernel that comes as machine code, too, on a device of a compute capability. */
static uint64_t loads_with_machine_code(const char *capability, const char *architecture,
                                        const char *second)
{
    static const uint32_t machine_code[4] = {0x464c457f}; /* ELF, which cannot be emulated */
    const VmafKernelSet *set = test_kernel_set("cuda");
    const VmafKernel *source = vmaf_kernel_set_find(set, "reads_outside");
    const VmafKernelCode codes[] = {{architecture, machine_code, sizeof(machine_code)},
                                    source->codes[0],
                                    {second, machine_code, sizeof(machine_code)}};
    VmafKernel kernel = *source;
    const VmafKernelSet own = {.target = set->target, .kernels = &kernel, .count = 1};
    const VmafDeviceOpenParams params = {.kernels = &own};
    Trip trip;
    char machine[64];
    kernel.codes = codes;
    kernel.n_codes = 3;
    snprintf(machine, sizeof(machine), "device\ncapability %s", capability);
    use_machine(machine);
    begin(&trip, &params);
    assert_int_equal(trip_run(&trip, 3), 0);
    const uint64_t loads = driver->count("cuModuleLoadData");
    trip_end(&trip);
    return loads;
}

ON_NEW_MACHINE(given_machine_code_it_is_tried_where_it_fits_and_ptx_is_the_rest)
{
    assert_int_equal(loads_with_machine_code("8.6", "sm_80", "sm_90"), 2);
    assert_int_equal(loads_with_machine_code("8.6", "sm_89", "sm_86"), 2);
    assert_int_equal(loads_with_machine_code("8.6", "sm_89", "sm_75"), 1);
    assert_int_equal(loads_with_machine_code("12.0", "sm_90", "sm_100"), 1);
    assert_int_equal(loads_with_machine_code("12.1", "sm_90", "sm_120"), 2);
}

/* -- devices -- */

ON_NEW_MACHINE(given_a_context_of_the_application_it_is_borrowed)
{
    CudaExternal external = {(uintptr_t)mine};
    const VmafDeviceOpenParams params = {.external = &external};
    Trip trip;
    begin(&trip, &params);
    assert_string_equal(trip.device->info.name, "Emulated NVIDIA GPU");
    assert_int_equal(driver->count("cuDevicePrimaryCtxRetain"), 0);
    assert_int_equal(trip_run(&trip, 1), 0);
    end(&trip);
    external.context = 0;
    assert_int_equal(trip_begin(&trip, &params), -EINVAL);
    assert_context_untouched();
}

ON_NEW_MACHINE(given_devices_they_are_described_and_usable_ones_come_first)
{
    VmafDeviceInfo infos[4];
    size_t count;
    char reason[256] = "";
    use_machine("driver 12040\n"
                "device Old card\n capability 6.1\n"
                "device Small chip\n kind integrated\n capability 8.7\n pci 0000:05:00.0\n"
                "device Large card\n capability 9.0\n multiprocessors 132\n copy-engines 3\n"
                " pci 000A:0B:00.0\n uuid 00112233445566778899aabbccddeeff\n memory 64G\n"
                "device Closed card\n compute-mode prohibited\n");
    assert_int_equal(driver->layer->enumerate(infos, 4, &count, reason, sizeof(reason)), 0);
    assert_int_equal(count, 4);
    assert_string_equal(infos[0].name, "Large card");
    assert_string_equal(infos[0].id, "00112233445566778899aabbccddeeff");
    assert_string_equal(infos[0].vendor, "NVIDIA");
    assert_string_equal(infos[0].driver, driver->has_graphs
                                             ? "CUDA 12.4, compute capability 9.0"
                                             : "CUDA 12.4 without graphs, compute capability 9.0");
    assert_int_equal(infos[0].kind, VMAF_DEVICE_DISCRETE);
    assert_int_equal(infos[0].identities, VMAF_BACKEND_IDENTITY_PCI | VMAF_BACKEND_IDENTITY_UUID);
    assert_string_equal(infos[0].pci, "000a:0b:00.0");
    assert_int_equal(infos[0].uuid[15], 0xff);
    assert_int_equal(infos[0].caps.compute_units, 132);
    assert_int_equal(infos[0].caps.copy_engines, 3);
    assert_int_equal(infos[0].caps.subgroup_size, 32);
    assert_int_equal(infos[0].caps.group_memory, 49152);
    assert_true(infos[0].caps.memory_size == UINT64_C(64) << 30);
    assert_false(infos[0].caps.unified_memory);
    assert_string_equal(infos[0].unusable, "");
    assert_string_equal(infos[1].name, "Small chip");
    assert_int_equal(infos[1].kind, VMAF_DEVICE_INTEGRATED);
    assert_true(infos[1].caps.unified_memory);
    assert_string_equal(infos[2].unusable, "Old card has compute capability 6.1, not 7.0 or later");
    assert_string_equal(infos[3].unusable, "the compute mode of Closed card prohibits computing");
    assert_int_equal(driver->count("cuDevicePrimaryCtxRetain"), 0);

    layer_rules_refuse_device(driver->layer, &infos[3], test_kernel_set("cuda"));
}

ON_NEW_MACHINE(given_no_uuid_the_id_is_the_place_on_the_bus)
{
    VmafDeviceInfo info;
    size_t count;
    char reason[256] = "";
    use_machine("device\nuuid 00000000000000000000000000000000");
    assert_int_equal(driver->layer->enumerate(&info, 1, &count, reason, sizeof(reason)), 0);
    assert_string_equal(info.id, "0000:01:00.0");
    assert_int_equal(info.identities, VMAF_BACKEND_IDENTITY_PCI);
}

ON_NEW_MACHINE(given_nothing_usable_the_reason_says_why)
{
    layer_rules_find_none("no-device", 0, 0, "no NVIDIA GPU");
    layer_rules_find_none("driver-mismatch", -ENODEV, 0,
                          "does not start: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    layer_rules_find_none("fail cuInit 1 CUDA_ERROR_OUT_OF_MEMORY\n"
                          "fail cuInit 2 CUDA_ERROR_OUT_OF_MEMORY",
                          -ENOMEM, 0, "CUDA_ERROR_OUT_OF_MEMORY");
    layer_rules_find_none("driver 9020", -ENODEV, 0, "too old: it supports CUDA 9.2, not 10.0");
    layer_rules_find_none("device Old\n capability 6.0", 0, 1,
                          "Old has compute capability 6.0, not 7.0");
    layer_rules_find_none("device Shut\n compute-mode prohibited", 0, 1, "compute mode of Shut");
}

ON_NEW_MACHINE(given_a_device_that_cannot_be_opened_the_reason_says_why)
{
    static const struct {
        const char *machine, *words;
        int error;
    } cases[] = {
        {"device Shared\n compute-mode exclusive\n busy", "in use by another process", -EIO},
        {"fail cuDevicePrimaryCtxRetain 1 CUDA_ERROR_OUT_OF_MEMORY", "out of memory", -ENOMEM},
        {"fail cuDevicePrimaryCtxRetain 1 CUDA_ERROR_UNKNOWN", "CUDA_ERROR_UNKNOWN", -ENODEV},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        VmafDevice *device;
        char reason[256] = "";
        const VmafDeviceOpenParams params = {.kernels = product_kernel_set("cuda")};
        assert_int_equal(driver->configure(cases[i].machine, NULL), 0);
        assert_int_equal(driver->layer->open(&device, &params, reason, sizeof(reason)),
                         cases[i].error);
        if (!strstr(reason, cases[i].words))
            fail_msg("%s: no %s", reason, cases[i].words);
        assert_int_equal(driver->count("cuDevicePrimaryCtxRelease"), 0);
    }
}

static void assert_calls(uint32_t submissions)
{
    assert_int_equal(driver->count("cuGraphLaunch"), driver->has_graphs ? submissions : 0);
    assert_int_equal(driver->count("cuLaunchKernel"), driver->has_graphs ? 0 : 2 * submissions);
}

int main(int argc, char **argv)
{
    driver = emulated_load();
    const LayerRules rules = {
        .layer = "cuda",
        .configure = driver->configure,
        .use_machine = use_machine_in,
        .leave_machine = assert_nothing_left,
        .assert_caller_untouched = assert_context_untouched,
        .count = driver->count,
        .assert_calls = assert_calls,
        /* Push, pop, copy, the event behind it and the wait for it, the list, the last event. */
        .calls = driver->has_graphs ? 7 : 9,
        .copy_commands = 3, /* with its events */
        .is_lazy = true,
        .counts_memory = true,
        .allocations = "memory",
        .load = "cuModuleLoadData",
        .hang = "hang cuMemcpyAsync 1\nhang-limit 0.1",
        .query = "cuEventQuery",
        .refuses_memory = "fail cuMemHostRegister_v2 2 CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED\n"
                          "fail cuMemHostRegister_v2 3 CUDA_ERROR_INVALID_VALUE\n"
                          "fail cuMemHostRegister_v2 4 CUDA_ERROR_UNKNOWN",
        .n_refused = 3,
    };
    select_cases(argc, argv);
    const int failed = layer_rules_run(&rules);
    return end_cases(failed + run_defined_cases(NULL, NULL));
}
