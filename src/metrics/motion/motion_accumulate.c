/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/mirror.h"
#include "metrics/motion/motion.h"
#include "metrics/motion/motion_kernels.h"
#include "support/memory.h"

/* Values before the first column of a row: what kernels may touch, and aligned. */
enum {
    ALIGNED_VALUES = MEMORY_ALIGNMENT / sizeof(int16_t),
    ROW_MARGIN = (MOTION_ROW_MARGIN + ALIGNED_VALUES - 1) / ALIGNED_VALUES * ALIGNED_VALUES,
};

typedef struct MotionPlan {
    unsigned w, h, bpc;
    MotionKernels kernels;
    unsigned n_variants;
    unsigned lags[]; /* of each variant; 0 for one that reads no pixels */
} MotionPlan;

/* The rows of differences that one filtered row depends on, kept by row number modulo their
 * count, with the frame before (lag 1) or the one before that (lag 2). */
typedef struct DifferenceWindow {
    const VmafPicture *earlier; /* NULL: not wanted */
    unsigned next_row;          /* the first one not yet computed */
    MotionRow rows[MOTION_TAPS];
    bool differs[MOTION_TAPS]; /* whether the row has a value that is not zero */
} DifferenceWindow;

typedef struct MotionScratch {
    DifferenceWindow windows[FEATURE_MAX_HISTORY]; /* by lag - 1 */
    MotionRow filtered;                            /* vertically */
    int16_t *values;
} MotionScratch;

int motion_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                       unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(unsigned), &size) ||
        !size_add(size, sizeof(MotionPlan), &size))
        return -ENOMEM;
    MotionPlan *p = memory_alloc_zeroed(1, size);
    if (!p)
        return -ENOMEM;
    p->w = format->w[0];
    p->h = format->h[0];
    p->bpc = format->bpc;
    p->n_variants = n_variants;
    for (unsigned i = 0; i < n_variants; i++) {
        const MotionOptions *options = variants[i];
        p->lags[i] = options->force_zero ? 0 : motion_lag(options);
    }
    motion_kernels_init(&p->kernels, p->bpc, cpu_flags);
    *plan = p;
    return 0;
}

static MotionRow take_row(int16_t **values, size_t pitch)
{
    const MotionRow row = {.high = *values + ROW_MARGIN, .low = *values + pitch + ROW_MARGIN};
    *values += 2 * pitch;
    return row;
}

int motion_scratch_create(void **scratch, const void *plan)
{
    const MotionPlan *p = plan;
    const size_t n_rows = FEATURE_MAX_HISTORY * MOTION_TAPS + 1;
    MotionScratch *s = memory_alloc_zeroed(1, sizeof(*s));
    if (!s)
        return -ENOMEM;
    size_t pitch, n_values;
    if (!size_add(p->w, 2 * ROW_MARGIN + ALIGNED_VALUES - 1, &pitch))
        goto fail;
    pitch -= pitch % ALIGNED_VALUES;
    if (!size_mul(pitch, 2 * n_rows, &n_values))
        goto fail;
    /* Zeroed, because whole vectors reach beyond the last column. */
    s->values = memory_alloc_zeroed(n_values, sizeof(*s->values));
    if (!s->values)
        goto fail;

    int16_t *values = s->values;
    s->filtered = take_row(&values, pitch);
    for (unsigned lag = 1; lag <= FEATURE_MAX_HISTORY; lag++) {
        for (unsigned i = 0; i < MOTION_TAPS; i++)
            s->windows[lag - 1].rows[i] = take_row(&values, pitch);
    }
    *scratch = s;
    return 0;

fail:
    motion_scratch_destroy(s);
    return -ENOMEM;
}

void motion_scratch_destroy(void *scratch)
{
    MotionScratch *s = scratch;
    if (!s)
        return;
    memory_free(s->values);
    memory_free(s);
}

static void mirror_columns(int16_t *values, unsigned w)
{
    for (unsigned i = 1; i <= MOTION_RADIUS; i++) {
        values[-(int)i] = values[i];
        values[w - 1 + i] = values[w - 1 - i];
    }
}

static const void *luma_row(const VmafPicture *pic, unsigned y)
{
    return (const char *)pic->data[0] + (ptrdiff_t)y * pic->stride[0];
}

static void window_start(DifferenceWindow *window, const VmafPicture *earlier, unsigned y)
{
    window->earlier = earlier;
    window->next_row = y > MOTION_RADIUS ? y - MOTION_RADIUS : 0;
}

static void window_read_until(DifferenceWindow *window, const MotionPlan *plan,
                              const VmafPicture *current, unsigned end)
{
    for (unsigned y = window->next_row; y < end; y++) {
        const unsigned i = y % MOTION_TAPS;
        window->differs[i] = plan->kernels.difference(window->rows[i], luma_row(window->earlier, y),
                                                      luma_row(current, y), plan->w);
    }
    if (window->next_row < end)
        window->next_row = end;
}

/* Sum of the absolute values of filtered row y. */
static uint64_t row_sad(DifferenceWindow *window, const MotionPlan *plan, MotionRow filtered,
                        const VmafPicture *current, unsigned y)
{
    const unsigned end = y + MOTION_RADIUS + 1;
    window_read_until(window, plan, current, end < plan->h ? end : plan->h);

    MotionRow rows[MOTION_TAPS];
    bool differs = false;
    for (int k = 0; k < MOTION_TAPS; k++) {
        const unsigned i = mirror_whole_sample((int)y + k - MOTION_RADIUS, plan->h) % MOTION_TAPS;
        rows[k] = window->rows[i];
        differs |= window->differs[i];
    }
    if (!differs)
        return 0;
    const MotionRow row = plan->kernels.vertical(filtered, rows, plan->w, plan->bpc);
    mirror_columns(row.high, plan->w);
    if (row.low)
        mirror_columns(row.low, plan->w);
    return plan->kernels.horizontal_sad(row, plan->w);
}

int motion_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    const MotionPlan *p = plan;
    MotionScratch *s = scratch;
    for (unsigned lag = 1; lag <= FEATURE_MAX_HISTORY; lag++)
        s->windows[lag - 1].earlier = NULL;
    for (unsigned i = 0; i < p->n_variants; i++) {
        const unsigned lag = p->lags[i];
        if (records[i] && lag)
            window_start(&s->windows[lag - 1], input->earlier_ref[lag - 1], band.begin);
    }

    /* Both lags row by row, so that the current picture comes from memory once. */
    uint64_t sad[FEATURE_MAX_HISTORY] = {0};
    for (unsigned y = band.begin; y < band.end; y++) {
        for (unsigned lag = 1; lag <= FEATURE_MAX_HISTORY; lag++) {
            DifferenceWindow *window = &s->windows[lag - 1];
            if (window->earlier)
                sad[lag - 1] += row_sad(window, p, s->filtered, input->ref, y);
        }
    }

    for (unsigned i = 0; i < p->n_variants; i++) {
        VmafRecordMotion *record = records[i];
        if (record && p->lags[i])
            record->sad += sad[p->lags[i] - 1];
    }
    return 0;
}
