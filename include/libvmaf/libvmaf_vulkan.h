/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_VULKAN_H
#define LIBVMAF_VULKAN_H

/*
 * Scoring with Vulkan, for programs that choose the device themselves or have their pictures on it.
 * All functions exist whether or not the Vulkan plugin is installed; without it functions that
 * return int return -ENOSYS, and vmaf_vulkan_available returns 0.
 *
 * Usual order: vmaf_vulkan_state_init, vmaf_init, vmaf_vulkan_import_state, features and models,
 * pictures, vmaf_close, vmaf_vulkan_state_free.
 *
 * Thread-safety: a state is used by one thread at a time, and by one context at a time.
 */

#include <stddef.h>
#include <stdint.h>

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An open device. */
typedef struct VmafVulkanState VmafVulkanState;

typedef struct VmafVulkanConfiguration {
    int device_index;                /* -1: the first discrete device, else integrated, else
                                        virtual, else software */
    int enable_validation;           /* 1: with the validation layer, where it is installed */
    unsigned max_outstanding_frames; /* at most 8; 0: 4 */
} VmafVulkanConfiguration;

/** @return 1 if the plugin is installed and finds a device, else 0. */
int vmaf_vulkan_available(void);
/** Open a device, to be released with vmaf_vulkan_state_free. @return 0; -ENOSYS; -ENODEV; -EINVAL
 * for an index out of range; -ENOMEM; -EIO. */
int vmaf_vulkan_state_init(VmafVulkanState **out, VmafVulkanConfiguration cfg);

/** Handles of the application's device, as integers. */
typedef struct VmafVulkanExternalHandles {
    uintptr_t instance, physical_device, device, queue;
    uint32_t queue_family_index, api_version;
} VmafVulkanExternalHandles;

/** Use the application's device, which is borrowed. Call vkQueueWaitIdle before vmaf_close: threads
 * of some drivers, such as Mesa's software device, use semaphores a little longer than their values
 * indicate, and the library does not wait for other work on the queue.
 * @return as vmaf_vulkan_state_init. */
int vmaf_vulkan_state_init_external(VmafVulkanState **out, VmafVulkanExternalHandles handles);
/** The application's device, with all that is known of it. */
typedef struct VmafVulkanBorrowedDevice {
    size_t struct_size; /* sizeof the structure */
    VmafVulkanExternalHandles handles;
    /* Called before and after every use of the queue, on any thread, unless NULL. An application
     * that uses the queue as well locks it in the same way. Both are set or none. */
    void (*lock)(void *cookie);
    void (*unlock)(void *cookie);
    void *cookie;
    /* Features and extensions that the device was created with: its VkPhysicalDeviceFeatures2 with
     * what is chained to it, or NULL if it is not known. They are read until the state is released.
     */
    const void *enabled_features;
    const char *const *enabled_extensions;
    unsigned n_enabled_extensions;
    unsigned max_outstanding_frames; /* at most 8; 0: 4 */
} VmafVulkanBorrowedDevice;

/** Use the application's device, which is borrowed. @return as vmaf_vulkan_state_init; -EINVAL also
 * if only one of lock and unlock is set. */
int vmaf_vulkan_state_init_borrowed(VmafVulkanState **out, const VmafVulkanBorrowedDevice *device);
/** @return the number of frames that may be outstanding, 1 to 8; 0 for NULL. */
unsigned vmaf_vulkan_state_max_outstanding_frames(const VmafVulkanState *state);
/** As vmaf_cuda_import_state. @return 0; -EBUSY; -EINVAL; -ENOSYS. */
int vmaf_vulkan_import_state(VmafContext *vmaf, VmafVulkanState *state);
/** Release the state, after vmaf_close, and set it to NULL. NULL is allowed. */
void vmaf_vulkan_state_free(VmafVulkanState **state);
/** Log one line for each device. @return the number of devices; -EIO; -ENOSYS. */
int vmaf_vulkan_list_devices(void);

/** Memory of preallocated pictures. */
enum VmafVulkanPicturePreallocationMethod {
    VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_NONE = 0,
    VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_HOST,   /* ordinary memory */
    VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_DEVICE, /* host memory that the device reads */
};

typedef struct VmafVulkanPictureConfiguration {
    struct {
        unsigned w, h; /* width and height of luma in samples */
        unsigned bpc;  /* bit depth, 8 to 16 */
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    enum VmafVulkanPicturePreallocationMethod pic_prealloc_method;
} VmafVulkanPictureConfiguration;

/** As vmaf_cuda_preallocate_pictures. @return 0; -EINVAL; -EBUSY; -ENOTSUP; -ENOMEM; -ENOSYS. */
int vmaf_vulkan_preallocate_pictures(VmafContext *vmaf, VmafVulkanPictureConfiguration cfg);
/** Take a picture of the configured kind; waits until a device picture is free. Without
 * preallocation the picture is in host memory and has the parameters of the stream.
 * @return 0; -EINVAL; -ENOMEM; -ENOSYS. */
int vmaf_vulkan_picture_fetch(VmafContext *vmaf, VmafPicture *pic);

/**
 * Import the luma of an image for the pair `index`, which is read once a timeline semaphore has
 * reached a value. w and h are in samples. The call does not block. The application keeps the
 * image, which must not change until vmaf_vulkan_wait_compute.
 *
 * @param vk_image      VkImage
 * @param vk_format     VkFormat
 * @param vk_layout     VkImageLayout
 * @param vk_semaphore  VkSemaphore, or 0: the image is ready
 *
 * @return 0; -EINVAL for NULL, a size or depth other than the first one's, an image that was
 *         imported before, or more pairs waiting to be read than frames may be outstanding;
 *         -ENOTSUP; -EIO; -ENOSYS.
 */
int vmaf_vulkan_import_image(VmafVulkanState *state, uintptr_t vk_image, uint32_t vk_format,
                             uint32_t vk_layout, uintptr_t vk_semaphore,
                             uint64_t vk_semaphore_value, unsigned w, unsigned h, unsigned bpc,
                             int is_ref, unsigned index);
/** Wait until imported images are no longer read. @return 0; -EIO; -EINVAL; -ENOSYS. */
int vmaf_vulkan_wait_compute(VmafVulkanState *state);
/** vmaf_read_pictures with the imported pair `index`. @return as vmaf_read_pictures; -EINVAL unless
 * both pictures are imported, and after the flush. */
int vmaf_vulkan_read_imported_pictures(VmafContext *vmaf, unsigned index);

#ifdef __cplusplus
}
#endif

#endif
