/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* NDJSON reports, whose lines are written while frames are scored. */
#include "reports_internal.h"

#include "common/messages.h"
#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/process.h"
#include "platform/thread.h"

/* One file. */
typedef struct LiveFile {
    VmafAtomicFile *file; /* NULL: closed */
    const Output *output;
    bool begins_anew;
    int err; /* the first */
} LiveFile;

struct LiveReport {
    Run *run;
    unsigned step; /* from frame to frame with a line */
    VmafThread thread;
    bool running;
    unsigned next; /* frame of the next line; the thread's while it runs */
    int err;       /* why there are no more lines, likewise; 0: they are all there */

    VmafMutex lock; /* of what follows */
    VmafCondition changed;
    unsigned read; /* pairs */
    bool ended;    /* there will be no more */
    bool written;  /* a line, or the beginning of one */
    unsigned n_files;
    LiveFile files[MAX_OUTPUTS];
};

static void put_line(LiveReport *live, const char *line)
{
    vmaf_mutex_lock(&live->lock);
    live->written = true;
    for (unsigned i = 0; i < live->n_files; i++) {
        LiveFile *file = &live->files[i];
        if (!file->file || file->err)
            continue;
        vmaf_atomic_file_puts(file->file, line);
        file->err = vmaf_atomic_file_flush(file->file);
    }
    vmaf_mutex_unlock(&live->lock);
}

/* -- the thread -- */

/* Scores of models are computed when they are asked for. */
static int predict(const Run *run, unsigned frame)
{
    double score;
    VmafModelCollectionScore scores;
    int err = 0;
    if (run->options->no_prediction)
        return 0;
    for (unsigned i = 0; i < run->n_models && !err; i++)
        err = vmaf_score_at_index(run->vmaf, run->models[i].model, &score, frame);
    for (unsigned i = 0; i < run->n_models && !err; i++) {
        if (run->models[i].collection)
            err = vmaf_score_at_index_model_collection(run->vmaf, run->models[i].collection,
                                                       &scores, frame);
    }
    return err;
}

/* 0; -EAGAIN: frames are missing that the line depends on; another error: there will be none. */
static int write_frame(LiveReport *live, unsigned frame)
{
    const Run *run = live->run;
    char *line;
    int err = vmaf_report_row(run->vmaf, frame, NULL, NULL);
    if (!err)
        err = predict(run, frame);
    if (!err)
        err = vmaf_report_row_text(run->vmaf, frame, frame_clock_at(&run->reference->clock, frame),
                                   &line, output_score_format(run->options));
    if (err)
        return err;
    if (*line)
        put_line(live, line);
    free(line);
    return 0;
}

/* Waits for more than `tried` pairs, so that there may be another line. False: there are no more.
 */
static bool wait_for_frames(LiveReport *live, unsigned *tried, bool *ended)
{
    vmaf_mutex_lock(&live->lock);
    while (!live->ended && (live->read <= live->next || live->read <= *tried))
        vmaf_condition_wait(&live->changed, &live->lock);
    *tried = live->read;
    *ended = live->ended;
    vmaf_mutex_unlock(&live->lock);
    return live->next < *tried;
}

static void *write_frames(void *argument)
{
    LiveReport *live = argument;
    unsigned tried = 0;
    bool ended = false;
    vmaf_thread_set_name("vmaf-report");
    while (wait_for_frames(live, &tried, &ended)) {
        int err = 0;
        while (live->next < tried && !err) {
            err = write_frame(live, live->next);
            if (!err)
                live->next += live->step;
        }
        if (err && (err != -EAGAIN || ended)) {
            live->err = err;
            return NULL;
        }
    }
    return NULL;
}

/* -- beginning and end -- */

static int open_files(LiveReport *live)
{
    const Options *options = live->run->options;
    for (unsigned i = 0; i < options->n_outputs; i++) {
        const Output *output = &options->outputs[i];
        if (output->format != VMAF_OUTPUT_FORMAT_NDJSON)
            continue;
        LiveFile *file = &live->files[live->n_files];
        const int err =
            vmaf_atomic_file_open_growing(&file->file, output->path, &file->begins_anew);
        if (err)
            return output_failed(output->path, err);
        file->output = output;
        live->n_files++;
    }
    return STATUS_OK;
}

int live_report_start(Run *run)
{
    const unsigned step = run->options->subsample;
    if (!output_is_wanted(run->options, VMAF_OUTPUT_FORMAT_NDJSON))
        return STATUS_OK;
    LiveReport *live = calloc(1, sizeof(*live));
    if (!live) {
        print_error("out of memory");
        return STATUS_FAILURE;
    }
    vmaf_process_outlive_readers();
    run->live = live;
    live->run = run;
    live->step = step > 1 ? step : 1;
    vmaf_mutex_init(&live->lock);
    vmaf_condition_init(&live->changed);
    const int status = open_files(live);
    if (status)
        return status;
    const int err = vmaf_thread_start(&live->thread, write_frames, live);
    live->running = !err;
    return err ? output_failed(live->files[0].output->path, err) : STATUS_OK;
}

/* The error of all outputs of the run; 0: there is one that can be written. */
static int error_of_all(const LiveReport *live)
{
    if (live->n_files < live->run->options->n_outputs)
        return 0;
    for (unsigned i = 0; i < live->n_files; i++) {
        if (!live->files[i].err)
            return 0;
    }
    return live->files[0].err;
}

bool live_report_advance(LiveReport *live, unsigned frames)
{
    if (!live)
        return true;
    vmaf_mutex_lock(&live->lock);
    live->read = frames;
    const int err = error_of_all(live);
    vmaf_condition_signal(&live->changed);
    vmaf_mutex_unlock(&live->lock);
    return !err;
}

int live_report_failed(LiveReport *live)
{
    vmaf_mutex_lock(&live->lock);
    const int err = error_of_all(live);
    vmaf_mutex_unlock(&live->lock);
    return output_failed(live->files[0].output->path, err);
}

void live_report_finish(LiveReport *live)
{
    if (!live || !live->running)
        return;
    vmaf_mutex_lock(&live->lock);
    live->ended = true;
    vmaf_condition_signal(&live->changed);
    vmaf_mutex_unlock(&live->lock);
    vmaf_thread_join(live->thread);
    live->running = false;
}

bool live_report_is_sent(LiveReport *live)
{
    bool any = false;
    if (!live)
        return false;
    vmaf_mutex_lock(&live->lock);
    for (unsigned i = 0; i < live->n_files; i++)
        any |= live->written && !live->files[i].begins_anew;
    vmaf_mutex_unlock(&live->lock);
    return any;
}

static int end_text(const Run *run, char **text)
{
    const int err = vmaf_report_end_text(run->vmaf, text, output_score_format(run->options));
    if (err || !input_is_media(run))
        return err;
    *text = input_extend_report(run, *text);
    if (!*text)
        return -ENOMEM;
    /* Line feeds in texts are escaped: these are all between members. */
    for (char *c = strchr(*text, '\n'); c && c[1]; c = strchr(c, '\n'))
        *c = ' ';
    return 0;
}

/* The last line. */
int live_report_write(const Output *output, const Run *const runs[], unsigned n)
{
    (void)n; /* there is one */
    const Run *run = runs[0];
    LiveReport *live = run->live;
    unsigned i = 0;
    while (live->files[i].output != output)
        i++;
    LiveFile *file = &live->files[i];
    char *text = NULL;
    int err = live->err ? live->err : end_text(run, &text);
    if (err) /* which the last line will say */
        return output_failed(output->path, err);
    vmaf_atomic_file_puts(file->file, text);
    free(text);
    err = vmaf_atomic_file_commit(file->file);
    file->file = NULL;
    return err ? output_failed(output->path, err) : STATUS_OK;
}

/* The line for a run that failed. */
static void put_error(LiveReport *live, const char *error)
{
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    if (!out)
        return;
    fputs("{\"error\":", out);
    json_string_print(out, error && *error ? error : "the run was given up");
    fprintf(out, ",\"frame\":%u}\n", live->next);
    char *text = text_end(&buffer, 0);
    if (text)
        put_line(live, text);
    free(text);
}

void live_report_close(LiveReport *live, const char *error)
{
    if (!live)
        return;
    live_report_finish(live);
    put_error(live, error);
    for (unsigned i = 0; i < live->n_files; i++) {
        if (live->files[i].file)
            vmaf_atomic_file_commit(live->files[i].file);
    }
    vmaf_condition_destroy(&live->changed);
    vmaf_mutex_destroy(&live->lock);
    free(live);
}
