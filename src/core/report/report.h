/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_REPORT_REPORT_H
#define CORE_REPORT_REPORT_H

/*
 * What the library writes: reports, numbers as they are printed there, the document of
 * capabilities, and traces.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libvmaf/libvmaf.h"
#include "metrics/framework/pooling.h"
#include "support/log.h"

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
    int device; /* index; it is printed if there were several */
    unsigned frame;
    const char *reason;
} ReportBackendEvent;

/*
 * The content of a report, independent of its format. Filled in by the engine, read by the writers;
 * nothing is copied, so it is valid until the collector behind it changes.
 */
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
    /* printf format of every score; NULL: 6 or 16 decimals (number_decimals). */
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

enum {
    SCORE_FORMAT_MAX_FIELD = 999, /* width and precision that a score format may ask for */
    /* Sign, digits of DBL_MAX, point, decimals, terminator: longer than any score. */
    NUMBER_TEXT_SIZE = 1 + 309 + 1 + SCORE_FORMAT_MAX_FIELD + 1,
};

/*
 * Decimal places with which libvmaf prints a score: 6, or 16 if its fraction is so small that 6
 * would show little of it. Integers and values that are not finite have 6.
 */
int number_decimals(double value);

/*
 * Prints a score, by number_decimals if `score_format` is NULL, else with that printf format (one
 * that report_check_score_format accepts). Values that are not finite: inf, -inf, nan, -nan. The
 * decimal point is that of the thread's locale: call it within vmaf_c_locale_enter. Returns the
 * length.
 */
size_t number_print(char text[NUMBER_TEXT_SIZE], double value, const char *score_format);

/* The plugins that may be loaded to find out what they can do. */
typedef struct CapabilitiesScope {
    bool probe;                  /* any at all */
    const char *only;            /* NULL: all */
    const char *const *excluded; /* ends with NULL; NULL: none */
} CapabilitiesScope;

/*
 * Everything that the library and its plugins can do, as a JSON document
 * (docs/capabilities.schema.json) to be released with free(). 0; -ENOMEM.
 */
int capabilities_write(char **document, const CapabilitiesScope *scope);

/*
 * Writes what the process has recorded so far in the JSON Trace Event Format, to where VMAF_TRACE
 * said. The file appears complete or not at all; a failure is a warning. Any thread; one waits for
 * the other.
 */
void trace_write(const Logger *logger);

#endif
