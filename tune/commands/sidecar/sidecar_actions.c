/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/sidecar/sidecar_actions.h"

#include "platform/file.h"
#include "tune/commands/predict/shot_features.h"
#include "tune/engine/cache_key.h"
#include "tune/rows/json_document.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 256 << 20 };

static int put_number(json_t *json, const char *key, double number)
{
    return json_put(json, key, json_number_or_null(number));
}

static int put_text(json_t *json, const char *key, const char *text)
{
    return json_put(json, key, json_text_or_null(text));
}

static int put_count(json_t *json, const char *key, size_t count)
{
    return json_put(json, key, json_integer((json_int_t)count));
}

static json_t *unless(int err, json_t *json)
{
    if (!err)
        return json;
    json_decref(json);
    return NULL;
}

/* -- documents of predict -- */

static json_t *shots_of(const PredictDocument *document)
{
    return json_object_get(document->json, "shots");
}

static int features_of(const PredictDocument *document, size_t shot, PredictionFeatures *features,
                       Message *why)
{
    const json_t *json = json_array_get(shots_of(document), shot);
    if (!json)
        return message_set(why, -EINVAL, "%.200s: there is no shot %zu: they are 0 to %zu",
                           document->path, shot, json_array_size(shots_of(document)) - 1);
    if (shot_features_from_json(features, json_object_get(json, "features")))
        return message_set(why, -EINVAL, "%.200s: shot %zu has not all of its features",
                           document->path, shot);
    return 0;
}

static int check(PredictDocument *document, const EncoderTable *encoders, Message *why)
{
    const char *encoder = json_text_of(document->json, "encoder");
    Message what = {""};
    if (!encoder || !json_text_of(document->json, "vmaf_model") ||
        !json_text_of(document->json, "pool") || !json_array_size(shots_of(document)))
        return message_set(why, -EINVAL, "%.200s: expected what vmaf-tune predict prints",
                           document->path);
    document->encoder = encoder_find(encoders, encoder, &what);
    if (!document->encoder)
        return message_set(why, -EINVAL, "%.200s: %.200s", document->path, what.text);
    if (document->encoder->knob.higher_is_better)
        return message_set(why, -EINVAL, "%.200s: there is no model of %s", document->path,
                           encoder);
    return 0;
}

int predict_document_load(PredictDocument *document, const EncoderTable *encoders, const char *path,
                          Message *why)
{
    char *text;
    size_t size;
    Message what;
    *document = (PredictDocument){.path = path};
    int err = vmaf_file_load(path, MAX_BYTES, &text, &size);
    if (err)
        return message_set(why, err, "%.300s: %s", path, strerror(-err));
    document->json = json_document_parse(text, size, &what, &err);
    free(text);
    if (!document->json)
        return message_set(why, err, "%.200s: %.200s", path, what.text);
    return check(document, encoders, why);
}

void predict_document_free(PredictDocument *document)
{
    json_decref(document->json);
    *document = (PredictDocument){0};
}

/* Scores of other models, or pooled otherwise, are other numbers. */
static int check_scores(SidecarState *state, const PredictDocument *document, bool takes,
                        Message *why)
{
    char scores[256];
    snprintf(scores, sizeof scores, "%s %s", json_text_of(document->json, "vmaf_model"),
             json_text_of(document->json, "pool"));
    if (state->scores && strcmp(state->scores, scores))
        return message_set(why, -EINVAL, "%.150s: its scores are %.80s, those of the sidecar %.80s",
                           document->path, scores, state->scores);
    if (!state->scores && takes && !(state->scores = strdup(scores)))
        return message_set(why, -ENOMEM, "out of memory");
    return 0;
}

/* -- status -- */

json_t *sidecar_status(const SidecarState *state)
{
    double without, with;
    json_t *json = json_object(), *weights = json_object();
    sidecar_errors(state, &without, &with);
    int err = 0;
    for (size_t i = 0; i < RESIDUAL_INPUTS; i++)
        err |= put_number(weights, residual_input_name(i), state->model.weights[i]);
    err |= json_put(json, "weights", weights);
    err |= put_text(json, "schema", "vmaf-tune-sidecar-status/v1");
    err |= put_text(json, "encoder", state->encoder);
    err |= put_text(json, "path", state->path);
    err |= put_text(json, "scores", state->scores);
    err |= put_count(json, "n", state->model.n);
    err |= put_count(json, "history", json_array_size(state->history));
    err |= put_number(json, "mean_abs_residual", without);
    err |= put_number(json, "mean_abs_remaining", with);
    return unless(err, json);
}

/* -- predictions -- */

static json_t *predicted_shot(const SidecarState *state, const Encoder *encoder,
                              const PredictionFeatures *features, const QPrediction *prediction)
{
    const ScoreModel model = score_model_of(encoder->name);
    double inputs[RESIDUAL_INPUTS];
    json_t *json = json_object();
    residual_inputs(features, prediction->q, inputs);
    int err = json_put(json, "crf", json_integer(prediction->q));
    err |= json_put(json, "reachable", json_boolean(prediction->reachable));
    err |= put_number(json, "predicted_vmaf",
                      score_predicted(&model, prediction->q, features->probe_kbps));
    err |= put_number(json, "expected_residual", residual_expected(&state->model, inputs));
    err |= put_number(json, "corrected_vmaf", prediction->score);
    err |= put_number(json, "bitrate_kbps",
                      kbps_predicted(features->probe_kbps, encoder->probe_q, prediction->q));
    return unless(err, json);
}

static QPrediction pick(const SidecarState *state, const Encoder *encoder,
                        const PredictionFeatures *features, double target, int q)
{
    const ScoreModel model = score_model_of(encoder->name);
    if (q < 0)
        return q_corrected(&model, &state->model, features, target, encoder->knob.lowest,
                           encoder->knob.highest);
    const double score = score_corrected(&model, &state->model, features, q);
    return (QPrediction){.q = q, .score = score, .reachable = score >= target};
}

json_t *sidecar_predict(const SidecarState *state, const PredictDocument *document, double target,
                        int q, int *err, Message *why)
{
    const Encoder *encoder = document->encoder;
    const size_t n = json_array_size(shots_of(document));
    json_t *json = json_object(), *shots = json_array();
    SidecarState other = *state;
    *err = check_scores(&other, document, false, why);
    if (isnan(target))
        target = json_number_of(document->json, "target_vmaf");
    for (size_t i = 0; i < n && !*err; i++) {
        PredictionFeatures features;
        *err = features_of(document, i, &features, why);
        if (*err)
            break;
        const QPrediction prediction = pick(state, encoder, &features, target, q);
        json_t *shot = predicted_shot(state, encoder, &features, &prediction);
        const json_t *first = json_object_get(json_array_get(shots_of(document), i), "first_frame");
        put_count(shot, "first_frame", (size_t)json_integer_value(first));
        put_count(shot, "frames", (size_t)features.frames);
        if (json_array_append_new(shots, shot))
            *err = message_set(why, -ENOMEM, "out of memory");
    }
    int bad = json_put(json, "shots", shots);
    bad |= put_text(json, "schema", "vmaf-tune-sidecar-predict/v1");
    bad |= put_text(json, "encoder", encoder->name);
    bad |= put_text(json, "src", json_text_of(document->json, "src"));
    bad |= put_number(json, "target_vmaf", target);
    bad |= put_count(json, "n", state->model.n);
    if (bad && !*err)
        *err = message_set(why, -ENOMEM, "out of memory");
    return unless(*err, json);
}

/* -- learning -- */

/* The same encode of the same shot has the same name, so that it counts once. */
static int name_measurement(const PredictDocument *document, const ShotMeasurement *measurement,
                            char id[SHA256_TEXT_SIZE])
{
    const json_t *shot = json_array_get(shots_of(document), measurement->shot);
    char *features = json_dumps(json_object_get(shot, "features"),
                                JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(17));
    char score[32];
    snprintf(score, sizeof score, "%.17g", measurement->score);
    const char *preset = json_text_of(document->json, "preset");
    const KeyField fields[] = {
        {.name = "encoder", .kind = KEY_TEXT, .text = document->encoder->name},
        {.name = "preset", .kind = KEY_TEXT, .text = preset ? preset : ""},
        {.name = "features", .kind = KEY_TEXT, .text = features},
        {.name = "crf", .kind = KEY_INTEGER, .integer = measurement->q},
        {.name = "score", .kind = KEY_TEXT, .text = score},
    };
    const int err = features ? key_of_fields(fields, sizeof fields / sizeof *fields, id) : -ENOMEM;
    free(features);
    return err;
}

static json_t *measurement_record(const PredictDocument *document,
                                  const ShotMeasurement *measurement, double predicted,
                                  double expected)
{
    json_t *json = json_object();
    int err = put_text(json, "src", json_text_of(document->json, "src"));
    err |= put_count(json, "shot", measurement->shot);
    err |= json_put(json, "crf", json_integer(measurement->q));
    err |= put_number(json, "predicted_vmaf", predicted);
    err |= put_number(json, "measured_vmaf", measurement->score);
    err |= put_number(json, "residual", measurement->score - predicted);
    err |= put_number(json, "expected_residual", expected);
    return unless(err, json);
}

/* 1: learned, and a new reference; 0: it was known; negative errno and why. */
static int learn(SidecarState *state, const PredictDocument *document,
                 const ShotMeasurement *measurement, json_t **learned, Message *why)
{
    const ScoreModel model = score_model_of(document->encoder->name);
    PredictionFeatures features;
    double inputs[RESIDUAL_INPUTS];
    char id[SHA256_TEXT_SIZE];
    int err = features_of(document, measurement->shot, &features, why);
    if (err)
        return err;
    if (name_measurement(document, measurement, id))
        return message_set(why, -ENOMEM, "out of memory");
    if (sidecar_knows(state, id))
        return 0;
    residual_inputs(&features, measurement->q, inputs);
    const double predicted = score_predicted(&model, measurement->q, features.probe_kbps);
    const double expected = residual_expected(&state->model, inputs);
    err = residual_model_learn(&state->model, inputs, measurement->score - predicted);
    if (err)
        return message_set(why, err, "%.200s: shot %zu has numbers that are none", document->path,
                           measurement->shot);
    *learned = measurement_record(document, measurement, predicted, expected);
    json_t *note = json_copy(*learned);
    if (put_text(note, "id", id) || sidecar_note(state, note)) {
        json_decref(*learned);
        return message_set(why, -ENOMEM, "out of memory");
    }
    return 1;
}

int sidecar_record(SidecarState *state, const PredictDocument *document,
                   const ShotMeasurement *measurement, json_t **record, Message *why)
{
    json_t *learned = NULL;
    int got = check_scores(state, document, true, why);
    if (!got)
        got = learn(state, document, measurement, &learned, why);
    if (got < 0)
        return got;
    json_t *json = learned ? learned : json_object();
    int err = put_text(json, "schema", "vmaf-tune-sidecar-record/v1");
    err |= put_text(json, "encoder", state->encoder);
    err |= json_put(json, "already_known", json_boolean(!got));
    err |= put_count(json, "n", state->model.n);
    *record = unless(err, json);
    return *record ? 0 : message_set(why, -ENOMEM, "out of memory");
}

/* Measurements that a document has, to be freed: those of its validation, then those of shots that
 * were searched. */
static ShotMeasurement *measurements_of(const PredictDocument *document, size_t *n)
{
    const json_t *validated =
        json_object_get(json_object_get(document->json, "validation"), "residuals");
    const json_t *shots = shots_of(document), *one;
    ShotMeasurement *all =
        calloc(json_array_size(validated) + json_array_size(shots) + 1, sizeof(*all));
    size_t i;
    *n = 0;
    if (!all)
        return NULL;
    json_array_foreach(validated, i, one)
    {
        const json_t *shot = json_object_get(one, "shot");
        if (json_is_integer(shot) && json_integer_value(shot) >= 0 &&
            json_is_integer(json_object_get(one, "crf")))
            all[(*n)++] =
                (ShotMeasurement){(size_t)json_integer_value(shot), (int)json_number_of(one, "crf"),
                                  json_number_of(one, "measured_vmaf")};
    }
    json_array_foreach(shots, i, one)
    {
        const char *source = json_text_of(one, "source");
        if (source && !strcmp(source, "bisected") && json_is_integer(json_object_get(one, "crf")) &&
            json_is_number(json_object_get(one, "measured_vmaf")))
            all[(*n)++] = (ShotMeasurement){i, (int)json_number_of(one, "crf"),
                                            json_number_of(one, "measured_vmaf")};
    }
    return all;
}

static int learn_all(SidecarState *state, const PredictDocument *document,
                     const ShotMeasurement *all, size_t n, json_t *learned, Message *why)
{
    int added = 0;
    for (size_t i = 0; i < n; i++) {
        json_t *one = NULL;
        const int got = learn(state, document, &all[i], &one, why);
        if (got < 0)
            return got;
        if (got && json_array_append_new(learned, one))
            return message_set(why, -ENOMEM, "out of memory");
        added += got;
    }
    return added;
}

int sidecar_record_all(SidecarState *state, const PredictDocument *document, json_t **record,
                       Message *why)
{
    size_t n;
    json_t *json = json_object(), *learned = json_array();
    ShotMeasurement *all = measurements_of(document, &n);
    int added =
        all ? check_scores(state, document, true, why) : message_set(why, -ENOMEM, "out of memory");
    if (!added)
        added = learn_all(state, document, all, n, learned, why);
    free(all);
    int err = json_put(json, "measurements", learned);
    err |= put_text(json, "file", document->path);
    err |= put_text(json, "encoder", state->encoder);
    err |= json_put(json, "added", json_integer(added));
    err |= json_put(json, "already_known", json_integer((json_int_t)n - added));
    err |= put_count(json, "n", state->model.n);
    *record = unless(added < 0 || err, json);
    if (added < 0)
        return added;
    return *record ? 0 : message_set(why, -ENOMEM, "out of memory");
}
