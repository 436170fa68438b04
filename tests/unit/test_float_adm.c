/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_adm from pixels to scores, and its rows. Known numbers: libvmaf 3.2 reference values. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* -- scores -- */

typedef struct Known {
    const Content *content;
    unsigned bpc, w, h;
    const char *options;
    double adm2, aim, adm3;
} Known;

static const Known known[] = {
    {&ramp, 8, 176, 144, "", 0.99508345557584987, 0.0019199708925008694, 0.99658174234167451},
    {&curves, 8, 640, 360, "", 1.1524302505098591, 0.0068581498337781507, 1.0727860503380404},
    {&curves, 8, 640, 360, "adm_enhn_gain_limit=1.2:adm_csf_mode=2:adm_adm3_apply_hm=true",
     1.1781372745268965, 0.0018443075758661329, 0.0036828498576192245},
    {&curves, 10, 131, 77, "", 1.0148683186884693, 0.053590797276504384, 0.98063876070598244},
    {&curves, 10, 131, 77, "adm_p_norm=2.5:adm_skip_aim_scale=0:adm_f1s1=0.02:adm_f2s1=0.01",
     1.0099103790757162, 0.045063310716959008, 0.98242353417937855},
    {&ramp, 12, 101, 99,
     "adm_csf_mode=1:adm_csf_scale=0.01:adm_csf_diag_scale=0.02:adm_noise_weight=0.5",
     0.99805850965881748, 0.00083568803652570435, 0.99861141081114591},
    {&ramp, 8, 17, 17, "", 0.99567578588726713, 0.0031381227062569667, 0.99626883159050506},
    {&ramp, 16, 333, 245, "adm_bypass_cm=1:adm_skip_scale0=true", 0.99869989189839015,
     0.0090182625837924111, 0.9948408146572989},
};

CASE(test_scores_equal_known_values)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const Known *k = &known[i];
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, k->bpc, k->w, k->h);
        run(k->options, &format, *k->content);
        expect_score(ADM2, 0, k->adm2);
        expect_score(AIM, 0, k->aim);
        expect_score(ADM3, 0, k->adm3);
        assert_null(harness_find(&harness, TOTAL, 0));
    }
}

static void expect_scales(const double num_den[8])
{
    for (unsigned s = 0; s < 4; s++) {
        expect_score(NUM_DEN + 2 * s, 0, num_den[2 * s]);
        expect_score(NUM_DEN + 2 * s + 1, 0, num_den[2 * s + 1]);
        expect_score(SCALE + s, 0, num_den[2 * s] / num_den[2 * s + 1]);
    }
}

CASE(test_debug_scores_equal_known_values)
{
    static const double num_den[8] = {54.021888732910156, 55.250312805175781, 101.20546722412109,
                                      102.01280212402344, 170.8809814453125,  170.93875122070312,
                                      136.48670959472656, 136.67878723144531};
    PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 176, 144);
    run("debug=true", &format, ramp);
    expect_scales(num_den);
    expect_score(TOTAL, 0, 0.99508345557584987);
    expect_score(TOTAL_NUM, 0, 462.59504699707031);
    expect_score(TOTAL_DEN, 0, 464.88065338134766);
    for (unsigned i = 0; i < N_OUTPUTS; i++)
        assert_int_equal(harness.scores[i].output, i);
    assert_null(float_adm_extractor.outputs[N_OUTPUTS].name);

    static const double other_norm[8] = {15.282617568969727, 16.480075836181641, 11.762700080871582,
                                         14.689662933349609, 38.557064056396484, 44.211891174316406,
                                         135.29180908203125, 123.54116058349609};
    format = harness_format(VMAF_PIX_FMT_YUV400P, 10, 131, 77);
    run("debug=true:adm_p_norm=2.5:adm_skip_aim_scale=0:adm_f1s1=0.02:adm_f2s1=0.01", &format,
        curves);
    expect_scales(other_norm);
}

CASE(test_skipped_scale0_counts_as_almost_nothing)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 176, 144);
    run("adm_skip_scale0=true:debug=true", &format, ramp);
    expect_score(SCALE, 0, 0);
    expect_score(NUM_DEN, 0, 0);
    expect_score(NUM_DEN + 1, 0, 1.000000013351432e-10);
    expect_score(NUM_DEN + 2, 0, 101.20546722412109);
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

static const struct {
    const char *name, *alias;
    double default_value, min, max;
} numeric_options[] = {
    {"adm_enhn_gain_limit", "egl", 100, 1, 100},
    {"adm_norm_view_dist", "nvd", 3, 0.75, 24},
    {"adm_noise_weight", "nw", 0.03125, 0, 1500},
    {"adm_csf_scale", "scf", 1, 0, 50},
    {"adm_csf_diag_scale", "scfd", 1, 0, 50},
    {"adm_ref_display_height", "rdf", 1080, 1, 4320},
    {"adm_csf_mode", "csf", 0, 0, 9},
    {"adm_bypass_cm", "bcm", 0, 0, 1},
    {"adm_p_norm", "apn", 3, 1, 20},
    {"adm_dlm_weight", "dlmw", 0.5, 0, 1},
    {"adm_min_val", "min", 0, 0, 1},
    {"adm_f1s0", "f1s0", -1, -1, 10},
    {"adm_f1s1", "f1s1", -1, -1, 10},
    {"adm_f1s2", "f1s2", -1, -1, 10},
    {"adm_f1s3", "f1s3", -1, -1, 10},
    {"adm_f2s0", "f2s0", -1, -1, 10},
    {"adm_f2s1", "f2s1", -1, -1, 10},
    {"adm_f2s2", "f2s2", -1, -1, 10},
    {"adm_f2s3", "f2s3", -1, -1, 10},
    {"adm_skip_aim_scale", "sasc", -1, 0, 3},
};

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

static double value_of(const FloatAdmOptions *options, const OptionSpec *spec)
{
    const char *field = (const char *)options + spec->offset;
    return spec->type == VMAF_OPTION_TYPE_INT ? *(const int *)(const void *)field
                                              : *(const double *)(const void *)field;
}

CASE(test_options_take_their_range_and_refuse_what_is_outside)
{
    FloatAdmOptions options;
    Reason why;
    for (size_t i = 0; i < sizeof(numeric_options) / sizeof(numeric_options[0]); i++) {
        const char *name = numeric_options[i].name;
        const OptionSpec *spec = option_find(float_adm_extractor.options, name);
        assert_non_null(spec);
        assert_string_equal(spec->alias, numeric_options[i].alias);
        assert_true(spec->flags & OPTION_NAMED);
        assert_int_equal(
            options_parse(&options, float_adm_extractor.options, NULL, NULL, NULL, &why), 0);
        assert_true(value_of(&options, spec) == numeric_options[i].default_value);

        const double limits[2] = {numeric_options[i].min, numeric_options[i].max};
        const double step = spec->type == VMAF_OPTION_TYPE_INT ? 1 : 0.01;
        for (int k = 0; k < 2; k++) {
            assert_int_equal(parsed(name, limits[k], &options, &why), 0);
            assert_true(value_of(&options, spec) == limits[k]);
            char limit[32];
            snprintf(limit, sizeof(limit), "%g", limits[k]);
            assert_int_equal(parsed(name, limits[k] + (k ? step : -step), &options, &why), -EINVAL);
            assert_non_null(strstr(why.text, limit));
        }
    }
    static const char *const switches[][2] = {
        {"debug", NULL}, {"adm_adm3_apply_hm", "aah"}, {"adm_skip_scale0", "ssz"}};
    size_t n = sizeof(numeric_options) / sizeof(numeric_options[0]);
    for (size_t i = 0; i < 3; i++, n++) {
        const OptionSpec *spec = option_find(float_adm_extractor.options, switches[i][0]);
        assert_int_equal(spec->type, VMAF_OPTION_TYPE_BOOL);
        assert_true(spec->default_value == 0);
        assert_int_equal(!!(spec->flags & OPTION_NAMED), switches[i][1] != NULL);
        if (switches[i][1])
            assert_string_equal(spec->alias, switches[i][1]);
    }
    assert_null(float_adm_extractor.options[n].name);
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

/* -- rows -- */

enum { ROW = 176 + 2 * FLOAT_ADM_MARGIN, COLUMNS = 88 };

static float *row_of(float memory[ROW])
{
    return memory + FLOAT_ADM_MARGIN;
}

static FloatAdmSplitRow split_row_of(float memory[2][ROW])
{
    return (FloatAdmSplitRow){row_of(memory[0]), row_of(memory[1])};
}

/* Row `y` of the bands of scale 0 of a 176x144 pattern. */
static void make_bands(const FloatAdmFunctions *functions, HarnessSample sample, int y,
                       FloatAdmSplitRow a, float *bands[ADM_BANDS])
{
    static float input[4][2][ROW], low[2][ROW], high[2][ROW], whole_a[ROW];
    FloatAdmWaveletRow wavelet = {.size = COLUMNS,
                                  .approx = {0, COLUMNS},
                                  .detail = {0, COLUMNS},
                                  .a = a,
                                  .low = split_row_of(low),
                                  .high = split_row_of(high),
                                  .whole_a = row_of(whole_a)};
    for (int k = 0; k < 4; k++) {
        uint8_t samples[176];
        for (unsigned x = 0; x < 176; x++)
            samples[x] = (uint8_t)sample(x, (unsigned)(2 * y - 1 + k), 0, 0, 8);
        wavelet.input[k] = split_row_of(input[k]);
        functions->luma8(&(FloatAdmLumaRow){.samples = samples,
                                            .size = 176,
                                            .columns = {0, 176},
                                            .depth = 8,
                                            .output = wavelet.input[k]});
    }
    memcpy(wavelet.bands, bands, sizeof(wavelet.bands));
    functions->wavelet(&wavelet);
}

CASE(test_rows_equal_known_values)
{
    static const struct {
        int x, y;
        float a, ref[ADM_BANDS], dist[ADM_BANDS];
        float added[ADM_BANDS], masking[ADM_BANDS]; /* weighted */
    } points[] = {
        /* clang-format off */
        {44, 36, -160.0793F, {-1.72067487F, -1.72067833F, -2.81041718F},
         {-3.84567261F, 4.65433311F, -6.49102497F}, {0.036935728F, 0.0808994696F, 0.0216813087F},
         {0.00123119098F, 0.00269664917F, 0.000722710334F}},
        {29, 38, 9.99043846F, {-69.6478271F, -69.8978271F, 19.8761768F},
         {-59.383812F, -71.245018F, 14.8483734F}, {6.63053044e-08F, 0.0234162491F, 0},
         {2.21017693e-09F, 0.000780541683F, 0}},
        /* clang-format on */
    };
    static float ref_a[2][ROW], dist_a[2][ROW], memory[7][ADM_BANDS][ROW];
    FloatAdmFunctions functions;
    float_adm_functions_init(&functions, 0);
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        const int x = points[i].x;
        float *ref[ADM_BANDS], *dist[ADM_BANDS];
        FloatAdmDecouple decouple = {.columns = {0, COLUMNS},
                                     .size = COLUMNS,
                                     .gain_limit = 100,
                                     .weights = {0.0173815377F, 0.0173815377F, 0.005890687F},
                                     .near = (uint32_t *)(void *)row_of(memory[6][0])};
        for (int b = 0; b < ADM_BANDS; b++) {
            decouple.ref[b] = ref[b] = row_of(memory[0][b]);
            decouple.dist[b] = dist[b] = row_of(memory[1][b]);
            decouple.restored[b] = row_of(memory[2][b]);
            decouple.added[b] = row_of(memory[3][b]);
            decouple.restored_masking[b] = row_of(memory[4][b]);
            decouple.added_masking[b] = row_of(memory[5][b]);
        }
        make_bands(&functions, adm_ramp_ref, points[i].y, split_row_of(ref_a), ref);
        make_bands(&functions, adm_ramp_dist, points[i].y, split_row_of(dist_a), dist);
        functions.decouple(&decouple);

        assert_true(row_of(ref_a[x % 2])[x / 2] == points[i].a);
        for (int b = 0; b < ADM_BANDS; b++) {
            assert_true(ref[b][x] == points[i].ref[b]);
            assert_true(dist[b][x] == points[i].dist[b]);
            assert_true(decouple.added[b][x] == points[i].added[b]);
            assert_true(decouple.added_masking[b][x] == points[i].masking[b]);
        }
    }
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
