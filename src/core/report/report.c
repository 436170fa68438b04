/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "libvmaf/libvmaf_ext.h"
#include "platform/text.h"
#include "report/number_format.h"
#include "report/report_writers.h"
#include "support/log.h"

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

bool report_pool(const Report *report, const ScoreColumn *column, Pooled *pooled)
{
    return report->picture_count > 0 && pool_series(column->scores, 0, report->picture_count - 1,
                                                    report->n_subsample, pooled) == 0;
}

unsigned report_pool_statistics(const Report *report, const ScoreColumn *column,
                                double values[MAX_STATISTICS])
{
    if (!report->scratch ||
        pool_statistics(column->scores, 0, report->picture_count - 1, report->n_subsample,
                        report->statistics, report->scratch, values))
        return 0;
    return report->statistics->count;
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
