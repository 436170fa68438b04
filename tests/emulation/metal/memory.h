/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_METAL_MEMORY_H
#define TESTS_EMULATION_METAL_MEMORY_H

#include "device.h"
#include "guarded_memory.h"

/* Buffers, surfaces of the system (IOSurface) and textures, which are planes of surfaces. */

enum { MAX_PLANES = 3 };

typedef struct Block Block;

typedef struct Buffer {
    Object head;
    Device *device;
    NSUInteger length;
    NSUInteger options;
    uint64_t address; /* of guarded memory; 0: it is the program's */
    unsigned char *bytes;
    const Block *deallocator;
} Buffer;

typedef struct SurfacePlane {
    size_t width, height, element_size, stride, offset;
} SurfacePlane;

typedef struct Surface {
    Object head;
    uint32_t format;
    unsigned n_planes; /* 0: there is one, but the surface is not planar */
    SurfacePlane planes[MAX_PLANES];
    size_t size;
    uint64_t address;          /* of guarded memory, which only who has locked it can access */
    unsigned readers, writers; /* locks */
} Surface;

typedef struct Texture {
    Object head;
    Device *device;
    Surface *surface;
    const SurfacePlane *plane;
    NSUInteger format, width, height;
} Texture;

typedef struct TextureDescriptor {
    Object head;
    NSUInteger format, width, height;
} TextureDescriptor;

extern const Class buffer_class, surface_class, texture_class, texture_descriptor_class;

enum {
    STORAGE_SHARED = 0,
    STORAGE_MANAGED = 1,
    STORAGE_PRIVATE = 2,
    HAZARDS_UNTRACKED = 1,
};

static inline unsigned buffer_storage(const Buffer *buffer)
{
    return (unsigned)(buffer->options >> 4) & 15;
}

static inline bool buffer_is_tracked(const Buffer *buffer)
{
    return (buffer->options >> 8 & 3) != HAZARDS_UNTRACKED;
}

Object *buffer_create(Device *device, NSUInteger length, NSUInteger options);
Object *buffer_create_around(Device *device, void *bytes, NSUInteger length, NSUInteger options,
                             const Block *deallocator);
Object *texture_create(Device *device, const Object *descriptor, Object *surface, NSUInteger plane);
/* Bytes of a sample of a format; 0: it is not known. */
size_t texture_element_size(NSUInteger format);

/* Lets the emulator itself read the surface, which begins there. */
unsigned char *surface_open(const Surface *surface);
void surface_close(const Surface *surface);

#endif
