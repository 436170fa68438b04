/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What results of subcommands say, as subjects of a report. */
#include "tune/output/report_internal.h"

#include "common/json.h"
#include "platform/path.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* What programs call the quality, bitrate and score of an encode. */
#define QUALITY "q,crf,quality,best_crf,recommended_crf"
#define KBPS    "bitrate_kbps,kbps,verify_kbps"
#define SCORE   "score,vmaf,vmaf_score,measured_vmaf,verify_vmaf"
#define TARGET  "target,target_vmaf"

enum { HEADS_SIZE = 320 };

static const char *text_or(const json_t *json, const char *key, const char *otherwise)
{
    const char *text = json_text_of(json, key);
    return text && *text ? text : otherwise;
}

/* NAN: none. */
static double quality_of(const json_t *json)
{
    const double q = report_at(json, QUALITY);
    return q >= 0 ? q : NAN;
}

/* An encode as a point, whose label is of its quality. */
static void add_encode(Report *report, json_t *points, const json_t *encode, const char *label)
{
    report_point(report, points, report_at(encode, KBPS), report_at(encode, SCORE), label,
                 quality_of(encode));
}

static void add_samples(Report *report, json_t *points, const json_t *samples)
{
    size_t i;
    json_t *sample;
    json_array_foreach(samples, i, sample) add_encode(report, points, sample, "CRF %g");
}

/* "Search, libx264 medium", of that source. `target` stands in for one that it has not. */
static json_t *add_subject(Report *report, const char *kind, const json_t *request,
                           const char *source, double target)
{
    const char *encoder = text_or(request, "encoder", text_or(request, "codec", ""));
    const char *preset = text_or(request, "preset", ""), *name = vmaf_path_name(source);
    const double own = json_number_of(request, "target_vmaf");
    return report_subject(report,
                          report_text("%c%s%s%s%s%s", toupper((unsigned char)*kind), kind + 1,
                                      *encoder ? ", " : "", encoder, *preset ? " " : "", preset),
                          report_text("%s", *name ? name : source), isnan(own) ? target : own);
}

/* By which score its encodes were chosen. */
static void name_metric(json_t *subject, const char *metric)
{
    if (strcmp(metric, "vmaf.mean") != 0)
        json_object_set_new(subject, "metric", report_text("%s", metric));
}

/* -- bisect and fast -- */

static void add_bisection(Report *report, const json_t *json, double target)
{
    const json_t *samples = json_object_get(json, "samples");
    const char *codec = text_or(json, "codec", text_or(json, "encoder", "unknown encoder"));
    const double q = quality_of(json);
    json_t *subject = add_subject(report, "Search", json, text_or(json, "src", codec), target);
    const double wanted = json_number_of(subject, "target");
    char goal[48] = "";
    add_samples(report, report_curve(report, subject, codec), samples);
    if (json_object_get(json, "verifications"))
        add_samples(report, report_curve(report, subject, "the whole video"),
                    json_object_get(json, "verifications"));
    if (!isnan(wanted))
        snprintf(goal, sizeof goal, "for VMAF %g", wanted);
    report_number(report, subject, "CRF", q, "g|none", "%s", goal);
    if (!isnan(q)) {
        report_number(report, subject, "VMAF", report_at(json, SCORE), "2", "measured");
        report_number(report, subject, "bitrate", report_at(json, KBPS), "0 kbit/s", "%s", "");
        add_encode(report, json_object_get(subject, "chosen"), json, "CRF %g");
    }
    report_number(report, subject, "probes", report_at(json, "n_iterations,n_trials"), "0", "%s",
                  json_is_false(json_object_get(json, "converged")) ? "not converged" : "");
    report_table(report, subject,
                 "probe:t=#1|CRF:g=" QUALITY "|kbit/s:1=" KBPS "|VMAF:3=" SCORE
                 "|seconds:2k=ms,encode_time_ms",
                 samples, false, "Probes, in the order of the search");
    report_note(report, subject, "%s", text_or(json, "error", text_or(json, "notes", "")));
}

/* -- encode, search and sample -- */

/* A condition on the scores of an encode, or the mean of VMAF without one. */
typedef struct Condition {
    char name[96];  /* "vmaf.p1" */
    char path[112]; /* "scores/vmaf/p1" */
    double target;  /* NAN: none */
} Condition;

/* "vmaf.p1>=80"; names of metrics may have points. */
static Condition condition_of(const json_t *conditions, size_t i)
{
    const char *words = json_string_value(json_array_get(conditions, i));
    Condition condition = {.target = NAN};
    sscanf(words ? words : "vmaf.mean", "%95[^<>]%*[<>=]%lf", condition.name, &condition.target);
    snprintf(condition.path, sizeof condition.path, "scores/%s", condition.name);
    char *point = strrchr(condition.path, '.');
    if (point)
        *point = '/';
    return condition;
}

static void add_measurements(Report *report, json_t *subject, const json_t *measurements,
                             const json_t *conditions)
{
    char heads[4096];
    size_t i = 0;
    int length = snprintf(heads, sizeof heads,
                          "of:t|quality:g|kbps:3|percent:3|vmaf_p1:3=scores/vmaf/p1|"
                          "encode_seconds:3|score_seconds:3|cached");
    do {
        const Condition condition = condition_of(conditions, i);
        length += snprintf(heads + length, sizeof heads - (size_t)length, "|%s:3=%s",
                           condition.name, condition.path);
    } while (++i < json_array_size(conditions) && length < (int)sizeof heads / 2);
    snprintf(heads + length, sizeof heads - (size_t)length, "|error|answer|source|encoder|preset");
    report_table(report, subject, heads, measurements, false, "Measurements");
}

/* What shots are encoded with, and how good they are: of search, and of shots. */
static void add_shots(Report *report, json_t *subject, const json_t *shots)
{
    report_table(report, subject,
                 "shot:t=#0|first frame:0=first_frame,start_frame|frames:0|CRF:g=crf|kbit/s:1=" KBPS
                 "|VMAF:3=measured_vmaf,mean_vmaf|reached=reachable,status",
                 shots, false, "Shots");
}

static void add_answer(Report *report, json_t *subject, const json_t *answer,
                       const json_t *conditions, const Condition *first)
{
    const double q = quality_of(answer), score = report_at(answer, first->path);
    const double kbps = report_at(answer, KBPS);
    const char *of = text_or(answer, "of", "");
    char wanted[256] = "";
    json_t *condition;
    size_t i;
    json_array_foreach(conditions, i, condition)
        snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s%.80s",
                 i ? ", " : "for ", json_is_string(condition) ? json_string_value(condition) : "");
    report_number(report, subject, "quality", q, "g|none", "%s", wanted);
    if (isnan(q))
        return;
    report_number(report, subject, json_text_of(subject, "metric"), score, "2", "of the %s", of);
    report_number(report, subject, "VMAF, 1 %", report_at(answer, "scores/vmaf/p1"), "1",
                  "of the %s", of);
    report_number(report, subject, "size", json_number_of(answer, "percent"), "1 %",
                  "of the source's video");
    report_number(report, subject, "bitrate", kbps, "0 kbit/s", "%s", "");
    report_point(report, json_object_get(subject, "chosen"), kbps, score, "CRF %g", q);
}

/* Rows of the table say what they were made of, and whether they are the answer, since they may be
 * all that somebody sees. */
static void add_search(Report *report, const json_t *json)
{
    const json_t *request = json_object_get(json, "request");
    const json_t *answer = json_object_get(json, "answer");
    const json_t *conditions = json_object_get(request, "conditions");
    const char *source = text_or(json_object_get(json, "source"), "src", "unknown source");
    const char *encoder = text_or(request, "encoder", "unknown encoder");
    const bool is_reached = json_is_true(json_object_get(answer, "reached"));
    const Condition first = condition_of(conditions, 0);
    size_t i;
    json_t *one, *list = json_array();
    json_t *subject =
        add_subject(report, text_or(request, "command", "search"), request, source, first.target);
    name_metric(subject, first.name);
    json_array_foreach(json_object_get(json, "measurements"), i, one)
    {
        json_t *row = json_copy(one);
        const char *of = text_or(one, "of", "");
        const bool is_answer =
            !strcmp(of, text_or(answer, "of", "")) && quality_of(one) == quality_of(answer);
        char name[128];
        snprintf(name, sizeof name, "%.80s%s", encoder, strcmp(of, "film") ? ", samples" : "");
        report_point(report, report_curve(report, subject, name), report_at(one, KBPS),
                     report_at(one, first.path), "CRF %g", quality_of(one));
        json_put_all(row, "source:t encoder:t preset:t answer:t", source,
                     json_text_of(request, "encoder"), json_text_of(request, "preset"),
                     !is_reached ? "none reaches the goal"
                     : is_answer ? "yes"
                                 : "no");
        report_add(report, list, row);
    }
    add_answer(report, subject, answer, conditions, &first);
    report_number(report, subject, "encodes", (double)json_array_size(list), "0", "%.0f s",
                  json_number_of(answer, "seconds"));
    add_measurements(report, subject, list, conditions);
    json_decref(list);
    add_shots(report, subject, json_object_get(json, "shots"));
    report_note(report, subject, "%s", text_or(answer, "error", ""));
    const char *command = text_or(answer, "commands", "");
    for (size_t length; *command; command += length + (command[length] != '\0')) {
        length = strcspn(command, "\n");
        report_note(report, subject, "To encode it: %.*s", (int)length, command);
    }
}

/* -- shots -- */

static void add_plan(Report *report, const json_t *json, double target)
{
    const json_t *totals = json_object_get(json, "totals");
    const json_t *both = json_object_get(json, "comparison");
    json_t *subject =
        add_subject(report, "Shots", json, text_or(json, "src", "unknown source"), target);
    report_number(report, subject, "shots", json_number_of(totals, "shots"), "0", "%.0f frames",
                  json_number_of(totals, "frames"));
    report_number(report, subject, "expected", json_number_of(totals, "expected_kbps"), "0 kbit/s",
                  "VMAF %.2f", json_number_of(totals, "expected_vmaf"));
    for (int i = 0; i < 2; i++) {
        const json_t *made = json_object_get(both, i ? "single" : "per_shot");
        if (json_is_object(made))
            report_number(report, subject, i ? "one quality" : "a quality a shot",
                          report_at(made, KBPS), "0 kbit/s", "VMAF %.2f, 1 %% %.2f",
                          report_at(made, SCORE), json_number_of(made, "vmaf_p1"));
    }
    if (*text_or(both, "kept", ""))
        report_note(report, subject, "Kept: %s",
                    strcmp(json_text_of(both, "kept"), "single") ? "a quality for each shot"
                                                                 : "one quality for all");
    add_shots(report, subject, json_object_get(json, "shots"));
}

/* -- comparisons -- */

const json_t *compared_delta(const json_t *document, const char *codec)
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

static json_t *delta_text(const json_t *delta)
{
    char rate[HTML_NUMBER_SIZE], low[HTML_NUMBER_SIZE], high[HTML_NUMBER_SIZE];
    const char *text = report_format(rate, json_number_of(delta, "bd_rate"), "%");
    if (isnan(json_number_of(delta, "bd_rate_low")))
        return report_text("%s", text);
    return report_text("%s (%s to %s)", text,
                       report_format(low, json_number_of(delta, "bd_rate_low"), "%"),
                       report_format(high, json_number_of(delta, "bd_rate_high"), "%"));
}

static void add_compared(Report *report, json_t *subject, json_t *list, const json_t *document,
                         const json_t *json)
{
    const char *codec = text_or(json, "codec", "unknown encoder");
    const bool ok = json_is_true(json_object_get(json, "ok"));
    json_t *points = report_curve(report, subject, codec), *row = json_copy((json_t *)json);
    json_put_all(
        row, "codec:t BD-rate:o status:o", codec, delta_text(compared_delta(document, codec)),
        ok ? json_string("ok") : report_text("fail: %s", text_or(json, "error", "unknown")));
    if (isnan(report_at(row, TARGET)))
        json_object_set(row, "target", json_object_get(subject, "target"));
    report_add(report, list, row);
    add_samples(report, points, json_object_get(json, "samples"));
    if (!ok)
        return;
    if (!json_array_size(json_object_get(json, "samples")))
        add_encode(report, points, json, "CRF %g");
    add_encode(report, json_object_get(subject, "chosen"), json, "%g");
}

static void add_smallest(Report *report, json_t *subject, const json_t *rows)
{
    const double wanted = json_number_of(subject, "target");
    const json_t *best = NULL;
    size_t n_ok = 0, i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        const double target = report_at(row, TARGET);
        if (!json_is_true(json_object_get(row, "ok")))
            continue;
        n_ok++;
        if (target != wanted && !isnan(target))
            continue; /* of several, the first */
        if (!best || report_at(row, KBPS) < report_at(best, KBPS))
            best = row;
    }
    if (best)
        report_number(report, subject, "smallest", report_at(best, KBPS), "0 kbit/s",
                      "%s, CRF %g, %s %.2f", text_or(best, "codec", ""), quality_of(best),
                      json_text_of(subject, "metric"), report_at(best, SCORE));
    report_number(report, subject, "reached", (double)n_ok, "0", "of %zu", json_array_size(rows));
}

static void add_comparison(Report *report, const json_t *json, double target)
{
    const json_t *rows = json_object_get(json, "rows");
    const char *source = text_or(json, "src", "unknown source");
    const json_t *first = json_array_get(json_object_get(json, "targets"), 0);
    const double own =
        json_is_number(first) ? json_number_value(first) : json_number_of(json, "target_vmaf");
    char heads[HEADS_SIZE];
    size_t i;
    json_t *row, *list = json_array();
    json_t *subject =
        add_subject(report, "Comparison of encoders", NULL, source, isnan(own) ? target : own);
    name_metric(subject, text_or(json, "metric", "vmaf.mean"));
    if (json_object_get(json, "bd_rates"))
        report_note(report, subject,
                    "BD-rates are bitrates at equal scores on average, relative to %s; in "
                    "parentheses, where they are with 95 %% confidence.",
                    text_or(json, "baseline", "another"));
    json_array_foreach(rows, i, row) add_compared(report, subject, list, json, row);
    snprintf(heads, sizeof heads,
             "codec:t|encoder=encoder_version|target:1=" TARGET "|CRF:g=best_crf|kbit/s:1=" KBPS
             "|%% of source:1=percent_of_source|frames/s:1=speed_fps|%.64s:2=" SCORE
             "|BD-rate|status",
             json_text_of(subject, "metric"));
    report_table(report, subject, heads, list, false, "What each encoder needs");
    json_decref(list);
    add_smallest(report, subject, rows);
}

/* -- ladders -- */

static void size_of(const json_t *json, char name[HTML_NUMBER_SIZE])
{
    const double width = json_number_of(json, "width"), height = json_number_of(json, "height");
    if (isnan(width + height))
        strcpy(name, "unknown size");
    else
        snprintf(name, HTML_NUMBER_SIZE, "%.0f\xc3\x97%.0f", width, height);
}

static void add_ladder(Report *report, const json_t *json)
{
    const json_t *renditions = json_object_get(json, "renditions");
    const json_t *hull = json_object_get(json, "hull");
    const size_t n = json_array_size(renditions);
    char size[HTML_NUMBER_SIZE], heads[HEADS_SIZE];
    size_t i;
    json_t *one, *list = json_array();
    json_t *subject = add_subject(report, "Ladder", json,
                                  text_or(json, "source", text_or(json, "src", "ladder")), NAN);
    name_metric(subject, text_or(json, "metric", "vmaf.mean"));
    json_array_foreach(json_object_get(json, "samples"), i, one)
    {
        size_of(one, size);
        add_encode(report, report_curve(report, subject, size), one, "CRF %g");
    }
    add_samples(report, json_object_get(subject, "hull"), hull);
    if (!hull)
        report_find_hull(report, subject);
    json_array_foreach(renditions, i, one)
    {
        json_t *rung = json_copy(one);
        size_of(one, size);
        report_curve(report, subject, size);
        json_object_set_new(rung, "size", json_string(size));
        report_add(report, list, rung);
        report_point(report, json_object_get(subject, "chosen"), report_at(one, KBPS),
                     report_at(one, SCORE), "%.0fp", json_number_of(one, "height"));
    }
    snprintf(heads, sizeof heads,
             "rung:t=size|kbit/s:0=" KBPS "|peak kbit/s:0k=peak_bandwidth_bps|%.64s:2=" SCORE
             "|CRF:g=crf|codecs",
             json_text_of(subject, "metric"));
    report_table(report, subject, heads, list, false, "Rungs");
    json_decref(list);
    report_number(report, subject, "rungs", (double)n, "0", "%s", "");
    for (i = 0; i < 2 && n; i++) {
        one = json_array_get(renditions, i ? n - 1 : 0);
        size_of(one, size);
        report_number(report, subject, i ? "highest" : "lowest", report_at(one, KBPS), "0 kbit/s",
                      "%s, %s %.1f", size, json_text_of(subject, "metric"), report_at(one, SCORE));
    }
}

bool report_add_document(Report *report, const json_t *json, double target)
{
    if (json_is_array(json_object_get(json, "renditions")))
        add_ladder(report, json); /* it has several targets */
    else if (json_is_array(json_object_get(json, "rows")))
        add_comparison(report, json, target);
    else if (json_is_object(json_object_get(json, "answer")))
        add_search(report, json);
    else if (json_is_object(json_object_get(json, "totals")))
        add_plan(report, json, target);
    else if (json_object_get(json, "best_crf") || json_object_get(json, "recommended_crf"))
        add_bisection(report, json, target);
    else
        return false;
    return true;
}
