/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The rules of the layer on Level Zero, on the emulated driver: which devices it reports, what it
 * asks of them, clocks, and what it leaves of the program's. What every layer has to do is in
 * test_layer.c. The functions of Level Zero that are here stand before those of the loader.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "emulated.h"
#include "support/cases.h"
#include "sycl_layer.h"
#include "test_sets.h"
#include "trip.h"

static const Emulated *driver;
static const VmafDeviceOpenParams usual;

enum { LISTS_MAX = 32 };

/* What the functions below change or note. */
static struct {
    ze_device_type_t type;
    uint32_t spirv, group_memory, timer_bits;
    ze_device_fp_flags_t fp32;
    uint64_t timer_resolution; /* of the older struct, in ns; the newer one tells 1e9 / 4 */
    uint32_t n_lists, ordinals[LISTS_MAX], indices[LISTS_MAX];
    const uint64_t *ticks; /* that the device writes, one after the other */
    uint32_t n_ticks;
    char build_options[128];
    const char *build_log; /* building fails */
    uint32_t n_logs;       /* that were destroyed */
} pose;

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    assert_non_null(found);
    return found;
}

#define NEXT(name) ((__typeof__(&name))next(#name))

ze_result_t zeDeviceGetProperties(ze_device_handle_t device, ze_device_properties_t *properties)
{
    const bool has_frequency = properties->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    const ze_result_t result = NEXT(zeDeviceGetProperties)(device, properties);
    if (pose.type)
        properties->type = pose.type;
    if (pose.timer_bits)
        properties->timestampValidBits = pose.timer_bits;
    if (pose.timer_resolution)
        properties->timerResolution = has_frequency ? 250000000 : pose.timer_resolution;
    return result;
}

ze_result_t zeDeviceGetComputeProperties(ze_device_handle_t device,
                                         ze_device_compute_properties_t *properties)
{
    const ze_result_t result = NEXT(zeDeviceGetComputeProperties)(device, properties);
    if (pose.group_memory)
        properties->maxSharedLocalMemory = pose.group_memory;
    return result;
}

ze_result_t zeDeviceGetModuleProperties(ze_device_handle_t device,
                                        ze_device_module_properties_t *properties)
{
    const ze_result_t result = NEXT(zeDeviceGetModuleProperties)(device, properties);
    if (pose.spirv)
        properties->spirvVersionSupported = pose.spirv;
    if (pose.fp32)
        properties->fp32flags = pose.fp32;
    return result;
}

ze_result_t zeCommandListCreateImmediate(ze_context_handle_t context, ze_device_handle_t device,
                                         const ze_command_queue_desc_t *desc,
                                         ze_command_list_handle_t *list)
{
    assert_in_range(pose.n_lists, 0, LISTS_MAX - 1);
    assert_int_equal(desc->mode, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    pose.ordinals[pose.n_lists] = desc->ordinal;
    pose.indices[pose.n_lists++] = desc->index;
    return NEXT(zeCommandListCreateImmediate)(context, device, desc, list);
}

ze_result_t zeCommandListAppendWriteGlobalTimestamp(ze_command_list_handle_t list, uint64_t *time,
                                                    ze_event_handle_t signal, uint32_t n_waits,
                                                    ze_event_handle_t *waits)
{
    if (!pose.ticks)
        return NEXT(zeCommandListAppendWriteGlobalTimestamp)(list, time, signal, n_waits, waits);
    *time = pose.ticks[pose.n_ticks++];
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleCreate(ze_context_handle_t context, ze_device_handle_t device,
                           const ze_module_desc_t *desc, ze_module_handle_t *module,
                           ze_module_build_log_handle_t *log)
{
    snprintf(pose.build_options, sizeof(pose.build_options), "%s", desc->pBuildFlags);
    if (!pose.build_log)
        return NEXT(zeModuleCreate)(context, device, desc, module, log);
    *log = (ze_module_build_log_handle_t)&pose;
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

ze_result_t zeModuleBuildLogGetString(ze_module_build_log_handle_t log, size_t *size, char *text)
{
    if (log != (ze_module_build_log_handle_t)&pose)
        return NEXT(zeModuleBuildLogGetString)(log, size, text);
    *size = strlen(pose.build_log) + 1;
    if (text)
        memcpy(text, pose.build_log, *size);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleBuildLogDestroy(ze_module_build_log_handle_t log)
{
    if (log != (ze_module_build_log_handle_t)&pose)
        return NEXT(zeModuleBuildLogDestroy)(log);
    pose.n_logs++;
    return ZE_RESULT_SUCCESS;
}

/* -- devices -- */

static int set_up(void **state)
{
    memset(&pose, 0, sizeof(pose));
    assert_int_equal(driver->configure(NULL, NULL), 0);
    return 0;
}

static size_t enumerate(VmafDeviceInfo infos[4], char reason[256])
{
    size_t count = 0;
    reason[0] = '\0';
    assert_int_equal(driver->layer->enumerate(infos, 4, &count, reason, 256), 0);
    return count;
}

CASE_WITH(given_devices_they_are_described_and_discrete_ones_come_first, set_up, NULL)
{
    VmafDeviceInfo infos[4];
    char reason[256];
    assert_int_equal(driver->configure("driver 16867328\napi 1.3\n"
                                       "device Small\nkind integrated\nno-fp64\ncopy-engines 0\n"
                                       "pci 0000:00:02.0\nuuid 00000000000000000000000000000000\n"
                                       "memory 3G\nmultiprocessors 4\n"
                                       "device Large\npci 0001:03:1f.0\nids 8086:56a0\n"
                                       "uuid 000102030405060708090a0b0c0d0e0f\ncopy-engines 2\n"
                                       "memory 16G\nmultiprocessors 64\n",
                                       NULL),
                     0);
    assert_int_equal(enumerate(infos, reason), 2);
    const VmafDeviceInfo *large = &infos[0], *small = &infos[1];
    assert_string_equal(large->name, "Large");
    assert_string_equal(large->vendor, "Intel");
    assert_string_equal(large->driver, "Level Zero 1.3, driver 1.1.24576");
    assert_string_equal(large->id, "000102030405060708090a0b0c0d0e0f");
    assert_string_equal(large->pci, "0001:03:1f.0");
    assert_int_equal(large->identities, VMAF_BACKEND_IDENTITY_PCI | VMAF_BACKEND_IDENTITY_UUID);
    assert_int_equal(large->kind, VMAF_DEVICE_DISCRETE);
    assert_int_equal(large->caps.memory_size, UINT64_C(16) << 30);
    assert_int_equal(large->caps.max_buffer_size, UINT32_MAX); /* of 8 GiB */
    assert_int_equal(large->caps.compute_units, 64 * 8);
    assert_int_equal(large->caps.copy_engines, 2);
    assert_int_equal(large->caps.subgroup_size, 16);
    assert_true(large->caps.exact_float32 && large->caps.exact_float64);
    assert_false(large->caps.unified_memory);
    assert_string_equal(small->id, "0000:00:02.0"); /* the UUID is none */
    assert_int_equal(small->identities, VMAF_BACKEND_IDENTITY_PCI);
    assert_int_equal(small->kind, VMAF_DEVICE_INTEGRATED);
    assert_int_equal(small->caps.max_buffer_size, (UINT64_C(3) << 30) / 2);
    assert_int_equal(small->caps.copy_engines, 0);
    assert_true(small->caps.unified_memory);
    assert_false(small->caps.exact_float64);
    assert_int_equal(small->caps.syncs, 0); /* there are no events of the application's */
}

CASE_WITH(given_devices_that_cannot_be_used_the_reason_is_said, set_up, NULL)
{
    VmafDeviceInfo infos[4];
    VmafDevice *device;
    char reason[256];
    pose.spirv = ZE_MAKE_VERSION(1, 1);
    assert_int_equal(enumerate(infos, reason), 1);
    assert_non_null(strstr(infos[0].unusable, "SPIR-V 1.1, not 1.2"));
    assert_string_equal(reason, infos[0].unusable);
    pose.spirv = 0;
    pose.group_memory = 32767;
    assert_int_equal(enumerate(infos, reason), 1);
    assert_non_null(strstr(infos[0].unusable, "smaller work-groups"));
    const VmafDeviceOpenParams params = {.kernels = test_kernel_set("sycl")};
    assert_int_equal(driver->layer->open(&device, &params, reason, sizeof(reason)), -ENOTSUP);
    assert_non_null(strstr(reason, "smaller work-groups"));
    pose.group_memory = 0;
    pose.type = ZE_DEVICE_TYPE_FPGA;
    assert_int_equal(enumerate(infos, reason), 0);
    assert_string_equal(reason, "there is no GPU with a driver for Level Zero");
    pose.type = 0;
    assert_int_equal(driver->configure("no-device", NULL), 0);
    assert_int_equal(enumerate(infos, reason), 0);
    assert_string_equal(reason, "there is no GPU with a driver for Level Zero");
}

CASE_WITH(given_a_device_that_rounds_divisions_it_is_asked_to, set_up, NULL)
{
    const ze_device_fp_flags_t exact =
        ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN | ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST;
    static const struct {
        ze_device_fp_flags_t left_out;
        bool exact, divides;
    } cases[] = {{0, true, true},
                 {ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT, true, false},
                 {ZE_DEVICE_FP_FLAG_DENORM, false, false}};
    for (size_t i = 0; i < 3; i++) {
        VmafDeviceInfo infos[4];
        char reason[256];
        Trip trip;
        pose.fp32 = (exact | ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT) & ~cases[i].left_out;
        assert_int_equal(enumerate(infos, reason), 1);
        assert_int_equal(infos[0].caps.exact_float32, cases[i].exact);
        assert_int_equal(infos[0].caps.exact_float32_division, cases[i].divides);
        assert_int_equal(trip_begin(&trip, &usual), 0);
        assert_string_equal(pose.build_options, pose.fp32 & ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT
                                                    ? "-cl-fp32-correctly-rounded-divide-sqrt"
                                                    : "");
        trip_end(&trip);
    }
}

/* -- queues, clocks, kernels -- */

CASE_WITH(given_engines_copies_have_their_own_if_there_is_one, set_up, NULL)
{
    for (uint32_t engines = 0; engines < 3; engines++) {
        char machine[32];
        Trip trip;
        pose.n_lists = 0;
        snprintf(machine, sizeof(machine), "copy-engines %u", engines);
        assert_int_equal(driver->configure(machine, "late"), 0);
        assert_int_equal(trip_begin(&trip, &usual), 0);
        assert_int_equal(trip_run(&trip, 1), 0);
        assert_int_equal(trip_run(&trip, 2), 0);
        trip_end(&trip);
        assert_int_equal(pose.n_lists, 3);
        assert_int_equal(pose.ordinals[0], 0);
        assert_int_equal(pose.ordinals[1], 0);
        assert_int_equal(pose.ordinals[2], engines ? 1 : 0);
        for (uint32_t i = 0; i < 3; i++)
            assert_true(pose.indices[i] < (pose.ordinals[i] ? engines : 1));
        assert_int_equal(driver->count("complaint"), 0);
        assert_int_equal(driver->count("memory"), 0);
    }
}

/* Times of an empty command list that takes n of them. */
static void take_times(uint64_t *times, uint32_t n)
{
    Trip trip;
    VmafDeviceCommandList *list;
    VmafDeviceTicket ticket;
    const VmafDeviceSubmit submit = {.struct_size = sizeof(submit)};
    assert_int_equal(trip_begin(&trip, &usual), 0);
    assert_int_equal(trip.layer->command_list_begin(trip.device, &list), 0);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(trip.layer->cmd_timestamp(list, i), 0);
    assert_int_equal(trip.layer->command_list_end(list), 0);
    assert_int_equal(vmaf_device_submit(trip.queue, list, &submit, &ticket), 0);
    assert_int_equal(trip.layer->wait(trip.queue, ticket, UINT64_MAX), 0);
    assert_int_equal(trip.layer->timestamps(list, times, n), 0);
    trip.layer->command_list_destroy(list);
    trip_end(&trip);
}

CASE_WITH(given_clocks_of_any_unit_times_are_nanoseconds_and_survive_wrapping, set_up, NULL)
{
    static const uint64_t ticks[] = {0xfffffff0, 0xfffffff8, 0x10, 0xffffffe0};
    static const uint64_t expected_ticks[] = {0, 8, 0x20, 0}; /* the last one is before the first */
    static const struct {
        const char *machine;
        uint64_t ns_per_tick;
    } cases[] = {{"api 1.0", 52}, {"api 1.1", 52}, {"api 1.2", 4}, {"api 1.3", 4}};
    for (size_t c = 0; c < 4; c++) {
        uint64_t times[4];
        assert_int_equal(driver->configure(cases[c].machine, NULL), 0);
        pose.timer_bits = 32;
        pose.timer_resolution = 52;
        pose.ticks = ticks;
        pose.n_ticks = 0;
        take_times(times, 4);
        for (int i = 0; i < 4; i++)
            assert_int_equal(times[i], expected_ticks[i] * cases[c].ns_per_tick);
    }
}

CASE_WITH(given_the_devices_own_clock_time_passes, set_up, NULL)
{
    uint64_t times[3];
    take_times(times, 3);
    assert_int_equal(times[0], 0);
    assert_true(times[1] > 0 && times[2] > times[1]);
    assert_true(times[2] < 1000000000);
}

CASE_WITH(given_a_kernel_that_is_not_built_the_compiler_is_quoted, set_up, NULL)
{
    Trip trip;
    char text[256];
    pose.build_log = "error: too\nmany registers";
    assert_int_equal(trip_begin(&trip, &usual), -EIO);
    trip.layer->last_error(trip.device, text, sizeof(text));
    assert_string_equal(text, "reads_outside failed with ZE_RESULT_ERROR_MODULE_BUILD_FAILURE: "
                              "error: too many registers");
    assert_int_equal(pose.n_logs, 1);
    pose.build_log = NULL;
    trip_forget(&trip);
    assert_int_equal(trip_prepare(&trip), 0); /* it can be tried again */
    assert_int_equal(trip_run(&trip, 3), 0);
    trip_end(&trip);
}

/* -- the program -- */

static void on_fault(int number)
{
}

enum { N_SIGNALS = 5 };
static const int signals[N_SIGNALS] = {SIGSEGV, SIGILL, SIGFPE, SIGABRT, SIGSYS};
static unsigned n_kept;

/* Before anything else starts the driver, and what it needs: that happens once in a process. */
static void start_with_handlers(void)
{
    const struct sigaction mine = {.sa_handler = on_fault};
    struct sigaction before[N_SIGNALS], found;
    VmafDeviceInfo info;
    size_t count;
    char reason[256];
    for (int i = 0; i < N_SIGNALS; i++)
        sigaction(signals[i], &mine, &before[i]);
    fixture_load("sycl")->layer->enumerate(&info, 1, &count, reason, sizeof(reason));
    for (int i = 0; i < N_SIGNALS; i++) {
        sigaction(signals[i], &before[i], &found);
        n_kept += found.sa_handler == on_fault;
    }
}

CASE(given_handlers_of_signals_they_are_as_they_were)
{
    assert_int_equal(n_kept, N_SIGNALS);
}

int main(int argc, char **argv)
{
    start_with_handlers();
    driver = emulated_load();
    trip_use_layer("sycl");
    return run_cases(argc, argv);
}
