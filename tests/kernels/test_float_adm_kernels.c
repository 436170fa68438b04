/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The kernels of float_adm by themselves: the approximations and terms that those of a scale leave,
 * against the row functions of the library, and the sums of rows and of records.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "metrics/float_adm/float_adm_device.h"
#include "metrics/float_adm/float_adm_internal.h"
#include "random_numbers.h"
#include "support/cases.h"
#include "support/finish_harness.h"
#include "test_sets.h"

static unsigned step = 1; /* of the long lists of cases: all, or every so many */

/* On the emulator with kernels that use its binary32, or with those that compute in integers. */
static bool is_exact = true;

static void open_device(Fixture *fixture)
{
    const EmulatorOptions options = {
        .order = EMULATOR_ORDER_RANDOM, .seed = 7, .no_exact_float32 = !is_exact};
    fixture_open_kernels(fixture, product_kernel_set(layer_name), &options);
}

static const FloatAdmOptions usual = {
    .enhn_gain_limit = 100.0,
    .norm_view_dist = 3.0,
    .ref_display_height = 1080,
    .csf_scale = 1.0,
    .csf_diag_scale = 1.0,
    .p_norm = 3.0,
    .hv_weight = {-1, -1, -1, -1},
    .diagonal_weight = {-1, -1, -1, -1},
};

/* -- sums -- */

/* Terms of all sizes, most of them such that sums are rounded. */
static float any_term(void)
{
    const float term = (float)(noise() % 1000003) * 0x1p-20F;
    return noise() % 5 ? term : noise() % 3 ? term * 0x1p+12F : 0.0F;
}

static void check_rows(Fixture *fixture, int32_t rows, int32_t term_rows, int32_t columns)
{
    const int32_t planes = rows / term_rows, sum_stride = term_rows + 3, first = 5;
    const float_adm_rows_args args = {rows, columns, columns + 7, term_rows, first, sum_stride};
    const size_t n_terms = (size_t)rows * (size_t)args.stride;
    const size_t n_sums = (size_t)(first + planes * sum_stride);
    float *terms = calloc(n_terms, sizeof(float)), *sums = calloc(n_sums, sizeof(float));
    for (size_t i = 0; i < n_terms; i++)
        terms[i] = any_term();
    const FixtureBuffer buffers[] = {{n_terms * sizeof(float), terms, NULL},
                                     {n_sums * sizeof(float), sums, sums}};
    const uint32_t groups[3] = {(uint32_t)(rows + FLOAT_ADM_ROWS - 1) / FLOAT_ADM_ROWS, 1, 1};
    assert_int_equal(fixture_run(fixture, "float_adm_rows", buffers, &args, groups), 0);
    for (int32_t row = 0; row < rows; row++) {
        float expected = 0.0F;
        for (int32_t x = 0; x < columns; x++)
            expected += terms[(size_t)row * (size_t)args.stride + (size_t)x];
        const float actual = sums[first + row / term_rows * sum_stride + row % term_rows];
        if (memcmp(&actual, &expected, sizeof(actual)))
            fail_msg("%d rows of %d, row %d: %a, not %a", rows, columns, row, (double)actual,
                     (double)expected);
    }
    free(terms);
    free(sums);
}

CASE(given_terms_then_rows_are_added_from_left_to_right)
{
    Fixture fixture;
    open_device(&fixture);
    static const int32_t columns[] = {1, 2, 31, 32, 33, 63, 64, 65, 95, 96, 97, 200};
    for (unsigned i = 0; i < sizeof(columns) / sizeof(columns[0]); i += step) {
        check_rows(&fixture, 9 * (1 + (int32_t)i), 1 + (int32_t)i, columns[i]);
        check_rows(&fixture, 31 + (int32_t)i % 4, 31 + (int32_t)i % 4, columns[i]);
    }
    fixture_close(&fixture);
}

CASE(given_sums_of_rows_then_members_are_added_from_top_to_bottom)
{
    enum { SUMS = 700, MEMBERS = VMAF_FLOAT_ADM_MEMBERS };
    float sums[SUMS], record[MEMBERS];
    float_adm_column columns[MEMBERS];
    for (unsigned i = 0; i < SUMS; i++)
        sums[i] = any_term();
    for (unsigned i = 0; i < MEMBERS; i++) {
        columns[i].rows = i % 5 ? (int32_t)(noise() % 300) : 0;
        columns[i].first = (int32_t)(noise() % (uint32_t)(SUMS - columns[i].rows));
    }
    const FixtureBuffer buffers[] = {{sizeof(sums), sums, NULL},
                                     {sizeof(columns), columns, NULL},
                                     {sizeof(record), NULL, record}};
    const float_adm_total_args args = {MEMBERS};
    Fixture fixture;
    open_device(&fixture);
    assert_int_equal(
        fixture_run(&fixture, "float_adm_total", buffers, &args, (uint32_t[3]){1, 1, 1}), 0);
    fixture_close(&fixture);
    for (unsigned i = 0; i < MEMBERS; i++) {
        float expected = 0.0F;
        for (int32_t row = 0; row < columns[i].rows; row++)
            expected += sums[columns[i].first + row];
        assert_memory_equal(&record[i], &expected, sizeof(expected));
    }
}

/* -- scales -- */

enum Content {
    CONTENT_NOISE,
    CONTENT_SMOOTH,       /* ramps, and the same with a little noise */
    CONTENT_FLAT,         /* two shades */
    CONTENT_CHECKERBOARD, /* black and white, against the same with less contrast */
    CONTENT_OPPOSITE,     /* black and white blocks against their negative */
    CONTENT_CONTRAST,     /* noise, against the same with more contrast: enhancement */
    CONTENT_SPARSE,       /* mid grey with some extreme samples */
    CONTENT_EQUAL,
    CONTENT_BEYOND, /* samples above the peak value */
    CONTENTS,
};

static enum Content content;

static unsigned at_most(int64_t value, unsigned peak)
{
    return value < 0 ? 0 : value > (int64_t)peak ? peak : (unsigned)value;
}

static unsigned mixed(unsigned x, unsigned y)
{
    unsigned h = x * 0x9e3779b1u ^ y * 0x85ebca77u;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return h ^ h >> 12;
}

static unsigned ref_sample(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    const unsigned peak = (1u << bpc) - 1, unit = 1u << (bpc - 8), mid = 1u << (bpc - 1);
    switch (content) {
    case CONTENT_SMOOTH:
        return (3 * x + 2 * y) * unit / 2 & peak;
    case CONTENT_FLAT:
        return peak / 3;
    case CONTENT_CHECKERBOARD:
        return (x + y) & 1 ? peak : 0;
    case CONTENT_OPPOSITE:
        return (x / 2 + y / 3) & 1 ? peak : 0;
    case CONTENT_CONTRAST:
        return mid + mixed(x, y) % (mid / 2) - mid / 4;
    case CONTENT_SPARSE:
        return mixed(x, y) % 31 ? mid : x & 1 ? peak : 0;
    case CONTENT_BEYOND:
        return bpc > 8 ? mixed(x, y) & 0xFFFF : mixed(x, y) & 0xFF;
    default:
        return mixed(x, y) & peak;
    }
}

static unsigned dist_sample(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    const unsigned peak = (1u << bpc) - 1, unit = 1u << (bpc - 8), mid = 1u << (bpc - 1);
    const unsigned ref = ref_sample(x, y, plane, frame, bpc), other = mixed(y + 977, x);
    switch (content) {
    case CONTENT_SMOOTH:
        return at_most((int64_t)ref + ((int64_t)(other % 9) - 4) * unit, peak);
    case CONTENT_FLAT:
        return peak / 2;
    case CONTENT_CHECKERBOARD:
        return (x + y) & 1 ? peak - peak / 5 : peak / 7;
    case CONTENT_OPPOSITE:
        return peak - ref;
    case CONTENT_CONTRAST:
        return at_most((int64_t)mid + ((int64_t)ref - mid) * (9 + x % 5) / 8 + other % 3, peak);
    case CONTENT_SPARSE:
        return other % 5 ? ref : mid + unit;
    case CONTENT_EQUAL:
        return ref;
    case CONTENT_BEYOND:
        return other % 3 ? ref : bpc > 8 ? mixed(x, y + 1) & 0xFFFF : mixed(x, y + 1) & 0xFF;
    default:
        return other & peak;
    }
}

static VmafRecordFloatAdm scalar_record(const PictureFormat *format, const VmafPicture pictures[2],
                                        const FloatAdmOptions *options)
{
    const void *variants[] = {options};
    const FrameInput input = {.ref = &pictures[0], .dist = &pictures[1]};
    VmafRecordFloatAdm record = {0};
    void *plan, *scratch, *const records[] = {&record};
    const FeatureExtractor *adm = &float_adm_extractor;
    assert_int_equal(extractor_params_create(adm, &plan, format, variants, 1, 0), 0);
    assert_int_equal(extractor_scratch_create(adm, &scratch, plan), 0);
    const RowBand whole = {0, format->h[0]};
    assert_int_equal(adm->accumulate(plan, scratch, &input, whole, records), 0);
    extractor_scratch_destroy(adm, scratch);
    extractor_params_destroy(adm, plan);
    return record;
}

/* What the kernels of a plan leave, one kernel after the other. */
typedef struct Frame {
    const VmafFloatAdmPlan *plan;
    size_t picture_size;
    const void *pictures[2];
    float *approx[2], *sums;
} Frame;

static void run_chunk(Fixture *fixture, const Frame *frame, uint32_t s, uint32_t i)
{
    const VmafFloatAdmPlan *plan = frame->plan;
    const VmafFloatAdmScale *scale = &plan->scales[s];
    const VmafFloatAdmChunk chunk = vmaf_float_adm_chunk(scale, i);
    float *terms = calloc(1, chunk.terms_size);
    FixtureBuffer buffers[5];
    uint32_t slot = 0;
    if (s == 0) {
        buffers[slot++] = (FixtureBuffer){frame->picture_size, frame->pictures[0], NULL};
        buffers[slot++] = (FixtureBuffer){frame->picture_size, frame->pictures[1], NULL};
    } else {
        const float *source = frame->approx[(s - 1) % 2];
        buffers[slot++] = (FixtureBuffer){plan->approx_size[(s - 1) % 2], source, NULL};
    }
    buffers[slot++] = (FixtureBuffer){sizeof(scale->variants), scale->variants, NULL};
    float *approx = frame->approx[s % 2];
    buffers[slot++] = (FixtureBuffer){plan->approx_size[s % 2], approx, approx};
    buffers[slot] = (FixtureBuffer){chunk.terms_size, NULL, terms};
    assert_int_equal(fixture_run(fixture, scale->kernel, buffers, &chunk.args, chunk.groups), 0);
    if (chunk.rows.rows > 0) {
        const FixtureBuffer rows[] = {{chunk.terms_size, terms, NULL},
                                      {plan->n_sums * sizeof(float), frame->sums, frame->sums}};
        const uint32_t groups[3] = {
            ((uint32_t)chunk.rows.rows + FLOAT_ADM_ROWS - 1) / FLOAT_ADM_ROWS, 1, 1};
        assert_int_equal(fixture_run(fixture, "float_adm_rows", rows, &chunk.rows, groups), 0);
    }
    free(terms);
}

static void run_record(Fixture *fixture, const Frame *frame, const FloatAdmOptions *options,
                       VmafRecordFloatAdm *record)
{
    float_adm_column columns[VMAF_FLOAT_ADM_MEMBERS];
    vmaf_float_adm_columns(frame->plan, options, columns);
    const FixtureBuffer buffers[] = {{frame->plan->n_sums * sizeof(float), frame->sums, NULL},
                                     {sizeof(columns), columns, NULL},
                                     {sizeof(*record), NULL, record}};
    const float_adm_total_args args = {VMAF_FLOAT_ADM_MEMBERS};
    assert_int_equal(
        fixture_run(fixture, "float_adm_total", buffers, &args, (uint32_t[3]){1, 1, 1}), 0);
}

static void check_member(const PictureFormat *format, unsigned member, float actual, float expected)
{
    static const char *const kinds[] = {"den", "num", "aim"};
    if (memcmp(&actual, &expected, sizeof(actual)))
        fail_msg("%ux%u, %u bits, content %d: %s[%u][%u] is %a, not %a", format->w[0], format->h[0],
                 format->bpc, (int)content, kinds[member / 12], member / 3 % 4, member % 3,
                 (double)actual, (double)expected);
}

/* Rows of pictures begin at multiples of 4 bytes, as on devices. */
static void *packed(const VmafPicture *picture, uint32_t stride)
{
    const uint32_t row = picture->w[0] * (picture->bpc > 8 ? 2 : 1);
    unsigned char *bytes = calloc(picture->h[0], stride);
    for (unsigned y = 0; y < picture->h[0]; y++)
        memcpy(bytes + (size_t)y * stride,
               (const unsigned char *)picture->data[0] + (ptrdiff_t)y * picture->stride[0], row);
    return bytes;
}

/* Records of up to four sets of options that share the kernels. */
static void check(Fixture *fixture, unsigned w, unsigned h, unsigned bpc,
                  const FloatAdmOptions *const sets[], uint32_t n)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, bpc, w, h);
    VmafPicture pictures[2] = {harness_picture(&format, ref_sample, 0),
                               harness_picture(&format, dist_sample, 0)};
    const uint32_t stride = (w * (bpc > 8 ? 2 : 1) + 3) / 4 * 4 + 4 * (w % 3);
    const VmafFloatAdmGeometry geometry = {w, h, bpc, stride};
    VmafFloatAdmPlan plan;
    const void *const *options = (const void *const *)sets;
    assert_int_equal(vmaf_float_adm_plan(&plan, &geometry, options, n), 0);
    void *packed_pictures[2] = {packed(&pictures[0], stride), packed(&pictures[1], stride)};
    const Frame frame = {
        .plan = &plan,
        .picture_size = (size_t)stride * h,
        .pictures = {packed_pictures[0], packed_pictures[1]},
        .approx = {calloc(1, plan.approx_size[0]), calloc(1, plan.approx_size[1])},
        .sums = calloc(plan.n_sums, sizeof(float)),
    };
    for (uint32_t s = 0; s < ADM_SCALES; s++)
        for (uint32_t i = 0; i < plan.scales[s].n_chunks; i++)
            run_chunk(fixture, &frame, s, i);
    for (uint32_t i = 0; i < n; i++) {
        const VmafRecordFloatAdm expected = scalar_record(&format, pictures, sets[i]);
        VmafRecordFloatAdm actual;
        run_record(fixture, &frame, sets[i], &actual);
        float members[2][VMAF_FLOAT_ADM_MEMBERS];
        memcpy(members[0], &actual, sizeof(actual));
        memcpy(members[1], &expected, sizeof(expected));
        for (unsigned k = 0; k < VMAF_FLOAT_ADM_MEMBERS; k++)
            check_member(&format, k, members[0][k], members[1][k]);
    }
    for (unsigned i = 0; i < 2; i++) {
        free(packed_pictures[i]);
        free(frame.approx[i]);
        harness_picture_free(&pictures[i]);
    }
    free(frame.sums);
}

CASE(given_any_depth_and_content_the_record_equals_the_scalar_one)
{
    static const double limits[] = {1.0, 100.0, 1.2};
    Fixture fixture;
    open_device(&fixture);
    for (unsigned i = 0; i < CONTENTS * 4; i += step) {
        static const unsigned depths[] = {8, 10, 12, 16};
        FloatAdmOptions options = usual;
        options.enhn_gain_limit = limits[i % 3];
        content = (enum Content)(i / 4);
        check(&fixture, 139, 77, depths[i % 4], (const FloatAdmOptions *[]){&options}, 1);
    }
    fixture_close(&fixture);
}

CASE(given_options_that_share_kernels_each_record_equals_the_scalar_one)
{
    FloatAdmOptions limited = usual, magnitudes = usual, bare = usual, tiny = usual;
    limited.enhn_gain_limit = 1.0;
    magnitudes.p_norm = 1.0;
    magnitudes.skip_scale0 = true;
    bare.bypass_cm = 1;
    bare.csf_mode = 1;
    bare.csf_scale = 50.0;
    tiny.hv_weight[0] = tiny.hv_weight[1] = tiny.diagonal_weight[2] = 1e-40; /* terms vanish */
    tiny.hv_weight[2] = tiny.diagonal_weight[0] = 1e-20;
    tiny.p_norm = 1.0;
    const FloatAdmOptions *const sets[] = {&limited, &magnitudes, &bare, &tiny};
    Fixture fixture;
    open_device(&fixture);
    for (unsigned i = 0; i < CONTENTS; i += step) {
        content = (enum Content)i;
        check(&fixture, 101, 99, i & 1 ? 10 : 8, sets, 4);
    }
    fixture_close(&fixture);
}

/* A tile of 32 x 8 positions is one of 64 x 16 samples of the wavelet's input. */
CASE(given_sizes_around_tile_edges_the_record_equals_the_scalar_one)
{
    static const unsigned heights[] = {17, 18, 19, 31, 32, 33,  34,  47,  63,
                                       64, 65, 95, 96, 97, 127, 129, 161, 191};
    static const unsigned widths[] = {17, 18,  19,  20,  31,  33,  47,  63,  64,  65,
                                      66, 127, 128, 129, 191, 192, 193, 257, 385, 513};
    Fixture fixture;
    open_device(&fixture);
    content = CONTENT_CONTRAST;
    for (unsigned i = 0; i < sizeof(widths) / sizeof(widths[0]); i += step) {
        const unsigned h = heights[7 * i % (sizeof(heights) / sizeof(heights[0]))];
        check(&fixture, widths[i], h, i & 1 ? 10 : 8, (const FloatAdmOptions *[]){&usual}, 1);
    }
    fixture_close(&fixture);
}

CASE(given_the_smallest_sizes_the_record_equals_the_scalar_one)
{
    Fixture fixture;
    open_device(&fixture);
    for (unsigned w = 17; w <= 36; w += step) {
        content = (enum Content)(w % CONTENTS);
        check(&fixture, w, 17 + w * 7 % 20, w % 3 ? 8 : 16, (const FloatAdmOptions *[]){&usual}, 1);
    }
    fixture_close(&fixture);
}

/* -- the plan -- */

static int plan_for(VmafFloatAdmPlan *plan, unsigned w, unsigned h,
                    const FloatAdmOptions *const sets[], uint32_t n)
{
    const VmafFloatAdmGeometry geometry = {w, h, 8, (w + 3) / 4 * 4};
    return vmaf_float_adm_plan(plan, &geometry, (const void *const *)sets, n);
}

/* So many terms of scale 0 that they are made one part after the other. */
static void given_a_scale_in_chunks_the_record_equals_the_scalar_one(void **state)
{
    FloatAdmOptions options[4] = {usual, usual, usual, usual};
    options[1].hv_weight[0] = 0.1;
    options[2].hv_weight[0] = 0.1; /* shares sums of the reference */
    options[2].enhn_gain_limit = 1.0;
    options[3].hv_weight[0] = 0.3;
    const FloatAdmOptions *const sets[] = {&options[0], &options[1], &options[2], &options[3]};
    VmafFloatAdmPlan plan;
    assert_int_equal(plan_for(&plan, 705, 1325, sets, 4), 0);
    assert_in_range(plan.scales[0].n_chunks, 2, 8);
    Fixture fixture;
    open_device(&fixture);
    content = CONTENT_CONTRAST;
    check(&fixture, 705, 1325, 8, sets, 4);
    fixture_close(&fixture);
}

/* Chunks are bands of rows of tiles, without gaps; their terms fit into one binding. */
CASE(given_large_pictures_the_terms_are_made_in_chunks)
{
    static const unsigned sizes[][3] = {
        {1920, 1080, 1}, {3840, 2160, 4}, {7680, 4320, 8}, {17, 60000, 2}};
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        VmafFloatAdmPlan plan;
        assert_int_equal(
            plan_for(&plan, sizes[i][0], sizes[i][1], (const FloatAdmOptions *[]){&usual}, 1), 0);
        assert_int_equal(plan.scales[0].n_chunks, sizes[i][2]);
        for (uint32_t s = 0; s < ADM_SCALES; s++) {
            const VmafFloatAdmScale *scale = &plan.scales[s];
            int32_t next_row = scale->args.first_y, next_window = scale->args.window_y0;
            uint32_t tile_rows = 0;
            for (uint32_t c = 0; c < scale->n_chunks; c++) {
                const VmafFloatAdmChunk chunk = vmaf_float_adm_chunk(scale, c);
                assert_int_equal(chunk.args.first_y, next_row);
                assert_in_range(chunk.terms_size, 1, 32 << 20);
                next_row += (int32_t)chunk.groups[1] * FLOAT_ADM_TILE_ROWS;
                tile_rows += chunk.groups[1];
                if (chunk.args.variants == 0) /* approximations alone */
                    continue;
                assert_int_equal(chunk.args.window_y0, next_window);
                next_window = chunk.args.window_y1;
            }
            assert_int_equal(next_window, scale->args.window_y1);
            assert_int_equal(tile_rows, scale->groups[1]);
        }
    }
}

CASE(given_what_devices_cannot_do_the_plan_says_so)
{
    VmafFloatAdmPlan plan;
    FloatAdmOptions sets[5] = {usual, usual, usual, usual, usual};
    for (int i = 0; i < 5; i++)
        sets[i].enhn_gain_limit = 1.0 + i;
    const FloatAdmOptions *const five[] = {&sets[0], &sets[1], &sets[2], &sets[3], &sets[4]};
    assert_int_equal(plan_for(&plan, 1920, 1080, five, 4), 0);
    assert_int_equal(plan_for(&plan, 1920, 1080, five, 5), -E2BIG);
    assert_int_equal(plan_for(&plan, 16384, 16384, five, 1), -ENOTSUP);
    assert_int_equal(plan_for(&plan, 32, 4000000, five, 1), -ENOTSUP);
    sets[0].p_norm = 2.0;
    sets[1].p_norm = 1.0;
    assert_false(vmaf_float_adm_has_norm(&sets[0]));
    assert_true(vmaf_float_adm_has_norm(&sets[1]));
    assert_true(vmaf_float_adm_has_norm(&sets[2]));
}

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    if (take_argument(&argc, &argv, "chosen"))
        step = 5;
    const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(given_a_scale_in_chunks_the_record_equals_the_scalar_one),
    };
    select_cases(argc, argv);
    int failures = run_defined_cases(NULL, NULL);
    if (step == 1)
        failures += run_case_group(long_tests, NULL, NULL);
    is_exact = false;
    if (is_emulator())
        failures += run_defined_cases(NULL, NULL);
    return end_cases(failures);
}
