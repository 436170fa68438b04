/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ssim/ssim.h"

#include "metrics/ssim/ssim_kernel.h"

static const uint32_t taps[INTEGER_SSIM_RADIUS + 1] = {INTEGER_SSIM_WINDOW};

uint32_t ssim_weight(uint32_t i, uint32_t n)
{
    uint32_t weight = taps[0];
    for (uint32_t distance = 1; distance <= INTEGER_SSIM_RADIUS; distance++) {
        weight += distance <= i ? taps[distance] : 0;
        weight += distance < n - i ? taps[distance] : 0;
    }
    return weight;
}

/* On either side, n - d of n samples have a neighbour at distance d. */
uint64_t ssim_total_weight(uint32_t n)
{
    uint64_t total = (uint64_t)taps[0] * n;
    for (uint32_t distance = 1; distance <= INTEGER_SSIM_RADIUS && distance < n; distance++)
        total += 2 * (uint64_t)taps[distance] * (n - distance);
    return total;
}

SsimConstants ssim_constants(unsigned depth)
{
    const double peak = (1u << depth) - 1;
    return (SsimConstants){peak * peak * (0.01 * 0.01), peak * peak * (0.03 * 0.03)};
}
