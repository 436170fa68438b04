/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_CACHE_KEY_H
#define TUNE_ENGINE_CACHE_KEY_H

/*
 * Names of results that can be used again: hashes of everything that they depend on, contents and
 * versions, but neither paths nor times.
 */

#include "common/hash.h"
#include "tune/engine/shots.h"

#include <stddef.h>

typedef enum KeyFieldKind { KEY_TEXT, KEY_INTEGER, KEY_LIST } KeyFieldKind;

typedef struct KeyField {
    const char *name;
    KeyFieldKind kind;
    const char *text;        /* KEY_TEXT */
    long long integer;       /* KEY_INTEGER */
    const char *const *list; /* KEY_LIST: texts */
    size_t n;
} KeyField;

static inline KeyField key_text(const char *name, const char *text)
{
    return (KeyField){.name = name, .kind = KEY_TEXT, .text = text};
}

static inline KeyField key_integer(const char *name, long long integer)
{
    return (KeyField){.name = name, .kind = KEY_INTEGER, .integer = integer};
}

static inline KeyField key_list(const char *name, const char *const *list, size_t n)
{
    return (KeyField){.name = name, .kind = KEY_LIST, .list = list, .n = n};
}

enum { MAX_KEY_FIELDS = 32 };

/*
 * SHA-256 of the fields as one JSON object: names in order, no spaces, texts escaped only where
 * they must be. 0; -EINVAL if a text is missing, two fields have the same name or there are too
 * many.
 */
int key_of_fields(const KeyField *fields, size_t n, char key[SHA256_TEXT_SIZE]);

/* What an encode depends on. All texts are needed; "" says that there is nothing. */
typedef struct EncodeIdentity {
    const char *source_sha256;
    int width, height;
    const char *pixel_format;
    FrameRate frame_rate;
    const SampleWindow *windows; /* which frames are encoded, in this order */
    size_t n_windows;
    int scaled_width, scaled_height; /* before encoding; the source's own if they are equal */
    const char *encoder;
    const char *preset;
    double q;
    const char *rate_control;
    const char *const *arguments; /* all that the encoder is given, as it is written */
    size_t n_arguments;
    int processors; /* of the machine, where the encoder chooses its threads; 0: they are among the
                     * arguments */
    const char *adapter_version;
    const char *ffmpeg_version; /* the whole line */
    const char *encoder_version;
} EncodeIdentity;

int encode_key(const EncodeIdentity *identity, char key[SHA256_TEXT_SIZE]);

/* What the scores of an encode's frames depend on; how they are pooled is not part of it. */
typedef struct ScoreIdentity {
    const char *encode_key;
    const char *const *models; /* hashes of files, or names of built-in models */
    size_t n_models;
    const char *const *metrics; /* with their options */
    size_t n_metrics;
    const char *scorer_version;
    const char *backend; /* "exact" for those that give the same bits as the processor */
    const char *scale_filter;
} ScoreIdentity;

int score_key(const ScoreIdentity *identity, char key[SHA256_TEXT_SIZE]);

#endif
