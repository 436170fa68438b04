/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/per_shot/shot_comparison.h"

#include <errno.h>
#include <math.h>

/* Half of the frames have a better quality, half a worse one. */
static int middle_quality(const ShotTuning *tuning)
{
    double sum = 0, frames = 0;
    for (size_t i = 0; i < tuning->n; i++) {
        const double n = (double)shot_frames(&tuning->shots[i].shot);
        sum += n * tuned_shot_chosen(&tuning->shots[i])->spec.q;
        frames += n;
    }
    return (int)lrint(sum / frames);
}

/* What a single quality has to reach: all that the shots do. */
static TuneGates gates_of(const ShotTuning *tuning, const ShotResult *shots)
{
    TuneGates gates = {
        .gate = {{.name = "vmaf", .pool = POOL_MEAN, .target = shots->vmaf},
                 {.name = "vmaf", .pool = POOL_P1, .target = shots->p1}},
        .n = 2,
    };
    const TuneGates *asked = &tuning->plan.gates;
    if (shot_totals(tuning).missed)
        return gates;
    for (size_t i = 0; i < asked->n && gates.n < SEARCH_MAX_GATES; i++)
        if (!isnan(asked->gate[i].target))
            gates.gate[gates.n++] = asked->gate[i];
    return gates;
}

static int find_single(ShotTuning *tuning, ShotComparison *comparison)
{
    const size_t frames = tuning->source->frames;
    SearchPlan plan = tuning->plan;
    plan.gates = gates_of(tuning, &comparison->shots);
    tune_gates_for_search(&plan.gates, plan.spec.encoder, (int)tuning->source->format.height, 0,
                          &plan.search);
    plan.search.has_start = true;
    plan.search.start = middle_quality(tuning);
    plan.search.max_probes = 0;
    plan.search.on_non_monotonic = NON_MONOTONIC_KEEP;
    comparison->single = (TunedShot){.shot = {.end = frames}, .window = {0, frames, frames}};
    return tuned_shot_search(tuning, &plan, &comparison->single);
}

static int make_single(ShotTuning *tuning, const ShotPaths *paths, bool video_only,
                       ShotComparison *comparison)
{
    Message why;
    ShotTuning whole = *tuning;
    whole.shots = &comparison->single;
    whole.n = 1;
    const int err = shot_commands_make(&comparison->commands, &whole, paths, video_only, &why);
    if (err)
        return session_fail(tuning->session, err, why.text);
    comparison->result = &comparison->single_result;
    return shot_execute(&whole, paths, &comparison->commands, video_only,
                        &comparison->single_result);
}

int shot_comparison_make(ShotTuning *tuning, const ShotPaths *paths, const ShotCommands *commands,
                         bool video_only, ShotComparison *comparison)
{
    *comparison = (ShotComparison){.is_compared = tuning->n > 1, .result = &comparison->shots};
    int status = shot_execute(tuning, paths, commands, video_only, &comparison->shots);
    if (!status && comparison->is_compared)
        status = find_single(tuning, comparison);
    if (status || !comparison->is_compared || comparison->single.mark != SHOT_REACHED)
        return status;
    comparison->single_is_kept =
        tuned_shot_chosen(&comparison->single)->stream_bytes <= comparison->shots.bytes;
    return comparison->single_is_kept ? make_single(tuning, paths, video_only, comparison) : 0;
}

void shot_comparison_free(ShotComparison *comparison)
{
    tuned_shot_free(&comparison->single);
    shot_commands_free(&comparison->commands);
}
