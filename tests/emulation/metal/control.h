/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_METAL_CONTROL_H
#define TESTS_EMULATION_METAL_CONTROL_H

#include <stddef.h>
#include <stdint.h>

/*
 * What only the emulator exports, for tests that live in the same process: find them with dlsym.
 */

/*
 * Makes it another machine, as a file with this text would (NULL: the default), and the order of
 * work that of VMAF_EMULATED_METAL_ORDER (NULL: as it is). All objects are gone; counters begin at
 * 0. 0; -1 and a text on the standard error.
 */
__attribute__((visibility("default"))) int emulated_metal_configure(const char *machine,
                                                                    const char *order);

/*
 * How often a message was sent, or a function called, since then; or of all: "call", "launch"
 * (dispatches), "submission" (commit), "run" (passes and events of queues that have run),
 * "allocation"; "objects" (those that the program still has references of, without classes), or the
 * name of a class: how many objects of it there are; "memory" (bytes of buffers that exist).
 */
__attribute__((visibility("default"))) uint64_t emulated_metal_count(const char *what);

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
