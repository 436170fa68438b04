/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "thumbnail.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

ThumbnailSize thumbnail_size(unsigned width, unsigned height, unsigned longest)
{
    const unsigned side = width > height ? width : height;
    if (side <= longest)
        return (ThumbnailSize){width, height};
    const unsigned w = (unsigned)((width * 1ull * longest + side / 2) / side);
    const unsigned h = (unsigned)((height * 1ull * longest + side / 2) / side);
    return (ThumbnailSize){w ? w : 1, h ? h : 1};
}

/* The samples of a plane that a place of the thumbnail stands for: at least one. */
typedef struct Range {
    unsigned first, end;
} Range;

static Range range_of(unsigned place, unsigned places, unsigned samples)
{
    const unsigned first = (unsigned)(place * 1ull * samples / places);
    const unsigned end = (unsigned)((place + 1ull) * samples / places);
    return (Range){first, end > first ? end : first + 1};
}

static const void *row_of(const VmafPicture *picture, unsigned plane, unsigned y)
{
    return (const char *)picture->data[plane] + (ptrdiff_t)y * picture->stride[plane];
}

/* Sums of the columns of some rows. Kept apart from the sums of areas, since it is fast. */
static void sum_columns(uint32_t *columns, const VmafPicture *picture, unsigned plane, Range rows)
{
    const unsigned width = picture->w[plane];
    memset(columns, 0, width * sizeof(*columns));
    for (unsigned y = rows.first; y < rows.end; y++) {
        const void *row = row_of(picture, plane, y);
        for (unsigned x = 0; x < width && picture->bpc > 8; x++)
            columns[x] += ((const uint16_t *)row)[x];
        for (unsigned x = 0; x < width && picture->bpc <= 8; x++)
            columns[x] += ((const uint8_t *)row)[x];
    }
}

/* Means of the areas of a row of the thumbnail, in values of 8 bits. */
static void put_means(float *means, uint32_t *columns, const VmafPicture *picture, unsigned plane,
                      ThumbnailSize size, unsigned y)
{
    const Range rows = range_of(y, size.height, picture->h[plane]);
    const float scale = 1.0f / (float)(1u << (picture->bpc - 8)) / (float)(rows.end - rows.first);
    sum_columns(columns, picture, plane, rows);
    for (unsigned x = 0; x < size.width; x++) {
        const Range area = range_of(x, size.width, picture->w[plane]);
        uint64_t sum = 0;
        for (unsigned i = area.first; i < area.end; i++)
            sum += columns[i];
        means[x] = (float)sum * scale / (float)(area.end - area.first);
    }
}

static uint8_t clamp(float value)
{
    return value <= 0 ? 0 : value >= 255 ? 255 : (uint8_t)(value + 0.5f);
}

/* Rec. ITU-R BT.709-6, item 3: Kr 0.2126, Kb 0.0722; limited range. */
static void put_rgb(uint8_t rgb[3], float luma, float cb, float cr)
{
    const float y = (luma - 16) * (255.0f / 219), b = (cb - 128) * (255.0f / 224),
                r = (cr - 128) * (255.0f / 224);
    rgb[0] = clamp(y + 1.5748f * r);
    rgb[1] = clamp(y - 0.1873f * b - 0.4681f * r);
    rgb[2] = clamp(y + 1.8556f * b);
}

int thumbnail_make(uint8_t *rgb, ThumbnailSize size, const VmafPicture *picture)
{
    const bool has_chroma = picture->pix_fmt != VMAF_PIX_FMT_YUV400P && picture->data[1] &&
                            picture->data[2] && picture->w[1] && picture->h[1];
    uint32_t *columns = malloc(picture->w[0] * sizeof(*columns));
    float *means = malloc(3 * size.width * sizeof(*means));
    const bool is_made = columns && means;
    for (unsigned i = 0; is_made && i < 3 * size.width; i++)
        means[i] = 128; /* no colour */
    for (unsigned y = 0; is_made && y < size.height; y++) {
        for (unsigned p = 0; p < (has_chroma ? 3 : 1); p++)
            put_means(means + p * size.width, columns, picture, p, size, y);
        for (unsigned x = 0; x < size.width; x++, rgb += 3)
            put_rgb(rgb, means[x], means[size.width + x], means[2 * size.width + x]);
    }
    free(columns);
    free(means);
    return is_made ? 0 : -ENOMEM;
}

/* -- difference -- */

/* Colours from 0 to 255, and between them. */
static void put_heat(uint8_t rgb[3], float value)
{
    static const float stops[][3] = {{0, 0, 0},     {66, 10, 104},  {147, 38, 103},
                                     {221, 81, 58}, {252, 165, 10}, {252, 255, 164}};
    enum { LAST = sizeof(stops) / sizeof(stops[0]) - 1 };
    const float place = (value >= 255 ? 255 : value) * LAST / 255;
    const unsigned below = place >= LAST ? LAST - 1 : (unsigned)place;
    for (unsigned c = 0; c < 3; c++)
        rgb[c] = clamp(stops[below][c] +
                       (stops[below + 1][c] - stops[below][c]) * (place - (float)below));
}

static unsigned sample(const void *row, unsigned x, bool is_wide)
{
    return is_wide ? ((const uint16_t *)row)[x] : ((const uint8_t *)row)[x];
}

static void add_differences(uint64_t *sums, ThumbnailSize size, const VmafPicture *reference,
                            const VmafPicture *distorted, unsigned y)
{
    const void *a = row_of(reference, 0, y), *b = row_of(distorted, 0, y);
    const bool is_wide = reference->bpc > 8;
    for (unsigned x = 0; x < size.width; x++) {
        const Range columns = range_of(x, size.width, reference->w[0]);
        for (unsigned i = columns.first; i < columns.end; i++) {
            const unsigned p = sample(a, i, is_wide), q = sample(b, i, is_wide);
            sums[x] += p > q ? p - q : q - p;
        }
    }
}

int thumbnail_of_difference(uint8_t *rgb, ThumbnailSize size, const VmafPicture *reference,
                            const VmafPicture *distorted)
{
    uint64_t *sums = malloc(size.width * sizeof(*sums));
    if (!sums)
        return -ENOMEM;
    for (unsigned y = 0; y < size.height; y++) {
        const Range rows = range_of(y, size.height, reference->h[0]);
        memset(sums, 0, size.width * sizeof(*sums));
        for (unsigned row = rows.first; row < rows.end; row++)
            add_differences(sums, size, reference, distorted, row);
        for (unsigned x = 0; x < size.width; x++, rgb += 3) {
            const Range columns = range_of(x, size.width, reference->w[0]);
            const float area =
                (float)(rows.end - rows.first) * (float)(columns.end - columns.first);
            put_heat(rgb,
                     DIFFERENCE_GAIN * (float)sums[x] / area / (float)(1u << (reference->bpc - 8)));
        }
    }
    free(sums);
    return 0;
}
