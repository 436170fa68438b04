/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/encode_record.h"

#include <stdio.h>
#include <string.h>

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
