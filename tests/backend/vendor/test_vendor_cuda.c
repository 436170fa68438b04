/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf_cuda.h over a backend whose device memory cannot be followed by the host. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/vendor/harness.h"
#include "libvmaf/libvmaf_cuda.h"
#include "libvmaf/libvmaf_hip.h"
#include "support/cases.h"

enum {
    NONE = VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE,
    DEVICE = VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE,
    HOST = VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST,
    PINNED = VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED,
};
enum { RING_SIZE = 4 };

/* A context with a device of its own. */
typedef struct Run {
    const Clip *clip;
    VmafCudaState *cuda;
    VmafContext *vmaf;
} Run;

static int preallocate(const Run *run, int method)
{
    VmafCudaPictureConfiguration cfg = {.pic_params = {CLIP_FORMAT(run->clip)},
                                        .pic_prealloc_method = method};
    return vmaf_cuda_preallocate_pictures(run->vmaf, cfg);
}

/* In a context of the application, if there is one. */
static Run open_run_in(void *application, const Clip *clip, int method)
{
    Run run = {.clip = clip};
    assert_int_equal(vmaf_cuda_state_init(&run.cuda, (VmafCudaConfiguration){application}), 0);
    run.vmaf = clip_context(clip);
    assert_int_equal(vmaf_cuda_import_state(run.vmaf, run.cuda), 0);
    assert_int_equal(preallocate(&run, method), 0);
    clip_use_features(clip, run.vmaf);
    return run;
}

static Run open_run(const Clip *clip, int method)
{
    return open_run_in(NULL, clip, method);
}

static void close_run(Run *run)
{
    assert_int_equal(vmaf_close(run->vmaf), 0);
    assert_int_equal(vmaf_cuda_state_free(run->cuda), 0);
    assert_true(membuf_is_clean("cuda"));
}

static VmafPicture fetch(const Run *run)
{
    VmafPicture pic;
    assert_int_equal(vmaf_cuda_fetch_preallocated_picture(run->vmaf, &pic), 0);
    return pic;
}

static void fill(const Run *run, const VmafPicture *pic, int method, unsigned frame, bool distorted)
{
    if (method == DEVICE)
        clip_write(run->clip, "cuda", pic, frame, distorted);
    else
        clip_draw(pic, frame, distorted);
}

static int read_frame(const Run *run, int method, unsigned frame)
{
    VmafPicture ref = fetch(run), dist = fetch(run);
    fill(run, &ref, method, frame, false);
    fill(run, &dist, method, frame, true);
    int err = vmaf_read_pictures(run->vmaf, &ref, &dist, frame);
    if (err) {
        assert_int_equal(vmaf_picture_unref(&ref), 0);
        assert_int_equal(vmaf_picture_unref(&dist), 0);
    }
    return err;
}

/* All of them, and the flush. */
static void read_frames(const Run *run, int method)
{
    for (unsigned f = 0; f < run->clip->n_frames; f++)
        assert_int_equal(read_frame(run, method, f), 0);
    assert_int_equal(vmaf_read_pictures(run->vmaf, NULL, NULL, 0), 0);
}

static void score(const Clip *clip, int method)
{
    Run run = open_run(clip, method);
    read_frames(&run, method);
    clip_check(clip, run.vmaf);
    assert_string_equal(clip_backend_of(run.vmaf, "psnr"), "cuda");
    assert_string_equal(clip_backend_of(run.vmaf, "motion"), "cuda");
    assert_string_equal(clip_backend_of(run.vmaf, "vif"), "cpu");
    close_run(&run);
}

CASE(given_pictures_of_any_kind_then_scores_are_those_of_the_cpu)
{
    const int methods[] = {DEVICE, HOST, PINNED};
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned n_threads = 0; n_threads < 3; n_threads++) {
            Clip clip = small_clip;
            clip.n_threads = n_threads;
            score(&clip, methods[i]);
            clip.bpc = 10;
            clip.pix_fmt = VMAF_PIX_FMT_YUV444P;
            clip.w = 83;
            score(&clip, methods[i]);
        }
    }
    Clip mono = small_clip;
    mono.pix_fmt = VMAF_PIX_FMT_YUV400P;
    mono.keys[1] = mono.keys[2];
    mono.keys[2] = NULL;
    score(&mono, DEVICE);
}

CASE(given_features_of_the_cpu_then_each_picture_is_downloaded_once)
{
    const MembufExtension *device = membuf_of("cuda");
    Clip clip = small_clip;
    clip.n_threads = 3;
    clip.features[3] = "float_ssim";
    clip.features[4] = "speed_temporal";
    clip.w = 256;
    clip.h = 192;
    unsigned before = device->n_downloads();
    score(&clip, DEVICE);
    assert_int_equal(device->n_downloads() - before, 2 * clip.n_frames);

    clip = small_clip; /* and none without need */
    clip.features[2] = NULL;
    clip.keys[3] = NULL;
    before = device->n_downloads();
    Run run = open_run(&clip, DEVICE);
    read_frames(&run, DEVICE);
    assert_int_equal(device->n_downloads() - before, 0);
    close_run(&run);
}

CASE(given_every_frame_is_checked_then_pictures_are_downloaded_and_counted)
{
    const MembufExtension *device = membuf_of("cuda");
    Clip clip = small_clip;
    clip.n_threads = 1;
    clip.features[2] = NULL; /* nothing for the CPU */
    clip.keys[3] = NULL;
    const int methods[] = {DEVICE, PINNED};
    for (unsigned i = 0; i < 2; i++) {
        const unsigned expected = methods[i] == DEVICE ? 2 * clip.n_frames : 0;
        const unsigned before = device->n_downloads();
        setenv("VMAF_BACKEND_SPOT_CHECK", "1", 1);
        Run run = open_run(&clip, methods[i]);
        read_frames(&run, methods[i]);
        setenv("VMAF_BACKEND_SPOT_CHECK", "0", 1);
        const VmafBackendStatus status = clip_status(run.vmaf);
        assert_int_equal(status.spot_checks, clip.n_frames);
        assert_int_equal(status.spot_check_downloads, expected);
        assert_int_equal(device->n_downloads() - before, expected);
        close_run(&run);
    }
}

CASE(given_nothing_for_the_backend_then_the_cpu_scores_device_pictures)
{
    Clip clip = small_clip;
    clip.features[0] = "vif";
    clip.features[1] = NULL;
    clip.keys[0] = "VMAF_integer_feature_vif_scale0_score";
    clip.keys[1] = NULL;
    Run run = open_run(&clip, DEVICE);
    read_frames(&run, DEVICE);
    clip_check(&clip, run.vmaf);
    close_run(&run);
}

/* Features that look back keep pictures of the ring, which must not be what a fetch waits for. */
CASE(given_features_that_look_back_two_pairs_then_the_ring_is_never_exhausted)
{
    Clip clip = small_clip;
    clip.w = 256;
    clip.h = 192;
    clip.features[1] = "motion:motion_five_frame_window";
    clip.features[3] = "speed_temporal";
    for (clip.n_threads = 0; clip.n_threads < 3; clip.n_threads++) {
        Run run = open_run(&clip, DEVICE);
        alarm(1800);
        read_frames(&run, DEVICE);
        alarm(0);
        close_run(&run);
    }
}

static void *give_back_later(void *pic)
{
    usleep(50000);
    vmaf_picture_unref(pic);
    return NULL;
}

CASE(given_an_exhausted_ring_then_a_fetch_waits_for_a_picture)
{
    Run run = open_run(&small_clip, DEVICE);
    VmafPicture pics[RING_SIZE];
    for (int i = 0; i < RING_SIZE; i++)
        pics[i] = fetch(&run);
    const void *address = pics[2].data[0];
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, give_back_later, &pics[2]), 0);
    alarm(1800);
    VmafPicture again = fetch(&run);
    alarm(0);
    pthread_join(thread, NULL);
    assert_ptr_equal(again.data[0], address);
    assert_null(pics[2].ref);
    assert_int_equal(vmaf_picture_unref(&again), 0);
    for (int i = 0; i < RING_SIZE; i++)
        vmaf_picture_unref(&pics[i]);
    close_run(&run);
}

static VmafPicture make(const Run *run, int method)
{
    VmafPicture pic = method == HOST ? clip_picture(run->clip) : fetch(run);
    fill(run, &pic, method, 0, false);
    return pic;
}

/* A pair that is rejected stays the caller's, and the ring is full once he has released it. */
static void reject_pair(const Run *run, const Run *of_ref, int ref_method, const Run *of_dist,
                        int dist_method)
{
    VmafPicture ref = make(of_ref, ref_method), dist = make(of_dist, dist_method);
    assert_int_equal(vmaf_read_pictures(run->vmaf, &ref, &dist, 7), -EINVAL);
    assert_int_equal(vmaf_picture_unref(&ref), 0);
    assert_int_equal(vmaf_picture_unref(&dist), 0);
}

static void expect_full_ring(const Run *run)
{
    VmafPicture pics[RING_SIZE];
    alarm(1800);
    for (int i = 0; i < RING_SIZE; i++)
        pics[i] = fetch(run);
    alarm(0);
    for (int i = 0; i < RING_SIZE; i++)
        vmaf_picture_unref(&pics[i]);
}

CASE(given_mixed_kinds_of_memory_then_the_pair_is_refused_and_nothing_leaks)
{
    Run run = open_run(&small_clip, DEVICE), pinned = open_run(&small_clip, PINNED);
    for (int i = 0; i < 3; i++) {
        reject_pair(&run, &run, DEVICE, &run, HOST);
        reject_pair(&run, &run, HOST, &run, DEVICE);
        reject_pair(&run, &run, DEVICE, &pinned, PINNED);
        reject_pair(&run, &pinned, PINNED, &run, HOST);
        expect_full_ring(&run);
    }
    for (unsigned f = 0; f < 3; f++) /* and the context goes on */
        assert_int_equal(read_frame(&run, DEVICE, f), 0);
    assert_int_equal(vmaf_read_pictures(run.vmaf, NULL, NULL, 0), 0);
    assert_int_equal(vmaf_close(pinned.vmaf), 0);
    assert_int_equal(vmaf_cuda_state_free(pinned.cuda), 0);
    close_run(&run);
}

CASE(given_a_picture_of_a_device_that_the_context_does_not_use_then_it_is_refused)
{
    Run run = open_run(&small_clip, DEVICE);
    Run automatic = {&small_clip, NULL, clip_context(&small_clip)};
    clip_use_features(&small_clip, automatic.vmaf);
    reject_pair(&automatic, &run, DEVICE, &run, DEVICE);

    Run other = {&small_clip, NULL, clip_context(&small_clip)};
    VmafHipState *hip;
    assert_int_equal(vmaf_hip_state_init(&hip, (VmafHipConfiguration){.device_index = -1}), 0);
    assert_int_equal(vmaf_hip_import_state(other.vmaf, hip), 0);
    clip_use_features(&small_clip, other.vmaf);
    reject_pair(&other, &run, DEVICE, &run, DEVICE);
    expect_full_ring(&run);

    /* Memory that a device reads is memory of the host to others. */
    assert_int_equal(vmaf_close(run.vmaf), 0);
    assert_int_equal(vmaf_cuda_state_free(run.cuda), 0);
    Run pinned = open_run(&small_clip, PINNED);
    Scores scores[2];
    const Run *users[] = {&automatic, &other};
    for (int i = 0; i < 2; i++) {
        for (unsigned f = 0; f < small_clip.n_frames; f++) {
            VmafPicture ref = fetch(&pinned), dist = fetch(&pinned);
            clip_draw(&ref, f, false);
            clip_draw(&dist, f, true);
            assert_int_equal(vmaf_read_pictures(users[i]->vmaf, &ref, &dist, f), 0);
        }
        assert_int_equal(vmaf_read_pictures(users[i]->vmaf, NULL, NULL, 0), 0);
        clip_ask(&small_clip, users[i]->vmaf, &scores[i]);
        assert_true(clip_is_true(&small_clip, &scores[i]));
        assert_int_equal(vmaf_close(users[i]->vmaf), 0);
    }
    vmaf_hip_state_free(&hip);
    assert_null(hip);
    close_run(&pinned);
}

CASE(given_a_device_that_is_lost_then_the_run_fails_and_pictures_return)
{
    const MembufExtension *device = membuf_of("cuda");
    for (unsigned n_threads = 0; n_threads < 3; n_threads++) {
        Clip clip = small_clip;
        clip.n_threads = n_threads;
        Run run = open_run(&clip, DEVICE);
        device->lose_device_at(3);
        alarm(1800);
        int err = 0;
        for (unsigned f = 0; f < clip.n_frames && !err; f++)
            err = read_frame(&run, DEVICE, f);
        if (!err)
            err = vmaf_read_pictures(run.vmaf, NULL, NULL, 0);
        assert_int_equal(err, -ENODEV);
        alarm(0);
        device->lose_device_at(UINT64_MAX);
        const VmafBackendStatus status = clip_status(run.vmaf);
        assert_int_equal(status.phase, VMAF_BACKEND_PHASE_FAILED);
        close_run(&run);
    }
}

CASE(given_calls_in_the_wrong_order_then_they_are_refused)
{
    VmafPicture pic;
    VmafCudaState *cuda, *second;
    assert_int_equal(vmaf_cuda_state_init(NULL, (VmafCudaConfiguration){NULL}), -EINVAL);
    assert_int_equal(vmaf_cuda_state_init(&cuda, (VmafCudaConfiguration){NULL}), 0);
    assert_int_equal(vmaf_cuda_state_init(&second, (VmafCudaConfiguration){NULL}), 0);
    Run run = {&small_clip, cuda, clip_context(&small_clip)};

    /* without a state */
    assert_int_equal(preallocate(&run, DEVICE), -EINVAL);
    assert_int_equal(vmaf_cuda_fetch_preallocated_picture(run.vmaf, &pic), -EINVAL);
    assert_int_equal(vmaf_cuda_import_state(run.vmaf, NULL), -EINVAL);
    assert_int_equal(vmaf_cuda_import_state(NULL, cuda), -EINVAL);

    assert_int_equal(vmaf_cuda_import_state(run.vmaf, cuda), 0);
    assert_int_equal(vmaf_cuda_import_state(run.vmaf, cuda), -EBUSY);
    assert_int_equal(vmaf_cuda_import_state(run.vmaf, second), -EBUSY);
    const VmafBackendStatus status = clip_status(run.vmaf);
    assert_string_equal(status.name, "cuda");
    assert_int_equal(vmaf_backend_select(run.vmaf, "hip", -1), -EBUSY);

    /* of pictures */
    assert_int_equal(vmaf_cuda_fetch_preallocated_picture(run.vmaf, &pic), -EINVAL);
    assert_int_equal(preallocate(&run, NONE), 0);
    assert_int_equal(vmaf_cuda_fetch_preallocated_picture(run.vmaf, &pic), -EINVAL);
    assert_int_equal(preallocate(&run, 4), -EINVAL);
    Clip wrong = small_clip;
    run.clip = &wrong;
    wrong.w = 0;
    assert_int_equal(preallocate(&run, DEVICE), -EINVAL);
    wrong = small_clip;
    wrong.bpc = 7;
    assert_int_equal(preallocate(&run, DEVICE), -EINVAL);
    wrong = small_clip;
    wrong.pix_fmt = VMAF_PIX_FMT_UNKNOWN;
    assert_int_equal(preallocate(&run, HOST), -EINVAL);
    run.clip = &small_clip;
    assert_int_equal(preallocate(&run, DEVICE), 0);
    assert_int_equal(preallocate(&run, DEVICE), -EBUSY);
    assert_int_equal(vmaf_cuda_fetch_preallocated_picture(run.vmaf, NULL), -EINVAL);

    /* a state in two contexts, after a feature, after another backend, after another state */
    VmafContext *other = clip_context(&small_clip);
    assert_int_equal(vmaf_cuda_import_state(other, cuda), -EBUSY);
    clip_use_features(&small_clip, other);
    assert_int_equal(vmaf_cuda_import_state(other, second), -EINVAL);
    vmaf_close(other);
    other = clip_context(&small_clip);
    assert_int_equal(vmaf_backend_select(other, "hip", -1), 0);
    assert_int_equal(vmaf_cuda_import_state(other, second), -EBUSY);
    vmaf_close(other);
    other = clip_context(&small_clip);
    assert_int_equal(vmaf_backend_select(other, "cpu", -1), 0);
    assert_int_equal(vmaf_cuda_import_state(other, second), -EBUSY);
    vmaf_close(other);
    assert_int_equal(vmaf_cuda_state_free(second), 0); /* never imported */
    close_run(&run);
}

CASE(given_any_order_of_ends_then_nothing_is_left)
{
    for (int order = 0; order < 4; order++) {
        Run run = open_run(&small_clip, DEVICE);
        for (unsigned f = 0; f < 3; f++)
            assert_int_equal(read_frame(&run, DEVICE, f), 0);
        VmafPicture held = fetch(&run);
        if (order & 1)
            vmaf_cuda_state_free(run.cuda);
        assert_int_equal(read_frame(&run, DEVICE, 3), 0);
        if (order & 2)
            vmaf_picture_unref(&held);
        assert_int_equal(vmaf_close(run.vmaf), 0);
        if (!(order & 1))
            vmaf_cuda_state_free(run.cuda);
        if (!(order & 2)) {
            assert_false(membuf_is_clean("cuda"));
            clip_write(&small_clip, "cuda", &held, 0, false); /* it is still there */
            assert_int_equal(vmaf_picture_unref(&held), 0);
        }
        assert_true(membuf_is_clean("cuda"));
    }
}

CASE(given_a_state_whose_context_was_closed_then_another_one_can_have_it)
{
    Run run = open_run(&small_clip, DEVICE);
    assert_int_equal(vmaf_close(run.vmaf), 0);
    run.vmaf = clip_context(&small_clip);
    assert_int_equal(vmaf_cuda_import_state(run.vmaf, run.cuda), 0);
    assert_int_equal(preallocate(&run, DEVICE), 0);
    clip_use_features(&small_clip, run.vmaf);
    assert_int_equal(read_frame(&run, DEVICE, 0), 0);
    close_run(&run);
}

CASE(given_a_context_of_the_application_then_its_device_is_used)
{
    int application;
    Run run = open_run_in(&application, &small_clip, DEVICE);
    read_frames(&run, DEVICE);
    clip_check(&small_clip, run.vmaf);
    close_run(&run);
}

/* ---- in the manner of FFmpeg's filter libvmaf_cuda ---- */

/* What the program writes of a picture. */
typedef enum Written { LUMA_ONLY, ALL_PLANES } Written;

static void write_picture(const Clip *clip, const VmafPicture *pic, unsigned frame, bool distorted,
                          Written written)
{
    for (unsigned p = 0; p < (written == ALL_PLANES ? 3 : 1); p++)
        clip_write_plane(clip, "cuda", p, (uint64_t)(uintptr_t)pic->data[p], pic->stride[p], frame,
                         distorted);
}

/* Opens in the filter's order: the features come after the pictures. */
static Run open_filter(const Clip *clip, const char *model_version, VmafModel **model)
{
    static int application;
    Run run = {.clip = clip, .vmaf = clip_context(clip)};
    assert_int_equal(vmaf_cuda_state_init(&run.cuda, (VmafCudaConfiguration){&application}), 0);
    assert_int_equal(vmaf_cuda_import_state(run.vmaf, run.cuda), 0);
    assert_int_equal(preallocate(&run, DEVICE), 0);
    if (model_version) {
        VmafModelConfig cfg = {.name = "vmaf"};
        assert_int_equal(vmaf_model_load(model, &cfg, model_version), 0);
        assert_int_equal(vmaf_use_features_from_model(run.vmaf, *model), 0);
    }
    clip_use_features(clip, run.vmaf);
    return run;
}

static int filter_frame(const Run *run, unsigned frame, Written written)
{
    VmafPicture ref = fetch(run), dist = fetch(run);
    write_picture(run->clip, &ref, frame, false, written);
    write_picture(run->clip, &dist, frame, true, written);
    int err = vmaf_read_pictures(run->vmaf, &ref, &dist, frame);
    if (err) {
        assert_int_equal(vmaf_picture_unref(&ref), 0);
        assert_int_equal(vmaf_picture_unref(&dist), 0);
    }
    return err;
}

static void filter_frames(const Run *run, Written written)
{
    for (unsigned f = 0; f < run->clip->n_frames; f++)
        assert_int_equal(filter_frame(run, f, written), 0);
    assert_int_equal(vmaf_read_pictures(run->vmaf, NULL, NULL, 0), 0);
}

static void expect_reason(const Run *run, const char *reason)
{
    const VmafBackendStatus status = clip_status(run->vmaf);
    assert_string_equal(status.reason, reason);
}

CASE(given_luma_alone_and_features_of_luma_then_they_are_scored)
{
    const MembufExtension *device = membuf_of("cuda");
    for (unsigned deep = 0; deep < 2; deep++) {
        Clip clip = luma_clip;
        clip.bpc = deep ? 10 : 8;
        const unsigned before = device->n_planes_downloaded();
        Run run = open_filter(&clip, NULL, NULL);
        filter_frames(&run, LUMA_ONLY);
        clip_check(&clip, run.vmaf);
        assert_string_equal(clip_backend_of(run.vmaf, "vif"), "cpu");
        close_run(&run);
        /* What stays on the CPU has downloaded luma, and nothing else. */
        assert_int_equal(device->n_planes_downloaded() - before, 2 * clip.n_frames);
    }
}

CASE(given_luma_alone_and_a_model_with_chroma_then_reading_fails_and_says_why)
{
    if (!membuf_of("cuda")->marks) /* its interface has none */
        skip();
    for (unsigned deep = 0; deep < 2; deep++) {
        Clip clip = {.w = 352, .h = 288, .bpc = deep ? 10 : 8, .pix_fmt = VMAF_PIX_FMT_YUV420P};
        VmafModel *model;
        Run run = open_filter(&clip, "vmaf_v1.0.16_3d0h", &model);
        for (unsigned attempt = 0; attempt < 6; attempt++) {
            assert_int_equal(filter_frame(&run, 0, LUMA_ONLY), -EINVAL);
            expect_reason(&run, "this program hands over luma only; speed_chroma needs chroma");
        }
        double score;
        assert_true(vmaf_score_at_index(run.vmaf, model, &score, 0) < 0);
        /* The same context goes on once the program fills chroma. */
        for (unsigned f = 0; f < 3; f++)
            assert_int_equal(filter_frame(&run, f, ALL_PLANES), 0);
        assert_int_equal(vmaf_read_pictures(run.vmaf, NULL, NULL, 0), 0);
        assert_int_equal(vmaf_score_at_index(run.vmaf, model, &score, 2), 0);
        vmaf_model_destroy(model);
        close_run(&run);
    }
}

static double score_on_cpu(const Clip *clip, const char *model_version)
{
    VmafModelConfig cfg = {.name = "vmaf"};
    VmafModel *model;
    VmafContext *vmaf = clip_context(clip);
    double score = -1;
    assert_int_equal(vmaf_backend_select(vmaf, "cpu", -1), 0);
    assert_int_equal(vmaf_model_load(&model, &cfg, model_version), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    clip_read(clip, vmaf);
    assert_int_equal(
        vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, clip->n_frames - 1), 0);
    vmaf_model_destroy(model);
    vmaf_close(vmaf);
    return score;
}

/* More frames than are looked at. */
CASE(given_chroma_as_well_then_models_score_as_on_the_cpu)
{
    for (unsigned deep = 0; deep < 2; deep++) {
        Clip clip = {.w = 352,
                     .h = 288,
                     .bpc = deep ? 10 : 8,
                     .pix_fmt = VMAF_PIX_FMT_YUV420P,
                     .n_frames = 12};
        VmafModel *model;
        double score = -1;
        Run run = open_filter(&clip, "vmaf_v1.0.16_3d0h", &model);
        filter_frames(&run, ALL_PLANES);
        assert_int_equal(
            vmaf_score_pooled(run.vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, clip.n_frames - 1),
            0);
        vmaf_model_destroy(model);
        close_run(&run);
        assert_true(score == score_on_cpu(&clip, "vmaf_v1.0.16_3d0h"));
    }
}

CASE(given_one_picture_without_chroma_then_the_pair_is_refused)
{
    const MembufExtension *device = membuf_of("cuda");
    if (!device->marks)
        skip();
    Run run = open_filter(&small_clip, NULL, NULL);
    for (unsigned missing = 0; missing < 2; missing++) {
        VmafPicture ref = fetch(&run), dist = fetch(&run);
        write_picture(&small_clip, &ref, 0, false, missing == 0 ? LUMA_ONLY : ALL_PLANES);
        write_picture(&small_clip, &dist, 0, true, missing == 1 ? LUMA_ONLY : ALL_PLANES);
        assert_int_equal(vmaf_read_pictures(run.vmaf, &ref, &dist, 0), -EINVAL);
        expect_reason(&run, "this program hands over luma only; psnr needs chroma");
        vmaf_picture_unref(&ref);
        vmaf_picture_unref(&dist);
    }
    /* One plane of chroma that is missing is enough. */
    VmafPicture ref = fetch(&run), dist = fetch(&run);
    write_picture(&small_clip, &ref, 0, false, ALL_PLANES);
    write_picture(&small_clip, &dist, 0, true, LUMA_ONLY);
    clip_write_plane(&small_clip, "cuda", 1, (uint64_t)(uintptr_t)dist.data[1], dist.stride[1], 0,
                     true);
    assert_int_equal(vmaf_read_pictures(run.vmaf, &ref, &dist, 0), -EINVAL);
    vmaf_picture_unref(&ref);
    vmaf_picture_unref(&dist);
    close_run(&run);
}

/* Looking is a wait for the device each time. */
CASE(given_a_program_that_fills_its_pictures_then_they_are_looked_at_for_a_while)
{
    const MembufExtension *device = membuf_of("cuda");
    if (!device->marks)
        skip();
    Clip clip = small_clip;
    clip.n_frames = CLIP_MAX_FRAMES;
    Run run = open_filter(&clip, NULL, NULL);
    const unsigned before = device->marks();
    for (unsigned f = 0; f < clip.n_frames; f++)
        assert_int_equal(filter_frame(&run, f, ALL_PLANES), 0);
    assert_in_range(device->marks() - before, 16, 16 + RING_SIZE);
    close_run(&run);

    run = open_filter(&luma_clip, NULL, NULL); /* only until it is known that nobody needs chroma */
    const unsigned luma = device->marks();
    for (unsigned f = 0; f < luma_clip.n_frames; f++)
        assert_int_equal(filter_frame(&run, f, LUMA_ONLY), 0);
    assert_in_range(device->marks() - luma, 1, 2);
    close_run(&run);
}
