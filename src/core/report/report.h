/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_REPORT_REPORT_H
#define CORE_REPORT_REPORT_H

/*
 * The content of a report, independent of its format. Filled in by the engine, read by the writers;
 * nothing is copied, so it is valid until the collector behind it changes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libvmaf/libvmaf.h"
#include "metrics/framework/score_table.h"
#include "metrics/framework/statistic.h"

typedef struct ReportBackend {
    const char *extractor;
    const char *backend;
} ReportBackend;

/* A device of several, or the CPU. */
typedef struct ReportDevice {
    const char *backend;
    const char *name; /* NULL: none */
    int index;        /* -1: none */
    uint64_t frames;  /* that it has computed; of the CPU: those of which it has computed all */
} ReportDevice;

/* The loss of a device during the run. */
typedef struct ReportBackendEvent {
    const char *backend;
    int device; /* index; it is told if there were several */
    unsigned frame;
    const char *reason;
} ReportBackendEvent;

typedef struct Report {
    const char *version;
    double fps; /* may be infinite or NaN */
    unsigned width, height;
    unsigned n_subsample;
    uint32_t picture_count; /* frames 0 .. picture_count - 1 are pooled */
    size_t n_columns;
    const ScoreColumn *columns;
    size_t n_aggregates;
    const ScoreAggregate *aggregates;
    const StatisticList *statistics; /* that pooled metrics have besides; NULL: none */
    double *scratch;                 /* of the writers, for these */
    /* What computed the features; JSON only. backend_used NULL leaves both members out. */
    size_t n_backends;
    const ReportBackend *backends;
    size_t n_backend_events;
    const ReportBackendEvent *backend_events;
    size_t n_devices; /* 0: there were not several */
    const ReportDevice *devices;
    const char *backend_used;
    /* Spot checks: frames of backends that the CPU computed too; only if a backend took part. */
    bool has_spot_checks;
    unsigned spot_check_every; /* interval of checked frames that was asked for; 0: none */
    unsigned n_spot_checks, n_spot_check_downloads;
    /* printf format of every score; NULL: 6 or 16 decimals as number_format.h says. */
    const char *score_format;
} Report;

/*
 * Writes the report to a temporary file beside `path`, which it then replaces; a path that exists
 * and is not a regular file (/dev/stdout, a pipe) is written directly. Output does not depend on
 * the locale. 0; -EINVAL for an unknown format or a path that cannot be opened (with a message on
 * stderr); -EIO, -ENOSPC and so on if writing fails.
 */
int report_write(const Report *report, const char *path, enum VmafOutputFormat format);

/* The same as a text (free). 0; -EINVAL, -ENOMEM. */
int report_print(const Report *report, char **text, enum VmafOutputFormat format);

/*
 * Single lines of an NDJSON report, as texts (free): of a frame, with its time in seconds unless
 * that is NaN, or the last one. The text is "" for a frame without scores. As report_print.
 */
int report_print_row(const Report *report, char **text, uint32_t index, double time);
int report_print_end(const Report *report, char **text);

/*
 * 0 if `format` is one conversion of a double and nothing else:
 * %[flags][width][.precision](e|f|g|a) with width and precision up to 999; else -EINVAL.
 */
int report_check_score_format(const char *format);

#endif
