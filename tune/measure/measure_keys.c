/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/measure_keys.h"

#include "tune/engine/cache_key.h"

#include "platform/file.h"
#include "platform/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A source that nobody looked at is known by its path, which is good for names of files alone:
 * nothing of it is cached. */
static const char *identity_of(const TuneSource *source)
{
    return *source->sha256 ? source->sha256 : source->path;
}

static int encode_part(const TuneSource *source, const MeasureOptions *options,
                       const EncodeSpec *spec, const EncodeRequest *request, MeasureKeys *keys,
                       Message *why)
{
    const char *ffmpeg_version =
        spec->ffmpeg_version ? spec->ffmpeg_version : options->ffmpeg_version;
    const SampleWindow whole = {0, source->frames, source->frames};
    ArgumentList arguments = {0};
    int err = encode_key_arguments(request, &arguments, why);
    const EncodeIdentity identity = {
        .source_sha256 = identity_of(source),
        .width = (int)source->format.width,
        .height = (int)source->format.height,
        .pixel_format = source->pixel_format,
        .frame_rate = source->rate,
        .windows = request->n_windows ? request->windows : &whole,
        .n_windows = request->n_windows ? request->n_windows : 1,
        .scaled_width = spec->width ? spec->width : (int)source->format.width,
        .scaled_height = spec->height ? spec->height : (int)source->format.height,
        .encoder = spec->encoder->name,
        .preset = spec->preset ? spec->preset : spec->encoder->default_preset,
        .q = spec->q,
        .rate_control = spec->two_pass ? "two-pass" : spec->encoder->knob_name,
        .arguments = (const char *const *)arguments.items,
        .n_arguments = arguments.n,
        .processors = request->threads > 0 ? 0 : (int)vmaf_processors_usable(),
        .adapter_version = spec->encoder->row_version,
        .ffmpeg_version = ffmpeg_version ? ffmpeg_version : "",
        .encoder_version = spec->encoder_version ? spec->encoder_version : "",
    };
    if (!err && (err = encode_key(&identity, keys->encode)))
        message_set(why, err, "an encode cannot be named: %s", strerror(-err));
    arguments_free(&arguments);
    return err;
}

/* A model in a file is known by its content. */
static int model_identity(const char *model, char identity[SHA256_TEXT_SIZE + 8], Message *why)
{
    enum { MODEL_MAX = 64 << 20 };
    if (strncmp(model, "path=", 5)) {
        snprintf(identity, SHA256_TEXT_SIZE + 8, "%.64s",
                 strncmp(model, "version=", 8) ? model : model + 8);
        return 0;
    }
    char *content;
    size_t size;
    Sha256 hash;
    const int err = vmaf_file_load(model + 5, MODEL_MAX, &content, &size);
    if (err)
        return message_set(why, err, "%s: %s", model + 5, strerror(-err));
    sha256_start(&hash);
    sha256_add(&hash, content, size);
    sha256_text(&hash, identity);
    free(content);
    return 0;
}

/* All of ours give the same bits; of another program nobody knows that. */
static const char *backend_identity(const ScoreOptions *options)
{
    if (!options->program)
        return "exact";
    return options->backend ? options->backend : "auto";
}

int measure_encode_key(const TuneSource *source, const MeasureOptions *options,
                       const EncodeSpec *spec, const EncodeRequest *request, MeasureKeys *keys,
                       Message *why)
{
    char model[SHA256_TEXT_SIZE + 8];
    const char *const models[] = {model};
    int err = encode_part(source, options, spec, request, keys, why);
    if (!err)
        err = model_identity(options->score.model, model, why);
    if (err)
        return err;
    const ScoreIdentity identity = {
        .encode_key = keys->encode,
        .models = models,
        .n_models = 1,
        .metrics = options->score.features,
        .n_metrics = options->score.n_features,
        .scorer_version = score_version(&options->score),
        .backend = backend_identity(&options->score),
        .scale_filter =
            options->score.allows_frame_mismatch ? "bicubic, lengths may differ" : "bicubic",
    };
    err = score_key(&identity, keys->score);
    return err ? message_set(why, err, "scores cannot be named: %s", strerror(-err)) : 0;
}
