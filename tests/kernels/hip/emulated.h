/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_HIP_EMULATED_H
#define TESTS_KERNELS_HIP_EMULATED_H

#include "fixture.h"
#include "hip_runtime.h"

/*
 * The emulated runtime as its application sees it, and the HIP layer on it, which has loaded it.
 */
typedef struct Emulated {
    int (*configure)(const char *machine, const char *order);
    uint64_t (*count)(const char *what);
    int (*write_topology)(const char *folder);
    HipResult (*init)(unsigned flags);
    HipResult (*get_device)(int *device);
    HipResult (*set_device)(int device);
    HipResult (*peek_error)(void);
    HipResult (*create_context)(HipContext *context, unsigned flags, int device);
    HipResult (*destroy_context)(HipContext context);
    HipResult (*allocate)(void **address, size_t bytes);
    HipResult (*free)(void *address);
    HipResult (*fill)(void *address, int value, size_t count, HipStream stream);
    HipResult (*fetch)(void *to, const void *from, size_t bytes, int kind);
    HipResult (*create_stream)(HipStream *stream);
    HipResult (*destroy_stream)(HipStream stream);
    HipResult (*create_event)(HipEvent *event, unsigned flags);
    HipResult (*destroy_event)(HipEvent event);
    HipResult (*record)(HipEvent event, HipStream stream);
    HipResult (*synchronize_event)(HipEvent event);
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
