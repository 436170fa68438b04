/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The program `vmaf-backend-bench`: speed of a backend, and where its time goes. See README.md. */
#include "backend_bench.h"

#include <stdlib.h>
#include <string.h>

/* Makes the library search the plugin's own folder. */
static int point_library(const char *path)
{
    char *folder = realpath(path, NULL);
    if (!folder)
        return -1;
    *strrchr(folder, '/') = '\0';
    const int err =
        setenv("VMAF_BACKEND_PATH", folder, 1) || setenv("VMAF_BACKEND_PROBE", "inprocess", 1);
    free(folder);
    return err ? -1 : 0;
}

/* The tables about a backend on its own, for each place where pictures are to be. */
static int print_direct(BackendSettings *s, const BackendRows *rows, const BenchClips *clips,
                        Drive *drive)
{
    int err = 0;
    for (unsigned source = SOURCE_HOST; source <= SOURCE_DEVICE && !err; source *= 2) {
        if (!(s->sources & source))
            continue;
        s->from_device = source == SOURCE_DEVICE;
        if (s->tables & TABLE_BACKEND)
            err = backend_direct_speed(rows, clips, drive);
        /* Kernels take the same time wherever the pictures come from. */
        const bool is_first = !(s->sources & (source - 1));
        if (!err && s->tables & TABLE_STAGES && is_first)
            err = backend_direct_stages(rows, clips, drive);
    }
    return err;
}

/* The tables that were asked for. As backend_library_self_test. */
static int print_tables(BackendSettings *s, const BackendRows *rows, const BenchClips *clips,
                        Drive *drive)
{
    int refused = 0, err = 0;
    if (s->tables & TABLE_SELF_TEST)
        refused = backend_library_self_test(rows, clips);
    if (refused < 0)
        return -1;
    for (unsigned i = 0; i < s->n_subjects && !err; i++) {
        s->subject = &s->subjects[i];
        if (s->tables & TABLE_LIBRARY)
            err = backend_library_speed(rows, clips);
        if (!err && s->tables & TABLE_AUTO)
            err = backend_library_auto(rows, clips);
        if (!err)
            err = print_direct(s, rows, clips, drive);
    }
    return err ? -1 : refused;
}

static int bench(BackendSettings *s)
{
    static Drive drive;
    BackendOpening opening;
    BackendRows rows;
    BenchClips clips;
    if (s->tables & TABLE_OPENING && backend_opening_measure(s, &opening))
        return -1;
    if (point_library(s->plugin) || drive_load(&drive, s->plugin) ||
        drive_describe(&drive, s->device)) {
        fprintf(stderr, "vmaf-backend-bench: %s cannot be used\n", s->plugin);
        return -1;
    }
    int result = bench_clips_make(&clips, s->width, s->height, s->depth);
    if (result) {
        fprintf(stderr, "vmaf-backend-bench: %s\n", strerror(-result));
        return -1;
    }
    result = backend_rows_open(&rows, s, &drive);
    if (!result) {
        printf("%s, %ux%u, %u bits, %u frames\n", drive.backend->name, s->width, s->height,
               s->depth, s->frames);
        if (s->tables & TABLE_OPENING)
            backend_opening_print(&rows, &opening);
        result = print_tables(s, &rows, &clips, &drive);
        if (backend_rows_close(&rows))
            result = -1;
    }
    if (result >= 0)
        printf("\ndevice: %s\n", drive.info.name);
    bench_clips_release(&clips);
    return result;
}

int main(int argc, char **argv)
{
    BackendSettings settings;
    if (backend_settings_read(&settings, argc, argv))
        return 1;
    return bench(&settings) ? 1 : 0;
}
