/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/ladder/ladder.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int ladder_add_encode(Ladder *ladder, const MeasuredEncode *encode)
{
    const MeasuredEncode **grown =
        realloc(ladder->encodes, (ladder->n_encodes + 1) * sizeof(*ladder->encodes));
    if (!grown)
        return -ENOMEM;
    ladder->encodes = grown;
    grown[ladder->n_encodes++] = encode;
    return 0;
}

typedef struct Taker {
    Ladder *ladder;
    int err;
} Taker;

static void take(void *cookie, const MeasuredEncode *encode)
{
    Taker *taker = cookie;
    if (!taker->err)
        taker->err = ladder_add_encode(taker->ladder, encode);
}

size_t ladder_size_of(const Ladder *ladder, const EncodeSpec *spec)
{
    const VideoFormat *format = &ladder->source->format;
    const int width = spec->width ? spec->width : (int)format->width;
    const int height = spec->height ? spec->height : (int)format->height;
    size_t i = 0;
    while (i + 1 < ladder->n_sizes &&
           (ladder->sizes[i].width != width || ladder->sizes[i].height != height))
        i++;
    return i;
}

EncodePoint ladder_point(const Ladder *ladder, size_t encode)
{
    const MeasuredEncode *measured = ladder->encodes[encode];
    const LadderSize *size = &ladder->sizes[ladder_size_of(ladder, &measured->spec)];
    EncodePoint point = search_group_point(&ladder->groups[0].plan.gates, measured);
    point.width = size->width;
    point.height = size->height;
    point.source = encode;
    if (isfinite(point.score) && ladder->options->uncertainty.has_residuals) {
        const ScoreInterval interval =
            calibrated_interval(&ladder->options->uncertainty.calibration, point.score);
        point.low = interval.low;
        point.high = interval.high;
    }
    return point;
}

/* Why a size has no measurements, if that is so. */
static void tell_failure(const Ladder *ladder, size_t size)
{
    const SearchGroup *group = &ladder->groups[size];
    size_t measured = 0;
    for (size_t i = 0; i < group->n_targets; i++)
        for (size_t e = 0; e < group->runs[i].n_encodes; e++)
            measured += !group->runs[i].encodes[e].error;
    if (measured)
        return;
    Message why;
    search_run_explain(&group->runs[0], &group->plan, &why);
    progress_say(ladder->session->progress, "vmaf-tune ladder: nothing of %dx%d: %s",
                 ladder->sizes[size].width, ladder->sizes[size].height, why.text);
}

/* What larger sizes than that need for each target. */
static void find_least(const Ladder *ladder, size_t size, double *kbps)
{
    for (size_t t = 0; t < ladder->groups[size].n_targets; t++) {
        kbps[t] = 0;
        for (size_t i = size + 1; i < ladder->n_sizes; i++) {
            const MeasuredEncode *best = search_group_best(&ladder->groups[i], t);
            if (best && (kbps[t] == 0 || best->kbps < kbps[t]))
                kbps[t] = best->kbps;
        }
    }
}

/* From large sizes, which reach most, to small ones, which are left where larger ones need less. */
static int search_sizes(Ladder *ladder, Message *why)
{
    double *least = calloc(ladder->groups[0].n_targets, sizeof(*least));
    int err = least ? 0 : message_set(why, -ENOMEM, "out of memory");
    for (size_t i = ladder->n_sizes; i-- > 0 && !err;) {
        find_least(ladder, i, least);
        ladder->groups[i].most_kbps = least;
        err = search_groups_run(ladder->measurer->measurer, &ladder->groups[i], 1, 0, why);
        ladder->groups[i].most_kbps = NULL;
    }
    free(least);
    return err;
}

int ladder_sample(Ladder *ladder, Message *why)
{
    Taker taker = {.ladder = ladder};
    const int err =
        ladder->groups[0].n_sweep
            ? search_groups_run(ladder->measurer->measurer, ladder->groups, ladder->n_sizes, 0, why)
            : search_sizes(ladder, why);
    if (err)
        return err;
    for (size_t i = 0; i < ladder->n_sizes; i++) {
        tell_failure(ladder, i);
        search_group_each(&ladder->groups[i], take, &taker);
    }
    return taker.err ? message_set(why, taker.err, "out of memory") : 0;
}

/* Without a cache, encodes that nobody wants to keep lie about until the end. */
static void remove_files(const Ladder *ladder)
{
    const MeasureOptions *options =
        ladder->measurer ? measurer_options(ladder->measurer->measurer) : NULL;
    if (!options || options->cache || options->encode_dir)
        return;
    for (size_t i = 0; i < ladder->n_encodes; i++)
        if (ladder->encodes[i]->path)
            remove(ladder->encodes[i]->path);
}

void ladder_free(Ladder *ladder)
{
    if (ladder->n_encodes)
        remove_files(ladder);
    for (size_t i = 0; ladder->groups && i < ladder->n_sizes; i++)
        search_group_free(&ladder->groups[i]);
    for (size_t i = 0; i < ladder->n_more; i++) {
        measured_encode_free(ladder->more[i]);
        free(ladder->more[i]);
    }
    free(ladder->more);
    free(ladder->encodes);
    free(ladder->groups);
    free(ladder->sizes);
    free(ladder->key_times);
    free(ladder->hull);
    free(ladder->rungs);
    *ladder = (Ladder){0};
}
