/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/report_writers.h"

/* name="VALUE" and a space. */
static void put_attribute(VmafAtomicFile *file, const Report *report, const char *name,
                          double value)
{
    report_put_xml_name(file, name);
    vmaf_atomic_file_puts(file, "=\"");
    report_put_score(file, report, value);
    vmaf_atomic_file_puts(file, "\" ");
}

static void put_header(VmafAtomicFile *file, const Report *report)
{
    vmaf_atomic_file_puts(file, "<VMAF version=\"");
    vmaf_atomic_file_puts(file, report->version);
    vmaf_atomic_file_puts(file, "\">\n  <params qualityWidth=\"");
    report_put_unsigned(file, report->width);
    vmaf_atomic_file_puts(file, "\" qualityHeight=\"");
    report_put_unsigned(file, report->height);
    vmaf_atomic_file_puts(file, "\" />\n  <fyi fps=\"");
    report_put_fps(file, report);
    vmaf_atomic_file_puts(file, "\" />\n");
}

static void put_frames(VmafAtomicFile *file, const Report *report)
{
    uint64_t cursor = 0;
    uint32_t index;

    vmaf_atomic_file_puts(file, "  <frames>\n");
    while (report_next_frame(report, &cursor, &index)) {
        vmaf_atomic_file_puts(file, "    <frame frameNum=\"");
        report_put_unsigned(file, index);
        vmaf_atomic_file_puts(file, "\" ");
        for (size_t k = 0; k < report->n_columns; k++) {
            double score;
            if (series_get(report->columns[k].scores, index, &score))
                put_attribute(file, report, report->columns[k].name, score);
        }
        vmaf_atomic_file_puts(file, "/>\n");
    }
    vmaf_atomic_file_puts(file, "  </frames>\n");
}

static void put_statistics(VmafAtomicFile *file, const Report *report, const ScoreColumn *column)
{
    double values[MAX_STATISTICS];
    const unsigned n = report_pool_statistics(report, column, values);
    for (unsigned i = 0; i < n; i++)
        put_attribute(file, report, report->statistics->items[i].name, values[i]);
}

static void put_pooled_metrics(VmafAtomicFile *file, const Report *report)
{
    vmaf_atomic_file_puts(file, "  <pooled_metrics>\n");
    for (size_t k = 0; k < report->n_columns; k++) {
        Pooled pooled;
        vmaf_atomic_file_puts(file, "    <metric name=\"");
        report_put_xml_value(file, report->columns[k].name);
        vmaf_atomic_file_puts(file, "\" ");
        if (report_pool(report, &report->columns[k], &pooled)) {
            put_attribute(file, report, "min", pooled.min);
            put_attribute(file, report, "max", pooled.max);
            put_attribute(file, report, "mean", pooled.mean);
            put_attribute(file, report, "harmonic_mean", pooled.harmonic_mean);
            put_statistics(file, report, &report->columns[k]);
        }
        vmaf_atomic_file_puts(file, "/>\n");
    }
    vmaf_atomic_file_puts(file, "  </pooled_metrics>\n");
}

void report_write_xml(VmafAtomicFile *file, const Report *report)
{
    put_header(file, report);
    put_frames(file, report);
    put_pooled_metrics(file, report);
    vmaf_atomic_file_puts(file, "  <aggregate_metrics ");
    for (size_t k = 0; k < report->n_aggregates; k++)
        put_attribute(file, report, report->aggregates[k].name, report->aggregates[k].value);
    vmaf_atomic_file_puts(file, "/>\n</VMAF>\n");
}
