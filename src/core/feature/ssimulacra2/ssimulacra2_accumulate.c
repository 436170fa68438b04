/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "feature/ssimulacra2/ssimulacra2_plan.h"

/*
 * One pass from the top to the bottom of the pictures. Rows of linear RGB enter a scale one after
 * another, which hands their means on to the next scale. When a band of rows is there it is blurred
 * along the rows, then down the columns, and the rows that come out are compared. No scale keeps
 * more rows than the blur reaches over.
 */

typedef struct Ssimulacra2Pass {
    const Ssimulacra2Plan *plan;
    const Ssimulacra2Kernels *kernels;
    Ssimulacra2Scratch *scratch;
    Ssimulacra2Record *record;
} Ssimulacra2Pass;

static float *ring_row(float *ring, unsigned n_rows, unsigned y, size_t stride)
{
    return ring + y % n_rows * stride;
}

static float *xyb_row(const Ssimulacra2Rows *rows, int picture, unsigned component, unsigned y)
{
    return ring_row(rows->xyb[picture][component], SSIMULACRA2_XYB_ROWS, y, rows->stride);
}

static float *blurred_row(const Ssimulacra2Rows *rows, unsigned component, unsigned moment,
                          unsigned y)
{
    return ring_row(rows->blurred[component][moment], SSIMULACRA2_BLURRED_ROWS, y, rows->stride);
}

/* -- along the rows -- */

/* Transposes the rows of the band that begins at row y. Lanes beyond its end repeat its last. */
static void gather_band(const Ssimulacra2Pass *pass, unsigned scale, int picture,
                        unsigned component, unsigned y, unsigned n)
{
    const Ssimulacra2Rows *rows = &pass->scratch->scales[scale];
    const unsigned w = pass->plan->sizes.w[scale];
    const float *lanes[SSIMULACRA2_LANES];
    for (unsigned i = 0; i < SSIMULACRA2_LANES; i++)
        lanes[i] = xyb_row(rows, picture, component, y + (i < n ? i : n - 1));
    float *tile = pass->scratch->tiles[picture];
    pass->kernels->gather(tile, lanes, w);
    memset(tile + (size_t)w * SSIMULACRA2_LANES, 0,
           SSIMULACRA2_BLUR_AHEAD * SSIMULACRA2_LANES * sizeof(*tile));
}

static void blur_band(const Ssimulacra2Pass *pass, unsigned scale, unsigned component,
                      unsigned moment, unsigned y, unsigned n)
{
    const Ssimulacra2Rows *rows = &pass->scratch->scales[scale];
    const unsigned w = pass->plan->sizes.w[scale];
    float *lanes[SSIMULACRA2_LANES];
    for (unsigned i = 0; i < SSIMULACRA2_LANES; i++)
        lanes[i] = i < n ? blurred_row(rows, component, moment, y + i) : pass->scratch->spare;
    pass->kernels->blur_rows(pass->scratch->blurred_tile, pass->scratch->tiles[moment], w);
    pass->kernels->scatter(lanes, pass->scratch->blurred_tile, w);
}

static void blur_band_moments(const Ssimulacra2Pass *pass, unsigned scale, unsigned component,
                              unsigned n_moments, unsigned y, unsigned n)
{
    static const int factors[SSIMULACRA2_MOMENTS][2] = {
        [SSIMULACRA2_REF_REF] = {SSIMULACRA2_REF, SSIMULACRA2_REF},
        [SSIMULACRA2_DIST_DIST] = {SSIMULACRA2_DIST, SSIMULACRA2_DIST},
        [SSIMULACRA2_REF_DIST] = {SSIMULACRA2_REF, SSIMULACRA2_DIST},
    };
    float *const *tiles = pass->scratch->tiles;
    const unsigned w = pass->plan->sizes.w[scale];
    for (int picture = 0; picture < 2; picture++)
        gather_band(pass, scale, picture, component, y, n);
    for (unsigned m = 0; m < n_moments; m++) {
        if (m >= SSIMULACRA2_REF_REF)
            pass->kernels->multiply(tiles[m], tiles[factors[m][0]], tiles[factors[m][1]],
                                    w + SSIMULACRA2_BLUR_AHEAD);
        blur_band(pass, scale, component, m, y, n);
    }
}

/* -- down the columns -- */

/* Takes row y, blurred along x, into the columns. */
static void enter_row(const Ssimulacra2Pass *pass, unsigned scale, unsigned component,
                      unsigned moment, unsigned y)
{
    const Ssimulacra2Rows *rows = &pass->scratch->scales[scale];
    const float *zeros = pass->scratch->zeros;
    const float *entering =
        y < pass->plan->sizes.h[scale] ? blurred_row(rows, component, moment, y) : zeros;
    const float *leaving = y >= SSIMULACRA2_BLUR_REACH
                               ? blurred_row(rows, component, moment, y - SSIMULACRA2_BLUR_REACH)
                               : zeros;
    Ssimulacra2Sections sections;
    for (unsigned i = 0; i < SSIMULACRA2_BLUR_SECTIONS; i++) {
        float *pair = rows->sections[component][moment] + 2 * i * rows->stride;
        sections.last[i] = pair + y % 2 * rows->stride;
        sections.older[i] = pair + (y + 1) % 2 * rows->stride;
    }
    pass->kernels->blur_columns(pass->scratch->moments[moment], &sections, entering, leaving,
                                pass->plan->sizes.w[scale]);
}

static void compare_row(const Ssimulacra2Pass *pass, unsigned scale, unsigned component, unsigned y)
{
    const Ssimulacra2Rows *rows = &pass->scratch->scales[scale];
    const Ssimulacra2Work work = pass->plan->work[component][scale];
    const unsigned w = pass->plan->sizes.w[scale];
    const float *const *moments = (const float *const *)pass->scratch->moments;
    double *sums = pass->record->sum[component][scale];
    if (work.ssim)
        pass->kernels->add_ssim(sums, moments, w, pass->scratch->map);
    if (work.edges)
        pass->kernels->add_edges(sums, xyb_row(rows, 0, component, y),
                                 xyb_row(rows, 1, component, y), moments[SSIMULACRA2_REF],
                                 moments[SSIMULACRA2_DIST], w, pass->scratch->map);
}

/* Rows begin to end, blurred along x, go into the columns; rows come out higher up. */
static void blur_columns(const Ssimulacra2Pass *pass, unsigned scale, unsigned component,
                         unsigned n_moments, unsigned begin, unsigned end)
{
    for (unsigned y = begin; y < end; y++) {
        for (unsigned m = 0; m < n_moments; m++)
            enter_row(pass, scale, component, m, y);
        if (y >= SSIMULACRA2_BLUR_AHEAD)
            compare_row(pass, scale, component, y - SSIMULACRA2_BLUR_AHEAD);
    }
}

/* -- scales -- */

static void process_band(const Ssimulacra2Pass *pass, unsigned scale)
{
    Ssimulacra2Rows *rows = &pass->scratch->scales[scale];
    const unsigned begin = rows->n_blurred, end = rows->n_rows;
    const bool is_last = end == pass->plan->sizes.h[scale];
    for (unsigned c = 0; c < SSIMULACRA2_COMPONENTS; c++) {
        const Ssimulacra2Work work = pass->plan->work[c][scale];
        if (!work.ssim && !work.edges)
            continue;
        const unsigned n_moments = work.ssim ? SSIMULACRA2_MOMENTS : SSIMULACRA2_REF_REF;
        blur_band_moments(pass, scale, c, n_moments, begin, end - begin);
        blur_columns(pass, scale, c, n_moments, begin,
                     is_last ? end + SSIMULACRA2_BLUR_AHEAD : end);
    }
    rows->n_blurred = end;
}

/* A row of linear RGB of both pictures is in its place. Such rows come in pairs, and their means
 * are a row of the next scale; a last row without a partner counts twice. */
static void row_arrived(const Ssimulacra2Pass *pass, unsigned scale)
{
    for (;; scale++) {
        Ssimulacra2Rows *rows = &pass->scratch->scales[scale];
        const unsigned y = rows->n_rows++;
        const unsigned w = pass->plan->sizes.w[scale];
        const bool is_last = rows->n_rows == pass->plan->sizes.h[scale];
        for (int i = 0; i < 2; i++) {
            float *rgb[3], *xyb[3];
            for (unsigned c = 0; c < 3; c++) {
                rgb[c] = rows->rgb[i][c] + y % 2 * rows->stride;
                xyb[c] = xyb_row(rows, i, c, y);
            }
            pass->kernels->xyb(xyb, rgb, w);
        }
        if (rows->n_rows % SSIMULACRA2_LANES == 0 || is_last)
            process_band(pass, scale);
        if (scale + 1 == pass->plan->sizes.n_scales || (y % 2 == 0 && !is_last))
            return;

        const Ssimulacra2Rows *next = &pass->scratch->scales[scale + 1];
        for (int i = 0; i < 2; i++) {
            for (int c = 0; c < 3; c++) {
                const float *top = rows->rgb[i][c];
                pass->kernels->halve(next->rgb[i][c] + next->n_rows % 2 * next->stride, top,
                                     top + y % 2 * rows->stride, w);
            }
        }
    }
}

static const void *plane_row(const VmafPicture *picture, int plane, unsigned y)
{
    return (const char *)picture->data[plane] + (ptrdiff_t)y * picture->stride[plane];
}

/* Nearest neighbours: chroma is neither interpolated nor aligned. */
static unsigned chroma_row(const PictureFormat *format, unsigned y)
{
    return (unsigned)((uint64_t)y * format->h[1] / format->h[0]);
}

static void accumulate_variant(const Ssimulacra2Pass *pass, const Ssimulacra2Conversion *conversion,
                               const VmafPicture *const pictures[2])
{
    const PictureFormat *format = &pass->plan->format;
    const int type = format->bpc == 8 ? SSIMULACRA2_BYTES : SSIMULACRA2_WORDS;
    const unsigned w = format->w[0], h = format->h[0];
    const Ssimulacra2Rows *rows = &pass->scratch->scales[0];
    for (unsigned y = 0; y < h; y++) {
        const unsigned chroma_y = chroma_row(format, y);
        const bool is_new = y == 0 || chroma_y != chroma_row(format, y - 1);
        for (int i = 0; i < 2; i++) {
            float *const *chroma = pass->scratch->chroma[i];
            for (int plane = 1; plane < 3 && is_new; plane++)
                pass->kernels->chroma[type](chroma[plane - 1],
                                            plane_row(pictures[i], plane, chroma_y),
                                            pass->plan->chroma_columns, w, conversion);
            float *rgb[3];
            for (int c = 0; c < 3; c++)
                rgb[c] = rows->rgb[i][c] + y % 2 * rows->stride;
            pass->kernels->linear_rgb[type](rgb, plane_row(pictures[i], 0, y), chroma[0], chroma[1],
                                            w, conversion, pass->plan->transfer);
        }
        row_arrived(pass, 0);
    }
}

static void start(const Ssimulacra2Pass *pass)
{
    for (unsigned s = 0; s < pass->plan->sizes.n_scales; s++) {
        Ssimulacra2Rows *rows = &pass->scratch->scales[s];
        rows->n_rows = rows->n_blurred = 0;
        for (int c = 0; c < SSIMULACRA2_COMPONENTS; c++) {
            for (int i = 0; i < SSIMULACRA2_MOMENTS && rows->sections[c][i]; i++)
                memset(rows->sections[c][i], 0, rows->sections_size);
        }
    }
}

void ssimulacra2_accumulate(const Ssimulacra2Plan *plan, Ssimulacra2Scratch *scratch,
                            const VmafPicture *const pictures[2], void *const records[])
{
    if (!plan->sizes.n_scales)
        return;
    for (unsigned i = 0; i < plan->n_variants; i++) {
        if (!records[i])
            continue;
        const Ssimulacra2Pass pass = {plan, &plan->kernels, scratch, records[i]};
        start(&pass);
        accumulate_variant(&pass, &plan->variants[i], pictures);
    }
}
