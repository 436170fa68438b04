/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "api/api_support.h"

#include "support/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const Shape clip_f = {VMAF_PIX_FMT_YUV420P, 8, 96, 64};
const Shape tiny = {VMAF_PIX_FMT_YUV420P, 8, 32, 32};

static unsigned sample(bool distorted, unsigned x, unsigned y, unsigned plane, unsigned frame)
{
    unsigned value = 7 * x + 13 * y + 5 * frame + 31 * plane;
    if (distorted && (x * y + frame) % 3 == 0)
        value += (x * y + frame) % 5 - 2;
    return value;
}

void fill_picture(VmafPicture *pic, bool distorted, unsigned frame)
{
    unsigned mask = (1u << pic->bpc) - 1;
    for (unsigned p = 0; p < 3; p++) {
        for (unsigned y = 0; pic->data[p] && y < pic->h[p]; y++) {
            char *row = (char *)pic->data[p] + (ptrdiff_t)y * pic->stride[p];
            for (unsigned x = 0; x < pic->w[p]; x++) {
                unsigned value = sample(distorted, x, y, p, frame) & mask;
                if (pic->bpc == 8)
                    ((uint8_t *)row)[x] = (uint8_t)value;
                else
                    ((uint16_t *)(void *)row)[x] = (uint16_t)value;
            }
        }
    }
}

VmafPicture make_picture(Shape shape, bool distorted, unsigned frame)
{
    VmafPicture pic;
    assert_success(vmaf_picture_alloc(&pic, shape.pix_fmt, shape.bpc, shape.w, shape.h));
    fill_picture(&pic, distorted, frame);
    return pic;
}

int read_frame(VmafContext *vmaf, Shape shape, unsigned frame, unsigned index)
{
    VmafPicture ref = make_picture(shape, false, frame), dist = make_picture(shape, true, frame);
    int err = vmaf_read_pictures(vmaf, &ref, &dist, index);
    if (err) {
        assert_success(vmaf_picture_unref(&ref));
        assert_success(vmaf_picture_unref(&dist));
    }
    return err;
}

void read_frames(VmafContext *vmaf, Shape shape, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        assert_success(read_frame(vmaf, shape, i, i));
}

int flush(VmafContext *vmaf)
{
    return vmaf_read_pictures(vmaf, NULL, NULL, 0);
}

void read_clip(VmafContext *vmaf, Shape shape, unsigned n)
{
    read_frames(vmaf, shape, n);
    assert_success(flush(vmaf));
}

VmafContext *open_context(unsigned n_threads, unsigned n_subsample)
{
    VmafContext *vmaf;
    VmafConfiguration cfg = {.n_threads = n_threads, .n_subsample = n_subsample};
    assert_success(vmaf_init(&vmaf, cfg));
    return vmaf;
}

VmafContext *open_with_features(unsigned n_threads, unsigned n_subsample, const char *feature, ...)
{
    VmafContext *vmaf = open_context(n_threads, n_subsample);
    va_list features;
    va_start(features, feature);
    for (; feature; feature = va_arg(features, const char *))
        use(vmaf, feature, NULL);
    va_end(features);
    return vmaf;
}

VmafContext *open_with_model(unsigned n_threads, unsigned n_subsample, VmafModel *model)
{
    VmafContext *vmaf = open_context(n_threads, n_subsample);
    assert_success(vmaf_use_features_from_model(vmaf, model));
    return vmaf;
}

void flush_and_close(VmafContext *vmaf)
{
    assert_success(flush(vmaf));
    assert_success(vmaf_close(vmaf));
}

void close_with_model(VmafContext *vmaf, VmafModel *model)
{
    vmaf_model_destroy(model);
    assert_success(vmaf_close(vmaf));
}

VmafModel *load_model(const char *version)
{
    VmafModel *model;
    VmafModelConfig cfg = {0};
    assert_success(vmaf_model_load(&model, &cfg, version));
    return model;
}

VmafFeatureDictionary *options(const char *name, ...)
{
    VmafFeatureDictionary *dict = NULL;
    va_list arguments;
    va_start(arguments, name);
    for (; name; name = va_arg(arguments, const char *))
        assert_success(vmaf_feature_dictionary_set(&dict, name, va_arg(arguments, const char *)));
    va_end(arguments);
    return dict;
}

void use(VmafContext *vmaf, const char *feature, VmafFeatureDictionary *dict)
{
    assert_success(vmaf_use_feature(vmaf, feature, dict));
}

double feature_score(VmafContext *vmaf, const char *key, unsigned index)
{
    double score;
    int err = vmaf_feature_score_at_index(vmaf, key, &score, index);
    if (err)
        fail_msg("no score \"%s\" at index %u (%d)", key, index, err);
    return score;
}

double model_score(VmafContext *vmaf, VmafModel *model, unsigned index)
{
    double score;
    int err = vmaf_score_at_index(vmaf, model, &score, index);
    if (err)
        fail_msg("no model score at index %u (%d)", index, err);
    return score;
}

bool has_feature_score(VmafContext *vmaf, const char *key, unsigned index)
{
    double score;
    return vmaf_feature_score_at_index(vmaf, key, &score, index) == 0;
}

void expect_equal(const char *what, double actual, double expected, const char *file, int line)
{
    if (memcmp(&actual, &expected, sizeof(actual)) == 0)
        return;
    print_error("%s is %.17g, expected %.17g\n", what, actual, expected);
    _fail(file, line);
}

char *temporary_path(void)
{
    const char *folder = getenv("TMPDIR");
    if (!folder)
        folder = getenv("TEMP"); /* on Windows, which has no /tmp */
    char *path = NULL;
    assert_true(asprintf(&path, "%s/vmaf-api-test-XXXXXX", folder ? folder : "/tmp") > 0);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    unlink(path);
    return path;
}

/* Overwrites the text between `before` and the next `after`. */
static void mask_between(char *text, const char *before, char after)
{
    char *place = strstr(text, before);
    if (!place)
        return;
    place += strlen(before);
    char *end = strchr(place, after);
    assert_non_null(end);
    memmove(place, end, strlen(end) + 1);
}

char *report_text(VmafContext *vmaf, enum VmafOutputFormat format)
{
    char *path = temporary_path();
    assert_success(vmaf_write_output(vmaf, path, format));
    char *text = file_content(path);
    assert_non_null(text);
    unlink(path);
    free(path);
    mask_between(text, "fps=\"", '"');
    mask_between(text, "\"fps\": ", ',');
    return text;
}
