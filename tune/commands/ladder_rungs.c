/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/ladder_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds what was measured. -ENOMEM. */
static int ladder_add_encode(Ladder *ladder, const MeasuredEncode *encode)
{
    const MeasuredEncode **grown =
        realloc(ladder->encodes, (ladder->n_encodes + 1) * sizeof(*ladder->encodes));
    if (!grown)
        return -ENOMEM;
    ladder->encodes = grown;
    grown[ladder->n_encodes++] = encode;
    return 0;
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

/* The encode as a point for choices. */
static EncodePoint ladder_point(const Ladder *ladder, size_t encode)
{
    const MeasuredEncode *measured = ladder->encodes[encode];
    const LadderSize *size = &ladder->sizes[ladder_size_of(ladder, &measured->spec)];
    EncodePoint point = search_group_point(&ladder->groups[0].plan.gates, measured);
    point.width = size->width;
    point.height = size->height;
    point.source = encode;
    return point;
}

/* Why a size has no measurements, if that is so. */
static void report_failure(const Ladder *ladder, size_t size)
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
    progress_print(ladder->session->progress, "vmaf-tune ladder: nothing of %dx%d: %s",
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
    int err = ladder->groups[0].n_sweep ? search_groups_run(ladder->measurer->measurer,
                                                            ladder->groups, ladder->n_sizes, 0, why)
                                        : search_sizes(ladder, why);
    if (err)
        return err;
    for (size_t i = 0; i < ladder->n_sizes; i++) {
        const MeasuredEncode *encode;
        report_failure(ladder, i);
        for (size_t e = 0; (encode = search_group_encode(&ladder->groups[i], e)) && !err; e++)
            err = ladder_add_encode(ladder, encode);
    }
    return err ? message_set(why, err, "out of memory") : 0;
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

static bool is_wanted(const LadderOptions *options, const EncodePoint *point)
{
    return isfinite(point->score) && point->kbps >= options->lowest_kbps &&
           (!(options->highest_kbps > 0) || point->kbps <= options->highest_kbps);
}

static size_t order_sizes(const LadderOptions *options, EncodePoint *points, size_t n)
{
    return options->any_order ? n : keep_monotone_resolution(points, n);
}

static int find_hull(Ladder *ladder)
{
    ladder->hull = calloc(ladder->n_encodes + 1, sizeof(*ladder->hull));
    if (!ladder->hull)
        return -ENOMEM;
    size_t n = 0;
    for (size_t i = 0; i < ladder->n_encodes; i++) {
        const EncodePoint point = ladder_point(ladder, i);
        if (is_wanted(ladder->options, &point))
            ladder->hull[n++] = point;
    }
    n = convex_hull(ladder->hull, n, ladder->options->axis);
    ladder->n_hull = order_sizes(ladder->options, ladder->hull, n);
    return 0;
}

/* -- answers of targets -- */

/* The cheapest encode of at least that score and size; false: there is none. */
static bool find_answer(const Ladder *ladder, double target, long long pixels, EncodePoint *answer)
{
    bool is_found = false;
    for (size_t i = 0; i < ladder->n_encodes; i++) {
        const EncodePoint point = ladder_point(ladder, i);
        if (!is_wanted(ladder->options, &point) || point.score < target ||
            (long long)point.width * point.height < pixels)
            continue;
        if (!is_found || point.kbps < answer->kbps ||
            (point.kbps == answer->kbps && point.score > answer->score))
            *answer = point;
        is_found = true;
    }
    return is_found;
}

static void report_unreachable(const Ladder *ladder, double target)
{
    double best = 0;
    for (size_t i = 0; i < ladder->n_encodes; i++) {
        const EncodePoint point = ladder_point(ladder, i);
        if (is_wanted(ladder->options, &point))
            best = fmax(best, point.score);
    }
    progress_print(ladder->session->progress,
                   "vmaf-tune ladder: VMAF %g is unreachable here; the best is %.3f", target, best);
}

/* One rung for each target that is reached, the targets rising; one encode may answer several. */
static size_t answer_targets(const Ladder *ladder, EncodePoint *points)
{
    const SearchGroup *group = &ladder->groups[0];
    size_t n = 0;
    for (size_t i = 0; i < group->n_targets; i++) {
        const long long pixels = n && !ladder->options->any_order
                                     ? (long long)points[n - 1].width * points[n - 1].height
                                     : 0;
        if (!find_answer(ladder, group->targets[i], pixels, &points[n]))
            report_unreachable(ladder, group->targets[i]);
        else if (!n || points[n].source != points[n - 1].source)
            n++;
    }
    return n;
}

/* Takes over what no search has made; NULL without memory. */
static const MeasuredEncode *keep(Ladder *ladder, MeasuredEncode *measured)
{
    MeasuredEncode **grown = realloc(ladder->more, (ladder->n_more + 1) * sizeof(*grown));
    if (!grown)
        return NULL;
    ladder->more = grown;
    MeasuredEncode *kept = malloc(sizeof(*kept));
    if (!kept)
        return NULL;
    *kept = *measured;
    *measured = (MeasuredEncode){0};
    return grown[ladder->n_more++] = kept;
}

/* -- what the rungs are -- */

/* One whose file is still there. */
static int provide_file(Ladder *ladder, LadderRung *rung, Message *why)
{
    if (rung->encode->path)
        return 0;
    EncodeSpec spec = rung->encode->spec;
    MeasuredEncode measured;
    spec.keeps_file = true;
    measure_encode(ladder->measurer->measurer, &spec, NULL, &measured);
    if (measured.error) {
        *why = measured.why;
        return measured.error;
    }
    rung->encode = keep(ladder, &measured);
    if (rung->encode)
        return 0;
    measured_encode_free(&measured);
    return message_set(why, -ENOMEM, "out of memory");
}

static int look_at_stream(Ladder *ladder, LadderRung *rung, Message *why)
{
    StreamFacts facts;
    const FrameRate rate = ladder->source->rate;
    int err = provide_file(ladder, rung, why);
    if (err)
        return err;
    err = stream_examine(rung->encode->path, -1, rate, &facts, why);
    if (!err) {
        rung->kbps = stream_kbps(&facts, rate);
        rung->peak_kbps = stream_peak_kbps(&facts, rate, ladder->segment_seconds);
        if (!codec_string(&facts, rate, rung->codecs))
            progress_print(
                ladder->session->progress,
                "vmaf-tune ladder: %dx%d: no name for profile \"%s\", level %d of %s, so "
                "CODECS is left out",
                rung->point.width, rung->point.height, facts.profile, facts.level, facts.codec);
    }
    stream_free(&facts);
    return err;
}

/* Two rungs may have the same size and, but for fractions, bitrate. */
static void name_rung(Ladder *ladder, size_t i)
{
    LadderRung *rung = &ladder->rungs[i];
    const EncodePoint *point = &rung->point;
    snprintf(rung->name, sizeof rung->name, "rendition_%dx%d_%.0fk", point->width, point->height,
             point->kbps);
    for (size_t j = 0; j < i; j++)
        if (!strcmp(ladder->rungs[j].name, rung->name))
            snprintf(rung->name, sizeof rung->name, "rendition_%dx%d_%.0fk_q%g", point->width,
                     point->height, point->kbps, point->q);
}

static int make_rungs(Ladder *ladder, const EncodePoint *points, size_t n, Message *why)
{
    int err = 0;
    ladder->rungs = calloc(n, sizeof(*ladder->rungs));
    if (!ladder->rungs)
        return message_set(why, -ENOMEM, "out of memory");
    ladder->n_rungs = n;
    for (size_t i = 0; i < n && !err; i++) {
        ladder->rungs[i].point = points[i];
        ladder->rungs[i].encode = ladder->encodes[points[i].source];
        name_rung(ladder, i);
        err = look_at_stream(ladder, &ladder->rungs[i], why);
    }
    return err;
}

int ladder_find_rungs(Ladder *ladder, Message *why)
{
    const LadderOptions *options = ladder->options;
    if (find_hull(ladder))
        return message_set(why, -ENOMEM, "out of memory");
    if (!ladder->n_hull)
        return message_set(why, -ENODATA, "nothing was measured that could be a rung");
    const SearchGroup *group = &ladder->groups[0];
    size_t n = group->n_sweep ? ladder->n_hull : group->n_targets;
    EncodePoint *points = calloc(2 * n + 1, sizeof(*points));
    if (!points)
        return message_set(why, -ENOMEM, "out of memory");
    if (group->n_sweep)
        memcpy(points, ladder->hull, n * sizeof(*points));
    else
        n = answer_targets(ladder, points);
    int err = n ? 0 : message_set(why, -ENODATA, "no target is reached");
    if (!err) {
        const int chosen = ladder_choose(points, n, options->n_rungs, options->spacing);
        err = chosen < 0 ? message_set(why, chosen, "rungs cannot be chosen")
                         : make_rungs(ladder, points, (size_t)chosen, why);
    }
    free(points);
    return err;
}
