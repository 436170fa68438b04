/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/benchmark/benchmark.h"

#include "tune/commands/row_choice.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Usable rows, and the names that they have. */
typedef struct Material {
    const Row **rows;
    EncodePoint *points; /* room for those of one encoder and source */
    size_t n;
    const char **encoders, **sources;
    size_t n_encoders, n_sources;
} Material;

static void material_free(Material *material)
{
    free(material->rows);
    free(material->points);
    free(material->encoders);
    free(material->sources);
}

static const char *encoder_of(const Row *row)
{
    return row->encoder ? row->encoder : "";
}

static void add_name(const char **names, size_t *n, const char *name)
{
    for (size_t i = 0; i < *n; i++)
        if (!strcmp(names[i], name))
            return;
    names[(*n)++] = name;
}

static int gather(Material *material, const Row *rows, size_t n)
{
    *material = (Material){.rows = calloc(n + 1, sizeof(*material->rows)),
                           .points = calloc(n + 1, sizeof(*material->points)),
                           .encoders = calloc(n + 1, sizeof(*material->encoders)),
                           .sources = calloc(n + 1, sizeof(*material->sources))};
    if (!material->rows || !material->points || !material->encoders || !material->sources)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        if (!row_is_usable(&rows[i]) || isnan(row_kbps(&rows[i])))
            continue;
        material->rows[material->n++] = &rows[i];
        add_name(material->encoders, &material->n_encoders, encoder_of(&rows[i]));
        add_name(material->sources, &material->n_sources, row_source(&rows[i]));
    }
    return 0;
}

/* -- one encoder -- */

/* Makes choose_cheapest prefer the lowest quality value among equals: compression is taken to fall
 * as the value rises. */
static const Knob lowest_first = {.lowest = 0, .highest = 100, .higher_is_better = true};

static void choose(const Material *material, size_t n, double target, BenchmarkSource *source)
{
    Choice choice = choose_cheapest(&lowest_first, material->points, n, target);
    source->met = choice.status == CHOICE_MET;
    if (!source->met) {
        /* The cheapest of those with the best score. */
        const double best = material->points[choice.index].score;
        choice = choose_cheapest(&lowest_first, material->points, n, best);
    }
    source->best = material->rows[material->points[choice.index].source];
}

/* Rows of an encoder and a source become points; their number. */
static size_t select_rows(const Material *material, const char *encoder, const char *source)
{
    size_t n = 0;
    for (size_t i = 0; i < material->n; i++)
        if (!strcmp(encoder_of(material->rows[i]), encoder) &&
            !strcmp(row_source(material->rows[i]), source))
            material->points[n++] = point_of_row(material->rows[i], i);
    return n;
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

static double mean_of(const Mean *mean)
{
    return mean->n ? mean->sum / (double)mean->n : NAN;
}

static int count_rows(const Material *material, BenchmarkEntry *entry)
{
    Mean encode = {0}, score = {0};
    const char **presets = calloc(material->n + 1, sizeof(*presets));
    if (!presets)
        return -ENOMEM;
    for (size_t i = 0; i < material->n; i++) {
        const Row *row = material->rows[i];
        if (strcmp(encoder_of(row), entry->encoder))
            continue;
        entry->n_rows++;
        add_name(presets, &entry->n_presets, row->preset ? row->preset : "");
        mean_add(&encode, row_encode_fps(row));
        mean_add(&score, row_score_fps(row));
    }
    free(presets);
    entry->encode_fps = mean_of(&encode);
    entry->score_fps = mean_of(&score);
    return 0;
}

/* For a single source, the result is the source's own number (`last`), to the last bit. */
static double geometric_mean(const Mean *logarithms, double last)
{
    return logarithms->n == 1 ? last : exp(mean_of(logarithms));
}

static int make_entry(const Material *material, BenchmarkEntry *entry, double target)
{
    Mean score = {0}, log_kbps = {0};
    double last = NAN;
    entry->met = true;
    entry->margin = INFINITY;
    entry->sources = calloc(material->n_sources, sizeof(*entry->sources));
    if (!entry->sources)
        return -ENOMEM;
    for (size_t s = 0; s < material->n_sources; s++) {
        const size_t n = select_rows(material, entry->encoder, material->sources[s]);
        if (!n)
            continue;
        BenchmarkSource *source = &entry->sources[entry->n_sources++];
        *source = (BenchmarkSource){.source = s, .delta_pct = NAN};
        choose(material, n, target, source);
        entry->met = entry->met && source->met;
        entry->margin = fmin(entry->margin, source->best->vmaf_score - target);
        mean_add(&score, source->best->vmaf_score);
        last = source->best->bitrate_kbps;
        mean_add(&log_kbps, log(last));
    }
    entry->score = mean_of(&score);
    entry->kbps = geometric_mean(&log_kbps, last);
    return count_rows(material, entry);
}

/* -- the baseline -- */

static const BenchmarkSource *source_of(const BenchmarkEntry *entry, size_t source)
{
    for (size_t i = 0; i < entry->n_sources; i++)
        if (entry->sources[i].source == source)
            return &entry->sources[i];
    return NULL;
}

/* Sources that all encoders have which reach the target. */
static bool all_have(const Benchmark *benchmark, size_t source)
{
    for (size_t e = 0; e < benchmark->n; e++)
        if (benchmark->entries[e].met && !source_of(&benchmark->entries[e], source))
            return false;
    return true;
}

static double shared_cost(const Benchmark *benchmark, const BenchmarkEntry *entry)
{
    Mean log_kbps = {0};
    for (size_t i = 0; i < entry->n_sources; i++)
        if (all_have(benchmark, entry->sources[i].source))
            mean_add(&log_kbps, log(entry->sources[i].best->bitrate_kbps));
    return mean_of(&log_kbps);
}

/* NULL: none reaches the target, or there is no source that all of these have. */
static const BenchmarkEntry *cheapest(const Benchmark *benchmark)
{
    const BenchmarkEntry *best = NULL;
    double least = INFINITY;
    for (size_t e = 0; e < benchmark->n; e++) {
        const BenchmarkEntry *entry = &benchmark->entries[e];
        const double cost = entry->met ? shared_cost(benchmark, entry) : NAN;
        if (cost < least || (best && cost == least && strcmp(entry->encoder, best->encoder) < 0)) {
            best = entry;
            least = cost;
        }
    }
    return best;
}

static const BenchmarkEntry *find(const Benchmark *benchmark, const char *encoder)
{
    for (size_t e = 0; e < benchmark->n; e++)
        if (!strcmp(benchmark->entries[e].encoder, encoder))
            return &benchmark->entries[e];
    return NULL;
}

static double percent_more(double kbps, double than)
{
    return 100 * (kbps - than) / than;
}

static void compare(BenchmarkEntry *entry, const BenchmarkEntry *baseline)
{
    Mean log_ratio = {0};
    double last = NAN;
    for (size_t i = 0; i < entry->n_sources; i++) {
        BenchmarkSource *source = &entry->sources[i];
        const BenchmarkSource *base = source_of(baseline, source->source);
        if (!base)
            continue;
        last = percent_more(source->best->bitrate_kbps, base->best->bitrate_kbps);
        source->delta_pct = last;
        mean_add(&log_ratio, log(source->best->bitrate_kbps / base->best->bitrate_kbps));
    }
    entry->delta_pct =
        log_ratio.n == 1 ? last : 100 * expm1(mean_of(&log_ratio)); /* NAN without any */
}

/* -- order -- */

static int compare_costs(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int compare_entries(const void *a, const void *b)
{
    const BenchmarkEntry *x = a, *y = b;
    if (x->met != y->met)
        return x->met ? -1 : 1;
    /* Absolute bitrates over several sources do not compare encoders that lack some of them. */
    int order = compare_costs(x->delta_pct, y->delta_pct);
    if (!order)
        order = compare_costs(x->kbps, y->kbps);
    return order ? order : strcmp(x->encoder, y->encoder);
}

static int fill(Benchmark *benchmark, const Material *material, const BenchmarkOptions *options,
                Message *message)
{
    benchmark->entries = calloc(material->n_encoders + 1, sizeof(*benchmark->entries));
    if (!benchmark->entries)
        return -ENOMEM;
    for (size_t e = 0; e < material->n_encoders; e++) {
        BenchmarkEntry *entry = &benchmark->entries[benchmark->n++];
        *entry = (BenchmarkEntry){.encoder = material->encoders[e], .delta_pct = NAN};
        if (make_entry(material, entry, options->target))
            return -ENOMEM;
    }
    const BenchmarkEntry *baseline =
        options->baseline ? find(benchmark, options->baseline) : cheapest(benchmark);
    if (options->baseline && !baseline)
        return message_set(message, -EINVAL, "there is no usable row of the baseline %.100s",
                           options->baseline);
    for (size_t e = 0; baseline && e < benchmark->n; e++)
        compare(&benchmark->entries[e], baseline);
    benchmark->baseline = baseline ? baseline->encoder : NULL;
    qsort(benchmark->entries, benchmark->n, sizeof(*benchmark->entries), compare_entries);
    return 0;
}

int benchmark_make(Benchmark *benchmark, const Row *rows, size_t n, const BenchmarkOptions *options,
                   Message *message)
{
    Material material;
    *benchmark = (Benchmark){.target = options->target};
    int err = gather(&material, rows, n);
    if (!err && !material.n)
        err = message_set(message, -ENODATA, "no row has succeeded and has score and bitrate");
    if (!err)
        err = fill(benchmark, &material, options, message);
    if (err == -ENOMEM)
        message_set(message, err, "out of memory");
    benchmark->n_sources = material.n_sources;
    benchmark->n_skipped = n - material.n;
    material_free(&material);
    if (err)
        benchmark_free(benchmark);
    return err;
}

void benchmark_free(Benchmark *benchmark)
{
    for (size_t e = 0; e < benchmark->n; e++)
        free(benchmark->entries[e].sources);
    free(benchmark->entries);
    *benchmark = (Benchmark){0};
}

const char *benchmark_preset(const BenchmarkEntry *entry)
{
    const char *preset = entry->sources[0].best->preset;
    for (size_t i = 1; i < entry->n_sources; i++) {
        const char *other = entry->sources[i].best->preset;
        if (!preset || !other || strcmp(preset, other) != 0)
            return "";
    }
    return preset ? preset : "";
}

int64_t benchmark_crf(const BenchmarkEntry *entry)
{
    const int64_t crf = entry->sources[0].best->crf;
    for (size_t i = 1; i < entry->n_sources; i++)
        if (entry->sources[i].best->crf != crf)
            return ROW_NO_INTEGER;
    return crf;
}
