/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/json.h"
#include "libvmaf/libvmaf.h"
#include "media/video_reader.h"
#include "platform/machine.h"
#include "tune/measure/measure_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- keys: hashes of names and what they are, of everything that a result depends on -- */

/* A key changes with this number when what is hashed changes its meaning. */
enum { KEY_VERSION = 6 };

/* Frees the parts. 0; -ENOMEM and why. */
static int hash_parts(ArgumentList *parts, char key[SHA256_TEXT_SIZE], Message *why)
{
    const int err = parts->error;
    Sha256 hash;
    sha256_start(&hash);
    for (size_t i = 0; i < parts->n; i++)
        sha256_add(&hash, parts->items[i], strlen(parts->items[i]) + 1);
    sha256_text(&hash, key);
    arguments_free(parts);
    return err ? message_set(why, err, "out of memory") : 0;
}

static int encode_key(const MeasureOptions *options, const EncodeRequest *request,
                      char key[SHA256_TEXT_SIZE], Message *why)
{
    const TuneSource *source = request->source;
    const EncodeSpec *spec = &request->spec;
    const char *ffmpeg = spec->ffmpeg_version ? spec->ffmpeg_version : options->ffmpeg_version;
    ArgumentList parts = {0};
    arguments_option(&parts, "v", "%d", KEY_VERSION);
    /* A source that nobody looked at is known by its path, which is good for names of files alone:
     * nothing of it is cached. */
    arguments_option(&parts, "source", "%s", *source->sha256 ? source->sha256 : source->path);
    arguments_option(&parts, "size", "%ux%u", source->format.width, source->format.height);
    arguments_option(&parts, "pix_fmt", "%s", source->pixel_format);
    arguments_option(&parts, "fps", "%d/%d", source->rate.numerator, source->rate.denominator);
    for (size_t i = 0; i < request->n_windows; i++)
        arguments_option(&parts, "frames", "%zu+%zu", request->windows[i].first,
                         request->windows[i].frames);
    if (!request->n_windows)
        arguments_option(&parts, "frames", "0+%zu", source->frames);
    arguments_option(&parts, "row_version", "%s", spec->encoder->row_version);
    arguments_option(&parts, "version", "%s", spec->encoder_version ? spec->encoder_version : "");
    arguments_option(&parts, "ffmpeg", "%s", ffmpeg ? ffmpeg : "");
    /* Where the encoder chooses its threads; else they are among the arguments. */
    arguments_option(&parts, "processors", "%d",
                     request->settings.threads > 0 ? 0 : (int)vmaf_processors_usable());
    const int err = encode_key_arguments(request, &parts, why);
    const int hashed = hash_parts(&parts, key, why);
    return err ? err : hashed;
}

/* A model in a file is known by its content. */
static int model_identity(const char *model, char identity[SHA256_TEXT_SIZE + 8], Message *why)
{
    const bool is_file = !strncmp(model, "path=", 5);
    snprintf(identity, SHA256_TEXT_SIZE + 8, "%.64s",
             strncmp(model, "version=", 8) ? model : model + 8);
    const int err = is_file ? file_sha256(model + 5, identity) : 0;
    return err ? message_set(why, err, "%s: %s", model + 5, strerror(-err)) : 0;
}

int measure_encode_key(const MeasureOptions *options, const EncodeRequest *request,
                       MeasureKeys *keys, Message *why)
{
    const ScoreOptions *score = &options->score;
    const char *filter = request->source->filters.reference, *backend = score->backend;
    const MediaModule *module = NULL;
    ArgumentList parts = {0};
    char model[SHA256_TEXT_SIZE + 8];
    Message unused;
    int err = encode_key(options, request, keys->encode, why);
    if (!err)
        err = model_identity(score->model, model, why);
    if (err)
        return err;
    if (filter)
        (void)media_module_load(&module, &unused);
    arguments_option(&parts, "v", "%d", KEY_VERSION);
    arguments_option(&parts, "encode", "%s", keys->encode);
    arguments_option(&parts, "model", "%s", model);
    arguments_option(&parts, "scorer", "%s",
                     score->program ? score->program->version : vmaf_version());
    /* All of ours give the same bits; of another program nobody knows that. */
    arguments_option(&parts, "backend", "%s",
                     !score->program ? "exact"
                     : backend       ? backend
                                     : "auto");
    arguments_option(&parts, "lengths may differ", "%d", score->allows_frame_mismatch);
    arguments_option(&parts, "no film grain", "%d", score->no_film_grain);
    arguments_option(&parts, "filter", "%s", filter ? filter : "");
    arguments_option(&parts, "filter_version", "%s", module ? module->filter : "");
    for (size_t i = 0; i < score->n_features; i++)
        arguments_add(&parts, score->features[i]);
    return hash_parts(&parts, keys->score, why);
}

/* -- what was measured of an encode -- */

static json_t *stats_to_json(const EncoderStats *stats)
{
    return json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "frames",
                     (json_int_t)stats->frames, "qp_mean", stats->qp_mean, "qp_std", stats->qp_std,
                     "bits_mean", stats->bits_mean, "bits_std", stats->bits_std, "mv_mean",
                     stats->mv_mean, "mv_std", stats->mv_std, "itex_mean", stats->itex_mean,
                     "ptex_mean", stats->ptex_mean, "intra_ratio", stats->intra_ratio, "skip_ratio",
                     stats->skip_ratio, "total_bits", stats->total_bits);
}

static bool stats_from_json(EncoderStats *stats, json_t *json)
{
    json_int_t frames = 0;
    const int err = json_unpack(
        json, "{s:I, s:F, s:F, s:F, s:F, s:F, s:F, s:F, s:F, s:F, s:F, s:F}", "frames", &frames,
        "qp_mean", &stats->qp_mean, "qp_std", &stats->qp_std, "bits_mean", &stats->bits_mean,
        "bits_std", &stats->bits_std, "mv_mean", &stats->mv_mean, "mv_std", &stats->mv_std,
        "itex_mean", &stats->itex_mean, "ptex_mean", &stats->ptex_mean, "intra_ratio",
        &stats->intra_ratio, "skip_ratio", &stats->skip_ratio, "total_bits", &stats->total_bits);
    stats->frames = (size_t)frames;
    return !err && frames > 0;
}

void encode_record_store(TuneCache *cache, const char *key, const MeasuredEncode *measured)
{
    const EncodeOutcome *outcome = &measured->outcome;
    json_t *json = json_pack(
        "{s:I, s:I, s:I, s:f, s:f, s:f, s:s, s:s, s:s}", "size", (json_int_t)outcome->size,
        "stream_size", (json_int_t)measured->stream_bytes, "frames", (json_int_t)measured->frames,
        "kbps", measured->kbps, "wall_ms", outcome->wall_ms, "anchor_kbps", outcome->anchor_kbps,
        "rate_control", outcome->rate_control, "encoder_version", outcome->encoder_version,
        "packets", measured->packets);
    if (outcome->has_stats)
        json_object_set_new(json, "stats", stats_to_json(&outcome->stats));
    cache_write(cache, key, json);
    json_decref(json);
}

static bool encode_from_json(MeasuredEncode *measured, json_t *json)
{
    json_int_t size, stream_size, frames;
    const char *rate_control, *version, *packets;
    EncodeOutcome *outcome = &measured->outcome;
    if (json_unpack(json, "{s:I, s:I, s:I, s:F, s:F, s:F, s:s, s:s, s:s}", "size", &size,
                    "stream_size", &stream_size, "frames", &frames, "kbps", &measured->kbps,
                    "wall_ms", &outcome->wall_ms, "anchor_kbps", &outcome->anchor_kbps,
                    "rate_control", &rate_control, "encoder_version", &version, "packets",
                    &packets))
        return false;
    outcome->size = size;
    outcome->frames = measured->frames = (size_t)frames;
    measured->stream_bytes = (uint64_t)stream_size;
    snprintf(outcome->rate_control, sizeof outcome->rate_control, "%s", rate_control);
    snprintf(outcome->encoder_version, sizeof outcome->encoder_version, "%s", version);
    snprintf(measured->packets, sizeof measured->packets, "%s", packets);
    json_t *stats = json_object_get(json, "stats");
    outcome->has_stats = stats && stats_from_json(&outcome->stats, stats);
    const bool is_possible = size > 0 && stream_size > 0 && stream_size <= size && frames > 0 &&
                             frames <= size && measured->kbps > 0 && outcome->wall_ms >= 0 &&
                             outcome->anchor_kbps >= 0;
    return is_possible && (outcome->has_stats || !measured->spec.stats);
}

bool encode_record_find(TuneCache *cache, const char *key, MeasuredEncode *measured)
{
    json_t *json = cache_read(cache, key);
    const bool is_found = encode_from_json(measured, json);
    json_decref(json);
    return is_found;
}

/* -- scores -- */

/* A new reference; NULL without memory. Numbers read back to the same doubles. JSON has none for
 * what is not finite, such as CIEDE2000 of equal frames. */
static json_t *series_to_json(const double *values, size_t n)
{
    json_t *array = json_array();
    int err = 0;
    for (size_t i = 0; i < n && !err; i++)
        err = json_array_append_new(array, isfinite(values[i]) ? json_real(values[i])
                                           : values[i] > 0     ? json_string("inf")
                                           : values[i] < 0     ? json_string("-inf")
                                                               : json_string("nan"));
    return json_unless(err, array);
}

void score_record_store(TuneCache *cache, const char *key, const EncodeScores *scores)
{
    json_t *all = json_object();
    int err = 0;
    for (size_t i = 0; i < scores->n_series && !err; i++)
        err = json_put(all, scores->series[i].name,
                       series_to_json(scores->series[i].values, scores->frames));
    json_t *json = json_pack("{s:I, s:s, s:s, s:f, s:o}", "frames", (json_int_t)scores->frames,
                             "backend", scores->backend, "device", scores->device, "score_time_ms",
                             scores->ms, "scores", json_unless(err, all));
    cache_write(cache, key, json);
    json_decref(json);
}

/* Values of the right number. 0; -EINVAL; -ENOMEM. */
static int add_series(EncodeScores *scores, const char *name, const json_t *values)
{
    ScoreSeries *series = encode_scores_add(scores, name);
    if (!series || json_array_size(values) != scores->frames)
        return series ? -EINVAL : -ENOMEM;
    for (size_t i = 0; i < scores->frames; i++) {
        const json_t *value = json_array_get(values, i);
        if (!json_is_number(value) && !json_is_string(value))
            return -EINVAL;
        series->values[i] = json_is_number(value) ? json_number_value(value)
                                                  : strtod(json_string_value(value), NULL);
    }
    return 0;
}

static int scores_from_json(EncodeScores *scores, json_t *json)
{
    json_int_t frames;
    const char *backend, *device, *name;
    json_t *all, *values;
    int err = 0;
    if (json_unpack(json, "{s:I, s:s, s:s, s:F, s:o}", "frames", &frames, "backend", &backend,
                    "device", &device, "score_time_ms", &scores->ms, "scores", &all) ||
        frames <= 0 || scores->ms < 0 || !json_object_size(all))
        return -EINVAL;
    scores->frames = (size_t)frames;
    scores->backend = strdup(backend);
    scores->device = strdup(device);
    json_object_foreach(all, name, values)
    {
        if (!err)
            err = add_series(scores, name, values);
    }
    return scores->backend && scores->device ? err : -ENOMEM;
}

bool score_record_find(TuneCache *cache, const char *key, EncodeScores *scores)
{
    json_t *json = cache_read(cache, key);
    *scores = (EncodeScores){0};
    const int err = scores_from_json(scores, json);
    if (err)
        encode_scores_free(scores);
    json_decref(json);
    return !err;
}
