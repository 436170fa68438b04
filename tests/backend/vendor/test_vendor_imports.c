/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf_vulkan.h and libvmaf_metal.h: pictures that the application has on the device. */
#include <errno.h>
#include <unistd.h>

#include "backend/vendor/harness.h"
#include "libvmaf/libvmaf_metal.h"
#include "libvmaf/libvmaf_vulkan.h"
#include "support/cases.h"

enum { N_IMAGES = 4, N_PLANES = 3 };

static size_t plane_size(const Clip *clip)
{
    return (size_t)clip->w * clip->h * (clip->bpc > 8 ? 2 : 1);
}

static ptrdiff_t row_size(const Clip *clip, unsigned plane)
{
    return (ptrdiff_t)((plane ? clip->w / 2 : clip->w) * (clip->bpc > 8 ? 2 : 1));
}

/* ---- Vulkan ---- */

typedef struct VulkanRun {
    const Clip *clip;
    VmafVulkanState *vulkan;
    VmafContext *vmaf;
    uint64_t images[N_IMAGES]; /* of luma, of the application */
} VulkanRun;

static VulkanRun open_vulkan(const Clip *clip)
{
    VulkanRun run = {.clip = clip};
    const VmafVulkanConfiguration cfg = {.device_index = -1, .enable_validation = 1};
    assert_int_equal(vmaf_vulkan_state_init(&run.vulkan, cfg), 0);
    run.vmaf = clip_context(clip);
    assert_int_equal(vmaf_vulkan_import_state(run.vmaf, run.vulkan), 0);
    clip_use_features(clip, run.vmaf);
    for (int i = 0; i < N_IMAGES; i++)
        run.images[i] = membuf_of("vulkan")->allocate(plane_size(clip));
    return run;
}

static void close_vulkan(VulkanRun *run)
{
    assert_int_equal(vmaf_close(run->vmaf), 0);
    vmaf_vulkan_state_free(&run->vulkan);
    assert_null(run->vulkan);
    for (int i = 0; i < N_IMAGES; i++)
        membuf_of("vulkan")->release(run->images[i]);
    assert_true(membuf_is_clean("vulkan"));
}

static int import_image(const VulkanRun *run, uint64_t image, bool is_ref, unsigned index)
{
    return vmaf_vulkan_import_image(run->vulkan, image, 1, 2, 3, 4, run->clip->w, run->clip->h,
                                    run->clip->bpc, is_ref, index);
}

static void bring_pair(const VulkanRun *run, const uint64_t images[2], unsigned frame)
{
    for (int i = 0; i < 2; i++) {
        clip_write_plane(run->clip, "vulkan", 0, images[i], row_size(run->clip, 0), frame, i == 1);
        assert_int_equal(import_image(run, images[i], i == 0, frame), 0);
    }
}

/* Two images are enough if the application waits before it draws into them again. */
CASE(given_images_that_are_used_again_after_waiting_then_scores_are_true)
{
    for (unsigned i = 0; i < 6; i++) {
        Clip clip = luma_clip;
        clip.n_threads = i % 3;
        clip.bpc = i < 3 ? 8 : 10;
        VulkanRun run = open_vulkan(&clip);
        for (unsigned f = 0; f < clip.n_frames; f++) {
            bring_pair(&run, run.images, f);
            if (i == 4) /* before they are read as well */
                assert_int_equal(vmaf_vulkan_wait_compute(run.vulkan), 0);
            if (i == 4)
                clip_write_plane(&clip, "vulkan", 0, run.images[0], row_size(&clip, 0), 77, true);
            assert_int_equal(vmaf_vulkan_read_imported_pictures(run.vmaf, f), 0);
            assert_int_equal(vmaf_vulkan_wait_compute(run.vulkan), 0);
            assert_int_equal(membuf_of("vulkan")->n_buffers(), 0);
        }
        assert_int_equal(vmaf_read_pictures(run.vmaf, NULL, NULL, 0), 0);
        assert_int_equal(vmaf_vulkan_read_imported_pictures(run.vmaf, clip.n_frames), -EINVAL);
        clip_check(&clip, run.vmaf);
        assert_string_equal(clip_backend_of(run.vmaf, "motion"), "vulkan");
        close_vulkan(&run);
    }
}

CASE(given_images_of_their_own_for_each_frame_then_nothing_is_copied_for_the_backend)
{
    Clip clip = luma_clip;
    clip.features[1] = NULL; /* motion alone */
    clip.keys[1] = NULL;
    const unsigned before = membuf_of("vulkan")->n_downloads();
    VulkanRun run = open_vulkan(&clip);
    uint64_t images[CLIP_MAX_FRAMES][2];
    for (unsigned f = 0; f < clip.n_frames; f++) {
        for (int i = 0; i < 2; i++)
            images[f][i] = membuf_of("vulkan")->allocate(plane_size(&clip));
        bring_pair(&run, images[f], f);
        assert_int_equal(vmaf_vulkan_read_imported_pictures(run.vmaf, f), 0);
    }
    assert_int_equal(vmaf_read_pictures(run.vmaf, NULL, NULL, 0), 0);
    Scores scores;
    clip_ask(&clip, run.vmaf, &scores);
    assert_int_equal(membuf_of("vulkan")->n_downloads(), before);
    for (unsigned f = 0; f < clip.n_frames; f++) {
        for (int i = 0; i < 2; i++)
            membuf_of("vulkan")->release(images[f][i]);
    }
    close_vulkan(&run);
    assert_true(clip_is_true(&clip, &scores));
}

CASE(given_incomplete_or_unlike_images_then_they_are_refused)
{
    VulkanRun run = open_vulkan(&luma_clip);
    Clip other = luma_clip;
    VulkanRun unlike = run;
    unlike.clip = &other;
    assert_int_equal(vmaf_vulkan_read_imported_pictures(run.vmaf, 0), -EINVAL);
    assert_int_equal(import_image(&run, run.images[0], true, 0), 0);
    assert_int_equal(import_image(&run, run.images[0], true, 0), -EINVAL); /* twice */
    assert_int_equal(vmaf_vulkan_read_imported_pictures(run.vmaf, 0), -EINVAL);
    assert_int_equal(import_image(&run, 0, false, 0), -EINVAL);
    other.w = 80;
    assert_int_equal(import_image(&unlike, run.images[1], false, 0), -EINVAL);
    other = luma_clip;
    other.bpc = 10;
    assert_int_equal(import_image(&unlike, run.images[1], false, 0), -EINVAL);
    assert_int_equal(import_image(&run, 12345, false, 0), -EINVAL); /* no such image */
    assert_int_equal(import_image(&run, run.images[1], false, 0), 0);
    assert_int_equal(vmaf_vulkan_read_imported_pictures(run.vmaf, 1), -EINVAL);
    assert_int_equal(vmaf_vulkan_read_imported_pictures(run.vmaf, 0), 0);
    assert_int_equal(vmaf_vulkan_read_imported_pictures(run.vmaf, 0), -EINVAL);
    assert_int_equal(vmaf_vulkan_wait_compute(run.vulkan), 0);
    bring_pair(&run, run.images, 0); /* an index that was read */
    assert_int_equal(vmaf_vulkan_read_imported_pictures(run.vmaf, 0), -EINVAL);

    /* At most as many pairs wait as frames may be outstanding. */
    for (unsigned index = 1; index < 5; index++)
        assert_int_equal(import_image(&run, run.images[index % 2], index % 2, index), 0);
    assert_int_equal(import_image(&run, run.images[0], true, 5), -EINVAL);
    assert_int_equal(vmaf_vulkan_import_image(NULL, 1, 2, 3, 0, 0, 90, 64, 8, 1, 0), -EINVAL);
    assert_int_equal(vmaf_vulkan_wait_compute(NULL), -EINVAL);
    assert_int_equal(vmaf_vulkan_read_imported_pictures(NULL, 0), -EINVAL);
    close_vulkan(&run); /* with pairs that nobody has read */
}

CASE(given_limits_of_outstanding_frames_then_they_are_kept_in_range)
{
    const unsigned asked[] = {0, 1, 3, 8, 9, 1000}, given[] = {4, 1, 3, 8, 8, 8};
    for (unsigned i = 0; i < 6; i++) {
        VmafVulkanState *vulkan;
        const VmafVulkanConfiguration cfg = {.max_outstanding_frames = asked[i]};
        assert_int_equal(vmaf_vulkan_state_init(&vulkan, cfg), 0);
        assert_int_equal(vmaf_vulkan_state_max_outstanding_frames(vulkan), given[i]);
        vmaf_vulkan_state_free(&vulkan);
    }
    assert_int_equal(vmaf_vulkan_state_max_outstanding_frames(NULL), 0);
    assert_int_equal(vmaf_vulkan_available(), 1);
    assert_int_equal(vmaf_vulkan_list_devices(), 1);
    VmafVulkanState *vulkan = (VmafVulkanState *)&vulkan;
    assert_int_equal(vmaf_vulkan_state_init(&vulkan, (VmafVulkanConfiguration){.device_index = 1}),
                     -EINVAL);
    assert_null(vulkan);
    VmafVulkanExternalHandles handles = {1, 2, 3, 4, 0, 0};
    assert_int_equal(vmaf_vulkan_state_init_external(&vulkan, handles), 0);
    assert_int_equal(vmaf_vulkan_state_max_outstanding_frames(vulkan), 4);
    vmaf_vulkan_state_free(&vulkan);
    handles.device = 0;
    assert_int_equal(vmaf_vulkan_state_init_external(&vulkan, handles), -EINVAL);
}

CASE(given_preallocated_vulkan_pictures_then_the_host_can_fill_them)
{
    for (int method = VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_NONE;
         method <= VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_DEVICE; method++) {
        VulkanRun run = open_vulkan(&small_clip);
        VmafVulkanPictureConfiguration cfg = {.pic_params = {CLIP_FORMAT(&small_clip)},
                                              .pic_prealloc_method = method};
        assert_int_equal(vmaf_vulkan_preallocate_pictures(run.vmaf, cfg), 0);
        alarm(1800);
        for (unsigned f = 0; f < small_clip.n_frames; f++) {
            VmafPicture ref, dist;
            assert_int_equal(vmaf_vulkan_picture_fetch(run.vmaf, &ref), 0);
            assert_int_equal(vmaf_vulkan_picture_fetch(run.vmaf, &dist), 0);
            clip_draw(&ref, f, false);
            clip_draw(&dist, f, true);
            assert_int_equal(vmaf_read_pictures(run.vmaf, &ref, &dist, f), 0);
        }
        alarm(0);
        assert_int_equal(vmaf_read_pictures(run.vmaf, NULL, NULL, 0), 0);
        clip_check(&small_clip, run.vmaf);
        close_vulkan(&run);
    }
}

/* ---- Metal ---- */

static int import_plane(VmafMetalState *metal, const Clip *clip, uint64_t surface, unsigned plane,
                        bool is_ref, unsigned index)
{
    return vmaf_metal_picture_import(metal, surface, plane, clip->w, clip->h, clip->bpc, is_ref,
                                     index);
}

CASE(given_planes_of_surfaces_then_pictures_are_made_of_them)
{
    const Clip *clip = &small_clip;
    const MembufExtension *device = membuf_of("metal");
    uint64_t surfaces[2][N_PLANES];
    VmafMetalState *metal;
    assert_int_equal(vmaf_metal_available(), 1);
    assert_int_equal(vmaf_metal_list_devices(), 1);
    assert_int_equal(vmaf_metal_state_init(&metal, (VmafMetalConfiguration){.flags = 1}), -EINVAL);
    assert_null(metal);
    assert_int_equal(vmaf_metal_state_init_external(&metal, (VmafMetalExternalHandles){1, 0}), 0);
    VmafContext *vmaf = clip_context(clip);
    assert_int_equal(vmaf_metal_import_state(vmaf, metal), 0);
    clip_use_features(clip, vmaf);
    for (unsigned i = 0; i < 2 * N_PLANES; i++)
        surfaces[i / N_PLANES][i % N_PLANES] = device->allocate(plane_size(clip));

    assert_int_equal(import_plane(metal, clip, surfaces[0][0], 3, true, 0), -EINVAL);
    assert_int_equal(import_plane(metal, clip, 0, 0, true, 0), -EINVAL);
    for (unsigned f = 0; f < clip->n_frames; f++) {
        for (unsigned i = 0; i < 2 * N_PLANES; i++) {
            const unsigned plane = (i + f) % N_PLANES, place = i / N_PLANES;
            const uint64_t surface = surfaces[place][plane];
            assert_int_equal(vmaf_metal_read_imported_pictures(vmaf, f), -EINVAL);
            clip_write_plane(clip, "metal", plane, surface, row_size(clip, plane), f, place == 1);
            assert_int_equal(import_plane(metal, clip, surface, plane, place == 0, f), 0);
            assert_int_equal(import_plane(metal, clip, surface, plane, place == 0, f), -EINVAL);
        }
        assert_int_equal(vmaf_metal_read_imported_pictures(vmaf, f), 0);
        assert_int_equal(vmaf_metal_wait_compute(metal), 0);
    }
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    Scores scores;
    clip_ask(clip, vmaf, &scores);
    assert_string_equal(clip_backend_of(vmaf, "psnr"), "metal");
    assert_int_equal(vmaf_close(vmaf), 0);
    vmaf_metal_state_free(&metal);
    assert_null(metal);
    for (unsigned i = 0; i < 2 * N_PLANES; i++)
        device->release(surfaces[i / N_PLANES][i % N_PLANES]);
    assert_true(membuf_is_clean("metal"));
    assert_true(clip_is_true(clip, &scores));
}
