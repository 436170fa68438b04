/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a comparison has found, as a document, and that as tables. */
#include "tune/plan/compare_internal.h"

#include "common/json.h"
#include "tune/measure/row.h"
#include "tune/options/output.h"
#include "tune/output/report_internal.h"
#include "tune/search/goals.h"

#include "libvmaf/libvmaf.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- rows -- */

/* What the encoder calls itself: in its encodes, else where it was looked for. */
static const char *version_of(const Contender *contender)
{
    const char *version = contender->encoder.availability.version;
    const MeasuredEncode *encode;
    for (size_t i = 0; (encode = search_group_encode(&contender->group, i)); i++)
        if (encode->has_encode && strcmp(encode->outcome.encoder_version, "unknown"))
            version = encode->outcome.encoder_version;
    return *version ? version : NULL;
}

/* How it was found; nothing of an encoder that could not take part. */
static json_t *search_json(const Comparison *comparison, const Contender *contender, size_t target)
{
    if (!contender->is_usable)
        return json_object_of("samples:o ok:b best_crf:i bitrate_kbps:n encode_time_ms:n error:t",
                              json_array(), false, -1, NAN, NAN, contender->why.text);
    const SearchPlan plan = search_group_plan(&contender->group, comparison->video, target);
    json_t *json = search_record(&plan, &contender->group.runs[target]);
    if (json)
        json_object_del(json, "measured_vmaf");
    return json;
}

static json_t *row_json(const Comparison *comparison, const Contender *contender, size_t target)
{
    const TuneGates *gates = comparison->gates;
    const MeasuredEncode *best =
        contender->is_usable ? search_group_best(&contender->group, target) : NULL;
    const double goal = comparison->targets[target];
    double values[SEARCH_MAX_GATES];
    Message why;
    if (!best || tune_gates_values(gates, best, values, &why))
        for (size_t i = 0; i < gates->n; i++)
            values[i] = NAN;
    json_t *json = search_json(comparison, contender, target);
    const int err = json_put_all(
        json,
        "codec:t encoder_version:t size_bytes:n percent_of_source:n speed_fps:n vmaf_score:n "
        "target_vmaf:n score:n target:n",
        contender->token, contender->is_usable ? version_of(contender) : NULL,
        best ? (double)best->stream_bytes : NAN,
        best ? 100 * best->kbps / comparison->source_kbps : NAN,
        contender->speeds ? contender->speeds[target] : NAN, gates_vmaf(gates, values),
        strcmp(gates->gate[0].name, "vmaf") ? NAN : goal, values[0], goal);
    return json_unless(err, json);
}

/* Rows that reach it are first, by bitrate; the rest follow by name. */
static bool is_before(const json_t *a, const json_t *b)
{
    const bool ok = json_is_true(json_object_get(a, "ok"));
    const double more = json_number_of(a, "bitrate_kbps") - json_number_of(b, "bitrate_kbps");
    if (ok != json_is_true(json_object_get(b, "ok")))
        return ok;
    return ok && more != 0 ? more < 0
                           : strcmp(json_text_of(a, "codec"), json_text_of(b, "codec")) < 0;
}

/* The rows of a target are added, in their order. 0; -ENOMEM. */
static int add_rows(const Comparison *comparison, size_t target, json_t *list)
{
    const size_t first = json_array_size(list);
    bool is_whole = true;
    for (size_t i = 0; i < comparison->n; i++) {
        json_t *row = row_json(comparison, &comparison->contenders[i], target);
        size_t place = first;
        while (row && place < json_array_size(list) && !is_before(row, json_array_get(list, place)))
            place++;
        is_whole &= !json_array_insert_new(list, place, row);
    }
    return is_whole ? 0 : -ENOMEM;
}

/* -- deltas -- */

/* All that was measured of a contender; the points are to be freed, and NULL without memory. */
static RateCurve curve_of(const Comparison *comparison, const Contender *contender)
{
    const double sign = comparison->gates->gate[0].lower_is_better ? -1 : 1;
    const MeasuredEncode *encode;
    size_t n = 0, n_points = 0;
    while (search_group_encode(&contender->group, n))
        n++;
    RatePoint *points = calloc(n + 1, sizeof(*points));
    for (size_t i = 0; points && i < n; i++) {
        double values[SEARCH_MAX_GATES];
        Message why;
        encode = search_group_encode(&contender->group, i);
        if (!encode->error && !tune_gates_values(comparison->gates, encode, values, &why))
            points[n_points++] = (RatePoint){encode->kbps, sign * values[0]};
    }
    return (RateCurve){points, n_points};
}

/* Rate of one contender relative to another, on the hulls of all that was measured of them. */
static json_t *delta_json(const Comparison *comparison, const Contender *reference,
                          const Contender *test)
{
    const BdOptions options = {.hull = true, .min_quality = -INFINITY, .max_quality = INFINITY};
    const RateCurve a = curve_of(comparison, reference), b = curve_of(comparison, test);
    BdStatus status = BD_OUT_OF_MEMORY;
    double fraction = NAN, half_width = NAN;
    if (a.points && b.points) {
        status = bd_rate(&a, &b, &options, &fraction);
        bd_rate_uncertainty(&a, &b, &options, &half_width);
    }
    const BdInterval interval = bd_interval(fraction, half_width);
    free((void *)a.points);
    free((void *)b.points);
    return json_object_of("reference:t codec:t bd_rate:n bd_rate_low:n bd_rate_high:n error:t",
                          reference->token, test->token, fraction, interval.low, interval.high,
                          status == BD_OK ? NULL : bd_status_text(status));
}

static json_t *deltas_json(const Comparison *comparison)
{
    json_t *json = json_array();
    for (size_t i = 0; json && i < comparison->n * comparison->n; i++) {
        const Contender *reference = &comparison->contenders[i / comparison->n];
        const Contender *test = &comparison->contenders[i % comparison->n];
        if (reference != test && reference->is_usable && test->is_usable)
            json_array_append_new(json, delta_json(comparison, reference, test));
    }
    return json;
}

/* -- JSON -- */

json_t *compare_record(const Comparison *comparison)
{
    const TuneGate *main = &comparison->gates->gate[0];
    char metric[GATE_LABEL_SIZE];
    json_t *list = json_array(), *targets = json_array();
    int err = 0;
    for (size_t i = 0; i < comparison->n_targets; i++) {
        err |= add_rows(comparison, i, list);
        json_array_append_new(targets, json_number_or_null(comparison->targets[i]));
    }
    gate_name(main, metric);
    json_t *json = json_object_of(
        "schema:t preset:t metric:t target_vmaf:n tool_version:t wall_time_ms:n vmaf_model:t "
        "model_calibrated:b clip_mode:t targets:o rows:o baseline:t source_kbps:n",
        "vmaf-tune-compare/v1", comparison->preset, metric,
        strcmp(main->name, "vmaf") ? NAN : comparison->targets[0], vmaf_version(),
        comparison->wall_ms, comparison->measurer->model, comparison->measurer->is_calibrated,
        comparison->measurer->clip_mode, targets, list,
        comparison->contenders[comparison->baseline].token, comparison->source_kbps);
    err |= search_put_source(json, comparison->video, comparison->options);
    if (comparison->has_deltas)
        err |= json_put(json, "bd_rates", deltas_json(comparison));
    return json_unless(err, json);
}

/* -- tables -- */

/* What a row has, its delta and all of them have; numbers of a row that failed are not known. */
static json_t *whole_row(const json_t *document, const json_t *row, size_t rank)
{
    const json_t *delta = compared_delta(document, json_text_of(row, "codec"));
    const double low = 100 * json_number_of(delta, "bd_rate_low");
    const double rate = 100 * json_number_of(delta, "bd_rate");
    const bool ok = json_is_true(json_object_get(row, "ok"));
    json_t *whole = json_copy((json_t *)row);
    json_object_update_missing(whole, (json_t *)delta);
    json_object_update_missing(whole, (json_t *)document);
    json_put_all(whole, "rank:n is_ok:t BD-rate:t status:o", ok ? (double)rank : NAN,
                 ok ? "true" : "false", "",
                 ok ? json_string("ok") : report_text("fail: %s", json_text_of(row, "error")));
    if (isfinite(low))
        json_put(whole, "BD-rate",
                 report_text("%+.1f %% (%+.1f to %+.1f)", rate, low,
                             100 * json_number_of(delta, "bd_rate_high")));
    else if (isfinite(rate))
        json_put(whole, "BD-rate", report_text("%+.1f %%", rate));
    return whole;
}

/* The rows of a target, or of all, as a table. 0; -ENOMEM. */
static int print_rows(const json_t *document, const char *heads, size_t first, size_t n,
                      bool is_csv, FILE *out)
{
    const json_t *rows = json_object_get(document, "rows");
    Report report = {0};
    json_t *list = json_array();
    json_t *subject = report_subject(&report, json_null(), json_null(), NAN);
    for (size_t i = 0; i < n; i++)
        report_add(&report, list, whole_row(document, json_array_get(rows, first + i), i + 1));
    report_table(&report, subject, heads, list, false, "%s", "");
    if (!report.is_short_of_memory)
        report_print_table(&report, is_csv, out);
    json_decref(list);
    report_free(&report);
    return report.is_short_of_memory ? -ENOMEM : 0;
}

int compare_print_csv(const json_t *document, FILE *out)
{
    return print_rows(document,
                      "codec|encoder_version|best_crf:G|bitrate_kbps:3|encode_time_ms:3|"
                      "vmaf_score:3|target_vmaf:3|ok=is_ok|error|size_bytes:3|percent_of_source:3|"
                      "speed_fps:3|bd_rate:3|bd_rate_low:3|bd_rate_high:3|metric|target:3|score:3",
                      0, json_array_size(json_object_get(document, "rows")), true, out);
}

int compare_print_markdown(const json_t *document, const TuneGate *main, FILE *out)
{
    const json_t *targets = json_object_get(document, "targets"), *target;
    const json_t *rows = json_object_get(document, "rows");
    const size_t n = json_array_size(targets), n_rows = json_array_size(rows) / n;
    const bool has_target = json_is_number(json_array_get(targets, 0));
    const bool has_deltas = json_object_get(document, "bd_rates") != NULL;
    char label[GATE_LABEL_SIZE], heads[512];
    size_t i;
    int err = 0;
    tune_gate_label(main, label);
    snprintf(heads, sizeof heads,
             "Rank=rank|Codec:t=codec|Encoder:t=encoder_version|Best CRF:g=best_crf|"
             "Bitrate (kbps):1=bitrate_kbps|Size (MB):3kk=size_bytes|"
             "Of the source:1 %%=percent_of_source|Speed (fps):1=speed_fps|%s:2=score%s%s|"
             "Status:t=status",
             label, strcmp(main->name, "vmaf") ? "|VMAF:2=vmaf_score" : "",
             has_deltas ? "|BD-rate" : "");
    fprintf(out, "# Codec comparison \xe2\x80\x94 %s%s",
            has_target ? "target " : "the conditions of --require", has_target ? label : "");
    for (i = 0; i < n && has_target; i++)
        fprintf(out, "%s%g", i ? ", " : " ", json_number_value(json_array_get(targets, i)));
    fputs("\n\n- Source: ", out);
    markdown_text(out, json_text_of(document, "src"));
    fprintf(out, "\n- Tool: vmaf-tune %s\n- Wall time: %.1f s\n", vmaf_version(),
            json_number_of(document, "wall_time_ms") / 1000);
    json_array_foreach(targets, i, target)
    {
        const json_t *best = json_array_get(rows, i * n_rows);
        if (n > 1)
            fprintf(out, "\n## Target %s %g\n", label, json_number_value(target));
        fputc('\n', out);
        err |= print_rows(document, heads, i * n_rows, n_rows, false, out);
        if (json_is_true(json_object_get(best, "ok")))
            fprintf(out, "\n**Smallest file**: `%s` at CRF %g \xe2\x86\x92 %.1f kbps (%s %.2f).\n",
                    json_text_of(best, "codec"), json_number_of(best, "best_crf"),
                    json_number_of(best, "bitrate_kbps"), label, json_number_of(best, "score"));
        else
            fputs("\n**No codec succeeded.**\n", out);
    }
    if (!has_deltas)
        return err;
    fputs("\nBD-rate: bitrate relative to ", out);
    markdown_text(out, json_text_of(document, "baseline"));
    fprintf(out,
            " at equal %s on average, less is better; in parentheses, where that is with 95 %% "
            "confidence.\n",
            label);
    return err;
}
