/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>

#include "report/number_format.h"
#include "report/report_writers.h"

static void put_member(VmafAtomicFile *file, const Report *report, bool first, const char *name,
                       double value)
{
    vmaf_atomic_file_puts(file, first ? "" : ",");
    report_put_json_string(file, name);
    vmaf_atomic_file_puts(file, ":");
    if (isfinite(value))
        report_put_score(file, report, value);
    else
        vmaf_atomic_file_puts(file, "null");
}

/* To the microsecond. */
static void put_time(VmafAtomicFile *file, double time)
{
    char text[NUMBER_TEXT_SIZE];
    if (!isfinite(time))
        return;
    vmaf_atomic_file_puts(file, ",\"time\":");
    vmaf_atomic_file_write(file, text, number_print(text, time, "%.6f"));
}

void report_put_ndjson_row(VmafAtomicFile *file, const Report *report, uint32_t index, double time)
{
    bool any = false;
    double score;
    for (size_t k = 0; k < report->n_columns; k++) {
        if (!series_get(report->columns[k].scores, index, &score))
            continue;
        if (!any) {
            vmaf_atomic_file_puts(file, "{\"frameNum\":");
            report_put_unsigned(file, index);
            put_time(file, time);
            vmaf_atomic_file_puts(file, ",\"metrics\":{");
        }
        put_member(file, report, !any, report->columns[k].name, score);
        any = true;
    }
    if (any)
        vmaf_atomic_file_puts(file, "}}\n");
}

static void put_pooled(VmafAtomicFile *file, const Report *report, const ScoreColumn *column)
{
    Pooled pooled;
    double values[MAX_STATISTICS];
    if (!report_pool(report, column, &pooled))
        return;
    put_member(file, report, true, "min", pooled.min);
    put_member(file, report, false, "max", pooled.max);
    put_member(file, report, false, "mean", pooled.mean);
    put_member(file, report, false, "harmonic_mean", pooled.harmonic_mean);
    const unsigned n = report_pool_statistics(report, column, values);
    for (unsigned i = 0; i < n; i++)
        put_member(file, report, false, report->statistics->items[i].name, values[i]);
}

void report_put_ndjson_end(VmafAtomicFile *file, const Report *report)
{
    vmaf_atomic_file_puts(file, "{\"pooled_metrics\":{");
    for (size_t k = 0; k < report->n_columns; k++) {
        vmaf_atomic_file_puts(file, k ? "," : "");
        report_put_json_string(file, report->columns[k].name);
        vmaf_atomic_file_puts(file, ":{");
        put_pooled(file, report, &report->columns[k]);
        vmaf_atomic_file_puts(file, "}");
    }
    vmaf_atomic_file_puts(file, "},\"aggregate_metrics\":{");
    for (size_t k = 0; k < report->n_aggregates; k++)
        put_member(file, report, !k, report->aggregates[k].name, report->aggregates[k].value);
    vmaf_atomic_file_puts(file, "}}\n");
}

void report_write_ndjson(VmafAtomicFile *file, const Report *report)
{
    uint64_t cursor = 0;
    uint32_t index;
    while (report_next_frame(report, &cursor, &index))
        report_put_ndjson_row(file, report, index, NAN);
    report_put_ndjson_end(file, report);
}
