/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "libvmaf/libvmaf_cuda.h"

#include "api/api.h"
#include "interop.h"

static const PictureMethod methods[] = {
    [VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE] = METHOD_NONE,
    [VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE] = METHOD_DEVICE,
    [VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST] = METHOD_HOST,
    [VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED] = METHOD_PINNED,
};

/* VmafCudaState is the public name of an InteropState. */
static const Vendor cuda = {
    .backend = "cuda",
    .ring_size = 4,
    .ring_memory = VMAF_BACKEND_BUFFER_DEVICE,
    .methods = methods,
    .n_methods = sizeof(methods) / sizeof(methods[0]),
};

VMAF_API int vmaf_cuda_state_init(VmafCudaState **cu_state, VmafCudaConfiguration cfg)
{
    if (!cu_state)
        return vendor_rejection(&cuda);
    *cu_state = NULL;
    BackendDeviceRequest request = {.index = 0};
    if (cfg.cu_ctx) {
        request.external = VMAF_BACKEND_EXTERNAL_CUDA;
        request.n_handles = 1;
        request.handles[0] = (uintptr_t)cfg.cu_ctx;
    }
    return interop_state_open((InteropState **)cu_state, &cuda, &request);
}

VMAF_API int vmaf_cuda_import_state(VmafContext *vmaf, VmafCudaState *cu_state)
{
    return interop_state_import(vmaf, (InteropState *)cu_state, &cuda);
}

VMAF_API int vmaf_cuda_state_free(VmafCudaState *cu_state)
{
    interop_state_free((InteropState *)cu_state);
    return 0;
}

VMAF_API int vmaf_cuda_preallocate_pictures(VmafContext *vmaf, VmafCudaPictureConfiguration cfg)
{
    const PictureSupplyParams params = {
        .w = cfg.pic_params.w,
        .h = cfg.pic_params.h,
        .bpc = cfg.pic_params.bpc,
        .pix_fmt = cfg.pic_params.pix_fmt,
        .method = (unsigned)cfg.pic_prealloc_method,
    };
    return picture_supply_set_up(vmaf, &cuda, &params);
}

VMAF_API int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic)
{
    return picture_supply_fetch(vmaf, &cuda, pic);
}
