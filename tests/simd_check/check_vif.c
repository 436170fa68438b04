/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/common/rows.h"
#include "metrics/vif/vif_internal.h"
#include "simd_check/simd_check.h"

/*
 * What rows between two steps hold is up to the kernels, so the vertical and horizontal steps are
 * compared as a chain; kernels for pairs of rows, which have all steps in one, with the sums of two
 * rows. Rows of pictures end at a page that cannot be read, other rows as far beyond their last
 * column as the contract says.
 */

enum { VECTOR = 32, N_LIMITS = 3 };

static const double limits[N_LIMITS] = {100, 1, 1.3};
static uint32_t log_bows[VIF_LOG_STEPS];
static const VifGain all_limits = {limits, N_LIMITS, log_bows};

typedef struct Filtered {
    VifColumnMoments columns;
    VifVariances variances;
} Filtered;

static void mirror(uint16_t *row, unsigned w)
{
    for (int k = 1; k <= VIF_MAX_RADIUS; k++) {
        row[-k] = row[mirror_whole_sample(-k, w)];
        row[(int)w - 1 + k] = row[mirror_whole_sample((int)w - 1 + k, w)];
    }
}

/* A row of w columns with room for mirrored ones, and what the contract allows to touch. */
static void *padded_row(unsigned w, size_t element_size)
{
    uint8_t *row = simd_buffer(2 * VIF_PADDING + w * element_size, SIMD_GUARD_AFTER);
    return row + VIF_PADDING;
}

static VifColumnMoments column_rows(unsigned w)
{
    VifColumnMoments columns = {.reference = {.use = REFERENCE_ALONE}};
    for (int i = 0; i < 2; i++)
        columns.mean[i] = padded_row(w, sizeof(uint16_t));
    for (int i = 0; i < VIF_MOMENTS; i++)
        for (int half = 0; half < VIF_HALVES; half++)
            columns.moment[i][half] = padded_row(w, sizeof(uint16_t));
    return columns;
}

static Filtered filtered_row(unsigned w)
{
    Filtered f = {.columns = column_rows(w)};
    f.variances.ref = padded_row(w, sizeof(int32_t));
    f.variances.dist = padded_row(w, sizeof(int32_t));
    f.variances.covariance = padded_row(w, sizeof(int32_t));
    return f;
}

/* Rows of samples under a window, and memory for their products. */
static VifWindow sample_window(unsigned w, unsigned depth, unsigned n_rows, int content,
                               enum SimdGuard guard)
{
    /* The distorted picture has the same content, noise, or the same samples. */
    const unsigned relation = simd_random() % 3;
    VifWindow window;
    const size_t size = w * (depth == 8 ? sizeof(uint8_t) : sizeof(uint16_t));
    for (unsigned row = 0; row < n_rows; row++)
        for (int i = 0; i < 2; i++) {
            void *samples = simd_buffer(size, guard);
            simd_fill_samples(samples, w, depth,
                              i && relation == 1 ? SIMD_NOISE : (enum SimdContent)content);
            window.sample[i][row] = samples;
        }
    for (unsigned row = 0; row < n_rows && relation == 2; row++)
        window.sample[1][row] = window.sample[0][row];
    return window;
}

static void add_products(VifWindow *window, const VifFunctions *functions, unsigned w,
                         unsigned scale, unsigned depth)
{
    const int type = vif_sample_type(depth);
    const unsigned n_rows = 2 * vif_filters[scale].radius + 1;
    for (unsigned row = 0; row < n_rows; row++) {
        void *products[VIF_MOMENTS];
        for (int i = 0; i < VIF_MOMENTS; i++)
            window->product[i][row] = products[i] =
                simd_buffer(w * functions->product_size[type] + VIF_PADDING, SIMD_GUARD_AFTER);
        functions->multiply[type](products, window->sample[0][row], window->sample[1][row], w);
    }
}

static void filter(Filtered *out, const VifWindow *window, const VifFunctions *functions,
                   unsigned w, unsigned scale, unsigned depth)
{
    const int type = vif_sample_type(depth);
    functions->filter_columns[type][scale](&out->columns, window, w, depth);
    for (int i = 0; i < 2; i++)
        mirror(out->columns.mean[i], w);
    for (int i = 0; i < VIF_MOMENTS; i++)
        for (int half = 0; half < VIF_HALVES; half++)
            mirror(out->columns.moment[i][half], w);
    functions->local_variances[scale](&out->variances, &out->columns, w);
}

static void expect_equal_sums(const VifSums *expected, const VifSums *actual)
{
    simd_expect_equal_u64((uint64_t)expected->log_den, (uint64_t)actual->log_den);
    simd_expect_equal_u64((uint64_t)expected->flat_count, (uint64_t)actual->flat_count);
    simd_expect_equal_u64((uint64_t)expected->flat_variance, (uint64_t)actual->flat_variance);
    for (int i = 0; i < N_LIMITS; i++)
        simd_expect_equal_u64((uint64_t)expected->log_num[i], (uint64_t)actual->log_num[i]);
}

static void expect_equal_gain(const VifFunctions *scalar, const VifFunctions *functions,
                              const VifVariances *row, unsigned w)
{
    int64_t log_num[2][N_LIMITS] = {{0}};
    VifSums sums[2] = {{.log_num = log_num[0]}, {.log_num = log_num[1]}};
    VifGain gain = all_limits;
    if (simd_random() % 2)
        gain.n_limits = 1;
    scalar->gain(&sums[0], row, w, &gain);
    functions->gain(&sums[1], row, w, &gain);
    expect_equal_sums(&sums[0], &sums[1]);
}

static void compare_statistics(const VifFunctions *scalar, const VifFunctions *functions,
                               unsigned w, unsigned scale, unsigned depth, int content,
                               enum SimdGuard guard)
{
    simd_case("statistics at scale %u, %u columns, %u bits, content %d", scale, w, depth, content);
    VifWindow window = sample_window(w, depth, 2 * vif_filters[scale].radius + 1, content, guard);
    Filtered expected = filtered_row(w), actual = filtered_row(w);
    add_products(&window, scalar, w, scale, depth);
    filter(&expected, &window, scalar, w, scale, depth);
    add_products(&window, functions, w, scale, depth);
    filter(&actual, &window, functions, w, scale, depth);
    simd_expect_equal(expected.variances.ref, actual.variances.ref, w * sizeof(int32_t));
    simd_expect_equal(expected.variances.dist, actual.variances.dist, w * sizeof(int32_t));
    simd_expect_equal(expected.variances.covariance, actual.variances.covariance,
                      w * sizeof(int32_t));
    simd_case("gain at scale %u, %u columns, %u bits, content %d", scale, w, depth, content);
    expect_equal_gain(scalar, functions, &expected.variances, w);
    simd_free_buffers();
}

/* Row `out` of scale `scale` from a window of the scale before it. */
static void decimate(uint16_t *out, const VifWindow *window, const VifFunctions *functions,
                     unsigned w, unsigned scale, unsigned depth)
{
    uint16_t *columns = padded_row(w, sizeof(uint16_t));
    functions->decimate_columns[vif_sample_type(depth)][scale](columns, window->sample[0], w,
                                                               depth);
    mirror(columns, w);
    functions->decimate_row[scale](out, columns, w / 2);
}

static void compare_decimation(const VifFunctions *scalar, const VifFunctions *functions,
                               unsigned w, unsigned scale, unsigned depth, int content,
                               enum SimdGuard guard)
{
    simd_case("decimation to scale %u, %u columns, %u bits, content %d", scale, w, depth, content);
    const VifWindow window =
        sample_window(w, depth, 2 * vif_filters[scale].radius + 1, content, guard);
    uint16_t *expected = padded_row(w, sizeof(uint16_t));
    uint16_t *actual = padded_row(w, sizeof(uint16_t));
    decimate(expected, &window, scalar, w, scale, depth);
    decimate(actual, &window, functions, w, scale, depth);
    simd_expect_equal(expected, actual, w / 2 * sizeof(uint16_t));
    simd_free_buffers();
}

typedef struct Pixel {
    int32_t ref, dist, covariance;
} Pixel;

/* Of every magnitude, also negative; and next to the limit of flat pixels. */
static int32_t random_variance(void)
{
    if (simd_random() % 8 == 0)
        return VIF_NOISE_VARIANCE - 1 + (int32_t)(simd_random() % 3);
    return (int32_t)(simd_random() >> (2 + simd_random() % 28)) - 65536;
}

static Pixel random_pixel(int kind)
{
    const int32_t ref = random_variance();
    const int32_t dist = (int32_t)(simd_random() >> (2 + simd_random() % 28));
    const int32_t positive = ref > 0 ? ref : 0, least = ref < dist ? ref : dist;
    switch (kind) {
    case 0: /* equal pictures */
        return (Pixel){ref, positive, ref};
    case 1: /* nearly equal: rounding can make the covariance larger than their geometric mean */
        return (Pixel){ref, positive, ref + (int32_t)(simd_random() % 4096)};
    case 2: /* any gain */
        return (Pixel){ref, dist, least - (int32_t)(simd_random() >> 10)};
    default:
        return (Pixel){ref, dist, (int32_t)(simd_random() % 3 - 1) * least};
    }
}

static void compare_gain(const VifFunctions *scalar, const VifFunctions *functions, unsigned w)
{
    VifVariances row;
    row.ref = padded_row(w, sizeof(int32_t));
    row.dist = padded_row(w, sizeof(int32_t));
    row.covariance = padded_row(w, sizeof(int32_t));
    for (int round = 0; round < 64; round++) {
        simd_case("gain of random variances, %u columns, round %d", w, round);
        for (unsigned x = 0; x < w; x++) {
            const Pixel pixel = random_pixel(round % 4);
            row.ref[x] = pixel.ref;
            row.dist[x] = pixel.dist;
            row.covariance[x] = pixel.covariance;
        }
        expect_equal_gain(scalar, functions, &row, w);
    }
    simd_free_buffers();
}

/* All logarithms that there are, of each octave of a variance with its noise. */
static void compare_logarithms(const VifFunctions *functions)
{
    VifVariances row = {padded_row(1, sizeof(int32_t)), padded_row(1, sizeof(int32_t)),
                        padded_row(1, sizeof(int32_t))};
    for (unsigned octave = 3; octave < 16; octave++)
        for (uint32_t i = 1u << 15; i < 1u << 16; i++) {
            const uint32_t rest = simd_random() >> (32 - octave);
            const uint32_t v = i << octave | (i % 2 ? rest : (1u << octave) - 1);
            simd_case("logarithm of %u", v);
            int64_t log_num[N_LIMITS] = {0};
            VifSums sums = {.log_num = log_num};
            row.ref[0] = (int32_t)v - VIF_NOISE_VARIANCE;
            functions->gain(&sums, &row, 1, &all_limits);
            simd_expect_equal_u64(vif_log_of_key(vif_log_key(v)) - 17 * VIF_LOG_UNIT,
                                  (uint64_t)sums.log_den);
        }
    simd_free_buffers();
}

/* -- pairs of rows -- */

/* All rows under the windows of a pair of rows. */
typedef struct Rows {
    const void *samples[2][2 * VIF_MAX_PAIRS];
    VifPairWindow window;
} Rows;

static void join(int16_t *out, const Rows *rows, unsigned pair, const VifPairFunctions *functions,
                 unsigned w, unsigned depth)
{
    const void *both[2][2];
    for (int i = 0; i < 2; i++)
        for (int row = 0; row < 2; row++)
            both[i][row] = rows->samples[i][2 * pair + (unsigned)row];
    functions->join[vif_pair_type(depth)](out, both, w);
}

static Rows joined_rows(const VifPairFunctions *functions, unsigned w, unsigned depth,
                        unsigned reach, int content, enum SimdGuard guard)
{
    Rows rows;
    const unsigned n_pairs = 2 * reach + 1;
    const VifWindow first = sample_window(w, depth, n_pairs, content, guard);
    const VifWindow second = sample_window(w, depth, n_pairs, content, guard);
    for (unsigned k = 0; k < n_pairs; k++) {
        for (int i = 0; i < 2; i++) {
            rows.samples[i][2 * k] = first.sample[i][k];
            rows.samples[i][2 * k + 1] = second.sample[i][k];
        }
        int16_t *joined = simd_buffer(vif_joined_size(w), SIMD_GUARD_AFTER);
        join(joined, &rows, k, functions, w, depth);
        rows.window.pairs[k] = joined;
    }
    return rows;
}

static VifWindow window_around(const Rows *rows, unsigned row, unsigned scale)
{
    const unsigned radius = vif_filters[scale].radius;
    VifWindow window;
    for (int i = 0; i < 2; i++)
        for (unsigned k = 0; k <= 2 * radius; k++)
            window.sample[i][k] = rows->samples[i][row - radius + k];
    return window;
}

/* A further distorted picture, whose columns begin without what the pass before left there. */
static void expect_equal_again(const VifPairFunctions *functions, VifPairTask *task, unsigned scale,
                               VifSums *expected)
{
    int64_t log_num[N_LIMITS] = {0};
    VifSums actual = {.log_num = log_num};
    for (int row = 0; row < 2; row++)
        task->columns[row] = column_rows(task->w);
    functions->measure_again[vif_pair_type(task->depth)][scale](&actual, task);
    simd_expect_equal_u64(0, (uint64_t)actual.log_den);
    expected->log_den = 0;
    expect_equal_sums(expected, &actual);
}

/* The least variance that is not flat, or one of its neighbours. */
static int32_t border_variance(void)
{
    return VIF_NOISE_VARIANCE - 1 + (int32_t)(simd_random() % 3);
}

/* Whether a picture can have these beside that variance of the reference: others leave the range
 * of kernels. */
static bool is_possible(const VifVariances *in, int32_t variance, unsigned w)
{
    for (unsigned x = 0; x < w; x++) {
        const double c = in->covariance[x];
        if (in->dist[x] > 1 << 29 || c * c > 0x1p30 * variance)
            return false;
    }
    return true;
}

static void fill_variances(int32_t *out, int32_t variance, size_t n)
{
    for (size_t x = 0; x < n; x++)
        out[x] = variance;
}

static void compare_pair(const VifFunctions *scalar, const VifPairFunctions *functions, unsigned w,
                         unsigned scale, unsigned depth, int content, enum SimdGuard guard)
{
    const unsigned reach = vif_pair_reach(scale), which = 1 + simd_random() % 3;
    simd_case("pair of rows at scale %u, %u columns, %u bits, content %d, rows %u", scale, w, depth,
              content, which);
    const Rows rows = joined_rows(functions, w, depth, reach, content, guard);
    VifPairTask task = {
        .next = {{rows.samples[0][0], rows.samples[0][1]},
                 {rows.samples[1][0], rows.samples[1][1]}},
        .columns = {column_rows(w), column_rows(w)},
        .w = w,
        .depth = depth,
        .measured = {which & 1, which & 2},
        .gain = all_limits,
    };
    task.window = rows.window;
    if (simd_random() % 2)
        task.gain.n_limits = 1;
    int64_t log_num[4][N_LIMITS] = {{0}};
    VifSums expected = {.log_num = log_num[0]}, actual = {.log_num = log_num[1]};
    VifSums keep = {.log_num = log_num[2]}, bordering = {.log_num = log_num[3]};
    const int32_t variance = border_variance();
    bool possible = true;
    for (unsigned row = 0; row < 2; row++) {
        if (!task.measured[row])
            continue;
        Filtered filtered = filtered_row(w);
        VifWindow window = window_around(&rows, 2 * reach + row, scale);
        add_products(&window, scalar, w, scale, depth);
        filter(&filtered, &window, scalar, w, scale, depth);
        scalar->gain(&expected, &filtered.variances, w, &task.gain);
        possible &= is_possible(&filtered.variances, variance, w);
        fill_variances(filtered.variances.ref, variance, w);
        scalar->gain(&bordering, &filtered.variances, w, &task.gain);
    }
    for (int row = 0; row < 2; row++)
        task.kept[row] = simd_buffer(vif_kept_row(w), SIMD_GUARD_AFTER);
    const int type = vif_pair_type(depth);
    functions->measure[type][scale](&actual, &task);
    expect_equal_sums(&expected, &actual);
    functions->measure_and_keep[type][scale](&keep, &task);
    expect_equal_sums(&expected, &keep);
    expect_equal_again(functions, &task, scale, &expected);
    const size_t stride = vif_kept_stride(w);
    for (int row = 0; row < 2; row++)
        fill_variances(task.kept[row] + VIF_KEPT_VARIANCES * stride, variance, stride);
    if (possible)
        expect_equal_again(functions, &task, scale, &bordering);
    simd_free_buffers();
}

static void compare_pair_decimation(const VifFunctions *scalar, const VifPairFunctions *functions,
                                    unsigned w, unsigned scale, unsigned depth, int content,
                                    enum SimdGuard guard)
{
    const unsigned reach = vif_pair_reach(scale);
    simd_case("decimation of pairs to scale %u, %u columns, %u bits, content %d", scale, w, depth,
              content);
    const Rows rows = joined_rows(functions, w, depth, reach, content, guard);
    VifWindow window = window_around(&rows, 2 * reach, scale);
    for (int picture = 0; picture < 2; picture++) {
        uint16_t *expected = padded_row(w, sizeof(uint16_t));
        uint16_t *actual = padded_row(w, sizeof(uint16_t));
        memcpy(window.sample[0], window.sample[picture], sizeof(window.sample[0]));
        decimate(expected, &window, scalar, w, scale, depth);
        functions->decimate[vif_pair_type(depth)][scale](actual, padded_row(w, sizeof(uint16_t)),
                                                         &rows.window, picture, w, depth);
        simd_expect_equal(expected, actual, w / 2 * sizeof(uint16_t));
    }
    simd_free_buffers();
}

/* -- all of them -- */

static const unsigned depths[] = {8, 9, 10, 12, 14, 15, 16};
enum { N_DEPTHS = sizeof(depths) / sizeof(depths[0]) };

static void compare_steps(const VifFunctions *scalar, const VifFunctions *functions, unsigned w,
                          int content, enum SimdGuard guard)
{
    for (unsigned d = 0; d < N_DEPTHS && w >= 8; d++) {
        compare_statistics(scalar, functions, w, 0, depths[d], content, guard);
        compare_decimation(scalar, functions, w, 1, depths[d], content, guard);
    }
    for (unsigned scale = 1; scale < VIF_SCALES; scale++)
        compare_statistics(scalar, functions, w, scale, 16, content, guard);
    for (unsigned scale = 2; scale < VIF_SCALES; scale++)
        compare_decimation(scalar, functions, w, scale, 16, content, guard);
}

/* Images have at least 16 columns at scale 0, and so 2 at scale 3. */
static void compare_pairs(const VifFunctions *scalar, const VifPairFunctions *functions, unsigned w,
                          int content, enum SimdGuard guard)
{
    for (unsigned d = 0; d < N_DEPTHS && w >= 16; d++) {
        compare_pair(scalar, functions, w, 0, depths[d], content, guard);
        compare_pair_decimation(scalar, functions, w, 1, depths[d], content, guard);
    }
    for (unsigned scale = 1; scale < VIF_SCALES; scale++)
        if (w >= 16u >> scale)
            compare_pair(scalar, functions, w, scale, 16, content, guard);
    for (unsigned scale = 2; scale < VIF_SCALES; scale++)
        if (w >= 32u >> scale)
            compare_pair_decimation(scalar, functions, w, scale, 16, content, guard);
}

static void compare(unsigned cpu_flags)
{
    VifFunctions scalar, functions;
    vif_functions_init_scalar(&scalar);
    vif_functions_init(&functions, cpu_flags);
    vif_log_bows(log_bows);
    compare_logarithms(&functions);
    unsigned w;
    for (unsigned i = 0; (w = simd_width(i, VECTOR)) != 0; i++) {
        const enum SimdGuard guard = i % SIMD_GUARDS;
        for (int content = 0; content < SIMD_CONTENTS; content++)
            if (functions.pairs)
                compare_pairs(&scalar, functions.pairs, w, content, guard);
            else
                compare_steps(&scalar, &functions, w, content, guard);
        compare_gain(&scalar, &functions, w);
    }
}

/* -- measurement -- */

enum { ROW = 1920 };

typedef struct Step {
    VifFunctions functions;
    VifWindow window;
    Filtered filtered;
    uint16_t *decimated_columns, *decimated;
    unsigned scale, depth;
    unsigned n_limits;
} Step;

static void call_multiply(void *argument)
{
    const Step *s = argument;
    void *products[VIF_MOMENTS];
    for (int i = 0; i < VIF_MOMENTS; i++)
        products[i] = (void *)(uintptr_t)s->window.product[i][0];
    s->functions.multiply[vif_sample_type(s->depth)](products, s->window.sample[0][0],
                                                     s->window.sample[1][0], ROW);
}

static void call_filter_columns(void *argument)
{
    const Step *s = argument;
    s->functions.filter_columns[vif_sample_type(s->depth)][s->scale](&s->filtered.columns,
                                                                     &s->window, ROW, s->depth);
}

static void call_local_variances(void *argument)
{
    const Step *s = argument;
    s->functions.local_variances[s->scale](&s->filtered.variances, &s->filtered.columns, ROW);
}

static void call_gain(void *argument)
{
    const Step *s = argument;
    int64_t log_num[N_LIMITS] = {0};
    VifSums sums = {.log_num = log_num};
    const VifGain gain = {limits, s->n_limits, log_bows};
    s->functions.gain(&sums, &s->filtered.variances, ROW, &gain);
}

static void call_decimate_columns(void *argument)
{
    const Step *s = argument;
    s->functions.decimate_columns[vif_sample_type(s->depth)][s->scale](
        s->decimated_columns, s->window.sample[0], ROW, s->depth);
}

static void call_decimate_row(void *argument)
{
    const Step *s = argument;
    s->functions.decimate_row[s->scale](s->decimated, s->decimated_columns, ROW / 2);
}

/* Rows at distances that do not compete for the same cache lines, as those of pictures. */
static VifWindow measured_window(const VifFunctions *functions, unsigned depth, unsigned n_rows)
{
    enum { STRIDE = 2 * ROW + VIF_PADDING + 64, PRODUCT_STRIDE = 8 * ROW + VIF_PADDING + 64 };
    VifWindow window;
    uint8_t *samples = simd_buffer((size_t)2 * n_rows * STRIDE, SIMD_GUARD_BEFORE);
    uint8_t *products =
        simd_buffer((size_t)VIF_MOMENTS * n_rows * PRODUCT_STRIDE, SIMD_GUARD_BEFORE);
    for (unsigned row = 0; row < n_rows; row++) {
        for (int i = 0; i < 2; i++, samples += STRIDE) {
            simd_fill_samples(samples, ROW, depth, SIMD_SLOPE);
            window.sample[i][row] = samples;
        }
        void *product[VIF_MOMENTS];
        for (int i = 0; i < VIF_MOMENTS; i++, products += PRODUCT_STRIDE)
            window.product[i][row] = product[i] = products;
        functions->multiply[vif_sample_type(depth)](product, window.sample[0][row],
                                                    window.sample[1][row], ROW);
    }
    return window;
}

static void measure_scale(const VifFunctions *functions, unsigned scale, unsigned depth,
                          const char *const names[])
{
    Step step = {.functions = *functions, .scale = scale, .depth = depth, .n_limits = 1};
    step.window = measured_window(functions, depth, 2 * vif_filters[scale].radius + 1);
    step.filtered = filtered_row(ROW);
    step.decimated_columns = padded_row(ROW, sizeof(uint16_t));
    step.decimated = padded_row(ROW, sizeof(uint16_t));
    filter(&step.filtered, &step.window, functions, ROW, scale, depth);
    simd_measure(names[0], ROW, call_multiply, &step);
    simd_measure(names[1], ROW, call_filter_columns, &step);
    simd_measure(names[2], ROW, call_local_variances, &step);
    if (names[3])
        simd_measure(names[3], ROW, call_gain, &step);
    step.scale = scale ? scale : 1;
    simd_measure(names[4], ROW, call_decimate_columns, &step);
    simd_measure(names[5], ROW / 2, call_decimate_row, &step);
    simd_free_buffers();
}

typedef struct PairStep {
    const VifPairFunctions *functions;
    VifPairTask task;
    Rows rows;
    uint16_t *decimated_columns, *decimated;
    unsigned scale;
} PairStep;

static void call_join(void *argument)
{
    const PairStep *s = argument;
    join((int16_t *)(uintptr_t)s->task.window.pairs[0], &s->rows, 0, s->functions, ROW,
         s->task.depth);
}

static void call_measure_pair(void *argument)
{
    const PairStep *s = argument;
    int64_t log_num[N_LIMITS] = {0};
    VifSums sums = {.log_num = log_num};
    s->functions->measure[vif_pair_type(s->task.depth)][s->scale](&sums, &s->task);
}

static void call_decimate_pair(void *argument)
{
    const PairStep *s = argument;
    const unsigned next = s->scale + 1;
    const unsigned above = vif_pair_reach(s->scale) - vif_pair_reach(next);
    VifPairWindow window;
    memcpy(window.pairs, s->task.window.pairs + above,
           sizeof(window.pairs) - above * sizeof(*window.pairs));
    s->functions->decimate[vif_pair_type(s->task.depth)][next](s->decimated, s->decimated_columns,
                                                               &window, 0, ROW, s->task.depth);
}

static void measure_pairs(const VifPairFunctions *functions, unsigned scale, unsigned depth)
{
    PairStep step = {.functions = functions, .scale = scale};
    const Rows rows =
        joined_rows(functions, ROW, depth, vif_pair_reach(scale), SIMD_SLOPE, SIMD_GUARD_BEFORE);
    step.task = (VifPairTask){
        .next = {{rows.samples[0][0], rows.samples[0][1]},
                 {rows.samples[1][0], rows.samples[1][1]}},
        .columns = {column_rows(ROW), column_rows(ROW)},
        .w = ROW,
        .depth = depth,
        .measured = {true, true},
        .gain = {limits, 1, log_bows},
    };
    step.task.window = rows.window;
    step.rows = rows;
    step.decimated_columns = padded_row(ROW, sizeof(uint16_t));
    step.decimated = padded_row(ROW, sizeof(uint16_t));
    char name[3][64];
    snprintf(name[0], sizeof(name[0]), "join, %u bits", depth);
    snprintf(name[1], sizeof(name[1]), "pair of rows %u, %u bits", scale, depth);
    snprintf(name[2], sizeof(name[2]), "decimate pair %u, %u bits", scale, depth);
    simd_measure(name[0], 2 * ROW, call_join, &step);
    simd_measure(name[1], 2 * ROW, call_measure_pair, &step);
    simd_measure(name[2], 2 * ROW, call_decimate_pair, &step);
    simd_free_buffers();
}

static void measure(unsigned cpu_flags)
{
    VifFunctions functions;
    vif_functions_init(&functions, cpu_flags);
    vif_log_bows(log_bows);
    if (functions.pairs) {
        measure_pairs(functions.pairs, 0, 8);
        measure_pairs(functions.pairs, 0, 10);
        measure_pairs(functions.pairs, 1, 16);
        return;
    }
    measure_scale(&functions, 0, 8,
                  (const char *[]){"multiply, 8 bits", "filter_columns 0, 8 bits",
                                   "local_variances 0", "gain", "decimate_columns 1, 8 bits",
                                   "decimate_row 1"});
    measure_scale(&functions, 0, 10,
                  (const char *[]){"multiply, 10 bits", "filter_columns 0, 10 bits",
                                   "local_variances 0, 10 bits", NULL,
                                   "decimate_columns 1, 10 bits", "decimate_row 1, 10 bits"});
    measure_scale(&functions, 1, 16,
                  (const char *[]){"multiply, 16 bits", "filter_columns 1", "local_variances 1",
                                   NULL, "decimate_columns 1, 16 bits", "decimate_row 1, 16 bits"});
}

const SimdCheck check_vif = {"vif", compare, measure};
