/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/predict_internal.h"

#include "common/json.h"
#include "platform/file.h"
#include "tune/commands/commands.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

static double *number_at(PredictionFeatures *features, int i)
{
    return (double *)(void *)((char *)features + numbers[i].offset);
}

/* A new reference; NULL without memory. */
static json_t *shot_features_to_json(const PredictionFeatures *features)
{
    static const char *const classes[] = {"sd", "720", "1080", "2160"};
    PredictionFeatures copy = *features;
    json_t *json = json_object();
    int err = 0;
    for (int i = 0; i < N_NUMBERS; i++)
        err |= json_put_number(json, numbers[i].key, *number_at(&copy, i));
    err |= json_put_integer(json, "width", features->width);
    err |= json_put_integer(json, "height", features->height);
    err |= json_put_text(json, "height_class", classes[height_class(features->height)]);
    return json_unless(err, json);
}

/* -- JSON -- */

static const char *basis_name(PredictionBasis basis)
{
    static const char *const names[] = {"predicted", "measured", "bisected"};
    return names[basis];
}

static json_t *shot_record(const PredictedShot *shot)
{
    const GopHint gop = gop_hint(&shot->features);
    json_t *json = json_object();
    json_put_integer(json, "first_frame", shot->shot.first);
    json_put_integer(json, "frames", shot_frames(&shot->shot));
    json_put(json, "features", shot_features_to_json(&shot->features));
    json_put_integer(json, "crf", shot->q);
    json_put_text(json, "source", basis_name(shot->basis));
    json_put_flag(json, "reachable", shot->reachable);
    json_put_number(json, "predicted_vmaf", shot->predicted);
    json_put_number(json, "measured_vmaf", shot->measured);
    json_put_number(json, "bitrate_kbps", shot->kbps);
    json_put_integer(json, "keyint", gop.keyint);
    json_put_integer(json, "min_keyint", gop.min_keyint);
    return json;
}

static json_t *model_record(const PredictRun *run)
{
    json_t *json = json_object();
    json_put_number(json, "a", run->model.a);
    json_put_number(json, "b", run->model.b);
    json_put_number(json, "c", run->model.c);
    json_put_number(json, "d", run->model.rate_weight);
    json_put_integer(json, "reference_crf", run->model.reference_q);
    json_put_flag(json, "refitted", run->is_refitted);
    return json;
}

static const char *verdict_of(const PredictRun *run)
{
    static const char *const names[] = {"GOSPEL", "RECALIBRATE", "FALL_BACK"};
    return names[run->validation.verdict];
}

/* How the validation went. */
static json_t *predict_report(const PredictRun *run)
{
    json_t *json = json_object(), *residuals = json_array();
    for (size_t i = 0; i < run->n; i++) {
        const PredictedShot *shot = &run->shots[i];
        if (!shot->is_validated)
            continue;
        json_t *one = json_object();
        json_put_integer(one, "shot", i);
        json_put_integer(one, "crf", shot->validated_q);
        json_put_number(one, "predicted_vmaf", shot->validated_score - shot->residual);
        json_put_number(one, "measured_vmaf", shot->validated_score);
        json_put_number(one, "bitrate_kbps", shot->encode.kbps);
        json_put_number(one, "residual", shot->residual);
        json_array_append_new(residuals, one);
    }
    int err = json_put(json, "residuals", residuals);
    err |= json_put_text(json, "verdict", verdict_of(run));
    err |= json_put_number(json, "bias", run->validation.bias);
    err |= json_put_number(json, "max_abs_residual", run->validation.worst);
    err |= json_put_number(json, "threshold", run->settings->threshold);
    err |= json_put_integer(json, "n_validated", run->n_validated);
    err |= json_put(json, "model", model_record(run));
    return json_unless(err, json);
}

static json_t *predict_record(const PredictRun *run)
{
    json_t *json = json_object(), *shots = json_array();
    const Encoder *encoder = run->encoder.encoder;
    for (size_t i = 0; i < run->n; i++)
        json_array_append_new(shots, shot_record(&run->shots[i]));
    int err = json_put(json, "shots", shots);
    err |= json_put_text(json, "src", run->source->path);
    err |= json_put_text(json, "encoder", encoder->name);
    err |= json_put_text(json, "preset",
                         run->settings->search.preset ? run->settings->search.preset
                                                      : encoder->default_preset);
    err |= json_put_text(json, "probe_preset", encoder->probe_preset);
    err |= json_put_integer(json, "probe_crf", encoder->probe_q);
    err |= json_put_number(json, "target_vmaf", run->settings->search.target);
    err |= json_put_text(json, "vmaf_model", run->vmaf_model);
    err |= json_put_text(json, "pool", run->pool);
    err |= json_put(json, "validation", predict_report(run));
    return json_unless(err, json);
}

/* -- for people -- */

static void predict_print_text(const PredictRun *run, FILE *out)
{
    fprintf(out, "%6s  %6s  %10s  %4s  %9s  %9s  %10s\n", "first", "frames", "probe kb/s",
            run->encoder.encoder->quality_name, "predicted", "measured", "kbit/s");
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

/* -- the subcommand -- */

#define AT(member) .target = offsetof(PredictSettings, member)

static const TuneOption rows[] = {
    {"target-vmaf", "X", "the score that each shot is to reach (93, beside --require as well)",
     NUMBER_AT(search.target, 0, 100)},
    {"codec", "NAME", "FFmpeg's name of the encoder (libx264)", TEXT_AT(search.encoder),
     .other_name = "encoder"},
    {"preset", "NAME", "as in x264, whatever the encoder (medium)", TEXT_AT(search.preset)},
    {"validate-k", "N", "shots that are encoded to see whether predictions hold (8)",
     INTEGER_AT(validate_k, 0, 4096)},
    {"residual-threshold", "D", "how far predictions may be off (1.5)",
     NUMBER_AT(threshold, 0, 100)},
    {"report-out", "FILE", "write how the validation went (JSON)", TEXT_AT(report),
     .file = TUNE_FILE_TEXT},
    {"format", NULL, "of the result (json)", CHOICE_AT(format, "json|text")},
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
};

static int print(const TuneCommand *command, const PredictRun *run)
{
    const PredictSettings *settings = run->settings;
    TextBuffer text;
    if (settings->format == 0)
        return result_print_json(command, settings->output, predict_record(run));
    if (text_begin(&text))
        predict_print_text(run, text.out);
    return result_print(&text, command, settings->output, 0);
}

static int print_all(const TuneCommand *command, const PredictRun *run)
{
    const PredictSettings *settings = run->settings;
    int status = print(command, run);
    if (!status && settings->report)
        status = result_print_json(command, settings->report, predict_report(run));
    return status;
}

static int conclude(const TuneCommand *command, PredictRun *run)
{
    const int status = print_all(command, run);
    if (!status && run->validation.verdict == VERDICT_FALL_BACK)
        return command_fail(command, TUNE_USAGE,
                            "predictions do not hold (up to %.3f off): shots were searched instead",
                            run->validation.worst);
    bool is_reached = run->n > 0;
    for (size_t i = 0; i < run->n; i++)
        is_reached &= run->shots[i].reachable;
    if (!status && !is_reached)
        return command_fail(command, TUNE_NO_RESULT, "not all shots reach VMAF %g",
                            run->settings->search.target);
    return status;
}

/* The encoder, and what cannot be done. */
static int check(Session *session, PredictRun *run)
{
    const PredictSettings *settings = run->settings;
    int status = session_find_encoder(session, settings->search.encoder, &run->encoder);
    if (!status)
        status = session_check_preset(session, run->encoder.encoder, settings->search.preset);
    if (!status && run->encoder.encoder->qualities.higher_is_better)
        status = command_fail(session->command, TUNE_USAGE, "there is no model of %s",
                              settings->search.encoder);
    if (!status && session->options->sample_seconds > 0)
        status = command_fail(session->command, TUNE_USAGE,
                              "shots are what is looked at, not --sample-clip-seconds");
    if (!status && session->options->dry_run)
        status = command_fail(session->command, TUNE_USAGE, "there is no --dry-run of it");
    return status;
}

static int work(Session *session, const TuneSource *source, void *cookie)
{
    const PredictSettings *settings = cookie;
    PredictRun run = {.settings = settings, .source = source};
    int status = check(session, &run);
    if (!status)
        status = predict_all(session, &run);
    if (!status)
        status = conclude(session->command, &run);
    predict_free(&run);
    return status;
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    const PredictSettings *settings = cookie;
    return session_run(command, options, settings->search.target, work, cookie);
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    PredictSettings settings = {
        .search = search_choice(),
        .threshold = VALIDATION_DEFAULT_THRESHOLD,
        .validate_k = 8,
    };
    const OptionGroup group = {"Predict", rows, sizeof rows / sizeof *rows, &settings};
    settings.search.target = 93;
    return session_command(command, argc, argv, &group, 1, begin, &settings);
}

const TuneCommand predict_command = {
    .name = "predict",
    .operands = "",
    .summary = "a quality for each shot from one quick encode of it, and whether that holds",
    .examples =
        "  vmaf-tune predict --src film.mkv --codec libx265 --target-vmaf 93\n"
        "  vmaf-tune predict --src film.mkv --with-uncertainty --calibration-sidecar x264.json\n",
    .run = run_command,
};
