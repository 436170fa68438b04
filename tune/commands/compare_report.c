/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/compare_internal.h"

#include "common/json.h"
#include "tune/rows/row.h"
#include "tune/session/output.h"
#include "tune/session/search.h"

#include "libvmaf/libvmaf.h"

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
    return version;
}

static CompareRow row_of(const Comparison *comparison, const Contender *contender, size_t target)
{
    CompareRow row = {
        .contender = contender,
        .target = target,
        .best = {.q = -1, .values = {NAN}, .kbps = NAN, .encode_ms = NAN},
        .percent = NAN,
        .speed = contender->speeds ? contender->speeds[target] : NAN,
        .version = contender->is_usable ? version_of(contender) : "",
    };
    if (!contender->is_usable) {
        row.why = contender->why;
        return row;
    }
    row.run = &contender->group.runs[target];
    const MeasuredEncode *best = search_group_best(&contender->group, target);
    row.ok = best != NULL;
    if (best) {
        row.best = row.run->result.best;
        row.bytes = best->stream_bytes;
        row.percent = 100 * best->kbps / comparison->source_kbps;
    } else {
        search_run_explain(row.run, &contender->group.plan, &row.why);
    }
    return row;
}

static int compare_places(const void *a, const void *b)
{
    const CompareRow *x = a, *y = b;
    if (x->target != y->target)
        return x->target > y->target ? 1 : -1;
    if (x->ok != y->ok)
        return x->ok ? -1 : 1;
    if (x->ok && x->best.kbps != y->best.kbps)
        return x->best.kbps > y->best.kbps ? 1 : -1;
    return strcmp(x->contender->token, y->contender->token);
}

CompareRow *compare_rows(const Comparison *comparison)
{
    const size_t n = comparison->n * comparison->n_targets;
    CompareRow *rows = calloc(n + 1, sizeof(*rows));
    for (size_t i = 0; rows && i < n; i++)
        rows[i] = row_of(comparison, &comparison->contenders[i % comparison->n], i / comparison->n);
    if (rows)
        qsort(rows, n, sizeof(*rows), compare_places);
    for (size_t i = 0; rows && i < n; i++)
        rows[i].error = rows[i].ok ? NULL : rows[i].why.text;
    return rows;
}

/* -- deltas -- */

/* All that was measured of a contender; the points are to be freed. False without memory. */
static bool take_curve(const Contender *contender, RatePoint **points, size_t *n)
{
    const MeasuredEncode *encode;
    size_t most = 0;
    while (search_group_encode(&contender->group, most))
        most++;
    *n = 0;
    *points = calloc(most + 1, sizeof(**points));
    for (size_t i = 0; *points && i < most; i++) {
        double values[SEARCH_MAX_GATES];
        Message why;
        encode = search_group_encode(&contender->group, i);
        if (!encode->error &&
            !tune_gates_values(&contender->group.plan.gates, encode, values, &why))
            (*points)[(*n)++] = (RatePoint){encode->kbps, values[0]};
    }
    return *points != NULL;
}

typedef struct CompareDelta {
    BdStatus status;
    double fraction; /* NAN unless it is BD_OK */
    BdInterval interval;
} CompareDelta;

/* Rate of one contender relative to another, on the hulls of all that was measured of them. */
static CompareDelta compare_delta(const Contender *reference, const Contender *test)
{
    const BdOptions options = {.hull = true, .min_quality = -INFINITY, .max_quality = INFINITY};
    CompareDelta delta = {.status = BD_OUT_OF_MEMORY, .fraction = NAN};
    RatePoint *points[2] = {NULL, NULL};
    double half_width = NAN;
    size_t n[2];
    if (take_curve(reference, &points[0], &n[0]) && take_curve(test, &points[1], &n[1])) {
        const RateCurve a = {points[0], n[0]}, b = {points[1], n[1]};
        delta.status = bd_rate(&a, &b, &options, &delta.fraction);
        bd_rate_uncertainty(&a, &b, &options, &half_width);
    }
    delta.interval = bd_interval(delta.fraction, half_width);
    free(points[0]);
    free(points[1]);
    return delta;
}

/* Against the baseline; none of itself, and of what takes no part. */
static CompareDelta baseline_delta(const Comparison *comparison, const Contender *test)
{
    const Contender *reference = &comparison->contenders[comparison->baseline];
    if (!comparison->has_deltas || reference == test || !reference->is_usable || !test->is_usable)
        return (CompareDelta){BD_TOO_FEW_POINTS, NAN, {NAN, NAN}};
    return compare_delta(reference, test);
}

static size_t count_rows(const Comparison *comparison)
{
    return comparison->n * comparison->n_targets;
}

/* -- JSON -- */

/* How it was found; nothing of an encoder that could not take part. */
static json_t *search_json(const Comparison *comparison, const CompareRow *row)
{
    if (!row->run)
        return json_object();
    const SearchPlan plan =
        search_group_plan(&row->contender->group, comparison->video, row->target);
    json_t *json = search_record(&plan, row->run);
    if (json)
        json_object_del(json, "measured_vmaf");
    return json;
}

static json_t *row_json(const Comparison *comparison, const CompareRow *row)
{
    json_t *json = search_json(comparison, row);
    int err = json_put_text(json, "codec", row->contender->token);
    err |=
        json_put_text(json, "encoder_version", row->version && *row->version ? row->version : NULL);
    err |= json_put(json, "best_crf", json_quality(row->best.q));
    err |= json_put_number(json, "bitrate_kbps", row->best.kbps);
    err |= json_put_number(json, "encode_time_ms", row->best.encode_ms);
    err |= json_put_number(json, "size_bytes", row->ok ? (double)row->bytes : NAN);
    err |= json_put_number(json, "percent_of_source", row->percent);
    err |= json_put_number(json, "speed_fps", row->speed);
    err |= json_put_number(json, "vmaf_score", row->best.values[0]);
    err |= json_put_number(json, "target_vmaf", comparison->targets[row->target]);
    err |= json_put_flag(json, "ok", row->ok);
    err |= json_put_text(json, "error", row->error);
    if (!row->run)
        err |= json_put(json, "samples", json_array());
    return json_unless(err, json);
}

static json_t *delta_json(const Contender *reference, const Contender *test)
{
    const CompareDelta delta = compare_delta(reference, test);
    json_t *json = json_object();
    int err = json_put_text(json, "reference", reference->token);
    err |= json_put_text(json, "codec", test->token);
    err |= json_put_number(json, "bd_rate", delta.fraction);
    err |= json_put_number(json, "bd_rate_low", delta.interval.low);
    err |= json_put_number(json, "bd_rate_high", delta.interval.high);
    err |=
        json_put_text(json, "error", delta.status == BD_OK ? NULL : bd_status_text(delta.status));
    return json_unless(err, json);
}

static json_t *deltas_json(const Comparison *comparison)
{
    json_t *json = json_array();
    for (size_t i = 0; json && i < comparison->n * comparison->n; i++) {
        const Contender *reference = &comparison->contenders[i / comparison->n];
        const Contender *test = &comparison->contenders[i % comparison->n];
        if (reference != test && reference->is_usable && test->is_usable)
            json_array_append_new(json, delta_json(reference, test));
    }
    return json;
}

json_t *compare_record(const Comparison *comparison, const CompareRow *rows)
{
    json_t *json = json_object(), *list = json_array(), *targets = json_array();
    for (size_t i = 0; list && i < count_rows(comparison); i++)
        json_array_append_new(list, row_json(comparison, &rows[i]));
    for (size_t i = 0; targets && i < comparison->n_targets; i++)
        json_array_append_new(targets, json_number_or_null(comparison->targets[i]));
    int err = json_put_text(json, "schema", "vmaf-tune-compare/v1");
    err |= search_put_source(json, comparison->video, comparison->options);
    err |= json_put_text(json, "preset", comparison->preset);
    err |= json_put_number(json, "target_vmaf", comparison->targets[0]);
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

/* -- CSV -- */

void compare_print_csv(const Comparison *comparison, const CompareRow *rows, FILE *out)
{
    fputs("codec,encoder_version,best_crf,bitrate_kbps,encode_time_ms,vmaf_score,target_vmaf,ok,"
          "error,size_bytes,percent_of_source,speed_fps,bd_rate,bd_rate_low,bd_rate_high\n",
          out);
    for (size_t i = 0; i < count_rows(comparison); i++) {
        const CompareRow *row = &rows[i];
        const double numbers[] = {row->best.kbps, row->best.encode_ms, row->best.values[0],
                                  comparison->targets[row->target]};
        csv_text(out, row->contender->token);
        fputc(',', out);
        csv_text(out, row->version);
        fprintf(out, ",%g", row->best.q);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            fputc(',', out);
            csv_number(out, numbers[k]);
        }
        fprintf(out, ",%s,", row->ok ? "true" : "false");
        csv_text(out, row->error);
        const CompareDelta delta = baseline_delta(comparison, row->contender);
        const double more[] = {row->ok ? (double)row->bytes : NAN,
                               row->percent,
                               row->speed,
                               delta.fraction,
                               delta.interval.low,
                               delta.interval.high};
        for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
            fputc(',', out);
            csv_number(out, more[k]);
        }
        fputc('\n', out);
    }
}

/* -- Markdown -- */

static void print_cell(FILE *out, const char *format, double number)
{
    fputs(" | ", out);
    markdown_number(out, format, number);
}

static void print_delta(const CompareDelta *delta, FILE *out)
{
    print_cell(out, "%+.1f %%", 100 * delta->fraction);
    if (isfinite(delta->interval.low))
        fprintf(out, " (%+.1f to %+.1f)", 100 * delta->interval.low, 100 * delta->interval.high);
}

static void print_row(const Comparison *comparison, const CompareRow *row, size_t rank, FILE *out)
{
    fputs("| ", out);
    markdown_number(out, "%.0f", row->ok ? (double)rank : NAN);
    fputs(" | ", out);
    markdown_text(out, row->contender->token);
    fputs(" | ", out);
    markdown_text(out, row->version);
    print_cell(out, "%g", row->ok ? row->best.q : NAN);
    print_cell(out, "%.1f", row->best.kbps);
    print_cell(out, "%.3f", row->ok ? (double)row->bytes / 1e6 : NAN);
    print_cell(out, "%.1f %%", row->percent);
    print_cell(out, "%.1f", row->speed);
    print_cell(out, "%.2f", row->best.values[0]);
    if (comparison->has_deltas) {
        const CompareDelta delta = baseline_delta(comparison, row->contender);
        print_delta(&delta, out);
    }
    fputs(row->ok ? " | ok" : " | fail: ", out);
    if (!row->ok)
        markdown_text(out, row->error);
    fputs(" |\n", out);
}

static void print_target(const Comparison *comparison, const CompareRow *rows, FILE *out)
{
    const bool has_deltas = comparison->has_deltas;
    fprintf(out,
            "| Rank | Codec | Encoder | Best CRF | Bitrate (kbps) | Size (MB) | Of the source | "
            "Speed (fps) | VMAF |%s Status |\n|---:|---|---|---:|---:|---:|---:|---:|---:|%s---|\n",
            has_deltas ? " BD-rate |" : "", has_deltas ? "---:|" : "");
    for (size_t i = 0; i < comparison->n; i++)
        print_row(comparison, &rows[i], i + 1, out);
    if (rows[0].ok)
        fprintf(out, "\n**Smallest file**: `%s` at CRF %g \xe2\x86\x92 %.1f kbps (VMAF %.2f).\n",
                rows[0].contender->token, rows[0].best.q, rows[0].best.kbps,
                rows[0].best.values[0]);
    else
        fputs("\n**No codec succeeded.**\n", out);
}

void compare_print_markdown(const Comparison *comparison, const CompareRow *rows, FILE *out)
{
    const bool has_target = !isnan(comparison->targets[0]);
    fprintf(out, "# Codec comparison \xe2\x80\x94 %s",
            has_target ? "target VMAF " : "the conditions of --require");
    for (size_t t = 0; t < comparison->n_targets && has_target; t++)
        fprintf(out, "%s%g", t ? ", " : "", comparison->targets[t]);
    fputs("\n\n- Source: ", out);
    markdown_text(out, comparison->video->path);
    fprintf(out, "\n- Tool: vmaf-tune %s\n- Wall time: %.1f s\n", vmaf_version(),
            comparison->wall_ms / 1000);
    for (size_t t = 0; t < comparison->n_targets; t++) {
        if (comparison->n_targets > 1)
            fprintf(out, "\n## Target VMAF %g\n", comparison->targets[t]);
        fputc('\n', out);
        print_target(comparison, rows + t * comparison->n, out);
    }
    if (!comparison->has_deltas)
        return;
    fputs("\nBD-rate: bitrate relative to ", out);
    markdown_text(out, comparison->contenders[comparison->baseline].token);
    fputs(" at equal VMAF on average, less is better; in parentheses, where that is with 95 % "
          "confidence.\n",
          out);
}
