/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "golden/golden.h"

void golden_differs(GoldenDifferences *differences, const char *format, ...)
{
    enum { PRINTED = 12 };
    if (differences->n++ >= PRINTED)
        return;
    va_list arguments;
    va_start(arguments, format);
    fputs("    ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

double golden_number(const json_t *value)
{
    const char *text = json_string_value(value);
    if (!text)
        return json_number_value(value);
    if (!strcmp(text, "inf"))
        return (double)INFINITY;
    if (!strcmp(text, "-inf"))
        return -(double)INFINITY;
    return (double)NAN;
}

int golden_same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static const char *text(const json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));
    return value ? value : "";
}

/* Compares a score with its golden value; NULL or JSON null: there must be no score. */
static void compare_score(GoldenDifferences *d, const char *key, const char *what, int err,
                          double score, const json_t *golden)
{
    if (!golden || json_is_null(golden)) {
        if (!err)
            golden_differs(d, "%s %s: %.17g where no score is expected", key, what, score);
    } else if (err) {
        golden_differs(d, "%s %s: error %d", key, what, err);
    } else if (!golden_same(score, golden_number(golden))) {
        golden_differs(d, "%s %s: %.17g, golden %.17g", key, what, score, golden_number(golden));
    }
}

static const struct {
    const char *name;
    enum VmafPoolingMethod method;
} poolings[] = {
    {"min", VMAF_POOL_METHOD_MIN},
    {"max", VMAF_POOL_METHOD_MAX},
    {"mean", VMAF_POOL_METHOD_MEAN},
    {"harmonic_mean", VMAF_POOL_METHOD_HARMONIC_MEAN},
};

static void compare_metric(GoldenDifferences *d, const json_t *metric, const GoldenOutcome *o)
{
    const char *key = text(metric, "key");
    size_t i;
    json_t *value;
    double score = 0.0;
    json_array_foreach(json_object_get(metric, "values"), i, value)
    {
        char frame[32];
        snprintf(frame, sizeof frame, "frame %zu", i);
        const int err = vmaf_feature_score_at_index(o->context, key, &score, (unsigned)i);
        compare_score(d, key, frame, err, score, value);
    }
    for (i = 0; i < sizeof poolings / sizeof poolings[0]; ++i) {
        const int err = vmaf_feature_score_pooled(o->context, key, poolings[i].method, &score, 0,
                                                  o->frames - 1);
        compare_score(d, key, poolings[i].name, err, score,
                      json_object_get(metric, poolings[i].name));
    }
}

/* The models' own scores must equal those in the collector under their names. */
static void compare_models(GoldenDifferences *d, const json_t *run, const GoldenOutcome *o)
{
    for (unsigned i = 0; i < o->n_models; ++i) {
        const char *name = text(json_array_get(json_object_get(run, "models"), i), "name");
        double score, stored;
        if (vmaf_score_at_index(o->context, o->model[i], &score, 0) ||
            vmaf_feature_score_at_index(o->context, name, &stored, 0) ||
            !golden_same(score, stored))
            golden_differs(d, "model %s: vmaf_score_at_index is not the stored score", name);
        if (vmaf_score_pooled(o->context, o->model[i], VMAF_POOL_METHOD_MEAN, &score, 0,
                              o->frames - 1) ||
            vmaf_feature_score_pooled(o->context, name, VMAF_POOL_METHOD_MEAN, &stored, 0,
                                      o->frames - 1) ||
            !golden_same(score, stored))
            golden_differs(d, "model %s: vmaf_score_pooled is not the stored score", name);
        if (!o->collection[i])
            continue;

        VmafModelCollectionScore mean;
        const json_t *golden = json_object_get(run, "bootstrap_mean");
        const int err = vmaf_score_pooled_model_collection(
            o->context, o->collection[i], VMAF_POOL_METHOD_MEAN, &mean, 0, o->frames - 1);
        compare_score(d, name, "bootstrap mean", err, mean.bootstrap.bagging_score,
                      json_object_get(golden, "bagging_score"));
        compare_score(d, name, "bootstrap deviation", err, mean.bootstrap.stddev,
                      json_object_get(golden, "stddev"));
        compare_score(d, name, "bootstrap low", err, mean.bootstrap.ci.p95.lo,
                      json_object_get(golden, "ci_p95_lo"));
        compare_score(d, name, "bootstrap high", err, mean.bootstrap.ci.p95.hi,
                      json_object_get(golden, "ci_p95_hi"));
    }
}

static void compare_success(GoldenDifferences *d, const json_t *run, GoldenOutcome *o)
{
    if (o->stage) {
        golden_differs(d, "%s failed with %d at frame %u", o->stage, o->code, o->frames);
        return;
    }
    if (o->frames != (unsigned)json_integer_value(json_object_get(run, "frames")))
        golden_differs(d, "%u frames were read", o->frames);
    size_t i;
    json_t *metric;
    json_array_foreach(json_object_get(run, "metrics"), i, metric)
    {
        compare_metric(d, metric, o);
    }
    compare_models(d, run, o);
    golden_compare_report(d, run, o);
}

/* With worker threads the error of a frame may be reported by a later call. */
static int is_later(const GoldenOutcome *o, const json_t *run)
{
    const unsigned frame = (unsigned)json_integer_value(json_object_get(run, "frame"));
    return !strcmp(text(run, "stage"), "read_pictures") && o->frames >= frame &&
           (!strcmp(o->stage, "read_pictures") || !strcmp(o->stage, "flush"));
}

static void compare_error(GoldenDifferences *d, const json_t *run, const GoldenOutcome *o,
                          const GoldenSettings *settings)
{
    const json_t *frame = json_object_get(run, "frame");
    const int code = (int)json_integer_value(json_object_get(run, "code"));
    if (!o->stage) {
        golden_differs(d, "no error, golden %s %d", text(run, "stage"), code);
        return;
    }
    const int right_place = !strcmp(o->stage, text(run, "stage")) &&
                            (!frame || o->frames == (unsigned)json_integer_value(frame));
    if (o->code != code || !(right_place || (settings->threads && is_later(o, run))))
        golden_differs(d, "%s failed with %d at frame %u, golden %s %d at frame %d", o->stage,
                       o->code, o->frames, text(run, "stage"), code,
                       (int)json_integer_value(frame));
}

/* Without known scores, everything written must be finite. */
static void require_finite(GoldenDifferences *d, const json_t *run, GoldenOutcome *o)
{
    if (o->stage) {
        golden_differs(d, "%s failed with %d", o->stage, o->code);
        return;
    }
    json_t *report = golden_report(o);
    json_t *frames = json_object_get(report, "frames");
    if (!json_array_size(frames))
        golden_differs(d, "no scores (%s)", text(run, "id"));
    size_t i;
    json_t *frame;
    json_array_foreach(frames, i, frame)
    {
        const char *name;
        json_t *value;
        json_object_foreach(json_object_get(frame, "metrics"), name, value)
        {
            if (!json_is_number(value))
                golden_differs(d, "%s frame %zu is not finite", name, i);
        }
    }
    json_decref(report);
}

void golden_compare(GoldenDifferences *differences, const json_t *run, GoldenOutcome *outcome,
                    const GoldenSettings *settings)
{
    const char *status = text(run, "status");
    if (!strcmp(status, "ok"))
        compare_success(differences, run, outcome);
    else if (!strcmp(status, "error"))
        compare_error(differences, run, outcome, settings);
    else if (!strcmp(status, "finite") || (!strcmp(status, "undefined") && !outcome->stage))
        require_finite(differences, run, outcome);
    else if (strcmp(status, "undefined") != 0)
        golden_differs(differences, "the golden file has an unknown status: %s", status);
}
