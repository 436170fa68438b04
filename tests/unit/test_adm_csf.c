/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Contrast sensitivity weights of ADM. Known weights: libvmaf 3.2 reference values. */

#include "definition/adm/adm_csf.h"
#include "support/cases.h"

static AdmViewing viewing(AdmCsfMode mode, double distance, int height)
{
    return (AdmViewing){distance, height, mode, 1.0, 1.0};
}

static void test_fixed_point_weights_equal_known_values(void **state)
{
    static const struct {
        AdmCsfMode mode;
        double distance;
        int height;
        uint32_t weights[ADM_SCALES][2];
    } known[] = {
        {ADM_CSF_WATSON,
         3,
         1080,
         {{36453, 49417}, {137373792, 61414028}, {186284160, 104783920}, {196165808, 134487184}}},
        {ADM_CSF_WATSON,
         1.5,
         2160,
         {{36453, 49417}, {137373792, 61414028}, {186284160, 104783920}, {196165808, 134487184}}},
        {ADM_CSF_WATSON,
         5,
         1080,
         {{14342, 17077}, {62382256, 24495736}, {97628224, 48234700}, {118649120, 71447608}}},
        {ADM_CSF_WATSON,
         3,
         2160,
         {{10021, 11393}, {45876252, 17199296}, {75564400, 35644684}, {96654312, 55569672}}},
        {ADM_CSF_BLEND,
         3,
         1080,
         {{24809, 36087}, {107485848, 50586124}, {184468848, 102727024}, {251775280, 154193616}}},
        {ADM_CSF_BLEND,
         1.5,
         2160,
         {{24809, 36087}, {107485848, 50586124}, {184468848, 102727024}, {251775280, 154193616}}},
        {ADM_CSF_BLEND,
         5,
         1080,
         {{8833, 8254}, {63604172, 25134148}, {127311424, 62706524}, {203856320, 118429432}}},
        {ADM_CSF_BLEND,
         3,
         2160,
         {{4739, 4018}, {50809464, 18476950}, {107485848, 50586124}, {184468848, 102727024}}},
        {ADM_CSF_BLEND_MAE,
         3,
         1080,
         {{23590, 34368}, {97092032, 46905336}, {154318176, 92041152}, {196164048, 134488304}}},
        /* Not tabulated: -22 has no low bits. */
        {ADM_CSF_BLEND, 4, 1080, {{0}}},
        {ADM_CSF_BLEND_MAE, 3.5, 2160, {{0}}},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const AdmViewing v = viewing(known[i].mode, known[i].distance, known[i].height);
        for (int s = 0; s < ADM_SCALES; s++) {
            uint32_t weights[ADM_BANDS];
            adm_csf_fixed_point(&v, s, weights);
            assert_int_equal(weights[BAND_H], known[i].weights[s][0]);
            assert_int_equal(weights[BAND_V], known[i].weights[s][0]);
            assert_int_equal(weights[BAND_D], known[i].weights[s][1]);
        }
    }
}

static void expect_weight(const AdmViewing *v, int scale, int orientation, float expected)
{
    const float weight = adm_csf_weight(v, scale, orientation);
    if (weight != expected)
        fail_msg("weight of scale %d is %.9g, not %.9g", scale, (double)weight, (double)expected);
}

static void test_weights_equal_known_values(void **state)
{
    static const float watson[ADM_SCALES][2] = {
        {0.0173815377F, 0.005890687F},
        {0.0319848284F, 0.0142990677F},
        {0.0433726609F, 0.0243969075F},
        {0.0456734113F, 0.0313127376F},
    };
    static const float barten[ADM_SCALES] = {1.21049654F, 5.0422225F, 14.6270647F, 26.9758816F};
    const AdmViewing usual = viewing(ADM_CSF_WATSON, 3, 1080);
    const AdmViewing usual_barten = viewing(ADM_CSF_BARTEN, 3, 1080);
    const AdmViewing unlisted = viewing(ADM_CSF_BLEND, 4, 1080);
    for (int s = 0; s < ADM_SCALES; s++) {
        for (int o = 0; o < 2; o++) {
            expect_weight(&usual, s, o, watson[s][o]);
            expect_weight(&usual_barten, s, o, barten[s]);
            expect_weight(&unlisted, s, o, -22.0F);
        }
    }
}

static void test_scales_apply_to_barten_only(void **state)
{
    AdmViewing v = viewing(ADM_CSF_BARTEN, 3, 1080);
    const float plain = adm_csf_weight(&v, 2, ADM_DIAGONAL);
    v.scale = 0.25;
    v.diagonal_scale = 2.0;
    expect_weight(&v, 2, ADM_HORIZONTAL_VERTICAL, plain * 0.25F);
    expect_weight(&v, 2, ADM_DIAGONAL, plain * 2.0F);
    v.mode = ADM_CSF_WATSON;
    expect_weight(&v, 0, ADM_DIAGONAL, 0.005890687F);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_point_weights_equal_known_values),
        cmocka_unit_test(test_weights_equal_known_values),
        cmocka_unit_test(test_scales_apply_to_barten_only),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
