/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "application.h"
#include "support/cases.h"

#include <string.h>

static void *pool;

void metal_use_machine(const char *machine, const char *order)
{
    assert_int_equal(emulated_metal_configure(machine, order), 0);
    pool = objc_autoreleasePoolPush();
}

void metal_end(uint64_t objects)
{
    objc_autoreleasePoolPop(pool);
    assert_int_equal(emulated_metal_count("objects"), objects);
}

unsigned char metal_byte(unsigned char seed, size_t x, size_t y)
{
    return (unsigned char)(seed + 7 * x + 31 * y);
}

void metal_fill_plane(MetalObject surface, size_t plane, unsigned char seed)
{
    const size_t row = IOSurfaceGetWidthOfPlane(surface, plane) *
                       IOSurfaceGetBytesPerElementOfPlane(surface, plane);
    assert_int_equal(IOSurfaceLock(surface, 0, NULL), 0);
    unsigned char *bytes = IOSurfaceGetBaseAddressOfPlane(surface, plane);
    for (size_t y = 0; y < IOSurfaceGetHeightOfPlane(surface, plane); y++) {
        for (size_t x = 0; x < row; x++)
            bytes[x] = metal_byte(seed, x, y);
        bytes += IOSurfaceGetBytesPerRowOfPlane(surface, plane);
    }
    assert_int_equal(IOSurfaceUnlock(surface, 0, NULL), 0);
}

MetalObject metal_new_surface(size_t width, size_t height, size_t bytes_per_sample)
{
    const EmulatedMetalSurface description = {
        .pixel_format = bytes_per_sample == 1 ? 0x34323076 : 0x78343230, /* 420v, x420 */
        .n_planes = 2,
        .planes = {{width, height, bytes_per_sample},
                   {(width + 1) / 2, (height + 1) / 2, 2 * bytes_per_sample}},
    };
    return emulated_metal_create_surface(&description);
}
