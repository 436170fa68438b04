/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_METAL_API_H
#define VMAF_METAL_API_H

/*
 * So much of Metal, Foundation and IOSurface as this backend uses, in C. A message is a call of
 * objc_msgSend through a prototype of the types that its method has, so that the compiler checks
 * what is sent. No method here returns a structure or has a variable number of arguments.
 *
 * Who owns what: messages whose selectors begin with alloc, new or retain, and MTLCopyAllDevices
 * and MTLCreateSystemDefaultDevice, return objects that the caller has to release; all others
 * return objects that last to the end of the autorelease pool.
 *
 * Selectors and types marked (a) are used so by Qt, FFmpeg or SDL; the others, and the values of
 * constants, are known from Apple's documentation only.
 */

#include <stddef.h>
#include <stdint.h>

typedef struct objc_object *MetalObject;
typedef struct objc_selector *MetalSelector;
typedef unsigned long MetalUInteger; /* NSUInteger */
typedef long MetalInteger;           /* NSInteger */
typedef signed char MetalBool;       /* BOOL is this or bool: only 0 and 1 are passed */

/* MTLSize and MTLOrigin (a) */
typedef struct MetalSize {
    MetalUInteger width, height, depth;
} MetalSize;

typedef struct MetalOrigin {
    MetalUInteger x, y, z;
} MetalOrigin;

enum {
    METAL_STORAGE_SHARED = 0, /* MTLResourceOptions */
    METAL_STORAGE_PRIVATE = 2 << 4,
    METAL_LANGUAGE_2_3 = (2 << 16) + 3, /* MTLLanguageVersion */
    METAL_MATH_MODE_SAFE = 0,           /* MTLMathMode */
    METAL_FAMILY_APPLE7 = 1007,         /* MTLGPUFamily */
    METAL_DISPATCH_CONCURRENT = 1,      /* MTLDispatchType */
    METAL_BARRIER_BUFFERS = 1,          /* MTLBarrierScope */
    METAL_TEXTURE_2D = 2,               /* MTLTextureType */
};

/* MTLPixelFormat */
enum {
    METAL_R8_UNORM = 10,
    METAL_R8_UINT = 13,
    METAL_R16_UNORM = 20,
    METAL_R16_UINT = 23,
    METAL_RG8_UNORM = 30,
    METAL_RG8_UINT = 33,
    METAL_RG16_UNORM = 60,
    METAL_RG16_UINT = 63,
};

/* MTLCommandBufferStatus */
enum {
    METAL_STATUS_COMPLETED = 4,
    METAL_STATUS_ERROR = 5,
};

/* Codes of MTLCommandBufferErrorDomain */
enum {
    METAL_ERROR_TIMEOUT = 2,
    METAL_ERROR_PAGE_FAULT = 3,
    METAL_ERROR_ACCESS_REVOKED = 4,
    METAL_ERROR_NOT_PERMITTED = 7,
    METAL_ERROR_OUT_OF_MEMORY = 8,
    METAL_ERROR_DEVICE_REMOVED = 11,
};

/* Functions: X(result, name, (parameters), what it returns without the system's libraries) */
#define METAL_FUNCTIONS(X)                                                                         \
    X(MetalObject, objc_getClass, (const char *name), 0)                                           \
    X(MetalSelector, sel_registerName, (const char *name), 0)                                      \
    X(void *, objc_autoreleasePoolPush, (void), 0)                                                 \
    X(MetalObject, MTLCopyAllDevices, (void), 0)            /* NSArray */                          \
    X(MetalObject, MTLCreateSystemDefaultDevice, (void), 0) /* (a) */                              \
    X(size_t, IOSurfaceGetPlaneCount, (MetalObject surface), 0)                                    \
    X(size_t, IOSurfaceGetWidthOfPlane, (MetalObject surface, size_t plane), 0)                    \
    X(size_t, IOSurfaceGetHeightOfPlane, (MetalObject surface, size_t plane), 0)                   \
    X(size_t, IOSurfaceGetBytesPerElementOfPlane, (MetalObject surface, size_t plane), 0)

#define METAL_DECLARE(result, name, parameters, nothing) extern result name parameters;
METAL_FUNCTIONS(METAL_DECLARE)
#undef METAL_DECLARE
extern void objc_autoreleasePoolPop(void *pool);

#if defined(__APPLE__)
#define METAL_SEND __asm__("_objc_msgSend")
#else
#define METAL_SEND __asm__("objc_msgSend")
#endif

/* metal_<name>(object, arguments...) sends a message: ASK those that return something, TELL those
 * that do not. The number is that of their arguments. */
#define ASK_0(result, name, selector)                                                              \
    extern result metal_send_##name(MetalObject, MetalSelector) METAL_SEND;                        \
    static inline result metal_##name(MetalObject object)                                          \
    {                                                                                              \
        return metal_send_##name(object, sel_registerName(selector));                              \
    }
#define ASK_1(result, name, selector, A)                                                           \
    extern result metal_send_##name(MetalObject, MetalSelector, A) METAL_SEND;                     \
    static inline result metal_##name(MetalObject object, A a)                                     \
    {                                                                                              \
        return metal_send_##name(object, sel_registerName(selector), a);                           \
    }
#define ASK_2(result, name, selector, A, B)                                                        \
    extern result metal_send_##name(MetalObject, MetalSelector, A, B) METAL_SEND;                  \
    static inline result metal_##name(MetalObject object, A a, B b)                                \
    {                                                                                              \
        return metal_send_##name(object, sel_registerName(selector), a, b);                        \
    }
#define ASK_3(result, name, selector, A, B, C)                                                     \
    extern result metal_send_##name(MetalObject, MetalSelector, A, B, C) METAL_SEND;               \
    static inline result metal_##name(MetalObject object, A a, B b, C c)                           \
    {                                                                                              \
        return metal_send_##name(object, sel_registerName(selector), a, b, c);                     \
    }
#define ASK_4(result, name, selector, A, B, C, D)                                                  \
    extern result metal_send_##name(MetalObject, MetalSelector, A, B, C, D) METAL_SEND;            \
    static inline result metal_##name(MetalObject object, A a, B b, C c, D d)                      \
    {                                                                                              \
        return metal_send_##name(object, sel_registerName(selector), a, b, c, d);                  \
    }
#define SEND_0(name, selector)                                                                     \
    extern void metal_send_##name(MetalObject, MetalSelector) METAL_SEND;                          \
    static inline void metal_##name(MetalObject object)                                            \
    {                                                                                              \
        metal_send_##name(object, sel_registerName(selector));                                     \
    }
#define SEND_1(name, selector, A)                                                                  \
    extern void metal_send_##name(MetalObject, MetalSelector, A) METAL_SEND;                       \
    static inline void metal_##name(MetalObject object, A a)                                       \
    {                                                                                              \
        metal_send_##name(object, sel_registerName(selector), a);                                  \
    }
#define SEND_2(name, selector, A, B)                                                               \
    extern void metal_send_##name(MetalObject, MetalSelector, A, B) METAL_SEND;                    \
    static inline void metal_##name(MetalObject object, A a, B b)                                  \
    {                                                                                              \
        metal_send_##name(object, sel_registerName(selector), a, b);                               \
    }
#define SEND_3(name, selector, A, B, C)                                                            \
    extern void metal_send_##name(MetalObject, MetalSelector, A, B, C) METAL_SEND;                 \
    static inline void metal_##name(MetalObject object, A a, B b, C c)                             \
    {                                                                                              \
        metal_send_##name(object, sel_registerName(selector), a, b, c);                            \
    }

/* NSObject and classes. */
ASK_0(MetalObject, alloc, "alloc")
ASK_0(MetalObject, init, "init")
ASK_0(MetalObject, retain, "retain")
SEND_0(release, "release")
ASK_1(MetalBool, responds_to, "respondsToSelector:", MetalSelector)

/* NSString (a), NSArray, NSError (a), NSProcessInfo */
ASK_1(MetalObject, string, "stringWithUTF8String:", const char *)
ASK_0(const char *, utf8, "UTF8String")
ASK_0(MetalUInteger, count, "count")
ASK_1(MetalObject, object_at, "objectAtIndex:", MetalUInteger)
ASK_0(MetalObject, description, "localizedDescription")
ASK_0(MetalInteger, code, "code")
ASK_0(MetalObject, process_info, "processInfo")
ASK_0(MetalObject, system_version, "operatingSystemVersionString")

/* MTLDevice: what it is. */
ASK_0(MetalObject, name, "name")                                   /* (a) NSString */
ASK_0(uint64_t, registry_id, "registryID")                         /* (a) */
ASK_1(MetalBool, supports_family, "supportsFamily:", MetalInteger) /* (a) */
ASK_0(uint64_t, working_set, "recommendedMaxWorkingSetSize")
ASK_0(MetalUInteger, max_buffer_length, "maxBufferLength")
ASK_0(MetalUInteger, max_threadgroup_memory, "maxThreadgroupMemoryLength")
ASK_0(MetalBool, has_unified_memory, "hasUnifiedMemory")
ASK_0(MetalBool, is_low_power, "isLowPower")
ASK_0(MetalBool, is_removable, "isRemovable")

/* MTLDevice: what it makes. Objects that could not be made are NULL. */
ASK_1(MetalObject, new_queue, "newCommandQueueWithMaxCommandBufferCount:", MetalUInteger)
ASK_0(MetalObject, new_shared_event, "newSharedEvent")
ASK_2(MetalObject, new_buffer, "newBufferWithLength:options:", MetalUInteger,
      MetalUInteger) /* (a) */
ASK_4(MetalObject, new_buffer_around,
      "newBufferWithBytesNoCopy:length:options:deallocator:", void *, MetalUInteger, MetalUInteger,
      void *)
ASK_3(MetalObject, new_library, "newLibraryWithSource:options:error:", MetalObject, MetalObject,
      MetalObject *) /* (a) */
ASK_2(MetalObject, new_pipeline, "newComputePipelineStateWithFunction:error:", MetalObject,
      MetalObject *) /* (a) */
ASK_3(MetalObject, new_texture_of, "newTextureWithDescriptor:iosurface:plane:", MetalObject,
      MetalObject, MetalUInteger)

/* MTLCompileOptions; setMathMode: since macOS 15. */
SEND_1(set_fast_math, "setFastMathEnabled:", MetalBool)
SEND_1(set_math_mode, "setMathMode:", MetalInteger)
SEND_1(set_language_version, "setLanguageVersion:", MetalUInteger)

/* MTLLibrary (a), MTLComputePipelineState */
ASK_1(MetalObject, new_function, "newFunctionWithName:", MetalObject)
ASK_0(MetalUInteger, max_threads, "maxTotalThreadsPerThreadgroup")

/* MTLBuffer (a) */
ASK_0(void *, contents, "contents")

/* MTLTexture (a), also of MTLCommandQueue: device. MTLTextureDescriptor (a): the class is asked. */
ASK_0(MetalObject, device_of, "device")
ASK_0(MetalUInteger, width, "width")
ASK_0(MetalUInteger, height, "height")
ASK_0(MetalUInteger, pixel_format, "pixelFormat")
ASK_0(MetalUInteger, texture_type, "textureType")
ASK_4(MetalObject, texture_descriptor,
      "texture2DDescriptorWithPixelFormat:width:height:mipmapped:", MetalUInteger, MetalUInteger,
      MetalUInteger, MetalBool)

/* MTLCommandQueue and MTLCommandBuffer (a); times in seconds */
ASK_0(MetalObject, command_buffer, "commandBuffer")
ASK_1(MetalObject, compute_encoder, "computeCommandEncoderWithDispatchType:", MetalUInteger)
ASK_0(MetalObject, blit_encoder, "blitCommandEncoder")
SEND_2(encode_signal, "encodeSignalEvent:value:", MetalObject, uint64_t)
SEND_2(encode_wait, "encodeWaitForEvent:value:", MetalObject, uint64_t)
SEND_0(commit, "commit")
ASK_0(MetalUInteger, status, "status")
ASK_0(MetalObject, error, "error")
ASK_0(double, start_time, "GPUStartTime")
ASK_0(double, end_time, "GPUEndTime")

/* MTLComputeCommandEncoder (a) and MTLBlitCommandEncoder (a) */
SEND_0(end_encoding, "endEncoding")
SEND_1(set_pipeline, "setComputePipelineState:", MetalObject)
SEND_3(set_buffer, "setBuffer:offset:atIndex:", MetalObject, MetalUInteger, MetalUInteger)
SEND_3(set_bytes, "setBytes:length:atIndex:", const void *, MetalUInteger, MetalUInteger)
SEND_2(dispatch, "dispatchThreadgroups:threadsPerThreadgroup:", MetalSize, MetalSize)
SEND_1(memory_barrier, "memoryBarrierWithScope:", MetalUInteger)

extern void metal_send_copy(MetalObject, MetalSelector, MetalObject, MetalUInteger, MetalObject,
                            MetalUInteger, MetalUInteger) METAL_SEND;
static inline void metal_copy(MetalObject encoder, MetalObject src, MetalUInteger src_offset,
                              MetalObject dst, MetalUInteger dst_offset, MetalUInteger size)
{
    metal_send_copy(
        encoder, sel_registerName("copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:"),
        src, src_offset, dst, dst_offset, size);
}

/* The first slice and level, from `origin` on. */
extern void metal_send_copy_texture(MetalObject, MetalSelector, MetalObject, MetalUInteger,
                                    MetalUInteger, MetalOrigin, MetalSize, MetalObject,
                                    MetalUInteger, MetalUInteger, MetalUInteger) METAL_SEND;
static inline void metal_copy_texture(MetalObject encoder, MetalObject texture, MetalSize size,
                                      MetalObject dst, MetalUInteger offset, MetalUInteger stride)
{
    metal_send_copy_texture(
        encoder,
        sel_registerName("copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:"
                         "destinationOffset:destinationBytesPerRow:destinationBytesPerImage:"),
        texture, 0, 0, (MetalOrigin){0, 0, 0}, size, dst, offset, stride, stride * size.height);
}

/* MTLSharedEvent */
ASK_0(uint64_t, signaled_value, "signaledValue")
SEND_1(set_signaled_value, "setSignaledValue:", uint64_t)

#endif
