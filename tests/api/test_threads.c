/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Contexts and threads: scores and reports do not depend on their number. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/api_support.h"
#include "engine/context.h"
#include "engine/frame_queue.h"
#include "support/cases.h"

/* The number of workers affects the speed only. Meant for the thread sanitizer. */

enum { N_FRAMES = 12 };

static VmafContext *context_for_reports(unsigned n_threads, unsigned n_subsample, VmafModel *model,
                                        VmafModelCollection *collection)
{
    VmafContext *vmaf = open_with_model(n_threads, n_subsample, model);
    assert_success(vmaf_use_features_from_model_collection(vmaf, collection));
    use(vmaf, "psnr", options("enable_apsnr", "true", "enable_mse", "true", NULL));
    use(vmaf, "vif", options("vif_enhn_gain_limit", "1", "debug", "true", NULL));
    use(vmaf, "motion", options("motion_five_frame_window", "true", NULL));
    return vmaf;
}

static void expect_equal_reports(VmafContext *vmaf, char *expected[VMAF_OUTPUT_FORMAT_SUB + 1])
{
    for (int format = VMAF_OUTPUT_FORMAT_XML; format <= VMAF_OUTPUT_FORMAT_SUB; format++) {
        char *text = report_text(vmaf, (enum VmafOutputFormat)format);
        if (!expected[format])
            expected[format] = strdup(text);
        assert_string_equal(text, expected[format]);
        free(text);
    }
}

CASE(reports_are_equal_for_all_thread_counts)
{
    static const unsigned thread_counts[] = {0, 1, 2, 7}, subsamplings[] = {0, 3};
    VmafModelConfig cfg = {.name = "bootstrap"};
    VmafModel *model = load_model("vmaf_v0.6.1"), *base;
    VmafModelCollection *collection;
    assert_success(vmaf_model_collection_load(&base, &collection, &cfg, "vmaf_b_v0.6.3"));
    for (unsigned s = 0; s < 2; s++) {
        char *expected[VMAF_OUTPUT_FORMAT_SUB + 1] = {0};
        for (unsigned t = 0; t < 4; t++) {
            VmafContext *vmaf =
                context_for_reports(thread_counts[t], subsamplings[s], model, collection);
            read_clip(vmaf, clip_f, N_FRAMES);
            double score;
            VmafModelCollectionScore figures;
            assert_success(
                vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, N_FRAMES - 1));
            assert_success(vmaf_score_pooled_model_collection(
                vmaf, collection, VMAF_POOL_METHOD_MEAN, &figures, 0, N_FRAMES - 1));
            expect_equal_reports(vmaf, expected);
            assert_success(vmaf_close(vmaf));
        }
        for (int format = VMAF_OUTPUT_FORMAT_XML; format <= VMAF_OUTPUT_FORMAT_SUB; format++)
            free(expected[format]);
    }
    vmaf_model_destroy(model);
    vmaf_model_destroy(base);
    vmaf_model_collection_destroy(collection);
}

/* Workers share frames if there are too few: around the smallest height for that, and odd ones. */
CASE(few_frames_are_shared_and_reports_stay_equal)
{
    static const unsigned heights[] = {95, 96, 97, 163, 290}, counts[] = {1, 2, 3};
    static const unsigned thread_counts[] = {0, 2, 3, 7};
    VmafModelConfig cfg = {.name = "bootstrap"};
    VmafModel *model = load_model("vmaf_v0.6.1"), *base;
    VmafModelCollection *collection;
    assert_success(vmaf_model_collection_load(&base, &collection, &cfg, "vmaf_b_v0.6.3"));
    for (unsigned k = 0; k < 15; k++) {
        const Shape shape = {VMAF_PIX_FMT_YUV420P, k % 2 ? 10 : 8, 131, heights[k / 3]};
        char *expected[VMAF_OUTPUT_FORMAT_SUB + 1] = {0};
        for (unsigned t = 0; t < 4; t++) {
            VmafContext *vmaf = context_for_reports(thread_counts[t], 0, model, collection);
            read_clip(vmaf, shape, counts[k % 3]);
            expect_equal_reports(vmaf, expected);
            const uint64_t n_bands = frame_queue_band_count(vmaf->queue);
            if (!thread_counts[t] || shape.h < 96)
                assert_int_equal(n_bands, 0);
            else if (counts[k % 3] == 1)
                assert_true(n_bands >= 2 * 4); /* vif, adm, motion, psnr */
            assert_success(vmaf_close(vmaf));
        }
        for (int format = VMAF_OUTPUT_FORMAT_XML; format <= VMAF_OUTPUT_FORMAT_SUB; format++)
            free(expected[format]);
    }
    vmaf_model_destroy(model);
    vmaf_model_destroy(base);
    vmaf_model_collection_destroy(collection);
}

/* One of several contexts that share only models. */
typedef struct Stream {
    unsigned number;
    VmafModel *model;
    VmafModelCollection *collection;
    double scores[N_FRAMES], bagging;
    int failures; /* cmocka's assertions belong to the main thread */
} Stream;

static int feed(VmafContext *vmaf, unsigned frame)
{
    VmafPicture ref, dist;
    int err = vmaf_picture_alloc(&ref, clip_f.pix_fmt, clip_f.bpc, clip_f.w, clip_f.h);
    if (!err)
        err = vmaf_picture_alloc(&dist, clip_f.pix_fmt, clip_f.bpc, clip_f.w, clip_f.h);
    if (err)
        return err;
    fill_picture(&ref, false, frame);
    fill_picture(&dist, true, frame);
    return vmaf_read_pictures(vmaf, &ref, &dist, frame);
}

static void *run_stream(void *argument)
{
    Stream *stream = argument;
    VmafContext *vmaf;
    VmafConfiguration cfg = {.n_threads = stream->number % 4};
    if (vmaf_init(&vmaf, cfg)) {
        stream->failures++;
        return NULL;
    }
    stream->failures += vmaf_use_features_from_model(vmaf, stream->model) != 0;
    stream->failures += vmaf_use_features_from_model_collection(vmaf, stream->collection) != 0;
    for (unsigned i = 0; i < N_FRAMES; i++) {
        stream->failures += feed(vmaf, i) != 0;
        if (i > 0)
            stream->failures +=
                vmaf_score_at_index(vmaf, stream->model, &stream->scores[i - 1], i - 1) != 0;
    }
    stream->failures += vmaf_read_pictures(vmaf, NULL, NULL, 0) != 0;
    stream->failures +=
        vmaf_score_at_index(vmaf, stream->model, &stream->scores[N_FRAMES - 1], N_FRAMES - 1) != 0;
    VmafModelCollectionScore figures = {0};
    stream->failures +=
        vmaf_score_pooled_model_collection(vmaf, stream->collection, VMAF_POOL_METHOD_MEAN,
                                           &figures, 0, N_FRAMES - 1) != 0;
    stream->bagging = figures.bootstrap.bagging_score;
    stream->failures += vmaf_close(vmaf) != 0;
    return NULL;
}

CASE(contexts_in_different_threads_are_independent)
{
    enum { N_STREAMS = 8 };
    VmafModelConfig cfg = {.name = "bootstrap"};
    VmafModel *model = load_model("vmaf_v0.6.1"), *base;
    VmafModelCollection *collection;
    assert_success(vmaf_model_collection_load(&base, &collection, &cfg, "vmaf_b_v0.6.3"));
    Stream streams[N_STREAMS];
    pthread_t threads[N_STREAMS];
    for (unsigned i = 0; i < N_STREAMS; i++) {
        streams[i] = (Stream){.number = i, .model = model, .collection = collection};
        assert_success(pthread_create(&threads[i], NULL, run_stream, &streams[i]));
    }
    for (unsigned i = 0; i < N_STREAMS; i++)
        assert_success(pthread_join(threads[i], NULL));
    expect_score(streams[0].scores[0], 88.088684460453138);
    expect_score(streams[0].scores[3], 97.6126093470737);
    for (unsigned i = 0; i < N_STREAMS; i++) {
        assert_int_equal(streams[i].failures, 0);
        for (unsigned f = 0; f < N_FRAMES; f++)
            expect_score(streams[i].scores[f], streams[0].scores[f]);
        expect_score(streams[i].bagging, streams[0].bagging);
    }
    vmaf_model_destroy(model);
    vmaf_model_destroy(base);
    vmaf_model_collection_destroy(collection);
}

/* A deadlock fails the test by its time limit. */
static void run_with_pool(unsigned n_threads, unsigned n_pictures)
{
    VmafContext *vmaf = open_context(n_threads, 0);
    VmafModel *model = load_model("vmaf_v0.6.1");
    VmafPictureConfiguration cfg = {{clip_f.w, clip_f.h, clip_f.bpc, clip_f.pix_fmt}, n_pictures};
    assert_success(vmaf_preallocate_pictures(vmaf, cfg));
    assert_success(vmaf_use_features_from_model(vmaf, model));
    use(vmaf, "motion", options("motion_five_frame_window", "true", NULL));
    for (unsigned i = 0; i < 3 * N_FRAMES; i++) {
        VmafPicture ref, dist;
        assert_success(vmaf_fetch_preallocated_picture(vmaf, &ref));
        assert_success(vmaf_fetch_preallocated_picture(vmaf, &dist));
        fill_picture(&ref, false, i);
        fill_picture(&dist, true, i);
        assert_success(vmaf_read_pictures(vmaf, &ref, &dist, i));
    }
    assert_success(flush(vmaf));
    expect_score(model_score(vmaf, model, 0), 88.088684460453138);
    expect_score(model_score(vmaf, model, 3), 97.6126093470737);
    close_with_model(vmaf, model);
}

CASE(the_smallest_pools_do_not_block_for_ever)
{
    run_with_pool(0, 4);
    static const unsigned thread_counts[] = {1, 2, 3, 7};
    for (unsigned t = 0; t < 4; t++) {
        run_with_pool(thread_counts[t], 2 * (thread_counts[t] + 1) + 1);
        run_with_pool(thread_counts[t], 4);
    }
}

CASE(contexts_close_while_frames_are_in_work)
{
    for (unsigned round = 0; round < 20; round++) {
        VmafContext *vmaf = open_with_features(1 + round % 5, 0, "adm", "vif", "motion", NULL);
        read_frames(vmaf, clip_f, 1 + round % 7);
        assert_success(vmaf_close(vmaf));
    }
}

CASE(pool_pictures_outlive_contexts_with_workers)
{
    VmafPicture kept[2];
    VmafContext *vmaf = open_context(3, 0);
    VmafPictureConfiguration cfg = {{clip_f.w, clip_f.h, clip_f.bpc, clip_f.pix_fmt}, 12};
    assert_success(vmaf_preallocate_pictures(vmaf, cfg));
    use(vmaf, "vif", NULL);
    use(vmaf, "motion", NULL);
    for (unsigned k = 0; k < 2; k++)
        assert_success(vmaf_fetch_preallocated_picture(vmaf, &kept[k]));
    for (unsigned i = 0; i < 6; i++) {
        VmafPicture pair[2];
        for (unsigned k = 0; k < 2; k++) {
            assert_success(vmaf_fetch_preallocated_picture(vmaf, &pair[k]));
            fill_picture(&pair[k], k, i);
        }
        assert_success(vmaf_read_pictures(vmaf, &pair[0], &pair[1], i));
    }
    assert_success(vmaf_close(vmaf));
    for (unsigned k = 0; k < 2; k++) {
        fill_picture(&kept[k], k, k);
        assert_success(vmaf_picture_unref(&kept[k]));
    }
}

/* Releases come from workers; each picture is released exactly once. */
static void count_down(void *cookie)
{
    __atomic_sub_fetch((int *)cookie, 1, __ATOMIC_SEQ_CST);
}

CASE(wrapped_pictures_are_released_once_by_workers)
{
    static unsigned char samples[96 * 64];
    void *const data[3] = {samples, samples, samples};
    const ptrdiff_t stride[3] = {96, 48, 48};
    for (unsigned n_threads = 0; n_threads < 5; n_threads += 4) {
        int outstanding = 2 * N_FRAMES;
        VmafContext *vmaf = open_with_features(n_threads, 0, "vif", "motion", "psnr", NULL);
        for (unsigned i = 0; i < N_FRAMES; i++) {
            VmafPicture pair[2];
            for (unsigned k = 0; k < 2; k++)
                assert_success(vmaf_picture_wrap(&pair[k], clip_f.pix_fmt, 8, 96, 64, data, stride,
                                                 count_down, &outstanding));
            assert_success(vmaf_read_pictures(vmaf, &pair[0], &pair[1], i));
        }
        assert_success(flush(vmaf));
        assert_int_equal(__atomic_load_n(&outstanding, __ATOMIC_SEQ_CST), 0);
        assert_success(vmaf_close(vmaf));
        assert_int_equal(outstanding, 0);
    }
}

/* All extractors in one context: reports do not depend on the number of threads. */

/* Extractors whose records merge, so that several workers can share a frame. */
enum { N_DIVISIBLE = 8 };

static char *report_with_threads(unsigned n_threads, unsigned n_frames)
{
    static const Shape shape = {VMAF_PIX_FMT_YUV420P, 8, 332, 182};
    VmafContext *vmaf = open_context(n_threads, 0);
    VmafExtractorInfo info = {.struct_size = sizeof(info)};
    for (unsigned e = 0; !vmaf_extractor_info(e, &info); e++)
        use(vmaf, info.name, NULL);
    /* A second instance of some, with work in common. */
    use(vmaf, "vif", options("vif_enhn_gain_limit", "1", NULL));
    use(vmaf, "adm", options("adm_enhn_gain_limit", "1", NULL));
    use(vmaf, "motion", options("motion_five_frame_window", "true", NULL));
    use(vmaf, "float_vif", options("vif_enhn_gain_limit", "1", NULL));
    use(vmaf, "float_adm", options("adm_enhn_gain_limit", "1", NULL));
    use(vmaf, "psnr", options("enable_mse", "true", NULL));
    read_clip(vmaf, shape, n_frames);
    /* A single frame leaves no other work for the second thread. */
    if (n_threads < 2)
        assert_int_equal(frame_queue_band_count(vmaf->queue), 0);
    else if (n_frames == 1)
        assert_true(frame_queue_band_count(vmaf->queue) >= 2 * N_DIVISIBLE);
    char *text = report_text(vmaf, VMAF_OUTPUT_FORMAT_XML);
    assert_success(vmaf_close(vmaf));
    return text;
}

CASE(given_all_extractors_then_threads_change_no_byte)
{
#ifdef __SANITIZE_THREAD__ /* which makes it thirty times slower */
    static const unsigned threads[] = {2, 7}, frames[] = {1, 4};
#else
    static const unsigned threads[] = {1, 2, 3, 7}, frames[] = {1, 2, 6};
#endif
    for (unsigned f = 0; f < sizeof(frames) / sizeof(frames[0]); f++) {
        char *serial = report_with_threads(0, frames[f]);
        for (unsigned i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
            char *parallel = report_with_threads(threads[i], frames[f]);
            assert_string_equal(serial, parallel);
            free(parallel);
        }
        free(serial);
    }
}
