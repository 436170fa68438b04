/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/vif/vif_internal.h"

/*
 * VIF as it is defined, one pixel after another, in integers that are wide enough for everything.
 * Nothing here is meant to be fast: this is what all other kernels are compared with.
 */

static uint64_t tap(unsigned scale, int k)
{
    return vif_filters[scale].taps[k < 0 ? -k : k];
}

/* v / 2^shift, halves up. */
static uint64_t rounded_shift(uint64_t v, unsigned shift)
{
    return shift ? (v + (UINT64_C(1) << (shift - 1))) >> shift : v;
}

/* -- products -- */

static uint32_t sample_at(const void *row, unsigned x, int type)
{
    return type == VIF_BYTES ? ((const uint8_t *)row)[x] : ((const uint16_t *)row)[x];
}

static void multiply(void *const product[VIF_MOMENTS], const void *ref, const void *dist,
                     unsigned w, int type)
{
    uint32_t *rr = product[VIF_REF_REF], *dd = product[VIF_DIST_DIST], *rd = product[VIF_REF_DIST];
    for (unsigned x = 0; x < w; x++) {
        const uint32_t r = sample_at(ref, x, type), d = sample_at(dist, x, type);
        rr[x] = r * r;
        dd[x] = d * d;
        rd[x] = r * d;
    }
}

static void multiply_bytes(void *const product[VIF_MOMENTS], const void *ref, const void *dist,
                           unsigned w)
{
    multiply(product, ref, dist, w, VIF_BYTES);
}

static void multiply_words(void *const product[VIF_MOMENTS], const void *ref, const void *dist,
                           unsigned w)
{
    multiply(product, ref, dist, w, VIF_WORDS);
}

/* -- vertical filters -- */

/* Under the window in column x. */
static uint64_t sum_of_samples(const void *const rows[], unsigned x, unsigned scale, int type)
{
    const int radius = (int)vif_filters[scale].radius;
    uint64_t sum = 0;
    for (int k = -radius; k <= radius; k++)
        sum += tap(scale, k) * sample_at(rows[radius + k], x, type);
    return sum;
}

static uint64_t sum_of_products(const void *const rows[], unsigned x, unsigned scale)
{
    const int radius = (int)vif_filters[scale].radius;
    uint64_t sum = 0;
    for (int k = -radius; k <= radius; k++)
        sum += tap(scale, k) * ((const uint32_t *)rows[radius + k])[x];
    return sum;
}

/* Means of samples, to 1/256 of an 8-bit grey level. */
static void filter_means(uint16_t *out, const void *const rows[], unsigned w, unsigned scale,
                         unsigned depth, int type)
{
    for (unsigned x = 0; x < w; x++)
        out[x] = (uint16_t)rounded_shift(sum_of_samples(rows, x, scale, type), depth);
}

/* Means of products, to 1/65536 of a squared 8-bit grey level. */
static void filter_moments(uint16_t *const out[VIF_HALVES], const void *const rows[], unsigned w,
                           unsigned scale, unsigned depth)
{
    const unsigned shift = scale == 0 ? 2 * (depth - 8) : 16;
    for (unsigned x = 0; x < w; x++) {
        const uint64_t moment = rounded_shift(sum_of_products(rows, x, scale), shift);
        out[VIF_LOW][x] = (uint16_t)moment;
        out[VIF_HIGH][x] = (uint16_t)(moment >> 16);
    }
}

static void filter_columns(const VifColumnMoments *out, const VifWindow *window, unsigned w,
                           unsigned depth, unsigned scale, int type)
{
    for (int i = 0; i < 2; i++)
        filter_means(out->mean[i], window->sample[i], w, scale, depth, type);
    for (int i = 0; i < VIF_MOMENTS; i++)
        filter_moments(out->moment[i], window->product[i], w, scale, depth);
}

/* -- horizontal filters -- */

/* In units of 2^-24: not rounded. */
static uint64_t mean_at(const uint16_t *row, int x, unsigned scale)
{
    const int radius = (int)vif_filters[scale].radius;
    uint64_t sum = 0;
    for (int k = -radius; k <= radius; k++)
        sum += tap(scale, k) * row[x + k];
    return sum;
}

static int64_t moment_at(uint16_t *const row[VIF_HALVES], int x, unsigned scale)
{
    const int radius = (int)vif_filters[scale].radius;
    uint64_t sum = 0;
    for (int k = -radius; k <= radius; k++)
        sum += tap(scale, k) * ((uint64_t)row[VIF_HIGH][x + k] << 16 | row[VIF_LOW][x + k]);
    return (int64_t)rounded_shift(sum, 16);
}

/* The second moment of a and b less the product of their means. */
static int32_t covariance_at(const VifColumnMoments *in, int moment, int a, int b, int x,
                             unsigned scale)
{
    const uint64_t product = mean_at(in->mean[a], x, scale) * mean_at(in->mean[b], x, scale);
    return (int32_t)(moment_at(in->moment[moment], x, scale) - (int64_t)rounded_shift(product, 32));
}

static void local_variances(const VifVariances *out, const VifColumnMoments *in, unsigned w,
                            unsigned scale)
{
    for (int x = 0; x < (int)w; x++) {
        const int32_t dist = covariance_at(in, VIF_DIST_DIST, 1, 1, x, scale);
        out->ref[x] = covariance_at(in, VIF_REF_REF, 0, 0, x, scale);
        out->dist[x] = dist < 0 ? 0 : dist;
        out->covariance[x] = covariance_at(in, VIF_REF_DIST, 0, 1, x, scale);
    }
}

/* -- information -- */

/* 2048 log2(v), for v from 2^15 on, by its 16 leading bits. */
static int64_t logarithm(int64_t v)
{
    int octaves = 0;
    while (v >> octaves > UINT16_MAX)
        octaves++;
    return vif_log_of_key(vif_log_key((double)(v >> octaves))) + VIF_LOG_UNIT * octaves;
}

/* What of the reference arrives: the distorted picture is the reference times a gain, and noise. */
static int64_t information_arrived(int32_t ref, int32_t dist, int32_t covariance, double limit)
{
    if (covariance <= 0 || dist <= 0)
        return 0;
    /* Keeps the gain finite where the reference has no variance. */
    const double epsilon = 65536 * 1e-10;
    const double gain = covariance / (ref + epsilon);
    const double limited = gain < limit ? gain : limit;
    const int64_t residual = (int64_t)(dist - gain * covariance);
    const int64_t noise = VIF_NOISE_VARIANCE + (residual > 0 ? residual : 0);
    const int64_t signal = (int64_t)(limited * limited * ref);
    return logarithm(noise + signal) - logarithm(noise);
}

static int64_t information_sent(int32_t ref)
{
    return logarithm((int64_t)VIF_NOISE_VARIANCE + ref) - logarithm(VIF_NOISE_VARIANCE);
}

void vif_gain_scalar(VifSums *sums, const VifVariances *in, unsigned w, const VifGain *gain)
{
    for (unsigned x = 0; x < w; x++) {
        const int32_t ref = in->ref[x], dist = in->dist[x];
        if (ref < VIF_NOISE_VARIANCE) {
            sums->flat_count++;
            sums->flat_variance += dist;
            continue;
        }
        sums->log_den += information_sent(ref);
        for (unsigned i = 0; i < gain->n_limits; i++)
            sums->log_num[i] += information_arrived(ref, dist, in->covariance[x], gain->limits[i]);
    }
}

/* -- decimation, which filters the even columns only -- */

static void decimate_row(uint16_t *out, const uint16_t *in, unsigned w, unsigned scale)
{
    for (unsigned x = 0; x < w; x++)
        out[x] = (uint16_t)rounded_shift(mean_at(in, 2 * (int)x, scale), 16);
}

/* -- one function for each window -- */

static void filter_columns_bytes(const VifColumnMoments *out, const VifWindow *window, unsigned w,
                                 unsigned depth)
{
    filter_columns(out, window, w, depth, 0, VIF_BYTES);
}

static void decimate_columns_bytes(uint16_t *out, const void *const rows[], unsigned w,
                                   unsigned depth)
{
    filter_means(out, rows, w, 1, depth, VIF_BYTES);
}

#define COLUMNS_OF_SCALE(out, window, w, depth, scale)                                             \
    filter_columns(out, window, w, depth, scale, VIF_WORDS)
#define MEANS_OF_SCALE(out, rows, w, depth, scale)                                                 \
    filter_means(out, rows, w, scale, depth, VIF_WORDS)
VIF_SCALE_FUNCTIONS

void vif_functions_init_scalar(VifFunctions *functions)
{
    *functions = (VifFunctions){
        .product_size = {sizeof(uint32_t), sizeof(uint32_t), sizeof(uint32_t)},
        .multiply = {multiply_bytes, multiply_words, multiply_words},
        .filter_columns =
            {
                {filter_columns_bytes},
                {filter_columns_0},
                {VIF_COLUMNS_OF_SCALES},
            },
        .local_variances = {VIF_VARIANCES_OF_SCALES},
        .gain = vif_gain_scalar,
        .decimate_columns =
            {
                {NULL, decimate_columns_bytes},
                {NULL, decimate_columns_1},
                {VIF_MEANS_OF_SCALES},
            },
        .decimate_row = {VIF_ROWS_OF_SCALES},
    };
}
