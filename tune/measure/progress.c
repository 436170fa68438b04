/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/progress.h"

#include "common/messages.h"
#include "platform/process.h"
#include "platform/thread.h"
#include "platform/time.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 48, MAX_TASKS = 64, REDRAW_MS = 100 };

struct ProgressTask {
    Progress *progress;
    char name[NAME_SIZE];
    const char *does; /* NULL: nothing, since it has ended */
    size_t frames, total;
    int64_t started_ms;
};

struct Progress {
    VmafMutex lock;
    char warnings[4096]; /* a line each */
    bool is_quiet, is_terminal;
    size_t expected, finished;
    ProgressTask tasks[MAX_TASKS];
    int64_t shown_ms;
    unsigned shown; /* characters of the line; 0: the cursor is at the beginning of an empty one */
};

Progress *progress_create(bool is_quiet)
{
    Progress *progress = calloc(1, sizeof(*progress));
    if (!progress)
        return NULL;
    vmaf_mutex_init(&progress->lock);
    progress->is_quiet = is_quiet;
    progress->is_terminal = !is_quiet && vmaf_is_terminal(stderr);
    return progress;
}

static void clear_line(Progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r%*s\r", (int)progress->shown, "");
    progress->shown = 0;
}

void progress_destroy(Progress *progress)
{
    if (!progress)
        return;
    clear_line(progress);
    vmaf_mutex_destroy(&progress->lock);
    free(progress);
}

void progress_expect(Progress *progress, size_t encodes)
{
    if (!progress)
        return;
    vmaf_mutex_lock(&progress->lock);
    progress->expected += encodes;
    vmaf_mutex_unlock(&progress->lock);
}

/* -- the line -- */

static void print_task(FILE *line, const ProgressTask *task, int64_t now_ms)
{
    const double seconds = (double)(now_ms - task->started_ms) / 1000;
    const double done = task->total ? (double)task->frames / (double)task->total : 0;
    fprintf(line, "%s%s: %s", ftell(line) ? "; " : "", task->name, task->does);
    if (!task->total || done > 1) {
        if (task->frames)
            fprintf(line, " frame %zu", task->frames);
        return;
    }
    fprintf(line, " %.0f %%", 100 * done);
    if (task->frames && seconds >= 1) {
        const unsigned left = (unsigned)(seconds * (1 - done) / done + 0.5);
        fprintf(line, " (%u:%02u left)", left / 60, left % 60);
    }
}

static void show(Progress *progress, int64_t now_ms)
{
    TextBuffer buffer;
    FILE *line = text_begin(&buffer);
    if (!line)
        return;
    if (progress->expected)
        fprintf(line, "[%zu/%zu]", progress->finished, progress->expected);
    else if (progress->finished)
        fprintf(line, "[%zu done]", progress->finished);
    for (int i = 0; i < MAX_TASKS; i++)
        if (progress->tasks[i].does)
            print_task(line, &progress->tasks[i], now_ms);
    char *text = text_end(&buffer, 0);
    const unsigned columns = vmaf_stderr_columns() - 1;
    const unsigned length = text && strlen(text) < columns ? (unsigned)strlen(text) : columns;
    fprintf(stderr, "\r%.*s%*s", (int)length, text ? text : "",
            progress->shown > length ? (int)(progress->shown - length) : 0, "");
    free(text);
    progress->shown = length;
    progress->shown_ms = now_ms;
}

static void redraw(Progress *progress, bool now)
{
    const int64_t ms = vmaf_steady_ms();
    if (progress->is_terminal && (now || ms - progress->shown_ms >= REDRAW_MS))
        show(progress, ms);
}

/* -- tasks -- */

ProgressTask *progress_begin(Progress *progress, const char *name)
{
    ProgressTask *task = NULL;
    if (!progress)
        return NULL;
    vmaf_mutex_lock(&progress->lock);
    for (int i = 0; i < MAX_TASKS && !task; i++)
        if (!progress->tasks[i].does)
            task = &progress->tasks[i];
    if (task) {
        *task =
            (ProgressTask){.progress = progress, .does = "waiting", .started_ms = vmaf_steady_ms()};
        snprintf(task->name, sizeof task->name, "%s", name);
        redraw(progress, true);
    }
    vmaf_mutex_unlock(&progress->lock);
    return task;
}

void progress_advance(ProgressTask *task, const char *does, size_t frames, size_t total)
{
    if (!task)
        return;
    vmaf_mutex_lock(&task->progress->lock);
    if (strcmp(does, task->does))
        task->started_ms = vmaf_steady_ms();
    task->does = does;
    task->frames = frames;
    task->total = total;
    redraw(task->progress, false);
    vmaf_mutex_unlock(&task->progress->lock);
}

void progress_end(ProgressTask *task, bool counts)
{
    if (!task)
        return;
    Progress *progress = task->progress;
    vmaf_mutex_lock(&progress->lock);
    task->does = NULL;
    progress->finished += counts;
    redraw(progress, true);
    vmaf_mutex_unlock(&progress->lock);
}

void progress_line(Progress *progress, ProgressLine kind, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!progress && kind != PROGRESS_NOTE)
        print_error("%s", text);
    if (!progress || progress->is_quiet || (kind == PROGRESS_NOTE && progress->is_terminal))
        return;
    vmaf_mutex_lock(&progress->lock);
    const size_t used = strlen(progress->warnings);
    if (kind != PROGRESS_WARN || !strstr(progress->warnings, text)) {
        clear_line(progress);
        print_error("%s", text);
        redraw(progress, true);
        if (kind == PROGRESS_WARN)
            snprintf(progress->warnings + used, sizeof progress->warnings - used, "%s\n", text);
    }
    vmaf_mutex_unlock(&progress->lock);
}
