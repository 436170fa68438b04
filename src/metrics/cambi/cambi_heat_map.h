/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_HEAT_MAP_H
#define METRICS_CAMBI_CAMBI_HEAT_MAP_H

/*
 * Heat maps: the contrasts of the distorted picture as raw video, a file per scale, 16 bits per
 * sample, without headers.
 */

#include "metrics/cambi/cambi.h"
#include "metrics/cambi/cambi_internal.h"
#include "support/log.h"

/* What contrasts are multiplied by: about 65535 over the largest one that is possible. */
double cambi_heat_map_gain(unsigned window, unsigned max_log_contrast);

/* Writes the contrasts of the runs of a row to their places. */
void cambi_heat_map_row(uint16_t *row, const float *contrasts, const CambiRun *runs,
                        unsigned n_runs, double gain);

/* The open files. */
typedef struct CambiHeatMaps CambiHeatMaps;

/* Creates the folder, with its parents, and the files. 0, -ENOMEM, or -EINVAL with a reason. */
int cambi_heat_maps_create(CambiHeatMaps **maps, const char *folder, const CambiGeometry *geometry,
                           Reason *why);
/* `samples` are those of all scales, one after the other. 0 or a negative errno. */
int cambi_heat_maps_write(CambiHeatMaps *maps, unsigned frame, const uint16_t *samples);
void cambi_heat_maps_destroy(CambiHeatMaps *maps); /* NULL allowed */

#endif
