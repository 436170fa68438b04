/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/cambi/cambi_heat_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "feature/cambi/cambi_visibility.h"
#include "support/memory.h"

struct CambiHeatMaps {
    int file[CAMBI_SCALES];      /* -1: not open */
    size_t pixels[CAMBI_SCALES]; /* of a frame */
};

double cambi_heat_map_gain(unsigned window, unsigned max_log_contrast)
{
    const unsigned weight = cambi_step_weights[(1u << max_log_contrast) - 1];
    return 65535.0 / (double)(weight * window * window / 4);
}

void cambi_heat_map_row(uint16_t *row, const float *contrasts, const CambiRun *runs,
                        unsigned n_runs, double gain)
{
    for (unsigned r = 0; r < n_runs; r++) {
        /* One step of contrast can exceed the range a little; it wraps, as in libvmaf on x86. */
        for (unsigned i = 0; i < runs[r].length; i++)
            row[runs[r].x + i] = (uint16_t)(int32_t)(gain * (double)*contrasts++);
    }
}

/* Makes each folder on the path, also the last. */
static int make_folders(const char *path)
{
    char *prefix = strdup(path);
    if (!prefix)
        return -ENOMEM;
    int err = 0;
    for (char *end = prefix + 1; !err && end[-1]; end++) {
        const char at_end = *end;
        if (at_end && at_end != '/')
            continue;
        *end = '\0';
        if (mkdir(prefix, 0770) && errno != EEXIST)
            err = -errno;
        *end = at_end;
        if (!at_end)
            break;
    }
    free(prefix);
    return err;
}

static int open_file(const char *folder, int scale, unsigned w, unsigned h, int *file, Reason *why)
{
    char *path;
    if (asprintf(&path, "%s/cambi_heatmap_scale_%d_%ux%u_16b.gray", folder, scale, w, h) < 0)
        return -ENOMEM;
    int err = 0;
    *file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (*file < 0)
        err = refuse(why, -EINVAL, "cambi cannot write heat map \"%s\": %s", path, strerror(errno));
    free(path);
    return err;
}

int cambi_heat_maps_create(CambiHeatMaps **maps, const char *folder, const CambiGeometry *geometry,
                           Reason *why)
{
    CambiHeatMaps *m = malloc(sizeof(*m));
    if (!m)
        return -ENOMEM;
    for (int scale = 0; scale < CAMBI_SCALES; scale++)
        m->file[scale] = -1;

    int err = *folder ? make_folders(folder) : -ENOENT;
    if (err == -ENOMEM)
        goto fail;
    if (err) {
        err = refuse(why, -EINVAL, "cambi cannot make folder \"%s\" for heat maps: %s", folder,
                     strerror(-err));
        goto fail;
    }
    /* File names begin with the full size also where scale 0 has half of it. */
    unsigned w = geometry->w, h = geometry->h;
    for (int scale = 0; scale < CAMBI_SCALES; scale++) {
        m->pixels[scale] = (size_t)geometry->scale_w[scale] * geometry->scale_h[scale];
        err = open_file(folder, scale, w, h, &m->file[scale], why);
        if (err)
            goto fail;
        w = (w + 1) / 2;
        h = (h + 1) / 2;
    }
    *maps = m;
    return 0;

fail:
    cambi_heat_maps_destroy(m);
    return err;
}

static int write_all(int file, const void *data, size_t size, off_t offset)
{
    const char *bytes = data;
    while (size) {
        const ssize_t written = pwrite(file, bytes, size, offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written ? -errno : -EIO;
        bytes += written;
        offset += written;
        size -= (size_t)written;
    }
    return 0;
}

int cambi_heat_maps_write(CambiHeatMaps *maps, unsigned frame, const uint16_t *samples)
{
    for (int scale = 0; scale < CAMBI_SCALES; scale++) {
        const size_t size = maps->pixels[scale] * sizeof(uint16_t);
        size_t offset;
        if (!size_mul(frame, size, &offset) || offset > INT64_MAX - size)
            return -EFBIG;
        const int err = write_all(maps->file[scale], samples, size, (off_t)offset);
        if (err)
            return err;
        samples += maps->pixels[scale];
    }
    return 0;
}

void cambi_heat_maps_destroy(CambiHeatMaps *maps)
{
    if (!maps)
        return;
    for (int scale = 0; scale < CAMBI_SCALES; scale++) {
        if (maps->file[scale] >= 0)
            close(maps->file[scale]);
    }
    free(maps);
}
