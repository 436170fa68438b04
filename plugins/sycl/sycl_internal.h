/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SYCL_INTERNAL_H
#define VMAF_SYCL_INTERNAL_H

#include <level_zero/ze_api.h>

#include "image_objects.h"
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

typedef struct SyclImage {
    VmafStreamImage head;
    void *imported[VMAF_BACKEND_MAX_OBJECTS]; /* memory to free with the image */
} SyclImage;

static inline SyclDevice *sycl_device(VmafStreamDevice *device)
{
    return (SyclDevice *)device;
}

/* sycl_error.c */
int sycl_error_of(ze_result_t result); /* as a negative errno */
/* "ZE_RESULT_NAME", or the number. */
void sycl_describe_result(ze_result_t result, char *text, size_t size);
/* 0 if it is a success; else stores what went wrong and returns it as a negative errno. */
int sycl_check(VmafStreamDevice *device, ze_result_t result, const char *what);

/* sycl_physical.c: the devices of the system; see stream_layer.h */
int sycl_start(char *reason, size_t reason_size);
uint32_t sycl_count(void);
bool sycl_describe(uint32_t index, VmafStreamCandidate *candidate);
/* The driver of a device, NULL if no driver has it. */
ze_driver_handle_t sycl_driver_of(ze_device_handle_t device);
bool sycl_describe_device(ze_driver_handle_t driver, ze_device_handle_t device,
                          VmafStreamCandidate *candidate);
/* Queues that compute, or that copy and do nothing else. */
SyclQueueGroup sycl_find_queues(ze_device_handle_t device, bool copies_only);
/* What opening a device needs to know about it. */
void sycl_read_clock(SyclDevice *device, ze_driver_handle_t driver);
const char *sycl_build_options(ze_device_handle_t device);

/* sycl_memory.c */
int sycl_memory_create(VmafStreamDevice *device, VmafStreamBuffer *buffer,
                       const VmafDeviceBufferParams *params);
void sycl_memory_destroy(VmafStreamDevice *device, VmafStreamBuffer *buffer);

/* sycl_image.c */
int sycl_image_import(VmafStreamDevice *device, VmafStreamImage *image,
                      const VmafBackendImport *picture);
void sycl_image_release(VmafStreamDevice *device, VmafStreamImage *image);

/* sycl_surface.c: describes a VA surface. The descriptors are the caller's, who closes them with
 * sycl_surface_close. */
int sycl_surface_export(VmafStreamDevice *device, const VmafBackendImport *picture,
                        VmafImageObjects *objects);
void sycl_surface_close(VmafImageObjects *objects);

/* sycl_kernel.c */
int sycl_kernel_load(VmafStreamDevice *device, VmafStreamKernel *kernel, const VmafKernel *source);
void sycl_kernel_unload(VmafStreamDevice *device, VmafStreamKernel *kernel);
int sycl_dispatch_prepare(VmafStreamDevice *device, VmafStreamDispatch *dispatch);
void sycl_dispatch_release(VmafStreamDevice *device, VmafStreamDispatch *dispatch);

/* sycl_stream.c */
int sycl_stream_create(VmafStreamDevice *device, void **stream);
int sycl_copy_stream_create(VmafStreamDevice *device, void **stream);
void sycl_stream_destroy(VmafStreamDevice *device, void *stream);
void sycl_stream_settle(VmafStreamDevice *device, void *stream);
int sycl_stream_wait(VmafStreamDevice *device, void *stream, void *event);
int sycl_sync_wait(VmafStreamDevice *device, void *stream, const VmafBackendSync *sync);
int sycl_sync_signal(VmafStreamDevice *device, void *stream, const VmafBackendSync *sync,
                     void *copied);
int sycl_copy(VmafStreamDevice *device, void *stream, const VmafStreamRows *rows);
int sycl_dispatch(VmafStreamDevice *device, void *stream, const VmafStreamDispatch *dispatch);
int sycl_barrier(VmafStreamDevice *device, void *stream);
/* The command list of a stream, and a barrier on it that signals and waits; either may be NULL. */
ze_command_list_handle_t sycl_list_of(void *stream);
int sycl_append_barrier(VmafStreamDevice *device, void *stream, ze_event_handle_t signal,
                        ze_event_handle_t wait);

/* sycl_event.c */
int sycl_event_create(VmafStreamDevice *device, enum VmafStreamEventKind kind, void **event);
void sycl_event_destroy(VmafStreamDevice *device, void *event);
int sycl_event_record(VmafStreamDevice *device, void *event, void *stream);
int sycl_event_query(VmafStreamDevice *device, void *event);
int sycl_event_times(VmafStreamDevice *device, void *const *events, uint64_t *times_ns,
                     uint32_t count);
ze_event_handle_t sycl_event_handle(void *event);
/* Frees what events came from. None is left. */
void sycl_events_close(SyclDevice *device);

#endif
