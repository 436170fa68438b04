/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What results of subcommands say, as subjects of a report. */
#include "tune/commands/report_internal.h"

#include "common/json.h"
#include "platform/path.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const char *text_or(const json_t *json, const char *key, const char *otherwise)
{
    const char *text = json_text_of(json, key);
    return text && *text ? text : otherwise;
}

static json_t *number_at(const json_t *json, const char *keys)
{
    return json_number_or_null(report_number_at(json, keys));
}

static json_t *file_name(const char *path)
{
    const char *name = vmaf_path_name(path);
    return report_text("%s", *name ? name : path);
}

static json_t *quality_label(double q)
{
    return isnan(q) ? json_string("") : report_text("CRF %g", q);
}

#define QUALITY "q,crf,quality,best_crf,recommended_crf"
#define KBPS    "bitrate_kbps,kbps,verify_kbps"
#define SCORE   "vmaf,vmaf_score,measured_vmaf,verify_vmaf"

static double kbps_of(const json_t *json)
{
    return report_number_at(json, KBPS);
}

static double score_of(const json_t *json)
{
    return report_number_at(json, SCORE);
}

/* NAN: none. */
static double quality_of(const json_t *json)
{
    const double q = report_number_at(json, QUALITY);
    return q >= 0 ? q : NAN;
}

static void add_sample(Report *report, json_t *points, const json_t *sample)
{
    report_point(report, points, kbps_of(sample), score_of(sample),
                 quality_label(quality_of(sample)));
}

static void add_samples(Report *report, json_t *points, const json_t *samples)
{
    size_t i;
    json_t *sample;
    json_array_foreach(samples, i, sample) add_sample(report, points, sample);
}

/* "Search, libx264 medium", of that source. */
static json_t *add_subject(Report *report, const char *kind, const json_t *request,
                           const char *source, double target)
{
    const char *encoder = text_or(request, "encoder", text_or(request, "codec", ""));
    const char *preset = text_or(request, "preset", "");
    return report_subject(report,
                          report_text("%c%s%s%s%s%s", toupper((unsigned char)*kind), kind + 1,
                                      *encoder ? ", " : "", encoder, *preset ? " " : "", preset),
                          file_name(source), target);
}

static void add_kbps(Report *report, json_t *subject, const char *name, double kbps, json_t *note)
{
    report_figure(report, subject, report_text("%s", name), json_number_or_null(kbps), "0 kbit/s",
                  note);
}

/* -- bisect and fast -- */

static void add_bisection(Report *report, const json_t *json, double target)
{
    const json_t *samples = json_object_get(json, "samples");
    const json_t *films = json_object_get(json, "verifications");
    const char *codec = text_or(json, "codec", text_or(json, "encoder", "unknown encoder"));
    const double q = quality_of(json), kbps = kbps_of(json), score = score_of(json);
    const double own = json_number_of(json, "target_vmaf"), wanted = isnan(own) ? target : own;
    json_t *subject = add_subject(report, "Search", json, text_or(json, "src", codec), wanted);
    add_samples(report, report_curve(report, subject, codec), samples);
    if (json_array_size(films))
        add_samples(report, report_curve(report, subject, "the whole video"), films);
    report_figure(report, subject, report_text("CRF"),
                  isnan(q) ? report_text("none") : json_real(q), "g",
                  isnan(wanted) ? json_string("") : report_text("for VMAF %g", wanted));
    if (!isnan(q)) {
        report_figure(report, subject, report_text("VMAF"), json_number_or_null(score), "2",
                      report_text("measured"));
        add_kbps(report, subject, "bitrate", kbps, json_string(""));
        report_point(report, json_object_get(subject, "chosen"), kbps, score, quality_label(q));
    }
    report_figure(
        report, subject, report_text("probes"), number_at(json, "n_iterations,n_trials"), "0",
        json_string(json_is_false(json_object_get(json, "converged")) ? "not converged" : ""));
    report_table(report, subject, report_text("Probes, in the order of the search"),
                 "probe=#1|CRF:g=" QUALITY "|kbit/s:1=" KBPS "|VMAF:3=" SCORE
                 "|seconds:2k=ms,encode_time_ms",
                 samples, false);
    const char *note = text_or(json, "error", text_or(json, "notes", ""));
    if (*note)
        report_note(report, subject, report_text("%s", note));
}

/* -- encode, search and sample -- */

/* A condition on the scores of an encode, or the mean of VMAF without one. */
typedef struct Condition {
    char metric[64], pool[32];
    double target; /* NAN: none */
} Condition;

/* "vmaf.p1>=80"; names of metrics may have points. */
static Condition condition_of(const json_t *text)
{
    const char *words = json_string_value(text) ? json_string_value(text) : "vmaf.mean";
    const size_t length = strcspn(words, "<>");
    size_t point = length;
    while (point && words[point] != '.')
        point--;
    Condition condition = {.target = NAN};
    snprintf(condition.metric, sizeof condition.metric, "%.*s", (int)point, words);
    if (point < length)
        snprintf(condition.pool, sizeof condition.pool, "%.*s", (int)(length - point - 1),
                 words + point + 1);
    if (words[length])
        sscanf(words + length, "%*[<>=]%lf", &condition.target);
    return condition;
}

static double pooled(const json_t *json, const Condition *condition)
{
    const json_t *scores = json_object_get(json, "scores");
    return json_number_of(json_object_get(scores, condition->metric), condition->pool);
}

static bool is_of_film(const json_t *measurement)
{
    return !strcmp(text_or(measurement, "of", ""), "film");
}

static void add_measurements(Report *report, json_t *subject, const json_t *measurements,
                             const json_t *conditions)
{
    char heads[4096];
    size_t i = 0;
    int length = snprintf(heads, sizeof heads,
                          "of|quality:g|kbps:3|percent:3|vmaf_p1:3=scores/vmaf/p1|"
                          "encode_seconds:3|score_seconds:3|cached");
    do {
        const Condition condition = condition_of(json_array_get(conditions, i));
        length += snprintf(heads + length, sizeof heads - (size_t)length, "|%s.%s:3=scores/%s/%s",
                           condition.metric, condition.pool, condition.metric, condition.pool);
    } while (++i < json_array_size(conditions) && length < (int)sizeof heads / 2);
    snprintf(heads + length, sizeof heads - (size_t)length, "|error");
    report_table(report, subject, report_text("Measurements"), heads, measurements, false);
}

/* What shots are encoded with, and how good they are: of search, and of shots. */
static void add_shots(Report *report, json_t *subject, const json_t *shots)
{
    report_table(report, subject, report_text("Shots"),
                 "shot=#0|first frame:0=first_frame,start_frame|frames:0|CRF:g=crf|kbit/s:1=" KBPS
                 "|VMAF:3=measured_vmaf,mean_vmaf|reached=reachable,status",
                 shots, false);
}

/* "for vmaf.mean>=95, vmaf.p1>=85" */
static json_t *text_of_conditions(const json_t *conditions)
{
    json_t *text = json_string(""), *before, *condition;
    size_t i;
    json_array_foreach(conditions, i, condition)
    {
        before = text;
        text = report_text("%s%s%s", json_string_value(before), i ? ", " : "for ",
                           json_string_value(condition));
        json_decref(before);
    }
    return text;
}

static void add_answer(Report *report, json_t *subject, const json_t *answer,
                       const json_t *conditions, const Condition *first)
{
    const double q = quality_of(answer), score = pooled(answer, first);
    const double kbps = kbps_of(answer);
    const char *of = is_of_film(answer) ? "the film" : "samples";
    report_figure(report, subject, report_text("quality"),
                  isnan(q) ? report_text("none") : json_real(q), "g",
                  text_of_conditions(conditions));
    if (isnan(q))
        return;
    report_figure(report, subject, report_text("%s", json_text_of(subject, "metric")),
                  json_number_or_null(score), "2", report_text("of %s", of));
    report_figure(report, subject, report_text("VMAF, 1 %%"), number_at(answer, "scores/vmaf/p1"),
                  "1", report_text("of %s", of));
    report_figure(report, subject, report_text("size"), number_at(answer, "percent"), "1 %",
                  report_text("of the source's video"));
    add_kbps(report, subject, "bitrate", kbps, json_string(""));
    report_point(report, json_object_get(subject, "chosen"), kbps, score, quality_label(q));
}

static void add_search(Report *report, const json_t *json)
{
    const json_t *request = json_object_get(json, "request");
    const json_t *answer = json_object_get(json, "answer");
    const json_t *measurements = json_object_get(json, "measurements");
    const json_t *conditions = json_object_get(request, "conditions");
    const Condition first = condition_of(json_array_get(conditions, 0));
    const char *encoder = text_or(request, "encoder", "unknown encoder");
    const bool is_vmaf = !strcmp(first.metric, "vmaf"), is_mean = !strcmp(first.pool, "mean");
    size_t i;
    json_t *one;
    json_t *subject = add_subject(report, text_or(request, "command", "search"), request,
                                  text_or(json_object_get(json, "source"), "src", "unknown source"),
                                  first.target);
    json_object_set_new(subject, "metric",
                        report_text("%s%s%s", is_vmaf ? "VMAF" : first.metric, is_mean ? "" : " ",
                                    is_mean ? "" : first.pool));
    json_array_foreach(measurements, i, one)
    {
        char name[128];
        snprintf(name, sizeof name, "%.80s%s", encoder, is_of_film(one) ? "" : ", samples");
        report_point(report, report_curve(report, subject, name), kbps_of(one), pooled(one, &first),
                     quality_label(quality_of(one)));
    }
    add_answer(report, subject, answer, conditions, &first);
    report_figure(report, subject, report_text("encodes"),
                  json_integer((json_int_t)json_array_size(measurements)), "0",
                  report_text("%.0f s", json_number_of(answer, "seconds")));
    add_measurements(report, subject, measurements, conditions);
    if (json_object_get(json, "shots"))
        add_shots(report, subject, json_object_get(json, "shots"));
    if (*text_or(answer, "error", ""))
        report_note(report, subject, report_text("%s", json_text_of(answer, "error")));
    const char *command = text_or(answer, "commands", "");
    for (size_t length; *command; command += length + (command[length] != '\0')) {
        length = strcspn(command, "\n");
        report_note(report, subject, report_text("To encode it: %.*s", (int)length, command));
    }
}

/* -- shots -- */

static void add_plan(Report *report, const json_t *json, double target)
{
    const json_t *totals = json_object_get(json, "totals");
    const json_t *both = json_object_get(json, "comparison");
    const json_t *made[] = {json_object_get(both, "per_shot"), json_object_get(both, "single")};
    const double own = json_number_of(json, "target_vmaf");
    json_t *subject = add_subject(report, "Shots", json, text_or(json, "src", "unknown source"),
                                  isnan(own) ? target : own);
    report_figure(report, subject, report_text("shots"), number_at(totals, "shots"), "0",
                  report_text("%.0f frames", json_number_of(totals, "frames")));
    add_kbps(report, subject, "expected", json_number_of(totals, "expected_kbps"),
             report_text("VMAF %.2f", json_number_of(totals, "expected_vmaf")));
    for (size_t i = 0; i < 2; i++)
        if (json_is_object(made[i]))
            add_kbps(report, subject, i ? "one quality" : "a quality a shot", kbps_of(made[i]),
                     report_text("VMAF %.2f, 1 %% %.2f", score_of(made[i]),
                                 json_number_of(made[i], "vmaf_p1")));
    if (*text_or(both, "kept", ""))
        report_note(report, subject,
                    report_text("Kept: %s", !strcmp(json_text_of(both, "kept"), "single")
                                                ? "one quality for all"
                                                : "a quality for each shot"));
    add_shots(report, subject, json_object_get(json, "shots"));
}

/* -- comparisons -- */

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

static json_t *delta_text(const json_t *delta)
{
    char rate[HTML_NUMBER_SIZE], low[HTML_NUMBER_SIZE], high[HTML_NUMBER_SIZE];
    const char *text = report_number(rate, json_number_of(delta, "bd_rate"), '%');
    if (isnan(json_number_of(delta, "bd_rate_low")))
        return report_text("%s", text);
    return report_text("%s (%s to %s)", text,
                       report_number(low, json_number_of(delta, "bd_rate_low"), '%'),
                       report_number(high, json_number_of(delta, "bd_rate_high"), '%'));
}

static void add_compared(Report *report, json_t *subject, json_t *list, const json_t *document,
                         json_t *json)
{
    const char *codec = text_or(json, "codec", "unknown encoder");
    const bool ok = json_is_true(json_object_get(json, "ok"));
    const json_t *samples = json_object_get(json, "samples");
    json_t *points = report_curve(report, subject, codec), *row = json_object();
    json_object_update(row, json);
    json_object_set_new(row, "codec", json_string(codec));
    json_object_set_new(row, "BD-rate", delta_text(delta_of(document, codec)));
    json_object_set_new(row, "status",
                        ok ? json_string("ok")
                           : report_text("fail: %s", text_or(json, "error", "unknown")));
    if (isnan(json_number_of(row, "target_vmaf")))
        json_object_set(row, "target_vmaf", json_object_get(subject, "target"));
    report_add(report, list, row);
    add_samples(report, points, samples);
    if (ok && !json_array_size(samples))
        add_sample(report, points, json);
    if (ok)
        report_point(report, json_object_get(subject, "chosen"), kbps_of(json), score_of(json),
                     report_text("%g", quality_of(json)));
}

static void add_smallest(Report *report, json_t *subject, const json_t *rows)
{
    const double wanted = json_number_of(subject, "target");
    const json_t *best = NULL;
    size_t n_ok = 0, i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        const double target = json_number_of(row, "target_vmaf");
        if (!json_is_true(json_object_get(row, "ok")))
            continue;
        n_ok++;
        if (target != wanted && !isnan(target))
            continue; /* of several, the first */
        if (!best || kbps_of(row) < kbps_of(best))
            best = row;
    }
    if (best)
        add_kbps(report, subject, "smallest", kbps_of(best),
                 report_text("%s, CRF %g, VMAF %.2f", text_or(best, "codec", ""),
                             json_number_of(best, "best_crf"), score_of(best)));
    report_figure(report, subject, report_text("reached"), json_integer((json_int_t)n_ok), "0",
                  report_text("of %zu", json_array_size(rows)));
}

static void add_comparison(Report *report, const json_t *json, double target)
{
    const json_t *rows = json_object_get(json, "rows");
    const double own = json_number_of(json, "target_vmaf");
    size_t i;
    json_t *row;
    json_t *subject =
        add_subject(report, "Comparison of encoders", NULL, text_or(json, "src", "unknown source"),
                    isnan(own) ? target : own);
    json_t *list = json_array();
    if (json_object_get(json, "bd_rates"))
        report_note(report, subject,
                    report_text("BD-rates are bitrates at equal scores on average, relative to "
                                "%s; in parentheses, where they are with 95 %% confidence.",
                                text_or(json, "baseline", "another")));
    json_array_foreach(rows, i, row) add_compared(report, subject, list, json, row);
    report_table(report, subject, report_text("What each encoder needs"),
                 "codec|encoder=encoder_version|target:1=target_vmaf|CRF:g=best_crf|kbit/s:1=" KBPS
                 "|% of source:1=percent_of_source|frames/s:1=speed_fps|VMAF:2=" SCORE
                 "|BD-rate|status",
                 list, false);
    json_decref(list);
    add_smallest(report, subject, rows);
}

/* -- ladders -- */

static void size_of(const json_t *json, char name[HTML_NUMBER_SIZE])
{
    const double width = json_number_of(json, "width"), height = json_number_of(json, "height");
    if (isnan(width) || isnan(height))
        strcpy(name, "unknown size");
    else
        snprintf(name, HTML_NUMBER_SIZE, "%.0f\xc3\x97%.0f", width, height);
}

static void add_ladder(Report *report, const json_t *json)
{
    const json_t *renditions = json_object_get(json, "renditions");
    const size_t n = json_array_size(renditions);
    char size[HTML_NUMBER_SIZE];
    size_t i;
    json_t *one, *list = json_array();
    json_t *subject = add_subject(report, "Ladder", json,
                                  text_or(json, "source", text_or(json, "src", "ladder")), NAN);
    json_array_foreach(json_object_get(json, "samples"), i, one)
    {
        size_of(one, size);
        add_sample(report, report_curve(report, subject, size), one);
    }
    if (json_object_get(json, "hull"))
        add_samples(report, json_object_get(subject, "hull"), json_object_get(json, "hull"));
    else
        report_find_hull(report, subject);
    json_array_foreach(renditions, i, one)
    {
        const double height = json_number_of(one, "height");
        json_t *rung = json_object();
        size_of(one, size);
        report_curve(report, subject, size);
        json_object_update(rung, one);
        json_object_set_new(rung, "size", json_string(size));
        report_add(report, list, rung);
        report_point(report, json_object_get(subject, "chosen"), kbps_of(one), score_of(one),
                     isnan(height) ? json_string(size) : report_text("%.0fp", height));
    }
    report_table(report, subject, report_text("Rungs"),
                 "rung=size|kbit/s:0=" KBPS "|peak kbit/s:0k=peak_bandwidth_bps|VMAF:2=" SCORE
                 "|CRF:g=crf|codecs",
                 list, false);
    json_decref(list);
    report_figure(report, subject, report_text("rungs"), json_integer((json_int_t)n), "0",
                  json_string(""));
    for (i = 0; i < 2 && n; i++) {
        one = json_array_get(renditions, i ? n - 1 : 0);
        size_of(one, size);
        add_kbps(report, subject, i ? "highest" : "lowest", kbps_of(one),
                 report_text("%s, VMAF %.1f", size, score_of(one)));
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
