/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_METAL_FIXTURE_H
#define TESTS_EMULATION_METAL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "control.h"
#include "machine_fixture.h"

/* What the tests of the emulated Metal share: messages as a program sends them, and helpers. */

typedef struct objc_object *Id;
typedef struct objc_selector *Sel;
typedef unsigned long NSUInteger;
typedef long NSInteger;

typedef struct Size3 {
    NSUInteger width, height, depth;
} Size3;

Id objc_getClass(const char *name);
Sel sel_registerName(const char *name);
void *objc_autoreleasePoolPush(void);
void objc_autoreleasePoolPop(void *pool);
Id MTLCopyAllDevices(void);
Id MTLCreateSystemDefaultDevice(void);
void CFRelease(const void *reference);
/* One function with many prototypes: the compiler checks the calls. */
#define SEND __asm__("objc_msgSend")

#define MESSAGE_0(type, name, selector)                                                            \
    type send_##name(Id, Sel) SEND;                                                                \
    static inline type name(Id object)                                                             \
    {                                                                                              \
        return send_##name(object, sel_registerName(selector));                                    \
    }
#define MESSAGE_1(type, name, selector, A)                                                         \
    type send_##name(Id, Sel, A) SEND;                                                             \
    static inline type name(Id object, A a)                                                        \
    {                                                                                              \
        return send_##name(object, sel_registerName(selector), a);                                 \
    }
#define MESSAGE_2(type, name, selector, A, B)                                                      \
    type send_##name(Id, Sel, A, B) SEND;                                                          \
    static inline type name(Id object, A a, B b)                                                   \
    {                                                                                              \
        return send_##name(object, sel_registerName(selector), a, b);                              \
    }
#define MESSAGE_3(type, name, selector, A, B, C)                                                   \
    type send_##name(Id, Sel, A, B, C) SEND;                                                       \
    static inline type name(Id object, A a, B b, C c)                                              \
    {                                                                                              \
        return send_##name(object, sel_registerName(selector), a, b, c);                           \
    }
#define MESSAGE_4(type, name, selector, A, B, C, D)                                                \
    type send_##name(Id, Sel, A, B, C, D) SEND;                                                    \
    static inline type name(Id object, A a, B b, C c, D d)                                         \
    {                                                                                              \
        return send_##name(object, sel_registerName(selector), a, b, c, d);                        \
    }

MESSAGE_0(Id, alloc, "alloc")
MESSAGE_0(Id, init, "init")
MESSAGE_0(Id, new, "new")
MESSAGE_0(Id, retain, "retain")
MESSAGE_0(void, release, "release")
MESSAGE_0(Id, autorelease, "autorelease")
MESSAGE_0(Id, unknown, "thereIsNoSuchSelector")
MESSAGE_1(bool, responds_to, "respondsToSelector:", Sel)

MESSAGE_1(Id, string_with, "stringWithUTF8String:", const char *)
MESSAGE_0(const char *, utf8, "UTF8String")
MESSAGE_0(NSUInteger, count_of, "count")
MESSAGE_1(Id, object_at, "objectAtIndex:", NSUInteger)
MESSAGE_0(NSInteger, code_of, "code")
MESSAGE_0(Id, domain_of, "domain")
MESSAGE_0(Id, description_of, "localizedDescription")
MESSAGE_0(Id, process_info, "processInfo")
MESSAGE_0(Id, system_version, "operatingSystemVersionString")

MESSAGE_0(Id, name_of, "name")
MESSAGE_0(Id, device_of, "device")
MESSAGE_0(uint64_t, registry_id, "registryID")
MESSAGE_1(bool, supports_family, "supportsFamily:", NSInteger)
MESSAGE_0(uint64_t, working_set, "recommendedMaxWorkingSetSize")
MESSAGE_0(NSUInteger, max_buffer, "maxBufferLength")
MESSAGE_0(bool, has_unified_memory, "hasUnifiedMemory")
MESSAGE_0(bool, is_low_power, "isLowPower")
MESSAGE_0(bool, is_removable, "isRemovable")

MESSAGE_1(Id, new_queue_of, "newCommandQueueWithMaxCommandBufferCount:", NSUInteger)
MESSAGE_0(Id, new_event, "newSharedEvent")
MESSAGE_2(Id, new_buffer, "newBufferWithLength:options:", NSUInteger, NSUInteger)
MESSAGE_4(Id, new_buffer_around, "newBufferWithBytesNoCopy:length:options:deallocator:", void *,
          NSUInteger, NSUInteger, const void *)
MESSAGE_3(Id, new_library, "newLibraryWithSource:options:error:", Id, Id, Id *)
MESSAGE_2(Id, new_pipeline, "newComputePipelineStateWithFunction:error:", Id, Id *)
MESSAGE_3(Id, new_texture, "newTextureWithDescriptor:iosurface:plane:", Id, Id, NSUInteger)
MESSAGE_4(Id, texture_descriptor,
          "texture2DDescriptorWithPixelFormat:width:height:mipmapped:", NSUInteger, NSUInteger,
          NSUInteger, bool)

MESSAGE_1(void, set_fast_math, "setFastMathEnabled:", signed char)
MESSAGE_1(void, set_math_mode, "setMathMode:", NSInteger)
MESSAGE_1(void, set_version, "setLanguageVersion:", NSUInteger)
MESSAGE_1(Id, new_function, "newFunctionWithName:", Id)
MESSAGE_0(NSUInteger, max_threads, "maxTotalThreadsPerThreadgroup")

MESSAGE_0(void *, contents, "contents")
MESSAGE_0(NSUInteger, width_of, "width")
MESSAGE_0(NSUInteger, height_of, "height")
MESSAGE_0(NSUInteger, pixel_format, "pixelFormat")

MESSAGE_0(Id, command_buffer, "commandBuffer")
MESSAGE_1(Id, compute_encoder_of, "computeCommandEncoderWithDispatchType:", NSUInteger)
MESSAGE_0(Id, blit_encoder, "blitCommandEncoder")
MESSAGE_2(void, encode_signal, "encodeSignalEvent:value:", Id, uint64_t)
MESSAGE_2(void, encode_wait, "encodeWaitForEvent:value:", Id, uint64_t)
MESSAGE_0(void, commit, "commit")
MESSAGE_0(void, wait_until_completed, "waitUntilCompleted")
MESSAGE_0(NSUInteger, status_of, "status")
MESSAGE_0(Id, error_of, "error")
MESSAGE_0(double, start_time, "GPUStartTime")
MESSAGE_0(double, end_time, "GPUEndTime")

MESSAGE_0(void, end_encoding, "endEncoding")
MESSAGE_1(void, set_pipeline, "setComputePipelineState:", Id)
MESSAGE_3(void, set_buffer, "setBuffer:offset:atIndex:", Id, NSUInteger, NSUInteger)
MESSAGE_3(void, set_bytes, "setBytes:length:atIndex:", const void *, NSUInteger, NSUInteger)
MESSAGE_2(void, dispatch, "dispatchThreadgroups:threadsPerThreadgroup:", Size3, Size3)
MESSAGE_1(void, memory_barrier, "memoryBarrierWithScope:", NSUInteger)

MESSAGE_0(uint64_t, signaled_value, "signaledValue")
MESSAGE_1(void, set_signaled_value, "setSignaledValue:", uint64_t)

static inline Id new_queue(Id device)
{
    return new_queue_of(device, 64);
}

static inline Id compute_encoder(Id commands)
{
    return compute_encoder_of(commands, 0);
}

void send_copy_buffer(Id, Sel, Id, NSUInteger, Id, NSUInteger, NSUInteger) SEND;
static inline void copy_buffer(Id encoder, Id src, NSUInteger src_offset, Id dst,
                               NSUInteger dst_offset, NSUInteger size)
{
    send_copy_buffer(
        encoder, sel_registerName("copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:"),
        src, src_offset, dst, dst_offset, size);
}

void send_copy_texture(Id, Sel, Id, NSUInteger, NSUInteger, Size3, Size3, Id, NSUInteger,
                       NSUInteger, NSUInteger) SEND;
static inline void copy_texture(Id encoder, Id texture, Size3 origin, Size3 size, Id dst,
                                NSUInteger offset, NSUInteger stride)
{
    send_copy_texture(
        encoder,
        sel_registerName("copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:"
                         "destinationOffset:destinationBytesPerRow:destinationBytesPerImage:"),
        texture, 0, 0, origin, size, dst, offset, stride, stride * size.height);
}

enum {
    SHARED = 0,
    PRIVATE = 2 << 4,
    UNTRACKED = 1 << 8,
    SERIAL = 0,
    CONCURRENT = 1,
    COMMITTED = 2,
    SCHEDULED = 3,
    COMPLETED = 4,
    FAILED = 5,
};

/* -- machines; each test has one of its own, a pool, its default device and a queue on it -- */

extern Id fixture_device, fixture_queue;

void fixture_start(const char *machine, const char *order);
int fixture_set_up(void **state); /* the default machine, late */
/* Releases these; fails if anything else is left. */
int fixture_tear_down(void **state);

/* -- kernels of the tests of kernels; all as text of this fixture -- */

/* Releases what it makes on the way. */
Id fixture_pipeline(const char *kernel);
Id fixture_options(void);
extern const char fixture_text[];
Id fixture_string(const char *text);

/* A buffer of 32-bit words, which are first, first + 1 and so on. */
Id fixture_words(NSUInteger count, uint32_t first);
uint32_t *words_of(Id buffer);

/* "reads_outside": dst[i] = src[i + distance] for the first 8 * groups words. */
void encode_shift(Id encoder, Id src, Id dst, int32_t distance, NSUInteger groups);
/* The same in an encoder of its own. */
void commit_shift(Id commands, Id src, Id dst, int32_t distance, NSUInteger groups);
extern Id fixture_shift;

#endif
