/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What all reports share, and those in XML, CSV and SUB. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "libvmaf/libvmaf_ext.h"
#include "platform/text.h"
#include "report/report_internal.h"

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

static void put_pooled_metrics(VmafAtomicFile *file, const Report *report)
{
    vmaf_atomic_file_puts(file, "  <pooled_metrics>\n");
    for (size_t k = 0; k < report->n_columns; k++) {
        PooledValue values[MAX_POOLED_VALUES];
        const unsigned n = report_pool(report, &report->columns[k], values);
        vmaf_atomic_file_puts(file, "    <metric name=\"");
        report_put_xml_value(file, report->columns[k].name);
        vmaf_atomic_file_puts(file, "\" ");
        for (unsigned i = 0; i < n; i++)
            put_attribute(file, report, values[i].name, values[i].value);
        vmaf_atomic_file_puts(file, "/>\n");
    }
    vmaf_atomic_file_puts(file, "  </pooled_metrics>\n");
}

static void report_write_xml(VmafAtomicFile *file, const Report *report)
{
    put_header(file, report);
    put_frames(file, report);
    put_pooled_metrics(file, report);
    vmaf_atomic_file_puts(file, "  <aggregate_metrics ");
    for (size_t k = 0; k < report->n_aggregates; k++)
        put_attribute(file, report, report->aggregates[k].name, report->aggregates[k].value);
    vmaf_atomic_file_puts(file, "/>\n</VMAF>\n");
}

/* As in libvmaf, a missing score leaves no empty field: the columns after it move left. */
static void report_write_csv(VmafAtomicFile *file, const Report *report)
{
    uint64_t cursor = 0;
    uint32_t index;

    vmaf_atomic_file_puts(file, "Frame,");
    for (size_t k = 0; k < report->n_columns; k++) {
        report_put_csv_field(file, report->columns[k].name);
        vmaf_atomic_file_puts(file, ",");
    }
    vmaf_atomic_file_puts(file, "\n");

    while (report_next_frame(report, &cursor, &index)) {
        report_put_unsigned(file, index);
        vmaf_atomic_file_puts(file, ",");
        for (size_t k = 0; k < report->n_columns; k++) {
            double score;
            if (!series_get(report->columns[k].scores, index, &score))
                continue;
            report_put_score(file, report, score);
            vmaf_atomic_file_puts(file, ",");
        }
        vmaf_atomic_file_puts(file, "\n");
    }
}

/* MicroDVD subtitles: {first frame}{last frame}text, '|' breaks a line on the screen. */
static void report_write_sub(VmafAtomicFile *file, const Report *report)
{
    uint64_t cursor = 0;
    uint32_t index;

    while (report_next_frame(report, &cursor, &index)) {
        vmaf_atomic_file_puts(file, "{");
        report_put_unsigned(file, index);
        vmaf_atomic_file_puts(file, "}{");
        report_put_unsigned(file, (uint64_t)index + 1);
        vmaf_atomic_file_puts(file, "}frame: ");
        report_put_unsigned(file, index);
        vmaf_atomic_file_puts(file, "|");
        for (size_t k = 0; k < report->n_columns; k++) {
            double score;
            if (!series_get(report->columns[k].scores, index, &score))
                continue;
            report_put_line_text(file, report->columns[k].name);
            vmaf_atomic_file_puts(file, ": ");
            report_put_score(file, report, score);
            vmaf_atomic_file_puts(file, "|");
        }
        vmaf_atomic_file_puts(file, "\n");
    }
}

typedef void (*ReportWriter)(VmafAtomicFile *file, const Report *report);

static ReportWriter writer_of(enum VmafOutputFormat format)
{
    switch ((unsigned)format) {
    case VMAF_OUTPUT_FORMAT_NDJSON:
        return report_write_ndjson;
    case VMAF_OUTPUT_FORMAT_XML:
        return report_write_xml;
    case VMAF_OUTPUT_FORMAT_JSON:
        return report_write_json;
    case VMAF_OUTPUT_FORMAT_CSV:
        return report_write_csv;
    case VMAF_OUTPUT_FORMAT_SUB:
        return report_write_sub;
    default:
        return NULL;
    }
}

static int open_file(VmafAtomicFile **file, const char *path)
{
    if (!path)
        return vmaf_atomic_file_open_text(file);
    int err = vmaf_atomic_file_open(file, path);
    if (!err || err == -ENOMEM)
        return err;
    log_always("could not open file: %s", path); /* printed at every log level, as libvmaf does */
    return -EINVAL;
}

/* To a file, or to a text if there is no path. */
static int write_as(ReportWriter write_as_format, const Report *report, const char *path,
                    char **text)
{
    VmafCLocaleScope scope;
    int err = vmaf_c_locale_enter(&scope);
    if (err < 0)
        return err;
    VmafAtomicFile *file;
    err = open_file(&file, path);
    if (!err) {
        write_as_format(file, report);
        err = path ? vmaf_atomic_file_commit(file) : vmaf_atomic_file_take_text(file, text);
    }
    vmaf_c_locale_leave(&scope);
    return err;
}

static int write_to(const Report *report, const char *path, char **text,
                    ReportWriter write_as_format)
{
    if (!write_as_format)
        return -EINVAL;
    if (report->score_format && report_check_score_format(report->score_format) < 0)
        return -EINVAL;

    Report prepared = *report;
    if (report->statistics && report->statistics->count && report->picture_count) {
        const size_t n = pool_sample_count(0, report->picture_count - 1, report->n_subsample);
        prepared.scratch = calloc(n, sizeof(*prepared.scratch));
        if (!prepared.scratch)
            return -ENOMEM;
    }
    const int err = write_as(write_as_format, &prepared, path, text);
    free(prepared.scratch);
    return err;
}

int report_write(const Report *report, const char *path, enum VmafOutputFormat format)
{
    return write_to(report, path, NULL, writer_of(format));
}

int report_print(const Report *report, char **text, enum VmafOutputFormat format)
{
    return write_to(report, NULL, text, writer_of(format));
}

int report_print_end(const Report *report, char **text)
{
    return write_to(report, NULL, text, report_put_ndjson_end);
}

int report_print_row(const Report *report, char **text, uint32_t index, double time)
{
    VmafCLocaleScope scope;
    if (report->score_format && report_check_score_format(report->score_format) < 0)
        return -EINVAL;
    int err = vmaf_c_locale_enter(&scope);
    if (err < 0)
        return err;
    VmafAtomicFile *file;
    err = vmaf_atomic_file_open_text(&file);
    if (!err) {
        report_put_ndjson_row(file, report, index, time);
        err = vmaf_atomic_file_take_text(file, text);
    }
    vmaf_c_locale_leave(&scope);
    return err;
}

bool report_next_frame(const Report *report, uint64_t *cursor, uint32_t *index)
{
    unsigned step = report->n_subsample > 1 ? report->n_subsample : 1;
    bool found;

    do {
        if (*cursor > UINT32_MAX)
            return false;
        found = false;
        for (size_t k = 0; k < report->n_columns; k++) {
            uint32_t candidate;
            if (series_next(report->columns[k].scores, (uint32_t)*cursor, &candidate) &&
                (!found || candidate < *index)) {
                found = true;
                *index = candidate;
            }
            if (found && *index == *cursor)
                break;
        }
        if (!found)
            return false;
        *cursor = ((uint64_t)*index + step - 1) / step * step;
    } while (*cursor != *index);

    *cursor += step;
    return true;
}

unsigned report_pool(const Report *report, const ScoreColumn *column,
                     PooledValue values[MAX_POOLED_VALUES])
{
    Pooled pooled;
    if (!report->picture_count ||
        pool_series(column->scores, 0, report->picture_count - 1, report->n_subsample, &pooled))
        return 0;
    unsigned n = 0;
    values[n++] = (PooledValue){"min", pooled.min};
    values[n++] = (PooledValue){"max", pooled.max};
    values[n++] = (PooledValue){"mean", pooled.mean};
    values[n++] = (PooledValue){"harmonic_mean", pooled.harmonic_mean};
    double statistics[MAX_STATISTICS];
    if (report->scratch &&
        !pool_statistics(column->scores, 0, report->picture_count - 1, report->n_subsample,
                         report->statistics, report->scratch, statistics))
        for (unsigned i = 0; i < report->statistics->count; i++)
            values[n++] = (PooledValue){report->statistics->items[i].name, statistics[i]};
    return n;
}

void report_put_score(VmafAtomicFile *file, const Report *report, double score)
{
    char text[NUMBER_TEXT_SIZE];
    vmaf_atomic_file_write(file, text, number_print(text, score, report->score_format));
}

void report_put_fps(VmafAtomicFile *file, const Report *report)
{
    char text[NUMBER_TEXT_SIZE];
    vmaf_atomic_file_write(file, text, number_print(text, report->fps, "%.2f"));
}

void report_put_unsigned(VmafAtomicFile *file, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, value);
    vmaf_atomic_file_puts(file, text);
}
