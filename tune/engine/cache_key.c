/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/cache_key.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A key changes with this number when what is hashed changes its meaning. */
enum { KEY_VERSION = 5 };

static void add_text(Sha256 *hash, const char *text)
{
    sha256_add(hash, text, strlen(text));
}

static void add_quoted(Sha256 *hash, const char *text)
{
    add_text(hash, "\"");
    for (const char *c = text; *c; c++) {
        char escaped[8];
        if (*c == '"' || *c == '\\')
            snprintf(escaped, sizeof(escaped), "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            snprintf(escaped, sizeof(escaped), "\\u%04x", (unsigned)*c);
        else
            snprintf(escaped, sizeof(escaped), "%c", *c);
        add_text(hash, escaped);
    }
    add_text(hash, "\"");
}

static void add_value(Sha256 *hash, const KeyField *field)
{
    char number[32];
    switch (field->kind) {
    case KEY_TEXT:
        add_quoted(hash, field->text);
        break;
    case KEY_INTEGER:
        snprintf(number, sizeof(number), "%lld", field->integer);
        add_text(hash, number);
        break;
    case KEY_LIST:
        add_text(hash, "[");
        for (size_t i = 0; i < field->n; i++) {
            add_text(hash, i ? "," : "");
            add_quoted(hash, field->list[i]);
        }
        add_text(hash, "]");
        break;
    }
}

static int compare_names(const void *a, const void *b)
{
    const KeyField *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static bool is_complete(const KeyField *field)
{
    if (field->kind == KEY_TEXT)
        return field->text;
    for (size_t i = 0; field->kind == KEY_LIST && i < field->n; i++)
        if (!field->list[i])
            return false;
    return true;
}

int key_of_fields(const KeyField *fields, size_t n, char key[SHA256_TEXT_SIZE])
{
    KeyField sorted[MAX_KEY_FIELDS];
    if (n > MAX_KEY_FIELDS)
        return -EINVAL;
    for (size_t i = 0; i < n; i++) {
        if (!is_complete(&fields[i]))
            return -EINVAL;
        sorted[i] = fields[i];
    }
    qsort(sorted, n, sizeof(*sorted), compare_names);
    for (size_t i = 1; i < n; i++)
        if (!strcmp(sorted[i - 1].name, sorted[i].name))
            return -EINVAL;
    Sha256 hash;
    sha256_start(&hash);
    add_text(&hash, "{");
    for (size_t i = 0; i < n; i++) {
        add_text(&hash, i ? "," : "");
        add_quoted(&hash, sorted[i].name);
        add_text(&hash, ":");
        add_value(&hash, &sorted[i]);
    }
    add_text(&hash, "}");
    sha256_text(&hash, key);
    return 0;
}

/* The frames of all windows as one text: "0+48,120+48". To be freed; NULL without memory. */
static char *windows_text(const SampleWindow *windows, size_t n)
{
    enum { WINDOW_TEXT = 48 };
    char *text = calloc(n + 1, WINDOW_TEXT);
    for (size_t i = 0, used = 0; text && i < n; i++)
        used += (size_t)snprintf(text + used, WINDOW_TEXT, "%s%zu+%zu", i ? "," : "",
                                 windows[i].first, windows[i].frames);
    return text;
}

int encode_key(const EncodeIdentity *identity, char key[SHA256_TEXT_SIZE])
{
    char *frames = windows_text(identity->windows, identity->n_windows);
    char q[32];
    snprintf(q, sizeof(q), "%.15g", identity->q);
    if (!frames)
        return -ENOMEM;
    const KeyField fields[] = {
        key_integer("v", KEY_VERSION),
        key_text("src_sha256", identity->source_sha256),
        key_integer("width", identity->width),
        key_integer("height", identity->height),
        key_text("pix_fmt", identity->pixel_format),
        key_integer("fps_num", identity->frame_rate.numerator),
        key_integer("fps_den", identity->frame_rate.denominator),
        key_text("frames", frames),
        key_integer("scaled_width", identity->scaled_width),
        key_integer("scaled_height", identity->scaled_height),
        key_text("encoder", identity->encoder),
        key_text("preset", identity->preset),
        key_text("q", q),
        key_text("rate_control", identity->rate_control),
        key_list("arguments", identity->arguments, identity->n_arguments),
        key_integer("processors", identity->processors),
        key_text("adapter_version", identity->adapter_version),
        key_text("ffmpeg_version", identity->ffmpeg_version),
        key_text("encoder_version", identity->encoder_version),
    };
    const int err = key_of_fields(fields, sizeof(fields) / sizeof(fields[0]), key);
    free(frames);
    return err;
}

int score_key(const ScoreIdentity *identity, char key[SHA256_TEXT_SIZE])
{
    const KeyField fields[] = {
        key_integer("v", KEY_VERSION),
        key_text("encode", identity->encode_key),
        key_list("models", identity->models, identity->n_models),
        key_list("metrics", identity->metrics, identity->n_metrics),
        key_text("scorer_version", identity->scorer_version),
        key_text("backend", identity->backend),
        key_text("scale_filter", identity->scale_filter),
    };
    return key_of_fields(fields, sizeof(fields) / sizeof(fields[0]), key);
}
