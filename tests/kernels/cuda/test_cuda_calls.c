/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * What the CUDA layer asks of the driver, on one that records it: the order of calls, contexts,
 * errors, waits with a limit, and that everything is given back. Results of kernels are not known
 * here.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_layer.h"
#include "fake_cuda.h"
#include "fixture.h"
#include "platform/memory.h"
#include "platform/time.h"
#include "test_sets.h"

enum { BYTES = 4096 };

static FakeCuda *fake;
static FakeCuda as_found;
static const VmafDeviceLayer *layer;

/* The application's own context, which is current when the layer is called. */
static const CudaContext mine = (CudaContext)(uintptr_t)0x1234560;

static int set_up(void **state)
{
    (void)state;
    *fake = as_found;
    return fake->push(mine) == CUDA_SUCCESS ? 0 : -1;
}

static int tear_down(void **state)
{
    CudaContext context;
    (void)state;
    fake->pop(&context);
    return 0;
}

/* The caller's context is where it was, alone. */
static void assert_context_untouched(void)
{
    assert_int_equal(fake->depth, 1);
    assert_ptr_equal(fake->current, mine);
}

static VmafDevice *open_device(const VmafDeviceFaults *faults)
{
    VmafDevice *device;
    char reason[256] = "";
    const VmafDeviceOpenParams params = {.kernels = product_kernel_set("cuda"), .faults = faults};
    if (layer->open(&device, &params, reason, sizeof(reason)))
        fail_msg("%s", reason);
    assert_context_untouched();
    return device;
}

/* Nothing is left of the device. */
static void close_device(VmafDevice *device)
{
    layer->close(device);
    assert_context_untouched();
    assert_int_equal(fake->live, 0);
    assert_int_equal(fake->retained, 0);
}

static VmafDeviceBuffer *create(VmafDevice *device, enum VmafDeviceMemory memory)
{
    VmafDeviceBuffer *buffer;
    const VmafDeviceBufferParams params = {.memory = memory, .size = BYTES};
    assert_int_equal(layer->buffer_create(device, &buffer, &params), 0);
    assert_context_untouched();
    return buffer;
}

/* A command list that copies up and down. */
typedef struct Trip {
    VmafDeviceBuffer *upload, *memory, *download;
    VmafDeviceCommandList *list;
} Trip;

static void copy(VmafDeviceCommandList *list, VmafDeviceBuffer *dst, VmafDeviceBuffer *src)
{
    const VmafDeviceCopy all = {.dst = dst, .src = src, .row_size = BYTES, .rows = 1};
    assert_int_equal(vmaf_device_cmd_copy(list, &all), 0);
}

static Trip begin_trip(VmafDevice *device)
{
    Trip trip = {create(device, VMAF_MEMORY_UPLOAD), create(device, VMAF_MEMORY_DEVICE),
                 create(device, VMAF_MEMORY_DOWNLOAD), NULL};
    assert_int_equal(layer->command_list_begin(device, &trip.list), 0);
    copy(trip.list, trip.memory, trip.upload);
    assert_int_equal(layer->cmd_barrier(trip.list), 0);
    copy(trip.list, trip.download, trip.memory);
    assert_int_equal(layer->command_list_end(trip.list), 0);
    assert_context_untouched();
    return trip;
}

static void end_trip(VmafDevice *device, Trip *trip)
{
    layer->command_list_destroy(trip->list);
    layer->buffer_destroy(device, trip->upload);
    layer->buffer_destroy(device, trip->memory);
    layer->buffer_destroy(device, trip->download);
    assert_context_untouched();
}

static void given_a_trip_the_calls_come_in_order_and_nothing_runs_before_a_wait(void **state)
{
    VmafDeviceTicket first, second;
    (void)state;
    VmafDevice *device = open_device(NULL);
    Trip trip = begin_trip(device);
    assert_string_equal(fake->log, "");
    memset(trip.upload->mapped, 7, BYTES);
    assert_int_equal(layer->submit(trip.list, &first), 0);
    assert_context_untouched();
    assert_string_equal(fake->log, "cce");
    assert_int_not_equal(*(unsigned char *)trip.download->mapped, 7);
    assert_int_equal(layer->wait(device, first, UINT64_MAX), 0);
    assert_memory_equal(trip.download->mapped, trip.upload->mapped, BYTES);
    assert_int_equal(layer->submit(trip.list, &second), 0);
    assert_string_equal(fake->log, "ccecce");
    assert_true(second > first);
    assert_int_equal(layer->wait(device, second, UINT64_MAX), 0);
    assert_context_untouched();
    end_trip(device, &trip);
    close_device(device);
}

static void given_several_submissions_a_later_one_vouches_for_earlier_ones(void **state)
{
    enum { N = 3 };
    Trip trips[N];
    VmafDeviceTicket tickets[N];
    (void)state;
    VmafDevice *device = open_device(NULL);
    for (int i = 0; i < N; i++) {
        trips[i] = begin_trip(device);
        assert_int_equal(layer->submit(trips[i].list, &tickets[i]), 0);
    }
    fake->not_ready = 2;
    assert_int_equal(layer->wait(device, tickets[1], 0), -ETIMEDOUT);
    assert_int_equal(layer->wait(device, tickets[1], UINT64_MAX), 0);
    fake->not_ready = UINT_MAX;
    const unsigned queries = fake->n_queries;
    assert_int_equal(layer->wait(device, tickets[0], 0), 0);
    assert_int_equal(fake->n_queries, queries);
    assert_int_equal(layer->wait(device, tickets[2], 0), -ETIMEDOUT);
    fake->not_ready = 0;
    /* One that has finished runs again, behind the others. */
    assert_int_equal(layer->submit(trips[0].list, &tickets[0]), 0);
    assert_true(tickets[0] > tickets[2]);
    assert_int_equal(layer->wait(device, tickets[0], UINT64_MAX), 0);
    assert_int_equal(layer->wait(device, tickets[2], 0), 0);
    assert_int_equal(layer->wait(device, tickets[0] + 1, 0), -EINVAL);
    for (int i = 0; i < N; i++)
        end_trip(device, &trips[i]);
    close_device(device);
}

static void given_a_submission_that_does_not_end_waiting_keeps_its_limit_and_sleeps(void **state)
{
    const uint64_t limit = 200000000;
    VmafDeviceTicket ticket;
    (void)state;
    VmafDevice *device = open_device(NULL);
    Trip trip = begin_trip(device);
    assert_int_equal(layer->submit(trip.list, &ticket), 0);
    fake->not_ready = UINT_MAX;
    fake->n_queries = 0;
    const int64_t begin = vmaf_steady_ns();
    assert_int_equal(layer->wait(device, ticket, limit), -ETIMEDOUT);
    assert_true(vmaf_steady_ns() - begin >= (int64_t)limit);
    assert_in_range(fake->n_queries, 2, 1000); /* spinning asks a hundred thousand times */
    assert_context_untouched();
    fake->not_ready = 0;
    assert_int_equal(layer->wait(device, ticket, limit), 0);
    end_trip(device, &trip);
    close_device(device);
}

static void given_every_kernel_its_code_takes_what_the_launch_passes(void **state)
{
    const VmafKernelSet *sets[] = {product_kernel_set("cuda"), test_kernel_set("cuda")};
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        VmafDevice *device;
        char reason[256];
        const VmafDeviceOpenParams params = {.kernels = sets[s]};
        assert_int_equal(layer->open(&device, &params, reason, sizeof(reason)), 0);
        VmafDeviceBuffer *memory = create(device, VMAF_MEMORY_DEVICE);
        for (size_t k = 0; k < sets[s]->count; k++) {
            const VmafKernel *kernel = &sets[s]->kernels[k];
            unsigned char args[VMAF_KERNEL_MAX_ARGS_SIZE];
            VmafDeviceDispatch dispatch = {.args = args, .groups = {3, 2, 1}};
            VmafDeviceCommandList *list;
            VmafDeviceTicket ticket;
            memset(args, (int)k + 1, sizeof(args));
            assert_int_equal(layer->kernel_find(device, &dispatch.kernel, kernel->name), 0);
            for (uint32_t slot = 0; slot < kernel->n_buffers; slot++)
                dispatch.bindings[slot] =
                    (VmafDeviceBinding){.buffer = memory, .offset = 256 * slot};
            assert_int_equal(layer->command_list_begin(device, &list), 0);
            assert_int_equal(vmaf_device_cmd_dispatch(list, &dispatch), 0);
            memset(args, 0, sizeof(args)); /* they were copied */
            assert_int_equal(layer->command_list_end(list), 0);
            assert_int_equal(layer->submit(list, &ticket), 0);
            const FakeLaunch *launch = &fake->launch;
            assert_string_equal(launch->name, kernel->name);
            assert_int_equal(launch->grid[0] * 100 + launch->grid[1] * 10 + launch->grid[2], 321);
            assert_int_equal(launch->block[0], kernel->lanes[0]);
            assert_int_equal(launch->block[1], kernel->lanes[1]);
            assert_int_equal(launch->block[2], 1);
            assert_int_equal(launch->n_parameters, kernel->n_buffers + 1);
            CudaAddress first, address;
            memcpy(&first, launch->parameters[0], sizeof(first));
            for (uint32_t slot = 0; slot < kernel->n_buffers; slot++) {
                memcpy(&address, launch->parameters[slot], sizeof(address));
                assert_int_equal(launch->sizes[slot], sizeof(address));
                assert_true(address == first + 256 * slot);
            }
            assert_int_equal(launch->sizes[kernel->n_buffers], kernel->args_size);
            memset(args, (int)k + 1, sizeof(args));
            assert_memory_equal(launch->parameters[kernel->n_buffers], args, kernel->args_size);
            assert_int_equal(layer->wait(device, ticket, UINT64_MAX), 0);
            layer->command_list_destroy(list);
        }
        layer->buffer_destroy(device, memory);
        close_device(device);
    }
}

static void given_rows_further_apart_than_the_driver_copies_they_are_copied_one_by_one(void **state)
{
    VmafDeviceTicket ticket;
    VmafDeviceCommandList *list;
    (void)state;
    for (int pitch = 32; pitch <= 64; pitch += 32) {
        fake->max_pitch = pitch;
        fake->log[0] = '\0';
        VmafDevice *device = open_device(NULL);
        VmafDeviceBuffer *upload = create(device, VMAF_MEMORY_UPLOAD);
        VmafDeviceBuffer *download = create(device, VMAF_MEMORY_DOWNLOAD);
        const VmafDeviceCopy rows = {.dst = download,
                                     .src = upload,
                                     .dst_stride = 16,
                                     .src_stride = 64,
                                     .row_size = 16,
                                     .rows = 3};
        for (int i = 0; i < BYTES; i++)
            ((unsigned char *)upload->mapped)[i] = (unsigned char)(i / 16);
        assert_int_equal(layer->command_list_begin(device, &list), 0);
        assert_int_equal(vmaf_device_cmd_copy(list, &rows), 0);
        assert_int_equal(layer->command_list_end(list), 0);
        assert_int_equal(layer->submit(list, &ticket), 0);
        assert_int_equal(layer->wait(device, ticket, UINT64_MAX), 0);
        assert_string_equal(fake->log, pitch < 64 ? "ccce" : "Re");
        for (int i = 0; i < 48; i++)
            assert_int_equal(((unsigned char *)download->mapped)[i], i / 16 * 4);
        layer->command_list_destroy(list);
        layer->buffer_destroy(device, upload);
        layer->buffer_destroy(device, download);
        close_device(device);
    }
}

/* -- errors -- */

static void given_an_error_that_stays_the_device_is_lost(void **state)
{
    static const struct {
        const char *function;
        CudaResult result;
    } cases[] = {{"cuMemcpyAsync", CUDA_ERROR_ILLEGAL_ADDRESS},
                 {"cuEventRecord", CUDA_ERROR_LAUNCH_FAILED},
                 {"cuEventQuery", CUDA_ERROR_ECC_UNCORRECTABLE},
                 {"cuEventQuery", CUDA_ERROR_LAUNCH_TIMEOUT},
                 {"cuEventQuery", CUDA_ERROR_UNKNOWN},
                 {"cuCtxPushCurrent_v2", CUDA_ERROR_CONTEXT_IS_DESTROYED}};
    const VmafDeviceBufferParams params = {.memory = VMAF_MEMORY_DEVICE, .size = 4};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        VmafDeviceTicket ticket;
        VmafDeviceBuffer *buffer;
        VmafDeviceCommandList *list;
        const VmafDeviceKernel *kernel;
        char text[256];
        VmafDevice *device = open_device(NULL);
        Trip trip = begin_trip(device);
        fake->failing = cases[i].function;
        fake->failure = cases[i].result;
        int err = layer->submit(trip.list, &ticket);
        if (!err)
            err = layer->wait(device, ticket, UINT64_MAX);
        assert_int_equal(err, -ENODEV);
        assert_context_untouched();
        layer->last_error(device, text, sizeof(text));
        assert_non_null(strstr(text, "lost"));
        fake->failing = NULL;
        const unsigned calls = fake->n_calls;
        assert_int_equal(layer->submit(trip.list, &ticket), -ENODEV);
        assert_int_equal(layer->wait(device, ticket, UINT64_MAX), -ENODEV);
        assert_int_equal(layer->buffer_create(device, &buffer, &params), -ENODEV);
        assert_int_equal(layer->command_list_begin(device, &list), -ENODEV);
        assert_int_equal(layer->kernel_find(device, &kernel, "sum_partials"), -ENODEV);
        assert_int_equal(fake->n_calls, calls); /* at once */
        end_trip(device, &trip);
        close_device(device);
    }
}

static void given_an_error_that_passes_the_device_goes_on(void **state)
{
    static const struct {
        const char *function;
        CudaResult result;
        int error;
    } cases[] = {{"cuMemAlloc_v2", CUDA_ERROR_OUT_OF_MEMORY, -ENOMEM},
                 {"cuMemAlloc_v2", CUDA_ERROR_INVALID_VALUE, -EINVAL},
                 {"cuMemAlloc_v2", CUDA_ERROR_NOT_SUPPORTED, -ENOTSUP},
                 {"cuMemAlloc_v2", 12345, -EIO}};
    (void)state;
    VmafDevice *device = open_device(NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const VmafDeviceBufferParams params = {.memory = VMAF_MEMORY_DEVICE, .size = 4};
        VmafDeviceBuffer *buffer;
        fake->failing = cases[i].function;
        fake->failure = cases[i].result;
        assert_int_equal(layer->buffer_create(device, &buffer, &params), cases[i].error);
        assert_context_untouched();
        fake->failing = NULL;
        layer->buffer_destroy(device, create(device, VMAF_MEMORY_DEVICE));
    }
    close_device(device);
}

static void given_code_that_the_driver_refuses_the_kernel_is_not_found(void **state)
{
    const VmafDeviceKernel *kernel;
    char text[256];
    (void)state;
    VmafDevice *device = open_device(NULL);
    fake->failing = "cuModuleGetFunction";
    fake->failure = CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    const int live = fake->live;
    assert_int_equal(layer->kernel_find(device, &kernel, "sum_partials"), -ENOTSUP);
    assert_int_equal(fake->live, live);
    layer->last_error(device, text, sizeof(text));
    assert_non_null(strstr(text, "sum_partials failed with CUDA_ERROR_222 (in words)"));
    fake->failing = NULL;
    assert_int_equal(layer->kernel_find(device, &kernel, "sum_partials"), 0);
    close_device(device);
}

/* -- memory of the host -- */

static void given_memory_of_the_host_it_is_wrapped_if_it_fits(void **state)
{
    const size_t page = vmaf_page_size();
    VmafDeviceBuffer *buffer;
    (void)state;
    unsigned char *memory = vmaf_aligned_alloc(page, 2 * page);
    assert_non_null(memory);
    VmafDevice *device = open_device(NULL);
    assert_int_equal(device->info.caps.host_memory_alignment, page);
    VmafDeviceBufferParams params = {
        .memory = VMAF_MEMORY_UPLOAD, .size = 2 * page, .host_memory = memory};
    const int live = fake->live;
    assert_int_equal(layer->buffer_create(device, &buffer, &params), 0);
    assert_ptr_equal(buffer->mapped, memory);
    assert_int_equal(fake->live, live + 1);
    layer->buffer_destroy(device, buffer);
    assert_int_equal(fake->live, live);

    fake->failing = "cuMemHostRegister_v2";
    fake->failure = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    assert_int_equal(layer->buffer_create(device, &buffer, &params), -ENOTSUP);
    assert_int_equal(fake->live, live);
    fake->failing = NULL;
    params.size = page - 4;
    assert_int_equal(layer->buffer_create(device, &buffer, &params), -ENOTSUP);
    params.size = page;
    params.host_memory = memory + 64;
    assert_int_equal(layer->buffer_create(device, &buffer, &params), -ENOTSUP);
    close_device(device);

    fake->host_register = 0;
    device = open_device(NULL);
    assert_int_equal(device->info.caps.host_memory_alignment, 0);
    params.host_memory = memory;
    assert_int_equal(layer->buffer_create(device, &buffer, &params), -ENOTSUP);
    close_device(device);
    vmaf_aligned_free(memory);
}

/* -- devices -- */

static void given_a_context_of_the_application_it_is_borrowed(void **state)
{
    VmafDevice *device;
    char reason[256] = "";
    VmafDeviceTicket ticket;
    (void)state;
    CudaExternal external = {(uintptr_t)mine};
    const VmafDeviceOpenParams params = {.kernels = product_kernel_set("cuda"),
                                         .external = &external};
    assert_int_equal(layer->open(&device, &params, reason, sizeof(reason)), 0);
    assert_string_equal(device->info.name, "fake 0");
    assert_int_equal(fake->retained, 0);
    Trip trip = begin_trip(device);
    assert_int_equal(layer->submit(trip.list, &ticket), 0);
    assert_int_equal(layer->wait(device, ticket, UINT64_MAX), 0);
    end_trip(device, &trip);
    close_device(device);
    external.context = 0;
    assert_int_equal(layer->open(&device, &params, reason, sizeof(reason)), -EINVAL);
    assert_context_untouched();
}

static void given_devices_they_are_described(void **state)
{
    VmafDeviceInfo infos[2];
    size_t count;
    char reason[256] = "";
    (void)state;
    fake->n_devices = 3;
    assert_int_equal(layer->enumerate(infos, 2, &count, reason, sizeof(reason)), 0);
    assert_int_equal(count, 3);
    assert_string_equal(infos[1].name, "fake 1");
    assert_string_equal(infos[1].id, "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1");
    assert_string_equal(infos[1].vendor, "NVIDIA");
    assert_string_equal(infos[1].driver, "CUDA 12.4, compute capability 8.0");
    assert_int_equal(infos[1].kind, VMAF_DEVICE_DISCRETE);
    assert_false(infos[1].caps.unified_memory);
    fake->failing = "cuDeviceGetUuid";
    fake->failure = CUDA_ERROR_NOT_SUPPORTED;
    assert_int_equal(layer->enumerate(infos, 2, &count, reason, sizeof(reason)), 0);
    assert_string_equal(infos[1].id, "0000:01:00.0");
    assert_int_equal(fake->retained, 0);
}

static void assert_unavailable(int error, const char *words)
{
    VmafDeviceInfo info;
    VmafDevice *device;
    size_t count = 9;
    char reason[256] = "";
    const VmafDeviceOpenParams params = {.kernels = product_kernel_set("cuda")};
    assert_int_equal(layer->enumerate(&info, 1, &count, reason, sizeof(reason)), error);
    assert_int_equal(count, 0);
    if (!strstr(reason, words))
        fail_msg("%s: no %s", reason, words);
    assert_int_equal(layer->open(&device, &params, reason, sizeof(reason)), -ENODEV);
    if (!strstr(reason, words))
        fail_msg("%s: no %s", reason, words);
    assert_context_untouched();
    fake->init_result = as_found.init_result;
    fake->driver_version = as_found.driver_version;
    fake->n_devices = as_found.n_devices;
    fake->capability = as_found.capability;
    fake->compute_mode = as_found.compute_mode;
}

static void given_nothing_usable_the_reason_says_why(void **state)
{
    VmafDevice *device;
    char reason[256] = "";
    (void)state;
    fake->init_result = CUDA_ERROR_NO_DEVICE;
    assert_unavailable(0, "no NVIDIA GPU");
    fake->init_result = CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
    assert_unavailable(-ENODEV, "does not start: CUDA_ERROR_803");
    fake->driver_version = 9020;
    assert_unavailable(-ENODEV, "too old: it supports CUDA 9.2, not 10.0");
    fake->n_devices = 0;
    assert_unavailable(0, "no NVIDIA GPU");
    fake->capability = 6;
    assert_unavailable(0, "fake 0 has compute capability 6.0, not 7.0");
    fake->compute_mode = CUDA_COMPUTE_MODE_PROHIBITED;
    assert_unavailable(0, "compute mode of fake 0 prohibits");

    const VmafDeviceOpenParams params = {.kernels = product_kernel_set("cuda")};
    fake->failing = "cuDevicePrimaryCtxRetain";
    fake->failure = CUDA_ERROR_DEVICE_UNAVAILABLE;
    assert_int_equal(layer->open(&device, &params, reason, sizeof(reason)), -EIO);
    assert_non_null(strstr(reason, "in use by another process"));
    fake->failure = CUDA_ERROR_OUT_OF_MEMORY;
    assert_int_equal(layer->open(&device, &params, reason, sizeof(reason)), -ENOMEM);
    assert_non_null(strstr(reason, "out of memory"));
    fake->failing = "cuStreamCreate";
    assert_int_equal(layer->open(&device, &params, reason, sizeof(reason)), -ENOMEM);
    assert_int_equal(fake->retained, 0);
    assert_context_untouched();
}

int main(void)
{
    /* The library that the module found, and not another one of that name. */
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    fake = driver ? dlsym(driver, FAKE_CUDA_SYMBOL) : NULL;
    if (!fake) {
        fprintf(stderr, "LD_LIBRARY_PATH has no recording libcuda.so.1\n");
        return 2;
    }
    as_found = *fake;
    layer = fixture_load("cuda")->layer;
#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(given_a_trip_the_calls_come_in_order_and_nothing_runs_before_a_wait),
        WITH_CONTEXT(given_several_submissions_a_later_one_vouches_for_earlier_ones),
        WITH_CONTEXT(given_a_submission_that_does_not_end_waiting_keeps_its_limit_and_sleeps),
        WITH_CONTEXT(given_every_kernel_its_code_takes_what_the_launch_passes),
        WITH_CONTEXT(given_rows_further_apart_than_the_driver_copies_they_are_copied_one_by_one),
        WITH_CONTEXT(given_an_error_that_stays_the_device_is_lost),
        WITH_CONTEXT(given_an_error_that_passes_the_device_goes_on),
        WITH_CONTEXT(given_code_that_the_driver_refuses_the_kernel_is_not_found),
        WITH_CONTEXT(given_memory_of_the_host_it_is_wrapped_if_it_fits),
        WITH_CONTEXT(given_a_context_of_the_application_it_is_borrowed),
        WITH_CONTEXT(given_devices_they_are_described),
        WITH_CONTEXT(given_nothing_usable_the_reason_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
