/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/bd_rate/bd_report.h"

#include "tune/rows/json_document.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static BdSource compare(const SourceCurve *reference, const SourceCurve *test,
                        const BdRequest *request)
{
    const RateCurve a = {reference->points, reference->n}, b = {test->points, test->n};
    BdSource source = {.name = *reference->name ? reference->name : test->name,
                       .n_reference = reference->n,
                       .n_test = test->n,
                       .rate = {.value = NAN},
                       .quality = {.value = NAN},
                       .rate_at = {.value = NAN}};
    source.rate.status = bd_rate(&a, &b, &request->options, &source.rate.value);
    source.quality.status = bd_quality(&a, &b, &request->options, &source.quality.value);
    if (!isnan(request->percent))
        source.rate_at.status =
            bd_rate_at(&a, &b, &request->options, request->percent, &source.rate_at.value);
    return source;
}

/* The curve of `test` that belongs to one of the reference; NULL: none. */
static const SourceCurve *partner(const CurveSet *reference, const CurveSet *test, size_t i)
{
    const bool single = reference->n == 1 && test->n == 1;
    if (single && (!*reference->curves[0].source || !*test->curves[0].source))
        return &test->curves[0];
    return curve_set_find(test, reference->curves[i].source);
}

typedef struct Mean {
    double sum;
    size_t n;
} Mean;

static void mean_add(Mean *mean, double value)
{
    if (isnan(value))
        return;
    mean->sum += value;
    mean->n++;
}

static double mean_of(Mean mean)
{
    return mean.n ? mean.sum / (double)mean.n : NAN;
}

static void summarise(BdReport *report)
{
    Mean rate = {0}, rate_at = {0}, quality = {0};
    for (size_t i = 0; i < report->n; i++) {
        mean_add(&rate, log1p(report->sources[i].rate.value));
        mean_add(&rate_at, log1p(report->sources[i].rate_at.value));
        mean_add(&quality, report->sources[i].quality.value);
    }
    /* For a single source, the mean is the source's own value, to the last bit. */
    report->rate =
        rate.n == 1 && report->n == 1 ? report->sources[0].rate.value : expm1(mean_of(rate));
    report->rate_at = rate_at.n == 1 && report->n == 1 ? report->sources[0].rate_at.value
                                                       : expm1(mean_of(rate_at));
    report->quality = mean_of(quality);
}

int bd_report_make(BdReport *report, const CurveSet *reference, const CurveSet *test,
                   const BdRequest *request, Message *message)
{
    *report = (BdReport){.sources = calloc(reference->n + 1, sizeof(BdSource))};
    if (!report->sources)
        return message_set(message, -ENOMEM, "out of memory");
    for (size_t i = 0; i < reference->n; i++) {
        const SourceCurve *other = partner(reference, test, i);
        if (other)
            report->sources[report->n++] = compare(&reference->curves[i], other, request);
    }
    report->n_alone = reference->n + test->n - 2 * report->n;
    if (!report->n) {
        bd_report_free(report);
        return message_set(message, -EINVAL, "no source is in both");
    }
    summarise(report);
    return 0;
}

void bd_report_free(BdReport *report)
{
    free(report->sources);
    *report = (BdReport){0};
}

/* -- text -- */

static void print_rate(FILE *out, const BdDelta *delta)
{
    if (delta->status == BD_OK)
        fprintf(out, "%+.2f %%\n", 100 * delta->value);
    else
        fprintf(out, "none: %s\n", bd_status_text(delta->status));
}

static void print_deltas(FILE *out, const BdSource *source, const BdRequest *request)
{
    fputs("BD-rate: ", out);
    print_rate(out, &source->rate);
    if (!isnan(request->percent)) {
        fprintf(out, "rate at %g %% of the common interval: ", request->percent);
        print_rate(out, &source->rate_at);
    }
    fputs("BD-quality: ", out);
    if (source->quality.status == BD_OK)
        fprintf(out, "%+.4f\n", source->quality.value);
    else
        fprintf(out, "none: %s\n", bd_status_text(source->quality.status));
}

void bd_report_print_text(const BdReport *report, const BdRequest *request, const BdNames *names,
                          FILE *out)
{
    fprintf(out, "%s against %s, %s\n", names->test, names->reference, names->metric);
    if (report->n == 1) {
        print_deltas(out, &report->sources[0], request);
        return;
    }
    for (size_t i = 0; i < report->n; i++) {
        fprintf(out, "\n%s\n", report->sources[i].name);
        print_deltas(out, &report->sources[i], request);
    }
    fprintf(out, "\nmean of %zu sources\n", report->n);
    const BdSource mean = {
        .rate = {isnan(report->rate) ? BD_NO_OVERLAP : BD_OK, report->rate},
        .rate_at = {isnan(report->rate_at) ? BD_NO_OVERLAP : BD_OK, report->rate_at},
        .quality = {isnan(report->quality) ? BD_NO_OVERLAP : BD_OK, report->quality}};
    print_deltas(out, &mean, request);
}

/* -- JSON -- */

static int put_delta(json_t *json, const char *key, const char *error_key, const BdDelta *delta)
{
    if (json_put(json, key, json_number_or_null(delta->value)))
        return -ENOMEM;
    if (delta->status == BD_OK)
        return 0;
    return json_put(json, error_key, json_text_or_null(bd_status_text(delta->status)));
}

static int put_source(json_t *array, const BdSource *source, bool has_at)
{
    json_t *json = json_object();
    if (!json || json_array_append_new(array, json))
        return -ENOMEM;
    if (json_put(json, "src", json_text_or_null(source->name)) ||
        json_put(json, "reference_points", json_integer((json_int_t)source->n_reference)) ||
        json_put(json, "test_points", json_integer((json_int_t)source->n_test)) ||
        put_delta(json, "bd_rate", "bd_rate_error", &source->rate) ||
        put_delta(json, "bd_quality", "bd_quality_error", &source->quality))
        return -ENOMEM;
    return has_at ? put_delta(json, "bd_rate_at", "bd_rate_at_error", &source->rate_at) : 0;
}

static int put_report(json_t *json, const BdReport *report, const BdRequest *request,
                      const BdNames *names)
{
    const bool has_at = !isnan(request->percent);
    json_t *sources = json_array();
    if (json_put(json, "sources", sources) ||
        json_put(json, "schema", json_string("vmaf-tune-bd-rate/v1")) ||
        json_put(json, "reference", json_text_or_null(names->reference)) ||
        json_put(json, "test", json_text_or_null(names->test)) ||
        json_put(json, "metric", json_text_or_null(names->metric)) ||
        json_put(json, "hull", json_boolean(request->options.hull)) ||
        json_put(json, "exact", json_boolean(request->options.exact)) ||
        json_put(json, "min_metric", json_number_or_null(request->options.min_quality)) ||
        json_put(json, "max_metric", json_number_or_null(request->options.max_quality)) ||
        json_put(json, "bd_rate", json_number_or_null(report->rate)) ||
        json_put(json, "bd_rate_percent", json_number_or_null(100 * report->rate)) ||
        json_put(json, "bd_quality", json_number_or_null(report->quality)) ||
        (has_at && (json_put(json, "at_percent", json_number_or_null(request->percent)) ||
                    json_put(json, "bd_rate_at", json_number_or_null(report->rate_at)))))
        return -ENOMEM;
    for (size_t i = 0; i < report->n; i++)
        if (put_source(sources, &report->sources[i], has_at))
            return -ENOMEM;
    return 0;
}

int bd_report_print_json(const BdReport *report, const BdRequest *request, const BdNames *names,
                         FILE *out)
{
    json_t *json = json_object();
    int err = json ? put_report(json, report, request, names) : -ENOMEM;
    if (!err)
        err = json_document_print(json, 2, out);
    fputc('\n', out);
    json_decref(json);
    return err;
}
