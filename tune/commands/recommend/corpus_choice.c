/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/recommend/corpus_choice.h"

#include "tune/commands/row_choice.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Usable rows as points, those of one source behind each other. */
typedef struct Candidates {
    EncodePoint *points;
    size_t n;
} Candidates;

static bool is_wanted(const char *text, const char *wanted)
{
    return !wanted || (text && !strcmp(text, wanted));
}

static bool is_candidate(const Row *row, const ChoiceRequest *request)
{
    return row_is_usable(row) && is_wanted(row->encoder, request->encoder) &&
           is_wanted(row->preset, request->preset);
}

static EncodePoint candidate(const Row *rows, size_t i, const ChoiceRequest *request)
{
    EncodePoint point = point_of_row(&rows[i], i);
    if (request->uncertainty) {
        const ScoreInterval interval = uncertainty_interval(request->uncertainty, &rows[i]);
        point.low = interval.low;
        point.high = interval.high;
    }
    return point;
}

/* Collects the candidates that have the same source as row `first`, all of which are at `first` or
 * after it, and marks them as taken. Their number. */
static size_t take_source(EncodePoint *points, const Row *rows, size_t n, size_t first, bool *taken,
                          const ChoiceRequest *request)
{
    size_t count = 0;
    for (size_t i = first; i < n; i++) {
        if (taken[i] || !is_candidate(&rows[i], request) ||
            strcmp(row_source(&rows[i]), row_source(&rows[first])) != 0)
            continue;
        taken[i] = true;
        points[count++] = candidate(rows, i, request);
    }
    return count;
}

/* Leaves out points without bitrate if there is another that reaches the target; *has: there is. */
static size_t with_bitrate(EncodePoint *points, size_t n, double target, bool *has)
{
    *has = false;
    for (size_t i = 0; i < n; i++)
        *has = *has || (!isnan(points[i].kbps) && points[i].score >= target);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!*has || !isnan(points[i].kbps))
            points[kept++] = points[i];
    return kept;
}

static int choose_certain(const Knob *knob, EncodePoint *points, size_t n,
                          const ChoiceRequest *request, RowChoice *choice, Choice *chosen)
{
    bool has_bitrate;
    choice->visited = choice->of = n;
    if (isnan(request->target)) {
        *chosen = choose_bitrate(knob, points, n, request->kbps);
        return 0;
    }
    n = with_bitrate(points, n, request->target, &has_bitrate);
    const bool by_compression = !has_bitrate || request->most_compressed;
    if (!request->uncertainty) {
        *chosen = by_compression ? choose_most_compressed(knob, points, n, request->target)
                                 : choose_cheapest(knob, points, n, request->target);
        return 0;
    }
    CertainChoice certain;
    const int err = choose_by_interval(knob, points, n, request->target,
                                       &request->uncertainty->widths, &certain);
    if (err)
        return err;
    *chosen = certain.choice;
    choice->certainty = certain.certainty;
    choice->visited = certain.visited;
    choice->of = n;
    /* Without bitrates, the cheapest is the one that is compressed most. */
    if (by_compression && chosen->status == CHOICE_MET && certain.certainty != CERTAINTY_TIGHT)
        *chosen = choose_most_compressed(knob, points, n, request->target);
    return 0;
}

static int add_choice(RowChoices *choices, const Row *rows, EncodePoint *points, size_t n,
                      const ChoiceRequest *request)
{
    const Knob knob = knob_of_encoder(rows[points[0].source].encoder);
    RowChoice choice = {0};
    Choice chosen;
    const int err = choose_certain(&knob, points, n, request, &choice, &chosen);
    if (err || chosen.status == CHOICE_NONE)
        return err;
    const EncodePoint *point = &points[chosen.index];
    choice.row = &rows[point->source];
    choice.met = chosen.status == CHOICE_MET;
    choice.margin =
        isnan(request->target) ? point->kbps - request->kbps : point->score - request->target;
    choice.interval = (ScoreInterval){point->low, point->high};
    choices->choices[choices->n++] = choice;
    return 0;
}

static int make(RowChoices *choices, const Row *rows, size_t n, const ChoiceRequest *request,
                EncodePoint *points, bool *taken)
{
    for (size_t i = 0; i < n; i++) {
        if (taken[i] || !is_candidate(&rows[i], request))
            continue;
        const size_t count = take_source(points, rows, n, i, taken, request);
        choices->n_usable += count;
        const int err = add_choice(choices, rows, points, count, request);
        if (err)
            return err;
    }
    return choices->n ? 0 : -ENODATA;
}

static int explain(int err, const ChoiceRequest *request, Message *message)
{
    if (err == -ENOMEM)
        return message_set(message, err, "out of memory");
    if (err == -EINVAL)
        return message_set(message, err, "an interval of a score ends before it begins");
    return message_set(message, err, "no row%s%.60s%s%.60s has succeeded and has a score%s",
                       request->encoder ? " of " : "", request->encoder ? request->encoder : "",
                       request->preset ? ", preset " : "", request->preset ? request->preset : "",
                       isnan(request->target) ? " and a bitrate" : "");
}

int row_choices_make(RowChoices *choices, const Row *rows, size_t n, const ChoiceRequest *request,
                     Message *message)
{
    EncodePoint *points = calloc(n + 1, sizeof(*points));
    bool *taken = calloc(n + 1, sizeof(*taken));
    *choices = (RowChoices){.choices = calloc(n + 1, sizeof(*choices->choices))};
    const int err = points && taken && choices->choices
                        ? make(choices, rows, n, request, points, taken)
                        : -ENOMEM;
    free(points);
    free(taken);
    if (!err)
        return 0;
    row_choices_free(choices);
    return explain(err, request, message);
}

void row_choices_free(RowChoices *choices)
{
    free(choices->choices);
    *choices = (RowChoices){0};
}
