/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "metrics/vif/vif_internal.h"
#include "support/loops.h"
#include "support/memory.h"

/*
 * The filters for processors without vector kernels: plain C, written for compilers that vectorise
 * loops. Filters are inlined with a constant window, loops run over columns without branches, and
 * outputs are restrict.
 *
 * Many sums of integers are made in double precision. They stay below 2^53, so nothing is ever
 * rounded, and the baseline of x86-64 has vectors of doubles but no vector instruction that
 * multiplies 32-bit integers. The two sides of a window are added before they are multiplied.
 */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Columns at a time where a row passes through a buffer on the stack. */
enum { CHUNK = 128 };

/* Adding this to an integer 0 <= d < 2^52 leaves its bits at the low end of the double. */
static const double integer_bits = 0x1p52;

ALWAYS_INLINE uint64_t bits_of(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

/* -- products -- */

/*
 * Products of bytes are those of their distances to grey: two of them still fit 16 bits, so a
 * symmetric window can add first and multiply once. The mixed product is raised to be positive.
 * filter_columns_bytes takes both back.
 */
enum { GREY = 128, MIXED_RAISE = 127 * 128 };

static void multiply_bytes(void *const product[VIF_MOMENTS], const void *ref, const void *dist,
                           unsigned w)
{
    uint16_t *restrict rr = product[VIF_REF_REF];
    uint16_t *restrict dd = product[VIF_DIST_DIST];
    uint16_t *restrict rd = product[VIF_REF_DIST];
    const uint8_t *r = ref, *d = dist;
    for (unsigned x = 0; rr && x < w; x++) {
        int a = r[x] - GREY;
        rr[x] = (uint16_t)(a * a);
    }
    for (unsigned x = 0; x < w; x++) {
        int a = r[x] - GREY, b = d[x] - GREY;
        dd[x] = (uint16_t)(b * b);
        rd[x] = (uint16_t)(a * b + MIXED_RAISE);
    }
}

static void multiply_words(void *const product[VIF_MOMENTS], const void *ref, const void *dist,
                           unsigned w)
{
    double *restrict rr = product[VIF_REF_REF];
    double *restrict dd = product[VIF_DIST_DIST];
    double *restrict rd = product[VIF_REF_DIST];
    const uint16_t *r = ref, *d = dist;
    for (unsigned x = 0; rr && x < w; x++) {
        double a = r[x];
        rr[x] = a * a;
    }
    for (unsigned x = 0; x < w; x++) {
        double a = r[x], b = d[x];
        dd[x] = b * b;
        rd[x] = a * b;
    }
}

/* -- vertical filters -- */

/* Sum under the window in column x; `row` points to the middle row. */
ALWAYS_INLINE uint32_t sum_of_bytes(const uint8_t *const *row, unsigned x, unsigned scale)
{
    const VifFilter *filter = &vif_filters[scale];
    uint32_t sum = filter->taps[0] * (uint32_t)row[0][x];
    UNROLL_FULLY(8)
    for (int k = 1; k <= (int)filter->radius; k++)
        sum += filter->taps[k] * (uint32_t)(uint16_t)(row[-k][x] + row[k][x]);
    return sum;
}

/* The same for words below 2^15. */
ALWAYS_INLINE uint32_t sum_of_small_words(const uint16_t *const *row, unsigned x, unsigned scale)
{
    const VifFilter *filter = &vif_filters[scale];
    uint32_t sum = filter->taps[0] * (uint32_t)row[0][x];
    UNROLL_FULLY(8)
    for (int k = 1; k <= (int)filter->radius; k++)
        sum += filter->taps[k] * (uint32_t)(uint16_t)(row[-k][x] + row[k][x]);
    return sum;
}

ALWAYS_INLINE uint32_t sum_of_words(const uint16_t *const *row, unsigned x, unsigned scale)
{
    const VifFilter *filter = &vif_filters[scale];
    uint32_t sum = filter->taps[0] * (uint32_t)row[0][x];
    UNROLL_FULLY(8)
    for (int k = 1; k <= (int)filter->radius; k++) {
        sum += filter->taps[k] * (uint32_t)row[-k][x];
        sum += filter->taps[k] * (uint32_t)row[k][x];
    }
    return sum;
}

ALWAYS_INLINE void mean_of_words(uint16_t *restrict out, const void *const rows[], unsigned w,
                                 unsigned scale, unsigned depth)
{
    const uint16_t *const *row = (const uint16_t *const *)rows + vif_filters[scale].radius;
    const uint32_t half = 1u << (depth - 1);
    if (depth < 16)
        for (unsigned x = 0; x < w; x++)
            out[x] = (uint16_t)((sum_of_small_words(row, x, scale) + half) >> depth);
    else
        for (unsigned x = 0; x < w; x++)
            out[x] = (uint16_t)((sum_of_words(row, x, scale) + half) >> depth);
}

ALWAYS_INLINE void moment_of_words(uint16_t *const halves[VIF_HALVES], const void *const rows[],
                                   unsigned w, unsigned scale, unsigned shift)
{
    uint16_t *restrict low = halves[VIF_LOW];
    uint16_t *restrict high = halves[VIF_HIGH];
    const VifFilter *filter = &vif_filters[scale];
    const int radius = (int)filter->radius;
    const double *const *row = (const double *const *)rows + radius;
    const double offset = integer_bits + (shift ? 1 << (shift - 1) : 0);
    for (unsigned x = 0; x < w; x++) {
        double sum = filter->taps[0] * row[0][x];
        UNROLL_FULLY(8)
        for (int k = 1; k <= radius; k++)
            sum += filter->taps[k] * (row[-k][x] + row[k][x]);
        uint32_t moment = (uint32_t)(bits_of(sum + offset) >> shift);
        low[x] = (uint16_t)moment;
        high[x] = (uint16_t)(moment >> 16);
    }
}

/* The rows of a window from a later column on. */
ALWAYS_INLINE void advance_rows(const void *advanced[], const void *const rows[], unsigned n_rows,
                                size_t bytes)
{
    for (unsigned i = 0; i < n_rows; i++)
        advanced[i] = (const uint8_t *)rows[i] + bytes;
}

/* Sums of n <= CHUNK columns, and the means that they round to. */
ALWAYS_INLINE void mean_of_bytes(uint16_t *restrict out, uint32_t *restrict sums,
                                 const void *const rows[], unsigned n, unsigned scale)
{
    const uint8_t *const *row = (const uint8_t *const *)rows + vif_filters[scale].radius;
    for (unsigned x = 0; x < n; x++)
        sums[x] = sum_of_bytes(row, x, scale);
    for (unsigned x = 0; x < n; x++)
        out[x] = (uint16_t)((sums[x] + 128) >> 8);
}

/*
 * From a b = (a - g) (b - g) + g (a + b) - g^2 for samples a and b and grey g, modulo 2^32. The
 * result is below that and, with 8 bits, not rounded.
 */
ALWAYS_INLINE void moment_of_bytes(uint16_t *restrict low, uint16_t *restrict high,
                                   const void *const rows[], const uint32_t *sums_a,
                                   const uint32_t *sums_b, unsigned n, uint32_t raise)
{
    const uint16_t *const *row = (const uint16_t *const *)rows + VIF_MAX_RADIUS;
    const uint32_t constant = 65536 * (GREY * GREY + raise);
    for (unsigned x = 0; x < n; x++) {
        uint32_t moment = sum_of_small_words(row, x, 0) + GREY * (sums_a[x] + sums_b[x]) - constant;
        low[x] = (uint16_t)moment;
        high[x] = (uint16_t)(moment >> 16);
    }
}

static void filter_columns_bytes(const VifColumnMoments *out, const VifWindow *window, unsigned w,
                                 unsigned depth)
{
    (void)depth;
    const VifReferenceRow *reference = &out->reference;
    const int first = reference->use == REFERENCE_AGAIN; /* after those of the reference */
    for (unsigned begin = 0; begin < w; begin += CHUNK) {
        const unsigned n = min_unsigned(w - begin, CHUNK);
        uint32_t sums_here[2][CHUNK];
        uint32_t *const sums[2] = {reference->use == REFERENCE_ALONE ? sums_here[0]
                                                                     : reference->sums + begin,
                                   sums_here[1]};
        for (int i = first; i < 2; i++) {
            const void *rows[VIF_MAX_TAPS];
            advance_rows(rows, window->sample[i], VIF_MAX_TAPS, begin);
            mean_of_bytes(out->mean[i] + begin, sums[i], rows, n, 0);
        }
        for (int i = first; i < VIF_MOMENTS; i++) {
            const void *rows[VIF_MAX_TAPS];
            advance_rows(rows, window->product[i], VIF_MAX_TAPS, begin * sizeof(uint16_t));
            moment_of_bytes(out->moment[i][VIF_LOW] + begin, out->moment[i][VIF_HIGH] + begin, rows,
                            sums[i == VIF_DIST_DIST], sums[i != VIF_REF_REF], n,
                            i == VIF_REF_DIST ? MIXED_RAISE : 0);
        }
    }
}

ALWAYS_INLINE void filter_columns_words(const VifColumnMoments *out, const VifWindow *window,
                                        unsigned w, unsigned depth, unsigned scale)
{
    const int first = out->reference.use == REFERENCE_AGAIN; /* after those of the reference */
    for (int i = first; i < 2; i++)
        mean_of_words(out->mean[i], window->sample[i], w, scale, depth);
    /* At scale 0 to the unit of 8-bit samples, above it from 1/65536 of tap and level. */
    unsigned shift = scale == 0 ? 2 * (depth - 8) : 16;
    for (int i = first; i < VIF_MOMENTS; i++)
        moment_of_words(out->moment[i], window->product[i], w, scale, shift);
}

/* -- horizontal filters -- */

/* Sum under the window around `centre`, plus an offset that brings it to 2^52 or more and below
 * 2^53, where the bits of a double end in those of the integer. */
ALWAYS_INLINE uint64_t bits_of_sum(const double *centre, unsigned scale, double offset)
{
    const VifFilter *filter = &vif_filters[scale];
    double sum = filter->taps[0] * centre[0];
    UNROLL_FULLY(8)
    for (int k = 1; k <= (int)filter->radius; k++)
        sum += filter->taps[k] * (centre[-k] + centre[k]);
    return bits_of(sum + offset);
}

ALWAYS_INLINE void mean_of_row(uint32_t *restrict out, const uint16_t *in, unsigned n,
                               unsigned scale)
{
    const int radius = (int)vif_filters[scale].radius;
    double padded[CHUNK + 2 * VIF_MAX_RADIUS];
    double *centre = padded + radius;
    for (int x = -radius; x < (int)n + radius; x++)
        centre[x] = in[x];
    for (int x = 0; x < (int)n; x++)
        out[x] = (uint32_t)bits_of_sum(centre + x, scale, integer_bits);
}

ALWAYS_INLINE void moment_of_row(uint32_t *restrict out, const uint16_t *low, const uint16_t *high,
                                 unsigned n, unsigned scale)
{
    const int radius = (int)vif_filters[scale].radius;
    double padded[CHUNK + 2 * VIF_MAX_RADIUS];
    double *centre = padded + radius;
    /* Less 2^31, so that the conversion is one of signed integers, which vectorises. The taps
     * sum to 2^16: what was taken away comes back as 2^47. */
    for (int x = -radius; x < (int)n + radius; x++)
        centre[x] = (int32_t)(((uint32_t)high[x] << 16 | low[x]) ^ 0x80000000u);
    const double offset = integer_bits + 0x1p47 + 0x1p15;
    for (int x = 0; x < (int)n; x++)
        out[x] = (uint32_t)(bits_of_sum(centre + x, scale, offset) >> 16);
}

/* Product of two means in units of 2^-24, rounded to the unit of the variances. */
ALWAYS_INLINE uint32_t product_of_means(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a * b + 0x80000000u) >> 32);
}

ALWAYS_INLINE void local_variances(const VifVariances *out, const VifColumnMoments *in, unsigned w,
                                   unsigned scale)
{
    const VifReferenceRow *reference = &in->reference;
    const int first = reference->use == REFERENCE_AGAIN; /* after those of the reference */
    for (unsigned begin = 0; begin < w; begin += CHUNK) {
        const unsigned n = min_unsigned(w - begin, CHUNK);
        uint32_t means_here[2][CHUNK], moment[VIF_MOMENTS][CHUNK];
        uint32_t *const mean[2] = {reference->use == REFERENCE_ALONE ? means_here[0]
                                                                     : reference->means + begin,
                                   means_here[1]};
        for (int i = first; i < 2; i++)
            mean_of_row(mean[i], in->mean[i] + begin, n, scale);
        for (int i = first; i < VIF_MOMENTS; i++)
            moment_of_row(moment[i], in->moment[i][VIF_LOW] + begin,
                          in->moment[i][VIF_HIGH] + begin, n, scale);
        int32_t *restrict ref = out->ref + begin;
        int32_t *restrict dist = out->dist + begin;
        int32_t *restrict covariance = out->covariance + begin;
        for (unsigned x = 0; !first && x < n; x++)
            ref[x] = (int32_t)(moment[VIF_REF_REF][x] - product_of_means(mean[0][x], mean[0][x]));
        for (unsigned x = 0; x < n; x++) {
            uint32_t r = mean[0][x], d = mean[1][x];
            int32_t var_dist = (int32_t)(moment[VIF_DIST_DIST][x] - product_of_means(d, d));
            dist[x] = var_dist < 0 ? 0 : var_dist;
            covariance[x] = (int32_t)(moment[VIF_REF_DIST][x] - product_of_means(r, d));
        }
    }
}

/* -- decimation -- */

ALWAYS_INLINE void decimate_row(uint16_t *restrict out, const uint16_t *in, unsigned w,
                                unsigned scale)
{
    const VifFilter *filter = &vif_filters[scale];
    const int radius = (int)filter->radius;
    for (unsigned begin = 0; begin < w; begin += CHUNK) {
        /* Even and odd columns apart, so that the filter reads neighbours. */
        const int n = (int)min_unsigned(w - begin, CHUNK);
        uint16_t columns[2][CHUNK + VIF_MAX_RADIUS];
        uint16_t *even = columns[0] + radius / 2, *odd = columns[1] + radius / 2 + 1;
        const uint16_t *source = in + 2 * (size_t)begin;
        for (int x = -(radius / 2); x < n + radius / 2; x++)
            even[x] = source[2 * x];
        for (int x = -((radius + 1) / 2); x < n + (radius - 1) / 2; x++)
            odd[x] = source[2 * x + 1];
        for (int x = 0; x < n; x++) {
            uint32_t sum = 32768 + filter->taps[0] * (uint32_t)even[x];
            UNROLL_FULLY(8)
            for (int k = 1; k <= radius; k++) {
                const uint16_t *column = k % 2 ? odd : even;
                sum += filter->taps[k] * (uint32_t)column[x + (-k - k % 2) / 2];
                sum += filter->taps[k] * (uint32_t)column[x + k / 2];
            }
            out[begin + (unsigned)x] = (uint16_t)(sum >> 16);
        }
    }
}

/* -- one function for each window -- */

static void decimate_columns_bytes(uint16_t *out, const void *const rows[], unsigned w,
                                   unsigned depth)
{
    (void)depth;
    for (unsigned begin = 0; begin < w; begin += CHUNK) {
        const void *rows_from[VIF_MAX_TAPS];
        uint32_t sums[CHUNK];
        advance_rows(rows_from, rows, 2 * vif_filters[1].radius + 1, begin);
        mean_of_bytes(out + begin, sums, rows_from, min_unsigned(w - begin, CHUNK), 1);
    }
}

#define COLUMNS_OF_SCALE(out, window, w, depth, scale)                                             \
    filter_columns_words(out, window, w, depth, scale)
#define MEANS_OF_SCALE(out, rows, w, depth, scale) mean_of_words(out, rows, w, scale, depth)
VIF_SCALE_FUNCTIONS

void vif_fill_filter_portable(VifFunctions *functions)
{
    *functions = (VifFunctions){
        .product_size = {sizeof(uint16_t), sizeof(double), sizeof(double)},
        .multiply = {multiply_bytes, multiply_words, multiply_words},
        .filter_columns =
            {
                {filter_columns_bytes},
                {filter_columns_0},
                {VIF_COLUMNS_OF_SCALES},
            },
        .local_variances = {VIF_VARIANCES_OF_SCALES},
        .decimate_columns =
            {
                {NULL, decimate_columns_bytes},
                {NULL, decimate_columns_1},
                {VIF_MEANS_OF_SCALES},
            },
        .decimate_row = {VIF_ROWS_OF_SCALES},
    };
}

/* -- the information in a row of variances -- */

/*
 * The sum of the logarithms of n <= CHUNK integers in the range of the table, from their keys:
 * vif_log_of_key, in steps. Only the look-up goes through single numbers.
 */
static int64_t sum_of_logs(const uint32_t *restrict keys, unsigned n)
{
    uint16_t places[CHUNK], steps[CHUNK], entries[CHUNK];
    uint32_t octaves = 0;
    for (unsigned x = 0; x < n; x++) {
        octaves += keys[x] >> 15;
        places[x] = (keys[x] >> 3) % VIF_LOG_STEPS;
        steps[x] = keys[x] % 8;
    }
    UNROLL(4)
    for (unsigned x = 0; x < n; x++)
        entries[x] = vif_log_steps[places[x]];
    uint32_t sum = 30720 * n + VIF_LOG_UNIT * octaves; /* each logarithm is below 2^16 */
    for (unsigned x = 0; x < n; x++)
        sum += (uint16_t)((uint16_t)(entries[x] + steps[x]) >> 3);
    return sum;
}

static void flat_pixels(VifSums *sums, const int32_t *var_ref, const int32_t *var_dist, unsigned n)
{
    /* Halves of the variances, so that sums over a chunk fit. */
    uint32_t count = 0, low = 0, high = 0;
    for (unsigned x = 0; x < n; x++) {
        uint32_t flat = var_ref[x] < VIF_NOISE_VARIANCE;
        uint32_t variance = (uint32_t)var_dist[x] & -flat;
        count += flat;
        low += variance & 0xffff;
        high += variance >> 16;
    }
    sums->flat_count += count;
    sums->flat_variance += ((int64_t)high << 16) + low;
}

/*
 * Without branches: in the logarithmic sums a flat pixel takes part with no signal, and a pixel
 * without correlation with no gain, which adds log 1. Selections are made among integers or end
 * a loop, because compilers do not vectorise conversions that depend on a condition.
 */
VIF_INLINE void gain_of_chunk(VifSums *sums, const int32_t *var_ref, const int32_t *var_dist,
                              const int32_t *covariance, unsigned n, const VifGain *options,
                              bool has_den)
{
    /* Keeps the gain finite where the reference has no variance. */
    const double epsilon = 65536 * 1e-10;
    const double most = INT32_MAX;
    double signal[CHUNK], gain[CHUNK], noise[CHUNK], energy[CHUNK];
    uint32_t keys[CHUNK];

    for (unsigned x = 0; x < n; x++) {
        int32_t s = var_ref[x] & -(var_ref[x] >= VIF_NOISE_VARIANCE);
        int32_t c = covariance[x] & -((covariance[x] > 0) & (var_dist[x] > 0));
        signal[x] = s;
        if (has_den)
            keys[x] = vif_log_key(s + (double)VIF_NOISE_VARIANCE);
        gain[x] = c / (s + epsilon);
        double residual = var_dist[x] - gain[x] * c;
        noise[x] = residual > 0 ? residual : 0;
    }
    if (has_den)
        sums->log_den += sum_of_logs(keys, n) - (int64_t)n * 17 * VIF_LOG_UNIT;

    for (unsigned x = 0; x < n; x++) {
        noise[x] = (int32_t)noise[x] + (double)VIF_NOISE_VARIANCE;
        keys[x] = vif_log_key(noise[x]);
    }
    const int64_t log_noise = sum_of_logs(keys, n);

    for (unsigned i = 0; i < options->n_limits; i++) {
        const double limit = options->limits[i];
        for (unsigned x = 0; x < n; x++) {
            double g = gain[x] < limit ? gain[x] : limit;
            double e = g * g * signal[x];
            /* Out of range only for samples beyond the bit depth. */
            energy[x] = e < most ? e : most;
        }
        for (unsigned x = 0; x < n; x++)
            keys[x] = vif_log_key(noise[x] + (int32_t)energy[x]);
        sums->log_num[i] += sum_of_logs(keys, n) - log_noise;
    }
}

VIF_INLINE void gain_of_row(VifSums *sums, const VifVariances *in, unsigned w, const VifGain *gain,
                            bool has_den)
{
    for (unsigned begin = 0; begin < w; begin += CHUNK) {
        const unsigned n = min_unsigned(w - begin, CHUNK);
        const int32_t *ref = in->ref + begin, *dist = in->dist + begin;
        flat_pixels(sums, ref, dist, n);
        gain_of_chunk(sums, ref, dist, in->covariance + begin, n, gain, has_den);
    }
}

void vif_gain_portable(VifSums *sums, const VifVariances *in, unsigned w, const VifGain *gain)
{
    gain_of_row(sums, in, w, gain, true);
}

void vif_gain_portable_again(VifSums *sums, const VifVariances *in, unsigned w, const VifGain *gain)
{
    gain_of_row(sums, in, w, gain, false);
}
