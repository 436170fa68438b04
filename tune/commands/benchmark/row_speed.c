/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/benchmark/benchmark.h"

#include <math.h>
#include <stdio.h>

/* What was encoded: all frames, or those of a sample. */
static double frames_of(const Row *row)
{
    double seconds;
    if (row->frames != ROW_NO_INTEGER)
        return (double)row->frames;
    if (!row->clip_mode || sscanf(row->clip_mode, "sample_%lfs", &seconds) != 1)
        seconds = row->duration_s;
    return rint(seconds * row->framerate);
}

static double rate(double frames, double milliseconds)
{
    const double fps = 1000 * frames / milliseconds;
    return isfinite(fps) && fps > 0 ? fps : NAN;
}

double row_encode_fps(const Row *row)
{
    const double fps = rate(frames_of(row), row->encode_time_ms);
    return isnan(fps) ? row->encode_speed_fps : fps;
}

double row_score_fps(const Row *row)
{
    const double frames =
        row->score_frames != ROW_NO_INTEGER ? (double)row->score_frames : frames_of(row);
    const double fps = rate(frames, row->score_time_ms);
    return isnan(fps) ? row->score_speed_fps : fps;
}
