/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/predict/shot_features.h"

#include "tune/rows/json_document.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>

/* Numbers by their keys; the least that each can be. */
static const struct {
    const char *key;
    size_t offset;
    double least;
} numbers[] = {
    {"probe_kbps", offsetof(PredictionFeatures, probe_kbps), 0},
    {"frame_difference", offsetof(PredictionFeatures, frame_difference), 0},
    {"luma_mean", offsetof(PredictionFeatures, luma_mean), 0},
    {"luma_variance", offsetof(PredictionFeatures, luma_variance), 0},
    {"frames", offsetof(PredictionFeatures, frames), 1},
    {"fps", offsetof(PredictionFeatures, fps), 1e-3},
};

enum { N_NUMBERS = sizeof numbers / sizeof *numbers, LARGEST_SIDE = 1 << 16 };

static double *number_at(PredictionFeatures *features, int i)
{
    return (double *)(void *)((char *)features + numbers[i].offset);
}

json_t *shot_features_to_json(const PredictionFeatures *features)
{
    static const char *const classes[] = {"sd", "720", "1080", "2160"};
    PredictionFeatures copy = *features;
    json_t *json = json_object();
    int err = 0;
    for (int i = 0; i < N_NUMBERS; i++)
        err |= json_put(json, numbers[i].key, json_number_or_null(*number_at(&copy, i)));
    err |= json_put(json, "width", json_integer(features->width));
    err |= json_put(json, "height", json_integer(features->height));
    err |=
        json_put(json, "height_class", json_text_or_null(classes[height_class(features->height)]));
    if (!err)
        return json;
    json_decref(json);
    return NULL;
}

static int side_from_json(const json_t *json, const char *key, int *side)
{
    const double value = json_number_of(json, key);
    if (!(value >= 1 && value <= LARGEST_SIDE))
        return -EINVAL;
    *side = (int)value;
    return 0;
}

int shot_features_from_json(PredictionFeatures *features, const json_t *json)
{
    *features = (PredictionFeatures){0};
    for (int i = 0; i < N_NUMBERS; i++) {
        const double value = json_number_of(json, numbers[i].key);
        if (!(value >= numbers[i].least) || isinf(value))
            return -EINVAL;
        *number_at(features, i) = value;
    }
    const int err = side_from_json(json, "width", &features->width);
    return err ? err : side_from_json(json, "height", &features->height);
}
