/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_CUDA_EMULATED_H
#define TESTS_KERNELS_CUDA_EMULATED_H

#include "cuda_driver.h"
#include "fixture.h"

/*
 * The emulated driver as its application sees it, and the CUDA layer on it. The layer is in a
 * module and this program is not linked with the driver, so its functions are found by name.
 */
typedef struct Emulated {
    int (*configure)(const char *machine, const char *order);
    uint64_t (*count)(const char *what);
    CudaResult (*init)(unsigned flags);
    CudaResult (*create_context)(CudaContext *context, unsigned flags, CudaDeviceHandle device);
    CudaResult (*destroy_context)(CudaContext context);
    CudaResult (*get_current)(CudaContext *context);
    CudaResult (*push)(CudaContext context);
    CudaResult (*pop)(CudaContext *context);
    CudaResult (*retain_primary)(CudaContext *context, CudaDeviceHandle device);
    CudaResult (*release_primary)(CudaDeviceHandle device);
    CudaResult (*allocate)(CudaAddress *address, size_t bytes);
    CudaResult (*free)(CudaAddress address);
    CudaResult (*fill)(CudaAddress address, unsigned char value, size_t count, CudaStream stream);
    CudaResult (*fetch)(void *to, CudaAddress from, size_t bytes);
    CudaResult (*create_stream)(CudaStream *stream, unsigned flags);
    CudaResult (*destroy_stream)(CudaStream stream);
    CudaResult (*create_event)(CudaEvent *event, unsigned flags);
    CudaResult (*destroy_event)(CudaEvent event);
    CudaResult (*record)(CudaEvent event, CudaStream stream);
    CudaResult (*synchronize_event)(CudaEvent event);
    const VmafDeviceLayer *layer;
    bool has_graphs;
} Emulated;

/* Loads both; exits with 77 (skipped) where there is no driver, and if it is not the emulated one,
 * since these tests break what they use. */
const Emulated *emulated_load(void);

#endif
