/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/ladder_internal.h"

#include "common/messages.h"
#include "tune/measure/search_run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- what is measured -- */

LadderSize *ladder_size_of(const Ladder *ladder, const EncodeSpec *spec)
{
    const VideoFormat *format = &ladder->source->format;
    const int width = spec->width ? spec->width : (int)format->width;
    const int height = spec->height ? spec->height : (int)format->height;
    size_t i = 0;
    while (i + 1 < ladder->n_sizes &&
           (ladder->sizes[i].width != width || ladder->sizes[i].height != height))
        i++;
    return &ladder->sizes[i];
}

EncodeSpec ladder_spec(const Ladder *ladder, const LadderSize *size)
{
    const VideoFormat *format = &ladder->source->format;
    EncodeSpec spec = ladder->plan.spec;
    if (size->width != (int)format->width || size->height != (int)format->height) {
        spec.width = size->width;
        spec.height = size->height;
    }
    return spec;
}

static bool measurement_of(const Ladder *ladder, const MeasuredEncode *encode,
                           Measurement *measurement, Message *why)
{
    *measurement = (Measurement){.q = encode->spec.q, .kbps = encode->kbps};
    if (!encode->error)
        return !tune_gates_values(&ladder->plan.gates, encode, measurement->values, why);
    *why = encode->why;
    return false;
}

/* Takes the encode over. One that failed is the last of its size. */
static bool take_encode(void *cookie, size_t index, MeasuredEncode *measured)
{
    Ladder *ladder = cookie;
    Measurement measurement;
    Message why;
    (void)index;
    MeasuredEncode **grown =
        realloc(ladder->encodes, (ladder->n_encodes + 1) * sizeof(*ladder->encodes));
    MeasuredEncode *kept = malloc(sizeof(*kept));
    ladder->encodes = grown ? grown : ladder->encodes;
    if (!grown || !kept) {
        free(kept);
        return false;
    }
    *kept = *measured;
    *measured = (MeasuredEncode){0};
    grown[ladder->n_encodes++] = kept;
    LadderSize *size = ladder_size_of(ladder, &kept->spec);
    if (!size->has_failed && !measurement_of(ladder, kept, &measurement, &why)) {
        size->has_failed = true;
        progress_print(ladder->session->progress, "vmaf-tune ladder: %dx%d at %g: %s", size->width,
                       size->height, kept->spec.q, why.text);
    }
    return true;
}

static int sweep_sizes(Ladder *ladder, Message *why)
{
    const LadderOptions *options = ladder->options;
    const size_t n = ladder->n_sizes * options->n_sweep;
    EncodeSpec *specs = calloc(n, sizeof(*specs));
    if (!specs)
        return message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        specs[i] = ladder_spec(ladder, &ladder->sizes[i / options->n_sweep]);
        specs[i].q = options->sweep[i % options->n_sweep];
    }
    const int err = grid_run(ladder->measurer->measurer, specs, n, take_encode, ladder, why);
    free(specs);
    return err;
}

/* What is known of the sizes: their curves, and room for all encodes. */
typedef struct Knowledge {
    LadderCurve *curves;
    const LadderSize **sizes; /* of the curves: those that did not fail */
    size_t n_curves;
    Measurement *encodes;
} Knowledge;

static void forget(Knowledge *knowledge)
{
    free(knowledge->curves);
    free(knowledge->sizes);
    free(knowledge->encodes);
}

static int look_back(const Ladder *ladder, Knowledge *knowledge)
{
    Message why;
    size_t n = 0;
    *knowledge = (Knowledge){
        .curves = calloc(ladder->n_sizes, sizeof(*knowledge->curves)),
        .sizes = calloc(ladder->n_sizes, sizeof(*knowledge->sizes)),
        .encodes = calloc(ladder->n_encodes + 1, sizeof(*knowledge->encodes)),
    };
    if (!knowledge->curves || !knowledge->sizes || !knowledge->encodes)
        return -ENOMEM;
    for (size_t s = 0; s < ladder->n_sizes; s++) {
        const LadderSize *size = &ladder->sizes[s];
        LadderCurve *curve = &knowledge->curves[knowledge->n_curves];
        if (size->has_failed)
            continue;
        *curve = (LadderCurve){size->width, size->height, knowledge->encodes + n, 0};
        for (size_t i = 0; i < ladder->n_encodes; i++)
            if (ladder_size_of(ladder, &ladder->encodes[i]->spec) == size &&
                measurement_of(ladder, ladder->encodes[i], &knowledge->encodes[n], &why))
                n++;
        curve->n = (size_t)(knowledge->encodes + n - curve->encodes);
        knowledge->sizes[knowledge->n_curves++] = size;
    }
    return 0;
}

/* The encodes that are worth making next. */
static size_t choose_encodes(const Ladder *ladder, const Knowledge *knowledge, size_t most,
                             EncodeSpec *specs, LadderProbe *probes)
{
    const LadderOptions *options = ladder->options;
    const LadderSearch search = {
        .qualities = ladder->plan.search.qualities,
        .first = ladder->plan.search.first,
        .last = ladder->plan.search.last,
        .lowest_kbps = options->lowest_kbps,
        .highest_kbps = options->highest_kbps,
        .any_order = options->any_order,
        .goals = ladder->goals,
        .n_goals = ladder->n_targets,
        .curves = knowledge->curves,
        .n_curves = knowledge->n_curves,
    };
    if (options->max_encodes > 0 && ladder->n_encodes + most > (size_t)options->max_encodes)
        most = (size_t)options->max_encodes - ladder->n_encodes;
    const size_t n = knowledge->n_curves ? ladder_next(&search, most, probes) : 0;
    for (size_t i = 0; i < n; i++) {
        specs[i] = ladder_spec(ladder, knowledge->sizes[probes[i].curve]);
        specs[i].q = probes[i].q;
    }
    return n;
}

static int search_sizes(Ladder *ladder, Message *why)
{
    const int jobs = measurer_options(ladder->measurer->measurer)->jobs;
    const size_t most = jobs > 1 ? (size_t)jobs : 1;
    EncodeSpec *specs = calloc(most, sizeof(*specs));
    LadderProbe *probes = calloc(most, sizeof(*probes));
    int err = specs && probes ? 0 : message_set(why, -ENOMEM, "out of memory");
    for (size_t n = 1; n && !err;) {
        Knowledge knowledge;
        if (look_back(ladder, &knowledge))
            err = message_set(why, -ENOMEM, "out of memory");
        n = err ? 0 : choose_encodes(ladder, &knowledge, most, specs, probes);
        forget(&knowledge);
        if (n)
            err = grid_run(ladder->measurer->measurer, specs, n, take_encode, ladder, why);
    }
    free(specs);
    free(probes);
    return err;
}

int ladder_sample(Ladder *ladder, Message *why)
{
    return ladder->options->n_sweep ? sweep_sizes(ladder, why) : search_sizes(ladder, why);
}

/* Without a cache, encodes that nobody wants to keep lie about until the end. */
static void free_encodes(Ladder *ladder)
{
    const MeasureOptions *options =
        ladder->measurer ? measurer_options(ladder->measurer->measurer) : NULL;
    for (size_t i = 0; i < ladder->n_encodes; i++) {
        if (options && !options->cache && !options->encode_dir && ladder->encodes[i]->path)
            remove(ladder->encodes[i]->path);
        measured_encode_free(ladder->encodes[i]);
        free(ladder->encodes[i]);
    }
    free(ladder->encodes);
}

void ladder_free(Ladder *ladder)
{
    free_encodes(ladder);
    for (size_t i = 0; i < ladder->n_rungs; i++)
        free(ladder->rungs[i].track.segments);
    for (size_t i = 0; i < ladder->n_audio; i++)
        free(ladder->audio[i].segments);
    free(ladder->rungs);
    free(ladder->audio);
    free(ladder->hull);
    free(ladder->goals);
    free(ladder->sizes);
    free(ladder->key_times);
    *ladder = (Ladder){0};
}

/* -- what the rungs are -- */

/* The encode as a point for choices. */
static EncodePoint ladder_point(const Ladder *ladder, size_t encode)
{
    const MeasuredEncode *measured = ladder->encodes[encode];
    const LadderSize *size = ladder_size_of(ladder, &measured->spec);
    EncodePoint point = search_group_point(&ladder->plan.gates, measured);
    point.width = size->width;
    point.height = size->height;
    point.source = encode;
    return point;
}

/* Collects what may be rungs; points has room for all encodes. */
static size_t wanted_points(const Ladder *ladder, EncodePoint *points)
{
    const LadderOptions *options = ladder->options;
    size_t n = 0;
    for (size_t i = 0; i < ladder->n_encodes; i++) {
        const EncodePoint point = ladder_point(ladder, i);
        if (isfinite(point.score) && point.kbps >= options->lowest_kbps &&
            (!(options->highest_kbps > 0) || point.kbps <= options->highest_kbps))
            points[n++] = point;
    }
    return n;
}

static void find_hull(Ladder *ladder)
{
    const size_t n =
        convex_hull(ladder->hull, wanted_points(ladder, ladder->hull), ladder->options->axis);
    ladder->n_hull = ladder->options->any_order ? n : keep_monotone_resolution(ladder->hull, n);
}

/* The cheapest point of at least that score and size; NULL: there is none. */
static const EncodePoint *find_answer(const EncodePoint *points, size_t n, double target,
                                      long long pixels)
{
    const EncodePoint *answer = NULL;
    for (size_t i = 0; i < n; i++) {
        const EncodePoint *point = &points[i];
        if (point->score < target || (long long)point->width * point->height < pixels)
            continue;
        if (!answer || point->kbps < answer->kbps ||
            (point->kbps == answer->kbps && point->score > answer->score))
            answer = point;
    }
    return answer;
}

static void report_unreachable(const EncodePoint *points, size_t n, double target)
{
    double best = 0;
    for (size_t i = 0; i < n; i++)
        best = fmax(best, points[i].score);
    print_error("vmaf-tune ladder: VMAF %g is unreachable here; the best is %.3f", target, best);
}

/* One rung for each target that is reached; one encode may answer several. */
static size_t answer_targets(const Ladder *ladder, const EncodePoint *wanted, size_t n_wanted,
                             EncodePoint *points)
{
    size_t n = 0;
    long long pixels = 0;
    for (size_t i = 0; i < ladder->n_targets; i++) {
        const EncodePoint *answer = find_answer(wanted, n_wanted, ladder->targets[i], pixels);
        if (!answer)
            report_unreachable(wanted, n_wanted, ladder->targets[i]);
        else if (!n || points[n - 1].source != answer->source)
            points[n++] = *answer;
        if (n && !ladder->options->any_order)
            pixels = (long long)points[n - 1].width * points[n - 1].height;
    }
    return n;
}

/* An encode whose file is still there. */
static int provide_file(const Ladder *ladder, MeasuredEncode *encode, Message *why)
{
    MeasuredEncode measured;
    EncodeSpec spec = encode->spec;
    if (encode->path)
        return 0;
    spec.keeps_file = true;
    measure_encode(ladder->measurer->measurer, &spec, NULL, &measured);
    const int err = measured.error;
    *why = measured.why;
    if (!err) {
        measured_encode_free(encode);
        *encode = measured;
    } else {
        measured_encode_free(&measured);
    }
    return err;
}

static int look_at_stream(const Ladder *ladder, LadderRung *rung, Message *why)
{
    StreamFacts facts;
    const FrameRate rate = ladder->source->rate;
    int err = provide_file(ladder, rung->encode, why);
    if (err)
        return err;
    err = stream_examine(rung->encode->path, -1, rate, &facts, why);
    if (!err) {
        rung->track.kbps = stream_kbps(&facts, rate);
        rung->track.peak_kbps = stream_peak_kbps(&facts, rate, ladder->segment_seconds);
        if (!codec_string(&facts, rate, rung->track.codecs))
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
    char *name = ladder->rungs[i].track.name;
    const EncodePoint *point = &ladder->rungs[i].point;
    snprintf(name, TRACK_NAME_SIZE, "rendition_%dx%d_%.0fk", point->width, point->height,
             point->kbps);
    for (size_t j = 0; j < i; j++)
        if (!strcmp(ladder->rungs[j].track.name, name))
            snprintf(name, TRACK_NAME_SIZE, "rendition_%dx%d_%.0fk_q%g", point->width,
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
    EncodePoint *wanted = calloc(ladder->n_encodes + 1, sizeof(*wanted));
    EncodePoint *points = calloc(ladder->n_encodes + ladder->n_targets + 1, sizeof(*points));
    int err = 0;
    ladder->hull = calloc(ladder->n_encodes + 1, sizeof(*ladder->hull));
    if (!wanted || !points || !ladder->hull) {
        err = message_set(why, -ENOMEM, "out of memory");
    } else {
        find_hull(ladder);
        size_t n = ladder->n_hull;
        if (options->n_sweep)
            memcpy(points, ladder->hull, n * sizeof(*points));
        else if (n)
            n = answer_targets(ladder, wanted, wanted_points(ladder, wanted), points);
        const int chosen = ladder_choose(points, n, options->n_rungs, options->spacing);
        if (chosen < 0)
            err = message_set(why, chosen, "rungs cannot be chosen");
        else if (chosen)
            err = make_rungs(ladder, points, (size_t)chosen, why);
        else
            err = message_set(why, -ENODATA,
                              ladder->n_hull ? "no target is reached"
                                             : "nothing was measured that could be a rung");
    }
    free(wanted);
    free(points);
    return err;
}
