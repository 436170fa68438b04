/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/compare_internal.h"

#include "tune/rows/json_document.h"
#include "tune/session/output.h"
#include "tune/session/search.h"

#include "libvmaf/libvmaf.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- rows -- */

static void take_version(void *cookie, const MeasuredEncode *encode)
{
    const char **version = cookie;
    if (encode->has_encode && strcmp(encode->outcome.encoder_version, "unknown"))
        *version = encode->outcome.encoder_version;
}

static CompareRow row_of(const Contender *contender, size_t target)
{
    CompareRow row = {
        .contender = contender,
        .target = target,
        .kbps = NAN,
        .score = NAN,
        .encode_ms = NAN,
        .q = -1,
        .version = contender->is_usable ? contender->encoder.availability.version : "",
    };
    if (!contender->is_usable) {
        row.why = contender->why;
        return row;
    }
    const SearchRun *run = &contender->group.runs[target];
    search_group_each(&contender->group, take_version, &row.version);
    row.run = run;
    row.best = search_group_best(&contender->group, target);
    row.ok = row.best != NULL;
    if (!row.ok) {
        search_run_explain(run, &contender->group.plan, &row.why);
        return row;
    }
    row.q = run->result.best_q;
    row.kbps = run->result.best.kbps;
    row.score = run->result.best.values[0];
    row.encode_ms = run->result.best.encode_ms;
    return row;
}

static int compare_places(const void *a, const void *b)
{
    const CompareRow *x = a, *y = b;
    if (x->target != y->target)
        return x->target > y->target ? 1 : -1;
    if (x->ok != y->ok)
        return x->ok ? -1 : 1;
    if (x->ok && x->kbps != y->kbps)
        return x->kbps > y->kbps ? 1 : -1;
    return strcmp(x->contender->token, y->contender->token);
}

CompareRow *compare_rows(const Comparison *comparison)
{
    const size_t n = comparison->n * comparison->n_targets;
    CompareRow *rows = calloc(n + 1, sizeof(*rows));
    for (size_t i = 0; rows && i < n; i++)
        rows[i] = row_of(&comparison->contenders[i % comparison->n], i / comparison->n);
    if (rows)
        qsort(rows, n, sizeof(*rows), compare_places);
    for (size_t i = 0; rows && i < n; i++)
        rows[i].error = rows[i].ok ? NULL : rows[i].why.text;
    return rows;
}

/* -- deltas -- */

typedef struct Curve {
    const TuneGates *gates;
    RatePoint *points;
    size_t n;
} Curve;

static void count_encode(void *cookie, const MeasuredEncode *encode)
{
    (void)encode;
    ++*(size_t *)cookie;
}

static void take_point(void *cookie, const MeasuredEncode *encode)
{
    Curve *curve = cookie;
    double values[SEARCH_MAX_GATES];
    Message why;
    if (!encode->error && !tune_gates_values(curve->gates, encode, values, &why))
        curve->points[curve->n++] = (RatePoint){encode->kbps, values[0]};
}

static bool take_curve(const Contender *contender, Curve *curve)
{
    size_t most = 0;
    search_group_each(&contender->group, count_encode, &most);
    *curve = (Curve){
        .gates = &contender->group.plan.gates,
        .points = calloc(most + 1, sizeof(*curve->points)),
    };
    if (curve->points)
        search_group_each(&contender->group, take_point, curve);
    return curve->points != NULL;
}

/* Rate of one contender relative to another, on the hulls of all that was measured of them. */
static BdStatus compare_delta(const Contender *reference, const Contender *test, double *fraction)
{
    const BdOptions options = {
        .hull = true,
        .min_quality = -INFINITY,
        .max_quality = INFINITY,
    };
    Curve curves[2] = {{0}, {0}};
    BdStatus status = BD_OUT_OF_MEMORY;
    *fraction = NAN;
    if (take_curve(reference, &curves[0]) && take_curve(test, &curves[1])) {
        const RateCurve a = {curves[0].points, curves[0].n}, b = {curves[1].points, curves[1].n};
        status = bd_rate(&a, &b, &options, fraction);
    }
    free(curves[0].points);
    free(curves[1].points);
    return status;
}

static size_t count_rows(const Comparison *comparison)
{
    return comparison->n * comparison->n_targets;
}

/* -- JSON -- */

static int put_number(json_t *json, const char *key, double number)
{
    return json_put(json, key, json_number_or_null(number));
}

static int put_text(json_t *json, const char *key, const char *text)
{
    return json_put(json, key, json_text_or_null(text));
}

/* What tells how it was found; nothing of an encoder that could not take part. */
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
    if (!json)
        return NULL;
    int err = put_text(json, "codec", row->contender->token);
    err |= put_text(json, "encoder_version", row->version && *row->version ? row->version : NULL);
    err |= json_put(json, "best_crf", json_integer(row->q));
    err |= put_number(json, "bitrate_kbps", row->kbps);
    err |= put_number(json, "encode_time_ms", row->encode_ms);
    err |= put_number(json, "vmaf_score", row->score);
    err |= put_number(json, "target_vmaf", comparison->targets[row->target]);
    err |= json_put(json, "ok", json_boolean(row->ok));
    err |= put_text(json, "error", row->error);
    if (!row->run)
        err |= json_put(json, "samples", json_array());
    if (!err)
        return json;
    json_decref(json);
    return NULL;
}

static json_t *delta_json(const Contender *reference, const Contender *test)
{
    double fraction;
    json_t *json = json_object();
    const BdStatus status = compare_delta(reference, test, &fraction);
    int err = put_text(json, "reference", reference->token);
    err |= put_text(json, "codec", test->token);
    err |= put_number(json, "bd_rate", fraction);
    err |= put_text(json, "error", status == BD_OK ? NULL : bd_status_text(status));
    if (!err)
        return json;
    json_decref(json);
    return NULL;
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

static json_t *document(const Comparison *comparison, const CompareRow *rows)
{
    json_t *json = json_object(), *list = json_array(), *targets = json_array();
    for (size_t i = 0; list && i < count_rows(comparison); i++)
        json_array_append_new(list, row_json(comparison, &rows[i]));
    for (size_t i = 0; targets && i < comparison->n_targets; i++)
        json_array_append_new(targets, json_number_or_null(comparison->targets[i]));
    int err = put_text(json, "schema", "vmaf-tune-compare/v1");
    err |= search_put_source(json, comparison->video, comparison->options);
    err |= put_text(json, "preset", comparison->preset);
    err |= put_number(json, "target_vmaf", comparison->targets[0]);
    err |= put_text(json, "tool_version", vmaf_version());
    err |= put_number(json, "wall_time_ms", comparison->wall_ms);
    err |= put_text(json, "vmaf_model", comparison->measurer->model);
    err |= json_put(json, "model_calibrated", json_boolean(comparison->measurer->is_calibrated));
    err |= put_text(json, "clip_mode", comparison->measurer->clip_mode);
    err |= json_put(json, "targets", targets);
    err |= json_put(json, "rows", list);
    if (comparison->has_deltas)
        err |= json_put(json, "bd_rates", deltas_json(comparison));
    if (!err)
        return json;
    json_decref(json);
    return NULL;
}

int compare_print_json(const Comparison *comparison, const CompareRow *rows, FILE *out)
{
    json_t *json = document(comparison, rows);
    const int err = json ? json_document_print(json, 2, out) : -ENOMEM;
    fputc('\n', out);
    json_decref(json);
    return err;
}

/* -- CSV -- */

void compare_print_csv(const Comparison *comparison, const CompareRow *rows, FILE *out)
{
    fputs("codec,encoder_version,best_crf,bitrate_kbps,encode_time_ms,vmaf_score,target_vmaf,ok,"
          "error\n",
          out);
    for (size_t i = 0; i < count_rows(comparison); i++) {
        const CompareRow *row = &rows[i];
        const double numbers[] = {row->kbps, row->encode_ms, row->score,
                                  comparison->targets[row->target]};
        csv_text(out, row->contender->token);
        fputc(',', out);
        csv_text(out, row->version);
        fprintf(out, ",%d", row->q);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            fputc(',', out);
            csv_number(out, numbers[k]);
        }
        fprintf(out, ",%s,", row->ok ? "true" : "false");
        csv_text(out, row->error);
        fputc('\n', out);
    }
}

/* -- Markdown -- */

static void print_row(const CompareRow *row, size_t rank, FILE *out)
{
    fputs("| ", out);
    markdown_number(out, "%.0f", row->ok ? (double)rank : NAN);
    fputs(" | ", out);
    markdown_text(out, row->contender->token);
    fputs(" | ", out);
    markdown_text(out, row->version);
    fputs(" | ", out);
    markdown_number(out, "%.0f", row->ok ? (double)row->q : NAN);
    fputs(" | ", out);
    markdown_number(out, "%.1f", row->kbps);
    fputs(" | ", out);
    markdown_number(out, "%.1f", row->encode_ms);
    fputs(" | ", out);
    markdown_number(out, "%.2f", row->score);
    fputs(row->ok ? " | ok" : " | fail: ", out);
    if (!row->ok)
        markdown_text(out, row->error);
    fputs(" |\n", out);
}

static void print_target(const Comparison *comparison, const CompareRow *rows, FILE *out)
{
    fputs("| Rank | Codec | Encoder | Best CRF | Bitrate (kbps) | Encode time (ms) | VMAF | Status "
          "|\n|---:|---|---|---:|---:|---:|---:|---|\n",
          out);
    for (size_t i = 0; i < comparison->n; i++)
        print_row(&rows[i], i + 1, out);
    if (rows[0].ok)
        fprintf(out, "\n**Smallest file**: `%s` at CRF %d \xe2\x86\x92 %.1f kbps (VMAF %.2f).\n",
                rows[0].contender->token, rows[0].q, rows[0].kbps, rows[0].score);
    else
        fputs("\n**No codec succeeded.**\n", out);
}

static void print_delta(const Contender *reference, const Contender *test, FILE *out)
{
    double fraction;
    fputs(" | ", out);
    if (reference == test || !reference->is_usable || !test->is_usable ||
        compare_delta(reference, test, &fraction) != BD_OK)
        fraction = NAN;
    markdown_number(out, "%+.2f %%", 100 * fraction);
}

static void print_deltas(const Comparison *comparison, FILE *out)
{
    fputs("\n## BD-rate\n\nBitrate of a row's codec relative to that of a column, at equal VMAF on "
          "average; less is better.\n\n| Codec",
          out);
    for (size_t c = 0; c < comparison->n; c++) {
        fputs(" | ", out);
        markdown_text(out, comparison->contenders[c].token);
    }
    fputs(" |\n|---", out);
    for (size_t c = 0; c < comparison->n; c++)
        fputs("|---:", out);
    fputs("|\n", out);
    for (size_t r = 0; r < comparison->n; r++) {
        fputs("| ", out);
        markdown_text(out, comparison->contenders[r].token);
        for (size_t c = 0; c < comparison->n; c++)
            print_delta(&comparison->contenders[c], &comparison->contenders[r], out);
        fputs(" |\n", out);
    }
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
    if (comparison->has_deltas)
        print_deltas(comparison, out);
}
