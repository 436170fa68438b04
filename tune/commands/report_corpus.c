/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/report_internal.h"

#include "platform/path.h"
#include "tune/engine/bd_rate.h"
#include "tune/session/corpus_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of one source, and those of one curve of it. */
typedef struct Group {
    const Row **rows;
    size_t n;
} Group;

typedef struct Builder {
    Report *report;
    ReportSubject *subject;
    Group source;
    Group *curves; /* as many as rows at most */
    size_t n_curves;
    double target;
} Builder;

/* What a curve needs for the target. */
typedef struct Answer {
    int curve;
    const Row *row;
    bool met;
} Answer;

static bool same(const char *a, const char *b)
{
    return !strcmp(a ? a : "", b ? b : "");
}

static bool is_same_curve(const Row *a, const Row *b)
{
    if (!same(a->encoder, b->encoder) || !same(a->preset, b->preset) ||
        !same(a->rate_control, b->rate_control) || !same(a->clip_mode, b->clip_mode) ||
        a->width != b->width || a->height != b->height || a->n_extra_params != b->n_extra_params)
        return false;
    for (size_t i = 0; i < a->n_extra_params; i++)
        if (strcmp(a->extra_params[i], b->extra_params[i]) != 0)
            return false;
    return true;
}

/* False without memory. */
static bool split_curves(Builder *builder)
{
    const Group *source = &builder->source;
    builder->curves = calloc(source->n + 1, sizeof(*builder->curves));
    for (size_t i = 0; builder->curves && i < source->n; i++) {
        size_t c = 0;
        while (c < builder->n_curves && !is_same_curve(builder->curves[c].rows[0], source->rows[i]))
            c++;
        if (!row_is_point(source->rows[i]))
            continue;
        Group *curve = &builder->curves[c];
        if (c == builder->n_curves) {
            curve->rows = calloc(source->n, sizeof(*curve->rows));
            if (!curve->rows)
                return false;
            builder->n_curves++;
        }
        curve->rows[curve->n++] = source->rows[i];
    }
    return builder->curves;
}

static const char *curve_name(Builder *builder, const Row *row)
{
    Report *report = builder->report;
    const char *name = row->encoder && *row->encoder ? row->encoder : "unknown encoder";
    name = row->preset && *row->preset ? report_text(report, "%s %s", name, row->preset)
                                       : report_text(report, "%s", name);
    if (row->rate_control && strcmp(row->rate_control, "crf") != 0 && *row->rate_control)
        name = report_text(report, "%s, %s", name, row->rate_control);
    for (size_t i = 0; i < row->n_extra_params; i++)
        name = report_text(report, "%s %s", name, row->extra_params[i]);
    return name;
}

static void add_curves(Builder *builder)
{
    for (size_t c = 0; c < builder->n_curves; c++) {
        const Group *group = &builder->curves[c];
        ReportCurve *curve = report_add_curve(builder->report, builder->subject,
                                              curve_name(builder, group->rows[0]));
        for (size_t i = 0; curve && i < group->n; i++)
            report_add_point(builder->report, &curve->points, row_kbps(group->rows[i]),
                             group->rows[i]->vmaf_score,
                             report_text(builder->report, "CRF %s",
                                         report_quality(builder->report, group->rows[i]->crf)));
    }
}

/* -- what is needed for the target -- */

static bool answer_of(const Builder *builder, size_t c, Answer *answer)
{
    const Group *group = &builder->curves[c];
    const QualityRange qualities = quality_range_of_encoder(group->rows[0]->encoder);
    EncodePoint *points = calloc(group->n, sizeof(*points));
    if (!points)
        return false;
    for (size_t i = 0; i < group->n; i++)
        points[i] = point_of_row(group->rows[i], i);
    const Choice choice = choose_cheapest(&qualities, points, group->n, builder->target);
    *answer = (Answer){(int)c, group->rows[choice.index], choice.status == CHOICE_MET};
    free(points);
    return true;
}

static int by_cost(const void *a, const void *b)
{
    const Answer *x = a, *y = b;
    if (x->met != y->met)
        return x->met ? -1 : 1;
    const double m = row_kbps(x->row), n = row_kbps(y->row);
    return m != n ? (m > n) - (m < n) : x->curve - y->curve;
}

static void add_answer_numbers(Builder *builder, const Answer *answers, size_t n)
{
    Report *report = builder->report;
    const Answer *best = &answers[0];
    const char *target =
        report_number(report, builder->target, builder->target != rint(builder->target));
    if (best->met)
        report_add_number(
            report, builder->subject, report_text(report, "least for VMAF %s", target),
            report_text(report, "%s kbit/s", report_number(report, row_kbps(best->row), 0)),
            report_text(report, "%s, CRF %s", builder->subject->curves[best->curve].name,
                        report_quality(report, best->row->crf)));
    else
        report_add_number(report, builder->subject, report_text(report, "VMAF %s", target), "unmet",
                          "no encode reaches it");
    if (best->met && n > 1 && answers[1].met)
        report_add_number(
            report, builder->subject, "less than the next",
            report_percent(report, row_kbps(best->row) / row_kbps(answers[1].row) - 1),
            builder->subject->curves[answers[1].curve].name);
}

static void add_answer_row(Builder *builder, ReportTable *table, const Answer *answer,
                           const Answer *best)
{
    Report *report = builder->report;
    ReportRow *row = report_add_row(report, table);
    if (!row)
        return;
    const double delta = best->met ? row_kbps(answer->row) / row_kbps(best->row) - 1 : NAN;
    row->curve = answer->curve;
    row->cells[0] = builder->subject->curves[answer->curve].name;
    row->cells[1] = answer->met ? "ok" : "unmet";
    row->cells[2] = report_quality(report, answer->row->crf);
    row->cells[3] = report_number(report, row_kbps(answer->row), 1);
    row->cells[4] = answer->met ? report_percent(report, delta) : "\xe2\x80\x94";
    row->cells[5] = report_number(report, answer->row->vmaf_score, 2);
    row->cells[6] = report_number(report, row_encode_fps(answer->row), 1);
}

static void add_answers(Builder *builder)
{
    Report *report = builder->report;
    const size_t n = builder->n_curves;
    Answer *answers = calloc(n + 1, sizeof(*answers));
    bool is_whole = answers;
    for (size_t c = 0; is_whole && c < n; c++)
        is_whole = answer_of(builder, c, &answers[c]);
    if (!is_whole || !n) {
        report->is_short_of_memory = report->is_short_of_memory || !is_whole;
        free(answers);
        return;
    }
    qsort(answers, n, sizeof(*answers), by_cost);
    add_answer_numbers(builder, answers, n);
    for (size_t i = 0; i < n; i++)
        if (answers[i].met)
            report_add_point(report, &builder->subject->chosen, row_kbps(answers[i].row),
                             answers[i].row->vmaf_score,
                             report_quality(report, answers[i].row->crf));
    static const char *const columns[] = {"encoder",         "status", "CRF",       "kbit/s",
                                          "\xce\x94 kbit/s", "VMAF",   "encode fps"};
    ReportTable *table = report_add_table(
        report, builder->subject,
        report_text(report, "The least bitrate that reaches VMAF %g", builder->target), columns,
        sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; table && i < n; i++)
        add_answer_row(builder, table, &answers[i], &answers[0]);
    if (n > 1)
        report_add_note(report, builder->subject,
                        "The least bitrates are those of encodes whose scores differ; deltas at "
                        "equal quality are BD-rates.");
    free(answers);
}

/* -- how curves differ on average -- */

/* To be freed. */
static RateCurve rates_of(const ReportPoints *points)
{
    RatePoint *rates = calloc(points->n + 1, sizeof(*rates));
    for (size_t i = 0; rates && i < points->n; i++)
        rates[i] = (RatePoint){points->points[i].kbps, points->points[i].score};
    return (RateCurve){rates, rates ? points->n : 0};
}

static void add_delta_row(Builder *builder, ReportTable *table, size_t c, const RateCurve *first)
{
    Report *report = builder->report;
    const BdOptions options = {.hull = true, .min_quality = -INFINITY, .max_quality = INFINITY};
    const RateCurve other = rates_of(&builder->subject->curves[c].points);
    ReportRow *row = report_add_row(report, table);
    double rate = NAN, half_width = NAN, quality = NAN;
    const BdStatus status = bd_rate(first, &other, &options, &rate);
    bd_rate_uncertainty(first, &other, &options, &half_width);
    bd_quality(first, &other, &options, &quality);
    free((void *)other.points);
    if (!row)
        return;
    row->curve = (int)c;
    row->cells[0] = builder->subject->curves[c].name;
    const BdInterval interval = bd_interval(rate, half_width);
    row->cells[1] = status == BD_OK ? report_percent(report, rate) : bd_status_text(status);
    row->cells[2] = report_percent(report, interval.low);
    row->cells[3] = report_percent(report, interval.high);
    row->cells[4] = report_number(report, quality, 2);
}

static void add_deltas(Builder *builder)
{
    if (builder->n_curves < 2)
        return;
    static const char *const columns[] = {"encoder", "BD-rate", "95 % from", "95 % to",
                                          "BD-quality"};
    ReportTable *table = report_add_table(
        builder->report, builder->subject,
        report_text(builder->report, "Bj\xc3\xb8ntegaard deltas of convex hulls against %s",
                    builder->subject->curves[0].name),
        columns, sizeof(columns) / sizeof(columns[0]));
    if (!table)
        return;
    const RateCurve first = rates_of(&builder->subject->curves[0].points);
    for (size_t c = 1; c < builder->n_curves; c++)
        add_delta_row(builder, table, c, &first);
    free((void *)first.points);
}

/* -- all encodes -- */

static void add_encode(Builder *builder, ReportTable *table, size_t c, const Row *encode)
{
    Report *report = builder->report;
    ReportRow *row = report_add_row(report, table);
    if (!row)
        return;
    row->curve = (int)c;
    row->cells[0] = builder->subject->curves[c].name;
    row->cells[1] = report_quality(report, encode->crf);
    row->cells[2] = report_number(report, row_kbps(encode), 1);
    row->cells[3] = report_number(report, encode->vmaf_score, 3);
    row->cells[4] = report_number(report, row_encode_fps(encode), 1);
    row->cells[5] = report_number(report, row_score_fps(encode), 1);
}

static void add_encodes(Builder *builder)
{
    static const char *const columns[] = {"encoder", "CRF",        "kbit/s",
                                          "VMAF",    "encode fps", "score fps"};
    ReportTable *table = report_add_table(builder->report, builder->subject, "All encodes", columns,
                                          sizeof(columns) / sizeof(columns[0]));
    if (!table)
        return;
    table->is_long = true;
    for (size_t c = 0; c < builder->n_curves; c++)
        for (size_t i = 0; i < builder->curves[c].n; i++)
            add_encode(builder, table, c, builder->curves[c].rows[i]);
}

static void add_failures(Builder *builder)
{
    Report *report = builder->report;
    for (size_t i = 0; i < builder->source.n; i++) {
        const Row *row = builder->source.rows[i];
        if (row_is_point(row))
            continue;
        const char *why = row->error && *row->error ? row->error
                          : row_is_usable(row)      ? "its bitrate is unknown"
                                                    : "it failed, or has no score";
        report_add_note(report, builder->subject,
                        report_text(report, "%s, CRF %s: %s", curve_name(builder, row),
                                    report_quality(report, row->crf), why));
    }
}

static void add_counts(Builder *builder)
{
    Report *report = builder->report;
    size_t n = 0;
    double milliseconds = 0;
    for (size_t i = 0; i < builder->source.n; i++) {
        n += row_is_point(builder->source.rows[i]);
        if (isfinite(builder->source.rows[i]->encode_time_ms))
            milliseconds += builder->source.rows[i]->encode_time_ms;
    }
    const char *time = milliseconds > 0 ? report_text(report, "%s s of encoding",
                                                      report_number(report, milliseconds / 1000, 0))
                                        : "";
    report_add_number(report, builder->subject, "encodes", report_text(report, "%zu", n), time);
}

static const char *source_title(Builder *builder)
{
    const Row *row = builder->source.rows[0];
    const char *path = row->src && *row->src ? row->src : row_source(row);
    const char *name = vmaf_path_name(path);
    if (!*path)
        return "unknown source";
    return report_text(builder->report, "%s", *name ? name : path);
}

static const char *source_kind(Builder *builder)
{
    const Row *row = builder->source.rows[0];
    const char *clip = row->clip_mode && strcmp(row->clip_mode, "full") != 0 ? row->clip_mode : "";
    const char *model = row->vmaf_model ? row->vmaf_model : "";
    const char *size = "";
    if (row->width != ROW_NO_INTEGER && row->height != ROW_NO_INTEGER)
        size = report_text(builder->report, ", %lld\xc3\x97%lld", (long long)row->width,
                           (long long)row->height);
    return report_text(builder->report, "Corpus%s%s%s%s%s", size, *model ? ", " : "", model,
                       *clip ? ", " : "", clip);
}

static void add_source(Builder *builder)
{
    if (!split_curves(builder)) {
        builder->report->is_short_of_memory = true;
        return;
    }
    builder->subject = report_add_subject(builder->report);
    if (!builder->subject)
        return;
    builder->subject->kind = source_kind(builder);
    builder->subject->title = source_title(builder);
    builder->subject->target = builder->target;
    add_curves(builder);
    if (builder->subject->n_curves < builder->n_curves)
        return;
    if (!isnan(builder->target))
        add_answers(builder);
    add_counts(builder);
    if (builder->n_curves > 1)
        report_find_hull(builder->report, builder->subject);
    add_deltas(builder);
    add_encodes(builder);
    add_failures(builder);
}

/* Rows of the source of row `first`, marked as taken. */
static size_t take_source(const Row *rows, size_t n, size_t first, bool *taken, const Row **source)
{
    size_t count = 0;
    for (size_t i = first; i < n; i++)
        if (!taken[i] && !strcmp(row_source(&rows[i]), row_source(&rows[first]))) {
            source[count++] = &rows[i];
            taken[i] = true;
        }
    return count;
}

void report_add_corpus(Report *report, const Row *rows, size_t n, double target)
{
    const Row **source = calloc(n + 1, sizeof(*source));
    bool *taken = calloc(n + 1, sizeof(*taken));
    report->is_short_of_memory = report->is_short_of_memory || !source || !taken;
    report_add_encoders(report, rows, n, target);
    for (size_t i = 0; source && taken && i < n; i++) {
        if (taken[i])
            continue;
        Builder builder = {.report = report, .target = target};
        builder.source = (Group){source, take_source(rows, n, i, taken, source)};
        add_source(&builder);
        for (size_t c = 0; c < builder.n_curves; c++)
            free(builder.curves[c].rows);
        free(builder.curves);
    }
    free(source);
    free(taken);
}
