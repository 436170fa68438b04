/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_PRESETS_H
#define CLI_PRESETS_H

#include <stdbool.h>

/* A preset stands for models and features on the command line. */
typedef struct Preset {
    const char *const *models;   /* model strings, ended by NULL */
    const char *const *features; /* feature strings, ended by NULL */
    const char *replacement;     /* replaces the first feature of its name, or NULL */
    bool mixed_depths;           /* inputs may differ in bit depth: the lower one is raised */
} Preset;

/* Common test conditions of the Alliance for Open Media, "v1.0" to "v7.0"; NULL if unknown. */
const Preset *preset_aom_ctc(const char *version);

/* Common test conditions of Netflix, "v1.0"; NULL if unknown. */
const Preset *preset_nflx_ctc(const char *version);

#endif
