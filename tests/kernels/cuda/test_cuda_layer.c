/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The rules of the CUDA layer, on the emulated driver: what it calls and when, contexts, waits with
 * a limit, which devices it reports. What every layer has to do is in test_layer.c.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_layer.h"
#include "platform/memory.h"
#include "platform/thread.h"
#include "platform/time.h"
#include "test_sets.h"
#include "trip.h"

static const Emulated *driver;
static const VmafDeviceOpenParams usual;

/* The application's own context, which is current when the layer is called. */
static CudaContext mine;

static void use_machine(const char *machine)
{
    assert_int_equal(driver->configure(machine, NULL), 0);
    assert_int_equal(driver->init(0), CUDA_SUCCESS);
    assert_int_equal(driver->create_context(&mine, 0, 0), CUDA_SUCCESS);
}

static int set_up(void **state)
{
    (void)state;
    use_machine(NULL);
    return 0;
}

/* The caller's context is where it was, alone. */
static void assert_context_untouched(void)
{
    CudaContext found = NULL, below = NULL;
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
    const int err = trip_begin(trip, params);
    if (err)
        fail_msg("error %d", err);
    assert_context_untouched();
}

static void end(Trip *trip)
{
    trip_end(trip);
    assert_nothing_left();
}

static void given_a_submission_it_is_one_graph_and_nothing_runs_before_a_wait(void **state)
{
    Trip trip;
    VmafDeviceTicket ticket, last = 0;
    (void)state;
    begin(&trip, &usual);
    assert_int_equal(driver->count("run"), 0);
    for (uint32_t run = 1; run < 5; run++) {
        const uint64_t before = driver->count("run");
        const uint64_t allocated = driver->count("memory");
        const uint64_t calls = driver->count("call");
        assert_int_equal(trip_submit(&trip, run, run % 2, &ticket), 0);
        assert_true(ticket > last);
        last = ticket;
        assert_int_equal(driver->count("run"), before);
        assert_int_equal(driver->count("memory"), allocated);
        assert_int_equal(driver->count("cuGraphLaunch"), driver->has_graphs ? run : 0);
        assert_int_equal(driver->count("cuLaunchKernel"), driver->has_graphs ? 0 : 2 * run);
        /* Push, pop, copy, the event behind it and the wait for it, the list, the last event. */
        assert_int_equal(driver->count("call") - calls, driver->has_graphs ? 7 : 9);
        assert_context_untouched();
        assert_int_equal(trip.layer->wait(trip.queue, ticket, UINT64_MAX), 0);
        trip_assert_arrived(&trip, run);
        assert_context_untouched();
    }
    end(&trip);
}

static void given_more_submissions_than_marks_each_is_waited_for(void **state)
{
    enum { N = 100 };
    Trip trip;
    VmafDeviceTicket tickets[N];
    (void)state;
    begin(&trip, &usual);
    const VmafDeviceCopy copy = {
        .dst = trip.memory[0], .src = trip.upload, .row_size = TRIP_BYTES, .rows = 1};
    const VmafDeviceSubmit submit = {.struct_size = sizeof(submit), .copies = &copy, .n_copies = 1};
    for (int i = 0; i < N; i++)
        assert_int_equal(vmaf_device_submit(trip.queue, NULL, &submit, &tickets[i]), 0);
    const uint64_t before = driver->count("run");
    for (int i = 0; i < N; i++) {
        assert_int_equal(trip.layer->wait(trip.queue, tickets[i], UINT64_MAX), 0);
        assert_true(driver->count("run") >= before + 2 * ((uint64_t)i + 1)); /* with its event */
    }
    assert_int_equal(trip.layer->wait(trip.queue, tickets[N - 1] + 3, 0), -EINVAL);
    for (int i = 0; i < N; i++)
        assert_int_equal(trip.layer->wait(trip.queue, tickets[i], 0), 0);
    end(&trip);
}

static void given_lanes_each_sees_what_the_other_copied(void **state)
{
    Trip first, second;
    VmafDeviceTicket ticket;
    const VmafDeviceSubmit bare = {.struct_size = sizeof(bare), .lane = 1};
    (void)state;
    begin(&first, &usual);
    second = first;
    second.list = NULL;
    assert_int_equal(trip_prepare(&second), 0);
    /* The copies come with a submission of another lane, and with none. */
    for (uint32_t run = 0; run < 2; run++) {
        const VmafDeviceCopy up = {
            .dst = second.memory[0], .src = first.upload, .row_size = TRIP_BYTES, .rows = 1};
        const VmafDeviceSubmit with = {.struct_size = sizeof(with), .copies = &up, .n_copies = 1};
        assert_int_equal(trip_run(&first, 70 + run), 0); /* fills the upload buffer */
        assert_int_equal(vmaf_device_submit(first.queue, run ? NULL : first.list, &with, &ticket),
                         0);
        assert_int_equal(vmaf_device_submit(first.queue, second.list, &bare, &ticket), 0);
        assert_int_equal(first.layer->wait(first.queue, ticket, UINT64_MAX), 0);
        trip_assert_arrived(&second, 70 + run);
    }
    trip_forget(&second);
    end(&first);
}

static void given_a_submission_that_does_not_end_waiting_keeps_its_limit_and_sleeps(void **state)
{
    const uint64_t limit = 200000000;
    VmafDeviceTicket ticket;
    Trip trip;
    (void)state;
    use_machine("hang cuMemcpyAsync 1\nhang-limit 0.1");
    begin(&trip, &usual);
    assert_int_equal(trip_submit(&trip, 1, 0, &ticket), 0);
    const uint64_t asked = driver->count("cuEventQuery");
    const int64_t start = vmaf_steady_ns();
    assert_int_equal(trip.layer->wait(trip.queue, ticket, limit), -ETIMEDOUT);
    assert_true(vmaf_steady_ns() - start >= (int64_t)limit);
    /* Spinning asks a hundred thousand times. */
    assert_in_range(driver->count("cuEventQuery") - asked, 2, 1000);
    assert_context_untouched();
    trip_end(&trip);
    assert_context_untouched();
}

/* -- kernels -- */

typedef struct Finder {
    VmafDevice *device;
    const VmafDeviceKernel *found[64];
    int err;
} Finder;

static void *find_kernels(void *argument)
{
    Finder *finder = argument;
    const VmafKernelSet *set = finder->device->kernels;
    for (size_t i = 0; i < set->count && !finder->err; i++)
        finder->err = finder->device->layer->kernel_find(finder->device, &finder->found[i],
                                                         set->kernels[i].name);
    return NULL;
}

static void given_threads_that_want_the_same_kernels_each_is_loaded_once(void **state)
{
    enum { N = 4 };
    const VmafDeviceOpenParams params = {.kernels = product_kernel_set("cuda")};
    VmafDevice *device;
    char reason[256];
    VmafThread threads[N];
    static Finder finders[N];
    (void)state;
    assert_in_range(params.kernels->count, 10, 64);
    assert_int_equal(driver->layer->open(&device, &params, reason, sizeof(reason)), 0);
    for (int i = 0; i < N; i++) {
        finders[i] = (Finder){.device = device};
        assert_int_equal(vmaf_thread_start(&threads[i], find_kernels, &finders[i]), 0);
    }
    for (int i = 0; i < N; i++)
        vmaf_thread_join(threads[i]);
    for (int i = 0; i < N; i++) {
        assert_int_equal(finders[i].err, 0);
        assert_memory_equal(finders[i].found, finders[0].found, sizeof(finders[0].found));
    }
    assert_int_equal(driver->count("cuModuleLoadData"), params.kernels->count);
    driver->layer->close(device);
    assert_nothing_left();
}

static void given_code_that_the_driver_refuses_the_kernel_is_not_found(void **state)
{
    Trip trip;
    char text[256];
    (void)state;
    use_machine("fail cuModuleLoadData 1 CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
    assert_int_equal(trip_begin(&trip, &usual), -ENOTSUP);
    trip.layer->last_error(trip.device, text, sizeof(text));
    assert_non_null(strstr(text, "reads_outside failed with CUDA_ERROR_UNSUPPORTED_PTX_VERSION"));
    trip_forget(&trip);
    assert_int_equal(trip_prepare(&trip), 0); /* asks again */
    assert_int_equal(trip_run(&trip, 1), 0);
    trip_end(&trip);
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

static void given_machine_code_it_is_tried_where_it_fits_and_ptx_is_the_rest(void **state)
{
    (void)state;
    assert_int_equal(loads_with_machine_code("8.6", "sm_80", "sm_90"), 2);
    assert_int_equal(loads_with_machine_code("8.6", "sm_89", "sm_86"), 2);
    assert_int_equal(loads_with_machine_code("8.6", "sm_89", "sm_75"), 1);
    assert_int_equal(loads_with_machine_code("12.0", "sm_90", "sm_100"), 1);
    assert_int_equal(loads_with_machine_code("12.1", "sm_90", "sm_120"), 2);
}

/* -- memory of the host -- */

static void given_memory_of_the_host_it_is_wrapped_if_it_fits(void **state)
{
    const size_t page = vmaf_page_size();
    VmafDeviceBuffer *buffer;
    Trip trip;
    (void)state;
    use_machine("fail cuMemHostRegister_v2 2 CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED");
    unsigned char *memory = vmaf_aligned_alloc(page, 2 * page);
    assert_non_null(memory);
    begin(&trip, &usual);
    assert_int_equal(trip.device->info.caps.host_memory_alignment, page);
    VmafDeviceBufferParams params = {
        .memory = VMAF_MEMORY_UPLOAD, .size = 2 * page, .host_memory = memory};
    assert_int_equal(trip.layer->buffer_create(trip.device, &buffer, &params), 0);
    assert_ptr_equal(buffer->mapped, memory);
    VmafDeviceBuffer *own = trip.upload;
    trip.upload = buffer;
    assert_int_equal(trip_run(&trip, 9), 0);
    trip.upload = own;
    const uint64_t registered = driver->count("memory");
    trip.layer->buffer_destroy(trip.device, buffer);
    assert_int_equal(driver->count("memory"), registered - 1);
    assert_int_equal(trip.layer->buffer_create(trip.device, &buffer, &params), -ENOTSUP);
    params.size = page - 4;
    assert_int_equal(trip.layer->buffer_create(trip.device, &buffer, &params), -ENOTSUP);
    params.size = page;
    params.host_memory = memory + 64;
    assert_int_equal(trip.layer->buffer_create(trip.device, &buffer, &params), -ENOTSUP);
    end(&trip);
    vmaf_aligned_free(memory);
}

/* -- devices -- */

static void given_a_context_of_the_application_it_is_borrowed(void **state)
{
    CudaExternal external = {(uintptr_t)mine};
    const VmafDeviceOpenParams params = {.external = &external};
    Trip trip;
    (void)state;
    begin(&trip, &params);
    assert_string_equal(trip.device->info.name, "Emulated NVIDIA GPU");
    assert_int_equal(driver->count("cuDevicePrimaryCtxRetain"), 0);
    assert_int_equal(trip_run(&trip, 1), 0);
    end(&trip);
    external.context = 0;
    assert_int_equal(trip_begin(&trip, &params), -EINVAL);
    assert_context_untouched();
}

static void given_devices_they_are_described_and_usable_ones_come_first(void **state)
{
    VmafDeviceInfo infos[4];
    size_t count;
    char reason[256] = "";
    (void)state;
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

    const VmafDeviceOpenParams params = {.id = infos[3].id, .kernels = test_kernel_set("cuda")};
    VmafDevice *device;
    assert_int_equal(driver->layer->open(&device, &params, reason, sizeof(reason)), -ENOTSUP);
    assert_string_equal(reason, infos[3].unusable);
}

static void given_no_uuid_the_id_is_the_place_on_the_bus(void **state)
{
    VmafDeviceInfo info;
    size_t count;
    char reason[256] = "";
    (void)state;
    use_machine("device\nuuid 00000000000000000000000000000000");
    assert_int_equal(driver->layer->enumerate(&info, 1, &count, reason, sizeof(reason)), 0);
    assert_string_equal(info.id, "0000:01:00.0");
    assert_int_equal(info.identities, VMAF_BACKEND_IDENTITY_PCI);
}

static void assert_unavailable(const char *machine, int error, size_t n, const char *words)
{
    VmafDeviceInfo info;
    VmafDevice *device;
    size_t count = 9;
    char reason[256] = "";
    const VmafDeviceOpenParams params = {.kernels = product_kernel_set("cuda")};
    assert_int_equal(driver->configure(machine, NULL), 0);
    assert_int_equal(driver->layer->enumerate(&info, 1, &count, reason, sizeof(reason)), error);
    assert_int_equal(count, n);
    const char *told = n ? info.unusable : reason;
    if (!strstr(told, words))
        fail_msg("%s: no %s", told, words);
    assert_true(driver->layer->open(&device, &params, reason, sizeof(reason)) < 0);
    if (!strstr(reason, words))
        fail_msg("%s: no %s", reason, words);
}

static void given_nothing_usable_the_reason_says_why(void **state)
{
    (void)state;
    assert_unavailable("no-device", 0, 0, "no NVIDIA GPU");
    assert_unavailable("driver-mismatch", -ENODEV, 0,
                       "does not start: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    assert_unavailable("fail cuInit 1 CUDA_ERROR_OUT_OF_MEMORY\n"
                       "fail cuInit 2 CUDA_ERROR_OUT_OF_MEMORY",
                       -ENOMEM, 0, "CUDA_ERROR_OUT_OF_MEMORY");
    assert_unavailable("driver 9020", -ENODEV, 0, "too old: it supports CUDA 9.2, not 10.0");
    assert_unavailable("device Old\n capability 6.0", 0, 1,
                       "Old has compute capability 6.0, not 7.0");
    assert_unavailable("device Shut\n compute-mode prohibited", 0, 1, "compute mode of Shut");
}

static void given_a_device_that_cannot_be_opened_the_reason_says_why(void **state)
{
    static const struct {
        const char *machine, *words;
        int error;
    } cases[] = {
        {"device Shared\n compute-mode exclusive\n busy", "in use by another process", -EIO},
        {"fail cuDevicePrimaryCtxRetain 1 CUDA_ERROR_OUT_OF_MEMORY", "out of memory", -ENOMEM},
        {"fail cuDevicePrimaryCtxRetain 1 CUDA_ERROR_UNKNOWN", "CUDA_ERROR_UNKNOWN", -ENODEV},
    };
    (void)state;
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

int main(void)
{
    driver = emulated_load();
#define ON_NEW_MACHINE(test) cmocka_unit_test_setup(test, set_up)
    const struct CMUnitTest tests[] = {
        ON_NEW_MACHINE(given_a_submission_it_is_one_graph_and_nothing_runs_before_a_wait),
        ON_NEW_MACHINE(given_more_submissions_than_marks_each_is_waited_for),
        ON_NEW_MACHINE(given_lanes_each_sees_what_the_other_copied),
        ON_NEW_MACHINE(given_a_submission_that_does_not_end_waiting_keeps_its_limit_and_sleeps),
        ON_NEW_MACHINE(given_threads_that_want_the_same_kernels_each_is_loaded_once),
        ON_NEW_MACHINE(given_code_that_the_driver_refuses_the_kernel_is_not_found),
        ON_NEW_MACHINE(given_machine_code_it_is_tried_where_it_fits_and_ptx_is_the_rest),
        ON_NEW_MACHINE(given_memory_of_the_host_it_is_wrapped_if_it_fits),
        ON_NEW_MACHINE(given_a_context_of_the_application_it_is_borrowed),
        ON_NEW_MACHINE(given_devices_they_are_described_and_usable_ones_come_first),
        ON_NEW_MACHINE(given_no_uuid_the_id_is_the_place_on_the_bus),
        ON_NEW_MACHINE(given_nothing_usable_the_reason_says_why),
        ON_NEW_MACHINE(given_a_device_that_cannot_be_opened_the_reason_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
