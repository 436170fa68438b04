/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_METAL_CONTROL_H
#define TESTS_EMULATION_METAL_CONTROL_H

#include <stddef.h>

#include "machine.h"

/* Counted, too: "objects" (those that the program still has references of, without classes), or the
 * name of a class: how many objects of it there are; "memory" is bytes of buffers that exist. */
MACHINE_CONTROL(metal)

/* An IOSurface, to be released with CFRelease. Its memory is poisoned. */
typedef struct EmulatedMetalSurface {
    uint32_t pixel_format; /* four characters */
    unsigned n_planes;     /* at most 3; 0: it is not planar, planes[0] describes it */
    struct {
        size_t width, height; /* in elements */
        size_t element_size;  /* bytes */
    } planes[3];
} EmulatedMetalSurface;

__attribute__((visibility("default"))) void *
emulated_metal_create_surface(const EmulatedMetalSurface *description);

#endif
