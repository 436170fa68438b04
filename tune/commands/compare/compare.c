/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/compare/compare.h"

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

BdStatus compare_delta(const Contender *reference, const Contender *test, double *fraction)
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
