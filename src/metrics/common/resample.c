/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/common/resample.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "support/memory.h"

/*
 * All methods are one weighted sum over taps x taps samples, whose weights are products of a weight
 * for the column and one for the row.
 */

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

int resample_method_parse(const char *option, const char *value, ResampleMethod *method,
                          Reason *why)
{
    if (resample_method_find(value, method))
        return 0;
    return reason_set(why, -EINVAL,
                      "option %s: \"%s\" is not one of nearest, bilinear, bicubic, lanczos4",
                      option, value);
}

ResampleMethod resample_method(const char *value)
{
    ResampleMethod method = RESAMPLE_NEAREST;
    resample_method_find(value, &method);
    return method;
}

static int axis_init(Axis *axis, unsigned n_out, unsigned n_in, ResampleMethod method)
{
    const size_t n_taps = resample_n_taps(method);
    axis->n = n_out;
    axis->index = memory_alloc(n_taps * n_out, sizeof(*axis->index));
    axis->weight = memory_alloc(n_taps * n_out, sizeof(*axis->weight));
    if (!axis->index || !axis->weight)
        return -ENOMEM;
    for (unsigned x = 0; x < n_out; x++) {
        ResampleTap taps[RESAMPLE_MAX_TAPS];
        resample_taps(method, x, n_out, n_in, taps);
        for (size_t i = 0; i < n_taps; i++) {
            axis->index[i * n_out + x] = taps[i].index;
            axis->weight[i * n_out + x] = taps[i].weight;
        }
    }
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
    resampler->n_taps = resample_n_taps(method);
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

int gaussian_scale_check(const char *option, double scale, Reason *why)
{
    if (gaussian_scale_is_known(scale))
        return 0;
    return reason_set(
        why, -EINVAL,
        "option %s: %g is not one of the factors that are known: 1, 0.5, 1.5, 2, 2/3, "
        "2.4, 360/97, 4/3, 7/6, 1.25, 17/12, 5/3, 3, 4/9, 1.4746, 1.54, 1.6, 1.06667, "
        "0.711111, 0.74074, 1.111111",
        option, scale);
}
