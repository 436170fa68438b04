/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/tune/rd_curves.h"

#include "tune/search/bd_rate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool read_line(RdCurves *curves, const char *line)
{
    if (*line == '#' || *line == '\n')
        return true;
    if (!strncmp(line, "curve ", 6)) {
        if (curves->n == MAX_RD_CURVES)
            return false;
        RdCurve *curve = &curves->curves[curves->n++];
        return sscanf(line, "curve %31s %d %d %31s", curve->clip, &curve->first_frame,
                      &curve->frames, curve->encoder) == 4;
    }
    if (!curves->n)
        return false;
    RdCurve *curve = &curves->curves[curves->n - 1];
    if (curve->n == MAX_RD_POINTS)
        return false;
    RdPoint *point = &curve->points[curve->n++];
    return sscanf(line, "%lf %lf %lf %lf %lf", &point->q, &point->kbps, &point->mean, &point->p1,
                  &point->min) == 5;
}

bool rd_curves_read(RdCurves *curves, const char *path)
{
    char line[256];
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return false;
    }
    curves->n = 0;
    bool ok = true;
    while (ok && fgets(line, sizeof(line), file))
        ok = read_line(curves, line);
    fclose(file);
    if (!ok)
        fprintf(stderr, "%s: \"%s\"\n", path, line);
    return ok && curves->n;
}

typedef double Column(const RdPoint *point);

static double log_kbps(const RdPoint *point)
{
    return log(point->kbps);
}

static double mean_of(const RdPoint *point)
{
    return point->mean;
}

static double p1_of(const RdPoint *point)
{
    return point->p1;
}

static double min_of(const RdPoint *point)
{
    return point->min;
}

static double interpolated(const RdCurve *curve, Column *column, double q)
{
    double x[MAX_RD_POINTS], y[MAX_RD_POINTS], slopes[MAX_RD_POINTS];
    for (size_t i = 0; i < curve->n; i++) {
        x[i] = curve->points[i].q;
        y[i] = column(&curve->points[i]);
    }
    pchip_slopes(x, y, curve->n, slopes);
    return pchip_value(x, y, slopes, curve->n, q);
}

RdPoint rd_curve_at(const RdCurve *curve, double q)
{
    for (size_t i = 0; i < curve->n; i++)
        if (curve->points[i].q == q)
            return curve->points[i];
    return (RdPoint){.q = q,
                     .kbps = exp(interpolated(curve, log_kbps, q)),
                     .mean = interpolated(curve, mean_of, q),
                     .p1 = interpolated(curve, p1_of, q),
                     .min = interpolated(curve, min_of, q)};
}

QualityRange rd_curve_quality_range(const RdCurve *curve)
{
    QualityRange qualities = {.lowest = (int)curve->points[0].q,
                              .highest = (int)curve->points[curve->n - 1].q};
    for (size_t i = 0; i < curve->n; i++)
        if (curve->points[i].q != rint(curve->points[i].q))
            qualities.per_unit = 10;
    return qualities;
}

/* k = position + slope * u + bend * (exp(-u) - 1), with u = ln(100.5 - score) from that of 90. */
enum { N_COEFFICIENTS = 3 };

typedef struct Fit {
    double of[N_COEFFICIENTS], deviation;
} Fit;

/* Gaussian elimination of the normal equations; what is on their right is column N. */
static void solve(double m[N_COEFFICIENTS][N_COEFFICIENTS + 1], double x[N_COEFFICIENTS])
{
    for (int i = 0; i < N_COEFFICIENTS; i++)
        for (int row = 0; row < N_COEFFICIENTS; row++) {
            const double factor = row == i ? 0 : m[row][i] / m[i][i];
            for (int column = N_COEFFICIENTS; column >= i; column--)
                m[row][column] -= factor * m[i][column];
        }
    for (int i = 0; i < N_COEFFICIENTS; i++)
        x[i] = m[i][N_COEFFICIENTS] / m[i][i];
}

static Fit fit_curve(const RdCurve *curve)
{
    double equations[N_COEFFICIENTS][N_COEFFICIENTS + 1] = {{0}}, squares = 0, n = 0;
    double bases[MAX_RD_POINTS][N_COEFFICIENTS + 1];
    Fit fit = {{0}, 0};
    for (size_t i = 0; i < curve->n; i++) {
        const RdPoint *point = &curve->points[i];
        if (point->mean < 75 || point->mean > 97.5)
            continue;
        const double v = (100.5 - point->mean) / (100.5 - 90);
        double *basis = bases[(int)n++];
        basis[0] = 1;
        basis[1] = log(v);
        basis[2] = 1 / v - 1;
        basis[N_COEFFICIENTS] = point->q - curve->points[0].q;
        for (int row = 0; row < N_COEFFICIENTS; row++)
            for (int column = 0; column <= N_COEFFICIENTS; column++)
                equations[row][column] += basis[row] * basis[column];
    }
    solve(equations, fit.of);
    for (int i = 0; i < (int)n; i++) {
        double rest = bases[i][N_COEFFICIENTS];
        for (int j = 0; j < N_COEFFICIENTS; j++)
            rest -= fit.of[j] * bases[i][j];
        squares += rest * rest;
    }
    fit.deviation = sqrt(squares / n);
    return fit;
}

CurvePrior rd_curves_prior(const RdCurves *curves, const char *encoder, const char *without_clip)
{
    double n = 0, mean[N_COEFFICIENTS] = {0}, sd[N_COEFFICIENTS] = {0}, deviation = 0;
    for (size_t i = 0; i < curves->n; i++) {
        const RdCurve *curve = &curves->curves[i];
        if (strcmp(curve->encoder, encoder) != 0 ||
            (without_clip && !strcmp(curve->clip, without_clip)))
            continue;
        const Fit fit = fit_curve(curve);
        n += 1;
        deviation += fit.deviation;
        for (int j = 0; j < N_COEFFICIENTS; j++) {
            mean[j] += fit.of[j];
            sd[j] += fit.of[j] * fit.of[j];
        }
    }
    for (int j = 0; j < N_COEFFICIENTS; j++) {
        mean[j] /= n;
        sd[j] = sqrt(fmax(0, sd[j] / n - mean[j] * mean[j]));
    }
    return (CurvePrior){.scale = CURVE_MISSING_SCORE,
                        .reference_score = 90,
                        .position = mean[0],
                        .position_sd = sd[0],
                        .slope = mean[1],
                        .slope_sd = sd[1],
                        .bend = mean[2],
                        .bend_sd = sd[2],
                        .deviation = deviation / n};
}
