/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/scores.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void encode_scores_free(EncodeScores *scores)
{
    for (size_t i = 0; i < scores->n_series; i++) {
        free(scores->series[i].name);
        free(scores->series[i].values);
    }
    free(scores->series);
    free(scores->backend);
    free(scores->device);
    *scores = (EncodeScores){0};
}

static const char *without_prefix(const char *name)
{
    static const char prefix[] = "integer_";
    return strncmp(name, prefix, sizeof prefix - 1) ? name : name + sizeof prefix - 1;
}

const ScoreSeries *encode_scores_find(const EncodeScores *scores, const char *name)
{
    for (size_t i = 0; i < scores->n_series; i++)
        if (!strcmp(scores->series[i].name, name))
            return &scores->series[i];
    for (size_t i = 0; i < scores->n_series; i++)
        if (!strcmp(without_prefix(scores->series[i].name), without_prefix(name)))
            return &scores->series[i];
    return NULL;
}

static json_t *series_to_json(const ScoreSeries *series, size_t frames)
{
    json_t *values = json_array();
    for (size_t i = 0; i < frames; i++)
        if (json_array_append_new(values, json_real(series->values[i]))) {
            json_decref(values);
            return NULL;
        }
    return values;
}

json_t *encode_scores_to_json(const EncodeScores *scores)
{
    json_t *all = json_object();
    for (size_t i = 0; i < scores->n_series; i++)
        if (json_object_set_new(all, scores->series[i].name,
                                series_to_json(&scores->series[i], scores->frames))) {
            json_decref(all);
            return NULL;
        }
    return json_pack("{s:I, s:s, s:s, s:f, s:o}", "frames", (json_int_t)scores->frames, "backend",
                     scores->backend, "device", scores->device, "score_time_ms", scores->ms,
                     "scores", all);
}

static int series_from_json(ScoreSeries *series, const char *name, const json_t *values,
                            size_t frames)
{
    if (json_array_size(values) != frames)
        return -EINVAL;
    series->name = strdup(name);
    series->values = malloc(frames * sizeof(*series->values));
    if (!series->name || !series->values)
        return -ENOMEM;
    for (size_t i = 0; i < frames; i++) {
        const json_t *value = json_array_get(values, i);
        if (!json_is_number(value))
            return -EINVAL;
        series->values[i] = json_number_value(value);
    }
    return 0;
}

static int all_from_json(EncodeScores *scores, json_t *all)
{
    const char *name;
    json_t *values;
    scores->series = calloc(json_object_size(all), sizeof(*scores->series));
    if (!scores->series)
        return -ENOMEM;
    json_object_foreach(all, name, values)
    {
        const int err =
            series_from_json(&scores->series[scores->n_series++], name, values, scores->frames);
        if (err)
            return err;
    }
    return 0;
}

int encode_scores_from_json(EncodeScores *scores, const json_t *json)
{
    json_int_t frames;
    const char *backend, *device;
    json_t *all;
    *scores = (EncodeScores){0};
    if (json_unpack((json_t *)json, "{s:I, s:s, s:s, s:F, s:o}", "frames", &frames, "backend",
                    &backend, "device", &device, "score_time_ms", &scores->ms, "scores", &all) ||
        frames <= 0 || scores->ms < 0 || !json_object_size(all))
        return -EINVAL;
    scores->frames = (size_t)frames;
    scores->backend = strdup(backend);
    scores->device = strdup(device);
    const int err = scores->backend && scores->device ? all_from_json(scores, all) : -ENOMEM;
    if (err)
        encode_scores_free(scores);
    return err;
}
