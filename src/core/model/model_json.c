/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model/model_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/json_limits.h"
#include "model/libsvm_text.h"

static int reject(Reason *why, const char *key, const char *expected)
{
    return refuse(why, -EINVAL, "%s: expected %s", key, expected);
}

/* Position of the string in a NULL-terminated list, or -1. */
static int index_of(const json_t *string, const char *const words[])
{
    const char *text = json_string_value(string);
    for (int i = 0; text && words[i]; i++)
        if (!strcmp(text, words[i]))
            return i;
    return -1;
}

static int read_type(VmafModel *model, const json_t *value, Reason *why)
{
    static const char *const names[] = {"LIBSVMNUSVR", "BOOTSTRAP_LIBSVMNUSVR",
                                        "RESIDUEBOOTSTRAP_LIBSVMNUSVR", NULL};
    static const ModelType types[] = {MODEL_TYPE_SINGLE, MODEL_TYPE_BOOTSTRAP,
                                      MODEL_TYPE_RESIDUEBOOTSTRAP};
    int i = index_of(value, names);
    if (i < 0)
        return reject(why, "model_type", "the name of a known type");
    model->parameters.type = types[i];
    return 0;
}

static int read_normalisation(VmafModel *model, const json_t *value, Reason *why)
{
    static const char *const names[] = {"linear_rescale", "none", NULL};
    int i = index_of(value, names);
    if (i < 0)
        return reject(why, "norm_type", "\"linear_rescale\" or \"none\"");
    model->parameters.normalisation = i == 0 ? NORMALISATION_LINEAR_RESCALE : NORMALISATION_NONE;
    return 0;
}

static int read_clip(VmafModel *model, const json_t *value, const VmafModelConfig *cfg, Reason *why)
{
    if (!json_is_array(value))
        return reject(why, "score_clip", "an array");
    if (cfg->flags & VMAF_MODEL_FLAG_DISABLE_CLIP)
        return 0;
    const json_t *min = json_array_get(value, 0), *max = json_array_get(value, 1);
    if (!json_is_number(min) || !json_is_number(max))
        return reject(why, "score_clip", "two numbers");
    model->parameters.has_clip = true;
    model->parameters.clip_min = json_number_value(min);
    model->parameters.clip_max = json_number_value(max);
    return 0;
}

/* Slopes or intercepts: the first one belongs to the score, the others to the features. */
static int read_coefficients(const json_t *value, const char *key,
                             double coefficients[1 + MODEL_MAX_FEATURES], Reason *why)
{
    size_t count = json_array_size(value); /* 0 also for what is not an array */
    if (count == 0 || count > 1 + MODEL_MAX_FEATURES)
        return reject(why, key, "an array of 1 to 65 numbers");
    for (size_t i = 0; i < count; i++) {
        const json_t *number = json_array_get(value, i);
        if (!json_is_number(number))
            return reject(why, key, "numbers");
        coefficients[i] = json_number_value(number);
    }
    return 0;
}

static int read_maps(VmafModel *model, const json_t *slopes, const json_t *intercepts, Reason *why)
{
    double slope[1 + MODEL_MAX_FEATURES] = {0}, intercept[1 + MODEL_MAX_FEATURES] = {0};
    int err = slopes ? read_coefficients(slopes, "slopes", slope, why) : 0;
    if (!err && intercepts)
        err = read_coefficients(intercepts, "intercepts", intercept, why);
    if (err)
        return err;
    model->parameters.score_map = (LinearMap){slope[0], intercept[0]};
    for (unsigned i = 0; i < model->n_features; i++)
        model->features[i].map = (LinearMap){slope[1 + i], intercept[1 + i]};
    return 0;
}

static int read_feature_names(VmafModel *model, const json_t *value, Reason *why)
{
    size_t count = json_array_size(value);
    if (!json_is_array(value) || count > MODEL_MAX_FEATURES)
        return reject(why, "feature_names", "an array of at most 64 strings");
    for (size_t i = 0; i < count; i++)
        if (!json_is_string(json_array_get(value, i)))
            return reject(why, "feature_names", "strings");

    int err = model_set_feature_count(model, (unsigned)count);
    for (unsigned i = 0; !err && i < count; i++)
        err = model_set_feature_name(model, i, json_string_value(json_array_get(value, i)));
    return err ? refuse(why, err, "out of memory") : 0;
}

bool option_text_from_json(const json_t *value, char buffer[32], const char **text)
{
    if (json_is_boolean(value)) {
        *text = json_is_true(value) ? "true" : "false";
    } else if (json_is_string(value)) {
        *text = json_string_value(value);
    } else if (json_is_number(value)) {
        char digits[64];
        size_t size = json_dumpb(value, digits, sizeof(digits) - 1,
                                 JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
        if (size == 0 || size >= sizeof(digits))
            return false;
        digits[size] = '\0';
        *text = option_value_normalise(digits, buffer);
        if (*text != buffer)
            return false;
    } else {
        return false;
    }
    return true;
}

/* Options beyond the last feature are checked too, and then ignored. */
static int read_options(VmafModel *model, const json_t *value, Reason *why)
{
    if (!json_is_array(value) || json_array_size(value) > MODEL_MAX_FEATURES)
        return reject(why, "feature_opts_dicts", "an array of at most 64 objects");
    for (unsigned i = 0; i < json_array_size(value); i++) {
        json_t *options = json_array_get(value, i);
        if (!json_is_object(options))
            return reject(why, "feature_opts_dicts", "objects");
        if (json_object_size(options) > JSON_MAX_OPTIONS)
            return reject(why, "feature_opts_dicts", "at most 65536 options for a feature");
        const char *name, *text;
        json_t *option;
        json_object_foreach(options, name, option)
        {
            char buffer[32];
            if (!option_text_from_json(option, buffer, &text))
                return reject(why, name, "a number, a string, true or false");
            if (i < model->n_features && model_set_feature_option(model, i, name, text))
                return refuse(why, -ENOMEM, "out of memory");
        }
    }
    return 0;
}

/* Coefficient of the polynomial; null means none. */
static int read_polynomial(const json_t *object, const char *key, bool *present, double *value,
                           Reason *why)
{
    const json_t *number = json_object_get(object, key);
    if (!number || json_is_null(number))
        return 0;
    if (!json_is_number(number))
        return reject(why, key, "a number");
    *present = true;
    *value = json_number_value(number);
    return 0;
}

static int read_knots(ScoreTransform *transform, const json_t *value, Reason *why)
{
    if (!value || json_is_null(value))
        return 0;
    if (!json_is_array(value) || json_array_size(value) > TRANSFORM_MAX_KNOTS)
        return reject(why, "knots", "an array of at most 10 pairs");
    for (unsigned i = 0; i < json_array_size(value); i++) {
        const json_t *pair = json_array_get(value, i);
        const json_t *x = json_array_get(pair, 0), *y = json_array_get(pair, 1);
        if (!json_is_array(pair) || json_array_size(pair) > 2 || (x && !json_is_number(x)) ||
            (y && !json_is_number(y)))
            return reject(why, "knots", "pairs of numbers");
        transform->knots[i] = (TransformKnot){json_number_value(x), json_number_value(y)};
        transform->n_knots = i + 1;
    }
    return 0;
}

/* Files use the string "true" for these two; a boolean is accepted as well. */
static int read_bound(const json_t *object, const char *key, bool *bound, Reason *why)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        return 0;
    if (!json_is_string(value) && !json_is_boolean(value))
        return reject(why, key, "\"true\" or \"false\"");
    *bound =
        json_is_true(value) || (json_is_string(value) && !strcmp(json_string_value(value), "true"));
    return 0;
}

static int read_transform(VmafModel *model, const json_t *value, Reason *why)
{
    ScoreTransform *transform = &model->parameters.transform;
    if (!json_is_object(value))
        return reject(why, "score_transform", "an object");
    const json_t *enabled = json_object_get(value, "enabled");
    if (enabled && !json_is_boolean(enabled))
        return reject(why, "enabled", "true or false");
    transform->enabled = json_is_true(enabled);

    int err = read_polynomial(value, "p0", &transform->has_p0, &transform->p0, why);
    if (!err)
        err = read_polynomial(value, "p1", &transform->has_p1, &transform->p1, why);
    if (!err)
        err = read_polynomial(value, "p2", &transform->has_p2, &transform->p2, why);
    if (!err)
        err = read_knots(transform, json_object_get(value, "knots"), why);
    if (!err)
        err = read_bound(value, "out_lte_in", &transform->out_lte_in, why);
    if (!err)
        err = read_bound(value, "out_gte_in", &transform->out_gte_in, why);
    return err;
}

static int read_chroma_correction(VmafModel *model, const json_t *value, Reason *why)
{
    if (!json_is_number(value))
        return reject(why, "chroma_correction_parameter", "a number");
    model->parameters.chroma_correction = json_number_value(value);
    return 0;
}

static int read_svr(VmafModel *model, const json_t *value, Reason *why)
{
    if (json_string_length(value) == 0)
        return reject(why, "model", "support-vector text");
    int err = libsvm_parse(&model->own_svr, json_string_value(value), why);
    model->svr = model->own_svr;
    return err;
}

int model_from_json(VmafModel *model, const json_t *model_dict, const VmafModelConfig *cfg,
                    Reason *why)
{
    const json_t *value;
    int err = 0;

    if ((value = json_object_get(model_dict, "model_type")))
        err = read_type(model, value, why);
    if (!err && (value = json_object_get(model_dict, "norm_type")))
        err = read_normalisation(model, value, why);
    if (!err && (value = json_object_get(model_dict, "score_clip")))
        err = read_clip(model, value, cfg, why);
    if (!err && (value = json_object_get(model_dict, "feature_names")))
        err = read_feature_names(model, value, why);
    if (!err)
        err = read_maps(model, json_object_get(model_dict, "slopes"),
                        json_object_get(model_dict, "intercepts"), why);
    if (!err && (value = json_object_get(model_dict, "feature_opts_dicts")))
        err = read_options(model, value, why);
    if (!err && (value = json_object_get(model_dict, "score_transform")))
        err = read_transform(model, value, why);
    if (!err && (value = json_object_get(model_dict, "chroma_correction_parameter")))
        err = read_chroma_correction(model, value, why);
    if (!err)
        err = read_svr(model, json_object_get(model_dict, "model"), why);
    return err;
}
