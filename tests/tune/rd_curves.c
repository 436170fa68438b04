/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/tune/rd_curves.h"

#include "tune/engine/bd_rate.h"

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

/* A line k = position + slope * u, with u = ln(100.5 - score) from that of 90. */
typedef struct Line {
    double position, slope, deviation;
} Line;

static Line fit_line(const RdCurve *curve)
{
    double n = 0, u_sum = 0, k_sum = 0, uu = 0, uk = 0, kk = 0;
    for (size_t i = 0; i < curve->n; i++) {
        const RdPoint *point = &curve->points[i];
        if (point->mean < 75 || point->mean > 97.5)
            continue;
        const double u = log(100.5 - point->mean) - log(100.5 - 90);
        const double k = point->q - curve->points[0].q;
        n += 1;
        u_sum += u;
        k_sum += k;
        uu += u * u;
        uk += u * k;
        kk += k * k;
    }
    const double slope = (uk - u_sum * k_sum / n) / (uu - u_sum * u_sum / n);
    const double square = kk - k_sum * k_sum / n - slope * (uk - u_sum * k_sum / n);
    return (Line){.position = (k_sum - slope * u_sum) / n,
                  .slope = slope,
                  .deviation = sqrt(fmax(0, square / n))};
}

CurvePrior rd_curves_prior(const RdCurves *curves, const char *encoder, const char *without_clip)
{
    double n = 0, position = 0, positions = 0, slope = 0, slopes = 0, deviation = 0;
    for (size_t i = 0; i < curves->n; i++) {
        const RdCurve *curve = &curves->curves[i];
        if (strcmp(curve->encoder, encoder) != 0 ||
            (without_clip && !strcmp(curve->clip, without_clip)))
            continue;
        const Line line = fit_line(curve);
        n += 1;
        position += line.position;
        positions += line.position * line.position;
        slope += line.slope;
        slopes += line.slope * line.slope;
        deviation += line.deviation;
    }
    position /= n;
    slope /= n;
    return (CurvePrior){.scale = CURVE_MISSING_SCORE,
                        .reference_score = 90,
                        .position = position,
                        .position_sd = sqrt(fmax(0, positions / n - position * position)),
                        .slope = slope,
                        .slope_sd = sqrt(fmax(0, slopes / n - slope * slope)),
                        .deviation = deviation / n};
}
