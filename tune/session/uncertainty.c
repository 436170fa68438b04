/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/session/uncertainty.h"

#include "common/json.h"
#include "platform/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIDECAR = 64 << 20 };

#define DEFAULT_ALPHA 0.05

void uncertainty_init(Uncertainty *uncertainty)
{
    *uncertainty = (Uncertainty){
        .widths = {.tight = CONFIDENCE_DEFAULT_TIGHT, .wide = CONFIDENCE_DEFAULT_WIDE},
        .alpha = DEFAULT_ALPHA};
}

static int take_widths(Uncertainty *uncertainty, const json_t *json, Message *message)
{
    static const char tight_key[] = "tight_interval_max_width";
    static const char wide_key[] = "wide_interval_min_width";
    if (!json_object_get(json, tight_key) && !json_object_get(json, wide_key))
        return 0;
    const double tight = json_number_of(json, tight_key), wide = json_number_of(json, wide_key);
    if (!(tight > 0) || !(wide >= tight) || isinf(wide))
        return message_set(message, -EINVAL, "expected 0 < %s <= %s", tight_key, wide_key);
    uncertainty->widths = (ConfidenceWidths){.tight = tight, .wide = wide};
    return 0;
}

static int take_residuals(Uncertainty *uncertainty, const json_t *json, Message *message)
{
    const json_t *array = json_object_get(json, "residuals");
    if (!array)
        return 0;
    if (json_object_get(json, "alpha"))
        uncertainty->alpha = json_number_of(json, "alpha");
    uncertainty->n_residuals = json_array_size(array);
    double *residuals = calloc(uncertainty->n_residuals + 1, sizeof(*residuals));
    int err = residuals ? json_numbers_of(array, uncertainty->n_residuals, residuals) : -ENOMEM;
    if (!err)
        err = calibrate(residuals, uncertainty->n_residuals, uncertainty->alpha,
                        &uncertainty->calibration);
    free(residuals);
    uncertainty->has_residuals = !err;
    return err ? message_set(message, err, "residuals or alpha are no numbers of use") : 0;
}

static int take(Uncertainty *uncertainty, const char *text, size_t size, Message *message)
{
    int err;
    json_t *json = json_document_parse(text, size, message, &err);
    if (!err && !json_is_object(json))
        err = message_set(message, -EINVAL, "expected an object");
    if (!err)
        err = take_widths(uncertainty, json, message);
    if (!err)
        err = take_residuals(uncertainty, json, message);
    json_decref(json);
    return err;
}

int uncertainty_load(Uncertainty *uncertainty, const char *path, Message *message)
{
    char *text;
    size_t size;
    uncertainty_init(uncertainty);
    int err = vmaf_file_load(path, MAX_SIDECAR, &text, &size);
    if (err)
        return message_set(message, err, "%.300s: %s", path, strerror(-err));
    err = take(uncertainty, text, size, message);
    free(text);
    if (!err)
        return 0;
    uncertainty_init(uncertainty);
    return message_about_file(message, err, path);
}

ScoreInterval uncertainty_interval(const Uncertainty *uncertainty, const Row *row)
{
    if (!isnan(row->vmaf_interval_low) || !uncertainty->has_residuals)
        return (ScoreInterval){row->vmaf_interval_low, row->vmaf_interval_high};
    return calibrated_interval(&uncertainty->calibration, row->vmaf_score);
}
