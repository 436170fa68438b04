/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>

#include "metrics/speed/speed_internal.h"

enum { N = SPEED_BLOCK_SAMPLES, PADDED = SPEED_PADDED_SAMPLES, MAX_STEPS = 500 };

#define NEGLIGIBLE 1e-6 /* of what it stands beside */

typedef struct Tridiagonal {
    float diagonal[N];
    float off_diagonal[N - 1];
} Tridiagonal;

/* The vector v of the reflection I - tau v v' that clears column i below the off-diagonal. */
typedef struct Reflection {
    float v[PADDED]; /* zero up to i */
    float tau;       /* 0: nothing is left to clear */
    float off_diagonal;
} Reflection;

static Reflection reflection_of(const SpeedMatrix *a, int i)
{
    Reflection reflection = {.off_diagonal = a->at[i + 1][i]};
    float squares = 0;
    for (int j = i + 2; j < N; j++)
        squares += a->at[j][i] * a->at[j][i];
    const float below = sqrtf(squares);
    if (below == 0)
        return reflection;
    const float alpha = a->at[i + 1][i];
    const float h = sqrtf(alpha * alpha + below * below);
    const float beta = alpha >= 0 ? -h : h;
    const float s = alpha - beta;
    reflection.tau = (beta - alpha) / beta;
    reflection.v[i + 1] = 1;
    for (int j = i + 2; j < N; j++)
        reflection.v[j] = s != 0 ? a->at[j][i] / s : a->at[j][i];
    if (s != 0)
        reflection.off_diagonal = beta;
    return reflection;
}

/* Both sides of the trailing block are reflected; it stays symmetric in every bit. */
static void reflect(SpeedMatrix *a, const Reflection *reflection, int i)
{
    const float *v = reflection->v;
    const float tau = reflection->tau;
    float x[PADDED] = {0};
    for (int c = i + 1; c < N; c++) {
        for (int r = 0; r < PADDED; r++)
            x[r] += tau * a->at[c][r] * v[c];
    }
    float product = 0;
    for (int r = i + 1; r < N; r++)
        product += x[r] * v[r];
    const float gamma = -0.5f * tau * product;
    for (int r = 0; r < PADDED; r++)
        x[r] = r > i ? x[r] + gamma * v[r] : 0;
    for (int r = i + 1; r < N; r++) {
        for (int c = 0; c < PADDED; c++)
            a->at[r][c] -= x[r] * v[c] + v[r] * x[c];
    }
}

static void tridiagonalise(const SpeedMatrix *matrix, Tridiagonal *t)
{
    SpeedMatrix a = *matrix;
    for (int i = 0; i < N - 2; i++) {
        const Reflection reflection = reflection_of(&a, i);
        t->diagonal[i] = a.at[i][i];
        t->off_diagonal[i] = reflection.off_diagonal;
        if (reflection.tau != 0)
            reflect(&a, &reflection, i);
    }
    t->diagonal[N - 2] = a.at[N - 2][N - 2];
    t->diagonal[N - 1] = a.at[N - 1][N - 1];
    t->off_diagonal[N - 2] = a.at[N - 1][N - 2];
}

static void drop_negligible(Tridiagonal *t, int first, int last)
{
    const float *d = t->diagonal;
    for (int i = first; i < last; i++) {
        if ((double)fabsf(t->off_diagonal[i]) <
            NEGLIGIBLE * (double)(fabsf(d[i]) + fabsf(d[i + 1])))
            t->off_diagonal[i] = 0;
    }
}

/* Wilkinson's shift. */
static float shift(const Tridiagonal *t, int first, int last)
{
    const float *d = t->diagonal;
    const float e = t->off_diagonal[last - 1];
    const float half = (d[last - 1] - d[last]) / 2;
    float mu;
    if (half > 0)
        mu = d[last] - e * (e / (half + sqrtf(half * half + e * e)));
    else if (half == 0)
        mu = d[last] - fabsf(e);
    else
        mu = d[last] + e * (e / (-half + sqrtf(half * half + e * e)));
    const float scale = fabsf(d[first]) + fabsf(t->off_diagonal[first]);
    return NEGLIGIBLE * (double)fabsf(mu) > (double)scale ? 0 : mu;
}

typedef struct Rotation {
    float c, s;
} Rotation;

static Rotation rotation_of(float x, float z)
{
    if (z == 0)
        return (Rotation){1, 0};
    if (fabsf(z) > fabsf(x)) {
        const float h = -x / z;
        const float s = (float)(1.0 / sqrt((double)(1 + h * h)));
        return (Rotation){s * h, s};
    }
    const float h = -z / x;
    const float c = (float)(1.0 / sqrt((double)(1 + h * h)));
    return (Rotation){c, c * h};
}

/*
 * One implicit QR step on rows first to last. The rotated 2x2 block is (p u; u w), with g to the
 * right of it, y above, and the bulge z that the next rotation chases.
 */
static void qr_step(Tridiagonal *t, int first, int last)
{
    float *d = t->diagonal, *e = t->off_diagonal;
    float x = d[first] - shift(t, first, last), bulge = e[first];
    float p = d[first], u = e[first], w = d[first + 1];
    float g = first + 1 < last ? e[first + 1] : 0;
    float y = 0, z = 0;
    for (int k = first; k < last; k++) {
        const Rotation r = rotation_of(x, bulge);
        const float c = r.c, s = r.s;
        const float new_y = c * y - s * z;
        const float new_p = c * (c * p - s * u) + s * (s * w - c * u);
        const float new_u = c * (s * p + c * u) - s * (s * u + c * w);
        const float new_w = s * (s * p + c * u) + c * (s * u + c * w);
        const float new_z = -s * g;
        const float new_g = c * g;
        d[k] = new_p;
        if (k > first)
            e[k - 1] = new_y;
        y = x = new_u;
        z = bulge = new_z;
        p = new_w;
        u = new_g;
        if (k + 2 <= last)
            w = d[k + 2];
        if (k + 2 < last)
            g = e[k + 2];
    }
    d[last] = p;
    e[last - 1] = y;
}

void speed_eigenvalues(const SpeedMatrix *covariance, float eigenvalues[N])
{
    Tridiagonal t;
    tridiagonalise(covariance, &t);
    drop_negligible(&t, 0, N - 1);
    int last = N - 1;
    for (int n_steps = 0; last > 0 && n_steps < MAX_STEPS;) {
        if (t.off_diagonal[last - 1] == 0) {
            last--;
            continue;
        }
        int first = last - 1;
        while (first > 0 && t.off_diagonal[first - 1] != 0)
            first--;
        qr_step(&t, first, last);
        drop_negligible(&t, first, last);
        n_steps++;
    }
    for (int i = 0; i < N; i++)
        eigenvalues[i] = t.diagonal[i];
}
