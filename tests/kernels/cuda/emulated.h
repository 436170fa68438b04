/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_CUDA_EMULATED_H
#define TESTS_KERNELS_CUDA_EMULATED_H

#include "cuda_api.h"
#include "fixture.h"

/*
 * The emulated driver as its application sees it, and the CUDA layer on it. The layer is in a
 * module and this program is not linked with the driver, so its functions are found by name.
 */
typedef struct Emulated {
    int (*configure)(const char *machine, const char *order);
    uint64_t (*count)(const char *what);
    CUresult (*init)(unsigned flags);
    CUresult (*create_context)(CUcontext *context, unsigned flags, CUdevice device);
    CUresult (*destroy_context)(CUcontext context);
    CUresult (*get_current)(CUcontext *context);
    CUresult (*push)(CUcontext context);
    CUresult (*pop)(CUcontext *context);
    CUresult (*retain_primary)(CUcontext *context, CUdevice device);
    CUresult (*release_primary)(CUdevice device);
    CUresult (*allocate)(CUdeviceptr *address, size_t bytes);
    CUresult (*free)(CUdeviceptr address);
    CUresult (*fill)(CUdeviceptr address, unsigned char value, size_t count, void *stream);
    CUresult (*fetch)(void *to, CUdeviceptr from, size_t bytes);
    CUresult (*create_stream)(void **stream, unsigned flags);
    CUresult (*destroy_stream)(void *stream);
    CUresult (*create_event)(void **event, unsigned flags);
    CUresult (*destroy_event)(void *event);
    CUresult (*record)(void *event, void *stream);
    CUresult (*synchronize_event)(void *event);
    const VmafDeviceLayer *layer;
    bool has_graphs;
} Emulated;

/* Loads both; exits with 77 (skipped) where there is no driver, and if it is not the emulated one,
 * since these tests break what they use. */
const Emulated *emulated_load(void);

#endif
