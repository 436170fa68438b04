/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "run_scores.h"

#include "backend_choice.h"
#include "common/messages.h"
#include "exit_status.h"
#include "input_steps.h"
#include "output.h"
#include "platform/time.h"
#include "shards/records.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library refuses to go on: why? */
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
        say("problem reading pictures%s", if_out_of_memory(err));
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
    say("%s: the file was changed while it was being scored", reader->input.path);
    return false;
}

static bool starts_behind(const Run *run)
{
    return !run->frames && run->options->input.start.is_given;
}

int run_flush(Run *run, int *err)
{
    const bool expects_scores = run->options->n_models || run->options->n_features;
    const bool is_empty = records_is_shard(run) && records_have_all(run);
    if (records_is_shard(run)) /* of which the notes are */
        run->frames = records_pairs(run);
    if (!run->frames && expects_scores) {
        say("there are no frames to score%s",
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

void run_say_flush_failed(const Run *run, int status, int err)
{
    if (status == STATUS_READ && !*run->distrusted && !run->out_of_line && !starts_behind(run))
        say("problem flushing context%s", if_out_of_memory(err));
}

static int pooling_failed(const LoadedModel *loaded, int err)
{
    say("problem generating pooled VMAF score: %s (%s)", model_spec_label(loaded->spec),
        strerror(-err));
    return STATUS_FAILURE;
}

/* A score as text: with --precision or as %f. */
typedef struct ScoreText {
    char text[400]; /* %f of the largest double has 316 characters */
} ScoreText;

static ScoreText score_text(const Run *run, double score)
{
    const char *format = run->options->score_format[0] ? run->options->score_format : "%f";
    ScoreText printed;
    snprintf(printed.text, sizeof(printed.text), format, score);
    return printed;
}

static void say_collection_score(const Run *run, const LoadedModel *loaded,
                                 const VmafModelCollectionScore *score)
{
    say("%s: %s, ci.p95: [%s, %s], stddev: %s", model_spec_label(loaded->spec),
        score_text(run, score->bootstrap.bagging_score).text,
        score_text(run, score->bootstrap.ci.p95.lo).text,
        score_text(run, score->bootstrap.ci.p95.hi).text,
        score_text(run, score->bootstrap.stddev).text);
}

/* Without models, the means of all that was computed. */
static void show_feature_scores(Run *run)
{
    VmafScoreInfo info = {.struct_size = sizeof(info)};
    for (unsigned i = 0; run->frames && !vmaf_score_info(run->vmaf, i, &info); i++) {
        double score;
        if (!vmaf_feature_score_pooled(run->vmaf, info.key, VMAF_POOL_METHOD_MEAN, &score, 0,
                                       run->frames - 1))
            say("%s: %s", info.name, score_text(run, score).text);
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
            say("%s: %s", model_spec_label(loaded->spec), score_text(run, score).text);
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
            say_collection_score(run, loaded, &score);
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
    const char *format = run->options->score_format;
    char *text;
    if (!run->has_scores || vmaf_report_end_text(run->vmaf, &text, *format ? format : NULL))
        return NULL;
    char *pooled = strncmp(text, key, strlen(key)) ? NULL : cut_object(text + strlen(key));
    free(text);
    return pooled;
}

int run_write_output(const Run *run, const Output *output)
{
    return output_kind(output->format)->write(output, &(ScoredVideo){.run = run});
}

int run_write_reports(Run *run)
{
    int status = STATUS_OK;
    for (unsigned i = 0; i < run->options->n_outputs; i++) {
        const int written = run_write_output(run, &run->options->outputs[i]);
        if (written)
            status = written;
    }
    return status;
}
