/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/json.h"
#include "media/video_reader.h"
#include "platform/machine.h"
#include "tune/engine/cache_key.h"
#include "tune/measure/measure_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- keys -- */

/* A key changes with this number when what is hashed changes its meaning. */
enum { KEY_VERSION = 6 };

static int fields_key(const KeyField *fields, size_t n, char key[SHA256_TEXT_SIZE], Message *why)
{
    const int err = key_of_fields(fields, n, key);
    return err ? message_set(why, err, "a result cannot be named: %s", strerror(-err)) : 0;
}

static int encode_key(const TuneSource *source, const MeasureOptions *options,
                      const EncodeSpec *spec, const EncodeRequest *request,
                      char key[SHA256_TEXT_SIZE], Message *why)
{
    const char *ffmpeg = spec->ffmpeg_version ? spec->ffmpeg_version : options->ffmpeg_version;
    const int width = (int)source->format.width, height = (int)source->format.height;
    ArgumentList arguments = {0}, frames = {0};
    char q[32];
    snprintf(q, sizeof q, "%.15g", spec->q);
    for (size_t i = 0; i < request->n_windows; i++)
        arguments_print(&frames, "%zu+%zu", request->windows[i].first, request->windows[i].frames);
    if (!request->n_windows)
        arguments_print(&frames, "0+%zu", source->frames);
    int err = encode_key_arguments(request, &arguments, why);
    const KeyField fields[] = {
        key_text("adapter_version", spec->encoder->row_version),
        key_list("arguments", (const char *const *)arguments.items, arguments.n),
        key_text("encoder", spec->encoder->name),
        key_text("encoder_version", spec->encoder_version ? spec->encoder_version : ""),
        key_text("ffmpeg_version", ffmpeg ? ffmpeg : ""),
        key_integer("fps_den", source->rate.denominator),
        key_integer("fps_num", source->rate.numerator),
        key_list("frames", (const char *const *)frames.items, frames.n),
        key_integer("height", height),
        key_text("pix_fmt", source->pixel_format),
        key_text("preset", spec->preset ? spec->preset : spec->encoder->default_preset),
        /* Where the encoder chooses its threads; else they are among the arguments. */
        key_integer("processors", request->threads > 0 ? 0 : (int)vmaf_processors_usable()),
        key_text("q", q),
        key_text("rate_control", spec->two_pass ? "two-pass" : spec->encoder->quality_name),
        key_integer("scaled_height", spec->height ? spec->height : height),
        key_integer("scaled_width", spec->width ? spec->width : width),
        /* One that nobody looked at is known by its path, which is good for names of files alone:
         * nothing of it is cached. */
        key_text("src_sha256", *source->sha256 ? source->sha256 : source->path),
        key_integer("v", KEY_VERSION),
        key_integer("width", width),
    };
    if (!err && frames.error)
        err = message_set(why, frames.error, "out of memory");
    if (!err)
        err = fields_key(fields, sizeof fields / sizeof *fields, key, why);
    arguments_free(&arguments);
    arguments_free(&frames);
    return err;
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

int measure_encode_key(const TuneSource *source, const MeasureOptions *options,
                       const EncodeSpec *spec, const EncodeRequest *request, MeasureKeys *keys,
                       Message *why)
{
    const ScoreOptions *score = &options->score;
    const char *filter = source->filters.reference, *backend = score->backend;
    const MediaModule *module = NULL;
    char model[SHA256_TEXT_SIZE + 8];
    Message unused;
    int err = encode_key(source, options, spec, request, keys->encode, why);
    if (!err)
        err = model_identity(score->model, model, why);
    if (err)
        return err;
    if (filter)
        (void)media_module_load(&module, &unused);
    const KeyField fields[] = {
        /* All of ours give the same bits; of another program nobody knows that. */
        key_text("backend", !score->program ? "exact"
                            : backend       ? backend
                                            : "auto"),
        key_text("encode", keys->encode),
        key_text("filter", filter ? filter : ""),
        key_text("filter_version", module ? module->filter : ""),
        key_integer("lengths_may_differ", score->allows_frame_mismatch),
        key_list("metrics", score->features, score->n_features),
        key_text("model", model),
        key_integer("no_film_grain", score->no_film_grain),
        key_text("scorer_version", score_version(score)),
        key_integer("v", KEY_VERSION),
    };
    return fields_key(fields, sizeof fields / sizeof *fields, keys->score, why);
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
        "{s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:s, s:s, s:s}", "size", (json_int_t)outcome->size,
        "stream_size", (json_int_t)measured->stream_bytes, "frames", (json_int_t)measured->frames,
        "kbps", measured->kbps, "wall_ms", outcome->wall_ms, "processor_ms", outcome->processor_ms,
        "anchor_kbps", outcome->anchor_kbps, "rate_control", outcome->rate_control,
        "encoder_version", outcome->encoder_version, "packets", measured->packets);
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
    if (json_unpack(json, "{s:I, s:I, s:I, s:F, s:F, s:F, s:F, s:s, s:s, s:s}", "size", &size,
                    "stream_size", &stream_size, "frames", &frames, "kbps", &measured->kbps,
                    "wall_ms", &outcome->wall_ms, "processor_ms", &outcome->processor_ms,
                    "anchor_kbps", &outcome->anchor_kbps, "rate_control", &rate_control,
                    "encoder_version", &version, "packets", &packets))
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
                             outcome->processor_ms >= 0 && outcome->anchor_kbps >= 0;
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

/* Of the right length. 0; -EINVAL; -ENOMEM. */
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
