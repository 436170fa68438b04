/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "metrics/common/rows.h"
#include "metrics/float_motion/float_motion_internal.h"
#include "simd_check/simd_check.h"
#include "support/memory.h"

enum { MAX_TAPS = 5, MARGIN = MAX_TAPS / 2, VECTOR_COLUMNS = 16, MEASURED_WIDTH = 1920 };

static const float five_taps[] = {0.054488685f, 0.244201342f, 0.402619947f, 0.244201342f,
                                  0.054488685f};

/* Numbers of which few sums are exact. */
static float *random_row(unsigned w, enum SimdGuard guard)
{
    float *row = simd_buffer((w + 2 * MARGIN) * sizeof(float), guard);
    for (unsigned x = 0; x < w + 2 * MARGIN; x++)
        row[x] = (float)(int)(simd_random() % 65536 - 32768) / 259;
    return row + MARGIN;
}

static void compare_width(const FloatMotionFunctions *scalar, const FloatMotionFunctions *vector,
                          unsigned w, enum SimdGuard guard)
{
    const size_t size = w * sizeof(float);
    float *expected = simd_buffer(size, guard), *actual = simd_buffer(size, guard);
    const float *rows[MAX_TAPS];
    for (int i = 0; i < MAX_TAPS; i++)
        rows[i] = random_row(w, guard);
    for (int deep = 0; deep < 2; deep++) {
        void *samples = simd_buffer(deep ? 2 * w : w, guard);
        simd_fill_samples(samples, w, deep ? 16 : 8, SIMD_NOISE);
        simd_case("load, %u columns, deep %d", w, deep);
        scalar->load(samples, deep, deep ? 1.0f / 256 : 1, expected, w);
        vector->load(samples, deep, deep ? 1.0f / 256 : 1, actual, w);
        simd_expect_equal(expected, actual, size);
    }
    for (int n_taps = 3; n_taps <= MAX_TAPS; n_taps += 2) {
        simd_case("columns, %u columns, %d taps", w, n_taps);
        scalar->filter_columns(rows, five_taps, n_taps, expected, w);
        vector->filter_columns(rows, five_taps, n_taps, actual, w);
        simd_expect_equal(expected, actual, size);
        simd_case("row, %u columns, %d taps", w, n_taps);
        scalar->filter_row(rows[0], five_taps, n_taps, expected, w);
        vector->filter_row(rows[0], five_taps, n_taps, actual, w);
        simd_expect_equal(expected, actual, size);
    }
    simd_case("differences, %u columns", w);
    scalar->differences(rows[0], rows[1], expected, w);
    vector->differences(rows[0], rows[1], actual, w);
    simd_expect_equal(expected, actual, size);
}

/* -- blocks of rows -- */

static const float three_taps[] = {0.166378498f, 0.667243004f, 0.166378498f};

/* A row of the block with the functions for rows. */
static float sum_of_row(const FloatMotionBlock *block, int row)
{
    const FloatMotionFunctions *functions = float_motion_functions(0);
    const int radius = block->n_taps / 2, w = (int)block->w;
    float *filtered[2], *terms = simd_buffer(block->w * sizeof(float), SIMD_GUARD_AFTER);
    for (int p = 0; p < 2; p++) {
        const float *rows[MAX_TAPS];
        float *columns = simd_buffer((block->w + 2 * MARGIN) * sizeof(float), SIMD_GUARD_AFTER);
        columns += MARGIN;
        filtered[p] = simd_buffer(block->w * sizeof(float), SIMD_GUARD_AFTER);
        for (int k = 0; k < block->n_taps; k++) {
            float *samples = simd_buffer(block->w * sizeof(float), SIMD_GUARD_AFTER);
            functions->load(block->rows[p][row + k], block->deep, block->factor, samples, block->w);
            rows[k] = samples;
        }
        functions->filter_columns(rows, block->taps, block->n_taps, columns, block->w);
        for (int k = 1; k <= radius; k++) {
            columns[-k] = columns[k];
            columns[w - 1 + k] = columns[w - 1 - k];
        }
        functions->filter_row(columns, block->taps, block->n_taps, filtered[p], block->w);
    }
    functions->differences(filtered[0], filtered[1], terms, block->w);
    float sum = 0;
    for (int x = 0; x < w; x++)
        sum += terms[x];
    return sum;
}

static void compare_block(const FloatMotionBlocks *blocks, unsigned w, unsigned bpc, int n_taps)
{
    const bool deep = bpc > 8;
    FloatMotionBlock block = {
        .w = w,
        .deep = deep,
        .factor = 1.0f / (float)(1u << (bpc - 8)),
        .taps = n_taps == 3 ? three_taps : five_taps,
        .n_taps = n_taps,
    };
    float expected[FLOAT_MOTION_BLOCK_ROWS], actual[FLOAT_MOTION_BLOCK_ROWS];
    for (int p = 0; p < 2; p++)
        for (unsigned r = 0; r < blocks->n_rows + (unsigned)n_taps - 1; r++) {
            void *samples = simd_buffer(deep ? 2 * w : w, SIMD_GUARD_AFTER);
            simd_fill_samples(samples, w, bpc, (enum SimdContent)(simd_random() % SIMD_CONTENTS));
            block.rows[p][r] = block.next[p][r % blocks->n_rows] = samples;
        }
    for (unsigned r = 0; r < blocks->n_rows; r++)
        expected[r] = sum_of_row(&block, (int)r);
    blocks->sum_rows(&block, actual);
    simd_case("block, %u columns, %u bits, %d taps", w, bpc, n_taps);
    simd_expect_equal(expected, actual, blocks->n_rows * sizeof(float));
    simd_free_buffers();
}

static void compare_blocks(unsigned cpu_flags)
{
    static const unsigned depths[] = {8, 10, 12, 16};
    const FloatMotionBlocks *blocks = float_motion_blocks(cpu_flags);
    for (unsigned w = 2; blocks->n_rows && w < 100; w++)
        for (unsigned i = 0; i < 4; i++)
            for (int n_taps = 3; n_taps <= MAX_TAPS; n_taps += 2)
                if (w > (unsigned)n_taps / 2)
                    compare_block(blocks, w, depths[i], n_taps);
}

/* -- whole planes, in bands -- */

enum { MAX_HEIGHT = 70 };

static VmafPicture random_picture(const PictureFormat *format)
{
    VmafPicture pic = {.pix_fmt = format->pix_fmt, .bpc = format->bpc};
    const size_t row = format->w[0] * (format->bpc > 8 ? 2u : 1u);
    pic.data[0] = simd_buffer(row * format->h[0], SIMD_GUARD_AFTER);
    pic.stride[0] = (ptrdiff_t)row;
    simd_fill_samples(pic.data[0], format->w[0] * format->h[0], format->bpc, SIMD_NOISE);
    return pic;
}

/* Rows that both pictures have in common: about as many as a block depends on, or all but a sample.
 */
static void share_rows(const VmafPicture *a, const VmafPicture *b, unsigned h)
{
    const size_t size = (size_t)a->stride[0];
    const unsigned begin = simd_random() % h, left = h - begin;
    const unsigned n = 14 + simd_random() % 16;
    uint8_t *to = (uint8_t *)b->data[0] + begin * size;
    memcpy(to, (const uint8_t *)a->data[0] + begin * size, (n < left ? n : left) * size);
    if (simd_random() % 2)
        to[size - 1 - simd_random() % 2] ^= 1;
}

static void accumulate(const PictureFormat *format, const FloatMotionOptions *options,
                       const FrameInput *input, const unsigned cuts[4], unsigned cpu_flags,
                       float record[MAX_HEIGHT])
{
    void *params, *scratch;
    memset(record, 0, MAX_HEIGHT * sizeof(*record));
    int err = float_motion_extractor.params_create(&params, format, (const void *const[]){options},
                                                   1, cpu_flags);
    if (!err)
        err = float_motion_extractor.scratch_create(&scratch, params);
    for (int i = 0; i < 3 && !err; i++)
        err = float_motion_extractor.accumulate(
            params, scratch, input, (RowBand){cuts[i], cuts[i + 1]}, (void *[]){record});
    simd_case("memory");
    simd_expect_equal_u64(0, (uint64_t)err);
    memory_free(scratch);
    memory_free(params);
}

static void compare_planes(unsigned cpu_flags)
{
    static const unsigned depths[] = {8, 10, 12, 16};
    for (unsigned round = 0; round < 200; round++) {
        PictureFormat format = {.pix_fmt = VMAF_PIX_FMT_YUV400P, .bpc = depths[round % 4]};
        const unsigned h = format.h[0] = 3 + simd_random() % (MAX_HEIGHT - 2);
        format.w[0] = 3 + simd_random() % 80;
        const FloatMotionOptions options = {.motion_filter_size = (int)(round / 4 % 3) * 2 + 1};
        VmafPicture earlier = random_picture(&format), current = random_picture(&format);
        share_rows(&earlier, &current, h);
        const FrameInput input = {.ref = &current, .earlier_ref = {&earlier}};
        const unsigned first = simd_random() % h, second = first + simd_random() % (h - first);
        const unsigned whole[4] = {0, 0, 0, h}, cut[4] = {0, first, second, h};
        float expected[MAX_HEIGHT], actual[MAX_HEIGHT];
        accumulate(&format, &options, &input, whole, 0, expected);
        accumulate(&format, &options, &input, cut, cpu_flags, actual);
        simd_case("%ux%u, %u bits, %d taps, bands from %u and %u", format.w[0], h, format.bpc,
                  options.motion_filter_size, first, second);
        simd_expect_equal(expected, actual, sizeof(actual));
        simd_free_buffers();
    }
}

static void compare(unsigned cpu_flags)
{
    const FloatMotionFunctions *scalar = float_motion_functions(0);
    const FloatMotionFunctions *vector = float_motion_functions(cpu_flags);
    compare_blocks(cpu_flags);
    compare_planes(cpu_flags);
    for (unsigned i = 0, w; (w = simd_width(i, VECTOR_COLUMNS)); i++) {
        for (int guard = 0; guard < SIMD_GUARDS; guard++)
            compare_width(scalar, vector, w, guard);
        simd_free_buffers();
    }
}

typedef struct Call {
    const FloatMotionFunctions *functions;
    const FloatMotionBlocks *blocks;
    FloatMotionBlock block;
    const float *rows[ROW_SUMS];
    const uint8_t *samples;
    float *out;
} Call;

static void call_load(void *opaque)
{
    const Call *call = opaque;
    call->functions->load(call->samples, false, 1, call->out, MEASURED_WIDTH);
}

static void call_filter_columns(void *opaque)
{
    const Call *call = opaque;
    call->functions->filter_columns(call->rows, five_taps, MAX_TAPS, call->out, MEASURED_WIDTH);
}

static void call_filter_row(void *opaque)
{
    const Call *call = opaque;
    call->functions->filter_row(call->rows[0], five_taps, MAX_TAPS, call->out, MEASURED_WIDTH);
}

static void call_differences(void *opaque)
{
    const Call *call = opaque;
    call->functions->differences(call->rows[0], call->rows[1], call->out, MEASURED_WIDTH);
}

static void call_sum_rows(void *opaque)
{
    const Call *call = opaque;
    row_sums_f32(call->rows, MEASURED_WIDTH, call->out);
}

static void call_sum_block(void *opaque)
{
    const Call *call = opaque;
    call->blocks->sum_rows(&call->block, call->out);
}

static void measure_block(Call *call, unsigned cpu_flags)
{
    call->blocks = float_motion_blocks(cpu_flags);
    call->block =
        (FloatMotionBlock){.w = MEASURED_WIDTH, .factor = 1, .taps = five_taps, .n_taps = MAX_TAPS};
    for (int p = 0; p < 2; p++)
        for (int r = 0; r < FLOAT_MOTION_BLOCK_ROWS + MAX_TAPS - 1; r++)
            call->block.rows[p][r] = call->block.next[p][r % FLOAT_MOTION_BLOCK_ROWS] =
                simd_buffer(MEASURED_WIDTH, SIMD_GUARD_AFTER);
    if (call->blocks->n_rows)
        simd_measure("a block, 8 bits", call->blocks->n_rows * MEASURED_WIDTH, call_sum_block,
                     call);
}

static void measure(unsigned cpu_flags)
{
    Call call = {.functions = float_motion_functions(cpu_flags)};
    call.samples = simd_buffer(MEASURED_WIDTH, SIMD_GUARD_AFTER);
    call.out = simd_buffer(MEASURED_WIDTH * sizeof(float), SIMD_GUARD_AFTER);
    measure_block(&call, cpu_flags);
    for (int i = 0; i < ROW_SUMS; i++)
        call.rows[i] = random_row(MEASURED_WIDTH, SIMD_GUARD_AFTER);
    simd_measure("load, 8 bits", MEASURED_WIDTH, call_load, &call);
    simd_measure("columns, 5 taps", MEASURED_WIDTH, call_filter_columns, &call);
    simd_measure("row, 5 taps", MEASURED_WIDTH, call_filter_row, &call);
    simd_measure("differences", MEASURED_WIDTH, call_differences, &call);
    simd_measure("sums of 8 rows", ROW_SUMS * MEASURED_WIDTH, call_sum_rows, &call);
    simd_free_buffers();
}

const SimdCheck check_float_motion = {"float_motion", compare, measure};
