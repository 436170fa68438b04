/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How long a process waits for its first record. */
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend_bench.h"

/* Where drivers, loaders and backends keep what they have compiled. */
static const char *const cache_variables[] = {
    "XDG_CACHE_HOME", "CUDA_CACHE_PATH", "MESA_SHADER_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH",
    "NEO_CACHE_DIR",  "SYCL_CACHE_DIR",  "AMD_COMGR_CACHE_DIR",
};

static int measure_here(const BackendSettings *s, const char *cache, double seconds[2])
{
    static Drive drive;
    BenchClips clips;
    for (size_t i = 0; i < sizeof cache_variables / sizeof cache_variables[0]; i++)
        setenv(cache_variables[i], cache, 1);
    if (bench_clips_make(&clips, s->width, s->height, s->depth))
        return -1;
    const double begin = drive_now();
    int err = drive_load(&drive, s->plugin);
    if (!err)
        err = drive_open(&drive, s->device, false, &clips, s->in_flight, s->subject->features.items,
                         (unsigned)s->subject->features.n);
    seconds[0] = drive_now() - begin;
    DriveRun run = {.end = 1};
    if (!err)
        err = drive_run(&drive, &clips, &run);
    seconds[1] = drive_now() - begin;
    if (!err)
        drive_close(&drive); /* may write what was compiled */
    return err;
}

/* Measures in a process of its own, since a driver is started once in a process. */
static int measure_in_child(const BackendSettings *s, const char *cache, double seconds[2])
{
    int ends[2], status = 0;
    if (pipe(ends))
        return -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const int err = measure_here(s, cache, seconds);
        const ssize_t size = (ssize_t)(2 * sizeof seconds[0]);
        const int sent = !err && write(ends[1], seconds, (size_t)size) == size;
        fflush(NULL);
        _exit(sent ? 0 : 1);
    }
    close(ends[1]);
    const ssize_t size = child < 0 ? 0 : read(ends[0], seconds, 2 * sizeof seconds[0]);
    close(ends[0]);
    if (child > 0)
        waitpid(child, &status, 0);
    return size == (ssize_t)(2 * sizeof seconds[0]) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

int backend_opening_measure(const BackendSettings *s, BackendOpening *opening)
{
    const char *folder = getenv("TMPDIR");
    char cache[512];
    const int length = snprintf(cache, sizeof cache, "%s/vmaf-backend-bench-XXXXXX",
                                folder && *folder ? folder : "/tmp");
    if (length >= (int)sizeof cache || !mkdtemp(cache)) {
        perror(cache);
        return -1;
    }
    int err = 0;
    for (unsigned i = 0; i < 2 && !err; i++) {
        double seconds[2];
        err = measure_in_child(s, cache, seconds);
        opening->opened[i] = err ? 0.0 : seconds[0];
        opening->first_record[i] = err ? 0.0 : seconds[1];
    }
    nftw(cache, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    if (err)
        fprintf(stderr, "vmaf-backend-bench: the backend does not open in a process of its own\n");
    return err;
}

void backend_opening_print(const BackendRows *rows, const BackendOpening *opening)
{
    static const char *const states[] = {"cold", "warm"};
    for (unsigned i = 0; i < 2; i++) {
        printf("%s%-22s %9.3f s, first record after %.3f s\n", "start, ", states[i],
               opening->opened[i], opening->first_record[i]);
        backend_row(rows, "opening",
                    json_pack("{s:s,s:f,s:f}", "state", states[i], "opened_s", opening->opened[i],
                              "first_record_s", opening->first_record[i]));
    }
}
