/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "progress.h"

#include "platform/process.h"
#include "platform/time.h"

#include <string.h>

/* Seconds. Rates are those of the last five, since a backend may join a run, and scenes differ. */
static const double refresh_interval = 0.1, mark_interval = 0.5;
static const char erase_to_end_of_line[] = "\x1b[K";

static double now(void)
{
    return (double)vmaf_steady_ns() * 1e-9;
}

void progress_start(Progress *progress, FILE *out, bool enabled, unsigned long long total,
                    bool is_estimate)
{
    *progress = (Progress){
        .out = out,
        .enabled = enabled,
        .total = total,
        .is_estimate = is_estimate,
        .start = {.time = now()},
    };
    progress->marks[0] = progress->start;
    progress->n_marks = 1;
}

void progress_ask(Progress *progress, ProgressCount count, void *cookie)
{
    progress->count = count;
    progress->cookie = cookie;
}

/* -- how it looks -- */

/* "1:02:03", "2:03" or "3 s". */
static void format_duration(char *text, size_t size, double seconds)
{
    if (seconds >= 359999.0) {
        snprintf(text, size, "over 99 hours");
        return;
    }
    unsigned whole = (unsigned)(seconds + 0.5);
    if (whole >= 3600)
        snprintf(text, size, "%u:%02u:%02u", whole / 3600, whole / 60 % 60, whole % 60);
    else if (whole >= 60)
        snprintf(text, size, "%u:%02u", whole / 60, whole % 60);
    else
        snprintf(text, size, "%u s", whole);
}

enum { LEFT_SIZE = 32, PART_SIZE = 96 };

static void format_left(char left[LEFT_SIZE], const ProgressLine *line)
{
    strcpy(left, "?");
    if (line->rate > 0)
        format_duration(left, LEFT_SIZE, (double)(line->total - line->done) / line->rate);
}

/* In order of length: the first one has everything. False behind the last one. */
static bool format_variant(char *text, size_t size, const ProgressLine *line, unsigned variant)
{
    char who[PART_SIZE] = "", left[LEFT_SIZE], of[PART_SIZE] = "";
    const double rate = line->rate > 0 ? line->rate : 0;
    const bool has_total = line->total && line->total >= line->done; /* else the file has grown */
    const unsigned percent =
        has_total ? (unsigned)(100.0 * (double)line->done / (double)line->total) : 0;
    const char *plural = line->done == 1 ? "" : "s";
    if (line->backend && !variant)
        snprintf(who, sizeof(who), " (cpu %.2f, %s %.2f)", line->cpu_rate, line->backend,
                 line->backend_rate);
    if (!has_total) {
        if (variant > 2)
            return false;
        snprintf(text, size, "%llu frame%s", line->done, plural);
        const size_t used = strlen(text);
        if (variant < 2)
            snprintf(text + used, size - used, " %.2f FPS%s", rate, who);
        return true;
    }
    format_left(left, line);
    snprintf(of, sizeof(of), "%llu frame%s of %s%llu", line->done, plural,
             line->is_estimate ? "about " : "", line->total);
    switch (variant) {
    case 0:
    case 1:
        snprintf(text, size, "%s (%u%%) %.2f FPS%s, %s left", of, percent, rate, who, left);
        return true;
    case 2:
        snprintf(text, size, "%u%% %.2f FPS, %s left", percent, rate, left);
        return true;
    case 3:
        snprintf(text, size, "%u%%, %s left", percent, left);
        return true;
    case 4:
        snprintf(text, size, "%u%%", percent);
        return true;
    default:
        return false;
    }
}

void progress_format(char *text, size_t size, const ProgressLine *line, unsigned columns)
{
    for (unsigned variant = 0; format_variant(text, size, line, variant); variant++) {
        if (strlen(text) < columns)
            return;
    }
    if (columns <= strlen(text))
        text[columns ? columns - 1 : 0] = '\0';
}

/* -- rates -- */

ProgressLine progress_between(const ProgressMark *from, const ProgressMark *to)
{
    ProgressLine line = {.done = to->done};
    const double seconds = to->time - from->time;
    const ProgressShares *before = &from->shares, *after = &to->shares;
    if (seconds <= 0)
        return line;
    line.rate = (double)(to->done - from->done) / seconds;
    if (!after->backend || after->by_cpu <= before->by_cpu ||
        after->by_backend <= before->by_backend)
        return line;
    line.backend = after->backend;
    line.cpu_rate = (double)(after->by_cpu - before->by_cpu) / seconds;
    line.backend_rate = (double)(after->by_backend - before->by_backend) / seconds;
    return line;
}

static void keep_mark(Progress *progress, const ProgressMark *mark)
{
    if (mark->time - progress->marks[progress->n_marks - 1].time < mark_interval)
        return;
    if (progress->n_marks == PROGRESS_MARKS) {
        progress->n_marks--;
        memmove(progress->marks, progress->marks + 1,
                progress->n_marks * sizeof(progress->marks[0]));
    }
    progress->marks[progress->n_marks++] = *mark;
}

/* -- when -- */

static void show(Progress *progress, unsigned long long done, double time, bool is_last)
{
    char text[256];
    ProgressMark mark = {.time = time, .done = done};
    if (progress->count)
        progress->count(progress->cookie, &mark.shares);
    ProgressLine line = progress_between(is_last ? &progress->start : &progress->marks[0], &mark);
    line.total = progress->total;
    line.is_estimate = progress->is_estimate;
    keep_mark(progress, &mark);
    progress_format(text, sizeof(text), &line, vmaf_stderr_columns());
    fprintf(progress->out, "\r%s%s", text, erase_to_end_of_line);
    fflush(progress->out);
    progress->shown = time;
    progress->open = true;
}

void progress_update(Progress *progress, unsigned long long done)
{
    if (!progress->enabled)
        return;
    double time = now();
    if (!progress->open || time - progress->shown >= refresh_interval)
        show(progress, done, time, false);
}

void progress_end(Progress *progress, unsigned long long done)
{
    if (!progress->open)
        return;
    show(progress, done, now(), true);
    fputc('\n', progress->out);
    progress->open = false;
}
