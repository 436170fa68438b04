/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

Id fixture_device, fixture_queue, fixture_shift;
static void *pool;

const char fixture_text[] =
    "#include <metal_stdlib>\n"
    "using namespace metal;\n"
    "typedef int i32;\n"
    "typedef uint u32;\n"
    "struct broken_args { i32 distance; };\n"
    "struct histogram_args { i32 n; };\n"
    "[[max_total_threads_per_threadgroup((8 * 1))]] kernel void reads_outside(\n"
    "  device const u32 *src [[buffer(0)]], device u32 *dst [[buffer(1)]],\n"
    "  constant broken_args &p [[buffer(2)]], uint3 lane [[thread_position_in_threadgroup]],\n"
    "  uint3 group [[threadgroup_position_in_grid]]) {\n"
    "  uint i = group.x * 8 + lane.x;\n"
    "  dst[i] = src[i + p.distance]; // any distance but 0 is beyond its own\n"
    "}\n"
    "[[max_total_threads_per_threadgroup((8 * 1))]] kernel void races(\n"
    "  device const u32 *src [[buffer(0)]], device u32 *dst [[buffer(1)]],\n"
    "  constant broken_args &p [[buffer(2)]], uint3 lane [[thread_position_in_threadgroup]]) {\n"
    "  threadgroup u32 tile[8];\n"
    "  tile[lane.x] = src[lane.x];\n"
    "  dst[lane.x] = tile[(lane.x + p.distance) % 8];\n"
    "}\n"
    "[[max_total_threads_per_threadgroup((64 * 1))]] kernel void histogram(\n"
    "  device const uchar *values [[buffer(0)]], device u32 *counts [[buffer(1)]],\n"
    "  constant histogram_args &p [[buffer(2)]], uint3 lane [[thread_position_in_threadgroup]]) {\n"
    "}\n";

/* -- machines -- */

void fixture_start(const char *machine, const char *order)
{
    assert_int_equal(emulated_metal_configure(machine, order), 0);
    pool = objc_autoreleasePoolPush();
    fixture_device = MTLCreateSystemDefaultDevice();
    fixture_queue = fixture_device ? new_queue(fixture_device) : NULL;
    fixture_shift = NULL;
}

int fixture_tear_down(void **state)
{
    metal_release(fixture_shift);
    metal_release(fixture_queue);
    metal_release(fixture_device);
    objc_autoreleasePoolPop(pool);
    const uint64_t left = emulated_metal_count("objects");
    if (left > 0)
        print_error("%d objects are left\n", (int)left);
    emulated_metal_configure(NULL, "late");
    return left > 0;
}

/* -- kernels -- */

Id fixture_string(const char *text)
{
    return metal_string(objc_getClass("NSString"), text);
}

Id fixture_options(void)
{
    const Id options =
        metal_autorelease(metal_init(metal_alloc(objc_getClass("MTLCompileOptions"))));
    metal_set_fast_math(options, 0);
    return options;
}

Id fixture_pipeline(const char *kernel)
{
    const Id library =
        metal_new_library(fixture_device, fixture_string(fixture_text), fixture_options(), NULL);
    assert_non_null(library);
    const Id function = metal_new_function(library, fixture_string(kernel));
    assert_non_null(function);
    const Id pipeline = metal_new_pipeline(fixture_device, function, NULL);
    assert_non_null(pipeline);
    metal_release(function);
    metal_release(library);
    return pipeline;
}

Id fixture_words(NSUInteger count, uint32_t first)
{
    const Id buffer = metal_new_buffer(fixture_device, 4 * count, SHARED);
    assert_non_null(buffer);
    for (NSUInteger i = 0; i < count; i++)
        words_of(buffer)[i] = first + (uint32_t)i;
    return buffer;
}

uint32_t *words_of(Id buffer)
{
    return metal_contents(buffer);
}

void encode_shift(Id encoder, Id src, Id dst, int32_t distance, NSUInteger groups)
{
    if (!fixture_shift)
        fixture_shift = fixture_pipeline("reads_outside");
    metal_set_pipeline(encoder, fixture_shift);
    metal_set_buffer(encoder, src, 0, 0);
    metal_set_buffer(encoder, dst, 0, 1);
    metal_set_bytes(encoder, &distance, sizeof(distance), 2);
    metal_dispatch(encoder, (Size3){groups, 1, 1}, (Size3){8, 1, 1});
}

void commit_shift(Id commands, Id src, Id dst, int32_t distance, NSUInteger groups)
{
    const Id encoder = compute_encoder(commands);
    encode_shift(encoder, src, dst, distance, groups);
    metal_end_encoding(encoder);
}
