/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_CUDA_INTERNAL_H
#define VMAF_CUDA_INTERNAL_H

#include "cuda_driver.h"
#include "cuda_layer.h"
#include "streams/driver_calls.h"

/* What streams/stream_layer.h wants of an API, on CUDA's driver interface. */

typedef struct CudaDevice {
    VmafStreamDevice base;
    CudaDeviceHandle handle;
    CudaContext context;
    int capability; /* compute capability, major * 10 + minor */
    uint64_t max_pitch;
} CudaDevice;

typedef struct CudaCommandList {
    VmafStreamCommandList base;
    CudaGraphExec graph;
} CudaCommandList;

extern const VmafDriverCalls cuda_calls; /* cuda_device.c */

/* cuda_error.c */
int cuda_error_of(CudaResult result); /* as a negative errno */
/* "CUDA_ERROR_NAME (text)", or the number. */
void cuda_describe_result(CudaResult result, char *text, size_t size);
/* 0, or the error as a negative errno, and stores what went wrong. */
int cuda_done(VmafStreamDevice *device, CudaResult result, const char *what);

/* cuda_physical.c: the devices of the system */
int cuda_start(char *reason, size_t reason_size);
uint32_t cuda_count(void);
bool cuda_describe(uint32_t index, VmafStreamCandidate *candidate);
void cuda_describe_device(CudaDeviceHandle handle, VmafDeviceInfo *info);
/* 0 for attributes that the driver does not know. */
int cuda_attribute(CudaDeviceHandle handle, int which);

/* cuda_image.c */
int cuda_image_import(VmafStreamDevice *device, VmafStreamImage *image,
                      const VmafBackendImport *picture);

/* cuda_kernel.c */
int cuda_kernel_load(VmafStreamDevice *device, VmafStreamKernel *kernel, const VmafKernel *source);

/* cuda_copy.c */
int cuda_copy(VmafStreamDevice *device, void *stream, const VmafStreamRows *rows);

/* cuda_graph.c: command lists as graphs, if the driver knows graphs and all that the list holds. */
bool cuda_has_graphs(void);
int cuda_list_prepare(VmafStreamDevice *device, VmafStreamCommandList *list);
int cuda_list_run(VmafStreamDevice *device, VmafStreamCommandList *list, void *stream);
void cuda_list_release(VmafStreamDevice *device, VmafStreamCommandList *list);

#endif
