/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/session/own_feature.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

uint32_t backend_pixel_format(enum VmafPixelFormat pix_fmt)
{
    switch (pix_fmt) {
    case VMAF_PIX_FMT_YUV422P:
        return VMAF_BACKEND_PIXEL_422;
    case VMAF_PIX_FMT_YUV444P:
        return VMAF_BACKEND_PIXEL_444;
    case VMAF_PIX_FMT_YUV400P:
        return VMAF_BACKEND_PIXEL_400;
    default:
        return VMAF_BACKEND_PIXEL_420;
    }
}

int feature_limits_check(const VmafBackendFeature *spec, const PictureFormat *format, Reason *why)
{
    const unsigned w = format->w[0], h = format->h[0];
    if (!(spec->pixel_formats >> backend_pixel_format(format->pix_fmt) & 1))
        return reason_set(why, -ENOTSUP, "it does not take %s pictures",
                          picture_format_name(format->pix_fmt));
    if (format->bpc < spec->depth_min || format->bpc > spec->depth_max)
        return reason_set(why, -ENOTSUP, "it takes %u to %u bits per sample, not %u",
                          spec->depth_min, spec->depth_max, format->bpc);
    if (w < spec->width_min || h < spec->height_min)
        return reason_set(why, -ENOTSUP, "it takes pictures of at least %ux%u, not %ux%u",
                          spec->width_min, spec->height_min, w, h);
    if ((spec->width_max && w > spec->width_max) || (spec->height_max && h > spec->height_max))
        return reason_set(why, -ENOTSUP, "it takes pictures of at most %ux%u, not %ux%u",
                          spec->width_max, spec->height_max, w, h);
    return 0;
}

typedef struct OwnFeature {
    FeatureExtractor extractor;
    const PluginFeature *feature;
    char *name;
    FeatureOutput *outputs;
    OptionSpec *options;
} OwnFeature;

/* Option structs: this, then one of these per option. */
typedef struct OptionHeader {
    const OwnFeature *own; /* the extractor's origin */
} OptionHeader;

typedef union OptionValue {
    bool boolean;
    int integer;
    double number;
    const char *string;
} OptionValue;

static int check_format(const void *options, const PictureFormat *format, Reason *why)
{
    const OwnFeature *own = ((const OptionHeader *)options)->own;
    Reason limit;
    int err = feature_limits_check(&own->feature->spec, format, &limit);
    return err ? reason_set(why, -EINVAL, "%s: %s", own->name, limit.text) : 0;
}

static int cannot_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                             void *const records[])
{
    (void)plan;
    (void)scratch;
    (void)input;
    (void)band;
    (void)records;
    return -ENOTSUP; /* there is no extractor of the core; such features are pinned */
}

static void own_destroy(OwnFeature *own)
{
    for (unsigned i = 0; own->outputs && i < own->feature->spec.n_outputs; i++)
        free((char *)own->outputs[i].name);
    free(own->outputs);
    free(own->options);
    free(own->name);
    free(own);
}

static OptionSpec option_of(const VmafBackendOptionSpec *spec, unsigned place)
{
    double min = spec->min, max = spec->max;
    if (!(min < max)) { /* no range: whatever the type can hold */
        max = spec->type == VMAF_BACKEND_TYPE_INT ? (double)INT32_MAX : HUGE_VAL;
        min = -max;
    }
    return (OptionSpec){
        .name = spec->name,
        .help = spec->help,
        .type = (enum VmafOptionType)spec->type,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = sizeof(OptionHeader) + place * sizeof(OptionValue),
        .default_value = spec->default_value,
        .default_string = spec->default_string,
        .min = min,
        .max = max,
    };
}

static int fill_in(OwnFeature *own, const Plugin *plugin)
{
    const VmafBackendFeature *spec = &own->feature->spec;
    own->outputs = calloc(spec->n_outputs + 1, sizeof(*own->outputs));
    own->options = calloc(spec->n_options + 1, sizeof(*own->options));
    if (!own->outputs || !own->options ||
        asprintf(&own->name, "%s_%s", plugin->name, spec->name) < 0)
        return -ENOMEM;
    for (unsigned i = 0; i < spec->n_outputs; i++) {
        char *name;
        if (asprintf(&name, "%s_%s", plugin->name, own->feature->outputs[i]) < 0)
            return -ENOMEM;
        own->outputs[i] = (FeatureOutput){name, OUTPUT_PROVIDED};
    }
    for (unsigned i = 0; i < spec->n_options; i++)
        own->options[i] = option_of(&own->feature->options[i], i);

    own->extractor = (FeatureExtractor){
        .name = own->name,
        .summary = spec->help,
        .outputs = own->outputs,
        .options = own->options,
        .options_size = sizeof(OptionHeader) + spec->n_options * sizeof(OptionValue),
        .origin = own,
        .needs = {.planes = spec->planes & (PLANE_Y | PLANE_CHROMA),
                  /* A neighbour comes as a pair, or as a reference alone. */
                  .ref_history =
                      spec->ref_before > spec->dist_before ? spec->ref_before : spec->dist_before,
                  .dist_history = spec->dist_before},
        .record = {.size = spec->n_outputs * sizeof(double)},
        .check_format = check_format,
        .accumulate = cannot_accumulate,
    };
    return 0;
}

const FeatureExtractor *own_feature_extractor(const Plugin *plugin, const PluginFeature *feature)
{
    PluginFeature *keeper = &plugin->features[feature - plugin->features];
    OwnFeature *kept = atomic_load(&keeper->own);
    if (kept)
        return &kept->extractor;

    OwnFeature *own = calloc(1, sizeof(*own));
    if (!own)
        return NULL;
    own->feature = feature;
    if (fill_in(own, plugin)) {
        own_destroy(own);
        return NULL;
    }
    void *nobody = NULL;
    if (!atomic_compare_exchange_strong(&keeper->own, &nobody, own)) {
        own_destroy(own); /* another thread was faster */
        own = nobody;
    }
    return &own->extractor;
}

const PluginFeature *own_feature_of(const FeatureExtractor *extractor)
{
    return extractor->origin ? ((const OwnFeature *)extractor->origin)->feature : NULL;
}
