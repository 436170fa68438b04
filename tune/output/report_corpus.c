/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * What the rows of a corpus say, as subjects of a report. A row becomes an object {source, src,
 * title, kind, encoder, preset, curve, part, crf, kbps, score, encode_seconds, encode_fps,
 * score_fps, error}, whose error is null if it has a bitrate and a score. Groups are {NAME: [encode
 * ...]}.
 */
#include "tune/output/report_internal.h"

#include "common/json.h"
#include "common/messages.h"
#include "platform/path.h"
#include "tune/output/corpus_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *text_or(const char *text, const char *otherwise)
{
    return text && *text ? text : otherwise;
}

/* -- rows -- */

static json_t *curve_name(const Row *row)
{
    const char *rate_control = text_or(json_text_of(row->json, "rate_control"), "crf"),
               *preset = text_or(row->preset, "");
    const json_t *params = json_object_get(row->json, "extra_params");
    TextBuffer text;
    FILE *out = text_begin(&text);
    if (!out)
        return NULL;
    fprintf(out, "%s%s%s", text_or(row->encoder, "unknown encoder"), *preset ? " " : "", preset);
    if (strcmp(rate_control, "crf") != 0)
        fprintf(out, ", %s", rate_control);
    for (size_t i = 0; i < json_array_size(params); i++)
        fprintf(out, " %s", json_string_value(json_array_get(params, i)));
    char *name = text_end(&text, 0);
    json_t *json = report_text("%s", text_or(name, ""));
    free(name);
    return json;
}

static json_t *encode_of(const Row *row)
{
    const char *encoder = text_or(row->encoder, "unknown encoder"), *source = row_source(row);
    const char *path = text_or(row->src, source), *file = vmaf_path_name(path);
    const char *clip = text_or(json_text_of(row->json, "clip_mode"), "full");
    const char *model = text_or(json_text_of(row->json, "vmaf_model"), "");
    const json_t *width = json_object_get(row->json, "width"),
                 *height = json_object_get(row->json, "height");
    const char *why = row_is_usable(row) ? "its bitrate is unknown" : "it failed, or has no score";
    char size[64] = "";
    if (json_is_integer(width) && json_is_integer(height))
        snprintf(size, sizeof size, ", %lld\xc3\x97%lld", json_integer_value(width),
                 json_integer_value(height));
    clip = strcmp(clip, "full") != 0 ? clip : "";
    return json_object_of(
        "source:t src:o title:o kind:o encoder:t preset:t curve:o part:o crf:n kbps:n score:n "
        "encode_seconds:n encode_fps:n score_fps:n error:o",
        source, report_text("%s", vmaf_path_name(text_or(row->src, ""))),
        report_text("%s", *path ? text_or(file, path) : "unknown source"),
        report_text("Corpus%s%s%s%s%s", size, *model ? ", " : "", model, *clip ? ", " : "", clip),
        encoder, text_or(row->preset, ""), curve_name(row), report_text("%s %s", size, clip),
        row->crf >= 0 ? row->crf : NAN, row_kbps(row), row->vmaf_score,
        json_number_of(row->json, "encode_time_ms") / 1000, row_encode_fps(row), row_score_fps(row),
        row_is_point(row) ? json_null()
                          : report_text("%s", text_or(json_text_of(row->json, "error"), why)));
}

static bool is_point(const json_t *encode)
{
    return json_is_null(json_object_get(encode, "error"));
}

static json_t *grouped(Report *report, const json_t *encodes, const char *key)
{
    json_t *groups = json_object(), *encode, *group;
    size_t i;
    json_array_foreach(encodes, i, encode)
    {
        const char *name = json_text_of(encode, key);
        group = json_object_get(groups, name);
        if (!group) {
            group = json_array();
            report->is_short_of_memory |= json_object_set_new(groups, name, group) != 0;
        }
        report_add(report, group, json_incref(encode));
    }
    return groups;
}

/* The one that reaches the target at the lowest bitrate; else the best one, and not *met. NULL
 * without memory, or encodes. */
static json_t *cheapest(Report *report, const json_t *encodes, double target, bool *met)
{
    const size_t n = json_array_size(encodes);
    const QualityRange qualities =
        quality_range_of_encoder(json_text_of(json_array_get(encodes, 0), "encoder"));
    EncodePoint *points = calloc(n + 1, sizeof(*points));
    report->is_short_of_memory |= !points;
    size_t n_points = 0;
    for (size_t i = 0; points && i < n; i++) {
        const json_t *encode = json_array_get(encodes, i);
        if (is_point(encode))
            points[n_points++] = (EncodePoint){.q = json_number_of(encode, "crf"),
                                               .kbps = json_number_of(encode, "kbps"),
                                               .score = json_number_of(encode, "score"),
                                               .source = i};
    }
    const Choice choice = choose_cheapest(&qualities, points, n_points, target);
    json_t *encode =
        choice.status == CHOICE_NONE ? NULL : json_array_get(encodes, points[choice.index].source);
    *met = choice.status == CHOICE_MET;
    free(points);
    return encode;
}

/* Keeps the list in order of two numbers, "rank", then of names. */
static void insert(Report *report, json_t *list, json_t *object)
{
    double rank[2] = {0}, other[2] = {0};
    size_t i = 0;
    json_numbers_of(json_object_get(object, "rank"), 2, rank);
    for (; object && i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        json_numbers_of(json_object_get(one, "rank"), 2, other);
        const double more = other[0] != rank[0] ? other[0] - rank[0] : other[1] - rank[1];
        if (more > 0 ||
            (more == 0 && strcmp(json_text_of(one, "name"), json_text_of(object, "name")) > 0))
            break;
    }
    report->is_short_of_memory |= json_array_insert_new(list, i, object) != 0;
}

/* -- encoders over all sources -- */

/* An encoder, whatever its preset: the cheapest encode of each source where it reaches the target,
 * {SOURCE: encode}. */
static json_t *entry_of(Report *report, const char *encoder, const json_t *encodes, double target)
{
    json_t *sources = grouped(report, encodes, "source"), *found = json_object(), *list;
    const char *source;
    double log_kbps = 0;
    bool met;
    json_object_foreach(sources, source, list)
    {
        json_t *encode = cheapest(report, list, target, &met);
        if (!met)
            continue;
        json_object_set(found, source, encode);
        log_kbps += log(json_number_of(encode, "kbps"));
    }
    json_decref(sources);
    return json_object_of("name:t rank:o cheapest:o", encoder,
                          json_pack("[f, f]", -(double)json_object_size(found), log_kbps), found);
}

static void add_entry(Report *report, json_t *list, const json_t *entry, const json_t *first,
                      const json_t *sources)
{
    const json_t *mine = json_object_get(entry, "cheapest");
    json_t *all = json_object(), *group;
    double sum = 0;
    size_t n = 0;
    const char *source;
    report_add(report, list, all);
    json_object_foreach((json_t *)sources, source, group)
    {
        json_t *encode = json_object_get(mine, source);
        const json_t *other = json_object_get(json_object_get(first, "cheapest"), source);
        const double ratio = json_number_of(encode, "kbps") / json_number_of(other, "kbps");
        if (!encode)
            continue;
        json_put_number(encode, "delta", ratio - 1);
        report_add(report, list, json_incref(encode));
        sum += isnan(ratio) ? 0 : log(ratio);
        n += !isnan(ratio);
    }
    json_put_all(
        all, "encoder:t src:o delta:n", json_text_of(entry, "name"),
        report_text("%zu of %zu reached", json_object_size(mine), json_object_size(sources)),
        n ? expm1(sum / (double)n) : NAN);
}

static void add_encoders(Report *report, const json_t *encodes, const json_t *sources,
                         double target)
{
    json_t *encoders = grouped(report, encodes, "encoder"), *entries = json_array();
    json_t *list = json_array(), *one;
    json_t *subject = report_subject(report, json_string("Corpus"),
                                     report_text("%zu sources", json_object_size(sources)), NAN);
    const char *name;
    size_t i;
    json_object_foreach(encoders, name, one)
        insert(report, entries, entry_of(report, name, one, target));
    json_array_foreach(entries, i, one)
        add_entry(report, list, one, json_array_get(entries, 0), sources);
    report_table(report, subject,
                 "encoder:t|source=src|preset|CRF:g=crf|kbit/s:1=kbps|\xce\x94 kbit/s:%=delta|"
                 "VMAF:2=score|encode fps:1=encode_fps",
                 list, false, "The cheapest row of each encoder that reaches VMAF %g", target);
    report_note(report, subject,
                "\xce\x94 kbit/s is relative to %s; over sources, the geometric mean of those that "
                "both reach.",
                json_text_of(json_array_get(entries, 0), "name"));
    json_decref(encoders);
    json_decref(entries);
    json_decref(list);
}

/* -- a source -- */

/* What curves need for the target. */
static void add_answers(Report *report, json_t *subject, json_t *curves, double target)
{
    json_t *answers = json_array(), *one;
    char goal[HTML_NUMBER_SIZE], title[2 * HTML_NUMBER_SIZE], q[HTML_NUMBER_SIZE];
    const char *name;
    size_t n_met = 0, i;
    json_object_foreach(curves, name, one)
    {
        bool met;
        json_t *answer = json_copy(cheapest(report, one, target, &met));
        json_put_all(answer, "name:t rank:o status:t", name,
                     json_pack("[i, f]", !met, json_number_of(answer, "kbps")),
                     met ? "ok" : "unmet");
        insert(report, answers, answer);
        n_met += met;
    }
    const json_t *best = json_array_get(answers, 0);
    for (i = 0; i < n_met; i++) {
        one = json_array_get(answers, i);
        json_put_number(one, "delta",
                        json_number_of(one, "kbps") / json_number_of(best, "kbps") - 1);
        report_point(report, json_object_get(subject, "chosen"), json_number_of(one, "kbps"),
                     json_number_of(one, "score"), "%g", json_number_of(one, "crf"));
    }
    report_format(goal, target, target != rint(target) ? "1" : "0");
    snprintf(title, sizeof title, "%sVMAF %s", n_met ? "least for " : "", goal);
    if (n_met)
        report_number(report, subject, title, json_number_of(best, "kbps"), "0 kbit/s",
                      "%s, CRF %s", json_text_of(best, "name"),
                      report_format(q, json_number_of(best, "crf"), "g"));
    else if (best)
        report_number(report, subject, title, NAN, "|unmet", "no encode reaches it");
    one = json_array_get(answers, 1);
    if (n_met > 1)
        report_number(report, subject, "less than the next",
                      json_number_of(best, "kbps") / json_number_of(one, "kbps") - 1, "%", "%s",
                      json_text_of(one, "name"));
    report_table(
        report, subject,
        "encoder:t=name|status|CRF:g=crf|kbit/s:1=kbps|\xce\x94 kbit/s:%=delta|VMAF:2=score|"
        "encode fps:1=encode_fps",
        answers, false, "The least bitrate that reaches VMAF %g", target);
    if (one)
        report_note(report, subject,
                    "The least bitrates are those of encodes whose scores differ; deltas at equal "
                    "quality are BD-rates.");
    json_decref(answers);
}

/* How the curves differ from the first one, on average. */
static void add_deltas(Report *report, json_t *subject)
{
    const BdOptions options = {.hull = true, .min_quality = -INFINITY, .max_quality = INFINITY};
    RateCurve first = {0};
    json_t *list = json_array(), *points, *baseline = NULL;
    const char *name;
    json_object_foreach(json_object_get(subject, "curves"), name, points)
    {
        const RateCurve other = report_rates(points);
        if (!baseline) {
            first = other;
            baseline = json_string(name);
            continue;
        }
        double rate = NAN, half_width = NAN, quality = NAN;
        const BdStatus status = bd_rate(&first, &other, &options, &rate);
        bd_rate_uncertainty(&first, &other, &options, &half_width);
        bd_quality(&first, &other, &options, &quality);
        const BdInterval interval = bd_interval(rate, half_width);
        report_add(
            report, list,
            json_object_of("encoder:t BD-rate:o 95 % from:n 95 % to:n BD-quality:n", name,
                           status == BD_OK ? json_real(rate) : json_string(bd_status_text(status)),
                           interval.low, interval.high, quality));
        free((void *)other.points);
    }
    report_table(report, subject, "encoder:t|BD-rate:%|95 % from:%|95 % to:%|BD-quality:2", list,
                 false, "Bj\xc3\xb8ntegaard deltas of convex hulls against %s",
                 json_string_value(baseline));
    free((void *)first.points);
    json_decref(baseline);
    json_decref(list);
}

/* Puts the encodes into curves. Where two of them differ by size, or by the part of the video, the
 * second one's name has that, too. Points, in the order of curves. */
static json_t *add_curves(Report *report, json_t *subject, const json_t *encodes)
{
    json_t *parts = json_object(), *points = json_array(), *encode, *curves, *curve;
    const char *name;
    size_t i;
    json_array_foreach(encodes, i, encode)
    {
        const char *part = json_text_of(encode, "part");
        if (!is_point(encode))
            continue;
        name = json_text_of(encode, "curve");
        if (!json_object_get(parts, name))
            json_object_set(parts, name, json_object_get(encode, "part"));
        else if (strcmp(json_text_of(parts, name), part) != 0)
            json_object_set_new(encode, "curve", report_text("%s, %s", name, part));
        report_add(report, points, json_incref(encode));
    }
    curves = grouped(report, points, "curve");
    json_object_foreach(curves, name, curve)
    {
        json_array_foreach(curve, i, encode) report_point(
            report, report_curve(report, subject, name), json_number_of(encode, "kbps"),
            json_number_of(encode, "score"), "CRF %g", json_number_of(encode, "crf"));
    }
    json_decref(parts);
    json_decref(points);
    return curves;
}

static void add_source(Report *report, const json_t *encodes, double target)
{
    const json_t *first = json_array_get(encodes, 0);
    json_t *subject = report_subject(report, json_incref(json_object_get(first, "kind")),
                                     json_incref(json_object_get(first, "title")), target);
    json_t *curves = add_curves(report, subject, encodes), *all = json_array(), *curve, *encode;
    const char *name;
    double seconds = 0;
    char time[64] = "", q[HTML_NUMBER_SIZE];
    size_t i;
    json_object_foreach(curves, name, curve) json_array_extend(all, curve);
    json_array_foreach(encodes, i, encode) seconds +=
        fmax(0, json_number_of(encode, "encode_seconds"));
    if (!isnan(target))
        add_answers(report, subject, curves, target);
    if (seconds > 0)
        snprintf(time, sizeof time, "%.0f s of encoding", seconds);
    report_number(report, subject, "encodes", (double)json_array_size(all), "0", "%s", time);
    if (json_object_size(curves) > 1) {
        report_find_hull(report, subject);
        add_deltas(report, subject);
    }
    report_table(report, subject,
                 "encoder:t=curve|CRF:g=crf|kbit/s:1=kbps|VMAF:3=score|encode fps:1=encode_fps|"
                 "score fps:1=score_fps",
                 all, true, "All encodes");
    json_array_foreach(encodes, i, encode) if (!is_point(encode)) report_note(
        report, subject, "%s, CRF %s: %s", json_text_of(encode, "curve"),
        report_format(q, json_number_of(encode, "crf"), "g"), json_text_of(encode, "error"));
    json_decref(all);
    json_decref(curves);
}

void report_add_corpus(Report *report, const Row *rows, size_t n, double target)
{
    json_t *encodes = json_array(), *sources, *group;
    const char *name;
    for (size_t i = 0; i < n; i++)
        report_add(report, encodes, encode_of(&rows[i]));
    sources = grouped(report, encodes, "source");
    if (json_object_size(sources) > 1)
        add_encoders(report, encodes, sources, target);
    json_object_foreach(sources, name, group) add_source(report, group, target);
    json_decref(sources);
    json_decref(encodes);
}
