/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What is measured for a ladder, and what of it becomes a rung. */
#include "tune/plan/ladder_internal.h"

#include "common/messages.h"
#include "tune/search/search_run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- what is measured -- */

EncodeSpec ladder_spec(const Ladder *ladder, const LadderCurve *size)
{
    const VideoFormat *format = &ladder->source->format;
    EncodeSpec spec = ladder->plan.spec;
    if (size->width != (int)format->width || size->height != (int)format->height) {
        spec.width = size->width;
        spec.height = size->height;
    }
    return spec;
}

void ladder_values(const Ladder *ladder, const MeasuredEncode *encode, double *values)
{
    Message why;
    if (encode->error || tune_gates_values(&ladder->plan.gates, encode, values, &why))
        for (size_t i = 0; i < SEARCH_MAX_GATES; i++)
            values[i] = NAN;
}

/* Adds what was measured to the curve of its size. One that failed is the last of its size. */
static bool add_to_curve(Ladder *ladder, const MeasuredEncode *encode)
{
    Message why = encode->why;
    LadderSize *size = ladder->sizes;
    for (EncodeSpec own = ladder_spec(ladder, &size->curve);
         own.width != encode->spec.width || own.height != encode->spec.height;
         own = ladder_spec(ladder, &size->curve))
        size++;
    LadderCurve *curve = &size->curve;
    Measurement *grown = realloc(curve->encodes, (curve->n + 1) * sizeof(*grown));
    if (!grown)
        return false;
    curve->encodes = grown;
    grown[curve->n] = (Measurement){.q = encode->spec.q, .kbps = encode->kbps};
    if (!encode->error &&
        !tune_gates_values(&ladder->plan.gates, encode, grown[curve->n].values, &why)) {
        curve->n++;
    } else if (!size->has_failed) {
        size->has_failed = true;
        progress_print(ladder->session->progress, "vmaf-tune ladder: %dx%d at %g: %s", curve->width,
                       curve->height, encode->spec.q, why.text);
    }
    return true;
}

/* Takes the encode over. */
static bool take_encode(void *cookie, size_t index, MeasuredEncode *measured)
{
    Ladder *ladder = cookie;
    (void)index;
    MeasuredEncode *grown =
        realloc(ladder->encodes, (ladder->n_encodes + 1) * sizeof(*ladder->encodes));
    if (!grown)
        return false;
    ladder->encodes = grown;
    grown[ladder->n_encodes++] = *measured;
    *measured = (MeasuredEncode){0};
    return add_to_curve(ladder, &grown[ladder->n_encodes - 1]);
}

/* Fills in the encodes that are worth making next: their number. */
static size_t choose_encodes(const Ladder *ladder, size_t most, LadderCurve *curves,
                             LadderProbe *probes, EncodeSpec *specs)
{
    const LadderSettings *settings = ladder->settings;
    const size_t allowed = (size_t)settings->search.max_iterations;
    LadderSearch search = {
        .qualities = ladder->plan.search.qualities,
        .first = ladder->plan.search.first,
        .last = ladder->plan.search.last,
        .lowest_kbps = settings->lowest_kbps,
        .highest_kbps = settings->highest_kbps,
        .any_order = settings->any_order,
        .goals = ladder->goals,
        .n_goals = settings->goals.values.n,
        .curves = curves,
    };
    for (size_t i = 0; i < ladder->n_sizes; i++)
        if (!ladder->sizes[i].has_failed)
            curves[search.n_curves++] = ladder->sizes[i].curve;
    if (allowed && ladder->n_encodes + most > allowed)
        most = allowed - ladder->n_encodes;
    const size_t n = search.n_curves ? ladder_next(&search, most, probes) : 0;
    for (size_t i = 0; i < n; i++) {
        specs[i] = ladder_spec(ladder, &curves[probes[i].curve]);
        specs[i].q = probes[i].q;
    }
    return n;
}

static int search_sizes(Ladder *ladder, size_t jobs, Message *why)
{
    EncodeSpec *specs = calloc(jobs, sizeof(*specs));
    LadderProbe *probes = calloc(jobs, sizeof(*probes));
    LadderCurve *curves = calloc(ladder->n_sizes, sizeof(*curves));
    int err = specs && probes && curves ? 0 : message_set(why, -ENOMEM, "out of memory");
    size_t n;
    while (!err && (n = choose_encodes(ladder, jobs, curves, probes, specs)))
        err = grid_run(ladder->measurer->measurer, specs, n, take_encode, ladder, why);
    free(specs);
    free(probes);
    free(curves);
    return err;
}

int ladder_sample(Ladder *ladder, Message *why)
{
    const NumberList *sweep = &ladder->settings->sweep;
    const size_t n = ladder->n_sizes * sweep->n;
    const int jobs = measurer_options(ladder->measurer->measurer)->jobs;
    if (!n)
        return search_sizes(ladder, jobs > 1 ? (size_t)jobs : 1, why);
    EncodeSpec *specs = calloc(n, sizeof(*specs));
    if (!specs)
        return message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        specs[i] = ladder_spec(ladder, &ladder->sizes[i / sweep->n].curve);
        specs[i].q = sweep->value[i % sweep->n];
    }
    const int err = grid_run(ladder->measurer->measurer, specs, n, take_encode, ladder, why);
    free(specs);
    return err;
}

void ladder_free_audio(Ladder *ladder)
{
    for (size_t i = 0; i < ladder->n_audio; i++)
        free(ladder->audio[i].segments);
    free(ladder->audio);
    ladder->audio = NULL;
    ladder->n_audio = 0;
}

void ladder_free(Ladder *ladder)
{
    const MeasureOptions *options =
        ladder->measurer ? measurer_options(ladder->measurer->measurer) : NULL;
    for (size_t i = 0; i < ladder->n_encodes; i++) {
        /* Without a cache, encodes that nobody wants to keep lie about until the end. */
        if (options && !options->cache && !options->encode_dir && ladder->encodes[i].path)
            remove(ladder->encodes[i].path);
        measured_encode_free(&ladder->encodes[i]);
    }
    for (size_t i = 0; i < ladder->n_sizes; i++)
        free(ladder->sizes[i].curve.encodes);
    for (size_t i = 0; i < ladder->n_rungs; i++)
        free(ladder->rungs[i].track.segments);
    ladder_free_audio(ladder);
    free(ladder->encodes);
    free(ladder->rungs);
    free(ladder->hull);
    free(ladder->goals);
    free(ladder->sizes);
    free(ladder->key_times);
}

/* -- what the rungs are -- */

static double sense(const Ladder *ladder, double score)
{
    return ladder->plan.gates.gate[0].lower_is_better ? -score : score;
}

/* Collects what may be rungs; points has room for all encodes. */
static size_t wanted_points(const Ladder *ladder, EncodePoint *points)
{
    const LadderSettings *settings = ladder->settings;
    const VideoFormat *format = &ladder->source->format;
    size_t n = 0;
    for (size_t i = 0; i < ladder->n_encodes; i++) {
        EncodePoint point = search_group_point(&ladder->plan.gates, &ladder->encodes[i]);
        point.width = point.width ? point.width : (int)format->width;
        point.height = point.height ? point.height : (int)format->height;
        point.source = i;
        if (isfinite(point.score) && point.kbps >= settings->lowest_kbps &&
            (!(settings->highest_kbps > 0) || point.kbps <= settings->highest_kbps))
            points[n++] = point;
    }
    return n;
}

/* The cheapest point of at least that score and size; NULL: there is none. */
static const EncodePoint *find_answer(const EncodePoint *points, size_t n, double score,
                                      long long pixels)
{
    const EncodePoint *answer = NULL;
    for (size_t i = 0; i < n; i++) {
        const EncodePoint *point = &points[i];
        if (point->score < score || (long long)point->width * point->height < pixels)
            continue;
        if (!answer || point->kbps < answer->kbps ||
            (point->kbps == answer->kbps && point->score > answer->score))
            answer = point;
    }
    return answer;
}

static void report_unreachable(const Ladder *ladder, const EncodePoint *points, size_t n,
                               double goal)
{
    char label[GATE_LABEL_SIZE];
    double best = -INFINITY;
    for (size_t i = 0; i < n; i++)
        best = fmax(best, points[i].score);
    tune_gate_label(&ladder->plan.gates.gate[0], label);
    print_error("vmaf-tune ladder: %s %g is unreachable here; the best is %.3f", label, goal,
                sense(ladder, best));
}

/* One rung for each goal that is reached; one encode may answer several. */
static size_t answer_goals(const Ladder *ladder, const EncodePoint *wanted, size_t n_wanted,
                           EncodePoint *points)
{
    const NumberList *goals = &ladder->settings->goals.values;
    size_t n = 0;
    long long pixels = 0;
    for (size_t i = 0; i < goals->n && n_wanted; i++) {
        const EncodePoint *answer =
            find_answer(wanted, n_wanted, sense(ladder, goals->value[i]), pixels);
        if (!answer)
            report_unreachable(ladder, wanted, n_wanted, goals->value[i]);
        else if (!n || points[n - 1].source != answer->source)
            points[n++] = *answer;
        if (n && !ladder->settings->any_order)
            pixels = (long long)points[n - 1].width * points[n - 1].height;
    }
    return n;
}

/* Two rungs may have the same size and, but for fractions, bitrate. */
static void name_rung(Ladder *ladder, size_t i)
{
    char *name = ladder->rungs[i].track.name;
    const EncodePoint *point = &ladder->rungs[i].point;
    snprintf(name, TRACK_NAME_SIZE, "rendition_%dx%d_%.0fk", point->width, point->height,
             point->kbps);
    for (size_t j = 0; j < i; j++)
        if (!strcmp(ladder->rungs[j].track.name, name))
            snprintf(name, TRACK_NAME_SIZE, "rendition_%dx%d_%.0fk_q%g", point->width,
                     point->height, point->kbps, point->q);
}

static int choose_rungs(Ladder *ladder, EncodePoint *wanted, EncodePoint *points, Message *why)
{
    const LadderSettings *settings = ladder->settings;
    const size_t n_wanted = wanted_points(ladder, wanted);
    ladder->n_hull = convex_hull(ladder->hull, wanted_points(ladder, ladder->hull),
                                 settings->axis ? HULL_LOG : HULL_LINEAR);
    if (!settings->any_order)
        ladder->n_hull = keep_monotone_resolution(ladder->hull, ladder->n_hull);
    size_t n = ladder->n_hull;
    if (settings->sweep.n)
        memcpy(points, ladder->hull, n * sizeof(*points));
    else
        n = answer_goals(ladder, wanted, n_wanted, points);
    const int chosen = ladder_choose(points, n, (size_t)settings->tiers,
                                     settings->spacing ? RUNGS_BY_SCORE : RUNGS_BY_LOG_BITRATE);
    if (chosen < 0)
        return message_set(why, chosen, "rungs cannot be chosen");
    if (!chosen)
        return message_set(why, -ENODATA,
                           ladder->n_hull ? "no target is reached"
                                          : "nothing was measured that could be a rung");
    ladder->rungs = calloc((size_t)chosen, sizeof(*ladder->rungs));
    if (!ladder->rungs)
        return message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < (size_t)chosen; i++, ladder->n_rungs++) {
        ladder->rungs[i].point = points[i];
        ladder->rungs[i].encode = &ladder->encodes[points[i].source];
        name_rung(ladder, i);
    }
    return 0;
}

int ladder_find_rungs(Ladder *ladder, Message *why)
{
    EncodePoint *wanted = calloc(ladder->n_encodes + 1, sizeof(*wanted));
    EncodePoint *points =
        calloc(ladder->n_encodes + ladder->settings->goals.values.n + 1, sizeof(*points));
    ladder->hull = calloc(ladder->n_encodes + 1, sizeof(*ladder->hull));
    const int err = wanted && points && ladder->hull ? choose_rungs(ladder, wanted, points, why)
                                                     : message_set(why, -ENOMEM, "out of memory");
    free(wanted);
    free(points);
    return err;
}
