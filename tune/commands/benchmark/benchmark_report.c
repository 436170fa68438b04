/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/benchmark/benchmark_report.h"

#include "tune/commands/text_cells.h"
#include "tune/rows/json_document.h"

#include <errno.h>
#include <math.h>

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

static int put_best(json_t *json, const Row *row)
{
    json_t *best = json_object();
    if (json_put(json, "best", best) || json_put(best, "src", json_text_or_null(row->src)) ||
        json_put(best, "preset", json_text_or_null(row->preset)) ||
        json_put(best, "crf", integer_or_null(row->crf)) ||
        json_put(best, "vmaf_score", json_number_or_null(row->vmaf_score)) ||
        json_put(best, "bitrate_kbps", json_number_or_null(row->bitrate_kbps)) ||
        json_put(best, "vmaf_model", json_text_or_null(row->vmaf_model)))
        return -ENOMEM;
    return 0;
}

static int put_sources(json_t *json, const BenchmarkEntry *entry)
{
    json_t *sources = json_array();
    if (json_put(json, "sources", sources))
        return -ENOMEM;
    for (size_t i = 0; i < entry->n_sources; i++) {
        const BenchmarkSource *source = &entry->sources[i];
        json_t *element = json_object();
        if (!element || json_array_append_new(sources, element) ||
            json_put(element, "status", json_string(status_of(source->met))) ||
            json_put(element, "bitrate_delta_pct", json_number_or_null(source->delta_pct)) ||
            put_best(element, source->best))
            return -ENOMEM;
    }
    return 0;
}

static int put_entry(json_t *array, const BenchmarkEntry *entry, double target)
{
    json_t *json = json_object();
    if (!json || json_array_append_new(array, json) ||
        json_put(json, "encoder", json_text_or_null(entry->encoder)) ||
        json_put(json, "status", json_string(status_of(entry->met))) ||
        json_put(json, "target_vmaf", json_number_or_null(target)) ||
        json_put(json, "vmaf_score", json_number_or_null(entry->score)) ||
        json_put(json, "margin", json_number_or_null(entry->margin)) ||
        json_put(json, "bitrate_kbps", json_number_or_null(entry->kbps)) ||
        json_put(json, "bitrate_delta_pct", json_number_or_null(entry->delta_pct)) ||
        json_put(json, "rows", json_integer((json_int_t)entry->n_rows)) ||
        json_put(json, "source_count", json_integer((json_int_t)entry->n_sources)) ||
        json_put(json, "preset_count", json_integer((json_int_t)entry->n_presets)) ||
        json_put(json, "encode_fps", json_number_or_null(entry->encode_fps)) ||
        json_put(json, "score_fps", json_number_or_null(entry->score_fps)))
        return -ENOMEM;
    /* One row stands for an encoder only if there is one source. */
    const int err = entry->n_sources == 1 ? put_best(json, entry->sources[0].best)
                                          : json_put(json, "best", json_null());
    return err ? err : put_sources(json, entry);
}

int benchmark_print_json(const Benchmark *benchmark, FILE *out)
{
    json_t *array = json_array();
    int err = array ? 0 : -ENOMEM;
    for (size_t e = 0; e < benchmark->n && !err; e++)
        err = put_entry(array, &benchmark->entries[e], benchmark->target);
    if (!err)
        err = json_document_print(array, 2, out);
    fputc('\n', out);
    json_decref(array);
    return err;
}
