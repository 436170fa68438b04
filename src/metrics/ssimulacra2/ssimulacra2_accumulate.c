/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/ssimulacra2/ssimulacra2_plan.h"

/*
 * One pass from the top to the bottom of the pictures. Rows of linear RGB enter a scale one after
 * another, which hands their means on to the next scale. When a band of rows is there it is blurred
 * along the rows, then down the columns, one component and moment after another, and the rows that
 * come out are compared. No scale keeps more rows than the blur reaches over.
 */

typedef struct Ssimulacra2Pass {
    const Ssimulacra2Plan *plan;
    const Ssimulacra2Kernels *kernels;
    Ssimulacra2Scratch *scratch;
    VmafRecordSsimulacra2 *record;
} Ssimulacra2Pass;

static float *xyb_row(const Ssimulacra2Rows *rows, unsigned picture, unsigned component, unsigned y)
{
    return rows->xyb[picture][component] + y % SSIMULACRA2_XYB_ROWS * rows->stride;
}

/* -- a band of rows, which begins at row y -- */

/* Transposes it. Rows below the picture are zeros, as are columns beyond it. */
static void gather_band(const Ssimulacra2Pass *pass, unsigned scale, unsigned picture,
                        unsigned component, unsigned y)
{
    const Ssimulacra2Rows *rows = &pass->scratch->scales[scale];
    const unsigned w = pass->plan->sizes.w[scale], h = pass->plan->sizes.h[scale];
    const float *lanes[SSIMULACRA2_LANES];
    for (unsigned i = 0; i < SSIMULACRA2_LANES; i++)
        lanes[i] = y + i < h ? xyb_row(rows, picture, component, y + i) : pass->scratch->zeros;
    float *tile = pass->scratch->tiles[picture];
    pass->kernels->gather(tile, lanes, w);
    memset(tile + (size_t)w * SSIMULACRA2_LANES, 0,
           SSIMULACRA2_BLUR_AHEAD * SSIMULACRA2_LANES * sizeof(*tile));
}

static void blur_moments(const Ssimulacra2Pass *pass, unsigned scale, unsigned component,
                         unsigned y)
{
    static const int factors[SSIMULACRA2_MOMENTS][2] = {
        [SSIMULACRA2_REF] = {SSIMULACRA2_REF},
        [SSIMULACRA2_DIST] = {SSIMULACRA2_DIST},
        [SSIMULACRA2_REF_REF] = {SSIMULACRA2_REF, SSIMULACRA2_REF},
        [SSIMULACRA2_DIST_DIST] = {SSIMULACRA2_DIST, SSIMULACRA2_DIST},
        [SSIMULACRA2_REF_DIST] = {SSIMULACRA2_REF, SSIMULACRA2_DIST},
    };
    const Ssimulacra2Scratch *scratch = pass->scratch;
    const Ssimulacra2Rows *rows = &scratch->scales[scale];
    Ssimulacra2Band band = {
        .w = pass->plan->sizes.w[scale],
        .stride = rows->stride,
        .out_stride = scratch->moments_stride,
    };
    for (unsigned i = 0; i < SSIMULACRA2_LANES; i++)
        band.ring[i] = (y + i) % SSIMULACRA2_BLUR_REACH * rows->stride;
    Ssimulacra2Blur blurs[SSIMULACRA2_MOMENTS];
    for (int m = 0; m < SSIMULACRA2_MOMENTS; m++)
        blurs[m] = (Ssimulacra2Blur){
            .factors = {scratch->tiles[factors[m][0]], scratch->tiles[factors[m][1]]},
            .columns = rows->columns[component][m],
            .out = scratch->moments[m],
        };
    for (unsigned picture = 0; picture < 2; picture++)
        gather_band(pass, scale, picture, component, y);
    pass->kernels->blur_means(blurs, SSIMULACRA2_REF_REF, &band);
    if (pass->plan->work[component][scale].ssim)
        pass->kernels->blur_products(blurs + SSIMULACRA2_REF_REF,
                                     SSIMULACRA2_MOMENTS - SSIMULACRA2_REF_REF, &band);
}

/* Row y of the picture, which came out of the columns as row i of the band. */
static void compare_row(const Ssimulacra2Pass *pass, unsigned scale, unsigned component, unsigned y,
                        unsigned i)
{
    const Ssimulacra2Scratch *scratch = pass->scratch;
    const Ssimulacra2Rows *rows = &scratch->scales[scale];
    const Ssimulacra2Work work = pass->plan->work[component][scale];
    const unsigned w = pass->plan->sizes.w[scale];
    double *sums = pass->record->sum[component][scale];
    const float *moments[SSIMULACRA2_MOMENTS];
    for (int m = 0; m < SSIMULACRA2_MOMENTS; m++)
        moments[m] = scratch->moments[m] + i * scratch->moments_stride;
    if (work.ssim)
        pass->kernels->add_ssim(sums, work.norms, moments, w, scratch->maps);
    if (work.edges) {
        const Ssimulacra2Edges edges = {
            .ref = xyb_row(rows, 0, component, y),
            .dist = xyb_row(rows, 1, component, y),
            .ref_mean = moments[SSIMULACRA2_REF],
            .dist_mean = moments[SSIMULACRA2_DIST],
        };
        pass->kernels->add_edges(sums, work.norms, &edges, w, scratch->maps);
    }
}

/* What comes out of the columns lies higher up than the band. */
static void process_band(const Ssimulacra2Pass *pass, unsigned scale)
{
    Ssimulacra2Rows *rows = &pass->scratch->scales[scale];
    const unsigned begin = rows->n_blurred;
    for (unsigned c = 0; c < SSIMULACRA2_COMPONENTS; c++) {
        const Ssimulacra2Work work = pass->plan->work[c][scale];
        if (!work.ssim && !work.edges)
            continue;
        blur_moments(pass, scale, c, begin);
        for (unsigned i = 0; i < SSIMULACRA2_LANES; i++) {
            const unsigned entering = begin + i;
            if (entering >= SSIMULACRA2_BLUR_AHEAD &&
                entering - SSIMULACRA2_BLUR_AHEAD < pass->plan->sizes.h[scale])
                compare_row(pass, scale, c, entering - SSIMULACRA2_BLUR_AHEAD, i);
        }
    }
    rows->n_blurred += SSIMULACRA2_LANES;
}

/* Whole bands as they fill up; at the end, until the last row has come out of the columns. */
static void process_bands(const Ssimulacra2Pass *pass, unsigned scale)
{
    const Ssimulacra2Rows *rows = &pass->scratch->scales[scale];
    const unsigned h = pass->plan->sizes.h[scale];
    if (rows->n_rows < h) {
        if (rows->n_rows % SSIMULACRA2_LANES == 0)
            process_band(pass, scale);
        return;
    }
    while (rows->n_blurred < h + SSIMULACRA2_BLUR_AHEAD)
        process_band(pass, scale);
}

/* -- scales -- */

/* A row of linear RGB of both pictures is in its place. Such rows come in pairs, and their means
 * are a row of the next scale; a last row without a partner counts twice. */
static void row_arrived(const Ssimulacra2Pass *pass, unsigned scale)
{
    for (;; scale++) {
        Ssimulacra2Rows *rows = &pass->scratch->scales[scale];
        const unsigned y = rows->n_rows++;
        const unsigned w = pass->plan->sizes.w[scale];
        const bool is_last = rows->n_rows == pass->plan->sizes.h[scale];
        for (unsigned i = 0; i < 2; i++) {
            float *rgb[3], *xyb[3];
            for (unsigned c = 0; c < 3; c++) {
                rgb[c] = rows->rgb[i][c] + y % 2 * rows->stride;
                xyb[c] = xyb_row(rows, i, c, y);
            }
            pass->kernels->xyb(xyb, rgb, w);
        }
        process_bands(pass, scale);
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
            for (int i = 0; i < SSIMULACRA2_MOMENTS && rows->columns[c][i]; i++)
                memset(rows->columns[c][i], 0, rows->columns_size);
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
