/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_VULKAN_INTERNAL_H
#define VMAF_VULKAN_INTERNAL_H

#include <stdatomic.h>
#include <vulkan/vulkan.h>

#include "platform/thread.h"
#include "vulkan_layer.h"

/* A kernel, compiled on first use. */
typedef struct VulkanKernel {
    VmafDeviceKernel head;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    bool is_compiling; /* the device's kernel_lock guards this and head.kernel */
} VulkanKernel;

typedef struct VulkanDevice {
    VmafDevice head;
    VmafDeviceFaults faults;
    bool borrowed; /* instance and device are the application's */
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    VkPhysicalDevice physical;
    VkPhysicalDeviceMemoryProperties memory;
    double timestamp_period; /* nanoseconds per tick */
    uint32_t queue_family;
    VkDevice device;
    VkQueue queue;
    VkPipelineCache cache;
    char *cache_path; /* NULL: the cache is not saved */
    size_t cached_size;
    VulkanKernel *kernels; /* by index in the kernel set */

    VmafMutex kernel_lock; /* of its own, since compiling takes long */
    VmafCondition kernel_done;

    VmafMutex lock; /* guards everything below, and the queue */
    uint64_t submissions, buffers_created;
    bool hangs; /* a submission was made to hang */
    bool lost;
    char error[256];

    /* A lock of its own, since messages come from calls made with the lock above held. */
    VmafMutex message_lock;
    void (*log)(void *cookie, const char *text);
    void *cookie;
    char message[256]; /* the last one of the validation layer, "" if none; with debugging */
} VulkanDevice;

typedef struct VulkanBuffer {
    VmafDeviceBuffer head;
    uint64_t serial; /* no other buffer of the device ever has it */
    VkBuffer buffer;
    VkDeviceMemory memory;
} VulkanBuffer;

/* The copies of a submission, as a command buffer that is kept as long as they are the same. */
typedef struct VulkanCopies {
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkQueryPool queries; /* begin and end; only with profiling */
    uint64_t ticket;     /* of the submission that it was last used for */
    uint32_t count;
    struct VulkanCopyKey {
        uint64_t dst, src; /* serials */
        uint64_t rows;
        uint64_t dst_offset, dst_stride, src_offset, src_stride, row_size;
    } keys[VMAF_DEVICE_MAX_COPIES];
} VulkanCopies;

typedef struct VulkanCommandList {
    VmafDeviceCommandList head;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkQueryPool queries;
    VulkanCopies copies; /* of its last submission */
    uint32_t n_set_pools, sets_left;
    VkDescriptorPool *set_pools;
} VulkanCommandList;

typedef struct VulkanQueue {
    VmafDeviceQueue head;
    VkSemaphore finished; /* its value is the last ticket that has finished */

    /* The device's lock guards these. */
    uint64_t submissions;
    uint64_t hung_from; /* ticket of the first submission that hangs; 0: none */
    uint32_t n_copies;
    VulkanCopies *copies; /* of submissions without a command list */
} VulkanQueue;

/* vulkan_device.c: 0, or -EIO if the validation layer has found something since the device was
 * opened. */
int vulkan_check_messages(VulkanDevice *device);

/* vulkan_error.c */
int vulkan_error_of(VkResult result); /* as a negative errno */
/* Stores what went wrong; returns the error as a negative errno. `vulkan_failed` takes the lock. */
int vulkan_failed(VulkanDevice *device, VkResult result, const char *what);
int vulkan_fail(VulkanDevice *device, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* -ENODEV if the device is lost. */
int vulkan_check(VulkanDevice *device);
void vulkan_last_error(VmafDevice *device, char *text, size_t size); /* see device.h */

/* vulkan_physical.c: the devices of the system */
typedef struct VulkanCandidate {
    VkPhysicalDevice physical;
    uint32_t queue_family;
    double timestamp_period;
    VmafDeviceInfo info;
} VulkanCandidate;

enum { VULKAN_CANDIDATES_MAX = 16 };

/* The usable devices, most capable first. Returns their number, or a negative errno. */
int vulkan_find_candidates(VkInstance instance, VulkanCandidate candidates[VULKAN_CANDIDATES_MAX]);
/* Describes a device that the application chose. 0; -ENOTSUP. */
int vulkan_describe(VkPhysicalDevice physical, VulkanCandidate *candidate);

/* vulkan_buffer.c, vulkan_kernel.c, vulkan_command_list.c: see device.h */
int vulkan_buffer_create(VmafDevice *device, VmafDeviceBuffer **buffer,
                         const VmafDeviceBufferParams *params);
void vulkan_buffer_destroy(VmafDevice *device, VmafDeviceBuffer *buffer);

int vulkan_kernel_find(VmafDevice *device, const VmafDeviceKernel **kernel, const char *name);
void vulkan_kernels_destroy(VulkanDevice *device);
/* Opens the cache of compiled pipelines, a file in this folder (NULL: in memory only). */
int vulkan_cache_open(VulkanDevice *device, const char *directory);
void vulkan_cache_close(VulkanDevice *device);

int vulkan_command_list_begin(VmafDevice *device, VmafDeviceCommandList **list);
int vulkan_cmd_copy(VmafDeviceCommandList *list, const VmafDeviceCopy *copy);
int vulkan_cmd_dispatch(VmafDeviceCommandList *list, const VmafDeviceDispatch *dispatch);
int vulkan_cmd_barrier(VmafDeviceCommandList *list);
int vulkan_cmd_timestamp(VmafDeviceCommandList *list, uint32_t index);
int vulkan_command_list_end(VmafDeviceCommandList *list);
void vulkan_command_list_destroy(VmafDeviceCommandList *list);
int vulkan_timestamps(VmafDeviceCommandList *list, uint64_t *times_ns, uint32_t count);
void vulkan_copy_rows(VkCommandBuffer commands, const VmafDeviceCopy *copy);

/* vulkan_copies.c: makes `copies` those of the submission. It is not in use. */
VkResult vulkan_copies_make(VulkanDevice *device, VulkanCopies *copies,
                            const VmafDeviceSubmit *params);
void vulkan_copies_destroy(VulkanDevice *device, VulkanCopies *copies);
int vulkan_copy_times(VmafDeviceCommandList *list, uint64_t times_ns[2]);

/* vulkan_queue.c */
int vulkan_queue_create(VmafDevice *device, VmafDeviceQueue **queue);
void vulkan_queue_destroy(VmafDeviceQueue *queue);
int vulkan_submit(VmafDeviceQueue *queue, VmafDeviceCommandList *list,
                  const VmafDeviceSubmit *params, VmafDeviceTicket *ticket);
int vulkan_wait(VmafDeviceQueue *queue, VmafDeviceTicket ticket, uint64_t timeout_ns);

#endif
