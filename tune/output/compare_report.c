/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a comparison has found, as a document, and that as tables. */
#include "tune/plan/compare_internal.h"

#include "common/json.h"
#include "tune/measure/row.h"
#include "tune/options/output.h"
#include "tune/search/bd_rate.h"
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
    if (!contender->is_usable) {
        json_t *json = json_pack("{s:[], s:b, s:i, s:n, s:n}", "samples", "ok", 0, "best_crf", -1,
                                 "bitrate_kbps", "encode_time_ms");
        return json_unless(json_put_text(json, "error", contender->why.text), json);
    }
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
    int err = json_put_text(json, "codec", contender->token);
    err |=
        json_put_text(json, "encoder_version", contender->is_usable ? version_of(contender) : NULL);
    err |= json_put_number(json, "size_bytes", best ? (double)best->stream_bytes : NAN);
    err |= json_put_number(json, "percent_of_source",
                           best ? 100 * best->kbps / comparison->source_kbps : NAN);
    err |= json_put_number(json, "speed_fps", contender->speeds ? contender->speeds[target] : NAN);
    err |= json_put_number(json, "vmaf_score", gates_vmaf(gates, values));
    err |= json_put_number(json, "target_vmaf", strcmp(gates->gate[0].name, "vmaf") ? NAN : goal);
    err |= json_put_number(json, "score", values[0]);
    err |= json_put_number(json, "target", goal);
    return json_unless(err, json);
}

/* Puts those that reach it first, by bitrate and name. */
static int compare_places(const void *a, const void *b)
{
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    const bool ok = json_is_true(json_object_get(x, "ok"));
    if (ok != json_is_true(json_object_get(y, "ok")))
        return ok ? -1 : 1;
    const double more = json_number_of(x, "bitrate_kbps") - json_number_of(y, "bitrate_kbps");
    if (ok && more != 0)
        return more > 0 ? 1 : -1;
    return strcmp(json_text_of(x, "codec"), json_text_of(y, "codec"));
}

/* The rows of a target are added, in their order. 0; -ENOMEM. */
static int add_rows(const Comparison *comparison, size_t target, json_t *list)
{
    json_t **rows = calloc(comparison->n + 1, sizeof(*rows));
    bool is_whole = rows != NULL;
    for (size_t i = 0; rows && i < comparison->n; i++)
        is_whole &= (rows[i] = row_json(comparison, &comparison->contenders[i], target)) != NULL;
    if (is_whole)
        qsort(rows, comparison->n, sizeof(*rows), compare_places);
    for (size_t i = 0; rows && i < comparison->n; i++)
        is_whole &= !json_array_append_new(list, rows[i]);
    free(rows);
    return is_whole ? 0 : -ENOMEM;
}

/* -- deltas -- */

/* Collects all that was measured of a contender; the points are to be freed. False without memory.
 */
static bool take_curve(const Comparison *comparison, const Contender *contender, RateCurve *curve)
{
    const MeasuredEncode *encode;
    size_t n = 0;
    while (search_group_encode(&contender->group, n))
        n++;
    RatePoint *points = calloc(n + 1, sizeof(*points));
    *curve = (RateCurve){.points = points};
    for (size_t i = 0; points && i < n; i++) {
        double values[SEARCH_MAX_GATES];
        Message why;
        encode = search_group_encode(&contender->group, i);
        const double sign = comparison->gates->gate[0].lower_is_better ? -1 : 1;
        if (!encode->error && !tune_gates_values(comparison->gates, encode, values, &why))
            points[curve->n++] = (RatePoint){encode->kbps, sign * values[0]};
    }
    return points != NULL;
}

/* Rate of one contender relative to another, on the hulls of all that was measured of them. */
static json_t *delta_json(const Comparison *comparison, const Contender *reference,
                          const Contender *test)
{
    const BdOptions options = {.hull = true, .min_quality = -INFINITY, .max_quality = INFINITY};
    BdStatus status = BD_OUT_OF_MEMORY;
    double fraction = NAN, half_width = NAN;
    RateCurve a = {0}, b = {0};
    if (take_curve(comparison, reference, &a) && take_curve(comparison, test, &b)) {
        status = bd_rate(&a, &b, &options, &fraction);
        bd_rate_uncertainty(&a, &b, &options, &half_width);
    }
    const BdInterval interval = bd_interval(fraction, half_width);
    free((void *)a.points);
    free((void *)b.points);
    json_t *json = json_object();
    int err = json_put_text(json, "reference", reference->token);
    err |= json_put_text(json, "codec", test->token);
    err |= json_put_number(json, "bd_rate", fraction);
    err |= json_put_number(json, "bd_rate_low", interval.low);
    err |= json_put_number(json, "bd_rate_high", interval.high);
    err |= json_put_text(json, "error", status == BD_OK ? NULL : bd_status_text(status));
    return json_unless(err, json);
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

/* The delta of a row's contender against the baseline; NULL: there is none. */
static const json_t *delta_of(const json_t *document, const json_t *row)
{
    const json_t *delta;
    size_t i;
    json_array_foreach(json_object_get(document, "bd_rates"), i, delta)
    {
        if (!strcmp(json_text_of(delta, "reference"), json_text_of(document, "baseline")) &&
            !strcmp(json_text_of(delta, "codec"), json_text_of(row, "codec")))
            return delta;
    }
    return NULL;
}

/* -- JSON -- */

json_t *compare_record(const Comparison *comparison)
{
    const TuneGate *main = &comparison->gates->gate[0];
    char metric[GATE_LABEL_SIZE];
    json_t *json = json_object(), *list = json_array(), *targets = json_array();
    int err = 0;
    for (size_t i = 0; i < comparison->n_targets; i++) {
        err |= add_rows(comparison, i, list);
        json_array_append_new(targets, json_number_or_null(comparison->targets[i]));
    }
    gate_name(main, metric);
    err |= json_put_text(json, "schema", "vmaf-tune-compare/v1");
    err |= search_put_source(json, comparison->video, comparison->options);
    err |= json_put_text(json, "preset", comparison->preset);
    err |= json_put_text(json, "metric", metric);
    err |= json_put_number(json, "target_vmaf",
                           strcmp(main->name, "vmaf") ? NAN : comparison->targets[0]);
    err |= json_put_text(json, "tool_version", vmaf_version());
    err |= json_put_number(json, "wall_time_ms", comparison->wall_ms);
    err |= json_put_text(json, "vmaf_model", comparison->measurer->model);
    err |= json_put_flag(json, "model_calibrated", comparison->measurer->is_calibrated);
    err |= json_put_text(json, "clip_mode", comparison->measurer->clip_mode);
    err |= json_put(json, "targets", targets);
    err |= json_put(json, "rows", list);
    err |= json_put_text(json, "baseline", comparison->contenders[comparison->baseline].token);
    err |= json_put_number(json, "source_kbps", comparison->source_kbps);
    if (comparison->has_deltas)
        err |= json_put(json, "bd_rates", deltas_json(comparison));
    return json_unless(err, json);
}

bool compare_has_answer(const json_t *document)
{
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        if (json_is_true(json_object_get(row, "ok")))
            return true;
    }
    return false;
}

/* -- tables -- */

/* What a row has by a key, or its delta, or all of them. */
static const json_t *cell_of(const json_t *document, const json_t *row, const char *key)
{
    const json_t *cell = json_object_get(row, key);
    if (!cell)
        cell = json_object_get(delta_of(document, row), key);
    return cell ? cell : json_object_get(document, key);
}

void compare_print_csv(const json_t *document, FILE *out)
{
    static const char *const keys[] = {"codec",
                                       "encoder_version",
                                       "best_crf",
                                       "bitrate_kbps",
                                       "encode_time_ms",
                                       "vmaf_score",
                                       "target_vmaf",
                                       "ok",
                                       "error",
                                       "size_bytes",
                                       "percent_of_source",
                                       "speed_fps",
                                       "bd_rate",
                                       "bd_rate_low",
                                       "bd_rate_high",
                                       "metric",
                                       "target",
                                       "score"};
    enum { N = sizeof keys / sizeof *keys };
    const json_t *row;
    size_t i;
    for (size_t k = 0; k < N; k++)
        fprintf(out, "%s%c", keys[k], k + 1 < N ? ',' : '\n');
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        for (size_t k = 0; k < N; k++) {
            const json_t *cell = cell_of(document, row, keys[k]);
            if (json_is_boolean(cell))
                fputs(json_is_true(cell) ? "true" : "false", out);
            else if (!strcmp(keys[k], "best_crf"))
                fprintf(out, "%g", json_number_value(cell));
            else if (json_is_number(cell))
                csv_number(out, json_number_value(cell));
            else
                csv_text(out, json_string_value(cell));
            fputc(k + 1 < N ? ',' : '\n', out);
        }
    }
}

static void print_row(const json_t *document, const json_t *row, size_t rank, bool is_vmaf,
                      FILE *out)
{
    static const struct {
        const char *key, *format;
        double unit;
    } numbers[] = {
        {"best_crf", "%g", 1},       {"bitrate_kbps", "%.1f", 1},
        {"size_bytes", "%.3f", 1e6}, {"percent_of_source", "%.1f %%", 1},
        {"speed_fps", "%.1f", 1},    {"score", "%.2f", 1},
        {"vmaf_score", "%.2f", 1}, /* if that is another one */
    };
    const bool ok = json_is_true(json_object_get(row, "ok"));
    fputs("| ", out);
    markdown_number(out, "%.0f", ok ? (double)rank : NAN);
    fputs(" | ", out);
    markdown_text(out, json_text_of(row, "codec"));
    fputs(" | ", out);
    markdown_text(out, json_text_of(row, "encoder_version"));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers - is_vmaf; i++) {
        const double number = json_number_of(row, numbers[i].key) / numbers[i].unit;
        fputs(" | ", out);
        markdown_number(out, numbers[i].format, ok ? number : NAN);
    }
    if (json_object_get(document, "bd_rates")) {
        const json_t *delta = delta_of(document, row);
        const double low = 100 * json_number_of(delta, "bd_rate_low");
        fputs(" | ", out);
        markdown_number(out, "%+.1f %%", 100 * json_number_of(delta, "bd_rate"));
        if (isfinite(low))
            fprintf(out, " (%+.1f to %+.1f)", low, 100 * json_number_of(delta, "bd_rate_high"));
    }
    fputs(ok ? " | ok" : " | fail: ", out);
    if (!ok)
        markdown_text(out, json_text_of(row, "error"));
    fputs(" |\n", out);
}

/* The rows of a target, in a table. */
static void print_rows(const json_t *document, size_t first, size_t n, const TuneGate *main,
                       const char *label, FILE *out)
{
    const json_t *rows = json_object_get(document, "rows"), *best = json_array_get(rows, first);
    const bool has_deltas = json_object_get(document, "bd_rates") != NULL;
    const bool is_vmaf = !strcmp(main->name, "vmaf");
    fprintf(
        out,
        "| Rank | Codec | Encoder | Best CRF | Bitrate (kbps) | Size (MB) | Of the source | "
        "Speed (fps) | %s |%s%s Status |\n|---:|---|---|---:|---:|---:|---:|---:|---:|%s%s---|\n",
        label, is_vmaf ? "" : " VMAF |", has_deltas ? " BD-rate |" : "", is_vmaf ? "" : "---:|",
        has_deltas ? "---:|" : "");
    for (size_t i = 0; i < n; i++)
        print_row(document, json_array_get(rows, first + i), i + 1, is_vmaf, out);
    if (json_is_true(json_object_get(best, "ok")))
        fprintf(out, "\n**Smallest file**: `%s` at CRF %g \xe2\x86\x92 %.1f kbps (%s %.2f).\n",
                json_text_of(best, "codec"), json_number_of(best, "best_crf"),
                json_number_of(best, "bitrate_kbps"), label, json_number_of(best, "score"));
    else
        fputs("\n**No codec succeeded.**\n", out);
}

void compare_print_markdown(const json_t *document, const TuneGate *main, FILE *out)
{
    const json_t *targets = json_object_get(document, "targets"), *target;
    const size_t n = json_array_size(targets);
    const size_t n_rows = json_array_size(json_object_get(document, "rows")) / n;
    const bool has_target = json_is_number(json_array_get(targets, 0));
    char label[GATE_LABEL_SIZE];
    size_t i;
    tune_gate_label(main, label);
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
        if (n > 1)
            fprintf(out, "\n## Target %s %g\n", label, json_number_value(target));
        fputc('\n', out);
        print_rows(document, i * n_rows, n_rows, main, label, out);
    }
    if (!json_object_get(document, "bd_rates"))
        return;
    fputs("\nBD-rate: bitrate relative to ", out);
    markdown_text(out, json_text_of(document, "baseline"));
    fprintf(out,
            " at equal %s on average, less is better; in parentheses, where that is with 95 %% "
            "confidence.\n",
            label);
}
