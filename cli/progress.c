/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "progress.h"

#include "platform/time.h"

static const double refresh_interval = 0.1; /* seconds */
static const char erase_to_end_of_line[] = "\x1b[K";

static double now(void)
{
    return (double)vmaf_steady_ns() * 1e-9;
}

void progress_start(Progress *progress, FILE *out, bool enabled, unsigned long long total)
{
    *progress = (Progress){.out = out, .enabled = enabled, .total = total, .started = now()};
}

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

void progress_format(char *text, size_t size, unsigned long long done, unsigned long long total,
                     double seconds)
{
    double rate = seconds > 0.0 ? (double)done / seconds : 0.0;
    const char *plural = done == 1 ? "" : "s";
    if (total < done) { /* not known, or the file has grown */
        snprintf(text, size, "%llu frame%s %.2f FPS", done, plural, rate);
        return;
    }
    char left[32] = "?";
    if (rate > 0.0)
        format_duration(left, sizeof(left), (double)(total - done) / rate);
    snprintf(text, size, "%llu frame%s of %llu (%.0f%%) %.2f FPS, %s left", done, plural, total,
             100.0 * (double)done / (double)total, rate, left);
}

static void show(Progress *progress, unsigned long long done, double time)
{
    char text[128];
    progress_format(text, sizeof(text), done, progress->total, time - progress->started);
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
        show(progress, done, time);
}

void progress_end(Progress *progress, unsigned long long done)
{
    if (!progress->open)
        return;
    show(progress, done, now());
    fputc('\n', progress->out);
    progress->open = false;
}
