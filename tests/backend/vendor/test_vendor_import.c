/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf_picture_import, over backends whose device memory the host cannot follow. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/vendor/harness.h"
#include "libvmaf/libvmaf_vulkan.h"
#include "support/cases.h"

static const MembufExtension *device;

/* ---- frames as a decoder has them ---- */

/* One allocation with two planes, or three. */
typedef struct Decoded {
    uint64_t memory, handles[3];
    size_t size;
    ptrdiff_t stride[3];
    uint64_t ready, done; /* events */
    atomic_int released;
    bool done_before; /* it was signalled before it was released */
} Decoded;

static void released(void *cookie)
{
    Decoded *frame = cookie;
    frame->done_before = device->event_is_set(frame->done);
    atomic_fetch_add(&frame->released, 1);
}

static unsigned shift_of(enum VmafImportLayout layout, unsigned bpc)
{
    return layout == VMAF_IMPORT_P010 || layout == VMAF_IMPORT_P016 ? 16 - bpc : 0;
}

/* A sample of a drawn picture, and where it goes in a row of bytes. */
static void put_sample(const VmafPicture *drawn, unsigned plane, unsigned x, unsigned y,
                       unsigned shift, unsigned at, uint8_t *row)
{
    const uint8_t *from = (const uint8_t *)drawn->data[plane] + y * drawn->stride[plane];
    if (drawn->bpc == 8) {
        row[at] = from[x];
    } else {
        const uint16_t sample = (uint16_t)(((const uint16_t *)(const void *)from)[x] << shift);
        memcpy(row + 2 * (size_t)at, &sample, 2);
    }
}

static void lay_out(const VmafPicture *drawn, enum VmafImportLayout layout, uint8_t *bytes,
                    Decoded *frame)
{
    const bool interleaved = layout != VMAF_IMPORT_PLANAR;
    const unsigned shift = shift_of(layout, drawn->bpc);
    size_t offset = 0;
    for (unsigned p = 0; p < 3 && drawn->data[p]; p++) {
        const bool second = interleaved && p == 2; /* shares the plane before */
        if (!second) {
            frame->handles[p] = offset;
            frame->stride[p] =
                (ptrdiff_t)(drawn->w[p] * (interleaved && p ? 2 : 1) * (drawn->bpc > 8 ? 2 : 1) +
                            6);
            offset += (size_t)frame->stride[p] * drawn->h[p];
        }
        const unsigned plane = second ? 1 : p;
        for (unsigned y = 0; bytes && y < drawn->h[p]; y++) {
            uint8_t *row = bytes + frame->handles[plane] + (size_t)frame->stride[plane] * y;
            for (unsigned x = 0; x < drawn->w[p]; x++)
                put_sample(drawn, p, x, y, shift, interleaved && p ? 2 * x + p - 1 : x, row);
        }
    }
    frame->size = offset;
}

static void new_frame(const Clip *clip, enum VmafImportLayout layout, Decoded *frame)
{
    memset(frame, 0, sizeof(*frame));
    VmafPicture drawn = clip_picture(clip);
    lay_out(&drawn, layout, NULL, frame);
    vmaf_picture_unref(&drawn);
    frame->memory = device->allocate(frame->size);
    assert_true(frame->memory != 0);
    for (unsigned p = 0; p < 3; p++)
        frame->handles[p] += frame->memory;
    frame->ready = device->event_create();
    frame->done = device->event_create();
}

static void decode(const Clip *clip, enum VmafImportLayout layout, unsigned index, bool distorted,
                   Decoded *frame)
{
    VmafPicture drawn = clip_picture(clip);
    Decoded places;
    uint8_t *bytes = calloc(1, frame->size);
    clip_draw(&drawn, index, distorted);
    lay_out(&drawn, layout, bytes, &places);
    assert_int_equal(device->write(frame->memory, bytes, frame->size), 0);
    vmaf_picture_unref(&drawn);
    free(bytes);
    device->event_set(frame->ready);
}

static void free_frame(Decoded *frame)
{
    device->release(frame->memory);
    device->event_destroy(frame->ready);
    device->event_destroy(frame->done);
}

static VmafPictureImport import_of(const Clip *clip, enum VmafImportLayout layout, Decoded *frame)
{
    VmafPictureImport import = {
        .struct_size = sizeof(import),
        .kind = VMAF_IMPORT_CUDA_POINTER,
        .layout = layout,
        CLIP_FORMAT(clip),
        .n_handles = layout == VMAF_IMPORT_PLANAR ? 3 : 2,
        .wait = {VMAF_SYNC_CUDA_EVENT, frame->ready, 0},
        .signal = {VMAF_SYNC_CUDA_EVENT, frame->done, 0},
        .release = released,
        .cookie = frame,
    };
    for (unsigned p = 0; p < 3; p++) {
        import.handles[p] = frame->handles[p];
        import.stride[p] = frame->stride[p];
    }
    return import;
}

static VmafContext *open_context(const Clip *clip, const char *backend)
{
    VmafContext *vmaf = clip_context(clip);
    if (backend)
        assert_int_equal(vmaf_backend_select(vmaf, backend, -1), 0);
    clip_use_features(clip, vmaf);
    return vmaf;
}

static const char *reason_of(VmafContext *vmaf)
{
    const VmafBackendStatus status = clip_status(vmaf);
    return status.reason ? status.reason : "";
}

/* ---- scoring ---- */

/* Decodes each frame once it is being read: before there is nothing in it. */
typedef struct Decoder {
    const Clip *clip;
    enum VmafImportLayout layout;
    Decoded *frames;
    atomic_uint n_read;
} Decoder;

static void *decode_all(void *argument)
{
    Decoder *decoder = argument;
    for (unsigned f = 0; f < 2 * decoder->clip->n_frames; f++) {
        while (atomic_load(&decoder->n_read) <= f / 2)
            usleep(200);
        usleep(2000);
        decode(decoder->clip, decoder->layout, f / 2, f % 2, &decoder->frames[f]);
    }
    return NULL;
}

static void score(const Clip *clip, enum VmafImportLayout layout)
{
    static Decoded frames[2 * CLIP_MAX_FRAMES];
    VmafContext *vmaf = open_context(clip, "cuda");
    for (unsigned f = 0; f < 2 * clip->n_frames; f++)
        new_frame(clip, layout, &frames[f]);
    Decoder decoder = {.clip = clip, .layout = layout, .frames = frames};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, decode_all, &decoder), 0);
    for (unsigned f = 0; f < clip->n_frames; f++) {
        VmafPicture pair[2];
        for (unsigned i = 0; i < 2; i++) {
            const VmafPictureImport import = import_of(clip, layout, &frames[2 * f + i]);
            assert_int_equal(vmaf_picture_import(vmaf, &pair[i], &import), 0);
        }
        atomic_fetch_add(&decoder.n_read, 1);
        assert_int_equal(vmaf_read_pictures(vmaf, &pair[0], &pair[1], f), 0);
    }
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    pthread_join(thread, NULL);
    Scores scores;
    clip_ask(clip, vmaf, &scores);
    assert_string_equal(clip_backend_of(vmaf, "psnr"), "cuda");
    assert_string_equal(clip_backend_of(vmaf, "vif"), "cpu");
    assert_int_equal(vmaf_close(vmaf), 0);
    for (unsigned f = 0; f < 2 * clip->n_frames; f++) {
        assert_int_equal(atomic_load(&frames[f].released), 1);
        assert_true(frames[f].done_before);
        free_frame(&frames[f]);
    }
    assert_true(clip_is_true(clip, &scores));
    assert_true(membuf_is_clean("cuda"));
}

CASE(given_pictures_in_any_layout_then_scores_are_those_of_the_cpu)
{
    static const struct {
        enum VmafImportLayout layout;
        unsigned bpc;
        enum VmafPixelFormat pix_fmt;
    } cases[] = {
        {VMAF_IMPORT_PLANAR, 8, VMAF_PIX_FMT_YUV420P},
        {VMAF_IMPORT_NV12, 8, VMAF_PIX_FMT_YUV420P},
        {VMAF_IMPORT_P010, 10, VMAF_PIX_FMT_YUV420P},
        {VMAF_IMPORT_P016, 12, VMAF_PIX_FMT_YUV420P},
        {VMAF_IMPORT_P016, 16, VMAF_PIX_FMT_YUV420P},
        {VMAF_IMPORT_PLANAR, 10, VMAF_PIX_FMT_YUV444P},
        {VMAF_IMPORT_P010, 10, VMAF_PIX_FMT_YUV422P},
        {VMAF_IMPORT_NV12, 8, VMAF_PIX_FMT_YUV444P},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        Clip clip = small_clip;
        clip.bpc = cases[i].bpc;
        clip.pix_fmt = cases[i].pix_fmt;
        clip.n_threads = i % 3;
        clip.w = i % 2 ? 91 : 96;
        clip.h = i % 3 ? 64 : 65;
        score(&clip, cases[i].layout);
    }
}

/* ---- refusals ---- */

static void expect(VmafContext *vmaf, const VmafPictureImport *import, int error,
                   const char *reason)
{
    VmafPicture pic = {0};
    assert_int_equal(vmaf_picture_import(vmaf, &pic, import), error);
    assert_null(pic.ref);
    if (reason)
        assert_string_equal(reason_of(vmaf), reason);
}

CASE(given_no_backend_by_name_then_pictures_are_refused)
{
    static const char reason[] =
        "no backend was chosen by name, so there is no device for pictures";
    static const char *const names[] = {NULL, "cpu", "auto"};
    Decoded frame;
    new_frame(&small_clip, VMAF_IMPORT_NV12, &frame);
    const VmafPictureImport import = import_of(&small_clip, VMAF_IMPORT_NV12, &frame);
    for (unsigned i = 0; i < 3; i++) {
        VmafContext *vmaf = open_context(&small_clip, names[i]);
        expect(vmaf, &import, -ENOTSUP, reason);
        assert_int_equal(vmaf_close(vmaf), 0);
    }
    assert_int_equal(atomic_load(&frame.released), 0);
    free_frame(&frame);
}

CASE(given_what_the_backend_does_not_take_then_it_is_refused_by_name)
{
    Decoded frame;
    new_frame(&small_clip, VMAF_IMPORT_NV12, &frame);
    VmafContext *vmaf = open_context(&small_clip, "cuda");
    const VmafPictureImport right = import_of(&small_clip, VMAF_IMPORT_NV12, &frame);
    VmafPictureImport import = right;
    import.kind = VMAF_IMPORT_DMABUF;
    expect(vmaf, &import, -ENOTSUP, "backend cuda does not take a dma-buf");
    import.kind = (enum VmafImportKind)77;
    expect(vmaf, &import, -ENOTSUP, "backend cuda does not take a picture of an unknown kind");
    import = right;
    import.wait.kind = VMAF_SYNC_CUDA_STREAM;
    expect(vmaf, &import, -ENOTSUP, "backend cuda cannot wait for or signal such an object");
    import = right;
    import.signal.kind = VMAF_SYNC_ZE_EVENT;
    expect(vmaf, &import, -ENOTSUP, "backend cuda cannot wait for or signal such an object");
    import = right;
    import.handles[1] += 1 << 20; /* not in the allocation */
    expect(vmaf, &import, -EINVAL, "backend cuda refuses a CUDA pointer");
    import = right;
    import.size = 100;
    expect(vmaf, &import, -EINVAL, "backend cuda refuses a CUDA pointer");
    assert_int_equal(vmaf_close(vmaf), 0);
    assert_int_equal(atomic_load(&frame.released), 0);
    assert_false(device->event_is_set(frame.done));
    free_frame(&frame);
    assert_true(membuf_is_clean("cuda"));
}

CASE(given_wrong_arguments_then_they_are_refused)
{
    Decoded frame;
    VmafPicture pic;
    new_frame(&small_clip, VMAF_IMPORT_NV12, &frame);
    VmafContext *vmaf = open_context(&small_clip, "cuda");
    const VmafPictureImport right = import_of(&small_clip, VMAF_IMPORT_NV12, &frame);
    assert_int_equal(vmaf_picture_import(NULL, &pic, &right), -EINVAL);
    assert_int_equal(vmaf_picture_import(vmaf, NULL, &right), -EINVAL);
    assert_int_equal(vmaf_picture_import(vmaf, &pic, NULL), -EINVAL);
#define WRONG(member, value)                                                                       \
    do {                                                                                           \
        VmafPictureImport import = right;                                                          \
        import.member = value;                                                                     \
        expect(vmaf, &import, -EINVAL, NULL);                                                      \
    } while (0)
    WRONG(struct_size, 8);
    WRONG(layout, (enum VmafImportLayout)4);
    WRONG(layout, VMAF_IMPORT_P010); /* of 8 bits */
    WRONG(bpc, 10);                  /* NV12 */
    WRONG(bpc, 7);
    WRONG(w, 0);
    WRONG(planes, 8);
    WRONG(n_handles, VMAF_IMPORT_HANDLES + 1);
    WRONG(n_objects, VMAF_IMPORT_OBJECTS + 1);
    WRONG(wait.kind, (enum VmafSyncKind)10);
    WRONG(signal.kind, VMAF_SYNC_FILE);
#undef WRONG
    VmafPictureImport import = right;
    import.n_objects = 1;
    import.plane_object[1] = 1;
    expect(vmaf, &import, -EINVAL, NULL);
    assert_int_equal(vmaf_close(vmaf), 0);
    free_frame(&frame);
}

/* ---- ends ---- */

CASE(given_a_picture_that_is_never_read_then_it_is_released_once)
{
    Decoded frame;
    VmafPicture pic, held;
    new_frame(&small_clip, VMAF_IMPORT_NV12, &frame);
    VmafContext *vmaf = open_context(&small_clip, "cuda");
    const VmafPictureImport import = import_of(&small_clip, VMAF_IMPORT_NV12, &frame);
    assert_int_equal(vmaf_picture_import(vmaf, &pic, &import), 0);
    assert_int_equal(vmaf_picture_unref(&pic), 0);
    assert_int_equal(atomic_load(&frame.released), 1);
    assert_true(frame.done_before);
    assert_int_equal(vmaf_picture_import(vmaf, &held, &import), 0);
    assert_int_equal(vmaf_close(vmaf), 0); /* it keeps its device open */
    assert_int_equal(atomic_load(&frame.released), 1);
    assert_int_equal(vmaf_picture_unref(&held), 0);
    assert_int_equal(atomic_load(&frame.released), 2);
    free_frame(&frame);
    assert_true(membuf_is_clean("cuda"));
}

CASE(given_luma_alone_then_a_feature_of_chroma_is_named)
{
    Decoded frames[2];
    VmafPicture pair[2];
    VmafContext *vmaf = open_context(&small_clip, "cuda");
    for (unsigned i = 0; i < 2; i++) {
        new_frame(&small_clip, VMAF_IMPORT_PLANAR, &frames[i]);
        VmafPictureImport import = import_of(&small_clip, VMAF_IMPORT_PLANAR, &frames[i]);
        import.planes = 1;
        import.n_handles = 1;
        assert_int_equal(vmaf_picture_import(vmaf, &pair[i], &import), 0);
    }
    assert_int_equal(vmaf_read_pictures(vmaf, &pair[0], &pair[1], 0), -EINVAL);
    assert_string_equal(reason_of(vmaf), "this program hands over luma only; psnr needs chroma");
    for (unsigned i = 0; i < 2; i++) {
        vmaf_picture_unref(&pair[i]);
        free_frame(&frames[i]);
    }
    assert_int_equal(vmaf_close(vmaf), 0);
}

/* ---- dma-buf ---- */

CASE(given_a_dma_buf_with_two_planes_then_it_is_scored)
{
    Clip clip = small_clip;
    VmafContext *vmaf = open_context(&clip, "sycl");
    for (unsigned f = 0; f < clip.n_frames; f++) {
        VmafPicture pair[2], drawn = clip_picture(&clip);
        for (unsigned i = 0; i < 2; i++) {
            Decoded frame = {0};
            lay_out(&drawn, VMAF_IMPORT_NV12, NULL, &frame);
            uint8_t *bytes = calloc(1, frame.size);
            clip_draw(&drawn, f, i == 1);
            lay_out(&drawn, VMAF_IMPORT_NV12, bytes, &frame);
            const int file = memfd_create("frame", 0);
            assert_int_equal(write(file, bytes, frame.size), frame.size);
            VmafPictureImport import = {
                .struct_size = sizeof(import),
                .kind = VMAF_IMPORT_DMABUF,
                .layout = VMAF_IMPORT_NV12,
                CLIP_FORMAT(&clip),
                .stride = {frame.stride[0], frame.stride[1]},
                .fourcc = 0x3231564e, /* NV12 */
                .n_objects = 1,
                .object = {file},
                .object_size = {frame.size},
                .plane_offset = {0, frame.handles[1]},
            };
            assert_int_equal(vmaf_picture_import(vmaf, &pair[i], &import), 0);
            VmafPicture none;
            import.modifier = 1; /* tiled: this backend does not know how */
            assert_int_equal(vmaf_picture_import(vmaf, &none, &import), -EINVAL);
            close(file); /* which stays ours */
            free(bytes);
        }
        vmaf_picture_unref(&drawn);
        assert_int_equal(vmaf_read_pictures(vmaf, &pair[0], &pair[1], f), 0);
    }
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    clip_check(&clip, vmaf);
    assert_int_equal(vmaf_close(vmaf), 0);
    assert_true(membuf_is_clean("sycl"));
}

/* ---- a borrowed device ---- */

static void lock(void *cookie)
{
    ++*(int *)cookie;
}

CASE(given_a_borrowed_vulkan_device_then_the_backend_knows_how_to_lock_it)
{
    static const char *const extensions[] = {"VK_KHR_one", "VK_KHR_two"};
    int count = 0, features;
    VmafVulkanBorrowedDevice borrowed = {
        .struct_size = sizeof(borrowed),
        .handles = {1, 2, 3, 4, 5, 6},
        .lock = lock,
        .unlock = lock,
        .cookie = &count,
        .enabled_features = &features,
        .enabled_extensions = extensions,
        .n_enabled_extensions = 2,
        .max_outstanding_frames = 99,
    };
    VmafVulkanState *vulkan;
    assert_int_equal(vmaf_vulkan_state_init_borrowed(&vulkan, &borrowed), 0);
    const VmafBackendDeviceParams *seen = membuf_of("vulkan")->borrowed();
    assert_int_equal(seen->external, VMAF_BACKEND_EXTERNAL_VULKAN);
    assert_int_equal(seen->n_handles, 6);
    assert_int_equal(seen->handles[5], 6);
    seen->lock(seen->lock_cookie);
    seen->unlock(seen->lock_cookie);
    assert_int_equal(count, 2);
    assert_ptr_equal(seen->enabled_features, &features);
    assert_int_equal(seen->n_enabled_extensions, 2);
    assert_string_equal(seen->enabled_extensions[1], "VK_KHR_two");
    assert_int_equal(vmaf_vulkan_state_max_outstanding_frames(vulkan), 8);
    vmaf_vulkan_state_free(&vulkan);

    borrowed.unlock = NULL;
    assert_int_equal(vmaf_vulkan_state_init_borrowed(&vulkan, &borrowed), -EINVAL);
    borrowed.unlock = lock;
    borrowed.enabled_extensions = NULL;
    assert_int_equal(vmaf_vulkan_state_init_borrowed(&vulkan, &borrowed), -EINVAL);
    borrowed.enabled_extensions = extensions;
    borrowed.handles.queue = 0;
    assert_int_equal(vmaf_vulkan_state_init_borrowed(&vulkan, &borrowed), -EINVAL);
    assert_null(vulkan);
    borrowed.handles.queue = 4; /* of a program that knows the handles alone */
    borrowed.struct_size = offsetof(VmafVulkanBorrowedDevice, lock);
    assert_int_equal(vmaf_vulkan_state_init_borrowed(&vulkan, &borrowed), 0);
    assert_null(membuf_of("vulkan")->borrowed()->lock);
    assert_int_equal(vmaf_vulkan_state_max_outstanding_frames(vulkan), 4);
    vmaf_vulkan_state_free(&vulkan);
    borrowed.struct_size--;
    assert_int_equal(vmaf_vulkan_state_init_borrowed(&vulkan, &borrowed), -EINVAL);
}

/* ---- a backend of interface 1.0 ---- */

static void given_a_backend_of_1_0_then_it_takes_what_1_0_knew(void **state)
{
    Clip clip = small_clip;
    VmafContext *vmaf = open_context(&clip, "cuda");
    uint64_t memory[2];
    VmafPicture pair[2];
    for (unsigned i = 0; i < 2; i++) {
        VmafPictureImport import = {.struct_size = sizeof(import),
                                    CLIP_FORMAT(&clip),
                                    .n_handles = 3,
                                    .stride = {96, 48, 48}};
        memory[i] = device->allocate(96 * 64 * 3 / 2);
        const uint64_t planes[3] = {memory[i], memory[i] + 96 * 64, memory[i] + 96 * 64 * 5 / 4};
        for (unsigned p = 0; p < 3; p++) {
            import.handles[p] = planes[p];
            clip_write_plane(&clip, "cuda", p, planes[p], import.stride[p], 0, i == 1);
        }
        assert_int_equal(vmaf_picture_import(vmaf, &pair[i], &import), 0);
        import.layout = VMAF_IMPORT_NV12;
        expect(vmaf, &import, -ENOTSUP,
               "backend cuda has interface 1.0, which knows planar pictures that are ready");
    }
    assert_int_equal(vmaf_read_pictures(vmaf, &pair[0], &pair[1], 0), 0);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    clip.n_frames = 1;
    clip_check(&clip, vmaf);
    assert_int_equal(vmaf_close(vmaf), 0);
    for (unsigned i = 0; i < 2; i++)
        device->release(memory[i]);
    assert_true(membuf_is_clean("cuda"));
}

int main(int argc, char **argv)
{
    device = membuf_of("cuda");
    const struct CMUnitTest old[] = {
        cmocka_unit_test(given_a_backend_of_1_0_then_it_takes_what_1_0_knew),
    };
    return device->event_create ? run_cases(argc, argv) : run_cases_of(argc, argv, old);
}
