/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_MODEL_SPEC_H
#define CLI_MODEL_SPEC_H

#include "common/messages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODEL_MAX_OVERLOADS = 32 };

/* One `extractor.option=value` of a model string. */
typedef struct ModelOverload {
    const char *extractor;
    const char *option;
    const char *value;
} ModelOverload;

/* A model string (`version=vmaf_v0.6.1:name=a:disable_clip`), taken apart. */
typedef struct ModelSpec {
    const char *version; /* built-in model, or NULL */
    const char *path;    /* model file, or NULL */
    bool is_auto;        /* the size of the videos decides; one of the three is given */
    const char *name;    /* of the score in reports */
    uint64_t flags;      /* enum VmafModelFlags */
    unsigned n_overloads;
    ModelOverload overloads[MODEL_MAX_OVERLOADS];
    char *text;    /* what the pointers above point into */
    char *content; /* of the file, which then is not opened; NULL: it was not read yet */
    size_t content_size;
} ModelSpec;

/* 0; -EINVAL for text that cannot be taken apart; -ENOMEM. Free with model_spec_free. */
int model_spec_parse(ModelSpec *spec, const char *text, Message *why);
void model_spec_free(ModelSpec *spec);

/* -EINVAL with a suggestion if an overload names an extractor or option that does not exist. */
int model_spec_check(const ModelSpec *spec, Message *why);

/* Keeps the content of a model's file, if it is one that can be read twice. Without it the model is
 * loaded from its path, and what is wrong is said then. */
void model_spec_read_file(ModelSpec *spec);

/* How messages and score lines call the model: its version, its path or "auto". */
const char *model_spec_label(const ModelSpec *spec);

#endif
