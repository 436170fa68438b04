/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_SSIM_SSIM_NEON_H
#define CORE_FEATURE_FLOAT_SSIM_SSIM_NEON_H

/* ssim_wide.h for NEON, which widens binary32 to binary64 as fast as it shifts: products need no
 * trick, four of them are made at a time, and signs make no difference. */

#include <arm_neon.h>

enum { LANES = 4 };

/* In binary64. */
typedef struct Sums {
    float64x2_t low, high;
} Sums;

/* Compilers would load constants whenever they need them, and put off additions until they need
 * their sums, and run out of registers. */
#define KEEP_IN_REGISTER(v) __asm__ volatile("" : "+w"(v))

static inline Sums widen(float32x4_t v)
{
    return (Sums){vcvt_f64_f32(vget_low_f32(v)), vcvt_high_f64_f32(v)};
}

static inline Sums add(Sums a, Sums b)
{
    return (Sums){vaddq_f64(a.low, b.low), vaddq_f64(a.high, b.high)};
}

static inline Sums load_sums(const double *from)
{
    return (Sums){vld1q_f64(from), vld1q_f64(from + 2)};
}

static inline void store_sums(double *to, Sums sums)
{
    vst1q_f64(to, sums.low);
    vst1q_f64(to + 2, sums.high);
}

/* In binary32. */
static inline void store_rounded(float *to, Sums sums)
{
    vst1q_f32(to, vcvt_high_f32_f64(vcvt_f32_f64(sums.low), sums.high));
}

#endif
