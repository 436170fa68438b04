/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The JSON report of a run, read back. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/golden.h"
#include "libvmaf/libvmaf_ext.h"
#include "platform/path.h"
#include "platform/process.h"

json_t *golden_report(GoldenOutcome *outcome)
{
    char path[600];
    json_t *report = NULL;
    snprintf(path, sizeof(path), "%s/golden-report-%d.json", vmaf_folder_temporary(),
             vmaf_process_id());
    if (!vmaf_write_output_with_format(outcome->context, path, VMAF_OUTPUT_FORMAT_JSON, "%.17g"))
        report = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    remove(path);
    return report;
}

static const char *report_name(const json_t *metric)
{
    const char *name = json_string_value(json_object_get(metric, "report"));
    return name ? name : json_string_value(json_object_get(metric, "key"));
}

/*
 * Compares a number of the report with a golden one. Values that are not finite are null in JSON,
 * and "-0" is read back as the integer 0.
 */
static int same_value(const json_t *value, const json_t *golden)
{
    if (json_is_string(golden))
        return json_is_null(value);
    return json_is_number(value) && json_number_value(value) == golden_number(golden);
}

/* The golden value of a metric at a frame; NULL if there is none. */
static const json_t *value_at(const json_t *metric, size_t frame)
{
    const json_t *value = json_array_get(json_object_get(metric, "values"), frame);
    return json_is_null(value) ? NULL : value;
}

/* A frame must have exactly the scores of the metrics that have one, in their order. */
static void compare_frame(GoldenDifferences *d, const json_t *metrics, const json_t *frame,
                          size_t index)
{
    json_t *members = json_object_get(frame, "metrics");
    void *member = json_object_iter(members);
    size_t i;
    json_t *metric;
    json_array_foreach((json_t *)metrics, i, metric)
    {
        const json_t *golden = value_at(metric, index);
        if (!golden)
            continue;
        const char *name = member ? json_object_iter_key(member) : "(nothing)";
        if (strcmp(name, report_name(metric)) != 0) {
            golden_differs(d, "report, frame %zu: %s where %s is expected", index, name,
                           report_name(metric));
            return;
        }
        if (!same_value(json_object_iter_value(member), golden))
            golden_differs(d, "report, frame %zu: %s differs", index, name);
        member = json_object_iter_next(members, member);
    }
    if (member)
        golden_differs(d, "report, frame %zu: unexpected %s", index, json_object_iter_key(member));
}

static int has_scores(const json_t *metrics, size_t index)
{
    size_t i;
    json_t *metric;
    json_array_foreach((json_t *)metrics, i, metric)
    {
        if (value_at(metric, index))
            return 1;
    }
    return 0;
}

static void compare_frames(GoldenDifferences *d, const json_t *run, const json_t *report)
{
    const json_t *metrics = json_object_get(run, "metrics");
    const json_t *frames = json_object_get(report, "frames");
    const size_t n = (size_t)json_integer_value(json_object_get(run, "frames"));
    const size_t subsample = (size_t)json_integer_value(json_object_get(run, "subsample"));
    size_t row = 0;
    for (size_t index = 0; index < n; ++index) {
        if ((subsample > 1 && index % subsample) || !has_scores(metrics, index))
            continue;
        const json_t *frame = json_array_get(frames, row++);
        if ((size_t)json_integer_value(json_object_get(frame, "frameNum")) != index)
            golden_differs(d, "report: frame %zu is not in its place", index);
        else
            compare_frame(d, metrics, frame, index);
    }
    if (json_array_size(frames) != row)
        golden_differs(d, "report: %zu frames instead of %zu", json_array_size(frames), row);
}

static void compare_pooled(GoldenDifferences *d, const json_t *run, const json_t *report)
{
    static const char *const poolings[] = {"min", "max", "mean", "harmonic_mean"};
    json_t *members = json_object_get(report, "pooled_metrics");
    void *member = json_object_iter(members);
    size_t i;
    json_t *metric;
    json_array_foreach(json_object_get(run, "metrics"), i, metric)
    {
        const char *name = member ? json_object_iter_key(member) : "(nothing)";
        if (strcmp(name, report_name(metric)) != 0) {
            golden_differs(d, "report, pooled: %s where %s is expected", name, report_name(metric));
            return;
        }
        const json_t *pooled = json_object_iter_value(member);
        for (size_t p = 0; p < sizeof poolings / sizeof poolings[0]; ++p) {
            const json_t *value = json_object_get(pooled, poolings[p]);
            const json_t *golden = json_object_get(metric, poolings[p]);
            if (golden ? !same_value(value, golden) : value != NULL)
                golden_differs(d, "report, pooled: %s of %s differs", poolings[p], name);
        }
        member = json_object_iter_next(members, member);
    }
    if (member)
        golden_differs(d, "report, pooled: unexpected %s", json_object_iter_key(member));
}

static void compare_aggregates(GoldenDifferences *d, const json_t *run, const json_t *report)
{
    json_t *expected = json_object_get(run, "aggregate");
    const json_t *written = json_object_get(report, "aggregate_metrics");
    const char *name;
    json_t *golden;
    json_object_foreach(expected, name, golden)
    {
        if (!same_value(json_object_get(written, name), golden))
            golden_differs(d, "report, aggregate: %s differs", name);
    }
    if (json_object_size(written) != json_object_size(expected))
        golden_differs(d, "report: %zu aggregates instead of %zu", json_object_size(written),
                       json_object_size(expected));
}

void golden_compare_report(GoldenDifferences *differences, const json_t *run,
                           GoldenOutcome *outcome)
{
    json_t *report = golden_report(outcome);
    if (!report) {
        golden_differs(differences, "the JSON report cannot be written or read back");
        return;
    }
    compare_frames(differences, run, report);
    compare_pooled(differences, run, report);
    compare_aggregates(differences, run, report);
    json_decref(report);
}
