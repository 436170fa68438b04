/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What compare measures beside searches: how fast encoders are alone, and what the source takes. */
#include "tune/plan/compare_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* -- the source -- */

double compare_source_kbps(const TuneSource *source, const SessionMeasurer *measurer)
{
    const SampleWindow whole = {.first = source->part.first, .frames = source->frames};
    const SampleWindow *window = measurer->windows ? measurer->windows : &whole;
    const size_t n = measurer_frames(measurer->measurer);
    const double fps = (double)source->rate.numerator / source->rate.denominator;
    double bytes = 0;
    for (size_t frames = 0; frames < n; frames += window++->frames)
        bytes += source_bytes(source, window->first, window->frames);
    return bytes * 8 / 1000 / (double)n * fps;
}

/* -- speed -- */

#define SPEED_SECONDS 10.0

static double speed_of(const EncodeOutcome *outcome)
{
    return 1000 * (double)outcome->frames / outcome->wall_ms;
}

/* Nothing else was encoded or scored at the same time, in this run and when it was cached. */
static bool were_alone(const Comparison *comparison)
{
    bool alone = comparison->options->jobs == 1;
    for (size_t i = 0; i < comparison->n; i++)
        for (size_t t = 0; t < comparison->n_targets && comparison->contenders[i].speeds; t++) {
            const MeasuredEncode *best = search_group_best(&comparison->contenders[i].group, t);
            alone &= !best || !best->is_cached;
        }
    return alone;
}

/* Makes an encode of a part once more, while this program does nothing else. */
static int encode_alone(const Session *session, const Comparison *comparison,
                        const EncodeSpec *spec, const MeasuredPart *part, double *speed)
{
    const MeasureOptions *options = measurer_options(comparison->measurer->measurer);
    const EncodeControl control = {.stop = session_interrupt, .limit_ms = options->encode_limit_ms};
    EncodeOutcome outcome;
    Message why, name;
    char *path;
    if (asprintf(&path, "%s/alone.mkv", options->work_dir) < 0)
        return -ENOMEM;
    message_set(&name, 0, "%s %s %g alone", spec->encoder->name, spec->encoder->quality_name,
                spec->q);
    const EncodeRequest request = {
        .source = comparison->video,
        .windows = part->windows,
        .n_windows = part->n_windows,
        .settings = options->encode,
        .spec = *spec,
        .output = path,
    };
    ProgressTask *task = progress_begin(session->progress, name.text);
    progress_advance(task, "encoding", 0, 0);
    const int err = encode_run(&request, &control, &outcome, &why);
    progress_end(task, false);
    if (!err) {
        *speed = speed_of(&outcome);
        progress_note(session->progress, "%s: %.1f frames/s", name.text, *speed);
    }
    remove(path);
    free(path);
    return err;
}

/* What an earlier target of the contender has found out of the same encode; NAN: nothing. */
static double known_speed(const Contender *contender, size_t target, const MeasuredEncode *best)
{
    for (size_t t = 0; t < target; t++)
        if (search_group_best(&contender->group, t) == best)
            return contender->speeds[t];
    return NAN;
}

int compare_measure_speeds(const Session *session, const Comparison *comparison, bool may_encode)
{
    const TuneSource *video = comparison->video;
    const double sample = comparison->options->sample_seconds;
    const double seconds = sample > 0 ? fmin(sample, SPEED_SECONDS) : SPEED_SECONDS;
    const bool alone = were_alone(comparison);
    SampleWindow window;
    MeasuredPart part = {.windows = &window, .n_windows = 1};
    if (video->seconds <= seconds ||
        sample_by_time(video->frames, video->rate, seconds, 1, &window) < 0)
        part = (MeasuredPart){0};
    int err = 0;
    for (size_t i = 0; i < comparison->n; i++) {
        Contender *contender = &comparison->contenders[i];
        for (size_t t = 0; t < comparison->n_targets && contender->speeds && err != -ECANCELED;
             t++) {
            const MeasuredEncode *best = search_group_best(&contender->group, t);
            double *speed = &contender->speeds[t];
            *speed = best ? known_speed(contender, t, best) : NAN;
            if (best && alone)
                *speed = speed_of(&best->outcome);
            else if (best && may_encode && isnan(*speed))
                err = encode_alone(session, comparison, &best->spec, &part, speed);
        }
    }
    return err == -ECANCELED ? err : 0;
}
