/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SYCL_INTERNAL_H
#define VMAF_SYCL_INTERNAL_H

#include <level_zero/ze_api.h>

#include "streams/stream_layer.h"
#include "sycl_layer.h"

/* Command queues of one kind. */
typedef struct SyclQueueGroup {
    uint32_t ordinal;
    uint32_t n_queues; /* 0: there is no such group */
} SyclQueueGroup;

typedef struct SyclDevice {
    VmafStreamDevice head;
    ze_context_handle_t context;
    ze_device_handle_t device;
    SyclQueueGroup compute, copy; /* copy: an engine that does nothing else */
    atomic_uint n_streams;        /* created so far, to spread them over the queues */
    const char *build_options;
    double ns_per_tick;
    uint64_t tick_mask; /* the bits of a timestamp that count */

    VmafMutex event_lock; /* guards what follows; never held for long */
    struct SyclEventBlock *blocks;
} SyclDevice;

typedef struct SyclKernel {
    VmafStreamKernel head;
    ze_module_handle_t module;
} SyclKernel;

/* -- sycl_layer.c -- */

int sycl_error_of(ze_result_t result); /* as a negative errno */
/* "ZE_RESULT_NAME", or the number. */
void sycl_describe_result(ze_result_t result, char *text, size_t size);
/* 0 if it is a success; else stores what went wrong and returns it as a negative errno. */
int sycl_check(SyclDevice *device, ze_result_t result, const char *what);

/* -- sycl_physical.c: the devices of the system -- */

/* Starts Level Zero. Returns 0, or an error and its reason. */
int sycl_start(char *reason, size_t reason_size);
/* NULL: there is no memory. */
VmafStreamCandidates *sycl_find_devices(void);
/* The driver of a device, NULL if no driver has it. */
ze_driver_handle_t sycl_driver_of(ze_device_handle_t device);
/* Describes a device; false if it is not a GPU. */
bool sycl_describe_device(ze_driver_handle_t driver, ze_device_handle_t device,
                          VmafStreamCandidate *candidate);
/* Queues that compute, or that copy and do nothing else. */
SyclQueueGroup sycl_find_queues(ze_device_handle_t device, bool copies_only);
/* What opening a device needs to know about it. */
void sycl_read_clock(SyclDevice *device, ze_driver_handle_t driver);
const char *sycl_build_options(ze_device_handle_t device);

/* -- sycl_image.c: see device.h -- */

int sycl_image_import(VmafDevice *device, VmafDeviceImage **image,
                      const VmafBackendImport *picture);
void sycl_image_destroy(VmafDevice *device, VmafDeviceImage *image);

/* -- sycl_queue.c: see device.h -- */

/* Frees what events came from. None is left. */
void sycl_events_close(SyclDevice *device);
int sycl_command_list_begin(VmafDevice *device, VmafDeviceCommandList **list);
int sycl_command_list_end(VmafDeviceCommandList *list);
void sycl_command_list_destroy(VmafDeviceCommandList *list);
int sycl_timestamps(VmafDeviceCommandList *list, uint64_t *times_ns, uint32_t count);
int sycl_copy_times(VmafDeviceCommandList *list, uint64_t times_ns[2]);
int sycl_queue_create(VmafDevice *device, VmafDeviceQueue **queue);
void sycl_queue_destroy(VmafDeviceQueue *queue);
int sycl_submit(VmafDeviceQueue *queue, VmafDeviceCommandList *list, const VmafDeviceSubmit *params,
                VmafDeviceTicket *ticket);
int sycl_wait(VmafDeviceQueue *queue, VmafDeviceTicket ticket, uint64_t timeout_ns);

#endif
