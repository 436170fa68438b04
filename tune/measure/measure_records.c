/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/video_reader.h"
#include "platform/file.h"
#include "platform/machine.h"
#include "tune/engine/cache_key.h"
#include "tune/measure/measure_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- keys -- */

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
        .rate_control = spec->two_pass ? "two-pass" : spec->encoder->quality_name,
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

/* How both videos become comparable; free. NULL: out of memory. */
static char *match_identity(const TuneSource *source, const ScoreOptions *options)
{
    const char *reference = source->filters.reference;
    const MediaModule *module = NULL;
    Message unused;
    char *text;
    if (reference)
        (void)media_module_load(&module, &unused);
    return asprintf(&text, "bicubic%s%s%s%s%s",
                    options->allows_frame_mismatch ? ", lengths may differ" : "",
                    options->no_film_grain ? ", no film grain" : "", reference ? ", " : "",
                    reference ? reference : "", module ? module->filter : "") < 0
               ? NULL
               : text;
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
    char *match = match_identity(source, &options->score);
    if (!match)
        return message_set(why, -ENOMEM, "out of memory");
    const ScoreIdentity identity = {
        .encode_key = keys->encode,
        .models = models,
        .n_models = 1,
        .metrics = options->score.features,
        .n_metrics = options->score.n_features,
        .scorer_version = score_version(&options->score),
        .backend = backend_identity(&options->score),
        .scale_filter = match,
    };
    err = score_key(&identity, keys->score);
    free(match);
    return err ? message_set(why, err, "scores cannot be named: %s", strerror(-err)) : 0;
}

/* -- records -- */

/* Numbers of an encode's statistics, by their names in rows. */
static const struct {
    const char *name;
    size_t offset;
} statistics[] = {
    {"qp_mean", offsetof(EncoderStats, qp_mean)},
    {"qp_std", offsetof(EncoderStats, qp_std)},
    {"bits_mean", offsetof(EncoderStats, bits_mean)},
    {"bits_std", offsetof(EncoderStats, bits_std)},
    {"mv_mean", offsetof(EncoderStats, mv_mean)},
    {"mv_std", offsetof(EncoderStats, mv_std)},
    {"itex_mean", offsetof(EncoderStats, itex_mean)},
    {"ptex_mean", offsetof(EncoderStats, ptex_mean)},
    {"intra_ratio", offsetof(EncoderStats, intra_ratio)},
    {"skip_ratio", offsetof(EncoderStats, skip_ratio)},
    {"total_bits", offsetof(EncoderStats, total_bits)},
};

enum { N_STATISTICS = sizeof statistics / sizeof *statistics };

static double *statistic(EncoderStats *stats, int i)
{
    return (double *)(void *)((char *)stats + statistics[i].offset);
}

static json_t *statistics_to_json(EncoderStats stats)
{
    json_t *json = json_object();
    json_object_set_new(json, "frames", json_integer((json_int_t)stats.frames));
    for (int i = 0; i < N_STATISTICS; i++)
        json_object_set_new(json, statistics[i].name, json_real(*statistic(&stats, i)));
    return json;
}

static bool statistics_from_json(EncoderStats *stats, const json_t *json)
{
    const json_int_t frames = json_integer_value(json_object_get(json, "frames"));
    if (frames <= 0)
        return false;
    stats->frames = (size_t)frames;
    for (int i = 0; i < N_STATISTICS; i++) {
        const json_t *number = json_object_get(json, statistics[i].name);
        if (!json_is_number(number))
            return false;
        *statistic(stats, i) = json_number_value(number);
    }
    return true;
}

void encode_record_store(TuneCache *cache, const char *key, const MeasuredEncode *measured)
{
    const EncodeOutcome *outcome = &measured->outcome;
    if (!cache)
        return;
    json_t *json = json_pack(
        "{s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:s, s:s}", "size", (json_int_t)outcome->size,
        "stream_size", (json_int_t)measured->stream_bytes, "frames", (json_int_t)measured->frames,
        "kbps", measured->kbps, "wall_ms", outcome->wall_ms, "processor_ms", outcome->processor_ms,
        "anchor_kbps", outcome->anchor_kbps, "rate_control", outcome->rate_control,
        "encoder_version", outcome->encoder_version);
    if (json && *measured->packets)
        json_object_set_new(json, "packets", json_string(measured->packets));
    if (json && outcome->has_stats)
        json_object_set_new(json, "stats", statistics_to_json(outcome->stats));
    if (json)
        cache_write(cache, key, json);
    json_decref(json);
}

/* Sizes that an encode can have, and times and rates. */
static bool are_possible(const MeasuredEncode *measured, json_int_t size, json_int_t stream_size,
                         json_int_t frames)
{
    const EncodeOutcome *outcome = &measured->outcome;
    return size > 0 && stream_size > 0 && stream_size <= size && frames > 0 && frames <= size &&
           measured->kbps > 0 && outcome->wall_ms >= 0 && outcome->processor_ms >= 0 &&
           outcome->anchor_kbps >= 0;
}

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
}

static bool from_json(MeasuredEncode *measured, json_t *json)
{
    json_int_t size, stream_size, frames;
    const char *rate_control, *version;
    EncodeOutcome *outcome = &measured->outcome;
    if (json_unpack(json, "{s:I, s:I, s:I, s:F, s:F, s:F, s:F, s:s, s:s}", "size", &size,
                    "stream_size", &stream_size, "frames", &frames, "kbps", &measured->kbps,
                    "wall_ms", &outcome->wall_ms, "processor_ms", &outcome->processor_ms,
                    "anchor_kbps", &outcome->anchor_kbps, "rate_control", &rate_control,
                    "encoder_version", &version) ||
        !are_possible(measured, size, stream_size, frames))
        return false;
    outcome->size = size;
    outcome->frames = (size_t)frames;
    measured->stream_bytes = (uint64_t)stream_size;
    measured->frames = (size_t)frames;
    copy(outcome->rate_control, sizeof outcome->rate_control, rate_control);
    copy(outcome->encoder_version, sizeof outcome->encoder_version, version);
    const char *packets = json_string_value(json_object_get(json, "packets"));
    copy(measured->packets, sizeof measured->packets, packets ? packets : "");
    const json_t *stats = json_object_get(json, "stats");
    outcome->has_stats = stats && statistics_from_json(&outcome->stats, stats);
    return outcome->has_stats || !measured->spec.stats;
}

bool encode_record_find(TuneCache *cache, const char *key, MeasuredEncode *measured)
{
    json_t *json = cache_read(cache, key);
    const bool is_found = json && from_json(measured, json);
    json_decref(json);
    return is_found;
}

void score_record_store(TuneCache *cache, const char *key, const EncodeScores *scores)
{
    json_t *json = cache ? encode_scores_to_json(scores) : NULL;
    if (json)
        cache_write(cache, key, json);
    json_decref(json);
}

bool score_record_find(TuneCache *cache, const char *key, EncodeScores *scores)
{
    json_t *json = cache_read(cache, key);
    const bool is_found = json && !encode_scores_from_json(scores, json);
    json_decref(json);
    return is_found;
}
