/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_adm from pixels to scores. Known weights: libvmaf 3.2 reference values. */
#include <math.h>
#include <stdio.h>

#include "metrics/float_adm/float_adm.h"
#include "metrics/float_adm/float_adm_internal.h"
#include "support/adm_patterns.h"
#include "support/cases.h"
#include "support/cpu.h"
#include "support/metric_checks.h"

enum {
    ADM2,
    AIM,
    ADM3,
    SCALE,
    TOTAL = SCALE + 4,
    TOTAL_NUM,
    TOTAL_DEN,
    NUM_DEN,
    N_OUTPUTS = NUM_DEN + 8,
};

typedef struct Content {
    HarnessSample ref, dist;
} Content;

static const Content ramp = {adm_ramp_ref, adm_ramp_dist};
static const Content curves = {adm_curves_ref, adm_curves_dist};

static unsigned light(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return 200u << (bpc - 8);
}

static void run(const char *options, const PictureFormat *format, Content content)
{
    run_frame(&float_adm_extractor, options, format, content.ref, content.dist, 0);
}

CASE(test_flat_pictures_score_one)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    run("", &format, (Content){sample_grey, sample_grey});
    expect_score(ADM2, 0, 1);
    expect_score(AIM, 0, 0);
    expect_score(ADM3, 0, 1);
    for (unsigned s = 0; s < 4; s++)
        expect_score(SCALE + s, 0, 1);
}

CASE(test_flat_pictures_without_noise_floor)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    /* Mid grey is 0 in the wavelet: nothing over nothing. */
    run("adm_noise_weight=0", &format, (Content){sample_grey, sample_grey});
    expect_score(ADM2, 0, 1);
    expect_score(AIM, 0, 0);
    for (unsigned s = 0; s < 4; s++)
        assert_true(isnan(harness_score(&harness, SCALE + s, 0)));
    /* Elsewhere rounding leaves a little detail, the same in both pictures. */
    run("adm_noise_weight=0", &format, (Content){light, light});
    expect_score(ADM2, 0, 1);
    expect_score(AIM, 0, 0);
    for (unsigned s = 0; s < 4; s++)
        expect_score(SCALE + s, 0, 1);
}

CASE(test_adm3_is_clipped_from_below_and_aim_from_above)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    run("adm_min_val=1", &format, ramp);
    expect_score(ADM3, 0, 1);
    run("adm_noise_weight=0", &format, (Content){light, adm_ramp_ref});
    expect_score(AIM, 0, 1);
}

CASE(test_adm_is_the_only_output_whose_key_never_shows_options)
{
    assert_string_equal(float_adm_extractor.outputs[TOTAL].name, "adm");
    for (unsigned i = 0; i < N_OUTPUTS; i++)
        assert_int_equal(float_adm_extractor.outputs[i].flags, i == TOTAL ? 0 : OUTPUT_PROVIDED);
    assert_string_equal(float_adm_extractor.also_provides[0], "adm_scale0");
    assert_null(float_adm_extractor.also_provides[1]);
}

/* -- options and formats -- */

static int parsed(const char *name, double value, FloatAdmOptions *options, Reason *why)
{
    char text[32];
    snprintf(text, sizeof(text), "%g", value);
    Dictionary *dict = dictionary_create();
    assert_non_null(dict);
    assert_int_equal(dictionary_set(dict, name, text), 0);
    const int error = options_parse(options, float_adm_extractor.options, dict, NULL, NULL, why);
    dictionary_destroy(dict);
    return error;
}

CASE(test_options_take_their_range_and_refuse_what_is_outside)
{
    static const OptionRange ranges[] = {
        {"adm_enhn_gain_limit", "1", "100", "0.99", "100.01"},
        {"adm_norm_view_dist", "0.75", "24", "0.74", "24.01"},
        {"adm_noise_weight", "0", "1500", "-0.01", "1500.01"},
        {"adm_csf_scale", "0", "50", "-0.01", "50.01"},
        {"adm_csf_diag_scale", "0", "50", "-0.01", "50.01"},
        {"adm_ref_display_height", "1", "4320", "0", "4321"},
        {"adm_csf_mode", "0", "9", "-1", "10"},
        {"adm_bypass_cm", "0", "1", "-1", "2"},
        {"adm_p_norm", "1", "20", "0.99", "20.01"},
        {"adm_dlm_weight", "0", "1", "-0.01", "1.01"},
        {"adm_min_val", "0", "1", "-0.01", "1.01"},
        {"adm_f1s0", "-1", "10", "-1.01", "10.01"},
        {"adm_f1s1", "-1", "10", "-1.01", "10.01"},
        {"adm_f1s2", "-1", "10", "-1.01", "10.01"},
        {"adm_f1s3", "-1", "10", "-1.01", "10.01"},
        {"adm_f2s0", "-1", "10", "-1.01", "10.01"},
        {"adm_f2s1", "-1", "10", "-1.01", "10.01"},
        {"adm_f2s2", "-1", "10", "-1.01", "10.01"},
        {"adm_f2s3", "-1", "10", "-1.01", "10.01"},
        {"adm_skip_aim_scale", "0", "3", "-1", "4"},
    };
    expect_ranges(&float_adm_extractor, ranges, sizeof(ranges) / sizeof(ranges[0]));
}

CASE(test_refuses_what_it_cannot_do_and_says_why)
{
    const FeatureExtractor *adm = &float_adm_extractor;
    expect_format(adm, "", VMAF_PIX_FMT_YUV400P, 8, 17, 17, NULL);
    expect_format(adm, "", VMAF_PIX_FMT_YUV400P, 8, 16, 17, "17x17");
    expect_format(adm, "", VMAF_PIX_FMT_YUV400P, 8, 17, 16, "17x17");
    expect_depths_8_10_12_16(adm, VMAF_PIX_FMT_YUV400P, 64, 64);
}

/* -- weights -- */

CASE(test_weights_equal_known_values)
{
    static const float li[4][2] = {{0.00544585148F, 0.000230553938F},
                                   {0.166835055F, 0.0407456607F},
                                   {0.667863488F, 0.389219612F},
                                   {0.986264586F, 0.877359927F}};
    static const float watson[4][2] = {{0.0173815377F, 0.005890687F},
                                       {0.0319848284F, 0.0142990677F},
                                       {0.0433726609F, 0.0243969075F},
                                       {0.0456734113F, 0.0313127376F}};
    for (int mode = 0; mode <= 9; mode++) {
        FloatAdmOptions options;
        assert_int_equal(parsed("adm_csf_mode", mode, &options, NULL), 0);
        for (int s = 0; s < ADM_SCALES; s++) {
            float weights[ADM_BANDS];
            float_adm_weights(&options, s, weights);
            assert_true(weights[BAND_H] == weights[BAND_V]);
            if (mode == 1) /* Barten's, of the same scale for all directions */
                assert_true(weights[BAND_D] == weights[BAND_H] && weights[BAND_H] > 1.2F);
            else {
                assert_true(weights[BAND_H] == (mode == 2 ? li : watson)[s][0]);
                assert_true(weights[BAND_D] == (mode == 2 ? li : watson)[s][1]);
            }
        }
    }
}

CASE(test_given_weights_replace_those_of_the_scale)
{
    FloatAdmOptions options;
    float weights[ADM_BANDS];
    assert_int_equal(parsed("adm_f1s2", 0.3, &options, NULL), 0);
    float_adm_weights(&options, 2, weights);
    assert_true(weights[BAND_H] == 0.3F && weights[BAND_V] == 0.3F);
    assert_true(weights[BAND_D] == 0.0243969075F);
    float_adm_weights(&options, 1, weights);
    assert_true(weights[BAND_H] == 0.0319848284F);
    assert_int_equal(parsed("adm_f2s0", 0, &options, NULL), 0);
    float_adm_weights(&options, 0, weights);
    assert_true(weights[BAND_H] == 0.0173815377F && weights[BAND_D] == 0.0F);
}

/* -- several option sets -- */

CASE(test_variants_in_one_pass_equal_passes_of_their_own)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 120, 90);
    PicturePair pair;
    pair_make(&pair, &format, curves.ref, curves.dist, 0);
    expect_variants(&float_adm_extractor, &format, &pair.input,
                    (const char *[]){"", "adm_enhn_gain_limit=1",
                                     "adm_skip_scale0=true:adm_bypass_cm=1",
                                     "adm_p_norm=2:adm_csf_mode=2"},
                    4);
    pair_free(&pair);
}

/* -- the degree that decides -- */

enum { DECIDED = 256, DECIDED_MARGIN = 32, DECIDED_ROOM = DECIDED + 2 * DECIDED_MARGIN };

/* Detail of reference and distorted picture, horizontal and vertical. */
typedef struct Details {
    float ref[2], dist[2];
} Details;

/* Whether the angle is within that of which `squared_cos` is the square of the cosine. */
static bool is_within(const Details *d, float squared_cos)
{
    const float inner = d->ref[0] * d->dist[0] + d->ref[1] * d->dist[1];
    const float ref_energy = d->ref[0] * d->ref[0] + d->ref[1] * d->ref[1];
    const float dist_energy = d->dist[0] * d->dist[0] + d->dist[1] * d->dist[1];
    return inner * inner >= squared_cos * ref_energy * dist_energy;
}

/* Twice the contrast, turned by about one degree: a little more with each step. */
static Details tilted(unsigned i, int step)
{
    const double angle = 0.3 + 0.001 * i, turned = angle + acos(-1) / 180;
    const double shrink = 1 + 1e-7 * step;
    return (Details){{(float)cos(angle), (float)sin(angle)},
                     {(float)(2 * cos(turned) * shrink), (float)(2 * sin(turned))}};
}

/* Fills the columns with details that another constant next to the right one would judge
 * otherwise; as many for the one above as for the one below. */
static void find_critical(Details details[DECIDED], float squared_cos)
{
    const float limits[2] = {nextafterf(squared_cos, 0), nextafterf(squared_cos, 1)};
    unsigned n = 0;
    for (unsigned i = 0; n < DECIDED; i++) {
        assert_true(i < 1000);
        for (int step = -200; step <= 200 && n < DECIDED; step++) {
            const Details d = tilted(i, step);
            if (is_within(&d, squared_cos) != is_within(&d, limits[n % 2]))
                details[n++] = d;
        }
    }
}

static void expect_decisions(const Details details[DECIDED], unsigned cpu_flags, float squared_cos)
{
    static float rows[6][ADM_BANDS][DECIDED_ROOM];
    static uint32_t near[DECIDED_ROOM];
    FloatAdmDecouple row = {.columns = {0, DECIDED}, .size = DECIDED, .gain_limit = 100};
    for (int b = 0; b < ADM_BANDS; b++) {
        row.weights[b] = 1;
        row.ref[b] = rows[0][b] + DECIDED_MARGIN;
        row.dist[b] = rows[1][b] + DECIDED_MARGIN;
        row.restored[b] = rows[2][b] + DECIDED_MARGIN;
        row.added[b] = rows[3][b] + DECIDED_MARGIN;
        row.restored_masking[b] = rows[4][b] + DECIDED_MARGIN;
        row.added_masking[b] = rows[5][b] + DECIDED_MARGIN;
        for (int x = 0; x < DECIDED; x++) {
            rows[0][b][DECIDED_MARGIN + x] = b == BAND_D ? 1 : details[x].ref[b == BAND_V];
            rows[1][b][DECIDED_MARGIN + x] = b == BAND_D ? 2 : details[x].dist[b == BAND_V];
        }
    }
    row.near = near + DECIDED_MARGIN;
    FloatAdmFunctions functions;
    float_adm_functions_init(&functions, cpu_flags);
    functions.decouple(&row);
    /* All of the distorted detail is restored, or as much as the reference has. */
    for (int x = 0; x < DECIDED; x++)
        for (int b = 0; b < ADM_BANDS; b++) {
            const float expected =
                is_within(&details[x], squared_cos) ? row.dist[b][x] : row.ref[b][x];
            assert_true(row.restored[b][x] == expected);
        }
}

CASE(test_directions_count_as_the_same_within_the_very_degree)
{
    const float squared_cos = (float)(cos(acos(-1) / 180) * cos(acos(-1) / 180));
    assert_true(squared_cos == 0x1.ffd814p-1F);
    Details details[DECIDED];
    find_critical(details, squared_cos);
    expect_decisions(details, 0, squared_cos);
    expect_decisions(details, cpu_flags(0) & ~(unsigned)CPU_AVX512, squared_cos);
    expect_decisions(details, cpu_flags(0), squared_cos);
}

CASE(given_float_adm_then_sums_are_finite_and_not_negative)
{
    const FloatAdmOptions cubes = {.p_norm = 3}, fourth = {.p_norm = 4};
    const FloatAdmOptions skip = {.p_norm = 3, .skip_scale0 = true};
    VmafRecordFloatAdm record = {.den = {{1e30f}}, .aim = {[3] = {0, 0, 1}}};
    assert_true(record_within("float_adm", &record, &cubes));
    assert_false(record_within("float_adm", &record, &skip));
    record.den[0][0] = 0;
    assert_true(record_within("float_adm", &record, &skip));
    record.num[1][2] = -1e-30f;
    assert_false(record_within("float_adm", &record, &cubes));
    record.num[1][2] = NAN;
    assert_false(record_within("float_adm", &record, &cubes));
    record.num[1][2] = INFINITY;
    assert_false(record_within("float_adm", &record, &cubes));
    assert_true(record_within("float_adm", &record, &fourth));
}
