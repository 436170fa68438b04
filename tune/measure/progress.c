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

enum { NAME_SIZE = 48, LINE_SIZE = 512, REDRAW_MS = 100 };

struct ProgressTask {
    Progress *progress;
    char name[NAME_SIZE];
    const char *does;
    size_t frames, total;
    int64_t started_ms;
    ProgressTask *next;
};

struct Progress {
    VmafMutex lock;
    char warning[512];
    bool is_quiet, is_terminal;
    size_t expected, finished;
    ProgressTask *tasks;
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

typedef struct LineText {
    char text[LINE_SIZE];
    size_t length;
} LineText;

static void add(LineText *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(LineText *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(line->text + line->length, LINE_SIZE - line->length, format, arguments);
    va_end(arguments);
    if (n > 0)
        line->length =
            line->length + (size_t)n < LINE_SIZE ? line->length + (size_t)n : LINE_SIZE - 1;
}

static void add_time_left(LineText *line, const ProgressTask *task, int64_t now_ms)
{
    const int64_t passed_ms = now_ms - task->started_ms;
    if (!task->frames || passed_ms < 1000)
        return;
    const double left =
        (double)passed_ms / 1000 / (double)task->frames * (double)(task->total - task->frames);
    const unsigned seconds = (unsigned)(left + 0.5);
    add(line, " (%u:%02u left)", seconds / 60, seconds % 60);
}

static void add_task(LineText *line, const ProgressTask *task, int64_t now_ms)
{
    add(line, "%s%s: %s", line->length ? "; " : "", task->name, task->does);
    if (task->total && task->frames <= task->total) {
        add(line, " %.0f %%", 100 * (double)task->frames / (double)task->total);
        add_time_left(line, task, now_ms);
    } else if (task->frames) {
        add(line, " frame %zu", task->frames);
    }
}

static void show(Progress *progress, int64_t now_ms)
{
    LineText line = {.length = 0};
    if (progress->expected)
        add(&line, "[%zu/%zu]", progress->finished, progress->expected);
    else if (progress->finished)
        add(&line, "[%zu done]", progress->finished);
    for (const ProgressTask *task = progress->tasks; task; task = task->next)
        add_task(&line, task, now_ms);
    const size_t columns = vmaf_stderr_columns() - 1;
    if (line.length > columns)
        line.text[line.length = columns] = '\0';
    fprintf(stderr, "\r%s%*s", line.text,
            (int)(progress->shown > line.length ? progress->shown - line.length : 0), "");
    progress->shown = (unsigned)line.length;
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
    ProgressTask *task = progress ? calloc(1, sizeof(*task)) : NULL;
    if (!task)
        return NULL;
    task->progress = progress;
    snprintf(task->name, sizeof task->name, "%s", name);
    task->does = "waiting";
    task->started_ms = vmaf_steady_ms();
    vmaf_mutex_lock(&progress->lock);
    ProgressTask **end = &progress->tasks;
    while (*end)
        end = &(*end)->next;
    *end = task;
    redraw(progress, true);
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
    for (ProgressTask **place = &progress->tasks; *place; place = &(*place)->next)
        if (*place == task) {
            *place = task->next;
            break;
        }
    progress->finished += counts;
    redraw(progress, true);
    vmaf_mutex_unlock(&progress->lock);
    free(task);
}

void progress_note(Progress *progress, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    if (!progress || progress->is_quiet || progress->is_terminal)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_error("%s", text);
}

void progress_print(Progress *progress, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    if (progress && progress->is_quiet)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!progress) {
        print_error("%s", text);
        return;
    }
    vmaf_mutex_lock(&progress->lock);
    clear_line(progress);
    print_error("%s", text);
    redraw(progress, true);
    vmaf_mutex_unlock(&progress->lock);
}

void progress_warn(Progress *progress, const char *text)
{
    if (progress) {
        vmaf_mutex_lock(&progress->lock);
        const bool is_known = !strncmp(progress->warning, text, sizeof progress->warning - 1);
        snprintf(progress->warning, sizeof progress->warning, "%s", text);
        vmaf_mutex_unlock(&progress->lock);
        if (is_known)
            return;
    }
    progress_print(progress, "%s", text);
}
