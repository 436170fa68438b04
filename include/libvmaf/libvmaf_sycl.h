/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_SYCL_H
#define LIBVMAF_SYCL_H

/*
 * Scoring on Intel GPUs, for programs that choose the device themselves or have their pictures on
 * it. All functions exist whether or not the plugin is installed; without it functions that return
 * int return -ENOSYS.
 *
 * Usual order: vmaf_sycl_state_init, vmaf_init, vmaf_sycl_import_state, features and models,
 * pictures, vmaf_close, vmaf_sycl_state_free.
 *
 * Thread-safety: a state is used by one thread at a time, and by one context at a time.
 */

#include <stddef.h>

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafSyclState VmafSyclState;

typedef struct VmafSyclConfiguration {
    int device_index;     /* among the GPUs of all platforms; -1: the first */
    int enable_profiling; /* 1: times can be requested; cannot be switched on later */
} VmafSyclConfiguration;

/** Open a device. @return 0; -ENOSYS; -ENODEV, also for an index out of range; -EINVAL; -ENOMEM. */
int vmaf_sycl_state_init(VmafSyclState **sycl_state, VmafSyclConfiguration cfg);
/** See vmaf_cuda_import_state. @return 0; -EBUSY; -EINVAL; -ENOSYS. */
int vmaf_sycl_import_state(VmafContext *vmaf, VmafSyclState *sycl_state);
/** Release the state and set it to NULL; after vmaf_close. NULL is fine. */
void vmaf_sycl_state_free(VmafSyclState **sycl_state);
/** Print the GPUs to standard output. @return their number; -EIO; -ENOSYS. */
int vmaf_sycl_list_devices(void);

enum VmafSyclPicturePreallocationMethod {
    VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE = 0,
    VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_DEVICE, /* data are device addresses */
    VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_HOST,   /* ordinary memory */
};

typedef struct VmafSyclPictureConfiguration {
    struct {
        unsigned w, h; /* of luma, in samples */
        unsigned bpc;  /* bit depth, 8 to 16 */
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    enum VmafSyclPicturePreallocationMethod pic_prealloc_method;
} VmafSyclPictureConfiguration;

/** As vmaf_cuda_preallocate_pictures. @return 0; -EINVAL; -EBUSY; -ENOTSUP; -ENOMEM; -ENOSYS. */
int vmaf_sycl_preallocate_pictures(VmafContext *vmaf, VmafSyclPictureConfiguration cfg);
/** Take a picture; without preallocation one in host memory with the parameters of the stream.
 * @return 0; -EINVAL; -ENOMEM; -ENOSYS. */
int vmaf_sycl_picture_fetch(VmafContext *vmaf, VmafPicture *pic);

/*
 * Shared frame buffers: luma only, pixel format taken as 4:2:0, two pairs in turn. The program
 * fills the pair that vmaf_sycl_get_frame_buffers names and calls vmaf_read_pictures_sycl instead
 * of vmaf_read_pictures, and vmaf_flush_sycl at the end. Features that need chroma fail.
 */

/** Allocate both pairs. w and h in samples. @return 0; -EINVAL without a state or for a bad size;
 * -EBUSY if they exist; -ENOTSUP; -ENOMEM; -ENOSYS. */
int vmaf_sycl_init_frame_buffers(VmafContext *vmaf, unsigned w, unsigned h, unsigned bpc);
/** Addresses of luma for the next pair, rows packed; waits until one is free.
 * @return 0; -EINVAL before init; -ENOSYS. */
int vmaf_sycl_get_frame_buffers(VmafContext *vmaf, void **ref, void **dis);
/** vmaf_read_pictures with that pair. @return the same; -EINVAL also before init; -ENOSYS. */
int vmaf_read_pictures_sycl(VmafContext *vmaf, unsigned index);
/** End the stream. @return as vmaf_read_pictures; -EINVAL also without a state; -ENOSYS. */
int vmaf_flush_sycl(VmafContext *vmaf);
/** Wait for all frames handed over so far. @return 0; the error of a feature; -ENOSYS. */
int vmaf_sycl_wait_compute(VmafContext *vmaf);

/** Map a dma-buf of `size` bytes, whose descriptor the caller keeps. @param ptr receives a device
 * address, to be released with vmaf_sycl_dmabuf_free @return 0; -ENOSYS, also if the backend cannot
 * map it; -EINVAL; -ENOMEM; -EIO. */
int vmaf_sycl_dmabuf_import(VmafSyclState *sycl_state, int fd, size_t size, void **ptr);
/** Unmap it. Anything but an address from vmaf_sycl_dmabuf_import is ignored. */
void vmaf_sycl_dmabuf_free(VmafSyclState *sycl_state, void *ptr);

/** Copy the luma of a VA surface (NV12, P010, P012 or P016) into the current frame buffer. The
 * surface is waited for; the program has loaded libva.so.2, which exports it.
 * @return 0; -ENOSYS; -ENOTSUP, also for a surface that is tiled or has another format; -EINVAL;
 * -EIO. */
int vmaf_sycl_import_va_surface(VmafSyclState *sycl_state, void *va_display, unsigned va_surface,
                                int is_ref, unsigned w, unsigned h, unsigned bpc);
/** Copy luma from host memory into the current frame buffer; `pitch` in bytes.
 * @return 0; -EINVAL for NULL or a format that is not that of the frame buffers; -EIO; -ENOSYS. */
int vmaf_sycl_upload_plane(VmafSyclState *sycl_state, const void *src, unsigned pitch, int is_ref,
                           unsigned w, unsigned h, unsigned bpc);
#ifdef _WIN32
/** Like vmaf_sycl_import_va_surface, from an ID3D11Texture2D of an ID3D11Device. */
int vmaf_sycl_import_d3d11_surface(VmafSyclState *sycl_state, void *device, void *texture,
                                   unsigned subresource, int is_ref, unsigned w, unsigned h,
                                   unsigned bpc);
#endif

/*
 * Times of kernels and copies, added up by their names for all frames whose results have come back
 * while times were enabled. Kernels run one after the other then, so frames take a little longer.
 */

/** Begin, or go on, to add up times. @return 0; -EINVAL without enable_profiling; -ENOTSUP if the
 * backend reports none; -ENOSYS. */
int vmaf_sycl_profiling_enable(VmafSyclState *sycl_state);
/** Stop. What was added up stays. */
void vmaf_sycl_profiling_disable(VmafSyclState *sycl_state);
/** Print a table of the times to standard output; nothing if there are none. */
void vmaf_sycl_profiling_print(VmafSyclState *sycl_state);
/** The same table. @param output  receives the text, to be released with free().
 * @return as vmaf_sycl_profiling_enable; -ENOMEM. */
int vmaf_sycl_profiling_get_string(VmafSyclState *sycl_state, char **output);

#ifdef __cplusplus
}
#endif

#endif
