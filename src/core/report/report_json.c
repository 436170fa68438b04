/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reports in JSON, and in JSON line by line. */
#include <math.h>

#include "report/report_internal.h"

/* Values that are not finite can only be null in JSON. */
static void put_value(VmafAtomicFile *file, const Report *report, double value)
{
    if (isfinite(value))
        report_put_score(file, report, value);
    else
        vmaf_atomic_file_puts(file, "null");
}

/* "NAME": VALUE after the indentation. */
static void put_member(VmafAtomicFile *file, const Report *report, const char *indent,
                       const char *name, double value)
{
    vmaf_atomic_file_puts(file, indent);
    report_put_json_string(file, name);
    vmaf_atomic_file_puts(file, ": ");
    put_value(file, report, value);
}

static void put_header(VmafAtomicFile *file, const Report *report)
{
    vmaf_atomic_file_puts(file, "{\n  \"version\": \"");
    vmaf_atomic_file_puts(file, report->version);
    vmaf_atomic_file_puts(file, "\",\n  \"fps\": ");
    if (isfinite(report->fps))
        report_put_fps(file, report);
    else
        vmaf_atomic_file_puts(file, "null");
    vmaf_atomic_file_puts(file, ",\n");
}

static void put_metrics(VmafAtomicFile *file, const Report *report, uint32_t index)
{
    bool first = true;
    double previous = 0;

    for (size_t k = 0; k < report->n_columns; k++) {
        double score;
        if (!series_get(report->columns[k].scores, index, &score))
            continue;
        if (!first)
            vmaf_atomic_file_puts(file, ",");
        /* libvmaf breaks the line after a number, but not after a null. */
        if (!first && isfinite(previous))
            vmaf_atomic_file_puts(file, "\n");
        put_member(file, report, "        ", report->columns[k].name, score);
        first = false;
        previous = score;
    }
    if (isfinite(previous))
        vmaf_atomic_file_puts(file, "\n");
}

static void put_frames(VmafAtomicFile *file, const Report *report)
{
    const char *separator = "\n";
    uint64_t cursor = 0;
    uint32_t index;

    vmaf_atomic_file_puts(file, "  \"frames\": [");
    while (report_next_frame(report, &cursor, &index)) {
        vmaf_atomic_file_puts(file, separator);
        vmaf_atomic_file_puts(file, "    {\n      \"frameNum\": ");
        report_put_unsigned(file, index);
        vmaf_atomic_file_puts(file, ",\n      \"metrics\": {\n");
        put_metrics(file, report, index);
        vmaf_atomic_file_puts(file, "      }\n    }");
        separator = ",\n";
    }
    vmaf_atomic_file_puts(file, "\n  ],\n");
}

static void put_pooled_metrics(VmafAtomicFile *file, const Report *report)
{
    vmaf_atomic_file_puts(file, "  \"pooled_metrics\": {");
    for (size_t k = 0; k < report->n_columns; k++) {
        PooledValue values[MAX_POOLED_VALUES];
        const unsigned n = report_pool(report, &report->columns[k], values);
        vmaf_atomic_file_puts(file, k ? ",\n    " : "\n    ");
        report_put_json_string(file, report->columns[k].name);
        vmaf_atomic_file_puts(file, ": {");
        for (unsigned i = 0; i < n; i++)
            put_member(file, report, i ? ",\n      " : "\n      ", values[i].name, values[i].value);
        vmaf_atomic_file_puts(file, "\n    }");
    }
    vmaf_atomic_file_puts(file, "\n  },\n");
}

static void put_aggregate_metrics(VmafAtomicFile *file, const Report *report)
{
    vmaf_atomic_file_puts(file, "  \"aggregate_metrics\": {");
    for (size_t k = 0; k < report->n_aggregates; k++) {
        const ScoreAggregate *aggregate = &report->aggregates[k];
        put_member(file, report, k ? ",\n    " : "\n    ", aggregate->name, aggregate->value);
    }
    vmaf_atomic_file_puts(file, "\n  }");
}

static void put_backend_events(VmafAtomicFile *file, const Report *report)
{
    vmaf_atomic_file_puts(file, "  \"backend_events\": [");
    for (size_t k = 0; k < report->n_backend_events; k++) {
        const ReportBackendEvent *event = &report->backend_events[k];
        vmaf_atomic_file_puts(file, k ? ",\n    {\"backend\": " : "\n    {\"backend\": ");
        report_put_json_string(file, event->backend);
        if (report->n_devices && event->device >= 0) {
            vmaf_atomic_file_puts(file, ", \"device\": ");
            report_put_unsigned(file, (unsigned)event->device);
        }
        vmaf_atomic_file_puts(file, ", \"frame\": ");
        report_put_unsigned(file, event->frame);
        vmaf_atomic_file_puts(file, ", \"reason\": ");
        report_put_json_string(file, event->reason);
        vmaf_atomic_file_puts(file, "}");
    }
    vmaf_atomic_file_puts(file, "\n  ],\n");
}

static void put_spot_checks(VmafAtomicFile *file, const Report *report)
{
    vmaf_atomic_file_puts(file, "  \"backend_spot_checks\": {\"every\": ");
    report_put_unsigned(file, report->spot_check_every);
    vmaf_atomic_file_puts(file, ", \"frames\": ");
    report_put_unsigned(file, report->n_spot_checks);
    vmaf_atomic_file_puts(file, ", \"downloads\": ");
    report_put_unsigned(file, report->n_spot_check_downloads);
    vmaf_atomic_file_puts(file, "},\n");
}

static void put_devices(VmafAtomicFile *file, const Report *report)
{
    vmaf_atomic_file_puts(file, "  \"backend_devices\": [");
    for (size_t k = 0; k < report->n_devices; k++) {
        const ReportDevice *device = &report->devices[k];
        vmaf_atomic_file_puts(file, k ? ",\n    {\"backend\": " : "\n    {\"backend\": ");
        report_put_json_string(file, device->backend);
        if (device->index >= 0) {
            vmaf_atomic_file_puts(file, ", \"device\": ");
            report_put_unsigned(file, (unsigned)device->index);
        }
        if (device->name) {
            vmaf_atomic_file_puts(file, ", \"name\": ");
            report_put_json_string(file, device->name);
        }
        vmaf_atomic_file_puts(file, ", \"frames\": ");
        report_put_unsigned(file, device->frames);
        vmaf_atomic_file_puts(file, "}");
    }
    vmaf_atomic_file_puts(file, "\n  ],\n");
}

/* Not in reports of libvmaf; left out when only the CPU was asked. */
static void put_backends(VmafAtomicFile *file, const Report *report)
{
    vmaf_atomic_file_puts(file, ",\n  \"feature_backends\": [");
    for (size_t k = 0; k < report->n_backends; k++) {
        vmaf_atomic_file_puts(file, k ? ",\n    {\"extractor\": " : "\n    {\"extractor\": ");
        report_put_json_string(file, report->backends[k].extractor);
        vmaf_atomic_file_puts(file, ", \"backend\": ");
        report_put_json_string(file, report->backends[k].backend);
        vmaf_atomic_file_puts(file, "}");
    }
    vmaf_atomic_file_puts(file, "\n  ],\n");
    if (report->n_backend_events)
        put_backend_events(file, report);
    if (report->has_spot_checks)
        put_spot_checks(file, report);
    if (report->n_devices)
        put_devices(file, report);
    vmaf_atomic_file_puts(file, "  \"backend_used\": ");
    report_put_json_string(file, report->backend_used);
}

void report_write_json(VmafAtomicFile *file, const Report *report)
{
    put_header(file, report);
    put_frames(file, report);
    put_pooled_metrics(file, report);
    put_aggregate_metrics(file, report);
    if (report->backend_used)
        put_backends(file, report);
    vmaf_atomic_file_puts(file, "\n}\n");
}

static void put_next(VmafAtomicFile *file, const Report *report, bool first, const char *name,
                     double value)
{
    vmaf_atomic_file_puts(file, first ? "" : ",");
    report_put_json_string(file, name);
    vmaf_atomic_file_puts(file, ":");
    put_value(file, report, value);
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
        put_next(file, report, !any, report->columns[k].name, score);
        any = true;
    }
    if (any)
        vmaf_atomic_file_puts(file, "}}\n");
}

void report_put_ndjson_end(VmafAtomicFile *file, const Report *report)
{
    vmaf_atomic_file_puts(file, "{\"pooled_metrics\":{");
    for (size_t k = 0; k < report->n_columns; k++) {
        PooledValue values[MAX_POOLED_VALUES];
        const unsigned n = report_pool(report, &report->columns[k], values);
        vmaf_atomic_file_puts(file, k ? "," : "");
        report_put_json_string(file, report->columns[k].name);
        vmaf_atomic_file_puts(file, ":{");
        for (unsigned i = 0; i < n; i++)
            put_next(file, report, !i, values[i].name, values[i].value);
        vmaf_atomic_file_puts(file, "}");
    }
    vmaf_atomic_file_puts(file, "},\"aggregate_metrics\":{");
    for (size_t k = 0; k < report->n_aggregates; k++)
        put_next(file, report, !k, report->aggregates[k].name, report->aggregates[k].value);
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
