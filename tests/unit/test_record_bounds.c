/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The bounds that backend_records.h states, at their edges. */
#include <math.h>
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/adm/adm_internal.h"
#include "metrics/cambi/cambi_internal.h"
#include "metrics/float_adm/float_adm_internal.h"
#include "metrics/float_motion/float_motion_internal.h"
#include "metrics/float_ssim/ssim_internal.h"
#include "metrics/float_vif/float_vif_internal.h"
#include "metrics/framework/extractor.h"
#include "metrics/speed/speed_internal.h"
#include "metrics/ssimulacra2/ssimulacra2_internal.h"
#include "metrics/vif/vif_internal.h"
#include "support/cases.h"

static PictureFormat format; /* 9x6, 4:2:0, 10 bit */

static const FeatureRecord *record_of(const char *extractor)
{
    const FeatureRecord *record = &registry_find(extractor)->record;
    assert_string_equal(record->id, extractor);
    return record;
}

#define WITHIN(extractor, record, options)                                                         \
    record_of(extractor)->is_possible(&(record), options, &format)

CASE(given_extractors_then_a_record_is_public_with_all_that_backends_need_or_private)
{
    unsigned n_public = 0;
    const FeatureExtractor *extractor;
    for (unsigned i = 0; (extractor = registry_get(i)); i++) {
        const FeatureRecord *record = &extractor->record;
        assert_int_equal(record->id != NULL, record->is_possible != NULL);
        assert_int_equal(record->id != NULL, record->version != 0);
        if (record->id) {
            assert_int_equal(extractor->record_size != NULL, record->is_bytes);
            /* A part of some is stored, without what goes to files. */
            assert_true(record->size || record->is_bytes);
            n_public++;
        }
    }
    assert_int_equal(n_public, 18);
}

CASE(given_vif_then_each_sum_is_bounded_by_the_pixels_of_its_scale)
{
    const VifOptions plain = {0}, skip = {.skip_scale0 = true};
    VmafRecordVif record = {0};
    record.flat_count[0] = 54;
    record.log_den[1] = 28673 * 4 * 3;
    assert_true(WITHIN("vif", record, &plain));
    assert_false(WITHIN("vif", record, &skip));
    record.flat_count[0] = 55;
    assert_false(WITHIN("vif", record, &plain));
    record.flat_count[0] = -1;
    assert_false(WITHIN("vif", record, &plain));
    record.flat_count[0] = 0;
    record.log_den[1]++;
    assert_false(WITHIN("vif", record, &plain));
    record.log_den[1] = 0;
    record.log_num[3] = 1; /* 9 >> 3 by 6 >> 3: no pixels */
    assert_false(WITHIN("vif", record, &plain));
}

CASE(given_cambi_then_sums_are_bounded_by_window_and_pixels)
{
    PictureFormat large;
    assert_int_equal(picture_format_init(&large, VMAF_PIX_FMT_YUV420P, 10, 321, 217), 0);
    CambiOptions o = {.window_size = 65, .topk = 0.6, .cambi_topk = 0.25, .max_log_contrast = 2};
    CambiGeometry geometry[CAMBI_PICTURES];
    assert_int_equal(cambi_geometry(geometry, &o, 321, 217), CAMBI_ACCEPTED);
    const uint64_t pooled = cambi_pooled_pixels(&geometry[CAMBI_DIST], 4, &o);
    assert_int_equal(geometry[CAMBI_DIST].window, 5);
    assert_int_equal(pooled, 21 * 14 / 4);
    const FeatureRecord *public = record_of("cambi");

    VmafRecordCambi record = {0};
    record.strongest[CAMBI_DIST][4] = (VmafRecordCambiSum){(4 * 25 / 4 + 1) * pooled, 0xffffff};
    assert_true(public->is_possible(&record, &o, &large));
    record.strongest[CAMBI_DIST][4].whole++;
    assert_false(public->is_possible(&record, &o, &large));
    record.strongest[CAMBI_DIST][4] = (VmafRecordCambiSum){0, 0x1000000};
    assert_false(public->is_possible(&record, &o, &large));

    /* The reference is scored only if that is asked for. */
    record.strongest[CAMBI_DIST][4] = (VmafRecordCambiSum){0};
    record.strongest[CAMBI_REF][0].fraction = 1;
    assert_false(public->is_possible(&record, &o, &large));
    o.full_ref = true;
    assert_true(public->is_possible(&record, &o, &large));

    /* Of a picture with samples beyond the depth there are no sums. */
    record.is_beyond_depth[CAMBI_REF] = 1;
    assert_false(public->is_possible(&record, &o, &large));
    record.strongest[CAMBI_REF][0].fraction = 0;
    assert_true(public->is_possible(&record, &o, &large));
    record.is_beyond_depth[CAMBI_REF] = 2;
    assert_false(public->is_possible(&record, &o, &large));
    record.is_beyond_depth[CAMBI_REF] = 1;
    large.bpc = 8;
    assert_false(public->is_possible(&record, &o, &large));
    large.bpc = 10;
    o.full_ref = false;
    assert_false(public->is_possible(&record, &o, &large));
}

CASE(given_adm_then_what_is_skipped_is_zero)
{
    const AdmOptions plain = {0}, no_aim = {.skip_aim = true}, no_scale0 = {.skip_scale0 = true};
    VmafRecordAdm record = {0};
    record.aim[2][1] = -5;
    assert_true(WITHIN("adm", record, &plain));
    assert_false(WITHIN("adm", record, &no_aim));
    assert_true(WITHIN("adm", record, &no_scale0));
    record.den[0][0] = 1;
    assert_false(WITHIN("adm", record, &no_scale0));
}

CASE(given_sums_of_samples_then_the_peak_bounds_them)
{
    /* Of 16 bits, which is what 10-bit samples are stored in. */
    VmafRecordMotion motion = {UINT64_C(65535) * 54 << 6};
    assert_true(WITHIN("motion", motion, NULL));
    motion.sad++;
    assert_false(WITHIN("motion", motion, NULL));

    VmafRecordPsnr psnr = {{UINT64_C(65535) * 65535 * 54, 0, UINT64_C(65535) * 65535 * 12}};
    assert_true(WITHIN("psnr", psnr, NULL));
    psnr.sse[2]++;
    assert_false(WITHIN("psnr", psnr, NULL));

    VmafRecordFloatPsnr float_psnr = {UINT64_C(54) << 32};
    assert_true(WITHIN("float_psnr", float_psnr, NULL));
    float_psnr.sse++;
    assert_false(WITHIN("float_psnr", float_psnr, NULL));

    VmafRecordFloatMoment moment = {{UINT64_C(65535) * 54, 0}, {0, UINT64_C(54) << 32}};
    assert_true(WITHIN("float_moment", moment, NULL));
    moment.first[0]++;
    assert_false(WITHIN("float_moment", moment, NULL));

    PictureFormat bytes;
    assert_int_equal(picture_format_init(&bytes, VMAF_PIX_FMT_YUV420P, 8, 9, 6), 0);
    const VmafRecordMotion brightest = {65535 * 54}, brighter = {65535 * 54 + 1};
    assert_true(record_of("motion")->is_possible(&brightest, NULL, &bytes));
    assert_false(record_of("motion")->is_possible(&brighter, NULL, &bytes));
}

CASE(given_rows_then_each_is_bounded_by_its_samples)
{
    const FloatMotionOptions luma = {.motion_filter_size = 5};
    const FloatMotionOptions all = {.motion_filter_size = 5, .motion_add_uv = true};
    float rows[12] = {[5] = 65536.0f * 9}; /* six rows of nine samples, and six of four */
    assert_true(WITHIN("float_motion", *rows, &luma));
    assert_true(WITHIN("float_motion", *rows, &all));
    rows[11] = 65536.0f * 9;
    assert_true(WITHIN("float_motion", *rows, &luma));
    assert_false(WITHIN("float_motion", *rows, &all));
    rows[5] = 65536.0f * 10;
    assert_false(WITHIN("float_motion", *rows, &luma));
    rows[5] = NAN;
    assert_false(WITHIN("float_motion", *rows, &luma));
    rows[5] = -1;
    assert_false(WITHIN("float_motion", *rows, &luma));
}

CASE(given_rows_of_squares_then_each_is_bounded_by_the_peak)
{
    const float peak = 65535.0f / 4 + 256; /* 10-bit samples are stored in 16 bits */
    VmafRecordFloatAnsnrRow rows[6] = {[5] = {.signal = 0.999999f * peak * peak * 9}};
    assert_true(WITHIN("float_ansnr", *rows, NULL));
    rows[0].noise = rows[5].signal;
    assert_true(WITHIN("float_ansnr", *rows, NULL));
    rows[0].noise = 1.000001f * peak * peak * 9;
    assert_false(WITHIN("float_ansnr", *rows, NULL));
    rows[0].noise = -1;
    assert_false(WITHIN("float_ansnr", *rows, NULL));
    rows[0].noise = 0;
    rows[5].signal = INFINITY;
    assert_false(WITHIN("float_ansnr", *rows, NULL));
    rows[5].signal = NAN;
    assert_false(WITHIN("float_ansnr", *rows, NULL));
}

CASE(given_means_of_ssim_then_each_is_bounded)
{
    const FloatSsimOptions index = {0}, all = {.enable_lcs = true};
    /* 10-bit samples are stored in 16 bits. */
    const float range = 65535.0f / 4, structure = 2 + range * range / 14;
    VmafRecordFloatSsim record = {.index = -structure};
    assert_true(WITHIN("float_ssim", record, &index));
    assert_true(WITHIN("float_ssim", record, &all));
    record.luminance = -1.001f;
    record.contrast = 1.001f;
    record.structure = structure;
    assert_true(WITHIN("float_ssim", record, &all));
    assert_false(WITHIN("float_ssim", record, &index));

    const float usual[4] = {1, 1, 1, 1},
                too_much[4] = {structure * 1.001f, 1.01f, 1.01f, structure * 1.001f};
    const float too_little[4] = {structure * -1.001f, -1.01f, -0.001f, structure * -1.001f};
    for (unsigned i = 0; i < 4; i++) {
        const float wrong[] = {too_much[i], too_little[i], NAN, INFINITY};
        for (unsigned k = 0; k < 4; k++) {
            float means[4];
            memcpy(means, usual, sizeof(means));
            assert_true(WITHIN("float_ssim", *means, &all));
            means[i] = wrong[k];
            assert_false(WITHIN("float_ssim", *means, &all));
        }
    }
    const VmafRecordFloatSsim of_contrast = {.index = 1, .contrast = 1},
                              of_structure = {.structure = 1};
    assert_false(WITHIN("float_ssim", of_contrast, &index));
    assert_false(WITHIN("float_ssim", of_structure, &index));
}

CASE(given_means_of_scales_then_each_is_bounded)
{
    const FloatMsSsimOptions plain = {0}, all = {.enable_lcs = true};
    VmafRecordFloatMsSsim record = {.luminance = {[4] = 1}};
    assert_true(WITHIN("float_ms_ssim", record, &plain));
    record.luminance[3] = 1;
    assert_false(WITHIN("float_ms_ssim", record, &plain));
    assert_true(WITHIN("float_ms_ssim", record, &all));
    record.luminance[4] = 1.01f;
    assert_false(WITHIN("float_ms_ssim", record, &all));
    record.luminance[4] = 1;
    record.contrast[0] = -0.01f;
    assert_false(WITHIN("float_ms_ssim", record, &all));
    record.contrast[0] = 0;
    const float range = 65535.0f / 4 * 16;
    record.structure[4] = range * range / 14;
    assert_true(WITHIN("float_ms_ssim", record, &all));
    record.structure[4] = NAN;
    assert_false(WITHIN("float_ms_ssim", record, &all));
    record.structure[4] = 0;
    record.structure[3] = range * range / 14;
    assert_false(WITHIN("float_ms_ssim", record, &all));
}

CASE(given_float_vif_then_each_sum_is_bounded_by_the_pixels_of_its_scale)
{
    const FloatVifOptions plain = {.vif_prescale = 1}, twice = {.vif_prescale = 2};
    const FloatVifOptions skip = {.vif_prescale = 1, .vif_skip_scale0 = true};
    VmafRecordFloatVif record = {.num = {-1048576.0f * 54}, .den = {256.0f * 54}};
    assert_true(WITHIN("float_vif", record, &plain));
    assert_true(WITHIN("float_vif", record, &twice));
    assert_false(WITHIN("float_vif", record, &skip));
    record = (VmafRecordFloatVif){.num = {0, 256.0f * 4 * 3}};
    assert_true(WITHIN("float_vif", record, &plain));
    assert_true(WITHIN("float_vif", record, &skip));
    record.num[1] *= 2;
    assert_false(WITHIN("float_vif", record, &plain));
    assert_true(WITHIN("float_vif", record, &twice));
    record = (VmafRecordFloatVif){.den = {[1] = NAN}};
    assert_false(WITHIN("float_vif", record, &plain));
    record = (VmafRecordFloatVif){.num = {[2] = NAN}};
    assert_false(WITHIN("float_vif", record, &plain));
    record = (VmafRecordFloatVif){.den = {-1}};
    assert_false(WITHIN("float_vif", record, &plain));
    record = (VmafRecordFloatVif){.den = {257.0f * 54}};
    assert_false(WITHIN("float_vif", record, &plain));
    record = (VmafRecordFloatVif){.num = {[3] = 1}}; /* no pixels */
    assert_false(WITHIN("float_vif", record, &plain));
}

CASE(given_ssim_then_no_similarity_exceeds_its_weight)
{
    VmafRecordSsim record = {-65536.0 * 54};
    assert_true(WITHIN("ssim", record, NULL));
    record.weighted_similarity = 65538.0 * 54;
    assert_false(WITHIN("ssim", record, NULL));
    record.weighted_similarity = -65538.0 * 54;
    assert_false(WITHIN("ssim", record, NULL));
    record.weighted_similarity = NAN;
    assert_false(WITHIN("ssim", record, NULL));
}

CASE(given_psnr_hvs_then_each_sum_is_bounded_by_its_coefficients)
{
    PictureFormat pictures; /* 3 x 2 blocks of luma, and of Cb and Cr one each */
    for (unsigned bpc = 8; bpc <= 10; bpc++) {
        assert_int_equal(picture_format_init(&pictures, VMAF_PIX_FMT_YUV420P, bpc, 22, 16), 0);
        const float term = bpc == 8 ? 0x1p28f : 0x1p36f;
        const VmafRecordPsnrHvs most = {{term * 6 * 64, term * 64, 0}};
        assert_true(record_of("psnr_hvs")->is_possible(&most, NULL, &pictures));
        for (unsigned plane = 0; plane < 3; plane++) {
            const float wrong[] = {term * (plane ? 65 : 6 * 65), -1, NAN, INFINITY};
            for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
                VmafRecordPsnrHvs record = most;
                record.error[plane] = wrong[i];
                assert_false(record_of("psnr_hvs")->is_possible(&record, NULL, &pictures));
            }
        }
    }
}

static bool is_possible_ssimulacra2(unsigned c, unsigned s, unsigned k, double sum)
{
    static VmafRecordSsimulacra2 record;
    PictureFormat pictures; /* scales of 20x37, 10x19 and no more */
    assert_int_equal(picture_format_init(&pictures, VMAF_PIX_FMT_YUV420P, 8, 20, 37), 0);
    memset(&record, 0, sizeof(record));
    record.sum[c][s][k] = sum;
    return record_of("ssimulacra2")->is_possible(&record, NULL, &pictures);
}

CASE(given_ssimulacra2_then_sums_are_bounded_by_the_pixels_of_scales_with_weight)
{
    static const double most[SSIMULACRA2_NORMS] = {0, 4, 1, 0, 256, 1}; /* 0: finite */
    static const double pixels[SSIMULACRA2_SCALES] = {20 * 37, 10 * 19};
    unsigned n_accepted = 0;
    for (unsigned i = 0; i < SSIMULACRA2_COMPONENTS * SSIMULACRA2_SCALES * SSIMULACRA2_NORMS; i++) {
        const unsigned c = i / (SSIMULACRA2_SCALES * SSIMULACRA2_NORMS);
        const unsigned s = i / SSIMULACRA2_NORMS % SSIMULACRA2_SCALES, k = i % SSIMULACRA2_NORMS;
        assert_true(is_possible_ssimulacra2(c, s, k, 0));
        assert_false(is_possible_ssimulacra2(c, s, k, -1e-300));
        assert_false(is_possible_ssimulacra2(c, s, k, NAN));
        assert_false(is_possible_ssimulacra2(c, s, k, INFINITY));
        const bool is_summed = s < 2 && ssimulacra2_has_weight(c, s, k);
        assert_int_equal(is_possible_ssimulacra2(c, s, k, 1e-300), is_summed);
        if (!is_summed)
            continue;
        n_accepted++;
        if (most[k] > 0) {
            assert_true(is_possible_ssimulacra2(c, s, k, most[k] * pixels[s]));
            assert_false(is_possible_ssimulacra2(c, s, k, most[k] * (pixels[s] + 1)));
        } else {
            assert_true(is_possible_ssimulacra2(c, s, k, 1e300));
        }
    }
    assert_int_equal(n_accepted, 5 + 10);
}

CASE(given_float_adm_then_sums_are_finite_and_not_negative)
{
    const FloatAdmOptions cubes = {.p_norm = 3}, fourth = {.p_norm = 4};
    const FloatAdmOptions skip = {.p_norm = 3, .skip_scale0 = true};
    VmafRecordFloatAdm record = {.den = {{1e30f}}, .aim = {[3] = {0, 0, 1}}};
    assert_true(WITHIN("float_adm", record, &cubes));
    assert_false(WITHIN("float_adm", record, &skip));
    record.den[0][0] = 0;
    assert_true(WITHIN("float_adm", record, &skip));
    record.num[1][2] = -1e-30f;
    assert_false(WITHIN("float_adm", record, &cubes));
    record.num[1][2] = NAN;
    assert_false(WITHIN("float_adm", record, &cubes));
    record.num[1][2] = INFINITY;
    assert_false(WITHIN("float_adm", record, &cubes));
    assert_true(WITHIN("float_adm", record, &fourth));
}

CASE(given_reduced_planes_then_each_number_is_bounded)
{
    enum { CHROMA = 4 * 5 * 10, LUMA = 2 * 10 * 20 };
    static const struct {
        const char *extractor;
        size_t n;
    } cases[] = {{"speed_chroma", CHROMA}, {"speed_temporal", LUMA}};
    const SpeedOptions options = {.speed_prescale = 1};
    const float most = 64 * 65535.0f / 4; /* memory can hold samples above the nominal depth */
    PictureFormat tall;
    assert_int_equal(picture_format_init(&tall, VMAF_PIX_FMT_YUV420P, 10, 160, 320), 0);
    for (int i = 0; i < 2; i++) {
        const FeatureExtractor *extractor = registry_find(cases[i].extractor);
        const size_t n = cases[i].n;
        float record[LUMA + 1] = {0};
        assert_int_equal(extractor->record_size(&options, &tall), n * sizeof(float));
        record[n] = NAN; /* is not read */
        record[0] = -most;
        record[n - 1] = most;
        assert_true(extractor->record.is_possible(record, &options, &tall));
        const float broken[] = {nextafterf(most, INFINITY), -INFINITY, NAN};
        for (int b = 0; b < 3; b++) {
            record[n - 1] = broken[b];
            assert_false(extractor->record.is_possible(record, &options, &tall));
        }
    }
}

int main(int argc, char **argv)
{
    assert_int_equal(picture_format_init(&format, VMAF_PIX_FMT_YUV420P, 10, 9, 6), 0);
    return run_cases(argc, argv);
}
