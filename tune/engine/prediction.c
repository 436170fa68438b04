/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/prediction.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *encoder;
    ScoreModel model;
} models[] = {
    {"libx264", {95, 1.20, .012, 1.5, 23}},    {"libx265", {96, 1.10, .010, 1.6, 28}},
    {"libsvtav1", {94, .95, .009, 1.4, 35}},   {"libaom-av1", {94, .90, .009, 1.4, 35}},
    {"libvvenc", {95, .85, .008, 1.5, 32}},    {"h264_nvenc", {93, 1.30, .014, 1.4, 23}},
    {"hevc_nvenc", {94, 1.20, .012, 1.5, 23}}, {"av1_nvenc", {93, 1.10, .011, 1.5, 23}},
    {"h264_amf", {92, 1.40, .015, 1.3, 23}},   {"hevc_amf", {93, 1.30, .013, 1.4, 23}},
    {"av1_amf", {92, 1.20, .012, 1.4, 23}},    {"h264_qsv", {93, 1.30, .013, 1.4, 23}},
    {"hevc_qsv", {94, 1.20, .012, 1.5, 23}},   {"av1_qsv", {93, 1.10, .011, 1.5, 23}},
};

HeightClass height_class(int height)
{
    if (height >= 2160)
        return HEIGHT_2160;
    if (height >= 1080)
        return HEIGHT_1080;
    return height >= 720 ? HEIGHT_720 : HEIGHT_SD;
}

ScoreModel score_model_of(const char *encoder)
{
    for (size_t i = 0; encoder && i < sizeof(models) / sizeof(models[0]); i++)
        if (!strcmp(encoder, models[i].encoder))
            return models[i].model;
    return models[0].model;
}

static double rate_term(const ScoreModel *model, double probe_kbps)
{
    return model->rate_weight * log10(fmax(probe_kbps, 1));
}

double score_predicted(const ScoreModel *model, double q, double probe_kbps)
{
    const double d = q - model->reference_q;
    const double score = model->a - model->b * d - model->c * d * d + rate_term(model, probe_kbps);
    return fmin(100, fmax(0, score));
}

QPrediction q_predicted(const ScoreModel *model, double target, double probe_kbps, int lowest,
                        int highest)
{
    int low = lowest, high = highest, best = lowest;
    bool reachable = false;
    while (low <= high) {
        const int middle = low + (high - low) / 2;
        if (score_predicted(model, middle, probe_kbps) >= target) {
            best = middle;
            reachable = true;
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return (QPrediction){
        .q = best, .score = score_predicted(model, best, probe_kbps), .reachable = reachable};
}

double kbps_predicted(double probe_kbps, int probe_q, int q)
{
    return fmax(1, probe_kbps * exp2((probe_q - q) / 6.0));
}

GopHint gop_hint(const PredictionFeatures *features)
{
    const int fps = (int)fmax(1, rint(features->fps));
    const int half = fps / 2 > 1 ? fps / 2 : 1;
    const bool is_long = features->fps > 0 && features->frames / features->fps >= 4;
    if (is_long && features->probe_kbps < 1500)
        return (GopHint){4 * fps, fps};
    if (features->probe_kbps > 8000)
        return (GopHint){fps, half};
    return (GopHint){2 * fps, half};
}

Validation validate_predictions(const double *residuals, size_t n, double threshold)
{
    if (!n)
        return (Validation){.verdict = VERDICT_FALL_BACK};
    double least = residuals[0], most = residuals[0], sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(residuals[i]))
            return (Validation){.verdict = VERDICT_FALL_BACK, .worst = INFINITY};
        least = fmin(least, residuals[i]);
        most = fmax(most, residuals[i]);
        sum += residuals[i];
    }
    const double mean = sum / (double)n, worst = fmax(fabs(least), fabs(most));
    if (worst <= threshold)
        return (Validation){.verdict = VERDICT_GOSPEL, .worst = worst};
    if (most - least <= 2 * threshold && fabs(mean) > threshold)
        return (Validation){.verdict = VERDICT_RECALIBRATE, .bias = mean, .worst = worst};
    return (Validation){.verdict = VERDICT_FALL_BACK, .worst = worst};
}

typedef struct Ranked {
    double kbps;
    size_t shot;
} Ranked;

static int compare_ranked(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    if (x->kbps != y->kbps)
        return x->kbps > y->kbps ? 1 : -1;
    return (x->shot > y->shot) - (x->shot < y->shot);
}

static int compare_indices(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* `wanted` of the places [from, to), evenly spaced: the middles of as many parts. */
static size_t choose_evenly(const Ranked *ranked, size_t from, size_t to, size_t wanted,
                            size_t *chosen)
{
    if (wanted > to - from)
        wanted = to - from;
    for (size_t i = 0; i < wanted; i++)
        chosen[i] = ranked[from + (2 * i + 1) * (to - from) / (2 * wanted)].shot;
    return wanted;
}

int validation_choose(const double *probe_kbps, size_t n, size_t wanted, size_t *chosen)
{
    enum { QUARTERS = 4 };
    if (wanted > n)
        wanted = n;
    Ranked *ranked = calloc(n ? n : 1, sizeof(*ranked));
    if (!ranked)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        ranked[i] = (Ranked){.kbps = probe_kbps[i], .shot = i};
    qsort(ranked, n, sizeof(*ranked), compare_ranked);
    size_t n_chosen = 0;
    if (wanted == n) {
        n_chosen = choose_evenly(ranked, 0, n, n, chosen);
    } else {
        for (size_t i = 0; i < QUARTERS; i++) {
            const size_t share = i + 1 < QUARTERS ? wanted / QUARTERS : wanted - n_chosen;
            n_chosen += choose_evenly(ranked, n * i / QUARTERS, n * (i + 1) / QUARTERS, share,
                                      chosen + n_chosen);
        }
    }
    free(ranked);
    qsort(chosen, n_chosen, sizeof(*chosen), compare_indices);
    return (int)n_chosen;
}

/* Solves the three equations m x = m[.][3] by elimination with row exchanges. */
static bool solve_3(double m[3][4], double x[3])
{
    for (int column = 0; column < 3; column++) {
        int pivot = column;
        for (int row = column + 1; row < 3; row++)
            if (fabs(m[row][column]) > fabs(m[pivot][column]))
                pivot = row;
        if (fabs(m[pivot][column]) < 1e-9)
            return false;
        for (int k = 0; k < 4; k++) {
            const double kept = m[column][k];
            m[column][k] = m[pivot][k];
            m[pivot][k] = kept;
        }
        for (int row = column + 1; row < 3; row++) {
            const double factor = m[row][column] / m[column][column];
            for (int k = column; k < 4; k++)
                m[row][k] -= factor * m[column][k];
        }
    }
    for (int row = 2; row >= 0; row--) {
        x[row] = m[row][3];
        for (int k = row + 1; k < 3; k++)
            x[row] -= m[row][k] * x[k];
        x[row] /= m[row][row];
    }
    return true;
}

int score_model_refit(ScoreModel *model, const ScoredQ *points, size_t n, int lowest, int highest)
{
    if (n < REFIT_MIN_POINTS)
        return -EINVAL;
    const double scale = 10; /* distances near 1 keep the equations well conditioned */
    double m[3][4] = {{0}};
    for (size_t i = 0; i < n; i++) {
        const double d = (points[i].q - model->reference_q) / scale;
        const double terms[3] = {1, -d, -d * d};
        const double y = points[i].score - rate_term(model, points[i].probe_kbps);
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 3; column++)
                m[row][column] += terms[row] * terms[column];
            m[row][3] += terms[row] * y;
        }
    }
    double x[3];
    if (!solve_3(m, x))
        return -EINVAL;
    const double b = x[1] / scale, c = x[2] / (scale * scale);
    /* The derivative -b - 2 c d is linear, so it is enough to look at the ends. */
    if (b + 2 * c * (lowest - model->reference_q) < 0 ||
        b + 2 * c * (highest - model->reference_q) < 0)
        return -EINVAL;
    model->a = x[0];
    model->b = b;
    model->c = c;
    return 0;
}
