/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend_rows.h"

#include <string.h>
#include <sys/resource.h>

int backend_rows_open(BackendRows *rows, const BackendSettings *settings, const Drive *drive)
{
    *rows = (BackendRows){.settings = settings, .drive = drive};
    if (!settings->json)
        return 0;
    rows->file = fopen(settings->json, "a");
    if (!rows->file)
        perror(settings->json);
    return rows->file ? 0 : -1;
}

int backend_rows_close(BackendRows *rows)
{
    if (!rows->file)
        return 0;
    const int failed = ferror(rows->file);
    if (!fclose(rows->file) && !failed)
        return 0;
    perror(rows->settings->json);
    return -1;
}

void backend_row(const BackendRows *rows, const char *kind, json_t *members)
{
    const BackendSettings *s = rows->settings;
    json_t *line = json_pack("{s:s,s:s,s:s,s:s,s:i,s:i,s:i}", "row", kind, "backend",
                             rows->drive->backend->name, "device", rows->drive->info.name, "driver",
                             rows->drive->info.driver, "width", (int)s->width, "height",
                             (int)s->height, "depth", (int)s->depth);
    if (rows->file && line && members && !json_object_update(line, members)) {
        json_dumpf(line, rows->file, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
        fputc('\n', rows->file);
        fflush(rows->file);
    }
    json_decref(line);
    json_decref(members);
}

static double cpu_seconds(void)
{
    struct rusage usage_now;
    getrusage(RUSAGE_SELF, &usage_now);
    return (double)(usage_now.ru_utime.tv_sec + usage_now.ru_stime.tv_sec) +
           1e-6 * (double)(usage_now.ru_utime.tv_usec + usage_now.ru_stime.tv_usec);
}

BackendSpan backend_span_begin(void)
{
    return (BackendSpan){drive_now(), cpu_seconds()};
}

BackendSpan backend_span_end(BackendSpan begin)
{
    return (BackendSpan){drive_now() - begin.wall, cpu_seconds() - begin.cpu};
}

json_t *backend_span_print(const char *what, BackendSpan span, unsigned frames)
{
    printf("%-28s %9.1f frames/s   %8.3f ms per frame   processor %5.1f %% of one core\n", what,
           frames / span.wall, 1e3 * span.wall / frames, 100.0 * span.cpu / span.wall);
    fflush(stdout);
    return json_pack("{s:i,s:f,s:f,s:f,s:f}", "frames", (int)frames, "fps", frames / span.wall,
                     "ms_per_frame", 1e3 * span.wall / frames, "host_cores", span.cpu / span.wall,
                     "host_cores_per_1000_fps", 1e3 * span.cpu / frames);
}
