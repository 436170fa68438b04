/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the rows of a corpus say, as subjects of a report. */
#include "tune/commands/report_internal.h"

#include "common/json.h"
#include "common/messages.h"
#include "platform/path.h"
#include "tune/engine/bd_rate.h"
#include "tune/session/corpus_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Corpus {
    Report *report;
    const Row *rows;
    double target;
} Corpus;

/* Rows that belong together, as lists of their places: {NAME: [place ...]}. */
static void group(Report *report, json_t *groups, const char *name, size_t place)
{
    json_t *places = json_object_get(groups, name);
    if (!places) {
        places = json_array();
        report->is_short_of_memory |= json_object_set_new(groups, name, places) != 0;
    }
    report_add(report, places, json_integer((json_int_t)place));
}

static const Row *row_at(const Corpus *corpus, const json_t *places, size_t i)
{
    return &corpus->rows[json_integer_value(json_array_get(places, i))];
}

static const char *text_or(const char *text, const char *otherwise)
{
    return text && *text ? text : otherwise;
}

static const char *encoder_of(const Row *row)
{
    return text_or(row->encoder, "unknown encoder");
}

/* NAN: there is none. */
static double quality_of(const Row *row)
{
    return row->crf >= 0 ? row->crf : NAN;
}

static json_t *quality_label(const Row *row)
{
    char q[HTML_NUMBER_SIZE];
    return report_text("CRF %s", report_number(q, quality_of(row), 'g'));
}

/* The row that reaches the target at the lowest bitrate; else the best one, and not *met. All have
 * scores and bitrates; NULL without memory, or rows. */
static const Row *cheapest(const Corpus *corpus, const json_t *places, bool *met)
{
    const size_t n = json_array_size(places);
    EncodePoint *points = calloc(n + 1, sizeof(*points));
    corpus->report->is_short_of_memory |= !points;
    for (size_t i = 0; points && i < n; i++)
        points[i] = point_of_row(row_at(corpus, places, i), i);
    const Row *row = NULL;
    *met = false;
    if (points && n) {
        const QualityRange qualities = quality_range_of_encoder(row_at(corpus, places, 0)->encoder);
        const Choice choice = choose_cheapest(&qualities, points, n, corpus->target);
        *met = choice.status == CHOICE_MET;
        row = row_at(corpus, places, choice.index);
    }
    free(points);
    return row;
}

/* -- encoders over all sources -- */

/* An encoder, whatever its preset. */
typedef struct Entry {
    const char *encoder;
    const Row **cheapest; /* of each source; NULL: none reaches the target */
    size_t n_reached;
    double log_kbps; /* sum over those */
} Entry;

static int compare_entries(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    if (x->n_reached != y->n_reached)
        return x->n_reached > y->n_reached ? -1 : 1;
    if (x->log_kbps != y->log_kbps)
        return x->log_kbps > y->log_kbps ? 1 : -1;
    return strcmp(x->encoder, y->encoder);
}

static void fill_entry(const Corpus *corpus, Entry *entry, const json_t *sources)
{
    const char *source;
    json_t *places, *mine;
    size_t s = 0, i;
    json_object_foreach((json_t *)sources, source, places)
    {
        bool met;
        mine = json_array();
        for (i = 0; i < json_array_size(places); i++) {
            const Row *row = row_at(corpus, places, i);
            if (row_is_point(row) && !strcmp(encoder_of(row), entry->encoder))
                report_add(corpus->report, mine, json_incref(json_array_get(places, i)));
        }
        const Row *row = cheapest(corpus, mine, &met);
        json_decref(mine);
        entry->cheapest[s++] = met ? row : NULL;
        entry->n_reached += met;
        entry->log_kbps += met ? log(row_kbps(row)) : 0;
    }
}

/* NAN: there is no source that both reach. */
static double delta_between(const Entry *entry, const Entry *first, size_t n_sources)
{
    double sum = 0;
    size_t n = 0;
    for (size_t s = 0; s < n_sources; s++)
        if (entry->cheapest[s] && first->cheapest[s]) {
            sum += log(row_kbps(entry->cheapest[s]) / row_kbps(first->cheapest[s]));
            n++;
        }
    return n ? expm1(sum / (double)n) : NAN;
}

static void print_entry(Report *report, json_t *rows, const Entry *entry, const Entry *first,
                        size_t n_sources)
{
    report_add(report, rows,
               json_pack("[s, o, n, n, n, o, n, n]", entry->encoder,
                         report_text("%zu of %zu reached", entry->n_reached, n_sources),
                         json_number_or_null(delta_between(entry, first, n_sources))));
    for (size_t s = 0; s < n_sources; s++) {
        const Row *found = entry->cheapest[s], *other = first->cheapest[s];
        if (!found)
            continue;
        const double kbps = row_kbps(found);
        report_add(report, rows,
                   json_pack("[s, o, o, o, f, o, f, o]", entry->encoder,
                             report_text("%s", vmaf_path_name(text_or(found->src, ""))),
                             report_text("%s", text_or(found->preset, "")),
                             json_number_or_null(quality_of(found)), kbps,
                             json_number_or_null(other ? kbps / row_kbps(other) - 1 : NAN),
                             found->vmaf_score, json_number_or_null(row_encode_fps(found))));
    }
}

static void add_encoders(const Corpus *corpus, const json_t *encoders, const json_t *sources)
{
    Report *report = corpus->report;
    const size_t n = json_object_size(encoders), n_sources = json_object_size(sources);
    Entry *entries = calloc(n, sizeof(*entries));
    const Row **room = calloc(n * n_sources, sizeof(*room));
    const char *name;
    json_t *places;
    size_t e = 0;
    report->is_short_of_memory |= !entries || !room;
    if (entries && room) {
        json_object_foreach((json_t *)encoders, name, places)
        {
            entries[e] = (Entry){name, room + e * n_sources, 0, 0};
            fill_entry(corpus, &entries[e++], sources);
        }
        qsort(entries, n, sizeof(*entries), compare_entries);
        json_t *subject = report_subject(report, report_text("Corpus"),
                                         report_text("%zu sources", n_sources), NAN);
        json_t *rows = report_table(
            report, subject,
            report_text("The cheapest row of each encoder that reaches VMAF %g", corpus->target),
            "encoder|source|preset|CRF:g|kbit/s:1|\xce\x94 kbit/s:%|VMAF:2|encode fps:1");
        for (e = 0; e < n; e++)
            print_entry(report, rows, &entries[e], &entries[0], n_sources);
        report_note(report, subject,
                    report_text("\xce\x94 kbit/s is relative to %s; over sources, the geometric "
                                "mean of those that both reach.",
                                entries[0].encoder));
    }
    free(entries);
    free(room);
}

/* -- a source -- */

/* With its size and the part of the video, too, where curves of others have the same name. To be
 * freed. */
static char *curve_name(const Row *row, bool has_part)
{
    const char *rate_control = text_or(row->rate_control, "crf"),
               *preset = text_or(row->preset, "");
    TextBuffer text;
    FILE *out = text_begin(&text);
    if (!out)
        return NULL;
    fprintf(out, "%s%s%s", encoder_of(row), *preset ? " " : "", preset);
    if (strcmp(rate_control, "crf") != 0)
        fprintf(out, ", %s", rate_control);
    for (size_t i = 0; i < row->n_extra_params; i++)
        fprintf(out, " %s", row->extra_params[i]);
    if (has_part)
        fprintf(out, ", %lld\xc3\x97%lld %s", (long long)row->width, (long long)row->height,
                text_or(row->clip_mode, ""));
    return text_end(&text, 0);
}

static bool is_of_part(const Row *row, const Row *other)
{
    return row->width == other->width && row->height == other->height &&
           !strcmp(text_or(row->clip_mode, ""), text_or(other->clip_mode, ""));
}

/* Rows in groups by the names of their curves; what is no point is left out. */
static json_t *split_curves(const Corpus *corpus, const json_t *places)
{
    json_t *curves = json_object();
    for (size_t i = 0; i < json_array_size(places); i++) {
        const Row *row = row_at(corpus, places, i);
        char *name = row_is_point(row) ? curve_name(row, false) : NULL;
        const json_t *others = name ? json_object_get(curves, name) : NULL;
        if (others && !is_of_part(row, row_at(corpus, others, 0))) {
            free(name);
            name = curve_name(row, true);
        }
        if (name)
            group(corpus->report, curves, name, (size_t)(row - corpus->rows));
        else
            corpus->report->is_short_of_memory |= row_is_point(row);
        free(name);
    }
    return curves;
}

static void add_failures(const Corpus *corpus, json_t *subject, const json_t *places)
{
    for (size_t i = 0; i < json_array_size(places); i++) {
        const Row *row = row_at(corpus, places, i);
        const char *why =
            row_is_usable(row) ? "its bitrate is unknown" : "it failed, or has no score";
        char *name = row_is_point(row) ? NULL : curve_name(row, false), q[HTML_NUMBER_SIZE];
        if (name)
            report_note(corpus->report, subject,
                        report_text("%s, CRF %s: %s", name, report_number(q, quality_of(row), 'g'),
                                    text_or(row->error, why)));
        free(name);
    }
}

/* What a curve needs for the target. */
typedef struct Answer {
    const char *curve;
    const Row *row;
    bool met;
    size_t place; /* among the curves */
} Answer;

static int compare_answers(const void *a, const void *b)
{
    const Answer *x = a, *y = b;
    if (x->met != y->met)
        return x->met ? -1 : 1;
    const double m = row_kbps(x->row), n = row_kbps(y->row);
    if (m != n)
        return m > n ? 1 : -1;
    return x->place > y->place ? 1 : -1;
}

static void add_answer_figures(Report *report, json_t *subject, const Answer *answers, size_t n,
                               double target)
{
    const Answer *best = &answers[0];
    char text[HTML_NUMBER_SIZE], q[HTML_NUMBER_SIZE];
    report_number(text, target, target != rint(target) ? '1' : '0');
    if (!best->met) {
        report_figure(report, subject, report_text("VMAF %s", text), report_text("unmet"), "",
                      report_text("no encode reaches it"));
        return;
    }
    const double kbps = row_kbps(best->row);
    report_figure(
        report, subject, report_text("least for VMAF %s", text), json_real(kbps), "0 kbit/s",
        report_text("%s, CRF %s", best->curve, report_number(q, quality_of(best->row), 'g')));
    if (n > 1 && answers[1].met)
        report_figure(report, subject, report_text("less than the next"),
                      json_real(kbps / row_kbps(answers[1].row) - 1), "%",
                      report_text("%s", answers[1].curve));
}

static void print_answers(const Corpus *corpus, json_t *subject, const Answer *answers, size_t n)
{
    Report *report = corpus->report;
    const double least = answers[0].met ? row_kbps(answers[0].row) : NAN;
    char q[HTML_NUMBER_SIZE];
    add_answer_figures(report, subject, answers, n, corpus->target);
    json_t *rows = report_table(
        report, subject, report_text("The least bitrate that reaches VMAF %g", corpus->target),
        "encoder|status|CRF:g|kbit/s:1|\xce\x94 kbit/s:%|VMAF:2|encode fps:1");
    for (size_t i = 0; i < n; i++) {
        const Answer *answer = &answers[i];
        const double kbps = row_kbps(answer->row), score = answer->row->vmaf_score;
        report_add(report, rows,
                   json_pack("[s, s, o, f, o, f, o]", answer->curve, answer->met ? "ok" : "unmet",
                             json_number_or_null(quality_of(answer->row)), kbps,
                             json_number_or_null(answer->met ? kbps / least - 1 : NAN), score,
                             json_number_or_null(row_encode_fps(answer->row))));
        if (answer->met)
            report_point(report, json_object_get(subject, "chosen"), kbps, score,
                         report_text("%s", report_number(q, quality_of(answer->row), 'g')));
    }
    if (n > 1)
        report_note(report, subject,
                    report_text("The least bitrates are those of encodes whose scores differ; "
                                "deltas at equal quality are BD-rates."));
}

static void add_answers(const Corpus *corpus, json_t *subject, const json_t *curves)
{
    Answer *answers = calloc(json_object_size(curves) + 1, sizeof(*answers));
    const char *name;
    json_t *places;
    size_t n = 0;
    corpus->report->is_short_of_memory |= !answers;
    json_object_foreach((json_t *)curves, name, places)
    {
        if (!answers)
            break;
        answers[n] = (Answer){.curve = name, .place = n};
        answers[n].row = cheapest(corpus, places, &answers[n].met);
        n += answers[n].row != NULL;
    }
    if (n) {
        qsort(answers, n, sizeof(*answers), compare_answers);
        print_answers(corpus, subject, answers, n);
    }
    free(answers);
}

/* To be freed. */
static RateCurve rates_of(const json_t *points)
{
    const size_t n = json_array_size(points);
    RatePoint *rates = calloc(n + 1, sizeof(*rates));
    for (size_t i = 0; rates && i < n; i++)
        json_unpack(json_array_get(points, i), "[F, F]", &rates[i].rate, &rates[i].quality);
    return (RateCurve){rates, rates ? n : 0};
}

/* How the curves differ from the first one, on average. */
static void add_deltas(Report *report, json_t *subject, json_t *curves)
{
    const BdOptions options = {.hull = true, .min_quality = -INFINITY, .max_quality = INFINITY};
    RateCurve first = {0};
    json_t *rows = NULL, *points;
    const char *name;
    json_object_foreach(curves, name, points)
    {
        const RateCurve other = rates_of(points);
        if (!rows) {
            first = other;
            rows = report_table(
                report, subject,
                report_text("Bj\xc3\xb8ntegaard deltas of convex hulls against %s", name),
                "encoder|BD-rate:%|95 % from:%|95 % to:%|BD-quality:2");
            continue;
        }
        double rate = NAN, half_width = NAN, quality = NAN;
        const BdStatus status = bd_rate(&first, &other, &options, &rate);
        bd_rate_uncertainty(&first, &other, &options, &half_width);
        bd_quality(&first, &other, &options, &quality);
        const BdInterval interval = bd_interval(rate, half_width);
        report_add(
            report, rows,
            json_pack("[s, o, o, o, o]", name,
                      status == BD_OK ? json_real(rate) : report_text("%s", bd_status_text(status)),
                      json_number_or_null(interval.low), json_number_or_null(interval.high),
                      json_number_or_null(quality)));
        free((void *)other.points);
    }
    free((void *)first.points);
}

/* Their number. */
static size_t add_curves(const Corpus *corpus, json_t *subject, const json_t *curves)
{
    const char *name;
    json_t *places;
    size_t n = 0;
    json_object_foreach((json_t *)curves, name, places)
    {
        json_t *points = report_curve(corpus->report, subject, name);
        for (size_t i = 0; i < json_array_size(places); i++, n++) {
            const Row *row = row_at(corpus, places, i);
            report_point(corpus->report, points, row_kbps(row), row->vmaf_score,
                         quality_label(row));
        }
    }
    return n;
}

static void add_encodes(const Corpus *corpus, json_t *subject, const json_t *curves)
{
    json_t *rows = report_long_table(corpus->report, subject, report_text("All encodes"),
                                     "encoder|CRF:g|kbit/s:1|VMAF:3|encode fps:1|score fps:1");
    const char *name;
    json_t *places;
    json_object_foreach((json_t *)curves, name, places)
    {
        for (size_t i = 0; i < json_array_size(places); i++) {
            const Row *row = row_at(corpus, places, i);
            report_add(corpus->report, rows,
                       json_pack("[s, o, f, f, o, o]", name, json_number_or_null(quality_of(row)),
                                 row_kbps(row), row->vmaf_score,
                                 json_number_or_null(row_encode_fps(row)),
                                 json_number_or_null(row_score_fps(row))));
        }
    }
}

static json_t *source_kind(const Row *row)
{
    const char *clip = text_or(row->clip_mode, ""), *model = text_or(row->vmaf_model, "");
    char size[64] = "";
    if (!strcmp(clip, "full"))
        clip = "";
    if (row->width != ROW_NO_INTEGER && row->height != ROW_NO_INTEGER)
        snprintf(size, sizeof size, ", %lld\xc3\x97%lld", (long long)row->width,
                 (long long)row->height);
    return report_text("Corpus%s%s%s%s%s", size, *model ? ", " : "", model, *clip ? ", " : "",
                       clip);
}

static json_t *source_title(const Row *row)
{
    const char *path = text_or(row->src, row_source(row)), *name = vmaf_path_name(path);
    return report_text("%s", *path ? text_or(name, path) : "unknown source");
}

static void add_source(const Corpus *corpus, const json_t *places)
{
    Report *report = corpus->report;
    const Row *first = row_at(corpus, places, 0);
    json_t *subject =
        report_subject(report, source_kind(first), source_title(first), corpus->target);
    json_t *curves = split_curves(corpus, places);
    double milliseconds = 0;
    for (size_t i = 0; i < json_array_size(places); i++)
        if (isfinite(row_at(corpus, places, i)->encode_time_ms))
            milliseconds += row_at(corpus, places, i)->encode_time_ms;
    const size_t n = add_curves(corpus, subject, curves);
    if (!isnan(corpus->target))
        add_answers(corpus, subject, curves);
    report_figure(report, subject, report_text("encodes"), json_integer((json_int_t)n), "0",
                  milliseconds > 0 ? report_text("%.0f s of encoding", milliseconds / 1000)
                                   : json_string(""));
    if (json_object_size(curves) > 1) {
        report_find_hull(report, subject);
        add_deltas(report, subject, json_object_get(subject, "curves"));
    }
    add_encodes(corpus, subject, curves);
    add_failures(corpus, subject, places);
    json_decref(curves);
}

void report_add_corpus(Report *report, const Row *rows, size_t n, double target)
{
    const Corpus corpus = {report, rows, target};
    json_t *sources = json_object(), *encoders = json_object(), *places;
    const char *name;
    for (size_t i = 0; i < n; i++) {
        group(report, sources, row_source(&rows[i]), i);
        group(report, encoders, encoder_of(&rows[i]), i);
    }
    if (json_object_size(sources) > 1)
        add_encoders(&corpus, encoders, sources);
    json_object_foreach(sources, name, places) add_source(&corpus, places);
    json_decref(encoders);
    json_decref(sources);
}
