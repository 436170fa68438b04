/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_VULKAN_INTERNAL_H
#define VMAF_VULKAN_INTERNAL_H

#include <stdatomic.h>
#include <vulkan/vulkan.h>

#include "layer_state.h"
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

/* The queues to use: of a family for compute, and for copies perhaps of another one. */
typedef struct VulkanQueues {
    uint32_t family, copy_family;
    uint32_t n_streams;       /* that have a queue of their own: 1 or 2 */
    bool own_copies;          /* copies have one, too: in their family the first after the lanes' */
    uint32_t valid_bits;      /* of timestamps in the family for compute; 0: it has none */
    uint32_t copy_valid_bits; /* the same of the family for copies */
} VulkanQueues;

/* Extensions of the device that are used where they exist. */
typedef struct VulkanExtensions {
    bool external_memory_host;
    bool pci_bus_info;
    bool portability_subset;
} VulkanExtensions;

typedef struct VulkanDevice {
    VmafDevice head;
    VmafDeviceFaults faults;
    bool borrowed; /* instance and device are the application's */
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    VkPhysicalDevice physical;
    VkPhysicalDeviceMemoryProperties memory;
    VulkanQueues queues;
    VulkanExtensions extensions; /* that are enabled */
    double timestamp_period;     /* nanoseconds per tick */
    VkDevice device;
    VkQueue lanes[VMAF_DEVICE_STREAMS]; /* may be the same */
    VkQueue copies;                     /* may be that of the first stream */
    PFN_vkGetMemoryHostPointerPropertiesEXT get_host_pointer_properties; /* or NULL */
    /* Optional: held while queues of the application are used. */
    void (*lock_queue)(void *cookie);
    void (*unlock_queue)(void *cookie);
    void *lock_cookie;
    VkPipelineCache cache;
    char *cache_path; /* NULL: the cache is not saved */
    size_t cached_size;
    VulkanKernel *kernels; /* by index in the kernel set */

    VmafMutex kernel_lock; /* of its own, since compiling takes long */
    VmafCondition kernel_done;

    VmafMutex lock;                            /* guards everything below, and the queue */
    uint64_t buffers_created, images_imported; /* their serial numbers */
    bool hangs;                                /* a submission was made to hang */
    VmafLayerState state;                      /* with a lock of its own */

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

/* An image of the application. */
typedef struct VulkanImage {
    VmafDeviceImage head;
    uint64_t serial; /* no other image or buffer of the device ever has it */
    VkImage image;
    VkImageLayout layout; /* before and after each copy */
    uint32_t texel_size[3];
} VulkanImage;

/* The copies of a submission, as a command buffer that is kept as long as they are the same. */
typedef struct VulkanCopies {
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkQueryPool queries; /* begin and end; only with profiling */
    uint64_t ticket;     /* of the submission that it was last used for */
    uint32_t count;
    struct VulkanCopyKey {
        uint64_t dst, src; /* serials */
        uint64_t rows, image_plane;
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

/* A ticket is VMAF_DEVICE_STREAMS times the number of the submission, and its stream. */
typedef struct VulkanQueue {
    VmafDeviceQueue head;
    VkSemaphore finished[VMAF_DEVICE_STREAMS]; /* the last ticket of the stream that has finished */
    VkSemaphore copied; /* the last ticket whose copies have; where these have their own queue */

    /* The device's lock guards these. */
    uint64_t submissions;
    uint64_t last_copies; /* ticket of the last submission with copies; 0: none */
    uint64_t hung_from;   /* ticket of the first submission that hangs; 0: none */
    uint32_t n_copies;
    VulkanCopies *copies; /* of submissions without a command list */
} VulkanQueue;

/* vulkan_device.c: 0, or -EIO if the validation layer has found something since the device was
 * opened. */
int vulkan_check_messages(VulkanDevice *device);

/* vulkan_device.c: errors */
int vulkan_error_of(VkResult result); /* as a negative errno */
/* Stores what went wrong; returns the error as a negative errno. `vulkan_failed` takes the lock. */
int vulkan_failed(VulkanDevice *device, VkResult result, const char *what);
int vulkan_fail(VulkanDevice *device, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void vulkan_last_error(VmafDevice *device, char *text, size_t size); /* see device.h */

/* vulkan_physical.c: the devices of the system */
typedef struct VulkanCandidate {
    VkPhysicalDevice physical;
    VulkanQueues queues;
    VulkanExtensions extensions;
    double timestamp_period;
    VmafDeviceInfo info; /* `unusable` says what it lacks */
} VulkanCandidate;

enum { VULKAN_CANDIDATES_MAX = 16 };

/* All devices, usable ones first, most capable first. Returns their number, or a negative errno. */
int vulkan_find_candidates(VkInstance instance, VulkanCandidate candidates[VULKAN_CANDIDATES_MAX]);
/* The feature that is needed, and not set in this chain, as a text; NULL: all are. */
const char *vulkan_missing_feature(const void *features);
/* Describes a device. */
void vulkan_describe(VkPhysicalDevice physical, VulkanCandidate *candidate);

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
/* Ticks of a counter with this many valid bits as nanoseconds; each time at or after the one before
 * it, although the counter may have wrapped. */
void vulkan_ticks_to_ns(const VulkanDevice *device, uint32_t valid_bits, uint64_t *times,
                        uint32_t count);

/* vulkan_buffer.c: images */
int vulkan_image_import(VmafDevice *device, VmafDeviceImage **image,
                        const VmafBackendImport *picture);
void vulkan_image_destroy(VmafDevice *device, VmafDeviceImage *image);
void vulkan_copy_image(VkCommandBuffer commands, const VmafDeviceCopy *copy);

/* vulkan_command_list.c: makes `copies` those of the submission. It is not in use. */
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
