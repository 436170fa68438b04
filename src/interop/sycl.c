/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "libvmaf/libvmaf_sycl.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/api.h"
#include "backend/session/session_internal.h"
#include "interop.h"

static const PictureMethod methods[] = {
    [VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE] = METHOD_NONE,
    [VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_DEVICE] = METHOD_DEVICE,
    [VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_HOST] = METHOD_HOST,
};

/* VmafSyclState is the public name of an InteropState. */
static const Vendor sycl = {
    .backend = "sycl",
    .ring_size = 2,
    .ring_memory = VMAF_BACKEND_BUFFER_DEVICE,
    .has_stream_picture = true,
    .methods = methods,
    .n_methods = sizeof(methods) / sizeof(methods[0]),
};

/* ---- Devices ---- */

VMAF_API int vmaf_sycl_state_init(VmafSyclState **sycl_state, VmafSyclConfiguration cfg)
{
    if (!sycl_state)
        return vendor_rejection(&sycl);
    *sycl_state = NULL;
    const BackendDeviceRequest request = {
        .index = cfg.device_index < -1 ? INT_MAX : cfg.device_index, /* out of range either way */
        .flags = cfg.enable_profiling ? VMAF_BACKEND_DEVICE_FLAG_PROFILING : 0,
    };
    int err = interop_state_open((InteropState **)sycl_state, &sycl, &request);
    return err == -EINVAL ? -ENODEV : err; /* an index out of range */
}

VMAF_API int vmaf_sycl_import_state(VmafContext *vmaf, VmafSyclState *sycl_state)
{
    return interop_state_import(vmaf, (InteropState *)sycl_state, &sycl);
}

VMAF_API void vmaf_sycl_state_free(VmafSyclState **sycl_state)
{
    if (!sycl_state)
        return;
    interop_state_free((InteropState *)*sycl_state);
    *sycl_state = NULL;
}

static void show(unsigned index, const BackendDeviceDescription *device)
{
    printf("  [%u] %s\n      vendor: %s\n      driver: %s\n      fp64: %s\n", index, device->name,
           device->vendor, device->driver,
           device->abilities & VMAF_BACKEND_ABILITY_FP64 ? "yes" : "no");
}

VMAF_API int vmaf_sycl_list_devices(void)
{
    if (vendor_rejection(&sycl) == -ENOSYS)
        return -ENOSYS;
    printf("Available SYCL GPU devices:\n");
    int n = vendor_list(&sycl, show);
    if (n == 0)
        printf("  (none found)\n");
    return n;
}

/* ---- Pictures ---- */

VMAF_API int vmaf_sycl_preallocate_pictures(VmafContext *vmaf, VmafSyclPictureConfiguration cfg)
{
    const PictureSupplyParams params = {
        .w = cfg.pic_params.w,
        .h = cfg.pic_params.h,
        .bpc = cfg.pic_params.bpc,
        .pix_fmt = cfg.pic_params.pix_fmt,
        .method = (unsigned)cfg.pic_prealloc_method,
    };
    return picture_supply_set_up(vmaf, &sycl, &params);
}

VMAF_API int vmaf_sycl_picture_fetch(VmafContext *vmaf, VmafPicture *pic)
{
    return picture_supply_fetch(vmaf, &sycl, pic);
}

/* ---- Frame buffers ---- */

VMAF_API int vmaf_sycl_init_frame_buffers(VmafContext *vmaf, unsigned w, unsigned h, unsigned bpc)
{
    return frame_buffers_set_up(vmaf, &sycl, (LumaFormat){w, h, bpc});
}

VMAF_API int vmaf_sycl_get_frame_buffers(VmafContext *vmaf, void **ref, void **dis)
{
    return frame_buffers_current(vmaf, &sycl, ref, dis);
}

VMAF_API int vmaf_read_pictures_sycl(VmafContext *vmaf, unsigned index)
{
    return frame_buffers_read(vmaf, &sycl, index);
}

VMAF_API int vmaf_flush_sycl(VmafContext *vmaf)
{
    return interop_state_of(vmaf, &sycl) ? context_flush(vmaf) : vendor_rejection(&sycl);
}

VMAF_API int vmaf_sycl_wait_compute(VmafContext *vmaf)
{
    return interop_state_of(vmaf, &sycl) ? context_wait(vmaf) : vendor_rejection(&sycl);
}

VMAF_API int vmaf_sycl_upload_plane(VmafSyclState *sycl_state, const void *src, unsigned pitch,
                                    int is_ref, unsigned w, unsigned h, unsigned bpc)
{
    return frame_buffers_upload((InteropState *)sycl_state, &sycl, src, pitch, is_ref != 0,
                                (LumaFormat){w, h, bpc});
}

VMAF_API int vmaf_sycl_import_va_surface(VmafSyclState *sycl_state, void *va_display,
                                         unsigned va_surface, int is_ref, unsigned w, unsigned h,
                                         unsigned bpc)
{
    if (!va_display)
        return vendor_rejection(&sycl);
    const VmafBackendImport surface = {
        .kind = VMAF_BACKEND_IMPORT_VA_SURFACE,
        .n_handles = 2,
        .handles = {(uintptr_t)va_display, va_surface},
        .layout = VMAF_BACKEND_LAYOUT_SEMIPLANAR, /* NV12, P010, P012, P016 */
        .shift = bpc > 8 && bpc < 16 ? 16 - bpc : 0,
    };
    return frame_buffers_import((InteropState *)sycl_state, &sycl, &surface, is_ref != 0,
                                (LumaFormat){w, h, bpc});
}

#ifdef _WIN32
VMAF_API int vmaf_sycl_import_d3d11_surface(VmafSyclState *sycl_state, void *device, void *texture,
                                            unsigned subresource, int is_ref, unsigned w,
                                            unsigned h, unsigned bpc)
{
    if (!device || !texture)
        return vendor_rejection(&sycl);
    const VmafBackendImport surface = {
        .kind = VMAF_BACKEND_IMPORT_D3D11_TEXTURE,
        .n_handles = 3,
        .handles = {(uintptr_t)device, (uintptr_t)texture, subresource},
    };
    return frame_buffers_import((InteropState *)sycl_state, &sycl, &surface, is_ref != 0,
                                (LumaFormat){w, h, bpc});
}
#endif

/* ---- Shared memory ---- */

VMAF_API int vmaf_sycl_dmabuf_import(VmafSyclState *sycl_state, int fd, size_t size, void **ptr)
{
    if (fd < 0 || !ptr)
        return vendor_rejection(&sycl);
    *ptr = NULL;
    const VmafBackendImport memory = {
        .kind = VMAF_BACKEND_IMPORT_DMABUF,
        .n_handles = 3,
        .handles = {(uint64_t)fd, size, 0},
        .stride = {(int64_t)size},
    };
    int err = imports_map((InteropState *)sycl_state, &sycl, &memory, size, ptr);
    return err == -ENOTSUP ? -ENOSYS : err;
}

VMAF_API void vmaf_sycl_dmabuf_free(VmafSyclState *sycl_state, void *ptr)
{
    if (sycl_state)
        imports_unmap((InteropState *)sycl_state, ptr);
}

/* ---- Times of kernels ---- */

/* NULL: the state was opened without them, or the backend has none. */
static DeviceTimes *times_of(const VmafSyclState *sycl_state, int *error)
{
    const InteropState *state = (const InteropState *)sycl_state;
    if (!state) {
        *error = vendor_rejection(&sycl);
        return NULL;
    }
    DeviceTimes *times = backend_device_times(state->device);
    *error = !session_profile_is_offered(state->device) ? -ENOTSUP : times ? 0 : -EINVAL;
    return *error ? NULL : times;
}

VMAF_API int vmaf_sycl_profiling_enable(VmafSyclState *sycl_state)
{
    int err;
    DeviceTimes *times = times_of(sycl_state, &err);
    if (times)
        device_times_switch(times, true);
    return err;
}

VMAF_API void vmaf_sycl_profiling_disable(VmafSyclState *sycl_state)
{
    int err;
    DeviceTimes *times = times_of(sycl_state, &err);
    if (times)
        device_times_switch(times, false);
}

VMAF_API void vmaf_sycl_profiling_print(VmafSyclState *sycl_state)
{
    char *text;
    if (vmaf_sycl_profiling_get_string(sycl_state, &text))
        return;
    fputs(text, stdout);
    free(text);
}

VMAF_API int vmaf_sycl_profiling_get_string(VmafSyclState *sycl_state, char **output)
{
    int err;
    if (!output)
        return vendor_rejection(&sycl);
    *output = NULL;
    DeviceTimes *times = times_of(sycl_state, &err);
    if (times)
        *output = device_times_text(times);
    return times && !*output ? -ENOMEM : err;
}
