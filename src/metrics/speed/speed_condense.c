/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>
#include <string.h>

#include "metrics/common/math/math_functions.h"
#include "metrics/speed/speed_internal.h"

/* From the residual planes of a frame to its scores. */

/* -- covariance -- */

enum { CHUNK = 64 }; /* windows; their deviations stay in the first-level cache */

typedef double PaddedSamples[SPEED_PADDED_SAMPLES];

static void window_means(const SpeedFunctions *functions, const SpeedGeometry *geometry,
                         const float *plane, size_t stride, float means[SPEED_BLOCK_SAMPLES])
{
    const float n_windows = (float)(geometry->window_w * geometry->window_h);
    float sums[SPEED_BLOCK][8];
    functions->window_sums(plane, stride, geometry, sums);
    for (int a = 0; a < SPEED_BLOCK_SAMPLES; a++)
        means[a] = sums[a / SPEED_BLOCK][a % SPEED_BLOCK] / n_windows;
}

static void window_deviations(const float *plane, size_t stride, const float means[], unsigned n,
                              PaddedSamples *deviations)
{
    for (unsigned i = 0; i < n; i++) {
        double *out = deviations[i];
        for (unsigned row = 0; row < SPEED_BLOCK; row++) {
            const float *samples = plane + row * stride + i;
            for (unsigned x = 0; x < SPEED_BLOCK; x++)
                out[SPEED_BLOCK * row + x] =
                    (double)samples[x] - (double)means[SPEED_BLOCK * row + x];
        }
    }
}

void speed_covariance(const SpeedFunctions *functions, const SpeedGeometry *geometry,
                      const float *plane, size_t stride, SpeedMatrix *covariance)
{
    float means[SPEED_BLOCK_SAMPLES];
    PaddedSamples deviations[CHUNK] = {{0}};
    PaddedSamples sums[SPEED_BLOCK_SAMPLES] = {{0}};
    window_means(functions, geometry, plane, stride, means);
    for (unsigned y = 0; y < geometry->window_h; y++) {
        for (unsigned x = 0; x < geometry->window_w; x += CHUNK) {
            const unsigned left = geometry->window_w - x;
            const unsigned n = left < CHUNK ? left : CHUNK;
            window_deviations(plane + y * stride + x, stride, means, n, deviations);
            functions->add_products(deviations, n, sums);
        }
    }
    const double n_windows = geometry->window_w * geometry->window_h;
    *covariance = (SpeedMatrix){0};
    for (int a = 0; a < SPEED_BLOCK_SAMPLES; a++) {
        for (int b = 0; b <= a; b++)
            covariance->at[a][b] = covariance->at[b][a] = (float)(sums[a][b] / n_windows);
    }
}

/* -- linear equations -- */

enum { N = SPEED_BLOCK_SAMPLES, PADDED = SPEED_PADDED_SAMPLES };

/* H = I - 2 u u', in rows and columns k to 24. */
static void householder_matrix(const SpeedMatrix *z, int k, bool is_positive, SpeedMatrix *h)
{
    float u[N];
    float squares = 0;
    for (int i = k; i < N; i++) {
        u[i] = z->at[i][k];
        squares += u[i] * u[i];
    }
    const float length = sqrtf(squares);
    u[k] = is_positive ? u[k] + length : u[k] - length;
    squares = 0;
    for (int i = k; i < N; i++)
        squares += u[i] * u[i];
    const float new_length = sqrtf(squares);
    for (int i = k; i < N; i++)
        u[i] /= new_length;
    for (int i = k; i < N; i++) {
        for (int j = k; j < N; j++)
            h->at[i][j] = -2 * u[i] * u[j];
        h->at[i][i] += 1;
    }
}

/* Rows k to 24 of m become those of h m. */
static void multiply_rows(const SpeedMatrix *h, int k, SpeedMatrix *m)
{
    SpeedMatrix product;
    for (int i = k; i < N; i++) {
        float sum[PADDED] = {0};
        for (int l = k; l < N; l++) {
            for (int j = 0; j < PADDED; j++)
                sum[j] += h->at[i][l] * m->at[l][j];
        }
        memcpy(product.at[i], sum, sizeof(sum));
    }
    memcpy(m->at[k], product.at[k], (size_t)(N - k) * sizeof(m->at[0]));
}

/* The orthogonal matrix p for which p K is upper triangular. */
static void triangularising(const SpeedMatrix *covariance, SpeedMatrix *p)
{
    SpeedMatrix z = *covariance;
    *p = (SpeedMatrix){0};
    for (int i = 0; i < N; i++)
        p->at[i][i] = 1;
    for (int k = 0; k < N - 1; k++) {
        SpeedMatrix h;
        householder_matrix(&z, k, covariance->at[k][k] >= 0, &h);
        multiply_rows(&h, k, &z);
        multiply_rows(&h, k, p);
    }
}

bool speed_solve(const SpeedMatrix *covariance, const float *blocks, float *solution, size_t stride)
{
    SpeedMatrix p;
    triangularising(covariance, &p);
    SpeedMatrix triangle = *covariance;
    multiply_rows(&p, 0, &triangle);

    memset(solution, 0, N * stride * sizeof(*solution));
    for (int i = 0; i < N; i++) {
        float *restrict sum = solution + (size_t)i * stride;
        for (int m = 0; m < N; m++) {
            const float *restrict row = blocks + (size_t)m * stride;
            for (size_t b = 0; b < stride; b++)
                sum[b] += p.at[i][m] * row[b];
        }
    }
    for (int i = N - 1; i >= 0; i--) {
        const float pivot = triangle.at[i][i];
        if ((double)fabsf(pivot) < SPEED_SINGULAR)
            return false;
        float *restrict x = solution + (size_t)i * stride;
        for (int k = i + 1; k < N; k++) {
            const float *restrict known = solution + (size_t)k * stride;
            for (size_t b = 0; b < stride; b++)
                x[b] -= known[b] * triangle.at[i][k];
        }
        for (size_t b = 0; b < stride; b++)
            x[b] /= pivot;
    }
    return true;
}

/* -- eigenvalues -- */

enum { MAX_STEPS = 500 };

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

/* -- scores -- */

#define LOG2_OF_2_PI_E 4.094191170361282

void speed_variances(const float *blocks, const float *solution, size_t stride,
                     float *restrict variance)
{
    for (size_t b = 0; b < stride; b++)
        variance[b] = solution[b] * blocks[b] / N;
    for (int i = 1; i < N; i++) {
        const float *x = solution + (size_t)i * stride, *y = blocks + (size_t)i * stride;
        for (size_t b = 0; b < stride; b++)
            variance[b] += x[b] * y[b] / N;
    }
}

/* Twice the entropy of a Gaussian variable, in bits: log2(2 pi e variance). */
static double gaussian_bits(float variance)
{
    return math_log2((double)variance) + LOG2_OF_2_PI_E;
}

void speed_entropies(SpeedAnalysis *analysis, unsigned n_blocks, const SpeedNoise *noise)
{
    for (unsigned b = 0; b < n_blocks; b++) {
        float entropy = 0;
        for (int i = 0; i < N; i++) {
            const float l = analysis->eigenvalues[i];
            const float eigenvalue = l < 0 ? 0 : l;
            const float variance = eigenvalue * analysis->variance[b] + noise->variance;
            entropy = (float)((double)entropy + gaussian_bits(variance));
        }
        analysis->entropy[b] = entropy;
    }
}

typedef struct Weights {
    double ref, dist;
} Weights;

static Weights block_weights(float ref, float dist, int weighting)
{
    const double of_ref = math_log2((double)(1 + ref));
    switch (weighting) {
    case 0:
        return (Weights){of_ref, math_log2((double)(1 + dist))};
    case 1:
        return (Weights){of_ref, of_ref};
    case 2: {
        const double of_dist = math_log2((double)(1 + dist));
        return (Weights){of_dist, of_dist};
    }
    case 3: {
        const double of_mean = math_log2(1.0 + (double)(ref + dist) / 2.0);
        return (Weights){of_mean, of_mean};
    }
    case 4:
        return (Weights){of_ref, math_log2(1.0 + (double)(ref + dist) / 2.0)};
    case 5:
        return (Weights){of_ref, math_log2(1.0 + (0.75 * (double)ref + 0.25 * (double)dist))};
    default:
        return (Weights){of_ref, math_log2(1.0 + (0.25 * (double)ref + 0.75 * (double)dist))};
    }
}

static float speed_difference(const SpeedAnalysis *ref, const SpeedAnalysis *dist,
                              unsigned n_blocks, const SpeedNoise *noise)
{
    const float floor_bits = (float)(N * gaussian_bits((1 + noise->floor) * noise->variance));
    float sum = 0;
    for (unsigned b = 0; b < n_blocks; b++) {
        const float e_ref = ref->entropy[b], e_dist = dist->entropy[b];
        if (e_ref < floor_bits && e_dist < floor_bits)
            continue;
        const Weights w = block_weights(ref->variance[b], dist->variance[b], noise->weighting);
        const float weighted_ref = (float)((double)e_ref * w.ref);
        const float weighted_dist = (float)((double)e_dist * w.dist);
        sum += fabsf(weighted_ref - weighted_dist);
    }
    return sum / (float)n_blocks;
}

static void gather_blocks(const SpeedGeometry *g, const float *plane, float *blocks, size_t stride)
{
    for (unsigned i = 0; i < SPEED_BLOCK_SAMPLES; i++) {
        float *out = blocks + i * stride;
        for (unsigned b = 0; b < g->n_blocks; b++) {
            const unsigned y = b / g->blocks_across * SPEED_BLOCK + i / SPEED_BLOCK;
            const unsigned x = b % g->blocks_across * SPEED_BLOCK + i % SPEED_BLOCK;
            out[b] = plane[(size_t)y * g->blocks_w + x];
        }
        for (size_t b = g->n_blocks; b < stride; b++)
            out[b] = 0;
    }
}

static bool has_small_eigenvalue(const float eigenvalues[SPEED_BLOCK_SAMPLES])
{
    for (int i = 0; i < SPEED_BLOCK_SAMPLES; i++) {
        if ((double)eigenvalues[i] < SPEED_SINGULAR)
            return true;
    }
    return false;
}

/* The covariance is taken of rows that are followed by other numbers. */
static void load_plane(const SpeedGeometry *g, const float *plane, SpeedResidualScratch *residual)
{
    for (unsigned y = 0; y < g->blocks_h; y++)
        memcpy(residual->residual + y * residual->stride, plane + (size_t)y * g->blocks_w,
               g->blocks_w * sizeof(*plane));
}

/* Everything about a plane that does not depend on the noise. */
static void analyse(const SpeedParams *params, const SpeedGeometry *g, const float *plane,
                    SpeedScratch *scratch, SpeedAnalysis *analysis)
{
    const size_t stride = speed_block_stride(g);
    load_plane(g, plane, &scratch->residual);
    SpeedMatrix covariance;
    speed_covariance(&params->functions, g, scratch->residual.residual, scratch->residual.stride,
                     &covariance);
    speed_eigenvalues(&covariance, analysis->eigenvalues);
    analysis->is_singular = has_small_eigenvalue(analysis->eigenvalues);
    if (!analysis->is_singular) {
        gather_blocks(g, plane, scratch->blocks, stride);
        analysis->is_singular =
            !speed_solve(&covariance, scratch->blocks, scratch->solution, stride);
    }
    if (analysis->is_singular)
        memset(analysis->variance, 0, stride * sizeof(*analysis->variance));
    else
        speed_variances(scratch->blocks, scratch->solution, stride, analysis->variance);
}

static void compare(const SpeedParams *params, unsigned view, unsigned plane, SpeedScratch *scratch,
                    void *const records[])
{
    const unsigned n_blocks = params->views[view].geometry.n_blocks;
    SpeedAnalysis *ref = &scratch->analyses[SPEED_REFERENCE];
    SpeedAnalysis *dist = &scratch->analyses[SPEED_DISTORTED];
    for (unsigned i = 0; i < params->n_variants; i++) {
        if (!records[i] || params->variants[i].view != view)
            continue;
        const SpeedNoise *noise = &params->variants[i].noise;
        SpeedScores *scores = &scratch->scores[i];
        scores->degenerate[plane] = ref->is_singular || dist->is_singular;
        scores->score[plane] = 0;
        if (ref->is_singular != dist->is_singular)
            continue;
        speed_entropies(ref, n_blocks, noise);
        speed_entropies(dist, n_blocks, noise);
        scores->score[plane] = speed_difference(ref, dist, n_blocks, noise);
    }
}

void speed_condense(const void *opaque, void *opaque_scratch, void *const records[])
{
    const SpeedParams *params = opaque;
    SpeedScratch *scratch = opaque_scratch;
    for (unsigned v = 0; v < params->n_views; v++) {
        const SpeedGeometry *g = &params->views[v].geometry;
        const size_t n = speed_plane_samples(g);
        const float *planes = speed_record_of_view(params, v, records);
        for (unsigned plane = 0; planes && plane < params->n_planes; plane++) {
            for (int p = 0; p < SPEED_PICTURES; p++, planes += n)
                analyse(params, g, planes, scratch, &scratch->analyses[p]);
            compare(params, v, plane, scratch, records);
        }
    }
    for (unsigned i = 0; i < params->n_variants; i++) {
        if (records[i])
            memcpy(records[i], &scratch->scores[i], sizeof(scratch->scores[i]));
    }
}
