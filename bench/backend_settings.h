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

/* What the command line says. */
typedef struct BackendSettings {
    ArgumentList features, models;
    const char *plugin, *size, *json, *operations;
    unsigned width, height, depth, frames, in_flight, threads, tables;
    int device;
    bool from_device; /* pictures are in memory of the device */
    double limit;     /* seconds for the frames of a figure; 0: none */
    double clock;     /* of the device's units in Hz; 0: unknown */
} BackendSettings;

/* 0; or -1 with the usage on stderr. */
int backend_settings_read(BackendSettings *s, int argc, char **argv);

/* The name of what the models or features compute: "vmaf_v0.6.1 + vmaf_v0.6.1neg". */
const char *backend_settings_label(const ArgumentList *list, char *label, unsigned size);

#endif
