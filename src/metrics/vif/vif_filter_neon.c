/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <arm_neon.h>
#include <string.h>

#include "metrics/vif/vif_internal.h"
#include "support/memory.h"

/*
 * The filters for 64-bit Arm, 16 columns at a time. These are intrinsics, not operations that all
 * vectors have: NEON multiplies unsigned 16-bit integers and adds the
 * products in 32 bits, so rows between two steps hold plain values. The two sides of a window are
 * added before they are multiplied wherever the sum fits 16 bits.
 */

enum {
    BLOCK = 16,
    /* Columns at a time where a row passes through a buffer on the stack. */
    CHUNK = 128,
};

/* Sums of four columns each, from left to right. */
typedef struct Sums {
    uint32x4_t a, b, c, d;
} Sums;

VIF_INLINE Sums sums_of(uint32_t value)
{
    const uint32x4_t v = vdupq_n_u32(value);
    return (Sums){v, v, v, v};
}

VIF_INLINE Sums add(Sums x, Sums y)
{
    return (Sums){vaddq_u32(x.a, y.a), vaddq_u32(x.b, y.b), vaddq_u32(x.c, y.c),
                  vaddq_u32(x.d, y.d)};
}

/* 16 values; adds their products with a tap. */
VIF_INLINE void multiply_add(Sums *sums, uint16x8_t left, uint16x8_t right, uint16_t tap)
{
    sums->a = vmlal_n_u16(sums->a, vget_low_u16(left), tap);
    sums->b = vmlal_high_n_u16(sums->b, left, tap);
    sums->c = vmlal_n_u16(sums->c, vget_low_u16(right), tap);
    sums->d = vmlal_high_n_u16(sums->d, right, tap);
}

VIF_INLINE uint16x8_t shifted_words(uint32x4_t a, uint32x4_t b, int32x4_t left_shift)
{
    return vcombine_u16(vmovn_u32(vshlq_u32(a, left_shift)), vmovn_u32(vshlq_u32(b, left_shift)));
}

/* Stores the bits of sums from `shift` on. */
VIF_INLINE void store_words(uint16_t *out, Sums sums, unsigned shift)
{
    const int32x4_t left_shift = vdupq_n_s32(-(int)shift);
    vst1q_u16(out, shifted_words(sums.a, sums.b, left_shift));
    vst1q_u16(out + 8, shifted_words(sums.c, sums.d, left_shift));
}

VIF_INLINE void store_8_halves(uint16_t *low, uint16_t *high, uint32x4_t a, uint32x4_t b)
{
    const uint16x8_t first = vreinterpretq_u16_u32(a), second = vreinterpretq_u16_u32(b);
    vst1q_u16(low, vuzp1q_u16(first, second));
    vst1q_u16(high, vuzp2q_u16(first, second));
}

/* -- products -- */

/*
 * Products of bytes are those of their distances to grey: two of them still fit 16 bits. The mixed
 * product is raised to be positive. filter_columns_bytes takes both back.
 */
enum { MIXED_RAISE = 127 * 128 };

/* Products of 8 columns each. */
typedef struct BytesProducts {
    uint16x8_t rr, dd, rd;
} BytesProducts;

VIF_INLINE BytesProducts multiply_8_bytes(uint8x8_t ref, uint8x8_t dist)
{
    const uint8x8_t grey = vdup_n_u8(VIF_GREY);
    const uint16x8_t r = vsubl_u8(ref, grey), d = vsubl_u8(dist, grey);
    return (BytesProducts){vmulq_u16(r, r), vmulq_u16(d, d),
                           vmlaq_u16(vdupq_n_u16(MIXED_RAISE), r, d)};
}

VIF_INLINE void multiply_block_of_bytes(uint16_t *rr, uint16_t *dd, uint16_t *rd,
                                        const uint8_t *ref, const uint8_t *dist)
{
    const uint8x16_t r = vld1q_u8(ref), d = vld1q_u8(dist);
    const BytesProducts left = multiply_8_bytes(vget_low_u8(r), vget_low_u8(d));
    const BytesProducts right = multiply_8_bytes(vget_high_u8(r), vget_high_u8(d));
    vst1q_u16(rr, left.rr);
    vst1q_u16(rr + 8, right.rr);
    vst1q_u16(dd, left.dd);
    vst1q_u16(dd + 8, right.dd);
    vst1q_u16(rd, left.rd);
    vst1q_u16(rd + 8, right.rd);
}

static void multiply_bytes(void *const product[VIF_MOMENTS], const void *ref, const void *dist,
                           unsigned w)
{
    uint16_t *rr = product[VIF_REF_REF], *dd = product[VIF_DIST_DIST], *rd = product[VIF_REF_DIST];
    const uint8_t *r = ref, *d = dist;
    size_t x = 0;
    for (; x + BLOCK <= w; x += BLOCK)
        multiply_block_of_bytes(rr + x, dd + x, rd + x, r + x, d + x);
    if (x < w) {
        uint8_t tail[2][BLOCK] = {0};
        memcpy(tail[0], r + x, w - x);
        memcpy(tail[1], d + x, w - x);
        multiply_block_of_bytes(rr + x, dd + x, rd + x, tail[0], tail[1]);
    }
}

VIF_INLINE void multiply_8_words(uint32_t *rr, uint32_t *dd, uint32_t *rd, const uint16_t *ref,
                                 const uint16_t *dist)
{
    const uint16x8_t r = vld1q_u16(ref), d = vld1q_u16(dist);
    vst1q_u32(rr, vmull_u16(vget_low_u16(r), vget_low_u16(r)));
    vst1q_u32(rr + 4, vmull_high_u16(r, r));
    vst1q_u32(dd, vmull_u16(vget_low_u16(d), vget_low_u16(d)));
    vst1q_u32(dd + 4, vmull_high_u16(d, d));
    vst1q_u32(rd, vmull_u16(vget_low_u16(r), vget_low_u16(d)));
    vst1q_u32(rd + 4, vmull_high_u16(r, d));
}

static void multiply_words(void *const product[VIF_MOMENTS], const void *ref, const void *dist,
                           unsigned w)
{
    uint32_t *rr = product[VIF_REF_REF], *dd = product[VIF_DIST_DIST], *rd = product[VIF_REF_DIST];
    const uint16_t *r = ref, *d = dist;
    size_t x = 0;
    for (; x + 8 <= w; x += 8)
        multiply_8_words(rr + x, dd + x, rd + x, r + x, d + x);
    if (x < w) {
        uint16_t tail[2][8] = {0};
        memcpy(tail[0], r + x, (w - x) * sizeof(*r));
        memcpy(tail[1], d + x, (w - x) * sizeof(*d));
        multiply_8_words(rr + x, dd + x, rd + x, tail[0], tail[1]);
    }
}

/* -- vertical filters -- */

/* How large the values of a row are: decides whether two of them can be added in 16 bits. */
typedef enum Values {
    BYTES,
    SMALL, /* words; the sum of two is one, too */
    LARGE, /* words */
} Values;

VIF_INLINE Sums filter_words(const void *const *row, size_t x, unsigned scale, Values values,
                             Sums sums)
{
    const VifFilter *filter = &vif_filters[scale];
    const uint16_t *centre = (const uint16_t *)row[0] + x;
    multiply_add(&sums, vld1q_u16(centre), vld1q_u16(centre + 8), filter->taps[0]);
#pragma GCC unroll 8
    for (int k = 1; k <= (int)filter->radius; k++) {
        const uint16_t *above = (const uint16_t *)row[-k] + x;
        const uint16_t *below = (const uint16_t *)row[k] + x;
        const uint16x8_t above_left = vld1q_u16(above), above_right = vld1q_u16(above + 8);
        const uint16x8_t below_left = vld1q_u16(below), below_right = vld1q_u16(below + 8);
        if (values == SMALL) {
            multiply_add(&sums, vaddq_u16(above_left, below_left),
                         vaddq_u16(above_right, below_right), filter->taps[k]);
        } else {
            multiply_add(&sums, above_left, above_right, filter->taps[k]);
            multiply_add(&sums, below_left, below_right, filter->taps[k]);
        }
    }
    return sums;
}

VIF_INLINE Sums filter_bytes(const void *const *row, size_t x, unsigned scale, Sums sums)
{
    const VifFilter *filter = &vif_filters[scale];
    const uint8x16_t centre = vld1q_u8((const uint8_t *)row[0] + x);
    multiply_add(&sums, vmovl_u8(vget_low_u8(centre)), vmovl_high_u8(centre), filter->taps[0]);
#pragma GCC unroll 8
    for (int k = 1; k <= (int)filter->radius; k++) {
        const uint8x16_t above = vld1q_u8((const uint8_t *)row[-k] + x);
        const uint8x16_t below = vld1q_u8((const uint8_t *)row[k] + x);
        multiply_add(&sums, vaddl_u8(vget_low_u8(above), vget_low_u8(below)),
                     vaddl_high_u8(above, below), filter->taps[k]);
    }
    return sums;
}

/* Adds the sums under the window; `row` points to the middle row. */
VIF_INLINE Sums filter_samples(const void *const *row, size_t x, unsigned scale, Values values,
                               Sums sums)
{
    return values == BYTES ? filter_bytes(row, x, scale, sums)
                           : filter_words(row, x, scale, values, sums);
}

/* The rows of a window from a later column on. In an array of its own, so that compilers keep the
 * pointers in registers. */
VIF_INLINE void advance_rows(const void *advanced[], const void *const rows[], unsigned scale,
                             size_t bytes)
{
    for (unsigned i = 0; i <= 2 * vif_filters[scale].radius; i++)
        advanced[i] = (const uint8_t *)rows[i] + bytes;
}

/* Copies columns of rows, which may end there, to where whole vectors can be read: zeros follow. */
VIF_INLINE void copy_rows(const void *copied[], void *to, size_t to_stride,
                          const void *const rows[], unsigned n_rows, size_t offset, size_t size)
{
    for (unsigned i = 0; i < n_rows; i++) {
        uint8_t *row = (uint8_t *)to + i * to_stride;
        memcpy(row, (const uint8_t *)rows[i] + offset, size);
        memset(row + size, 0, to_stride - size);
        copied[i] = row;
    }
}

/* The rows of a picture from a later column on, with whole blocks for the next n <= CHUNK columns.
 */
VIF_INLINE void rows_from(const void *rows[], uint16_t buffer[][CHUNK],
                          const void *const picture_rows[], unsigned scale, Values values,
                          unsigned begin, unsigned n)
{
    const size_t sample_size = values == BYTES ? sizeof(uint8_t) : sizeof(uint16_t);
    if (n % BLOCK)
        copy_rows(rows, buffer, sizeof(buffer[0]), picture_rows, 2 * vif_filters[scale].radius + 1,
                  begin * sample_size, n * sample_size);
    else
        advance_rows(rows, picture_rows, scale, begin * sample_size);
}

VIF_INLINE void filter_means(uint16_t *out, const void *const picture_rows[], unsigned w,
                             unsigned scale, Values values, unsigned depth)
{
    const Sums half = sums_of(1u << (depth - 1));
    for (unsigned begin = 0; begin < w; begin += CHUNK) {
        const unsigned n = min_unsigned(w - begin, CHUNK);
        const void *rows[VIF_MAX_TAPS];
        uint16_t buffer[VIF_MAX_TAPS][CHUNK];
        rows_from(rows, buffer, picture_rows, scale, values, begin, n);
        const void *const *row = rows + vif_filters[scale].radius;
        for (size_t x = 0; x < n; x += BLOCK)
            store_words(out + begin + x, filter_samples(row, x, scale, values, half), depth);
    }
}

/*
 * Second moments of n <= CHUNK columns from the products and from the sums of samples, by
 * a b = (a - g) (b - g) + g (a + b) - g^2 with grey g. With 8 bits nothing is rounded.
 */
VIF_INLINE void filter_products_of_bytes(uint16_t *const out[VIF_HALVES],
                                         const void *const product_rows[], const Sums *first,
                                         const Sums *second, unsigned begin, unsigned n,
                                         uint32_t raise)
{
    const Sums constant = sums_of(0 - 65536u * (VIF_GREY * VIF_GREY + raise));
    uint16_t *low = out[VIF_LOW] + begin, *high = out[VIF_HIGH] + begin;
    const void *rows[VIF_MAX_TAPS];
    advance_rows(rows, product_rows, 0, begin * sizeof(uint16_t));
    for (size_t x = 0; x < n; x += BLOCK) {
        const Sums linear = add(first[x / BLOCK], second[x / BLOCK]);
        const Sums scaled = {vshlq_n_u32(linear.a, 7), vshlq_n_u32(linear.b, 7),
                             vshlq_n_u32(linear.c, 7), vshlq_n_u32(linear.d, 7)};
        const Sums moment = filter_words(rows + VIF_MAX_RADIUS, x, 0, SMALL, add(constant, scaled));
        store_8_halves(low + x, high + x, moment.a, moment.b);
        store_8_halves(low + x + 8, high + x + 8, moment.c, moment.d);
    }
}

static void filter_columns_bytes(const VifColumnMoments *out, const VifWindow *window, unsigned w,
                                 unsigned depth)
{
    (void)depth;
    for (unsigned begin = 0; begin < w; begin += CHUNK) {
        const unsigned n = min_unsigned(w - begin, CHUNK);
        Sums samples[2][CHUNK / BLOCK];
        for (int i = 0; i < 2; i++) {
            const void *rows[VIF_MAX_TAPS];
            uint16_t buffer[VIF_MAX_TAPS][CHUNK];
            rows_from(rows, buffer, window->sample[i], 0, BYTES, begin, n);
            uint16_t *mean = out->mean[i] + begin;
            for (size_t x = 0; x < n; x += BLOCK) {
                const Sums sums = filter_bytes(rows + VIF_MAX_RADIUS, x, 0, sums_of(0));
                samples[i][x / BLOCK] = sums;
                store_words(mean + x, add(sums, sums_of(128)), 8);
            }
        }
        for (int i = 0; i < VIF_MOMENTS; i++)
            filter_products_of_bytes(out->moment[i], window->product[i],
                                     samples[i == VIF_DIST_DIST], samples[i != VIF_REF_REF], begin,
                                     n, i == VIF_REF_DIST ? MIXED_RAISE : 0);
    }
}

/* Sums of four columns in 64 bits. */
typedef struct LongSums {
    uint64x2_t a, b;
} LongSums;

VIF_INLINE void multiply_add_long(LongSums *sums, uint32x4_t values, uint16_t tap)
{
    sums->a = vmlal_n_u32(sums->a, vget_low_u32(values), tap);
    sums->b = vmlal_high_n_u32(sums->b, values, tap);
}

/* Second moments of 8 columns from the products. */
VIF_INLINE void filter_products(uint16_t *low, uint16_t *high, const void *const *row, size_t x,
                                unsigned scale, Values values, unsigned shift)
{
    const VifFilter *filter = &vif_filters[scale];
    const uint64x2_t half = vdupq_n_u64(1u << shift >> 1);
    LongSums left = {half, half}, right = {half, half};
    const uint32_t *centre = (const uint32_t *)row[0] + x;
    multiply_add_long(&left, vld1q_u32(centre), filter->taps[0]);
    multiply_add_long(&right, vld1q_u32(centre + 4), filter->taps[0]);
#pragma GCC unroll 8
    for (int k = 1; k <= (int)filter->radius; k++) {
        const uint32_t *above = (const uint32_t *)row[-k] + x;
        const uint32_t *below = (const uint32_t *)row[k] + x;
        const uint32x4_t above_left = vld1q_u32(above), above_right = vld1q_u32(above + 4);
        const uint32x4_t below_left = vld1q_u32(below), below_right = vld1q_u32(below + 4);
        if (values == SMALL) {
            multiply_add_long(&left, vaddq_u32(above_left, below_left), filter->taps[k]);
            multiply_add_long(&right, vaddq_u32(above_right, below_right), filter->taps[k]);
        } else {
            multiply_add_long(&left, above_left, filter->taps[k]);
            multiply_add_long(&left, below_left, filter->taps[k]);
            multiply_add_long(&right, above_right, filter->taps[k]);
            multiply_add_long(&right, below_right, filter->taps[k]);
        }
    }
    const int64x2_t left_shift = vdupq_n_s64(-(int)shift);
    store_8_halves(low, high,
                   vcombine_u32(vmovn_u64(vshlq_u64(left.a, left_shift)),
                                vmovn_u64(vshlq_u64(left.b, left_shift))),
                   vcombine_u32(vmovn_u64(vshlq_u64(right.a, left_shift)),
                                vmovn_u64(vshlq_u64(right.b, left_shift))));
}

VIF_INLINE void filter_columns_of(const VifColumnMoments *out, const VifWindow *window, unsigned w,
                                  unsigned depth, unsigned scale, Values values)
{
    for (int i = 0; i < 2; i++)
        filter_means(out->mean[i], window->sample[i], w, scale, values, depth);
    /* At scale 0 to the unit of 8-bit samples, above it from 1/65536 of tap and level. */
    const unsigned shift = scale == 0 ? 2 * (depth - 8) : 16;
    for (int i = 0; i < VIF_MOMENTS; i++) {
        uint16_t *low = out->moment[i][VIF_LOW], *high = out->moment[i][VIF_HIGH];
        const void *rows[VIF_MAX_TAPS];
        advance_rows(rows, window->product[i], scale, 0);
        for (size_t x = 0; x < w; x += 8)
            filter_products(low + x, high + x, rows + vif_filters[scale].radius, x, scale, values,
                            shift);
    }
}

static void filter_columns_words(const VifColumnMoments *out, const VifWindow *window, unsigned w,
                                 unsigned depth)
{
    filter_columns_of(out, window, w, depth, 0, SMALL);
}

/* -- horizontal filters -- */

/* Sums around n <= CHUNK columns of a row of means, four by four. */
VIF_INLINE void filter_row_of_means(uint32x4_t *sums, const uint16_t *row, unsigned n,
                                    unsigned scale)
{
    const VifFilter *filter = &vif_filters[scale];
    for (size_t x = 0; x < n; x += BLOCK) {
        const uint16_t *centre = row + x;
        Sums sum = sums_of(0);
        multiply_add(&sum, vld1q_u16(centre), vld1q_u16(centre + 8), filter->taps[0]);
#pragma GCC unroll 8
        for (int k = 1; k <= (int)filter->radius; k++) {
            multiply_add(&sum, vld1q_u16(centre - k), vld1q_u16(centre - k + 8), filter->taps[k]);
            multiply_add(&sum, vld1q_u16(centre + k), vld1q_u16(centre + k + 8), filter->taps[k]);
        }
        sums[x / 4] = sum.a;
        sums[x / 4 + 1] = sum.b;
        sums[x / 4 + 2] = sum.c;
        sums[x / 4 + 3] = sum.d;
    }
}

/* Four columns from the left, as doubles. */
typedef struct Doubles {
    float64x2_t a, b;
} Doubles;

VIF_INLINE Doubles load_doubles(const double *values)
{
    return (Doubles){vld1q_f64(values), vld1q_f64(values + 2)};
}

VIF_INLINE void store_doubles(double *out, uint32x4_t values)
{
    vst1q_f64(out, vcvtq_f64_u64(vmovl_u32(vget_low_u32(values))));
    vst1q_f64(out + 2, vcvtq_f64_u64(vmovl_high_u32(values)));
}

/*
 * Second moments have 32 bits. Their sums stay below 2^48, so double precision, which processors
 * multiply faster than integers of this size, does not round anything.
 */
VIF_INLINE void filter_row_of_moments(uint32x4_t *sums, uint16_t *const halves[VIF_HALVES],
                                      unsigned begin, unsigned n, unsigned scale)
{
    const VifFilter *filter = &vif_filters[scale];
    const int radius = (int)filter->radius;
    double padded[CHUNK + 2 * VIF_MAX_RADIUS];
    for (unsigned x = 0; x < n + 2 * (unsigned)radius; x += 8) {
        const uint16x8_t low = vld1q_u16(halves[VIF_LOW] + begin + x - radius);
        const uint16x8_t high = vld1q_u16(halves[VIF_HIGH] + begin + x - radius);
        store_doubles(padded + x, vreinterpretq_u32_u16(vzip1q_u16(low, high)));
        store_doubles(padded + x + 4, vreinterpretq_u32_u16(vzip2q_u16(low, high)));
    }
    for (size_t x = 0; x < n; x += 4) {
        const double *centre = padded + radius + x;
        Doubles sum = load_doubles(centre);
        sum.a = vmulq_n_f64(sum.a, filter->taps[0]);
        sum.b = vmulq_n_f64(sum.b, filter->taps[0]);
#pragma GCC unroll 8
        for (int k = 1; k <= radius; k++) {
            const Doubles left = load_doubles(centre - k), right = load_doubles(centre + k);
            sum.a = vfmaq_n_f64(sum.a, vaddq_f64(left.a, right.a), filter->taps[k]);
            sum.b = vfmaq_n_f64(sum.b, vaddq_f64(left.b, right.b), filter->taps[k]);
        }
        sums[x / 4] =
            vrshrn_high_n_u64(vrshrn_n_u64(vcvtq_u64_f64(sum.a), 16), vcvtq_u64_f64(sum.b), 16);
    }
}

/* A moment less the product of two means in units of 2^-32, rounded. */
VIF_INLINE int32x4_t central_moment(uint32x4_t moment, uint32x4_t a, uint32x4_t b)
{
    const uint32x2_t low = vrshrn_n_u64(vmull_u32(vget_low_u32(a), vget_low_u32(b)), 32);
    const uint32x4_t product = vrshrn_high_n_u64(low, vmull_high_u32(a, b), 32);
    return vreinterpretq_s32_u32(vsubq_u32(moment, product));
}

VIF_INLINE void local_variances(const VifVariances *out, const VifColumnMoments *in, unsigned w,
                                unsigned scale)
{
    for (unsigned begin = 0; begin < w; begin += CHUNK) {
        const unsigned n = min_unsigned(w - begin, CHUNK);
        uint32x4_t ref[CHUNK / 4], dist[CHUNK / 4], moment[VIF_MOMENTS][CHUNK / 4];
        filter_row_of_means(ref, in->mean[0] + begin, n, scale);
        filter_row_of_means(dist, in->mean[1] + begin, n, scale);
        for (int i = 0; i < VIF_MOMENTS; i++)
            filter_row_of_moments(moment[i], in->moment[i], begin, n, scale);
        for (unsigned i = 0; i < (n + 3) / 4; i++) {
            const unsigned x = begin + 4 * i;
            const int32x4_t variance = central_moment(moment[VIF_DIST_DIST][i], dist[i], dist[i]);
            vst1q_s32(out->ref + x, central_moment(moment[VIF_REF_REF][i], ref[i], ref[i]));
            vst1q_s32(out->dist + x, vmaxq_s32(variance, vdupq_n_s32(0)));
            vst1q_s32(out->covariance + x,
                      central_moment(moment[VIF_REF_DIST][i], ref[i], dist[i]));
        }
    }
}

/* -- decimation -- */

static void decimate_columns_bytes(uint16_t *out, const void *const rows[], unsigned w,
                                   unsigned depth)
{
    (void)depth;
    filter_means(out, rows, w, 1, BYTES, 8);
}

static void decimate_columns_words(uint16_t *out, const void *const rows[], unsigned w,
                                   unsigned depth)
{
    filter_means(out, rows, w, 1, SMALL, depth);
}

VIF_INLINE void decimate_row(uint16_t *out, const uint16_t *in, unsigned w, unsigned scale)
{
    const VifFilter *filter = &vif_filters[scale];
    const int radius = (int)filter->radius;
    for (size_t x = 0; x < w; x += BLOCK) {
        const uint16_t *centre = in + 2 * x;
        Sums sums = sums_of(1 << 15);
        /* Two taps at a time, at even and at odd distances from the left end of the window. */
#pragma GCC unroll 8
        for (int k = -radius; k <= radius; k += 2) {
            const uint16x8x2_t left = vld2q_u16(centre + k), right = vld2q_u16(centre + k + 16);
            multiply_add(&sums, left.val[0], right.val[0], filter->taps[k < 0 ? -k : k]);
            if (k < radius)
                multiply_add(&sums, left.val[1], right.val[1],
                             filter->taps[k < 0 ? -k - 1 : k + 1]);
        }
        store_words(out + x, sums, 16);
    }
}

/* -- one function for each window -- */

#define COLUMNS_OF_SCALE(out, window, w, depth, scale)                                             \
    filter_columns_of(out, window, w, depth, scale, LARGE)
#define MEANS_OF_SCALE(out, rows, w, depth, scale) filter_means(out, rows, w, scale, LARGE, depth)
VIF_SCALE_FUNCTIONS

void vif_fill_filter_neon(VifFunctions *functions)
{
    *functions = (VifFunctions){
        .product_size = {sizeof(uint16_t), sizeof(uint32_t), sizeof(uint32_t)},
        .multiply = {multiply_bytes, multiply_words, multiply_words},
        .filter_columns =
            {
                {filter_columns_bytes},
                {filter_columns_words},
                {VIF_COLUMNS_OF_SCALES},
            },
        .local_variances = {VIF_VARIANCES_OF_SCALES},
        .decimate_columns =
            {
                {NULL, decimate_columns_bytes},
                {NULL, decimate_columns_words},
                {VIF_MEANS_OF_SCALES},
            },
        .decimate_row = {VIF_ROWS_OF_SCALES},
    };
}
