/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Pictures of an application that uses the same AMD GPU. */

#include "emulated.h"
#include "hip_layer.h"
#include "layer_sync.h"
#include "support/cases.h"

static const Emulated *runtime;
static const VmafDeviceOpenParams usual;

static const VmafDeviceOpenParams *begin(void)
{
    emulated_use(NULL, true);
    return &usual;
}

static void end(void)
{
    assert_int_equal(runtime->count("memory"), 0);
}

static void assert_no_error(void)
{
    assert_int_equal(runtime->peek_error(), hipSuccess);
}

static hipError_t allocate(hipDeviceptr_t *address, size_t bytes)
{
    void *memory = NULL;
    const hipError_t result = runtime->allocate(&memory, bytes);
    *address = (uintptr_t)memory;
    return result;
}

static hipError_t free_memory(hipDeviceptr_t address)
{
    return runtime->free((void *)(uintptr_t)address);
}

static hipError_t fill(hipDeviceptr_t address, unsigned char value, size_t bytes, void *stream)
{
    return runtime->fill((void *)(uintptr_t)address, value, bytes, stream);
}

static hipError_t fetch(void *to, hipDeviceptr_t from, size_t bytes)
{
    return runtime->fetch(to, (const void *)(uintptr_t)from, bytes, hipMemcpyDefault);
}

int main(int argc, char **argv)
{
    runtime = emulated_load();
    const LayerSync sync = {
        .layer = "hip",
        .driver = "HIP",
        .pointers = VMAF_BACKEND_IMPORT_HIP_POINTER,
        .streams = VMAF_BACKEND_SYNC_HIP_STREAM,
        .events = VMAF_BACKEND_SYNC_HIP_EVENT,
        .other_pointers = VMAF_BACKEND_IMPORT_CUDA_POINTER,
        .knows_sizes = true,
        .begin = begin,
        .end = end,
        .assert_no_error = assert_no_error,
        .allocate = allocate,
        .free = free_memory,
        .fill = fill,
        .fetch = fetch,
        .create_stream = runtime->create_stream,
        .destroy_stream = runtime->destroy_stream,
        .create_event = runtime->create_event,
        .destroy_event = runtime->destroy_event,
        .record = runtime->record,
        .synchronize_event = runtime->synchronize_event,
    };
    select_cases(argc, argv);
    const int failed = layer_sync_run(&sync);
    emulated_unload();
    return end_cases(failed);
}
