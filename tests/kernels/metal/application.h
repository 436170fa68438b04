/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_METAL_APPLICATION_H
#define TESTS_KERNELS_METAL_APPLICATION_H

#include "emulation/metal/control.h"
#include "metal_api.h"
#include "trip.h"

/*
 * The emulated Metal as its application sees it, and the Metal layer on it. Programs with this are
 * linked with the emulated one, since they break what they use.
 */

/* A Mac, with no objects, and a pool for what the test does there. */
void metal_use_machine(const char *machine, const char *order);
/* Ends the pool; nothing is left but so many objects. */
void metal_end(uint64_t objects);

/* Of a surface, all bytes of a plane. */
void metal_fill_plane(MetalObject surface, size_t plane, unsigned char seed);
/* The byte that metal_fill_plane has put there. */
unsigned char metal_byte(unsigned char seed, size_t x, size_t y);

/* Two planes of Y and of Cb and Cr in turn; 8 or 16 bits. */
MetalObject metal_new_surface(size_t width, size_t height, size_t bytes_per_sample);

/* IOSurface functions that only applications use. */
extern int IOSurfaceLock(MetalObject surface, uint32_t options, uint32_t *seed);
extern int IOSurfaceUnlock(MetalObject surface, uint32_t options, uint32_t *seed);
extern void *IOSurfaceGetBaseAddressOfPlane(MetalObject surface, size_t plane);
extern size_t IOSurfaceGetBytesPerRowOfPlane(MetalObject surface, size_t plane);
extern void CFRelease(MetalObject object);

#endif
