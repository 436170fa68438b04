/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/predict/predict_run.h"

#include "tune/commands/predict/shot_features.h"
#include "tune/rows/json_document.h"

#include "platform/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RESIDUALS = 500, MAX_SIDECAR = 1 << 20 };

static int put_number(json_t *json, const char *key, double number)
{
    return json_put(json, key, json_number_or_null(number));
}

static int put_text(json_t *json, const char *key, const char *text)
{
    return json_put(json, key, json_text_or_null(text));
}

/* -- the sidecar -- */

static int take_residuals(PredictRun *run, const json_t *array)
{
    const size_t n = json_array_size(array);
    run->residuals = calloc(n + 1, sizeof(*run->residuals));
    if (!run->residuals)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_number(value))
            return -EINVAL;
        run->residuals[run->n_earlier++] = json_number_value(value);
    }
    return 0;
}

int predict_load_sidecar(PredictRun *run, const char *path, Message *why)
{
    char *text;
    size_t size;
    Message what;
    int err = vmaf_file_load(path, MAX_SIDECAR, &text, &size);
    if (err == -ENOENT)
        return 0;
    if (err)
        return message_set(why, err, "%s: %s", path, strerror(-err));
    json_t *json = json_document_parse(text, size, &what, &err);
    free(text);
    if (!json)
        return message_set(why, err, "%s: %.200s", path, what.text);
    err = take_residuals(run, json_object_get(json, "residuals"));
    json_decref(json);
    return err ? message_set(why, err, "%s: its residuals are no list of numbers", path) : 0;
}

json_t *predict_sidecar(const PredictRun *run)
{
    const size_t n = run->n_residuals;
    const size_t first = n > MAX_RESIDUALS ? n - MAX_RESIDUALS : 0;
    json_t *json = json_object(), *residuals = json_array();
    for (size_t i = first; i < n; i++)
        json_array_append_new(residuals, json_number_or_null(run->residuals[i]));
    int err = json_put(json, "residuals", residuals);
    err |= put_text(json, "method", "split-conformal");
    err |= put_number(json, "alpha", run->settings->alpha);
    err |= json_put(json, "n", json_integer((json_int_t)(n - first)));
    if (err) {
        json_decref(json);
        return NULL;
    }
    return json;
}

int predict_calibrate(PredictRun *run)
{
    if (!run->n_residuals)
        return 0;
    const int err =
        calibrate(run->residuals, run->n_residuals, run->settings->alpha, &run->calibration);
    run->has_calibration = !err;
    return err;
}

/* -- JSON -- */

static json_t *interval_of(const PredictRun *run, const PredictedShot *shot)
{
    if (!run->has_calibration || !isfinite(shot->predicted))
        return json_null();
    const ScoreInterval interval = calibrated_interval(&run->calibration, shot->predicted);
    json_t *json = json_array();
    json_array_append_new(json, json_number_or_null(interval.low));
    json_array_append_new(json, json_number_or_null(interval.high));
    return json;
}

static const char *basis_name(PredictionBasis basis)
{
    static const char *const names[] = {"predicted", "measured", "bisected"};
    return names[basis];
}

static json_t *shot_record(const PredictRun *run, const PredictedShot *shot)
{
    const GopHint gop = gop_hint(&shot->features);
    json_t *json = json_object();
    json_put(json, "first_frame", json_integer((json_int_t)shot->shot.first));
    json_put(json, "frames", json_integer((json_int_t)shot_frames(&shot->shot)));
    json_put(json, "features", shot_features_to_json(&shot->features));
    json_put(json, "crf", json_integer(shot->q));
    put_text(json, "source", basis_name(shot->basis));
    json_put(json, "reachable", json_boolean(shot->reachable));
    put_number(json, "predicted_vmaf", shot->predicted);
    put_number(json, "measured_vmaf", shot->measured);
    put_number(json, "bitrate_kbps", shot->kbps);
    json_put(json, "keyint", json_integer(gop.keyint));
    json_put(json, "min_keyint", json_integer(gop.min_keyint));
    if (run->settings->has_uncertainty)
        json_put(json, "vmaf_interval", interval_of(run, shot));
    return json;
}

static json_t *model_record(const PredictRun *run)
{
    json_t *json = json_object();
    put_number(json, "a", run->model.a);
    put_number(json, "b", run->model.b);
    put_number(json, "c", run->model.c);
    put_number(json, "d", run->model.rate_weight);
    json_put(json, "reference_crf", json_integer(run->model.reference_q));
    json_put(json, "refitted", json_boolean(run->is_refitted));
    return json;
}

static const char *verdict_of(const PredictRun *run)
{
    static const char *const names[] = {"GOSPEL", "RECALIBRATE", "FALL_BACK"};
    return names[run->validation.verdict];
}

json_t *predict_report(const PredictRun *run)
{
    json_t *json = json_object(), *residuals = json_array();
    for (size_t i = 0; i < run->n; i++) {
        const PredictedShot *shot = &run->shots[i];
        if (!shot->is_validated)
            continue;
        json_t *one = json_object();
        json_put(one, "shot", json_integer((json_int_t)i));
        json_put(one, "crf", json_integer(shot->validated_q));
        put_number(one, "predicted_vmaf", shot->validated_score - shot->residual);
        put_number(one, "measured_vmaf", shot->validated_score);
        put_number(one, "bitrate_kbps", shot->encode.kbps);
        put_number(one, "residual", shot->residual);
        json_array_append_new(residuals, one);
    }
    int err = json_put(json, "residuals", residuals);
    err |= put_text(json, "verdict", verdict_of(run));
    err |= put_number(json, "bias", run->validation.bias);
    err |= put_number(json, "max_abs_residual", run->validation.worst);
    err |= put_number(json, "threshold", run->settings->threshold);
    err |= json_put(json, "n_validated", json_integer((json_int_t)run->n_validated));
    err |= json_put(json, "model", model_record(run));
    if (err) {
        json_decref(json);
        return NULL;
    }
    return json;
}

static json_t *uncertainty_record(const PredictRun *run)
{
    json_t *json = json_object();
    const bool is_known = run->has_calibration;
    put_text(json, "method", "split-conformal");
    put_number(json, "alpha", run->settings->alpha);
    json_put(json, "n", json_integer((json_int_t)run->n_residuals));
    put_number(json, "half_width", is_known ? run->calibration.half_width : NAN);
    json_put(json, "calibrated", json_boolean(is_known && run->calibration.calibrated));
    return json;
}

json_t *predict_record(const PredictRun *run)
{
    json_t *json = json_object(), *shots = json_array();
    const Encoder *encoder = run->encoder.encoder;
    for (size_t i = 0; i < run->n; i++)
        json_array_append_new(shots, shot_record(run, &run->shots[i]));
    int err = json_put(json, "shots", shots);
    err |= put_text(json, "src", run->source->path);
    err |= put_text(json, "encoder", encoder->name);
    err |= put_text(json, "preset",
                    run->settings->preset ? run->settings->preset : encoder->default_preset);
    err |= put_text(json, "probe_preset", encoder->probe_preset);
    err |= json_put(json, "probe_crf", json_integer(encoder->probe_q));
    err |= put_number(json, "target_vmaf", run->settings->target);
    err |= put_text(json, "vmaf_model", run->vmaf_model);
    err |= put_text(json, "pool", run->pool);
    err |= json_put(json, "validation", predict_report(run));
    if (run->settings->has_uncertainty)
        err |= json_put(json, "uncertainty", uncertainty_record(run));
    if (err) {
        json_decref(json);
        return NULL;
    }
    return json;
}

/* -- for people -- */

void predict_print_text(const PredictRun *run, FILE *out)
{
    fprintf(out, "%6s  %6s  %10s  %4s  %9s  %9s  %10s\n", "first", "frames", "probe kb/s",
            run->encoder.encoder->knob_name, "predicted", "measured", "kbit/s");
    for (size_t i = 0; i < run->n; i++) {
        const PredictedShot *shot = &run->shots[i];
        fprintf(out, "%6zu  %6zu  %10.1f  %4d  ", shot->shot.first, shot_frames(&shot->shot),
                shot->features.probe_kbps, shot->q);
        const double scores[] = {shot->predicted, shot->measured};
        for (size_t j = 0; j < 2; j++)
            if (isfinite(scores[j]))
                fprintf(out, "%9.3f  ", scores[j]);
            else
                fprintf(out, "%9s  ", "-");
        fprintf(out, "%10.1f%s\n", shot->kbps, shot->reachable ? "" : "  not reached");
    }
    fprintf(out, "\n%s: %zu of %zu shots were measured, up to %.3f from what was predicted\n",
            verdict_of(run), run->n_validated, run->n, run->validation.worst);
}
