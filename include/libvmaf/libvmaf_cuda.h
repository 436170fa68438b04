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

/** An open device. */
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
 * Choose the device for a context, strictly, as vmaf_backend_select does. Call it before features
 * are registered. The context borrows the state until it is closed.
 *
 * @return 0; -EBUSY if the context has a backend; -EINVAL after a feature or a picture; -ENOSYS.
 */
int vmaf_cuda_import_state(VmafContext *vmaf, VmafCudaState *cu_state);

/** Release the state, after vmaf_close of the context that uses it. NULL is allowed. @return 0. */
int vmaf_cuda_state_free(VmafCudaState *cu_state);

/** Memory of preallocated pictures. */
enum VmafCudaPicturePreallocationMethod {
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE = 0,
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE,      /* `data` holds device addresses */
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST,        /* ordinary memory */
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED, /* host memory that the device reads */
};

typedef struct VmafCudaPictureConfiguration {
    struct {
        unsigned w, h; /* width and height of luma in samples */
        unsigned bpc;  /* bit depth, 8 to 16 */
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    enum VmafCudaPicturePreallocationMethod pic_prealloc_method;
} VmafCudaPictureConfiguration;

/**
 * Configure the pictures of vmaf_cuda_fetch_preallocated_picture. With METHOD_DEVICE the context
 * allocates a ring of pictures on the device.
 *
 * @return 0; -EINVAL for a zero size, a bad format, an unknown method or without a state; -EBUSY if
 *         the context has a ring; -ENOTSUP; -ENOMEM; -ENOSYS.
 */
int vmaf_cuda_preallocate_pictures(VmafContext *vmaf, VmafCudaPictureConfiguration cfg);

/**
 * Take a picture of the configured kind. A device picture comes from the ring, and the call blocks
 * until one is free; vmaf_read_pictures or vmaf_picture_unref returns it to the ring.
 *
 * A device picture may be filled by work that is queued on the legacy default stream of the
 * device's context before vmaf_read_pictures is called; the program need not wait for it. A program
 * may leave chroma unwritten if no feature needs it. If one does, vmaf_read_pictures returns
 * -EINVAL, and vmaf_backend_status names the feature.
 *
 * @return 0; -EINVAL without preallocation, or with METHOD_NONE; -ENOMEM; -ENOSYS.
 */
int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic);

#ifdef __cplusplus
}
#endif

#endif
