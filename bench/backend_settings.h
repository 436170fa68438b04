/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_BACKEND_SETTINGS_H
#define BENCH_BACKEND_SETTINGS_H

#include <stdbool.h>

#include "arguments.h"

/* Parts of vmaf-backend-bench, as bits of a set. */
enum {
    TABLE_LIBRARY = 1,
    TABLE_BACKEND = 2,
    TABLE_STAGES = 4,
    TABLE_OPENING = 8,
    TABLE_AUTO = 16,
    TABLE_SELF_TEST = 32,
};

/* Where pictures for the backend on its own are, as bits of a set. */
enum { SOURCE_HOST = 1, SOURCE_DEVICE = 2 };

/* What is computed. */
typedef struct BackendSubject {
    ArgumentList features, models;
    bool is_known; /* the features are those of the models */
} BackendSubject;

enum { SUBJECTS_MAX = 8 };

/* What the command line says. */
typedef struct BackendSettings {
    BackendSubject subjects[SUBJECTS_MAX];
    unsigned n_subjects;
    const BackendSubject *subject; /* that is being measured */
    const char *plugin, *size, *json, *operations;
    unsigned width, height, depth, frames, in_flight, threads, tables;
    int device;
    unsigned sources;
    bool from_device; /* that is being measured */
    double limit;     /* seconds for the frames of a figure; 0: none */
    double clock;     /* of the device's units in Hz; 0: unknown */
} BackendSettings;

/* 0; or -1 with the usage on stderr. */
int backend_settings_read(BackendSettings *s, int argc, char **argv);

/* The name of what the models or features compute: "vmaf_v0.6.1 + vmaf_v0.6.1neg". */
const char *backend_settings_label(const ArgumentList *list, char *label, unsigned size);

#endif
