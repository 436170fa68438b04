/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_CUDA_H
#define LIBVMAF_CUDA_H

/*
 * Scoring on NVIDIA GPUs, for programs that choose the device themselves or have their pictures on
 * it. All functions exist whether or not the CUDA plugin is installed; without it functions that
 * return int return -ENOSYS.
 *
 * Usual order: vmaf_cuda_state_init, vmaf_init, vmaf_cuda_import_state, features and models,
 * pictures, vmaf_close, vmaf_cuda_state_free.
 *
 * Thread-safety: a state is used by one thread at a time, and by one context at a time.
 */

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafCudaState VmafCudaState;

typedef struct VmafCudaConfiguration {
    void *cu_ctx; /* CUcontext to use, borrowed; NULL: the primary context of device 0 */
} VmafCudaConfiguration;

/**
 * Open a device.
 *
 * @param cu_state  receives the state, NULL on failure; released with vmaf_cuda_state_free
 * @return 0; -ENOSYS without a plugin; -ENODEV without a driver or a device; -EINVAL; -ENOMEM;
 *         -EIO.
 */
int vmaf_cuda_state_init(VmafCudaState **cu_state, VmafCudaConfiguration cfg);

/**
 * Let a context compute on the device, strictly, as vmaf_backend_select does. The context borrows
 * the state. Before features are registered.
 *
 * @return 0; -EBUSY if the context has a backend; -EINVAL after a feature or a picture; -ENOSYS.
 */
int vmaf_cuda_import_state(VmafContext *vmaf, VmafCudaState *cu_state);

/** Release the state; after vmaf_close of the context that uses it. NULL is fine. @return 0. */
int vmaf_cuda_state_free(VmafCudaState *cu_state);

enum VmafCudaPicturePreallocationMethod {
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE = 0,
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE,      /* data are device addresses */
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST,        /* ordinary memory */
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED, /* host memory that the device reads */
};

typedef struct VmafCudaPictureConfiguration {
    struct {
        unsigned w, h; /* of luma, in samples */
        unsigned bpc;  /* bit depth, 8 to 16 */
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    enum VmafCudaPicturePreallocationMethod pic_prealloc_method;
} VmafCudaPictureConfiguration;

/**
 * Set up the pictures for vmaf_cuda_fetch_preallocated_picture: with METHOD_DEVICE a ring of
 * pictures on the device.
 *
 * @return 0; -EINVAL for a zero size, a bad format, an unknown method or without a state; -EBUSY if
 *         there is a ring; -ENOTSUP; -ENOMEM; -ENOSYS.
 */
int vmaf_cuda_preallocate_pictures(VmafContext *vmaf, VmafCudaPictureConfiguration cfg);

/**
 * Take a picture of the configured kind. A device picture is taken from the ring; blocks until one
 * is free. Returned to it by vmaf_read_pictures or vmaf_picture_unref.
 *
 * A device picture may be filled by anything that is queued on the legacy default stream of the
 * device's context before vmaf_read_pictures is called; nothing has to be waited for. A program may
 * leave chroma alone if no feature needs it. If one does, vmaf_read_pictures returns -EINVAL, and
 * vmaf_backend_status says which feature that is.
 *
 * @return 0; -EINVAL without preallocation, or with METHOD_NONE; -ENOMEM; -ENOSYS.
 */
int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic);

#ifdef __cplusplus
}
#endif

#endif
