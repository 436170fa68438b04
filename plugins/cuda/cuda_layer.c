/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The layer: opening devices, memory, pictures of the application, kernels. */
#include <errno.h>
#include <stdlib.h>

#include "cuda_internal.h"

/* -- devices -- */

static VmafStreamCandidates *find_devices(void)
{
    VmafStreamCandidates *all = calloc(1, sizeof(*all));
    const uint32_t count = all ? driver_count() : 0;
    for (uint32_t i = 0; i < count && all->n < VMAF_STREAM_MAX_DEVICES; i++) {
        VmafStreamCandidate found = {.handle = 0};
        if (driver_describe(i, &found))
            vmaf_stream_add_candidate(all, &found, i);
    }
    return all;
}

static int cuda_enumerate(VmafDeviceInfo *infos, size_t capacity, size_t *count, char *reason,
                          size_t reason_size)
{
    *count = 0;
    const int err = driver_start(reason, reason_size);
    if (err)
        return err == -ENXIO ? 0 : err; /* the driver works, but has no device */
    return vmaf_stream_report(find_devices(), DRIVER_NO_DEVICE, infos, capacity, count, reason,
                              reason_size);
}

static void cuda_close(VmafDevice *base)
{
    CudaDevice *device = (CudaDevice *)base;
    if (device->base.is_open) {
        if (context_enter(device) == 0) {
            CudaKernel *kernel;
            size_t next = 0;
            while ((kernel = (CudaKernel *)vmaf_stream_next_loaded(&device->base, &next))) {
                driver_ignore(cuModuleUnload(kernel->module));
                free(kernel->image);
            }
            context_leave(device);
        }
        driver_close(device);
    }
    vmaf_stream_device_free(&device->base);
}

static int set_up(CudaDevice *device, const VmafDeviceOpenParams *params)
{
    char reason[192];
    VmafStreamCandidate candidate = {.handle = 0};
    int err = driver_start(reason, sizeof(reason));
    if (err)
        return vmaf_stream_fail(&device->base, err == -ENXIO ? -ENODEV : err, "%s", reason);
    device->base.borrowed = params->external != NULL;
    if (!params->external) {
        err = vmaf_stream_choose(&device->base, find_devices(), params->id, DRIVER_NO_DEVICE,
                                 &candidate);
        if (!err)
            err = driver_open(device, &candidate);
        device->base.is_open = err == 0;
        return err;
    }
    err = driver_borrow(device, params->external, &candidate);
    if (err)
        return err;
    device->base.is_open = true;
    vmaf_stream_identify(&candidate.info, 0);
    return vmaf_stream_adopt(&device->base, &candidate);
}

static int cuda_open(VmafDevice **opened, const VmafDeviceOpenParams *params, char *reason,
                     size_t reason_size)
{
    CudaDevice *device =
        vmaf_stream_device_new(&DRIVER_LAYER, sizeof(*device), sizeof(CudaKernel), params);
    const int err = device ? set_up(device, params) : -ENOMEM;
    return vmaf_stream_opened((VmafStreamDevice *)device, err, opened, reason, reason_size);
}

/* -- memory -- */

static int allocate(CudaDevice *device, VmafStreamBuffer *buffer)
{
    CUdeviceptr address = 0;
    const int err =
        driver_done(device, cuMemAlloc_v2(&address, buffer->head.size), DRIVER_PREFIX "MemAlloc");
    buffer->address = buffer->head.address = err ? 0 : address;
    return err;
}

/* For memory that cannot be pinned, such as mappings of files, versions of the driver return
 * different errors, none of which harms the device. */
static CUresult register_host(void *memory, size_t bytes, unsigned flags)
{
    const CUresult result = cuMemHostRegister_v2(memory, bytes, flags);
    const int err = driver_error_of(result);
    const bool is_declined = err == -EINVAL || err == -EIO || result == CUDA_ERROR_UNKNOWN;
    return is_declined ? CUDA_ERROR_NOT_SUPPORTED : result;
}

/* Stores the host's and the device's address of host memory. */
static int map(CudaDevice *device, VmafStreamBuffer *buffer, void *host_memory)
{
    const bool bound = device->base.head.info.caps.unified_memory;
    const unsigned flags = bound ? CU_MEMHOSTALLOC_DEVICEMAP : 0;
    int err;
    if (host_memory)
        err = driver_done(device, register_host(host_memory, buffer->head.size, flags),
                          DRIVER_PREFIX "HostRegister");
    else
        err = driver_done(device, cuMemHostAlloc(&host_memory, buffer->head.size, flags),
                          DRIVER_PREFIX "HostAlloc");
    if (err)
        return err;
    buffer->head.mapped = host_memory;
    if (bound)
        err = driver_done(device, cuMemHostGetDevicePointer_v2(&buffer->address, host_memory, 0),
                          DRIVER_PREFIX "HostGetDevicePointer");
    return err;
}

static void release(const VmafStreamBuffer *buffer)
{
    if (buffer->head.memory == VMAF_MEMORY_DEVICE) {
        if (buffer->address)
            driver_ignore(cuMemFree_v2(buffer->address));
    } else if (buffer->head.mapped) {
        driver_ignore(buffer->wraps ? cuMemHostUnregister(buffer->head.mapped)
                                    : cuMemFreeHost(buffer->head.mapped));
    }
}

static int create_memory(CudaDevice *device, VmafStreamBuffer *buffer,
                         const VmafDeviceBufferParams *params)
{
    int err = context_enter(device);
    if (err)
        return err;
    err = params->memory == VMAF_MEMORY_DEVICE ? allocate(device, buffer)
                                               : map(device, buffer, params->host_memory);
    if (err)
        release(buffer);
    context_leave(device);
    return err == -ENOMEM ? vmaf_stream_no_memory(&device->base, params) : err;
}

static int cuda_buffer_create(VmafDevice *base, VmafDeviceBuffer **created,
                              const VmafDeviceBufferParams *params)
{
    CudaDevice *device = (CudaDevice *)base;
    VmafStreamBuffer *buffer;
    *created = NULL;
    int err = vmaf_stream_buffer_new(&device->base, params, &buffer);
    if (err)
        return err;
    err = create_memory(device, buffer, params);
    if (err)
        free(buffer);
    else
        *created = &buffer->head;
    return err;
}

static void cuda_buffer_destroy(VmafDevice *base, VmafDeviceBuffer *buffer)
{
    CudaDevice *device = (CudaDevice *)base;
    if (buffer && context_enter(device) == 0) {
        release((const VmafStreamBuffer *)buffer);
        context_leave(device);
    }
    free(buffer);
}

/* -- pictures of the application, by addresses of planes -- */

static int import_planes(CudaDevice *device, VmafStreamImage *image,
                         const VmafBackendImport *picture)
{
    int err = context_enter(device);
    if (err)
        return err;
    err = vmaf_stream_import_addresses(&device->base, image, picture);
    for (uint32_t p = 0; p < image->head.n_planes && !err; p++) {
        if (image->head.buffers[p])
            err = driver_check_plane(device, &image->planes[p], p);
    }
    context_leave(device);
    return err;
}

static int cuda_image_import(VmafDevice *base, VmafDeviceImage **imported,
                             const VmafBackendImport *picture)
{
    CudaDevice *device = (CudaDevice *)base;
    VmafStreamImage *image;
    *imported = NULL;
    int err = vmaf_stream_image_new(&device->base, picture, sizeof(*image), &image);
    if (err)
        return err;
    err = import_planes(device, image, picture);
    if (err)
        free(image);
    else
        *imported = &image->head;
    return err;
}

static void cuda_image_destroy(VmafDevice *device, VmafDeviceImage *image)
{
    (void)device;
    free(image);
}

/* -- kernels -- */

CUresult cuda_load_code(CudaKernel *kernel, const char *name, const void *code)
{
    CUresult result = cuModuleLoadData(&kernel->module, code);
    driver_ignore(result);
    if (result != CUDA_SUCCESS)
        return result;
    result = cuModuleGetFunction(&kernel->function, kernel->module, name);
    driver_ignore(result);
    if (result != CUDA_SUCCESS)
        driver_ignore(cuModuleUnload(kernel->module));
    return result;
}

static int cuda_kernel_find(VmafDevice *base, const VmafDeviceKernel **found, const char *name)
{
    CudaDevice *device = (CudaDevice *)base;
    VmafStreamKernel *kernel;
    bool loads;
    int err = vmaf_stream_kernel_find(&device->base, name, &kernel, &loads);
    if (!err && loads) {
        err = context_enter(device);
        if (!err) {
            err = driver_load_kernel(device, (CudaKernel *)kernel, kernel->head.kernel);
            context_leave(device);
        }
        vmaf_stream_kernel_loaded(&device->base, kernel, err);
    }
    if (!err)
        *found = &kernel->head;
    return err;
}

const VmafDeviceLayer DRIVER_LAYER = {
    .name = DRIVER_NAME,
    .enumerate = cuda_enumerate,
    .open = cuda_open,
    .close = cuda_close,
    .buffer_create = cuda_buffer_create,
    .buffer_destroy = cuda_buffer_destroy,
    .image_import = cuda_image_import,
    .image_destroy = cuda_image_destroy,
    .kernel_find = cuda_kernel_find,
    .command_list_begin = cuda_command_list_begin,
    .cmd_copy = vmaf_stream_cmd_copy,
    .cmd_dispatch = vmaf_stream_cmd_dispatch,
    .cmd_barrier = vmaf_stream_cmd_barrier,
    .cmd_timestamp = vmaf_stream_cmd_timestamp,
    .command_list_end = cuda_command_list_end,
    .command_list_destroy = cuda_command_list_destroy,
    .queue_create = cuda_queue_create,
    .queue_destroy = cuda_queue_destroy,
    .submit = cuda_submit,
    .wait = cuda_wait,
    .timestamps = cuda_timestamps,
    .copy_times = cuda_copy_times,
    .last_error = vmaf_stream_last_error,
};
