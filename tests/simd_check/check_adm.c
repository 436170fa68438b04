/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "metrics/adm/adm_internal.h"
#include "simd_check/simd_check.h"

enum { VECTOR_COLUMNS = 32, REPEATS = 2 };

static AdmFunctions scalar, vector;
static enum SimdGuard guard;

static int random_below(int n)
{
    return (int)(simd_random() % (unsigned)n);
}

/* A row of scratch memory: its margins may be read and written. */
static void *scratch_row(int columns, size_t element_size)
{
    const size_t margin = ADM_ROW_MARGIN * element_size;
    uint8_t *buffer = simd_buffer((size_t)columns * element_size + 2 * margin, guard);
    return buffer + margin;
}

static int16_t *filled_row_16(int columns, int limit, enum SimdContent content)
{
    int16_t *row = scratch_row(columns, sizeof(*row));
    simd_fill_int16(row - ADM_ROW_MARGIN, (size_t)columns + 2 * ADM_ROW_MARGIN, (int16_t)limit,
                    content);
    return row;
}

static int32_t *filled_row_32(int columns, int limit, enum SimdContent content)
{
    int32_t *row = scratch_row(columns, sizeof(*row));
    simd_fill_int32(row - ADM_ROW_MARGIN, (size_t)columns + 2 * ADM_ROW_MARGIN, limit, content);
    return row;
}

/* All columns, the window of evaluation, or any others. */
static AdmRange some_columns(int columns)
{
    switch (random_below(3)) {
    case 0:
        return (AdmRange){0, columns};
    case 1: {
        const int border = columns > 5 ? (columns - 5) / 10 : 0;
        return (AdmRange){border, columns - border};
    }
    default: {
        const int begin = random_below(columns);
        return (AdmRange){begin, begin + 1 + random_below(columns - begin)};
    }
    }
}

static void expect_columns(const void *expected, const void *actual, AdmRange columns,
                           size_t element_size)
{
    const size_t begin = (size_t)columns.begin * element_size;
    simd_expect_equal((const uint8_t *)expected + begin, (const uint8_t *)actual + begin,
                      (size_t)adm_range_length(columns) * element_size);
}

/* -- wavelet -- */

static void wavelet_outputs(AdmWaveletRow *row, int columns, size_t element_size)
{
    row->a = scratch_row(columns, element_size);
    for (int b = 0; b < ADM_BANDS; b++)
        row->detail_rows[b] = scratch_row(columns, element_size);
    row->workspace = simd_buffer(adm_wavelet_workspace(row->input_columns), guard);
}

static void compare_wavelet(void (*expected)(const AdmWaveletRow *),
                            void (*actual)(const AdmWaveletRow *), AdmWaveletRow row,
                            size_t element_size)
{
    const int columns = row.input_columns - row.input_columns / 2;
    const AdmRange none = {0, 0};
    row.approx = random_below(4) ? some_columns(columns) : none;
    row.detail = random_below(4) ? some_columns(columns) : none;
    AdmWaveletRow rows[2] = {row, row};
    wavelet_outputs(&rows[0], columns, element_size);
    wavelet_outputs(&rows[1], columns, element_size);
    expected(&rows[0]);
    actual(&rows[1]);
    expect_columns(rows[0].a, rows[1].a, row.approx, element_size);
    for (int b = 0; b < ADM_BANDS; b++)
        expect_columns(rows[0].detail_rows[b], rows[1].detail_rows[b], row.detail, element_size);
}

/* Samples may exceed their bit depth. */
static void compare_luma(int w, int bpc, int sample_bpc, enum SimdContent content)
{
    AdmWaveletRow row = {.input_columns = w, .vertical_shift = bpc, .horizontal_shift = 16};
    for (int k = 0; k < 4; k++) {
        void *samples = simd_buffer(bpc > 8 ? 2 * (size_t)w : (size_t)w, guard);
        simd_fill_samples(samples, (size_t)w, (unsigned)sample_bpc, content);
        row.input[k] = samples;
        row.next[k / 2] = samples;
    }
    simd_case("wavelet of luma, %d columns, %d bits in %d, content %d", w, sample_bpc, bpc,
              content);
    compare_wavelet(bpc > 8 ? scalar.wavelet_luma16 : scalar.wavelet_luma8,
                    bpc > 8 ? vector.wavelet_luma16 : vector.wavelet_luma8, row, sizeof(int16_t));
    simd_free_buffers();
}

static void compare_wavelet_16(int w, enum SimdContent content)
{
    AdmWaveletRow row = {.input_columns = w, .vertical_shift = 0, .horizontal_shift = 15};
    for (int k = 0; k < 4; k++)
        row.input[k] = filled_row_16(w, INT16_MAX, content);
    simd_case("wavelet of 16 bits, %d columns, content %d", w, content);
    compare_wavelet(scalar.wavelet_16, vector.wavelet_16, row, sizeof(int32_t));
    simd_free_buffers();
}

static void compare_wavelet_32(int w, int horizontal_shift, enum SimdContent content)
{
    AdmWaveletRow row = {
        .input_columns = w, .vertical_shift = 16, .horizontal_shift = horizontal_shift};
    for (int k = 0; k < 4; k++)
        row.input[k] = filled_row_32(w, INT32_MAX, content);
    simd_case("wavelet of 32 bits, %d columns, shift %d, content %d", w, horizontal_shift, content);
    compare_wavelet(scalar.wavelet_32, vector.wavelet_32, row, sizeof(int32_t));
    simd_free_buffers();
}

/* -- decoupling -- */

static const double gain_limits[] = {1, 100, 2, 1.2, 37.5};
enum { N_GAIN_LIMITS = sizeof(gain_limits) / sizeof(gain_limits[0]) };

/* tan of one degree, which separates same directions from others. */
static const double one_degree = 0.017455064928217585;

/* What a distortion makes of coefficients h, v, d. */
static void distort(const double o[ADM_BANDS], double limit, double t[ADM_BANDS])
{
    const int how = random_below(6);
    const double gain = 0.25 + random_below(1024) / 512.0;
    for (int b = 0; b < ADM_BANDS; b++) {
        const double noise = (random_below(2001) - 1000) / 1000.0;
        t[b] = how == 0   ? o[b] + noise * 4
               : how == 1 ? noise * limit
               : how == 2 ? -o[b]
                          : o[b] * gain;
    }
    if (how == 3) {
        t[BAND_H] = gain * (o[BAND_H] + one_degree * o[BAND_V]);
        t[BAND_V] = gain * (o[BAND_V] - one_degree * o[BAND_H]);
    }
    for (int b = 0; b < ADM_BANDS; b++)
        t[b] = t[b] > limit ? limit : t[b] < -limit ? -limit : t[b];
}

static const void *filled_row(int w, int bits, int limit, enum SimdContent content)
{
    return bits == 16 ? (const void *)filled_row_16(w, limit, content)
                      : filled_row_32(w, limit, content);
}

static void compare_decouple(const AdmDecouple *row, int w, int bits)
{
    const size_t size = (size_t)bits / 8;
    AdmDecouple rows[2] = {*row, *row};
    for (int i = 0; i < 2; i++)
        for (int b = 0; b < ADM_BANDS; b++) {
            rows[i].rest[b] = scratch_row(w, size);
            rows[i].addition[b] = scratch_row(w, size);
        }
    (bits == 16 ? scalar.decouple_16 : scalar.decouple_32)(&rows[0]);
    (bits == 16 ? vector.decouple_16 : vector.decouple_32)(&rows[1]);
    for (int b = 0; b < ADM_BANDS; b++) {
        expect_columns(rows[0].rest[b], rows[1].rest[b], row->columns, size);
        expect_columns(rows[0].addition[b], rows[1].addition[b], row->columns, size);
    }
    simd_free_buffers();
}

static void compare_decouple_distorted(int w, int bits, double gain_limit, int limit,
                                       enum SimdContent content)
{
    AdmDecouple row = {.columns = some_columns(w), .gain_limit = gain_limit};
    void *dist[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++) {
        row.ref[b] = filled_row(w, bits, limit, content);
        row.dist[b] = dist[b] = scratch_row(w, (size_t)bits / 8);
    }
    for (int x = 0; x < w; x++) {
        double o[ADM_BANDS], t[ADM_BANDS];
        for (int b = 0; b < ADM_BANDS; b++)
            o[b] = bits == 16 ? ((const int16_t *)row.ref[b])[x] : ((const int32_t *)row.ref[b])[x];
        distort(o, limit, t);
        for (int b = 0; b < ADM_BANDS; b++) {
            if (bits == 16)
                ((int16_t *)dist[b])[x] = (int16_t)t[b];
            else
                ((int32_t *)dist[b])[x] = (int32_t)t[b];
        }
    }
    simd_case("decoupling of %d bits, %d columns, gain %g, limit %d, content %d", bits, w,
              gain_limit, limit, content);
    compare_decouple(&row, w, bits);
}

/* Any number of bits, often just above or below a power of two. */
static int32_t any_magnitude(void)
{
    const int bits = 1 + random_below(31);
    const uint32_t ones = UINT32_MAX >> (32 - bits);
    const uint32_t values[] = {ones - (uint32_t)random_below(4) % ones,
                               (ones >> 1) + 1 + (uint32_t)random_below(4), simd_random() & ones};
    const int32_t value = (int32_t)(values[random_below(3)] & INT32_MAX);
    return random_below(2) ? value : -value;
}

/* Coefficients of any size, and ratios at the limits between fixed-point numbers. */
static void compare_decouple_32_precision(int w, double gain_limit)
{
    AdmDecouple row = {.columns = some_columns(w), .gain_limit = gain_limit};
    for (int b = 0; b < ADM_BANDS; b++) {
        int32_t *o = scratch_row(w, sizeof(*o)), *t = scratch_row(w, sizeof(*t));
        for (int x = 0; x < w; x++) {
            const int64_t steps = 2 * random_below(32769) + 1;
            o[x] = any_magnitude();
            t[x] = random_below(2) ? any_magnitude()
                                   : (int32_t)(o[x] * steps / 65536) + random_below(3) - 1;
        }
        row.ref[b] = o;
        row.dist[b] = t;
    }
    simd_case("decoupling of 32 bits, precision, %d columns, gain %g", w, gain_limit);
    compare_decouple(&row, w, 32);
}

/* -- masking -- */

/* The usual ones, and any that a contrast sensitivity can have. */
static void some_weights(uint32_t weights[ADM_BANDS], int bits)
{
    static const uint32_t usual[2][ADM_BANDS] = {{36453, 36453, 49417},
                                                 {137373792, 137373792, 61414028}};
    const int how = random_below(4);
    for (int b = 0; b < ADM_BANDS; b++)
        weights[b] = how == 0 ? simd_random() >> (32 - bits)
                     : how == 1 && b == random_below(3)
                         ? UINT32_MAX >> (32 - bits) >> random_below(2)
                         : usual[bits == 32][b];
}

static void compare_masking(int w, int bits, int limit, enum SimdContent content)
{
    AdmMasking rows[2];
    AdmMasking row = {.columns = some_columns(w), .band_columns = w};
    some_weights(row.weights, bits);
    for (int b = 0; b < ADM_BANDS; b++)
        row.signal[b] = filled_row(w, bits, limit, content);
    for (int i = 0; i < 2; i++) {
        rows[i] = row;
        rows[i].neighbours = scratch_row(w, sizeof(int32_t));
        rows[i].centre = scratch_row(w, sizeof(int32_t));
        rows[i].workspace = scratch_row(w, sizeof(int32_t));
    }
    simd_case("masking of %d bits, %d columns, limit %d, content %d", bits, w, limit, content);
    (bits == 16 ? scalar.masking_16 : scalar.masking_32)(&rows[0]);
    (bits == 16 ? vector.masking_16 : vector.masking_32)(&rows[1]);
    expect_columns(rows[0].neighbours, rows[1].neighbours, row.columns, sizeof(int32_t));
    expect_columns(rows[0].centre, rows[1].centre, row.columns, sizeof(int32_t));
    simd_free_buffers();
}

static void compare_energy(int w, int bits, int limit, int threshold_limit,
                           enum SimdContent content)
{
    AdmEnergy row = {.columns = some_columns(w)};
    some_weights(row.weights, bits);
    for (int b = 0; b < ADM_BANDS; b++) {
        row.target[b] = filled_row(w, bits, limit, content);
        row.shift[b] = random_below(13);
    }
    for (int i = 0; i < 3; i++)
        row.neighbours[i] = filled_row_32(w, threshold_limit, content);
    row.centre = filled_row_32(w, threshold_limit, SIMD_NOISE);

    uint64_t expected[ADM_BANDS], actual[ADM_BANDS];
    simd_case("energy of %d bits, %d columns, limit %d, threshold %d, content %d", bits, w, limit,
              threshold_limit, content);
    (bits == 16 ? scalar.energy_16 : scalar.energy_32)(&row, expected);
    (bits == 16 ? vector.energy_16 : vector.energy_32)(&row, actual);
    for (int b = 0; b < ADM_BANDS; b++)
        simd_expect_equal_u64(expected[b], actual[b]);
    simd_free_buffers();
}

static void compare_cubes(int w, enum SimdContent content)
{
    const AdmRange columns = some_columns(w);
    int16_t *row16 = filled_row_16(w, INT16_MAX, content);
    row16[random_below(w)] = INT16_MIN;
    const int32_t *row32 = filled_row_32(w, INT32_MAX >> random_below(12), content);
    const int square_shift = 30 + random_below(2), cube_shift = random_below(15);
    simd_case("cubes, %d columns, shifts %d and %d, content %d", w, square_shift, cube_shift,
              content);
    simd_expect_equal_u64(scalar.cubes_16(row16, columns), vector.cubes_16(row16, columns));
    simd_expect_equal_u64(scalar.cubes_32(row32, columns, square_shift, cube_shift),
                          vector.cubes_32(row32, columns, square_shift, cube_shift));
    simd_free_buffers();
}

static void compare_row(int w, enum SimdContent content)
{
    static const int limits_16[] = {200, 16383, INT16_MAX};
    static const int limits_32[] = {20000, 1 << 24, 750000000, INT32_MAX};
    static const int thresholds[] = {0, 1 << 13, 1 << 19, INT32_MAX};

    for (int bpc = 8; bpc <= 16; bpc++)
        compare_luma(w, bpc, bpc, content);
    compare_luma(w, 10, 16, content);
    compare_wavelet_16(w, content);
    compare_wavelet_32(w, 15, content);
    compare_wavelet_32(w, 16, content);

    for (int i = 0; i < 3; i++) {
        for (int g = 0; g < N_GAIN_LIMITS; g++)
            compare_decouple_distorted(w, 16, gain_limits[g], limits_16[i], content);
        compare_masking(w, 16, limits_16[i], content);
        for (int k = 0; k < 4; k++)
            compare_energy(w, 16, limits_16[i], thresholds[k], content);
    }
    for (int i = 0; i < 4; i++) {
        for (int g = 0; g < N_GAIN_LIMITS; g++)
            compare_decouple_distorted(w, 32, gain_limits[g], limits_32[i], content);
        compare_masking(w, 32, limits_32[i], content);
        for (int k = 0; k < 4; k++)
            compare_energy(w, 32, limits_32[i], thresholds[k], content);
    }
    compare_cubes(w, content);
    for (int g = 0; g < N_GAIN_LIMITS; g++)
        compare_decouple_32_precision(w, gain_limits[g]);
}

/* All coefficients that 16 bits can hold, as masker and as target. */
static void compare_every_coefficient(const uint32_t weights[ADM_BANDS])
{
    enum { COLUMNS = 1 << 16 };
    const AdmRange columns = {0, COLUMNS};
    AdmMasking masking[2];
    AdmEnergy energy = {.columns = columns, .shift = {0, 0, 0}};
    int16_t *signal = scratch_row(COLUMNS, sizeof(*signal));
    for (int x = 0; x < COLUMNS; x++)
        signal[x] = (int16_t)(x + INT16_MIN);
    for (int i = 0; i < 2; i++) {
        masking[i] = (AdmMasking){
            .columns = columns,
            .band_columns = COLUMNS,
            .weights = {weights[0], weights[1], weights[2]},
            .signal = {signal, signal, signal},
            .neighbours = scratch_row(COLUMNS, sizeof(int32_t)),
            .centre = scratch_row(COLUMNS, sizeof(int32_t)),
            .workspace = scratch_row(COLUMNS, sizeof(int32_t)),
        };
    }
    for (int b = 0; b < ADM_BANDS; b++) {
        energy.weights[b] = weights[b];
        energy.target[b] = signal;
        energy.neighbours[b] = energy.centre = scratch_row(COLUMNS, sizeof(int32_t));
    }
    simd_case("every coefficient of 16 bits, weights %u %u %u", weights[0], weights[1], weights[2]);
    scalar.masking_16(&masking[0]);
    vector.masking_16(&masking[1]);
    expect_columns(masking[0].neighbours, masking[1].neighbours, columns, sizeof(int32_t));
    expect_columns(masking[0].centre, masking[1].centre, columns, sizeof(int32_t));
    uint64_t expected[ADM_BANDS], actual[ADM_BANDS];
    scalar.energy_16(&energy, expected);
    vector.energy_16(&energy, actual);
    for (int b = 0; b < ADM_BANDS; b++)
        simd_expect_equal_u64(expected[b], actual[b]);
    simd_free_buffers();
}

static void compare(unsigned cpu_flags)
{
    adm_functions_fill_scalar(&scalar);
    adm_functions_fill_coarse_scalar(&scalar);
    adm_functions_init(&vector, cpu_flags);
    static const uint32_t weights[][ADM_BANDS] = {
        {36453, 36453, 49417}, {8833, 8833, 8254},    {32767, 32768, 32768}, {0, 1, 2},
        {65535, 65535, 65535}, {65534, 65534, 65534}, {16384, 32768, 65528}, {32768, 32767, 1},
    };
    for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++)
        compare_every_coefficient(weights[i]);
    for (unsigned i = 0; simd_width(i, VECTOR_COLUMNS); i++) {
        const int w = (int)simd_width(i, VECTOR_COLUMNS);
        if (w < 3) /* coarsest input of the smallest picture */
            continue;
        for (int repeat = 0; repeat < REPEATS; repeat++)
            for (int content = 0; content < SIMD_CONTENTS; content++) {
                guard = (enum SimdGuard)((repeat + content) % SIMD_GUARDS);
                compare_row(w, (enum SimdContent)content);
            }
    }
}

/* -- measurement -- */

enum { BENCH_COLUMNS = 960 };

typedef struct Bench {
    AdmWaveletRow luma8, luma16, wavelet_16, wavelet_32;
    AdmDecouple decouple_16, decouple_32;
    AdmMasking masking_16, masking_32;
    AdmEnergy energy_16, energy_32;
    const int16_t *row_16;
    const int32_t *row_32;
    uint64_t sink;
} Bench;

#define CALL(kernel, arguments)                                                                    \
    static void call_##kernel(void *bench)                                                         \
    {                                                                                              \
        vector.kernel(&((Bench *)bench)->arguments);                                               \
    }
CALL(wavelet_luma8, luma8)
CALL(wavelet_luma16, luma16)
CALL(wavelet_16, wavelet_16)
CALL(wavelet_32, wavelet_32)
CALL(decouple_16, decouple_16)
CALL(decouple_32, decouple_32)
CALL(masking_16, masking_16)
CALL(masking_32, masking_32)
#undef CALL

static void call_energy_16(void *bench)
{
    uint64_t sums[ADM_BANDS];
    vector.energy_16(&((Bench *)bench)->energy_16, sums);
    ((Bench *)bench)->sink += sums[0];
}

static void call_energy_32(void *bench)
{
    uint64_t sums[ADM_BANDS];
    vector.energy_32(&((Bench *)bench)->energy_32, sums);
    ((Bench *)bench)->sink += sums[0];
}

static void call_cubes_16(void *bench)
{
    Bench *b = bench;
    b->sink += vector.cubes_16(b->row_16, b->decouple_16.columns);
}

static void call_cubes_32(void *bench)
{
    Bench *b = bench;
    b->sink += vector.cubes_32(b->row_32, b->decouple_32.columns, 31, 10);
}

static AdmWaveletRow bench_wavelet(int input_columns, int vertical, int horizontal, size_t element)
{
    const int columns = input_columns / 2;
    AdmWaveletRow row = {.input_columns = input_columns,
                         .vertical_shift = vertical,
                         .horizontal_shift = horizontal,
                         .approx = {0, columns},
                         .detail = {0, columns}};
    wavelet_outputs(&row, columns, element);
    return row;
}

static void bench_init(Bench *b)
{
    const int w = BENCH_COLUMNS, n = 2 * w;
    const AdmRange columns = {0, w};
    b->luma8 = bench_wavelet(n, 8, 16, sizeof(int16_t));
    b->luma16 = bench_wavelet(n, 10, 16, sizeof(int16_t));
    b->wavelet_16 = bench_wavelet(n, 0, 15, sizeof(int32_t));
    b->wavelet_32 = bench_wavelet(n, 16, 16, sizeof(int32_t));
    for (int k = 0; k < 4; k++) {
        void *samples8 = simd_buffer((size_t)n, guard),
             *samples16 = simd_buffer(2 * (size_t)n, guard);
        simd_fill_samples(samples8, (size_t)n, 8, SIMD_NOISE);
        simd_fill_samples(samples16, (size_t)n, 10, SIMD_NOISE);
        b->luma8.input[k] = b->luma8.next[k / 2] = samples8;
        b->luma16.input[k] = b->luma16.next[k / 2] = samples16;
        b->wavelet_16.input[k] = filled_row_16(n, 8000, SIMD_NOISE);
        b->wavelet_32.input[k] = filled_row_32(n, 500000000, SIMD_NOISE);
    }
    b->decouple_16 = (AdmDecouple){.columns = columns, .gain_limit = 100};
    b->decouple_32 = (AdmDecouple){.columns = columns, .gain_limit = 100};
    b->masking_16 =
        (AdmMasking){.columns = columns, .band_columns = w, .weights = {36453, 36453, 49417}};
    b->masking_32 = (AdmMasking){
        .columns = columns, .band_columns = w, .weights = {137373792, 137373792, 61414028}};
    b->energy_16 =
        (AdmEnergy){.columns = columns, .weights = {36453, 36453, 49417}, .shift = {6, 6, 7}};
    b->energy_32 = (AdmEnergy){
        .columns = columns, .weights = {137373792, 137373792, 61414028}, .shift = {9, 9, 9}};
    for (int i = 0; i < ADM_BANDS; i++) {
        b->decouple_16.ref[i] = filled_row_16(w, 3000, SIMD_NOISE);
        b->decouple_16.dist[i] = filled_row_16(w, 3000, SIMD_NOISE);
        b->decouple_16.rest[i] = scratch_row(w, sizeof(int16_t));
        b->decouple_16.addition[i] = scratch_row(w, sizeof(int16_t));
        b->decouple_32.ref[i] = filled_row_32(w, 50000000, SIMD_NOISE);
        b->decouple_32.dist[i] = filled_row_32(w, 50000000, SIMD_NOISE);
        b->decouple_32.rest[i] = scratch_row(w, sizeof(int32_t));
        b->decouple_32.addition[i] = scratch_row(w, sizeof(int32_t));
        b->masking_16.signal[i] = b->energy_16.target[i] = b->decouple_16.ref[i];
        b->masking_32.signal[i] = b->energy_32.target[i] = b->decouple_32.ref[i];
        b->energy_16.neighbours[i] = filled_row_32(w, 2000, SIMD_NOISE);
        b->energy_32.neighbours[i] = filled_row_32(w, 1000000, SIMD_NOISE);
    }
    b->energy_16.centre = b->energy_16.neighbours[0];
    b->energy_32.centre = b->energy_32.neighbours[0];
    b->masking_16.neighbours = b->masking_32.neighbours = scratch_row(w, sizeof(int32_t));
    b->masking_16.centre = b->masking_32.centre = scratch_row(w, sizeof(int32_t));
    b->masking_16.workspace = b->masking_32.workspace = scratch_row(w, sizeof(int32_t));
    b->row_16 = b->decouple_16.ref[0];
    b->row_32 = b->decouple_32.ref[0];
}

static void measure(unsigned cpu_flags)
{
    static Bench bench;
    guard = SIMD_GUARD_BEFORE;
    adm_functions_init(&vector, cpu_flags);
    bench_init(&bench);
    simd_measure("wavelet of 8-bit luma", BENCH_COLUMNS, call_wavelet_luma8, &bench);
    simd_measure("wavelet of deep luma", BENCH_COLUMNS, call_wavelet_luma16, &bench);
    simd_measure("wavelet of 16 bits", BENCH_COLUMNS, call_wavelet_16, &bench);
    simd_measure("wavelet of 32 bits", BENCH_COLUMNS, call_wavelet_32, &bench);
    simd_measure("decoupling of 16 bits", BENCH_COLUMNS, call_decouple_16, &bench);
    simd_measure("decoupling of 32 bits", BENCH_COLUMNS, call_decouple_32, &bench);
    simd_measure("masking of 16 bits", BENCH_COLUMNS, call_masking_16, &bench);
    simd_measure("masking of 32 bits", BENCH_COLUMNS, call_masking_32, &bench);
    simd_measure("energy of 16 bits", BENCH_COLUMNS, call_energy_16, &bench);
    simd_measure("energy of 32 bits", BENCH_COLUMNS, call_energy_32, &bench);
    simd_measure("cubes of 16 bits", BENCH_COLUMNS, call_cubes_16, &bench);
    simd_measure("cubes of 32 bits", BENCH_COLUMNS, call_cubes_32, &bench);
}

const SimdCheck check_adm = {"adm", compare, measure};
