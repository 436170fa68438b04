/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The similarity of a pixel as kernels compute it, as plain C, against the library. */
#include <string.h>

#include "random_numbers.h"
#include "support/cases.h"

#define KERNEL_NAME ssim_similarity
#define WX          1
#define WY          1
#include "dialect/kernel.h"

#include "metrics/ssim/similarity.kernel.h"
#include "metrics/ssim/ssim_internal.h"

enum { CASES = 100000, WINDOW = 9 };

static IntegerSsimFunctions library;

static uint32_t scrambled(void)
{
    return (uint32_t)(random_bits() * 0x9E3779B97F4A7C15u >> 32);
}

static f64 bits(double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof(word));
    return f64_of_bits(word);
}

static void check(const ssim_sums *sums, unsigned column_weight, unsigned row_weight,
                  unsigned depth)
{
    const double moments[SSIM_SUMS] = {
        [SSIM_SUM_REF] = (double)sums->ref,
        [SSIM_SUM_DIST] = (double)sums->dist,
        [SSIM_SUM_REF_REF] = (double)sums->ref_ref,
        [SSIM_SUM_DIST_DIST] = (double)sums->dist_dist,
        [SSIM_SUM_REF_DIST] = (double)sums->ref_dist,
    };
    const double *rows[SSIM_SUMS];
    for (int m = 0; m < SSIM_SUMS; m++)
        rows[m] = &moments[m];
    const double weight = column_weight;
    const SsimConstants constants = ssim_constants(depth);
    double expected;
    library.similarity(&expected, rows, &weight, row_weight, &constants, 1);

    const f64 whole = rounded_product(sums->weight, 1);
    const f64 actual =
        weighted_similarity(*sums, mul_f64(mul_f64(bits(constants.c1), whole), whole),
                            mul_f64(mul_f64(bits(constants.c2), whole), whole));
    if (actual != bits(expected))
        fail_msg("%u bits, sums %llu, %llu, %llu, %llu, %llu, weight %llu: %016llx, not %a", depth,
                 (unsigned long long)sums->ref, (unsigned long long)sums->dist,
                 (unsigned long long)sums->ref_ref, (unsigned long long)sums->dist_dist,
                 (unsigned long long)sums->ref_dist, (unsigned long long)sums->weight,
                 (unsigned long long)bits_of_f64(actual), expected);
}

/* Samples of a window; those outside the picture have no weight. */
static void check_window(unsigned depth, unsigned most, unsigned dist_noise)
{
    static const unsigned taps[WINDOW] = {2, 9, 28, 55, 68, 55, 28, 9, 2};
    const unsigned left = scrambled() % 3 ? 0 : scrambled() % 5,
                   top = scrambled() % 3 ? 0 : scrambled() % 5;
    const uint32_t base = scrambled() % (most + 1), spread = scrambled() % (most + 1);
    ssim_sums sums = {0};
    unsigned column_weight = 0, row_weight = 0;
    for (unsigned y = top; y < WINDOW; y++) {
        row_weight += taps[y];
        for (unsigned x = left; x < WINDOW; x++) {
            column_weight += y == top ? taps[x] : 0;
            const uint64_t weight = taps[x] * taps[y];
            const uint64_t sample = base + scrambled() % (spread + 1),
                           error = scrambled() % dist_noise;
            const uint64_t r = sample < most ? sample : most;
            const uint64_t d = scrambled() & 1    ? r - (error < r ? error : r)
                               : r + error < most ? r + error
                                                  : most;
            sums.ref += weight * r;
            sums.dist += weight * d;
            sums.ref_ref += weight * r * r;
            sums.dist_dist += weight * d * d;
            sums.ref_dist += weight * r * d;
        }
    }
    sums.weight = (uint64_t)column_weight * row_weight;
    check(&sums, column_weight, row_weight, depth);
}

CASE(given_windows_of_any_depth_then_similarities_are_those_of_the_library)
{
    for (unsigned depth = 8; depth <= 16; depth++) {
        const unsigned peak = (1u << depth) - 1;
        for (unsigned i = 0; i < CASES; i++)
            check_window(depth, peak, i % 4 == 0 ? 1 : i % 4 == 1 ? 4 : i % 4 == 2 ? 40 : peak);
    }
}

CASE(given_samples_above_the_nominal_depth_then_similarities_are_those_of_the_library)
{
    for (unsigned depth = 9; depth <= 15; depth++) {
        for (unsigned i = 0; i < CASES / 10; i++)
            check_window(depth, 65535, i % 2 ? 65535 : 2);
    }
}

CASE(given_extreme_windows_then_similarities_are_those_of_the_library)
{
    for (unsigned depth = 8; depth <= 16; depth++) {
        const uint64_t peaks[] = {0, 1, (1u << depth) - 1, 65535};
        for (unsigned r = 0; r < 4; r++) {
            for (unsigned d = 0; d < 4; d++) {
                const uint64_t ref = peaks[r], dist = peaks[d], w = 65536;
                const ssim_sums flat = {ref * w,         dist * w,       ref * ref * w,
                                        dist * dist * w, ref * dist * w, w};
                check(&flat, 256, 256, depth);
                const ssim_sums corner = {ref * 25921,        dist * 25921,
                                          ref * ref * 25921,  dist * dist * 25921,
                                          ref * dist * 25921, 25921};
                check(&corner, 161, 161, depth);
            }
        }
    }
}

int main(int argc, char **argv)
{
    integer_ssim_functions_init(&library, 0);
    return run_cases(argc, argv);
}
