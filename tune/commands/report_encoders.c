/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Encoders over all sources of a corpus: the cheapest row of each that reaches the target. */
#include "tune/commands/report_internal.h"

#include "platform/path.h"
#include "tune/session/corpus_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An encoder, whatever its preset. */
typedef struct Entry {
    const char *encoder;
    const Row **cheapest; /* of each source; NULL: none reaches the target */
    size_t n_reached;
    double log_kbps; /* sum over those */
} Entry;

typedef struct Entries {
    Entry *entry;
    size_t n;
    const char **sources;
    size_t n_sources;
    EncodePoint *points; /* room for all rows */
} Entries;

static void entries_free(Entries *entries)
{
    for (size_t e = 0; e < entries->n; e++)
        free(entries->entry[e].cheapest);
    free(entries->entry);
    free(entries->sources);
    free(entries->points);
}

static const char *encoder_of(const Row *row)
{
    return row->encoder && *row->encoder ? row->encoder : "unknown encoder";
}

/* Names of encoders and sources. False without memory. */
static bool find_names(Entries *entries, const Row *rows, size_t n)
{
    *entries = (Entries){.entry = calloc(n, sizeof(*entries->entry)),
                         .sources = calloc(n, sizeof(*entries->sources)),
                         .points = calloc(n, sizeof(*entries->points))};
    if (!entries->entry || !entries->sources || !entries->points)
        return false;
    for (size_t i = 0; i < n; i++) {
        const char *encoder = encoder_of(&rows[i]), *source = row_source(&rows[i]);
        size_t e = 0, s = 0;
        while (e < entries->n && strcmp(entries->entry[e].encoder, encoder) != 0)
            e++;
        while (s < entries->n_sources && strcmp(entries->sources[s], source) != 0)
            s++;
        entries->entry[e].encoder = encoder;
        entries->sources[s] = source;
        entries->n += e == entries->n;
        entries->n_sources += s == entries->n_sources;
    }
    for (size_t e = 0; e < entries->n; e++) {
        entries->entry[e].cheapest =
            calloc(entries->n_sources, sizeof(*entries->entry[e].cheapest));
        if (!entries->entry[e].cheapest)
            return false;
    }
    return true;
}

static void find_cheapest(Entries *entries, Entry *entry, const Row *rows, size_t n, double target)
{
    const QualityRange qualities = quality_range_of_encoder(entry->encoder);
    for (size_t s = 0; s < entries->n_sources; s++) {
        size_t n_points = 0;
        for (size_t i = 0; i < n; i++)
            if (row_is_point(&rows[i]) && !strcmp(encoder_of(&rows[i]), entry->encoder) &&
                !strcmp(row_source(&rows[i]), entries->sources[s]))
                entries->points[n_points++] = point_of_row(&rows[i], i);
        const Choice choice = choose_cheapest(&qualities, entries->points, n_points, target);
        if (choice.status != CHOICE_MET)
            continue;
        entry->cheapest[s] = &rows[entries->points[choice.index].source];
        entry->log_kbps += log(row_kbps(entry->cheapest[s]));
        entry->n_reached++;
    }
}

static int by_cost(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    if (x->n_reached != y->n_reached)
        return x->n_reached > y->n_reached ? -1 : 1;
    if (x->log_kbps != y->log_kbps)
        return x->log_kbps > y->log_kbps ? 1 : -1;
    return strcmp(x->encoder, y->encoder);
}

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

static void add_entry(Report *report, ReportTable *table, const Entries *entries, size_t e)
{
    const Entry *entry = &entries->entry[e], *first = &entries->entry[0];
    ReportRow *row = report_add_row(report, table);
    if (!row)
        return;
    row->cells[0] = report_text(report, "%s", entry->encoder);
    row->cells[1] = report_text(report, "%zu of %zu reached", entry->n_reached, entries->n_sources);
    row->cells[5] = report_percent(report, delta_between(entry, first, entries->n_sources));
    for (size_t s = 0; s < entries->n_sources; s++) {
        const Row *found = entry->cheapest[s], *other = first->cheapest[s];
        row = found ? report_add_row(report, table) : NULL;
        if (!row)
            continue;
        const double kbps = row_kbps(found);
        row->cells[0] = report_text(report, "%s", entry->encoder);
        row->cells[1] = report_text(report, "%s", vmaf_path_name(found->src ? found->src : ""));
        row->cells[2] = report_text(report, "%s", found->preset ? found->preset : "");
        row->cells[3] = report_quality(report, found->crf);
        row->cells[4] = report_number(report, kbps, 1);
        row->cells[5] = report_percent(report, other ? kbps / row_kbps(other) - 1 : NAN);
        row->cells[6] = report_number(report, found->vmaf_score, 2);
        row->cells[7] = report_number(report, row_encode_fps(found), 1);
    }
}

static void add_table(Report *report, const Entries *entries, double target)
{
    static const char *const columns[] = {"encoder", "source",          "preset", "CRF",
                                          "kbit/s",  "\xce\x94 kbit/s", "VMAF",   "encode fps"};
    ReportSubject *subject = report_add_subject(report);
    if (!subject)
        return;
    subject->kind = "Corpus";
    subject->title = report_text(report, "%zu sources", entries->n_sources);
    ReportTable *table = report_add_table(
        report, subject,
        report_text(report, "The cheapest row of each encoder that reaches VMAF %g", target),
        columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t e = 0; table && e < entries->n; e++)
        add_entry(report, table, entries, e);
    report_add_note(report, subject,
                    report_text(report,
                                "\xce\x94 kbit/s is relative to %s; over sources, the geometric "
                                "mean of those that both reach.",
                                entries->entry[0].encoder));
}

void report_add_encoders(Report *report, const Row *rows, size_t n, double target)
{
    Entries entries;
    const bool is_whole = find_names(&entries, rows, n);
    if (is_whole && entries.n_sources > 1) {
        for (size_t e = 0; e < entries.n; e++)
            find_cheapest(&entries, &entries.entry[e], rows, n, target);
        qsort(entries.entry, entries.n, sizeof(*entries.entry), by_cost);
        add_table(report, &entries, target);
    }
    report->is_short_of_memory |= !is_whole;
    entries_free(&entries);
}
