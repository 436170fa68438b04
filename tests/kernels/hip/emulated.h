/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_HIP_EMULATED_H
#define TESTS_KERNELS_HIP_EMULATED_H

#include "fixture.h"
#include "hip_api.h"

/*
 * The emulated runtime as its application sees it, and the HIP layer on it, which has loaded it.
 */
typedef struct Emulated {
    int (*configure)(const char *machine, const char *order);
    uint64_t (*count)(const char *what);
    int (*write_topology)(const char *folder);
    hipError_t (*init)(unsigned flags);
    hipError_t (*get_device)(int *device);
    hipError_t (*set_device)(int device);
    hipError_t (*peek_error)(void);
    hipError_t (*create_context)(hipCtx_t *context, unsigned flags, int device);
    hipError_t (*destroy_context)(hipCtx_t context);
    hipError_t (*allocate)(void **address, size_t bytes);
    hipError_t (*free)(void *address);
    hipError_t (*fill)(void *address, int value, size_t count, void *stream);
    hipError_t (*fetch)(void *to, const void *from, size_t bytes, int kind);
    hipError_t (*create_stream)(void **stream);
    hipError_t (*destroy_stream)(void *stream);
    hipError_t (*create_event)(void **event, unsigned flags);
    hipError_t (*destroy_event)(void *event);
    hipError_t (*record)(void *event, void *stream);
    hipError_t (*synchronize_event)(void *event);
    const VmafDeviceLayer *layer;
    char topology[64]; /* the layer's folder of it, which is empty at first */
} Emulated;

/* Loads both; exits with 77 (skipped) where there is no runtime, and if it is not the emulated one,
 * since these tests break what they use. */
const Emulated *emulated_load(void);
/* Makes it another machine, of which the kernel's topology tells nothing, or all. */
void emulated_use(const char *machine, bool has_topology);
/* Changes what the topology says of chips of one version ("100300"). */
void emulated_say_version(const char *version, const char *other);
/* Removes what emulated_load has made. */
void emulated_unload(void);

#endif
