/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Uses the installed library in the order in which FFmpeg's libvmaf filter does: models with
 * overloads, features with options, a pair of pictures per frame copied plane by plane, pooled
 * scores and a report at the end, models destroyed before the context.
 */
#include <libvmaf.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 96, HEIGHT = 64, N_FRAMES = 5, N_MODELS = 2 };

typedef struct Filter {
    VmafContext *vmaf;
    VmafModel *model[N_MODELS];
    unsigned frame_count;
} Filter;

static int fail(const char *what)
{
    fprintf(stderr, "problem with %s\n", what);
    return -1;
}

static int load_models(Filter *filter)
{
    VmafModelConfig plain = {.name = "vmaf", .flags = VMAF_MODEL_FLAGS_DEFAULT};
    if (vmaf_model_load(&filter->model[0], &plain, "vmaf_v0.6.1"))
        return fail("vmaf_model_load");

    /* version=vmaf_v0.6.1:name=overloaded:adm.adm_enhn_gain_limit=1.0:vif.vif_enhn_gain_limit=1.0
     * equals vmaf_v0.6.1neg. */
    static const char *const overloads[][3] = {{"adm", "adm_enhn_gain_limit", "1.0"},
                                               {"vif", "vif_enhn_gain_limit", "1.0"}};
    VmafModelConfig named = {.name = "overloaded", .flags = VMAF_MODEL_FLAGS_DEFAULT};
    if (vmaf_model_load(&filter->model[1], &named, "vmaf_v0.6.1"))
        return fail("vmaf_model_load");
    for (int i = 0; i < 2; i++) {
        VmafFeatureDictionary *dict = NULL;
        if (vmaf_feature_dictionary_set(&dict, overloads[i][1], overloads[i][2]))
            return fail("vmaf_feature_dictionary_set");
        if (vmaf_model_feature_overload(filter->model[1], overloads[i][0], dict))
            return fail("vmaf_model_feature_overload");
    }
    return 0;
}

static int init(Filter *filter, unsigned n_threads)
{
    VmafConfiguration cfg = {
        .log_level = VMAF_LOG_LEVEL_WARNING,
        .n_threads = n_threads,
        .n_subsample = 1,
        .cpumask = 0,
    };
    if (vmaf_init(&filter->vmaf, cfg))
        return fail("vmaf_init");
    if (load_models(filter))
        return -1;
    for (int i = 0; i < N_MODELS; i++) {
        if (vmaf_use_features_from_model(filter->vmaf, filter->model[i]))
            return fail("vmaf_use_features_from_model");
    }
    VmafFeatureDictionary *dict = NULL;
    if (vmaf_feature_dictionary_set(&dict, "enable_chroma", "true"))
        return fail("vmaf_feature_dictionary_set");
    if (vmaf_use_feature(filter->vmaf, "psnr", dict))
        return fail("vmaf_use_feature");
    return 0;
}

/* A decoded frame of the host program, one plane after the other. */
static void decode(uint8_t frame[3][WIDTH * HEIGHT], int distorted, unsigned f)
{
    for (unsigned p = 0; p < 3; p++) {
        unsigned w = p ? WIDTH / 2 : WIDTH, h = p ? HEIGHT / 2 : HEIGHT;
        for (unsigned y = 0; y < h; y++) {
            for (unsigned x = 0; x < w; x++) {
                unsigned value = 7 * x + 13 * y + 5 * f + 31 * p;
                if (distorted && (x * y + f) % 3 == 0)
                    value += (x * y + f) % 5 - 2;
                frame[p][y * w + x] = (uint8_t)value;
            }
        }
    }
}

static int copy_picture_data(VmafPicture *dst, int distorted, unsigned f)
{
    static uint8_t frame[3][WIDTH * HEIGHT];
    decode(frame, distorted, f);
    if (vmaf_picture_alloc(dst, VMAF_PIX_FMT_YUV420P, 8, WIDTH, HEIGHT))
        return fail("vmaf_picture_alloc");
    for (unsigned p = 0; p < 3; p++) {
        const uint8_t *src = frame[p];
        uint8_t *row = dst->data[p];
        for (unsigned y = 0; y < dst->h[p]; y++) {
            memcpy(row, src, dst->w[p]);
            src += dst->w[p];
            row += dst->stride[p];
        }
    }
    return 0;
}

static int do_vmaf(Filter *filter)
{
    VmafPicture ref, dist;
    if (copy_picture_data(&ref, 0, filter->frame_count) ||
        copy_picture_data(&dist, 1, filter->frame_count))
        return -1;
    if (vmaf_read_pictures(filter->vmaf, &ref, &dist, filter->frame_count++))
        return fail("vmaf_read_pictures");
    return 0;
}

static int uninit(Filter *filter, const char *log_path, double scores[N_MODELS])
{
    if (filter->frame_count) {
        if (vmaf_read_pictures(filter->vmaf, NULL, NULL, 0))
            return fail("flushing");
        for (int i = 0; i < N_MODELS; i++) {
            if (vmaf_score_pooled(filter->vmaf, filter->model[i], VMAF_POOL_METHOD_MEAN, &scores[i],
                                  0, filter->frame_count - 1))
                return fail("vmaf_score_pooled");
        }
        if (vmaf_write_output(filter->vmaf, log_path, VMAF_OUTPUT_FORMAT_XML))
            return fail("vmaf_write_output");
    }
    for (int i = 0; i < N_MODELS; i++)
        vmaf_model_destroy(filter->model[i]);
    if (vmaf_close(filter->vmaf))
        return fail("vmaf_close");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return fail("the command line: give the path of the report");
    printf("libvmaf %s, interface %d.%d.%d\n", vmaf_version(), VMAF_API_VERSION_MAJOR,
           VMAF_API_VERSION_MINOR, VMAF_API_VERSION_PATCH);
    for (unsigned n_threads = 0; n_threads < 3; n_threads++) {
        Filter filter = {.frame_count = 0};
        double scores[N_MODELS] = {0};
        if (init(&filter, n_threads))
            return 1;
        while (filter.frame_count < N_FRAMES) {
            if (do_vmaf(&filter))
                return 1;
        }
        if (uninit(&filter, argv[1], scores))
            return 1;
        printf("VMAF score: %f, overloaded: %f\n", scores[0], scores[1]);
        if (!(scores[0] > scores[1] && scores[1] > 80 && scores[0] < 100))
            return fail("the scores");
    }
    return 0;
}
