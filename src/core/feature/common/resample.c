/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/common/resample.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "support/memory.h"

/*
 * All methods are one weighted sum over taps x taps samples, whose weights are products of a weight
 * for the column and one for the row.
 */

static const struct {
    const char *name;
    int first_tap, n_taps; /* relative to the sample at or before the position in the input */
} methods[] = {
    [RESAMPLE_NEAREST] = {"nearest", 0, 1},
    [RESAMPLE_BILINEAR] = {"bilinear", 0, 2},
    [RESAMPLE_BICUBIC] = {"bicubic", -1, 4},
    [RESAMPLE_LANCZOS4] = {"lanczos4", -4, 9},
};

enum { N_METHODS = sizeof(methods) / sizeof(methods[0]) };

/* Where the output samples along one axis come from. Tap i of sample x is at [i * n + x]. */
typedef struct Axis {
    unsigned n;
    uint32_t *index;
    float *weight;
} Axis;

struct Resampler {
    ResampleMethod method;
    unsigned n_taps;
    Axis columns, rows;
};

static bool find_method(const char *value, ResampleMethod *method)
{
    for (int m = 0; m < N_METHODS; m++) {
        if (!strcmp(value, methods[m].name)) {
            *method = (ResampleMethod)m;
            return true;
        }
    }
    return false;
}

int resample_method_parse(const char *option, const char *value, ResampleMethod *method,
                          Reason *why)
{
    if (find_method(value, method))
        return 0;
    return refuse(why, -EINVAL,
                  "option %s: \"%s\" is not one of nearest, bilinear, bicubic, lanczos4", option,
                  value);
}

ResampleMethod resample_method(const char *value)
{
    ResampleMethod method = RESAMPLE_NEAREST;
    find_method(value, &method);
    return method;
}

/* mirror_whole_sample() of inputs that are large enough for one reflection; of smaller ones, which
 * have only a few samples, the border. */
static uint32_t mirror_once(int i, unsigned n)
{
    const int last = (int)n - 1;
    if (i < 0)
        i = -i;
    else if (i > last)
        i = 2 * last - i;
    return (uint32_t)(i < 0 ? 0 : i > last ? last : i);
}

static float keys_kernel(float offset)
{
    const float t = fabsf(offset);
    if (t < 1)
        return (1.25f * t - 2.25f) * t * t + 1;
    if (t < 2)
        return (((t - 5) * t + 8) * t - 4) * -0.75f;
    return 0;
}

static float lanczos4_kernel(float offset)
{
    const double t = offset;
    if (t == 0)
        return 1;
    if (t <= -4 || t >= 4)
        return 0;
    return (float)(4 * sin(M_PI * t) * sin(M_PI * t / 4) / (M_PI * M_PI * t * t));
}

/* The weight of the second sample is the distance to the first one after mirroring: at a border
 * this extrapolates. libvmaf does so. */
static void place_bilinear(Axis *axis, unsigned x, float at, unsigned n_in)
{
    const uint32_t first = mirror_once((int)floorf(at), n_in);
    const float distance = at - (float)first;
    axis->index[x] = first;
    axis->index[axis->n + x] = mirror_once((int)ceilf(at), n_in);
    axis->weight[x] = 1 - distance;
    axis->weight[axis->n + x] = distance;
}

static void place_kernel(Axis *axis, unsigned x, float at, unsigned n_in, ResampleMethod method)
{
    const float base = floorf(at);
    const float distance = at - base;
    for (int i = 0; i < methods[method].n_taps; i++) {
        const int tap = methods[method].first_tap + i;
        const float offset = (float)tap - distance;
        const size_t place = (size_t)i * axis->n + x;
        axis->index[place] = mirror_once((int)base + tap, n_in);
        axis->weight[place] =
            method == RESAMPLE_BICUBIC ? keys_kernel(offset) : lanczos4_kernel(offset);
    }
}

static void place(Axis *axis, unsigned x, unsigned n_in, ResampleMethod method)
{
    const float ratio = (float)n_in / (float)axis->n;
    const float at = (float)(((double)x + 0.5) * (double)ratio - 0.5);
    switch (method) {
    case RESAMPLE_NEAREST:
        axis->index[x] = mirror_once((int)((float)x * ratio), n_in);
        axis->weight[x] = 1;
        break;
    case RESAMPLE_BILINEAR:
        place_bilinear(axis, x, at, n_in);
        break;
    case RESAMPLE_BICUBIC:
    case RESAMPLE_LANCZOS4:
        place_kernel(axis, x, at, n_in, method);
        break;
    }
}

static int axis_init(Axis *axis, unsigned n_out, unsigned n_in, ResampleMethod method)
{
    const size_t n_taps = (size_t)methods[method].n_taps;
    axis->n = n_out;
    axis->index = memory_alloc(n_taps * n_out, sizeof(*axis->index));
    axis->weight = memory_alloc(n_taps * n_out, sizeof(*axis->weight));
    if (!axis->index || !axis->weight)
        return -ENOMEM;
    for (unsigned x = 0; x < n_out; x++)
        place(axis, x, n_in, method);
    return 0;
}

static void axis_clear(Axis *axis)
{
    memory_free(axis->index);
    memory_free(axis->weight);
}

int resampler_create(Resampler **out, ResampleMethod method, unsigned w_in, unsigned h_in,
                     unsigned w_out, unsigned h_out)
{
    Resampler *resampler = memory_alloc_zeroed(1, sizeof(*resampler));
    if (!resampler)
        return -ENOMEM;
    resampler->method = method;
    resampler->n_taps = (unsigned)methods[method].n_taps;
    int err = axis_init(&resampler->columns, w_out, w_in, method);
    if (!err)
        err = axis_init(&resampler->rows, h_out, h_in, method);
    if (err) {
        resampler_destroy(resampler);
        return err;
    }
    *out = resampler;
    return 0;
}

void resampler_destroy(Resampler *resampler)
{
    if (!resampler)
        return;
    axis_clear(&resampler->columns);
    axis_clear(&resampler->rows);
    memory_free(resampler);
}

unsigned resampler_input_rows(const Resampler *resampler, unsigned y,
                              unsigned rows[RESAMPLE_MAX_TAPS])
{
    for (unsigned j = 0; j < resampler->n_taps; j++)
        rows[j] = resampler->rows.index[(size_t)j * resampler->rows.n + y];
    return resampler->n_taps;
}

static void nearest_row(const Axis *columns, const float *in, float *restrict out)
{
    for (unsigned x = 0; x < columns->n; x++)
        out[x] = in[columns->index[x]];
}

static void bilinear_row(const Axis *columns, const float *const rows[], const float v[],
                         float *restrict out)
{
    const unsigned n = columns->n;
    const uint32_t *left = columns->index, *right = columns->index + n;
    const float *u0 = columns->weight, *u1 = columns->weight + n;
    const float *above = rows[0], *below = rows[1];
    for (unsigned x = 0; x < n; x++)
        out[x] = ((v[0] * u0[x] * above[left[x]] + v[0] * u1[x] * above[right[x]]) +
                  v[1] * u0[x] * below[left[x]]) +
                 v[1] * u1[x] * below[right[x]];
}

/*
 * With many taps, columns are processed in blocks, so that the samples of a tap are gathered first
 * and the rest is vectorised.
 */
enum { BLOCK = 64 };

typedef struct Block {
    float sum[BLOCK], weights[BLOCK];
} Block;

static inline void add_taps(Block *block, const Axis *columns, unsigned first, unsigned n,
                            unsigned tap, const float *in, float v)
{
    const size_t offset = (size_t)tap * columns->n + first;
    const uint32_t *index = columns->index + offset;
    const float *u = columns->weight + offset;
    float samples[BLOCK], products[BLOCK];
    for (unsigned x = 0; x < n; x++) {
        samples[x] = in[index[x]];
        products[x] = u[x] * v;
    }
    for (unsigned x = 0; x < n; x++) {
        block->sum[x] += samples[x] * products[x];
        block->weights[x] += products[x];
    }
}

static void kernel_row(const Resampler *resampler, const float *const rows[], const float v[],
                       float *out)
{
    const Axis *columns = &resampler->columns;
    for (unsigned first = 0; first < columns->n; first += BLOCK) {
        const unsigned n = columns->n - first < BLOCK ? columns->n - first : BLOCK;
        Block block = {0};
        for (unsigned j = 0; j < resampler->n_taps; j++) {
            for (unsigned i = 0; i < resampler->n_taps; i++)
                add_taps(&block, columns, first, n, i, rows[j], v[j]);
        }
        if (resampler->method == RESAMPLE_LANCZOS4) {
            for (unsigned x = 0; x < n; x++)
                block.sum[x] /= block.weights[x];
        }
        memcpy(out + first, block.sum, n * sizeof(*out));
    }
}

void resampler_row(const Resampler *resampler, unsigned y, const float *const rows[], float *out)
{
    float weights[RESAMPLE_MAX_TAPS];
    for (unsigned j = 0; j < resampler->n_taps; j++)
        weights[j] = resampler->rows.weight[(size_t)j * resampler->rows.n + y];
    if (resampler->method == RESAMPLE_NEAREST)
        nearest_row(&resampler->columns, rows[0], out);
    else if (resampler->method == RESAMPLE_BILINEAR)
        bilinear_row(&resampler->columns, rows, weights, out);
    else
        kernel_row(resampler, rows, weights, out);
}

void resampler_run(const Resampler *resampler, const float *in, size_t in_stride, float *out,
                   size_t out_stride)
{
    for (unsigned y = 0; y < resampler->rows.n; y++) {
        unsigned numbers[RESAMPLE_MAX_TAPS];
        const float *rows[RESAMPLE_MAX_TAPS];
        const unsigned n_rows = resampler_input_rows(resampler, y, numbers);
        for (unsigned j = 0; j < n_rows; j++)
            rows[j] = in + numbers[j] * in_stride;
        resampler_row(resampler, y, rows, out + y * out_stride);
    }
}
