/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "example.h"

#include <string.h>

/*
 * The arithmetic of the records, in integers, exactly as libvmaf defines it (docs/metrics). A sum
 * of integers does not depend on the order of its terms, so any fast way will do: the plain loops
 * here, vectors, or thousands of threads of a GPU.
 *
 * Samples above the bit depth are not masked: the types are wide enough for all 16 bits.
 */

/* Filter of motion: a Gaussian of sigma about 1 with 16 fractional bits. */
static const int64_t taps[2 * MOTION_RADIUS + 1] = {3571, 16004, 26386, 16004, 3571};

static const uint8_t *row_of(const Plane *plane, uint32_t y)
{
    return plane->data + y * plane->stride;
}

static inline int32_t sample(const uint8_t *row, uint32_t x, bool deep)
{
    if (!deep)
        return row[x];
    uint16_t value;
    memcpy(&value, row + 2 * (size_t)x, sizeof(value)); /* rows need not be aligned */
    return value;
}

uint64_t sum_of_squared_differences(const Plane *a, const Plane *b)
{
    uint64_t sum = 0;
    for (uint32_t y = 0; y < a->h; y++) {
        const uint8_t *row_a = row_of(a, y), *row_b = row_of(b, y);
        for (uint32_t x = 0; x < a->w; x++) {
            const int64_t d = sample(row_a, x, a->deep) - sample(row_b, x, b->deep);
            sum += (uint64_t)(d * d);
        }
    }
    return sum;
}

uint64_t sum_of_absolute_differences(const Plane *a, const Plane *b)
{
    uint64_t sum = 0;
    for (uint32_t y = 0; y < a->h; y++) {
        const uint8_t *row_a = row_of(a, y), *row_b = row_of(b, y);
        for (uint32_t x = 0; x < a->w; x++) {
            const int32_t d = sample(row_a, x, a->deep) - sample(row_b, x, b->deep);
            sum += (uint64_t)(d < 0 ? -d : d);
        }
    }
    return sum;
}

/* Mirrors a coordinate at the border samples, which are not repeated. */
static uint32_t mirror(int64_t i, uint32_t n)
{
    if (i < 0)
        i = -i;
    if (i >= n)
        i = 2 * (int64_t)n - 2 - i;
    return (uint32_t)i;
}

/* Filters row y of the difference of two pictures vertically; halves are rounded up. Negative sums
 * rely on an arithmetic shift, which every compiler provides. */
static void filter_vertically(const Plane *earlier, const Plane *current, uint32_t y,
                              uint32_t depth, int32_t *out)
{
    const uint8_t *rows_earlier[2 * MOTION_RADIUS + 1], *rows_current[2 * MOTION_RADIUS + 1];
    for (int k = -MOTION_RADIUS; k <= MOTION_RADIUS; k++) {
        const uint32_t inside = mirror((int64_t)y + k, current->h);
        rows_earlier[k + MOTION_RADIUS] = row_of(earlier, inside);
        rows_current[k + MOTION_RADIUS] = row_of(current, inside);
    }
    for (uint32_t x = 0; x < current->w; x++) {
        int64_t sum = (int64_t)1 << (depth - 1);
        for (int k = 0; k <= 2 * MOTION_RADIUS; k++)
            sum += taps[k] * (sample(rows_earlier[k], x, earlier->deep) -
                              sample(rows_current[k], x, current->deep));
        out[x] = (int32_t)(sum >> depth);
    }
}

/* Filters a row horizontally and returns the sum of the absolute values. */
static uint64_t filter_horizontally(const int32_t *row, uint32_t w)
{
    uint64_t sad = 0;
    for (uint32_t x = 0; x < w; x++) {
        int64_t sum = 1 << 15;
        for (int k = 0; k <= 2 * MOTION_RADIUS; k++)
            sum += taps[k] * row[(int64_t)x + k - MOTION_RADIUS];
        const int64_t filtered = sum >> 16;
        sad += (uint64_t)(filtered < 0 ? -filtered : filtered);
    }
    return sad;
}

uint64_t motion_sad(const Plane *earlier, const Plane *current, uint32_t depth, int32_t *row)
{
    const uint32_t w = current->w;
    int32_t *inside = row + MOTION_RADIUS;
    uint64_t sad = 0;
    for (uint32_t y = 0; y < current->h; y++) {
        filter_vertically(earlier, current, y, depth, inside);
        for (int i = 1; i <= MOTION_RADIUS; i++) {
            inside[-i] = inside[i];
            inside[(int64_t)w - 1 + i] = inside[(int64_t)w - 1 - i];
        }
        sad += filter_horizontally(inside, w);
    }
    return sad;
}
