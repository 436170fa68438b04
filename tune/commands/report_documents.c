/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/report_internal.h"

#include "common/json.h"
#include "platform/path.h"

#include <math.h>
#include <string.h>

static const char *text_or(const json_t *json, const char *key, const char *otherwise)
{
    const char *text = json_text_of(json, key);
    return text && *text ? text : otherwise;
}

/* By any of two names. */
static double number_of(const json_t *json, const char *key, const char *other)
{
    const double number = json_number_of(json, key);
    return isnan(number) ? json_number_of(json, other) : number;
}

static const char *file_name(Report *report, const char *path)
{
    const char *name = vmaf_path_name(path);
    return report_text(report, "%s", *name ? name : path);
}

static const char *quality_label(Report *report, const json_t *json)
{
    const double q = number_of(json, "q", "crf");
    return isnan(q) ? "" : report_text(report, "CRF %g", q);
}

/* Measured points: q or crf, kbps or bitrate_kbps, vmaf. */
static void add_samples(Report *report, ReportPoints *points, const json_t *samples)
{
    size_t i;
    json_t *sample;
    json_array_foreach(samples, i, sample)
        report_add_point(report, points, number_of(sample, "kbps", "bitrate_kbps"),
                         number_of(sample, "vmaf", "vmaf_score"), quality_label(report, sample));
}

/* -- searches -- */

static void add_probes(Report *report, ReportSubject *subject, const json_t *samples)
{
    static const char *const columns[] = {"probe", "CRF", "kbit/s", "VMAF", "seconds"};
    size_t i;
    json_t *sample;
    ReportTable *table = report_add_table(report, subject, "Probes, in the order of the search",
                                          columns, sizeof(columns) / sizeof(columns[0]));
    if (!table)
        return;
    json_array_foreach(samples, i, sample)
    {
        ReportRow *row = report_add_row(report, table);
        if (!row)
            return;
        row->cells[0] = report_text(report, "%zu", i + 1);
        row->cells[1] = report_quality(report, number_of(sample, "q", "crf"));
        row->cells[2] = report_number(report, number_of(sample, "kbps", "bitrate_kbps"), 1);
        row->cells[3] = report_number(report, number_of(sample, "vmaf", "vmaf_score"), 3);
        row->cells[4] = report_number(report, number_of(sample, "ms", "encode_time_ms") / 1000, 2);
    }
}

static void add_search_numbers(Report *report, ReportSubject *subject, const json_t *json)
{
    const double q = json_number_of(json, "best_crf");
    const bool has_answer = q >= 0;
    const double kbps = json_number_of(json, "bitrate_kbps");
    const double score = json_number_of(json, "measured_vmaf");
    const char *goal =
        isnan(subject->target) ? "" : report_text(report, "for VMAF %g", subject->target);
    report_add_number(report, subject, "CRF", has_answer ? report_quality(report, q) : "none",
                      goal);
    if (has_answer) {
        report_add_number(report, subject, "VMAF", report_number(report, score, 2), "measured");
        report_add_number(report, subject, "bitrate",
                          report_text(report, "%s kbit/s", report_number(report, kbps, 0)), "");
        report_add_point(report, &subject->chosen, kbps, score, report_text(report, "CRF %g", q));
    }
    report_add_number(report, subject, "probes",
                      report_number(report, json_number_of(json, "n_iterations"), 0),
                      json_is_false(json_object_get(json, "converged")) ? "not converged" : "");
}

static void add_search(Report *report, const json_t *json, double target)
{
    ReportSubject *subject = report_add_subject(report);
    if (!subject)
        return;
    const json_t *samples = json_object_get(json, "samples");
    const char *codec = report_text(report, "%s", text_or(json, "codec", "unknown encoder"));
    const char *preset = text_or(json, "preset", "");
    const double own = json_number_of(json, "target_vmaf");
    subject->kind = report_text(report, "Search, %s%s%s", codec, *preset ? " " : "", preset);
    subject->title = file_name(report, text_or(json, "src", codec));
    subject->target = isnan(own) ? target : own;
    ReportCurve *curve = report_add_curve(report, subject, codec);
    if (curve)
        add_samples(report, &curve->points, samples);
    add_search_numbers(report, subject, json);
    if (json_array_size(samples))
        add_probes(report, subject, samples);
    const char *error = json_text_of(json, "error");
    if (error && *error)
        report_add_note(report, subject, report_text(report, "%s", error));
}

/* -- comparisons -- */

/* Rows of several targets have the same encoder: one curve. */
static int curve_of(Report *report, ReportSubject *subject, const char *codec)
{
    for (size_t c = 0; c < subject->n_curves; c++)
        if (!strcmp(subject->curves[c].name, codec))
            return (int)c;
    return report_add_curve(report, subject, report_text(report, "%s", codec))
               ? (int)subject->n_curves - 1
               : REPORT_NO_CURVE;
}

/* The delta of a codec against the baseline of the comparison; NULL: none. */
static const json_t *delta_of(const json_t *document, const char *codec)
{
    size_t i;
    json_t *delta;
    json_array_foreach(json_object_get(document, "bd_rates"), i, delta)
    {
        if (!strcmp(text_or(delta, "reference", ""), text_or(document, "baseline", "")) &&
            !strcmp(text_or(delta, "codec", ""), codec))
            return delta;
    }
    return NULL;
}

static const char *delta_text(Report *report, const json_t *delta)
{
    const double low = json_number_of(delta, "bd_rate_low");
    const char *rate = report_percent(report, json_number_of(delta, "bd_rate"));
    return isnan(low) ? rate
                      : report_text(report, "%s (%s to %s)", rate, report_percent(report, low),
                                    report_percent(report, json_number_of(delta, "bd_rate_high")));
}

static void add_compared(Report *report, ReportSubject *subject, ReportTable *table,
                         const json_t *document, const json_t *json)
{
    const char *codec = text_or(json, "codec", "unknown encoder");
    const int c = curve_of(report, subject, codec);
    ReportRow *row = c == REPORT_NO_CURVE ? NULL : report_add_row(report, table);
    if (!row)
        return;
    const bool ok = json_is_true(json_object_get(json, "ok"));
    const double own = json_number_of(json, "target_vmaf");
    const double kbps = json_number_of(json, "bitrate_kbps");
    const double score = json_number_of(json, "vmaf_score");
    const double q = json_number_of(json, "best_crf");
    row->curve = c;
    row->cells[0] = subject->curves[c].name;
    row->cells[1] = report_text(report, "%s", text_or(json, "encoder_version", "\xe2\x80\x94"));
    row->cells[2] = report_number(report, isnan(own) ? subject->target : own, 1);
    row->cells[3] = report_quality(report, q);
    row->cells[4] = report_number(report, kbps, 1);
    row->cells[5] = report_number(report, json_number_of(json, "percent_of_source"), 1);
    row->cells[6] = report_number(report, json_number_of(json, "speed_fps"), 1);
    row->cells[7] = report_number(report, score, 2);
    row->cells[8] = delta_text(report, delta_of(document, subject->curves[c].name));
    row->cells[9] = ok ? "ok" : report_text(report, "fail: %s", text_or(json, "error", "unknown"));
    ReportPoints *points = &subject->curves[c].points;
    const json_t *samples = json_object_get(json, "samples");
    if (json_array_size(samples))
        add_samples(report, points, samples);
    else if (ok)
        report_add_point(report, points, kbps, score, report_text(report, "CRF %g", q));
    if (ok)
        report_add_point(report, &subject->chosen, kbps, score, report_quality(report, q));
}

static void add_smallest(Report *report, ReportSubject *subject, const json_t *rows)
{
    size_t i;
    json_t *row;
    const json_t *best = NULL;
    size_t n_ok = 0;
    json_array_foreach(rows, i, row)
    {
        const double target = json_number_of(row, "target_vmaf");
        if (!json_is_true(json_object_get(row, "ok")))
            continue;
        n_ok++;
        if (target != subject->target && !isnan(target))
            continue; /* of several, the first */
        if (!best || json_number_of(row, "bitrate_kbps") < json_number_of(best, "bitrate_kbps"))
            best = row;
    }
    if (best)
        report_add_number(
            report, subject, "smallest",
            report_text(report, "%s kbit/s",
                        report_number(report, json_number_of(best, "bitrate_kbps"), 0)),
            report_text(report, "%s, CRF %g, VMAF %.2f", text_or(best, "codec", ""),
                        json_number_of(best, "best_crf"), json_number_of(best, "vmaf_score")));
    report_add_number(report, subject, "reached", report_text(report, "%zu", n_ok),
                      report_text(report, "of %zu", json_array_size(rows)));
}

static void add_comparison(Report *report, const json_t *json, double target)
{
    static const char *const columns[] = {"codec",       "encoder",  "target", "CRF",     "kbit/s",
                                          "% of source", "frames/s", "VMAF",   "BD-rate", "status"};
    size_t i;
    json_t *element;
    const json_t *rows = json_object_get(json, "rows");
    ReportSubject *subject = report_add_subject(report);
    if (!subject)
        return;
    const double own = json_number_of(json, "target_vmaf");
    subject->kind = "Comparison of encoders";
    subject->title = file_name(report, text_or(json, "src", "unknown source"));
    subject->target = isnan(own) ? target : own;
    ReportTable *table = report_add_table(report, subject, "What each encoder needs", columns,
                                          sizeof(columns) / sizeof(columns[0]));
    if (!table)
        return;
    if (json_object_get(json, "bd_rates"))
        report_add_note(report, subject,
                        report_text(report,
                                    "BD-rates are bitrates at equal scores on average, relative to "
                                    "%s; in parentheses, where they are with 95 %% confidence.",
                                    text_or(json, "baseline", "another")));
    json_array_foreach(rows, i, element) add_compared(report, subject, table, json, element);
    add_smallest(report, subject, rows);
}

/* -- ladders -- */

static const char *size_text(Report *report, const json_t *json)
{
    const double width = json_number_of(json, "width"), height = json_number_of(json, "height");
    return isnan(width) || isnan(height) ? "unknown size"
                                         : report_text(report, "%.0f\xc3\x97%.0f", width, height);
}

static void add_by_size(Report *report, ReportSubject *subject, const json_t *samples)
{
    size_t i;
    json_t *sample;
    json_array_foreach(samples, i, sample)
    {
        const int c = curve_of(report, subject, size_text(report, sample));
        if (c != REPORT_NO_CURVE)
            report_add_point(
                report, &subject->curves[c].points, number_of(sample, "bitrate_kbps", "kbps"),
                number_of(sample, "vmaf", "vmaf_score"), quality_label(report, sample));
    }
}

static void add_rung(Report *report, ReportSubject *subject, ReportTable *table, const json_t *json)
{
    ReportRow *row = report_add_row(report, table);
    if (!row)
        return;
    const double kbps = json_number_of(json, "bitrate_kbps"), score = json_number_of(json, "vmaf");
    const char *size = size_text(report, json);
    row->curve = curve_of(report, subject, size);
    row->cells[0] = size;
    row->cells[1] = report_number(report, kbps, 0);
    row->cells[2] = report_number(report, json_number_of(json, "peak_bandwidth_bps") / 1000, 0);
    row->cells[3] = report_number(report, score, 2);
    row->cells[4] = report_quality(report, json_number_of(json, "crf"));
    row->cells[5] = report_text(report, "%s", text_or(json, "codecs", "\xe2\x80\x94"));
    const double height = json_number_of(json, "height");
    report_add_point(report, &subject->chosen, kbps, score,
                     isnan(height) ? size : report_text(report, "%.0fp", height));
}

static void add_ladder_numbers(Report *report, ReportSubject *subject, const json_t *renditions)
{
    const size_t n = json_array_size(renditions);
    const json_t *low = json_array_get(renditions, 0);
    const json_t *high = n ? json_array_get(renditions, n - 1) : NULL;
    report_add_number(report, subject, "rungs", report_text(report, "%zu", n), "");
    if (!n)
        return;
    const json_t *const ends[] = {low, high};
    for (size_t i = 0; i < 2; i++)
        report_add_number(
            report, subject, i ? "highest" : "lowest",
            report_text(report, "%s kbit/s",
                        report_number(report, json_number_of(ends[i], "bitrate_kbps"), 0)),
            report_text(report, "%s, VMAF %.1f", size_text(report, ends[i]),
                        json_number_of(ends[i], "vmaf")));
}

static void add_ladder(Report *report, const json_t *json)
{
    static const char *const columns[] = {"rung", "kbit/s", "peak kbit/s", "VMAF", "CRF", "codecs"};
    size_t i;
    json_t *rendition;
    const json_t *renditions = json_object_get(json, "renditions");
    ReportSubject *subject = report_add_subject(report);
    if (!subject)
        return;
    const char *encoder = text_or(json, "encoder", ""), *preset = text_or(json, "preset", "");
    subject->kind = report_text(report, "Ladder%s%s%s%s", *encoder ? ", " : "", encoder,
                                *preset ? " " : "", preset);
    subject->title = file_name(report, text_or(json, "source", text_or(json, "src", "ladder")));
    add_by_size(report, subject, json_object_get(json, "samples"));
    if (json_object_get(json, "hull"))
        add_samples(report, &subject->hull, json_object_get(json, "hull"));
    else
        report_find_hull(report, subject);
    ReportTable *table =
        report_add_table(report, subject, "Rungs", columns, sizeof(columns) / sizeof(columns[0]));
    if (!table)
        return;
    json_array_foreach(renditions, i, rendition) add_rung(report, subject, table, rendition);
    add_ladder_numbers(report, subject, renditions);
}

bool report_add_document(Report *report, const json_t *json, double target)
{
    if (json_is_array(json_object_get(json, "renditions")))
        add_ladder(report, json); /* it has several targets */
    else if (json_is_array(json_object_get(json, "rows")))
        add_comparison(report, json, target);
    else if (json_object_get(json, "best_crf"))
        add_search(report, json, target);
    else
        return false;
    return true;
}
