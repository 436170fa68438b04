/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What scores have to reach, as users write it. */

#include "tune/measure/gates.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NAME.POOL>=NUMBER or <=, of which names may contain points; of a target NAME=NUMBER, too. */
static bool parse_gate(TuneGate *gate, const char *text, size_t length, bool is_target)
{
    const size_t name = strcspn(text, is_target ? "=" : "<>"), value = name + (is_target ? 1 : 2);
    char *end;
    if (!name || value >= length || text[value - 1] != '=' || name >= sizeof gate->name)
        return false;
    *gate = (TuneGate){.pool = POOL_MEAN, .lower_is_better = text[name] == '<'};
    memcpy(gate->name, text, name);
    char *point = strrchr(gate->name, '.');
    const bool has_pool = point && point > gate->name && score_pool_named(point + 1, &gate->pool);
    if (has_pool)
        *point = '\0';
    gate->target = strtod(text + value, &end);
    return (has_pool || is_target) && end == text + length && isfinite(gate->target);
}

/* What a user can write behind the point. */
#define POOL_NAMES "mean, harmonic_mean, min, p1, p5 or p10"

static int add_gate(TuneGates *gates, const TuneGate *gate, const char *option, Message *why)
{
    if (gates->n == SEARCH_MAX_GATES)
        return message_set(why, -EINVAL, "%s: at most %d conditions", option, SEARCH_MAX_GATES);
    gates->gate[gates->n++] = *gate;
    return 0;
}

int tune_gates_parse(TuneGates *gates, const char *text, Message *why)
{
    for (;; text++) {
        const size_t length = strcspn(text, ",");
        TuneGate gate;
        if (!parse_gate(&gate, text, length, false))
            return message_set(
                why, -EINVAL,
                "--require: \"%.*s\" is no NAME.POOL>=NUMBER, with a pool of " POOL_NAMES
                " (<= for scores of which less is better)",
                (int)length, text);
        const int err = add_gate(gates, &gate, "--require", why);
        text += length;
        if (err || !*text)
            return err;
    }
}

/* True if pool `a` of any scores is never above pool `b` of the same scores. */
static bool is_never_above(ScorePool a, ScorePool b)
{
    const bool are_percentiles = a >= POOL_MIN && b >= POOL_MIN;
    return a == b || (are_percentiles && a < b) || a == POOL_MIN ||
           (a == POOL_HARMONIC_MEAN && b == POOL_MEAN);
}

static bool contradict(const TuneGate *least, const TuneGate *most)
{
    return !least->lower_is_better && most->lower_is_better && !strcmp(least->name, most->name) &&
           is_never_above(least->pool, most->pool) && least->target > most->target;
}

int tune_gates_check(const TuneGates *gates, Message *why)
{
    for (size_t i = 0; i < gates->n; i++) {
        const TuneGate *gate = &gates->gate[i];
        const KnownMetric *metric = known_metric(gate->name);
        char label[GATE_LABEL_SIZE], other[GATE_LABEL_SIZE];
        tune_gate_label(gate, label);
        if (gate->target < metric->lowest || gate->target > metric->highest)
            return message_set(why, -EINVAL, "%s %g cannot be: scores are from %g to %g, %s", label,
                               gate->target, metric->lowest, metric->highest,
                               metric->is_percentage ? "to which models of VMAF clip them"
                                                     : "as the metric is defined");
        for (size_t k = 0; k < gates->n; k++) {
            if (!contradict(gate, &gates->gate[k]))
                continue;
            tune_gate_label(&gates->gate[k], other);
            return message_set(why, -EINVAL,
                               "no encode can have both %s of at least %g and %s of at most %g",
                               label, gate->target, other, gates->gate[k].target);
        }
    }
    return 0;
}

const char *tune_gate_label(const TuneGate *gate, char label[GATE_LABEL_SIZE])
{
    const bool is_vmaf = !strcmp(gate->name, "vmaf");
    const char *name = is_vmaf ? "VMAF" : gate->name;
    if (is_vmaf && gate->pool == POOL_MEAN)
        snprintf(label, GATE_LABEL_SIZE, "%s", name);
    else
        snprintf(label, GATE_LABEL_SIZE, "%s %s", name, score_pool_name(gate->pool));
    return label;
}

/* What counts instead of the infinite score of equal frames: more than if one sample differs. */
#define SCORE_OF_EQUAL_FRAMES 200

/* How much frames count, as what their windows stand for; -ENOENT if others were measured. */
static int weigh_frames(const TuneGates *gates, double *weights, size_t n)
{
    size_t frames = 0;
    for (size_t i = 0; i < gates->n_windows; i++) {
        const SampleWindow *window = &gates->windows[i];
        for (size_t k = 0; k < window->frames; k++, frames++)
            if (frames < n)
                weights[frames] = (double)window->stands_for / (double)window->frames;
    }
    return frames == n ? 0 : -ENOENT;
}

int tune_gates_pool(const TuneGates *gates, const MeasuredEncode *measured, const char *name,
                    PooledScores *pooled)
{
    const ScoreSeries *series = encode_scores_find(&measured->scores, name);
    const size_t n = measured->scores.frames;
    if (!series)
        return -ENOENT;
    double *scores = calloc(2 * n + 1, sizeof(*scores)), *weights = scores + n;
    if (!scores)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const double score = series->values[i];
        scores[i] = isinf(score) ? copysign(SCORE_OF_EQUAL_FRAMES, score) : score;
    }
    int err = gates->n_windows ? weigh_frames(gates, weights, n) : 0;
    if (!err)
        err = gates->n_windows ? pool_weighted_scores(scores, weights, n, pooled)
                               : pool_scores(scores, n, pooled);
    free(scores);
    return err;
}

int tune_gates_values(const TuneGates *gates, const MeasuredEncode *measured,
                      double values[SEARCH_MAX_GATES], Message *why)
{
    for (size_t i = 0; i < gates->n; i++) {
        PooledScores pooled;
        const int err = tune_gates_pool(gates, measured, gates->gate[i].name, &pooled);
        if (err)
            return message_set(why, err,
                               "there are no scores of \"%s\" that could be pooled (--feature adds "
                               "metrics)",
                               gates->gate[i].name);
        values[i] = pooled_score(&pooled, gates->gate[i].pool);
    }
    return 0;
}

bool tune_gates_reached(const TuneGates *gates, const double *values)
{
    for (size_t i = 0; i < gates->n; i++) {
        const TuneGate *gate = &gates->gate[i];
        if (gate->lower_is_better ? values[i] > gate->target : values[i] < gate->target)
            return false;
    }
    return true;
}

const KnownMetric *known_metric(const char *name)
{
#define ANY -INFINITY, INFINITY /* SSIM may be in dB */
    static const KnownMetric metrics[] = {
        {"vmaf", 1.5, true, false, 0, 100},
        {"ssimulacra2", 2, false, false, -INFINITY, 100},
        {"psnr", 0.5, false, false, ANY},
        {"float_ssim", 0.003, false, false, ANY},
        {"ssim", 0.003, false, false, ANY},
        {"float_ms_ssim", 0.002, false, false, ANY},
        {"ciede", 0.4, false, false, ANY},
        {"cambi", 0.2, false, true, 0, INFINITY},
        {"butteraugli", 0.2, false, true, 0, INFINITY},
        {"", 0.1, false, false, ANY},
    };
    const KnownMetric *metric = metrics;
    name = score_plain_name(name);
    while (strncmp(name, metric->begin, strlen(metric->begin)) != 0)
        metric++;
    return metric;
}

int tune_gates_parse_target(TuneGates *gates, const char *text, Message *why)
{
    TuneGate gate, *first = &gates->gate[0];
    if (!parse_gate(&gate, text, strlen(text), true))
        return message_set(why, -EINVAL,
                           "--target: \"%s\" is no METRIC=VALUE or METRIC.POOL=VALUE, such as "
                           "vmaf.p1=85",
                           text);
    const char *point = strrchr(gate.name, '.');
    const bool has_pool = text[strlen(gate.name)] == '.';
    /* Numbers are part of names. */
    if (point && !has_pool && isalpha((unsigned char)point[1]))
        return message_set(why, -EINVAL, "--target: \"%s\" is no pool of scores: " POOL_NAMES,
                           point + 1);
    gate.lower_is_better = known_metric(gate.name)->lower_is_better;
    if (strcmp(gate.name, first->name) || gate.pool != first->pool || !isnan(first->target))
        return add_gate(gates, &gate, "--target", why);
    first->target = gate.target;
    return 0;
}
