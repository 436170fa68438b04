/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_METAL_EXPORTED_H
#define TESTS_EMULATION_METAL_EXPORTED_H

#include "object.h"

/* What programs call, but for objc_msgSend, which is not written in C. */
#pragma GCC visibility push(default)

Selector *sel_registerName(const char *name);
Object *objc_getClass(const char *name);
void *objc_autoreleasePoolPush(void);
void objc_autoreleasePoolPop(void *pool);
void CFRelease(const void *reference);

Object *MTLCopyAllDevices(void);
Object *MTLCreateSystemDefaultDevice(void);

size_t IOSurfaceGetPlaneCount(const void *reference);
uint32_t IOSurfaceGetPixelFormat(const void *reference);
size_t IOSurfaceGetWidthOfPlane(const void *reference, size_t plane);
size_t IOSurfaceGetHeightOfPlane(const void *reference, size_t plane);
size_t IOSurfaceGetBytesPerElementOfPlane(const void *reference, size_t plane);
size_t IOSurfaceGetBytesPerRowOfPlane(const void *reference, size_t plane);
void *IOSurfaceGetBaseAddressOfPlane(const void *reference, size_t plane);
int IOSurfaceLock(const void *reference, uint32_t options, uint32_t *seed);
int IOSurfaceUnlock(const void *reference, uint32_t options, uint32_t *seed);

#pragma GCC visibility pop

#endif
