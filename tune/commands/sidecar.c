/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/sidecar_internal.h"

#include "common/json.h"
#include "platform/file.h"
#include "tune/commands/commands.h"
#include "tune/commands/predict_internal.h"
#include "tune/engine/cache_key.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A document of predict. */
typedef struct PredictDocument {
    const char *path;
    json_t *json;
    const Encoder *encoder; /* of the table */
} PredictDocument;

/* One encode of a shot, measured. */
typedef struct ShotMeasurement {
    size_t shot;
    int q;
    double score;
} ShotMeasurement;

enum { MAX_BYTES = 256 << 20 };

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
    if (document->encoder->qualities.higher_is_better)
        return message_set(why, -EINVAL, "%.200s: there is no model of %s", document->path,
                           encoder);
    return 0;
}

/* 0; -EINVAL: it is no such document, or of an encoder that there is no model of; another negative
 * errno; and why. Free in either case. */
static int predict_document_load(PredictDocument *document, const EncoderTable *encoders,
                                 const char *path, Message *why)
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

/* 0; -EINVAL: it is no such document, or of an encoder that there is no model of; another negative
 * errno; and why. Free in either case. */
static void predict_document_free(PredictDocument *document)
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

/* New references; NULL without memory. */
static json_t *sidecar_status(const SidecarState *state)
{
    double without, with;
    json_t *json = json_object(), *weights = json_object();
    sidecar_errors(state, &without, &with);
    int err = 0;
    for (size_t i = 0; i < RESIDUAL_INPUTS; i++)
        err |= json_put_number(weights, residual_input_name(i), state->model.weights[i]);
    err |= json_put(json, "weights", weights);
    err |= json_put_text(json, "schema", "vmaf-tune-sidecar-status/v1");
    err |= json_put_text(json, "encoder", state->encoder);
    err |= json_put_text(json, "path", state->path);
    err |= json_put_text(json, "scores", state->scores);
    err |= json_put_integer(json, "n", state->model.n);
    err |= json_put_integer(json, "history", json_array_size(state->history));
    err |= json_put_number(json, "mean_abs_residual", without);
    err |= json_put_number(json, "mean_abs_remaining", with);
    return json_unless(err, json);
}

/* -- predictions -- */

static json_t *predicted_shot(const SidecarState *state, const Encoder *encoder,
                              const PredictionFeatures *features, const QPrediction *prediction)
{
    const ScoreModel model = score_model_of(encoder->name);
    double inputs[RESIDUAL_INPUTS];
    json_t *json = json_object();
    residual_inputs(features, prediction->q, inputs);
    int err = json_put_integer(json, "crf", prediction->q);
    err |= json_put_flag(json, "reachable", prediction->reachable);
    err |= json_put_number(json, "predicted_vmaf",
                           score_predicted(&model, prediction->q, features->probe_kbps));
    err |= json_put_number(json, "expected_residual", residual_expected(&state->model, inputs));
    err |= json_put_number(json, "corrected_vmaf", prediction->score);
    err |= json_put_number(json, "bitrate_kbps",
                           kbps_predicted(features->probe_kbps, encoder->probe_q, prediction->q));
    return json_unless(err, json);
}

static QPrediction pick(const SidecarState *state, const Encoder *encoder,
                        const PredictionFeatures *features, double target, int q)
{
    const ScoreModel model = score_model_of(encoder->name);
    if (q < 0)
        return q_corrected(&model, &state->model, features, target, encoder->qualities.lowest,
                           encoder->qualities.highest);
    const double score = score_corrected(&model, &state->model, features, q);
    return (QPrediction){.q = q, .score = score, .reachable = score >= target};
}

/*
 * Each shot with the quality that the corrected prediction picks for the target (NAN: the
 * document's), or, if q is not negative, what it expects there. NULL and why, with *err.
 */
static json_t *sidecar_predict(const SidecarState *state, const PredictDocument *document,
                               double target, int q, int *err, Message *why)
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
        json_put_integer(shot, "first_frame", (size_t)json_integer_value(first));
        json_put_integer(shot, "frames", (size_t)features.frames);
        if (json_array_append_new(shots, shot))
            *err = message_set(why, -ENOMEM, "out of memory");
    }
    int bad = json_put(json, "shots", shots);
    bad |= json_put_text(json, "schema", "vmaf-tune-sidecar-predict/v1");
    bad |= json_put_text(json, "encoder", encoder->name);
    bad |= json_put_text(json, "src", json_text_of(document->json, "src"));
    bad |= json_put_number(json, "target_vmaf", target);
    bad |= json_put_integer(json, "n", state->model.n);
    if (bad && !*err)
        *err = message_set(why, -ENOMEM, "out of memory");
    return json_unless(*err, json);
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
    int err = json_put_text(json, "src", json_text_of(document->json, "src"));
    err |= json_put_integer(json, "shot", measurement->shot);
    err |= json_put_integer(json, "crf", measurement->q);
    err |= json_put_number(json, "predicted_vmaf", predicted);
    err |= json_put_number(json, "measured_vmaf", measurement->score);
    err |= json_put_number(json, "residual", measurement->score - predicted);
    err |= json_put_number(json, "expected_residual", expected);
    return json_unless(err, json);
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
    if (json_put_text(note, "id", id) || sidecar_note(state, note)) {
        json_decref(*learned);
        return message_set(why, -ENOMEM, "out of memory");
    }
    return 1;
}

/* Learns from one measurement, unless it is known. 0 and a new reference to what was learned; a
 * negative errno and why. */
static int sidecar_record(SidecarState *state, const PredictDocument *document,
                          const ShotMeasurement *measurement, json_t **record, Message *why)
{
    json_t *learned = NULL;
    int got = check_scores(state, document, true, why);
    if (!got)
        got = learn(state, document, measurement, &learned, why);
    if (got < 0)
        return got;
    json_t *json = learned ? learned : json_object();
    int err = json_put_text(json, "schema", "vmaf-tune-sidecar-record/v1");
    err |= json_put_text(json, "encoder", state->encoder);
    err |= json_put_flag(json, "already_known", !got);
    err |= json_put_integer(json, "n", state->model.n);
    *record = json_unless(err, json);
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

/* The same of all measurements that a document has. */
static int sidecar_record_all(SidecarState *state, const PredictDocument *document, json_t **record,
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
    err |= json_put_text(json, "file", document->path);
    err |= json_put_text(json, "encoder", state->encoder);
    err |= json_put_integer(json, "added", added);
    err |= json_put_integer(json, "already_known", n - added);
    err |= json_put_integer(json, "n", state->model.n);
    *record = json_unless(added < 0 || err, json);
    if (added < 0)
        return added;
    return *record ? 0 : message_set(why, -ENOMEM, "out of memory");
}

typedef struct Settings {
    const char *encoder, *cache_dir, *adapters, *output;
    double target, score; /* NAN: not given */
    int shot, q;          /* -1: not given */
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {"encoder", "NAME", "status: FFmpeg's name of the encoder (libx264)", TEXT_AT(encoder),
     .other_name = "codec"},
    {"target-vmaf", "X", "predict: the score that each shot is to reach (that of the file)",
     NUMBER_AT(target, 0, 0)},
    {"crf", "Q", "predict: what is expected there; record: what was measured there",
     INTEGER_AT(q, 0, 255)},
    {"shot", "N", "record: which shot of the file, from 0", INTEGER_AT(shot, 0, 1e6)},
    {"measured-vmaf", "X", "record: its score", NUMBER_AT(score, 0, 100)},
    {"adapters", "FILE", "further encoders, as docs/tune.md describes", TEXT_AT(adapters),
     .file = TUNE_FILE_READ},
    {"cache-dir", "FOLDER", "where what was learned is kept (~/.cache/vmaf-tune)",
     TEXT_AT(cache_dir)},
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
};

typedef struct Sidecar {
    const TuneCommand *command;
    const Settings *settings;
    EncoderTable encoders;
    TuneCache *cache;
} Sidecar;

static int fail(const Sidecar *sidecar, int err, const Message *why)
{
    return command_fail(sidecar->command, err == -ENOMEM ? TUNE_NO_RESULT : TUNE_USAGE, "%s",
                        why->text);
}

/* Takes the reference. */
static int print(const Sidecar *sidecar, json_t *json)
{
    return result_print_json(sidecar->command, sidecar->settings->output, json);
}

/* -- actions -- */

static int show_status(const Sidecar *sidecar, const char *const *files, size_t n)
{
    const char *encoder = sidecar->settings->encoder;
    SidecarState state;
    Message why;
    (void)files;
    if (n)
        return command_fail(sidecar->command, TUNE_USAGE, "status reads no file");
    if (!encoder_find(&sidecar->encoders, encoder, &why))
        return fail(sidecar, -EINVAL, &why);
    const int err = sidecar_load(&state, sidecar->cache, encoder, &why);
    const int status = err ? fail(sidecar, err, &why) : print(sidecar, sidecar_status(&state));
    sidecar_free(&state);
    return status;
}

/* A document, and what was learned of its encoder. */
typedef struct SidecarFile {
    PredictDocument document;
    SidecarState state;
} SidecarFile;

/* A status. Close it in either case. */
static int open_file(const Sidecar *sidecar, const char *path, SidecarFile *file)
{
    Message why;
    *file = (SidecarFile){0};
    int err = predict_document_load(&file->document, &sidecar->encoders, path, &why);
    if (!err)
        err = sidecar_load(&file->state, sidecar->cache, file->document.encoder->name, &why);
    return err ? fail(sidecar, err, &why) : 0;
}

static void close_file(SidecarFile *file)
{
    sidecar_free(&file->state);
    predict_document_free(&file->document);
}

static int check_q(const Sidecar *sidecar, const Encoder *encoder)
{
    const int q = sidecar->settings->q;
    if (q < 0 || (q >= encoder->qualities.lowest && q <= encoder->qualities.highest))
        return 0;
    return command_fail(sidecar->command, TUNE_USAGE, "%s has %s from %d to %d", encoder->name,
                        encoder->quality_name, encoder->qualities.lowest,
                        encoder->qualities.highest);
}

static int predict(const Sidecar *sidecar, const char *const *files, size_t n)
{
    const Settings *settings = sidecar->settings;
    SidecarFile file;
    Message why;
    int err;
    if (n != 1)
        return command_fail(sidecar->command, TUNE_USAGE,
                            "predict needs one file: what vmaf-tune predict printed");
    int status = open_file(sidecar, files[0], &file);
    if (!status)
        status = check_q(sidecar, file.document.encoder);
    if (!status) {
        json_t *json =
            sidecar_predict(&file.state, &file.document, settings->target, settings->q, &err, &why);
        status = json ? print(sidecar, json) : fail(sidecar, err, &why);
    }
    close_file(&file);
    return status;
}

static int record(const Sidecar *sidecar, const char *const *files, size_t n)
{
    const Settings *settings = sidecar->settings;
    SidecarFile file;
    Message why;
    json_t *json = NULL;
    if (n != 1 || settings->shot < 0 || settings->q < 0 || isnan(settings->score))
        return command_fail(
            sidecar->command, TUNE_USAGE,
            "record needs one file of vmaf-tune predict, --shot, --crf and --measured-vmaf");
    const ShotMeasurement measurement = {(size_t)settings->shot, settings->q, settings->score};
    int status = open_file(sidecar, files[0], &file);
    if (!status)
        status = check_q(sidecar, file.document.encoder);
    if (!status) {
        int err = sidecar_record(&file.state, &file.document, &measurement, &json, &why);
        if (!err)
            err = sidecar_save(&file.state, &why);
        status = err ? fail(sidecar, err, &why) : print(sidecar, json_incref(json));
    }
    json_decref(json);
    close_file(&file);
    return status;
}

/* What is learned of each file is kept before the next one is read. */
static int record_file(const Sidecar *sidecar, const char *path, json_t *records)
{
    SidecarFile file;
    Message why;
    json_t *json = NULL;
    int status = open_file(sidecar, path, &file);
    if (!status) {
        int err = sidecar_record_all(&file.state, &file.document, &json, &why);
        if (!err)
            err = sidecar_save(&file.state, &why);
        status = err ? fail(sidecar, err, &why) : 0;
    }
    if (!status && json_array_append(records, json))
        status = command_fail(sidecar->command, TUNE_NO_RESULT, "out of memory");
    json_decref(json);
    close_file(&file);
    return status;
}

static int batch_record(const Sidecar *sidecar, const char *const *files, size_t n)
{
    json_t *json = json_object(), *records = json_array();
    int status = 0;
    if (!n)
        status = command_fail(sidecar->command, TUNE_USAGE,
                              "batch-record needs files: what vmaf-tune predict printed");
    for (size_t i = 0; i < n && !status; i++)
        status = record_file(sidecar, files[i], records);
    int err = json_put(json, "files", records);
    err |= json_put_text(json, "schema", "vmaf-tune-sidecar-batch-record/v1");
    json = json_unless(err || status, json);
    return status ? status : print(sidecar, json);
}

/* -- the subcommand -- */

static const struct {
    const char *name;
    int (*run)(const Sidecar *sidecar, const char *const *files, size_t n);
} actions[] = {
    {"status", show_status},
    {"predict", predict},
    {"record", record},
    {"batch-record", batch_record},
};

static int run_action(Sidecar *sidecar, const OptionWords *words)
{
    const Settings *settings = sidecar->settings;
    Message why;
    size_t i = 0;
    while (i < sizeof actions / sizeof *actions &&
           (!words->n || strcmp(actions[i].name, words->word[0])))
        i++;
    if (i == sizeof actions / sizeof *actions)
        return command_fail(sidecar->command, TUNE_USAGE,
                            "what is to be done: status, predict, record or batch-record?");
    int err = encoder_table_open(&sidecar->encoders, settings->adapters, &why);
    if (!err)
        err = cache_open(&sidecar->cache, settings->cache_dir, INT64_MAX, &why);
    return err ? fail(sidecar, err, &why) : actions[i].run(sidecar, words->word + 1, words->n - 1);
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.encoder = "libx264", .target = NAN, .score = NAN, .shot = -1, .q = -1};
    const OptionGroup group = {"Options", rows, sizeof rows / sizeof *rows, &settings};
    Sidecar sidecar = {.command = command, .settings = &settings};
    OptionWords words;
    int status;
    if (command_parse(command, &group, 1, argc, argv, &words, &status)) {
        status = run_action(&sidecar, &words);
        cache_close(sidecar.cache);
        encoder_table_close(&sidecar.encoders);
    }
    tune_options_free(&group, 1);
    return status;
}

const TuneCommand sidecar_command = {
    .name = "sidecar",
    .operands = "status|predict|record|batch-record [FILE...]",
    .summary = "learns what predict misses by, and corrects its predictions",
    .examples =
        "  vmaf-tune predict --src film.mkv -o film.json\n"
        "  vmaf-tune sidecar batch-record film.json\n"
        "  vmaf-tune predict --src another.mkv --validate-k 1 --residual-threshold 100 -o b.json\n"
        "  vmaf-tune sidecar predict b.json --target-vmaf 93\n",
    .run = run_command,
};
