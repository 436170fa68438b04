/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune benchmark: encoders of a corpus side by side. */
#include "tune/commands/benchmark.h"

#include "common/json.h"
#include "common/messages.h"
#include "tune/commands/commands.h"
#include "tune/session/corpus_rows.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was encoded: all frames, or those of a sample. */
static double frames_of(const Row *row)
{
    double seconds;
    if (row->frames != ROW_NO_INTEGER)
        return (double)row->frames;
    if (!row->clip_mode || sscanf(row->clip_mode, "sample_%lfs", &seconds) != 1)
        seconds = row->duration_s;
    return rint(seconds * row->framerate);
}

static double rate(double frames, double milliseconds)
{
    const double fps = 1000 * frames / milliseconds;
    return isfinite(fps) && fps > 0 ? fps : NAN;
}

double row_encode_fps(const Row *row)
{
    const double fps = rate(frames_of(row), row->encode_time_ms);
    return isnan(fps) ? row->encode_speed_fps : fps;
}

double row_score_fps(const Row *row)
{
    const double frames =
        row->score_frames != ROW_NO_INTEGER ? (double)row->score_frames : frames_of(row);
    const double fps = rate(frames, row->score_time_ms);
    return isnan(fps) ? row->score_speed_fps : fps;
}

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
static const QualityRange lowest_first = {.lowest = 0, .highest = 100, .higher_is_better = true};

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

static const char *status_of(bool met)
{
    return met ? "ok" : "unmet";
}

/* -- Markdown -- */

static void print_row(const BenchmarkEntry *entry, FILE *out)
{
    const int64_t crf = benchmark_crf(entry);
    fputs("| ", out);
    markdown_text(out, entry->encoder);
    fprintf(out, " | %s | ", status_of(entry->met));
    markdown_number(out, "%.2f", entry->score);
    fputs(" | ", out);
    markdown_number(out, "%.1f", entry->kbps);
    fputs(" | ", out);
    markdown_number(out, "%+.1f %%", entry->delta_pct);
    fputs(" | ", out);
    markdown_text(out, benchmark_preset(entry));
    fputs(" | ", out);
    markdown_number(out, "%.0f", crf == ROW_NO_INTEGER ? NAN : (double)crf);
    fprintf(out, " | %zu | ", entry->n_rows);
    markdown_number(out, "%.1f", entry->encode_fps);
    fputs(" | ", out);
    markdown_number(out, "%.1f", entry->score_fps);
    fputs(" |\n", out);
}

void benchmark_print_markdown(const Benchmark *benchmark, FILE *out)
{
    fprintf(out, "# Encoder benchmark \xe2\x80\x94 target VMAF %g\n\n", benchmark->target);
    fprintf(out, "- Sources: %zu\n- Baseline: ", benchmark->n_sources);
    markdown_text(out, benchmark->baseline);
    if (benchmark->n_sources > 1)
        fputs("\n- Scores are means, bitrates and their deltas geometric means over sources", out);
    if (benchmark->n > 1)
        fputs("\n- Bitrates are compared at the scores that were measured, which differ; `bd-rate` "
              "compares them at equal quality",
              out);
    fputs(
        "\n\n| Encoder | Status | VMAF | kbps | \xce\x94 kbps | Preset | CRF | Rows | Encode fps | "
        "Score fps |\n|---|---|---:|---:|---:|---|---:|---:|---:|---:|\n",
        out);
    for (size_t e = 0; e < benchmark->n; e++)
        print_row(&benchmark->entries[e], out);
}

/* -- CSV -- */

static void csv_next(FILE *out, double number)
{
    fputc(',', out);
    csv_number(out, number);
}

static void print_record(const BenchmarkEntry *entry, double target, FILE *out)
{
    const int64_t crf = benchmark_crf(entry);
    csv_text(out, entry->encoder);
    fprintf(out, ",%s", status_of(entry->met));
    csv_next(out, target);
    csv_next(out, entry->score);
    csv_next(out, entry->margin);
    csv_next(out, entry->kbps);
    csv_next(out, entry->delta_pct);
    fputc(',', out);
    csv_text(out, benchmark_preset(entry));
    fputc(',', out);
    if (crf != ROW_NO_INTEGER)
        fprintf(out, "%lld", (long long)crf);
    fprintf(out, ",%zu,%zu,%zu", entry->n_rows, entry->n_sources, entry->n_presets);
    csv_next(out, entry->encode_fps);
    csv_next(out, entry->score_fps);
    fputc('\n', out);
}

void benchmark_print_csv(const Benchmark *benchmark, FILE *out)
{
    fputs("encoder,status,target_vmaf,vmaf_score,margin,bitrate_kbps,bitrate_delta_pct,preset,crf,"
          "rows,source_count,preset_count,encode_fps,score_fps\n",
          out);
    for (size_t e = 0; e < benchmark->n; e++)
        print_record(&benchmark->entries[e], benchmark->target, out);
}

/* -- JSON -- */

static json_t *integer_or_null(int64_t value)
{
    return value == ROW_NO_INTEGER ? json_null() : json_integer(value);
}

static json_t *best_record(const Row *row)
{
    json_t *json = json_object();
    int err = json_put_text(json, "src", row->src);
    err |= json_put_text(json, "preset", row->preset);
    err |= json_put(json, "crf", integer_or_null(row->crf));
    err |= json_put_number(json, "vmaf_score", row->vmaf_score);
    err |= json_put_number(json, "bitrate_kbps", row->bitrate_kbps);
    err |= json_put_text(json, "vmaf_model", row->vmaf_model);
    return json_unless(err, json);
}

static json_t *sources_record(const BenchmarkEntry *entry)
{
    json_t *sources = json_array();
    int err = 0;
    for (size_t i = 0; i < entry->n_sources && !err; i++) {
        const BenchmarkSource *source = &entry->sources[i];
        json_t *json = json_object();
        err = json_put_text(json, "status", status_of(source->met));
        err |= json_put_number(json, "bitrate_delta_pct", source->delta_pct);
        err |= json_put(json, "best", best_record(source->best));
        err |= json_array_append_new(sources, json);
    }
    return json_unless(err, sources);
}

static json_t *entry_record(const BenchmarkEntry *entry, double target)
{
    json_t *json = json_object();
    int err = json_put_text(json, "encoder", entry->encoder);
    err |= json_put_text(json, "status", status_of(entry->met));
    err |= json_put_number(json, "target_vmaf", target);
    err |= json_put_number(json, "vmaf_score", entry->score);
    err |= json_put_number(json, "margin", entry->margin);
    err |= json_put_number(json, "bitrate_kbps", entry->kbps);
    err |= json_put_number(json, "bitrate_delta_pct", entry->delta_pct);
    err |= json_put_integer(json, "rows", entry->n_rows);
    err |= json_put_integer(json, "source_count", entry->n_sources);
    err |= json_put_integer(json, "preset_count", entry->n_presets);
    err |= json_put_number(json, "encode_fps", entry->encode_fps);
    err |= json_put_number(json, "score_fps", entry->score_fps);
    /* One row stands for an encoder only if there is one source. */
    err |= json_put(json, "best",
                    entry->n_sources == 1 ? best_record(entry->sources[0].best) : json_null());
    err |= json_put(json, "sources", sources_record(entry));
    return json_unless(err, json);
}

/* A new reference; NULL without memory. */
static json_t *benchmark_record(const Benchmark *benchmark)
{
    json_t *array = json_array();
    int err = array ? 0 : -ENOMEM;
    for (size_t e = 0; e < benchmark->n && !err; e++)
        err = json_array_append_new(array, entry_record(&benchmark->entries[e], benchmark->target));
    return json_unless(err, array);
}

/* -- the subcommand -- */

enum Format { FORMAT_MARKDOWN, FORMAT_JSON, FORMAT_CSV };

typedef struct Settings {
    const char *corpus, *baseline, *output;
    double target;
    int format;
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {"from-corpus", "FILE", "the rows (needed)", TEXT_AT(corpus), .file = TUNE_FILE_READ},
    {"target-vmaf", "X", "the score to be reached (92)", NUMBER_AT(target, 0, 100)},
    {"baseline-encoder", "NAME", "compare bitrates with this encoder's; default: the cheapest",
     TEXT_AT(baseline)},
    {"format", NULL, "how to print it (markdown)", CHOICE_AT(format, "markdown|json|csv")},
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .file = TUNE_FILE_TEXT},
};

static int print(const TuneCommand *command, const Settings *settings, const Benchmark *benchmark)
{
    TextBuffer text;
    if (settings->format == FORMAT_JSON)
        return result_print_json(command, settings->output, benchmark_record(benchmark));
    if (text_begin(&text) && settings->format == FORMAT_CSV)
        benchmark_print_csv(benchmark, text.out);
    else if (text.out)
        benchmark_print_markdown(benchmark, text.out);
    return result_print(&text, command, settings->output, 0);
}

static int run(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.target = 92};
    const OptionGroup group = {"Options", rows, sizeof(rows) / sizeof(rows[0]), &settings};
    int status;
    if (!command_parse_options(command, &group, 1, argc, argv, &status))
        return status;
    if (!settings.corpus)
        return command_fail(command, TUNE_USAGE, "--from-corpus FILE is needed");
    RowTable table;
    if (!corpus_load(command, settings.corpus, &table, &status))
        return status;
    Benchmark benchmark;
    Message why;
    const BenchmarkOptions options = {settings.target, settings.baseline};
    const int err = benchmark_make(&benchmark, table.rows, table.n, &options, &why);
    if (err) {
        status =
            command_fail(command, err == -EINVAL ? TUNE_USAGE : TUNE_NO_RESULT, "%s", why.text);
    } else {
        if (benchmark.n_skipped)
            print_error("vmaf-tune benchmark: %zu of %zu rows failed, or lack score or bitrate",
                        benchmark.n_skipped, table.n);
        status = print(command, &settings, &benchmark);
        benchmark_free(&benchmark);
    }
    row_table_free(&table);
    return status;
}

const TuneCommand benchmark_command = {
    .name = "benchmark",
    .operands = "",
    .summary = "which encoder of a corpus needs least for a quality",
    .examples = "  vmaf-tune benchmark --from-corpus corpus.jsonl --target-vmaf 93\n",
    .run = run,
};
