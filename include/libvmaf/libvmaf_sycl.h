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

/** An open device. */
typedef struct VmafSyclState VmafSyclState;

typedef struct VmafSyclConfiguration {
    int device_index;     /* index among the GPUs of all platforms; -1: the first */
    int enable_profiling; /* 1: times can be requested; this cannot be switched on later */
} VmafSyclConfiguration;

/** Open a device, to be released with vmaf_sycl_state_free. @return 0; -ENOSYS; -ENODEV, also for
 * an index out of range; -EINVAL; -ENOMEM. */
int vmaf_sycl_state_init(VmafSyclState **sycl_state, VmafSyclConfiguration cfg);
/** As vmaf_cuda_import_state. @return 0; -EBUSY; -EINVAL; -ENOSYS. */
int vmaf_sycl_import_state(VmafContext *vmaf, VmafSyclState *sycl_state);
/** Release the state, after vmaf_close, and set it to NULL. NULL is allowed. */
void vmaf_sycl_state_free(VmafSyclState **sycl_state);
/** Print the GPUs to standard output. @return the number of GPUs; -EIO; -ENOSYS. */
int vmaf_sycl_list_devices(void);

/** Memory of preallocated pictures. */
enum VmafSyclPicturePreallocationMethod {
    VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE = 0,
    VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_DEVICE, /* `data` holds device addresses */
    VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_HOST,   /* ordinary memory */
};

typedef struct VmafSyclPictureConfiguration {
    struct {
        unsigned w, h; /* width and height of luma in samples */
        unsigned bpc;  /* bit depth, 8 to 16 */
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    enum VmafSyclPicturePreallocationMethod pic_prealloc_method;
} VmafSyclPictureConfiguration;

/** As vmaf_cuda_preallocate_pictures. @return 0; -EINVAL; -EBUSY; -ENOTSUP; -ENOMEM; -ENOSYS. */
int vmaf_sycl_preallocate_pictures(VmafContext *vmaf, VmafSyclPictureConfiguration cfg);
/** Take a picture of the configured kind; waits until a device picture is free. Without
 * preallocation the picture is in host memory and has the parameters of the stream.
 * @return 0; -EINVAL; -ENOMEM; -ENOSYS. */
int vmaf_sycl_picture_fetch(VmafContext *vmaf, VmafPicture *pic);

/*
 * Shared frame buffers: two pairs in turn, of luma only, whose pixel format is assumed to be 4:2:0.
 * The program fills the pair whose addresses vmaf_sycl_get_frame_buffers returns. It calls
 * vmaf_read_pictures_sycl instead of vmaf_read_pictures, and vmaf_flush_sycl at the end. Features
 * that need chroma fail.
 */

/** Allocate both pairs. w and h in samples. @return 0; -EINVAL without a state or for a bad size;
 * -EBUSY if they exist; -ENOTSUP; -ENOMEM; -ENOSYS. */
int vmaf_sycl_init_frame_buffers(VmafContext *vmaf, unsigned w, unsigned h, unsigned bpc);
/** Return the addresses of luma for the next pair, whose rows have no gaps between them. The call
 * waits until a pair is free. @return 0; -EINVAL before vmaf_sycl_init_frame_buffers; -ENOSYS. */
int vmaf_sycl_get_frame_buffers(VmafContext *vmaf, void **ref, void **dis);
/** vmaf_read_pictures with that pair. @return as vmaf_read_pictures; -EINVAL also before
 * vmaf_sycl_init_frame_buffers; -ENOSYS. */
int vmaf_read_pictures_sycl(VmafContext *vmaf, unsigned index);
/** End the stream. @return as vmaf_read_pictures; -EINVAL also without a state; -ENOSYS. */
int vmaf_flush_sycl(VmafContext *vmaf);
/** Wait for all frames that were read so far. @return 0; the error of a feature; -ENOSYS. */
int vmaf_sycl_wait_compute(VmafContext *vmaf);

/** Map a dma-buf of `size` bytes, whose descriptor the caller keeps. @param ptr receives a device
 * address, to be released with vmaf_sycl_dmabuf_free @return 0; -ENOSYS, also if the backend cannot
 * map it; -EINVAL; -ENOMEM; -EIO. */
int vmaf_sycl_dmabuf_import(VmafSyclState *sycl_state, int fd, size_t size, void **ptr);
/** Unmap a dma-buf. Any other pointer than an address from vmaf_sycl_dmabuf_import is ignored. */
void vmaf_sycl_dmabuf_free(VmafSyclState *sycl_state, void *ptr);

/** Copy the luma of a VA surface (NV12, P010, P012 or P016) into the current frame buffer. The call
 * waits for the surface. The program must have loaded libva.so.2, which exports it.
 * @return 0; -ENOSYS; -ENOTSUP, also for a surface that is tiled or has another format; -EINVAL;
 * -EIO. */
int vmaf_sycl_import_va_surface(VmafSyclState *sycl_state, void *va_display, unsigned va_surface,
                                int is_ref, unsigned w, unsigned h, unsigned bpc);
/** Copy luma from host memory into the current frame buffer; `pitch` in bytes.
 * @return 0; -EINVAL for NULL or a format that is not that of the frame buffers; -EIO; -ENOSYS. */
int vmaf_sycl_upload_plane(VmafSyclState *sycl_state, const void *src, unsigned pitch, int is_ref,
                           unsigned w, unsigned h, unsigned bpc);
#ifdef _WIN32
/** As vmaf_sycl_import_va_surface, from an ID3D11Texture2D of an ID3D11Device. */
int vmaf_sycl_import_d3d11_surface(VmafSyclState *sycl_state, void *device, void *texture,
                                   unsigned subresource, int is_ref, unsigned w, unsigned h,
                                   unsigned bpc);
#endif

/*
 * Times of kernels and copies, added up by name over all frames whose results were collected while
 * times were enabled. Kernels run one after the other then, so frames take a little longer.
 */

/** Begin, or continue, to add up times. @return 0; -EINVAL without enable_profiling; -ENOTSUP if
 * the backend reports no times; -ENOSYS. */
int vmaf_sycl_profiling_enable(VmafSyclState *sycl_state);
/** Stop adding up times. The sums so far are kept. */
void vmaf_sycl_profiling_disable(VmafSyclState *sycl_state);
/** Print a table of the times to standard output; nothing if there are no times. */
void vmaf_sycl_profiling_print(VmafSyclState *sycl_state);
/** Return the same table as a text. @param output  receives it, to be released with free().
 * @return as vmaf_sycl_profiling_enable; -ENOMEM. */
int vmaf_sycl_profiling_get_string(VmafSyclState *sycl_state, char **output);

#ifdef __cplusplus
}
#endif

#endif
