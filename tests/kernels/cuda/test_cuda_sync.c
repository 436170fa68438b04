/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Pictures of an application that uses the same context of CUDA. */

#include "cuda_layer.h"
#include "emulated.h"
#include "layer_sync.h"
#include "support/cases.h"

static const Emulated *driver;

/* The application's context, which the layer borrows. */
static CUcontext mine;
static CudaExternal external;
static const VmafDeviceOpenParams params = {.external = &external};

static const VmafDeviceOpenParams *begin(void)
{
    assert_int_equal(driver->configure(NULL, NULL), 0);
    assert_int_equal(driver->init(0), CUDA_SUCCESS);
    assert_int_equal(driver->create_context(&mine, 0, 0), CUDA_SUCCESS);
    external.context = (uintptr_t)mine;
    return &params;
}

static void end(void)
{
    assert_int_equal(driver->destroy_context(mine), CUDA_SUCCESS);
    assert_int_equal(driver->count("memory"), 0);
}

/* CUDA has no error that is left to the caller. */
static void assert_no_error(void)
{
}

static CUresult create_stream(void **stream)
{
    return driver->create_stream(stream, 0);
}

int main(int argc, char **argv)
{
    driver = emulated_load();
    const LayerSync sync = {
        .layer = "cuda",
        .driver = "CUDA",
        .pointers = VMAF_BACKEND_IMPORT_CUDA_POINTER,
        .streams = VMAF_BACKEND_SYNC_CUDA_STREAM,
        .events = VMAF_BACKEND_SYNC_CUDA_EVENT,
        .other_pointers = VMAF_BACKEND_IMPORT_HIP_POINTER,
        .begin = begin,
        .end = end,
        .assert_no_error = assert_no_error,
        .allocate = driver->allocate,
        .free = driver->free,
        .fill = driver->fill,
        .fetch = driver->fetch,
        .create_stream = create_stream,
        .destroy_stream = driver->destroy_stream,
        .create_event = driver->create_event,
        .destroy_event = driver->destroy_event,
        .record = driver->record,
        .synchronize_event = driver->synchronize_event,
    };
    select_cases(argc, argv);
    return end_cases(layer_sync_run(&sync));
}
