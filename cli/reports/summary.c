/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a run has found, as a table for who sits at a terminal. */
#include "reports_internal.h"

#include "common/messages.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "platform/process.h"

static bool is_written_to_stdout(const Options *options)
{
    for (unsigned i = 0; i < options->n_outputs; i++) {
        if (!strcmp(options->outputs[i].path, "/dev/stdout"))
            return true;
    }
    return false;
}

typedef struct Table {
    FILE *out;
    const Run *run;
    int width; /* of names */
} Table;

#define ROW_FORMAT "%-*s %12s %14s %12s %12s%s"

static void make_room(Table *table, const char *name)
{
    const size_t length = strlen(name);
    if (length < 64 && (int)length > table->width)
        table->width = (int)length;
}

/* NULL: nobody looks on. */
static FILE *find_terminal(const Run *run)
{
    const Options *options = run->options;
    if (options->quiet || !run->host->shows_summary)
        return NULL;
    if (vmaf_is_terminal(stderr))
        return stderr;
    return vmaf_is_terminal(stdout) && !is_written_to_stdout(options) ? stdout : NULL;
}

/* The frame with the worst score. False: no frame has one. */
static bool find_worst(const Run *run, const char *key, bool high_is_bad, unsigned *frame,
                       double *worst)
{
    const unsigned step = run->options->subsample > 1 ? run->options->subsample : 1;
    bool found = false;
    for (unsigned i = 0; i < run->frames; i += step) {
        double score;
        if (vmaf_feature_score_at_index(run->vmaf, key, &score, i) || isnan(score))
            continue;
        if (found && (high_is_bad ? score <= *worst : score >= *worst))
            continue;
        found = true;
        *worst = score;
        *frame = i;
    }
    return found;
}

static ScoreText text_of(const Run *run, int err, double score)
{
    return err ? (ScoreText){"-"} : run_score_text(run, score);
}

enum { PLACE_SIZE = 64 };

/* "frame 12, 0:00:00.48" */
static void put_place(const Run *run, char text[PLACE_SIZE], unsigned frame)
{
    const double seconds = frame_clock_at(&run->reference->clock, frame);
    const int length = snprintf(text, PLACE_SIZE, "  frame %u", frame);
    if (!(seconds >= 0 && seconds < 3.6e8))
        return;
    const unsigned long long hundredths = (unsigned long long)(seconds * 100 + 0.5);
    snprintf(text + length, PLACE_SIZE - (size_t)length, ", %llu:%02llu:%02llu.%02llu",
             hundredths / 360000, hundredths / 6000 % 60, hundredths / 100 % 60, hundredths % 100);
}

static void print_row(const Table *table, const char *key, const char *name, HtmlSense sense)
{
    const Run *run = table->run;
    const bool high_is_bad = sense == HTML_HIGH_IS_BAD, is_judged = sense != HTML_NO_SENSE;
    const unsigned last = run->frames - 1;
    char place[PLACE_SIZE] = "";
    double value = 0;
    unsigned frame = 0;
    int err = vmaf_feature_score_pooled(run->vmaf, key, VMAF_POOL_METHOD_MEAN, &value, 0, last);
    const ScoreText mean = text_of(run, err, value);
    err =
        vmaf_feature_score_pooled(run->vmaf, key, VMAF_POOL_METHOD_HARMONIC_MEAN, &value, 0, last);
    const ScoreText harmonic = text_of(run, err, value);
    err = !is_judged ||
          vmaf_feature_score_statistic(run->vmaf, key, high_is_bad ? "p99" : "p1", &value, 0, last);
    const ScoreText low = text_of(run, err, value);
    const bool found = is_judged && find_worst(run, key, high_is_bad, &frame, &value);
    const ScoreText worst = text_of(run, !found, value);
    if (found)
        put_place(run, place, frame);
    print_line(table->out, ROW_FORMAT, table->width, name, mean.text, harmonic.text, low.text,
               worst.text, place);
}

static void print_models(Table *table)
{
    const Run *run = table->run;
    for (unsigned i = 0; i < run->n_models; i++)
        make_room(table, run->models[i].spec->name);
    print_line(table->out, ROW_FORMAT, table->width, "model", "mean", "harmonic mean", "worst 1 %",
               "minimum", "");
    for (unsigned i = 0; i < run->n_models; i++) {
        const char *name = run->models[i].spec->name;
        print_row(table, name, name, HTML_LOW_IS_BAD);
    }
}

static void print_features(Table *table)
{
    VmafScoreInfo info = {.struct_size = sizeof(info)};
    for (unsigned i = 0; !vmaf_score_info(table->run->vmaf, i, &info); i++)
        make_room(table, info.name);
    print_line(table->out, ROW_FORMAT, table->width, "feature", "mean", "harmonic mean",
               "worst 1 %", "worst", "");
    for (unsigned i = 0; !vmaf_score_info(table->run->vmaf, i, &info); i++)
        print_row(table, info.key, info.name, score_sense(info.name));
}

/* Prints the scores of models, or of all features if there are none. */
static void print_scores(FILE *out, const Run *run)
{
    Table table = {.out = out, .run = run};
    make_room(&table, "feature");
    if (run_predicts(run))
        print_models(&table);
    else
        print_features(&table);
}

static void print_notes(FILE *out, const Notes *notes)
{
    for (unsigned i = 0; i < notes->count; i++)
        print_line(out, "%s%s", strncmp(notes->text[i], "warning: ", 9) ? "note: " : "",
                   notes->text[i]);
}

static void print_run(FILE *out, const Run *run)
{
    char rate[32] = "";
    if (run->seconds > 0)
        snprintf(rate, sizeof(rate), ", %.2f a second", run->frames / run->seconds);
    print_line(out, "%u frame%s%s, by %s", run->frames, run->frames == 1 ? "" : "s", rate,
               backend_choice_where(run->vmaf, run->n_threads).text);
    VmafBackendEvent event = {.struct_size = sizeof(event)};
    char label[DEVICES_LABEL_SIZE];
    const bool others = backend_choice_count_devices(run->vmaf, label) > 0;
    for (unsigned i = 0; !vmaf_backend_event(run->vmaf, i, &event); i++)
        print_line(out, "note: the backend %s was lost at frame %u (%s); %s went on", event.backend,
                   event.frame, event.reason, others ? "the others" : "the CPU");
    print_notes(out, &run->notes);
}

void summary_print(const Run *const runs[], unsigned n)
{
    FILE *out = find_terminal(runs[0]);
    if (!out)
        return;
    for (unsigned i = 0; i < n; i++) {
        const Run *run = runs[i];
        if (run->status || !run->frames)
            continue;
        print_line(out, "%s", "");
        if (n > 1)
            print_line(out, "%s", run->options->distorted);
        print_scores(out, run);
        print_run(out, run);
    }
    print_notes(out, &runs[0]->reference->notes);
    fflush(out);
}
