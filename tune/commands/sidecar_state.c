/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/sidecar_internal.h"

#include "common/json.h"
#include "common/messages.h"
#include "platform/file.h"
#include "platform/path.h"
#include "tune/session/output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 16 << 20, N = RESIDUAL_INPUTS };

static char *state_path(const TuneCache *cache, const char *encoder, bool is_folder)
{
    const char *folder = cache_folder(cache);
    const size_t size = strlen(folder) + strlen(encoder) + sizeof "/sidecar/.json";
    char *path = malloc(size);
    if (path)
        snprintf(path, size, is_folder ? "%s/sidecar" : "%s/sidecar/%s.json", folder, encoder);
    return path;
}

static int make_folder(const TuneCache *cache)
{
    char *folder = state_path(cache, "", true);
    const int err = folder ? vmaf_folder_make(folder) : -ENOMEM;
    free(folder);
    return err;
}

/* -- reading -- */

static int read_model(ResidualModel *model, const json_t *json)
{
    const json_t *inverse = json_object_get(json, "inverse"), *n = json_object_get(json, "n");
    if (!json_is_integer(n) || json_integer_value(n) < 0 || json_array_size(inverse) != N ||
        json_numbers_of(json_object_get(json, "weights"), N, model->weights))
        return -EINVAL;
    model->n = (size_t)json_integer_value(n);
    for (size_t i = 0; i < N; i++)
        if (json_numbers_of(json_array_get(inverse, i), N, model->inverse[i]))
            return -EINVAL;
    return residual_model_is_sound(model) ? 0 : -EINVAL;
}

static bool is_history(const json_t *history)
{
    size_t i;
    const json_t *one;
    json_array_foreach(history, i, one)
    {
        if (!json_text_of(one, "id"))
            return false;
    }
    return json_is_array(history) && json_array_size(history) <= SIDECAR_HISTORY;
}

static int take(SidecarState *state, const json_t *json)
{
    const char *encoder = json_text_of(json, "encoder"), *scores = json_text_of(json, "scores");
    json_t *history = json_object_get(json, "history");
    if (json_number_of(json, "schema_version") != SIDECAR_SCHEMA_VERSION || !encoder ||
        strcmp(encoder, state->encoder) || !is_history(history) || read_model(&state->model, json))
        return -EINVAL;
    if (scores && !(state->scores = strdup(scores)))
        return -ENOMEM;
    json_decref(state->history);
    state->history = json_incref(history);
    return 0;
}

static int read_file(SidecarState *state, Message *why)
{
    char *text;
    size_t size;
    Message what = {"it is not a sidecar of this encoder and version"};
    int err = vmaf_file_load(state->path, MAX_BYTES, &text, &size);
    if (err == -ENOENT)
        return 0;
    if (err)
        return message_set(why, err, "%.300s: %s", state->path, strerror(-err));
    json_t *json = json_document_parse(text, size, &what, &err);
    free(text);
    if (json)
        err = take(state, json);
    json_decref(json);
    return err ? message_set(why, err, "%.200s: %.200s (remove it to begin anew)", state->path,
                             what.text)
               : 0;
}

int sidecar_load(SidecarState *state, const TuneCache *cache, const char *encoder, Message *why)
{
    *state = (SidecarState){0};
    if (vmaf_path_name(encoder) != encoder)
        return message_set(why, -EINVAL, "%s: no file can have that name", encoder);
    residual_model_start(&state->model, RESIDUAL_RIDGE);
    state->encoder = strdup(encoder);
    state->history = json_array();
    state->path = state_path(cache, encoder, false);
    if (!state->encoder || !state->history || !state->path)
        return message_set(why, -ENOMEM, "out of memory");
    const int err = make_folder(cache);
    if (err)
        return message_set(why, err, "%.300s: %s", state->path, strerror(-err));
    return read_file(state, why);
}

void sidecar_free(SidecarState *state)
{
    json_decref(state->history);
    free(state->path);
    free(state->encoder);
    free(state->scores);
    *state = (SidecarState){0};
}

/* -- writing -- */

static json_t *numbers_of(const double *numbers)
{
    json_t *array = json_array();
    for (int i = 0; i < N; i++)
        if (json_array_append_new(array, json_number_or_null(numbers[i]))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *document_of(const SidecarState *state)
{
    json_t *json = json_object(), *inverse = json_array();
    int err = 0;
    for (int i = 0; i < N; i++)
        err |= json_array_append_new(inverse, numbers_of(state->model.inverse[i]));
    err |= json_put(json, "inverse", inverse);
    err |= json_put_integer(json, "schema_version", SIDECAR_SCHEMA_VERSION);
    err |= json_put_text(json, "encoder", state->encoder);
    err |= json_put_text(json, "scores", state->scores);
    err |= json_put_number(json, "ridge", RESIDUAL_RIDGE);
    err |= json_put_integer(json, "n", state->model.n);
    err |= json_put(json, "weights", numbers_of(state->model.weights));
    err |= json_put(json, "history", json_incref(state->history));
    return json_unless(err, json);
}

int sidecar_save(const SidecarState *state, Message *why)
{
    TextBuffer buffer;
    json_t *json = document_of(state);
    FILE *out = text_begin(&buffer);
    int err = json && out ? json_document_print(json, 0, out) : -ENOMEM;
    if (out)
        fputc('\n', out);
    char *text = text_end(&buffer, err);
    if (!err)
        err = text ? text_write(state->path, text) : -ENOMEM;
    free(text);
    json_decref(json);
    return err ? message_set(why, err, "cannot write %.300s: %s", state->path, strerror(-err)) : 0;
}

/* -- the history -- */

bool sidecar_knows(const SidecarState *state, const char *id)
{
    size_t i;
    const json_t *one;
    json_array_foreach(state->history, i, one)
    {
        if (!strcmp(json_text_of(one, "id"), id))
            return true;
    }
    return false;
}

int sidecar_note(SidecarState *state, json_t *measurement)
{
    if (!measurement || json_array_append_new(state->history, measurement))
        return -ENOMEM;
    if (json_array_size(state->history) > SIDECAR_HISTORY)
        json_array_remove(state->history, 0);
    return 0;
}

void sidecar_errors(const SidecarState *state, double *without, double *with)
{
    size_t i;
    const json_t *one;
    double sums[2] = {0, 0};
    json_array_foreach(state->history, i, one)
    {
        const double residual = json_number_of(one, "residual");
        sums[0] += fabs(residual);
        sums[1] += fabs(residual - json_number_of(one, "expected_residual"));
    }
    const double n = (double)json_array_size(state->history);
    *without = n > 0 ? sums[0] / n : NAN;
    *with = n > 0 ? sums[1] / n : NAN;
}
