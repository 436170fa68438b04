/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/cambi/cambi.h"
#include "metrics/cambi/cambi_internal.h"
#include "platform/file.h"
#include "platform/machine.h"
#include "platform/path.h"
#include "support/memory.h"

struct CambiHeatMaps {
    VmafFile file[CAMBI_SCALES];
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

static int open_file(const char *folder, int scale, unsigned w, unsigned h, VmafFile *file,
                     Reason *why)
{
    char *path;
    if (asprintf(&path, "%s/cambi_heatmap_scale_%d_%ux%u_16b.gray", folder, scale, w, h) < 0)
        return -ENOMEM;
    int err = vmaf_file_create(file, path);
    if (err)
        err = reason_set(why, -EINVAL, "cambi cannot write heat map \"%s\": %s", path,
                         strerror(-err));
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
        m->file[scale] = VMAF_FILE_NONE;

    int err = vmaf_folder_make(folder);
    if (err == -ENOMEM)
        goto fail;
    if (err) {
        err = reason_set(why, -EINVAL, "cambi cannot make folder \"%s\" for heat maps: %s", folder,
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

/* Machines that keep the low byte of a sample last turn some of them round at a time. */
static int write_samples(const VmafFile *file, const uint16_t *samples, size_t size, int64_t offset)
{
    uint16_t some[1024];
    if (vmaf_is_little_endian())
        return vmaf_file_write_at(file, samples, size, offset);
    int err = 0;
    for (size_t done = 0, part; done < size && !err; done += part) {
        part = size - done < sizeof(some) ? size - done : sizeof(some);
        memcpy(some, (const char *)samples + done, part);
        vmaf_swap_for_files(some, part, sizeof(*some));
        err = vmaf_file_write_at(file, some, part, offset + (int64_t)done);
    }
    return err;
}

int cambi_heat_maps_write(CambiHeatMaps *maps, unsigned frame, const uint16_t *samples)
{
    for (int scale = 0; scale < CAMBI_SCALES; scale++) {
        const size_t size = maps->pixels[scale] * sizeof(uint16_t);
        size_t offset;
        if (!size_mul(frame, size, &offset) || offset > INT64_MAX - size)
            return -EFBIG;
        const int err = write_samples(&maps->file[scale], samples, size, (int64_t)offset);
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
    for (int scale = 0; scale < CAMBI_SCALES; scale++)
        vmaf_file_close(&maps->file[scale]);
    free(maps);
}
