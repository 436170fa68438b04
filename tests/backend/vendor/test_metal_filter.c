/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * A program that has its pictures as IOSurfaces, as a decoder of macOS leaves them, over the Metal
 * backend and a Metal.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backend/vendor/harness.h"
#include "emulation/metal/control.h"
#include "libvmaf/libvmaf_metal.h"
#include "metal_api.h"
#include "support/cases.h"

extern int IOSurfaceLock(MetalObject surface, uint32_t options, uint32_t *seed);
extern int IOSurfaceUnlock(MetalObject surface, uint32_t options, uint32_t *seed);
extern void *IOSurfaceGetBaseAddressOfPlane(MetalObject surface, size_t plane);
extern size_t IOSurfaceGetBytesPerRowOfPlane(MetalObject surface, size_t plane);
extern void CFRelease(MetalObject object);

static void *pool;

static int set_up(void **state)
{
    const int err = emulated_metal_configure(NULL, "1");
    pool = objc_autoreleasePoolPush();
    return err;
}

static int tear_down(void **state)
{
    objc_autoreleasePoolPop(pool);
    return emulated_metal_count("objects") != 0;
}

/* -- pictures -- */

/* Planes of their own for Cb and Cr, or one with both in turn. */
static MetalObject new_surface(const Clip *clip, unsigned n_planes)
{
    const size_t bytes = clip->bpc > 8 ? 2 : 1;
    const size_t w = (clip->w + 1) / 2, h = (clip->h + 1) / 2;
    const EmulatedMetalSurface description = {
        .pixel_format = 0x34323076,
        .n_planes = n_planes,
        .planes = {{clip->w, clip->h, bytes},
                   {w, h, n_planes == 2 ? 2 * bytes : bytes},
                   {w, h, bytes}},
    };
    return emulated_metal_create_surface(&description);
}

static void put(const VmafPicture *drawn, unsigned p, unsigned shift, bool in_turn,
                unsigned char *bytes, size_t stride)
{
    for (unsigned y = 0; y < drawn->h[p]; y++) {
        const unsigned char *row = (const unsigned char *)drawn->data[p] + y * drawn->stride[p];
        for (unsigned x = 0; x < drawn->w[p]; x++) {
            const size_t at = in_turn ? 2 * x + p - 1 : x;
            if (drawn->bpc == 8) {
                bytes[y * stride + at] = row[x];
            } else {
                uint16_t sample;
                memcpy(&sample, row + 2 * (size_t)x, 2);
                sample = (uint16_t)(sample << shift);
                memcpy(bytes + y * stride + 2 * at, &sample, 2);
            }
        }
    }
}

static void draw(const Clip *clip, MetalObject surface, unsigned frame, bool distorted)
{
    const bool in_turn = IOSurfaceGetPlaneCount(surface) == 2;
    VmafPicture drawn = clip_picture(clip);
    clip_draw(&drawn, frame, distorted);
    assert_int_equal(IOSurfaceLock(surface, 0, NULL), 0);
    for (unsigned p = 0; p < 3; p++) {
        const size_t plane = in_turn && p ? 1 : p;
        put(&drawn, p, in_turn && clip->bpc > 8 ? 16 - clip->bpc : 0, in_turn && p,
            IOSurfaceGetBaseAddressOfPlane(surface, plane),
            IOSurfaceGetBytesPerRowOfPlane(surface, plane));
    }
    assert_int_equal(IOSurfaceUnlock(surface, 0, NULL), 0);
    vmaf_picture_unref(&drawn);
}

static const Clip odd_clip = {.w = 75,
                              .h = 51,
                              .bpc = 8,
                              .pix_fmt = VMAF_PIX_FMT_YUV420P,
                              .n_frames = 6,
                              .features = {"psnr", "motion", "vif"},
                              .keys = {"psnr_y", "psnr_cr", "VMAF_integer_feature_motion2_score",
                                       "VMAF_integer_feature_vif_scale0_score"}};

static void assert_scores(const Clip *clip, VmafContext *vmaf)
{
    clip_check(clip, vmaf);
    assert_string_equal(clip_backend_of(vmaf, "vif"), "metal");
}

/* -- libvmaf_metal.h -- */

static void import_frame(const Clip *clip, VmafMetalState *state, const MetalObject surfaces[2],
                         unsigned frame)
{
    for (int side = 0; side < 2; side++) {
        draw(clip, surfaces[side], frame, side == 1);
        for (unsigned p = 0; p < 3; p++)
            assert_int_equal(vmaf_metal_picture_import(state, (uintptr_t)surfaces[side], p, clip->w,
                                                       clip->h, clip->bpc, side == 0, frame),
                             0);
    }
}

static void score(const Clip *clip, VmafMetalState *state)
{
    VmafContext *vmaf = clip_context(clip);
    const MetalObject surfaces[2] = {new_surface(clip, 3), new_surface(clip, 3)};
    assert_int_equal(vmaf_metal_import_state(vmaf, state), 0);
    clip_use_features(clip, vmaf);
    for (unsigned f = 0; f < clip->n_frames; f++) {
        import_frame(clip, state, surfaces, f);
        assert_int_equal(vmaf_metal_read_imported_pictures(vmaf, f), 0);
        assert_int_equal(vmaf_metal_wait_compute(state), 0); /* they are drawn again */
    }
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    assert_scores(clip, vmaf);
    assert_int_equal(vmaf_close(vmaf), 0);
    CFRelease(surfaces[0]);
    CFRelease(surfaces[1]);
}

CASE_WITH(given_a_state_surfaces_are_scored, set_up, tear_down)
{
    for (unsigned bpc = 8; bpc <= 10; bpc += 2) {
        Clip clip = odd_clip;
        VmafMetalState *metal;
        const VmafMetalConfiguration cfg = {.device_index = bpc == 8 ? -1 : 0};
        clip.bpc = bpc;
        assert_int_equal(vmaf_metal_available(), 1);
        assert_int_equal(vmaf_metal_list_devices(), 1);
        assert_int_equal(vmaf_metal_state_init(&metal, cfg), 0);
        score(&clip, metal);
        vmaf_metal_state_free(&metal);
        assert_null(metal);
    }
}

CASE_WITH(given_a_device_and_a_queue_of_the_program_they_are_used, set_up, tear_down)
{
    const MetalObject device = MTLCreateSystemDefaultDevice();
    const MetalObject queue = metal_new_queue(device, 64);
    VmafMetalState *metal;
    const VmafMetalExternalHandles handles = {(uintptr_t)device, (uintptr_t)queue};
    assert_int_equal(vmaf_metal_state_init_external(&metal, handles), 0);
    score(&odd_clip, metal);
    assert_int_equal(emulated_metal_count("MTLCommandQueue"), 1);
    vmaf_metal_state_free(&metal);
    metal_release(queue);
    metal_release(device);
}

CASE_WITH(given_a_surface_that_does_not_fit_it_is_refused, set_up, tear_down)
{
    VmafMetalState *metal;
    const VmafMetalConfiguration cfg = {.device_index = -1}, none = {.device_index = 1};
    const MetalObject surface = new_surface(&odd_clip, 2);
    assert_int_equal(vmaf_metal_state_init(&metal, none), -EINVAL);
    assert_int_equal(vmaf_metal_state_init(&metal, cfg), 0);
    VmafContext *vmaf = clip_context(&odd_clip);
    assert_int_equal(vmaf_metal_import_state(vmaf, metal), 0);
    clip_use_features(&odd_clip, vmaf);
    int err = 0;
    for (unsigned p = 0; p < 3 && !err; p++) /* Cb alone is not there */
        err = vmaf_metal_picture_import(metal, (uintptr_t)surface, p, odd_clip.w, odd_clip.h, 8, 1,
                                        0);
    assert_int_not_equal(err, 0);
    assert_int_equal(vmaf_close(vmaf), 0);
    vmaf_metal_state_free(&metal);
    CFRelease(surface);
}

/* -- vmaf_picture_import -- */

static void free_surface(void *surface)
{
    CFRelease(surface);
}

/* With an event of the program: odd values say that a surface is drawn, even ones that it was read.
 */
static VmafPicture import_surface(const Clip *clip, VmafContext *vmaf, MetalObject event,
                                  unsigned frame, bool distorted)
{
    VmafPicture pic;
    const MetalObject surface = new_surface(clip, 2);
    VmafPictureImport import = {
        .struct_size = sizeof(import),
        .kind = VMAF_IMPORT_IOSURFACE,
        .layout = clip->bpc > 8 ? VMAF_IMPORT_P010 : VMAF_IMPORT_NV12,
        CLIP_FORMAT(clip),
        .n_handles = 4,
        .handles = {(uintptr_t)surface, 0, (uintptr_t)surface, 1},
        .wait = {VMAF_SYNC_METAL_EVENT, (uintptr_t)event, 2 * frame + 1},
        .release = free_surface,
        .cookie = surface,
    };
    draw(clip, surface, frame, distorted);
    const int err = vmaf_picture_import(vmaf, &pic, &import);
    if (err)
        fail_msg("error %d", err);
    return pic;
}

CASE_WITH(given_surfaces_of_two_planes_and_events_they_are_scored, set_up, tear_down)
{
    for (unsigned bpc = 8; bpc <= 10; bpc += 2) {
        Clip clip = odd_clip;
        clip.bpc = bpc;
        const MetalObject device = MTLCreateSystemDefaultDevice();
        const MetalObject event = metal_new_shared_event(device);
        VmafContext *vmaf = clip_context(&clip);
        assert_int_equal(vmaf_backend_select(vmaf, "metal", -1), 0);
        clip_use_features(&clip, vmaf);
        for (unsigned f = 0; f < clip.n_frames; f++) {
            VmafPicture ref = import_surface(&clip, vmaf, event, f, false);
            VmafPicture dist = import_surface(&clip, vmaf, event, f, true);
            metal_set_signaled_value(event, 2 * f + 1);
            assert_int_equal(vmaf_read_pictures(vmaf, &ref, &dist, f), 0);
        }
        assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
        assert_scores(&clip, vmaf);
        assert_int_equal(vmaf_close(vmaf), 0);
        metal_release(event);
        metal_release(device);
    }
}
