/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The steps of a run from scores that fail or are complete to what is made of them. */
#include "run.h"

#include "common/messages.h"
#include "shards/shards.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/time.h"

/* Why does the library not go on? */
static int why_failed(Run *run)
{
    if (run->chose_backend && backend_choice_has_failed(run->vmaf, run->distrusted))
        return STATUS_READ;
    if (backend_choice_failed(run->options, run->vmaf))
        return STATUS_BACKEND;
    backend_choice_is_distrusted(run->vmaf, run->distrusted);
    return STATUS_READ;
}

int run_scoring_failed(Run *run, int err)
{
    if (records_failed(run))
        return STATUS_FAILURE;
    const int status = why_failed(run);
    if (status == STATUS_READ && !*run->distrusted)
        print_error("problem reading pictures%s", if_out_of_memory(err));
    return status;
}

/*
 * Frames may be used directly in the mapped file. If the file is shortened within its last page,
 * the missing bytes silently read as zero, so the size of the file has to be compared.
 */
static bool is_unchanged(const VideoReader *reader)
{
    if (!input_was_changed(&reader->input))
        return true;
    print_error("%s: the file was changed while it was being scored", reader->input.path);
    return false;
}

static bool starts_behind(const Run *run)
{
    return !run->frames && run->options->input.start.is_given;
}

/* *err receives the error of the library, which is reported once other text can follow. */
static int flush(Run *run, int *err)
{
    const bool expects_scores = run->options->n_models || run->options->n_features;
    const bool is_empty = records_is_shard(run) && records_have_all(run);
    if (records_is_shard(run)) /* of which the notes are */
        run->frames = records_pairs(run);
    if (!run->frames && expects_scores) {
        print_error("there are no frames to score%s",
                    starts_behind(run) ? ": both videos need some at --start and behind it" : "");
        return STATUS_READ;
    }
    run->notes_before_end = run->notes.count;
    input_note_end(run);
    *err = is_empty ? 0 : vmaf_read_pictures(run->vmaf, NULL, NULL, 0);
    if (*err)
        return records_failed(run) ? STATUS_FAILURE : why_failed(run);
    worst_frames_finish(run->worst);
    live_report_finish(run->live);
    run->seconds = (double)(vmaf_steady_ns() - run->started) * 1e-9;
    if (!is_unchanged(&run->reference->reader) || !is_unchanged(&run->distorted))
        return STATUS_READ;
    return records_finish(run);
}

int run_flush(Run *run, int status)
{
    int err = 0;
    if (!status)
        status = run_end_line_up(run);
    if (!status)
        status = flush(run, &err);
    if (status == STATUS_READ && !*run->distrusted && !run->out_of_line && !starts_behind(run))
        print_error("problem flushing context%s", if_out_of_memory(err));
    return status;
}

/* -- pooled scores -- */

static int pooling_failed(const LoadedModel *loaded, int err)
{
    print_error("problem generating pooled VMAF score: %s (%s)", model_spec_label(loaded->spec),
                strerror(-err));
    return STATUS_FAILURE;
}

ScoreText run_score_text(const Run *run, double score)
{
    const char *format = run->options->score_format[0] ? run->options->score_format : "%f";
    ScoreText printed;
    snprintf(printed.text, sizeof(printed.text), format, score);
    return printed;
}

static void print_collection_score(const Run *run, const LoadedModel *loaded,
                                   const VmafModelCollectionScore *score)
{
    print_error("%s: %s, ci.p95: [%s, %s], stddev: %s", model_spec_label(loaded->spec),
                run_score_text(run, score->bootstrap.bagging_score).text,
                run_score_text(run, score->bootstrap.ci.p95.lo).text,
                run_score_text(run, score->bootstrap.ci.p95.hi).text,
                run_score_text(run, score->bootstrap.stddev).text);
}

/* Without models, the means of all that was computed. */
static void show_feature_scores(Run *run)
{
    VmafScoreInfo info = {.struct_size = sizeof(info)};
    for (unsigned i = 0; run->frames && !vmaf_score_info(run->vmaf, i, &info); i++) {
        double score;
        if (!vmaf_feature_score_pooled(run->vmaf, info.key, VMAF_POOL_METHOD_MEAN, &score, 0,
                                       run->frames - 1))
            print_error("%s: %s", info.name, run_score_text(run, score).text);
    }
}

int run_pool_scores(Run *run)
{
    bool shown = run->host->terminal && (!run->options->quiet || !run->options->n_outputs);
    if (run->options->no_prediction) {
        if (shown)
            show_feature_scores(run);
        run->has_scores = true;
        return STATUS_OK;
    }
    unsigned last = run->frames - 1;
    for (unsigned i = 0; i < run->n_models; i++) {
        const LoadedModel *loaded = &run->models[i];
        double score;
        int err =
            vmaf_score_pooled(run->vmaf, loaded->model, VMAF_POOL_METHOD_MEAN, &score, 0, last);
        if (err)
            return pooling_failed(loaded, err);
        if (shown)
            print_error("%s: %s", model_spec_label(loaded->spec), run_score_text(run, score).text);
    }
    for (unsigned i = 0; i < run->n_models; i++) {
        const LoadedModel *loaded = &run->models[i];
        if (!loaded->collection)
            continue;
        VmafModelCollectionScore score;
        int err = vmaf_score_pooled_model_collection(run->vmaf, loaded->collection,
                                                     VMAF_POOL_METHOD_MEAN, &score, 0, last);
        if (err)
            return pooling_failed(loaded, err);
        if (shown)
            print_collection_score(run, loaded, &score);
    }
    run->has_scores = true;
    return STATUS_OK;
}

/* The object that `text` begins with, without what follows; NULL: it begins with none. */
static char *cut_object(const char *text)
{
    bool in_string = false;
    unsigned depth = 0;
    for (const char *c = text; *c; c++) {
        if (in_string && *c == '\\' && c[1])
            c++;
        else if (*c == '"')
            in_string = !in_string;
        else if (!in_string && *c == '{')
            depth++;
        else if (!in_string && *c == '}' && !--depth)
            return strndup(text, (size_t)(c + 1 - text));
    }
    return NULL;
}

char *run_pooled_metrics(const Run *run)
{
    static const char key[] = "{\"pooled_metrics\":";
    char *text;
    if (!run->has_scores ||
        vmaf_report_end_text(run->vmaf, &text, output_score_format(run->options)))
        return NULL;
    char *pooled = strncmp(text, key, strlen(key)) ? NULL : cut_object(text + strlen(key));
    free(text);
    return pooled;
}

bool run_predicts(const Run *run)
{
    return run->n_models && !run->options->no_prediction;
}

/* -- conditions: names of scores -- */

static bool is_name(const Gate *gate, const char *name)
{
    return strlen(name) == gate->name_length && !memcmp(gate->text, name, gate->name_length);
}

/* Key of the score that a gate is about. 0; -ERANGE: there is none yet; another negative errno. */
static int find_key(const Run *run, const Gate *gate, const char **key)
{
    VmafScoreInfo info = {.struct_size = sizeof(info)};
    int err = 0;
    for (unsigned i = 0; !(err = vmaf_report_column(run->vmaf, i, &info)); i++) {
        *key = info.key;
        if (is_name(gate, info.name) || is_name(gate, info.key))
            break;
    }
    return err;
}

/* The scores of models have no columns before they are asked for: each name, and then NULL. */
static const char *model_score(const Run *run, unsigned index, char name[256])
{
    static const char *const suffixes[] = {"", "_bagging", "_stddev", "_ci_p95_lo", "_ci_p95_hi"};
    for (unsigned i = 0; run_predicts(run) && i < run->n_models; i++) {
        const unsigned n = run->models[i].collection ? 5 : 1;
        if (index < n) {
            snprintf(name, 256, "%s%s", run->models[i].spec->name, suffixes[index]);
            return name;
        }
        index -= n;
    }
    return NULL;
}

/* NAME_0001 and so on, of which nobody knows how many there are. */
static bool is_of_member(const Run *run, const Gate *gate)
{
    for (unsigned i = 0; run_predicts(run) && i < run->n_models; i++) {
        const char *name = run->models[i].spec->name;
        const size_t length = strlen(name);
        if (run->models[i].collection && gate->name_length == length + 5 &&
            !strncmp(gate->text, name, length) && gate->text[length] == '_' &&
            strspn(gate->text + length + 1, "0123456789") == 4)
            return true;
    }
    return false;
}

static bool is_of_model(const Run *run, const Gate *gate)
{
    char name[256];
    for (unsigned i = 0; model_score(run, i, name); i++) {
        if (is_name(gate, name))
            return true;
    }
    return is_of_member(run, gate);
}

static int reject_name(const Run *run, const Gate *gate)
{
    VmafScoreInfo info = {.struct_size = sizeof(info)};
    char name[256];
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    const char *comma = "";
    for (unsigned i = 0; out && model_score(run, i, name); i++, comma = ", ")
        fprintf(out, "%s%s", comma, name);
    for (unsigned i = 0; out && !vmaf_report_column(run->vmaf, i, &info); i++, comma = ", ")
        fprintf(out, "%s%s", comma, info.name);
    char *list = text_end(&buffer, 0);
    print_error("--require: there is no score \"%.*s\"; there are: %s", (int)gate->name_length,
                gate->text, list ? list : "");
    free(list);
    return STATUS_FAILURE;
}

static int gate_failed(int err)
{
    print_error("--require: %s", strerror(-err));
    return STATUS_FAILURE;
}

int run_check_gates(const Run *run)
{
    const GateList *gates = &run->options->gates;
    for (unsigned i = 0; i < gates->count; i++) {
        const Gate *gate = &gates->items[i];
        const char *key;
        const int err = is_of_model(run, gate) ? 0 : find_key(run, gate, &key);
        if (err)
            return err == -ERANGE ? reject_name(run, gate) : gate_failed(err);
    }
    return STATUS_OK;
}

/* -- conditions: values -- */

static bool is_met(const Gate *gate, double value)
{
    switch (gate->relation) {
    case GATE_AT_LEAST:
        return value >= gate->limit;
    case GATE_ABOVE:
        return value > gate->limit;
    case GATE_AT_MOST:
        return value <= gate->limit;
    case GATE_BELOW:
        return value < gate->limit;
    }
    return false;
}

/* 0; -ERANGE: there is no such score; another negative errno. */
static int measure(const Run *run, const Gate *gate, double *value)
{
    const char *key;
    const unsigned last = run->frames - 1;
    int err = find_key(run, gate, &key);
    if (err)
        return err;
    err = gate->method ? vmaf_feature_score_pooled(run->vmaf, key, gate->method, value, 0, last)
                       : vmaf_feature_score_statistic(run->vmaf, key, gate->pool, value, 0, last);
    return err == -EINVAL ? -ERANGE : err;
}

/* With as many digits as it takes to see that the gate is not met. */
static void print_value(char *text, size_t size, const Gate *gate, double value)
{
    snprintf(text, size, "%.6f", value);
    for (int digits = 8; digits <= 17 && is_met(gate, strtod(text, NULL)); digits++)
        snprintf(text, size, "%.*g", digits, value);
}

/* The exit status; what is wrong is said. */
static int judge(const Run *run, const Gate *gate)
{
    const bool several = run->options->n_distorted > 1;
    const char *video = several ? run->options->distorted : "", *colon = several ? ": " : "";
    char text[400] = "not there";
    double value;
    const int err = measure(run, gate, &value);
    if (err && err != -ERANGE)
        return gate_failed(err);
    if (!err && is_met(gate, value))
        return STATUS_OK;
    if (!err)
        print_value(text, sizeof(text), gate, value);
    print_error("%s%srequired %.*s: it is %s", video, colon, (int)gate->length, gate->text, text);
    return STATUS_GATE;
}

int run_judge_gates(const Run *run)
{
    const GateList *gates = &run->options->gates;
    int worst = STATUS_OK;
    for (unsigned i = 0; i < gates->count; i++) {
        const int status = judge(run, &gates->items[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* -- all that is made of them -- */

int run_write_output(const Run *run, const Output *output)
{
    return output_kind(output->format)->write(output, &run, 1);
}

static int write_reports(const Run *run)
{
    int status = STATUS_OK;
    for (unsigned i = 0; i < run->options->n_outputs; i++) {
        const int written = run_write_output(run, &run->options->outputs[i]);
        if (written)
            status = written;
    }
    return status;
}

int run_finish(Run *run)
{
    int status = run_pool_scores(run);
    if (!status)
        status = write_reports(run);
    if (status)
        return status;
    summary_print((const Run *[]){run}, 1);
    return run_judge_gates(run);
}
