/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_REPORT_REPORT_INTERNAL_H
#define CORE_REPORT_REPORT_INTERNAL_H

/* One writer per format, and what they share. Write errors are sticky in the file. */

#include <stdbool.h>
#include <stdint.h>

#include "metrics/framework/pooling.h"
#include "platform/file.h"
#include "report/report.h"

void report_write_json(VmafAtomicFile *file, const Report *report);
void report_write_ndjson(VmafAtomicFile *file, const Report *report);

/* The line of a frame, with its time in seconds unless that is NaN; nothing if it has no scores. */
void report_put_ndjson_row(VmafAtomicFile *file, const Report *report, uint32_t index, double time);
void report_put_ndjson_end(VmafAtomicFile *file, const Report *report);

/*
 * Steps through the frames that are printed: those with at least one score whose index is
 * divisible by n_subsample. `cursor` starts at 0 and is the index to go on from.
 */
bool report_next_frame(const Report *report, uint64_t *cursor, uint32_t *index);

/* Min, max, means, and the statistics that were asked for. */
enum { MAX_POOLED_VALUES = 4 + MAX_STATISTICS };
typedef struct PooledValue {
    const char *name;
    double value;
} PooledValue;

/* Returns how many; 0 if a frame that takes part in pooling has no score in this column. */
unsigned report_pool(const Report *report, const ScoreColumn *column,
                     PooledValue values[MAX_POOLED_VALUES]);

void report_put_score(VmafAtomicFile *file, const Report *report, double score);
void report_put_fps(VmafAtomicFile *file, const Report *report);
void report_put_unsigned(VmafAtomicFile *file, uint64_t value);

/*
 * Names may be any bytes: programs import scores under any name. All these functions write names of
 * letters, digits and "_.-" unchanged. In others, what a format cannot hold is escaped in the
 * format's own way, or replaced by U+FFFD if it has none (bytes that are not UTF-8; control
 * characters outside of JSON).
 */
void report_put_json_string(VmafAtomicFile *file, const char *text); /* with the quotes */
void report_put_xml_value(VmafAtomicFile *file, const char *text);   /* of an attribute */
/* An attribute's name: characters that it cannot contain become _xHHHH_ (ISO/IEC 9075-14), so that
 * different names stay different. */
void report_put_xml_name(VmafAtomicFile *file, const char *text);
void report_put_csv_field(VmafAtomicFile *file, const char *text); /* RFC 4180, on one line */
void report_put_line_text(VmafAtomicFile *file, const char *text);

#endif
