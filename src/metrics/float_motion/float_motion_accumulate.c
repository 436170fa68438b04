/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "metrics/common/mirror.h"
#include "metrics/common/row_sums.h"
#include "metrics/common/rows.h"
#include "metrics/float_motion/float_motion.h"
#include "metrics/float_motion/float_motion_kernels.h"
#include "support/memory.h"

/*
 * Both frames are filtered row by row, first down the columns, then along the row, each output as a
 * sum in the order of its taps; a row of differences is summed from left to right, together with
 * its neighbours. Filtered rows are kept only as long as the reduced picture needs two of them.
 */

enum {
    MARGIN = 16,       /* samples of room on both sides of a row */
    SOURCE_RING = 8,   /* rows of samples, at least 2 FLOAT_MOTION_MAX_RADIUS + 1 */
    FILTERED_RING = 2, /* filtered rows */
    PICTURES = 2,
    SCALES = 2,
};

typedef struct FloatMotionPlan {
    PictureFormat format;
    float to_8bit;
    const FloatMotionKernels *kernels;
    const FloatMotionBlocks *blocks;
    unsigned n_variants;
    const FloatMotionOptions *variants[];
} FloatMotionPlan;

/* Rows of differences of one width that wait to be summed, and where their sums go. */
typedef struct DifferenceRows {
    unsigned n;
    float *rows[ROW_SUMS];
    float *sums[ROW_SUMS];
} DifferenceRows;

typedef struct FloatMotionScratch {
    float *source[PICTURES][SOURCE_RING];
    float *filtered[PICTURES][FILTERED_RING];
    float *columns; /* one row after the vertical filter, with mirrored ends */
    float *reduced[PICTURES];
    DifferenceRows differences[SCALES];
    float rows[];
} FloatMotionScratch;

int float_motion_plan_create(void **out, const PictureFormat *format, const void *const variants[],
                             unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(variants[0]), &size) ||
        !size_add(size, sizeof(FloatMotionPlan), &size))
        return -ENOMEM;
    FloatMotionPlan *plan = memory_alloc(1, size);
    if (!plan)
        return -ENOMEM;
    plan->format = *format;
    plan->to_8bit = 1.0f / (float)(1u << (format->bpc - 8));
    plan->kernels = float_motion_kernels(cpu_flags);
    plan->blocks = float_motion_blocks(cpu_flags);
    plan->n_variants = n_variants;
    for (unsigned i = 0; i < n_variants; i++)
        plan->variants[i] = variants[i];
    *out = plan;
    return 0;
}

int float_motion_scratch_create(void **out, const void *opaque)
{
    const FloatMotionPlan *plan = opaque;
    enum { N_ROWS = PICTURES * (SOURCE_RING + FILTERED_RING + 1) + 1 + SCALES * ROW_SUMS };
    const size_t stride = size_round_up((size_t)plan->format.w[0] + 2 * MARGIN, MARGIN);
    size_t size;
    if (!size_mul(stride, N_ROWS * sizeof(float), &size) ||
        !size_add(size, sizeof(FloatMotionScratch), &size))
        return -ENOMEM;
    FloatMotionScratch *scratch = memory_alloc(1, size);
    if (!scratch)
        return -ENOMEM;
    float *row = scratch->rows + MARGIN;
    scratch->columns = row;
    for (int s = 0; s < SCALES; s++) {
        scratch->differences[s].n = 0;
        for (int i = 0; i < ROW_SUMS; i++)
            scratch->differences[s].rows[i] = row += stride;
    }
    for (int p = 0; p < PICTURES; p++) {
        for (int i = 0; i < SOURCE_RING; i++)
            scratch->source[p][i] = row += stride;
        for (int i = 0; i < FILTERED_RING; i++)
            scratch->filtered[p][i] = row += stride;
        scratch->reduced[p] = row += stride;
    }
    *out = scratch;
    return 0;
}

/* One plane of two frames in work. */
typedef struct PlanePass {
    const FloatMotionPlan *plan;
    FloatMotionScratch *scratch;
    const VmafPicture *pictures[PICTURES];
    unsigned plane, w, h;
    const float *taps;
    int radius;
    unsigned next_source; /* row that enters the ring next */
} PlanePass;

static const void *sample_row(const PlanePass *pass, int picture, unsigned y)
{
    const VmafPicture *pic = pass->pictures[picture];
    return (const char *)pic->data[pass->plane] + (ptrdiff_t)y * pic->stride[pass->plane];
}

/* -- blocks of rows, for which nothing is kept -- */

/* Rows y to y + n_rows - 1; of those beyond the plane, anything. */
static FloatMotionBlock block_at(const PlanePass *pass, unsigned y, unsigned n_rows)
{
    FloatMotionBlock block = {
        .w = pass->w,
        .deep = pass->plan->format.bpc > 8,
        .factor = pass->plan->to_8bit,
        .taps = pass->taps,
        .n_taps = 2 * pass->radius + 1,
    };
    for (int picture = 0; picture < PICTURES; picture++) {
        for (int r = 0; r < (int)n_rows + 2 * pass->radius; r++)
            block.rows[picture][r] =
                sample_row(pass, picture, mirror_whole_sample((int)y + r - pass->radius, pass->h));
        for (unsigned r = 0; r < n_rows; r++) {
            const unsigned next = y + n_rows + (unsigned)pass->radius + r;
            block.next[picture][r] = sample_row(pass, picture, next < pass->h ? next : pass->h - 1);
        }
    }
    return block;
}

/* Then all differences are zero. */
static bool is_still(const PlanePass *pass, const FloatMotionBlock *block, unsigned n_rows)
{
    const size_t size = pass->w * (block->deep ? sizeof(uint16_t) : sizeof(uint8_t));
    for (unsigned r = 0; r < n_rows + 2 * (unsigned)pass->radius; r++)
        if (memcmp(block->rows[0][r], block->rows[1][r], size) != 0)
            return false;
    return true;
}

static void accumulate_blocks(const PlanePass *pass, RowBand rows, float *record)
{
    const FloatMotionBlocks *blocks = pass->plan->blocks;
    for (unsigned y = rows.begin; y < rows.end; y += blocks->n_rows) {
        const FloatMotionBlock block = block_at(pass, y, blocks->n_rows);
        float sums[FLOAT_MOTION_BLOCK_ROWS];
        if (is_still(pass, &block, blocks->n_rows))
            continue;
        blocks->sum_rows(&block, sums);
        for (unsigned i = 0; i < blocks->n_rows && y + i < rows.end; i++)
            record[y + i] += sums[i];
    }
}

/* -- rows one by one -- */

static void load_row(const PlanePass *pass, int picture, unsigned y)
{
    pass->plan->kernels->load(sample_row(pass, picture, y), pass->plan->format.bpc > 8,
                              pass->plan->to_8bit, pass->scratch->source[picture][y % SOURCE_RING],
                              pass->w);
}

static void filter_columns(const PlanePass *pass, int picture, unsigned y)
{
    const float *rows[2 * FLOAT_MOTION_MAX_RADIUS + 1];
    for (int k = -pass->radius; k <= pass->radius; k++)
        rows[k + pass->radius] =
            pass->scratch->source[picture][mirror_whole_sample((int)y + k, pass->h) % SOURCE_RING];
    float *out = pass->scratch->columns;
    pass->plan->kernels->filter_columns(rows, pass->taps, 2 * pass->radius + 1, out, pass->w);
    for (int k = 1; k <= pass->radius; k++) {
        out[-k] = out[mirror_whole_sample(-k, pass->w)];
        out[(int)pass->w - 1 + k] = out[mirror_whole_sample((int)pass->w - 1 + k, pass->w)];
    }
}

/* The filtered row y of one picture. */
static const float *filtered_row(const PlanePass *pass, int picture, unsigned y)
{
    if (!pass->radius)
        return pass->scratch->source[picture][y % SOURCE_RING];
    return pass->scratch->filtered[picture][y % FILTERED_RING];
}

static void make_row(PlanePass *pass, unsigned y)
{
    for (; pass->next_source < pass->h && pass->next_source <= y + (unsigned)pass->radius;
         pass->next_source++)
        for (int p = 0; p < PICTURES; p++)
            load_row(pass, p, pass->next_source);
    for (int p = 0; p < PICTURES && pass->radius; p++) {
        filter_columns(pass, p, y);
        pass->plan->kernels->filter_row(pass->scratch->columns, pass->taps, 2 * pass->radius + 1,
                                        pass->scratch->filtered[p][y % FILTERED_RING], pass->w);
    }
}

static void sum_differences(DifferenceRows *differences, unsigned w)
{
    float sums[ROW_SUMS];
    if (differences->n)
        row_sums_f32((const float *const *)differences->rows, w, sums);
    for (unsigned i = 0; i < differences->n; i++)
        *differences->sums[i] += sums[i];
    differences->n = 0;
}

static void add_difference(const PlanePass *pass, int scale, const float *a, const float *b,
                           unsigned w, float *sum)
{
    DifferenceRows *differences = &pass->scratch->differences[scale];
    pass->plan->kernels->differences(a, b, differences->rows[differences->n], w);
    differences->sums[differences->n++] = sum;
    if (differences->n == ROW_SUMS)
        sum_differences(differences, w);
}

static void reduce_row(const PlanePass *pass, int picture, const FloatMotionPlace *row,
                       unsigned w_reduced)
{
    const float *above = filtered_row(pass, picture, row->first);
    const float *below = filtered_row(pass, picture, row->second);
    float *out = pass->scratch->reduced[picture];
    const float dy = row->fraction;
    for (unsigned x = 0; x < w_reduced; x++) {
        const FloatMotionPlace column = float_motion_place(x, pass->w, w_reduced);
        const float dx = column.fraction;
        const float a = ((1 - dy) * (1 - dx)) * above[column.first];
        const float b = ((1 - dy) * dx) * above[column.second];
        const float c = (dy * (1 - dx)) * below[column.first];
        const float d = (dy * dx) * below[column.second];
        out[x] = ((a + b) + c) + d;
    }
}

static void accumulate_plane(PlanePass *pass, const FloatMotionLayout *layout, RowBand rows,
                             float *record)
{
    const unsigned plane = pass->plane;
    const bool reduce = layout->h[plane][1] > 0;
    if (!reduce && pass->radius && pass->plan->blocks->n_rows) {
        accumulate_blocks(pass, rows, record + layout->offset[plane][0]);
        return;
    }
    /* The first reduced row of the band may need the filtered row before it. */
    const unsigned first = rows.begin && reduce ? rows.begin - 1 : rows.begin;
    pass->next_source = first > (unsigned)pass->radius ? first - (unsigned)pass->radius : 0;
    unsigned next_reduced = 0;
    for (unsigned y = first; y < rows.end; y++) {
        make_row(pass, y);
        if (y >= rows.begin)
            add_difference(pass, 0, filtered_row(pass, 0, y), filtered_row(pass, 1, y), pass->w,
                           &record[layout->offset[plane][0] + y]);
        for (; next_reduced < layout->h[plane][1]; next_reduced++) {
            const FloatMotionPlace place =
                float_motion_place(next_reduced, pass->h, layout->h[plane][1]);
            if (place.second > y)
                break;
            if (place.second < y || y < rows.begin)
                continue;
            for (int p = 0; p < PICTURES; p++)
                reduce_row(pass, p, &place, layout->w[plane][1]);
            add_difference(pass, 1, pass->scratch->reduced[0], pass->scratch->reduced[1],
                           layout->w[plane][1], &record[layout->offset[plane][1] + next_reduced]);
        }
    }
    for (int scale = 0; scale < SCALES; scale++)
        sum_differences(&pass->scratch->differences[scale], layout->w[plane][scale]);
}

int float_motion_accumulate(const void *opaque, void *scratch, const FrameInput *input,
                            RowBand band, void *const records[])
{
    const FloatMotionPlan *plan = opaque;
    if (!input->earlier_ref[0])
        return 0;
    for (unsigned i = 0; i < plan->n_variants; i++) {
        if (!records[i])
            continue;
        const FloatMotionOptions *options = plan->variants[i];
        const FloatMotionLayout layout =
            float_motion_layout(options, plan->format.w, plan->format.h);
        const FloatMotionFilter filter = float_motion_filter(options);
        for (unsigned p = 0; p < layout.n_planes; p++) {
            PlanePass pass = {
                .plan = plan,
                .scratch = scratch,
                .pictures = {input->earlier_ref[0], input->ref},
                .plane = p,
                .w = layout.w[p][0],
                .h = layout.h[p][0],
                .taps = &filter.taps[FLOAT_MOTION_MAX_RADIUS - filter.radius],
                .radius = filter.radius,
            };
            const RowBand rows = {plane_row(&plan->format, p, band.begin),
                                  plane_row(&plan->format, p, band.end)};
            accumulate_plane(&pass, &layout, rows, records[i]);
        }
    }
    return 0;
}
