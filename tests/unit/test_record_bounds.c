/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The bounds that backend_records.h states, at their edges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/session/record_bounds.h"
#include "feature/adm/adm.h"
#include "feature/registry.h"
#include "feature/vif/vif.h"
#include "libvmaf/backend_records.h"

static PictureFormat format; /* 9x6, 4:2:0, 10 bit */

static const RecordKind *kind_of(const char *extractor)
{
    const RecordKind *kind = record_kind_of(registry_find(extractor));
    assert_non_null(kind);
    return kind;
}

#define WITHIN(extractor, record, options)                                                         \
    kind_of(extractor)->within_bounds(&(record), options, &format)

static void given_extractors_then_public_records_have_the_size_of_the_cpus(void **state)
{
    (void)state;
    static const char *const names[] = {"vif",  "adm",        "motion",
                                        "psnr", "float_psnr", "float_moment"};
    /* Options that decide about the size: none. */
    static const union {
        VifOptions vif;
        AdmOptions adm;
        char room[512];
    } options;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_int_equal(registry_find(names[i])->record_size(&options, &format),
                         kind_of(names[i])->size);
    assert_null(record_kind_of(registry_find("ciede")));
}

static void given_vif_then_each_sum_is_bounded_by_the_pixels_of_its_scale(void **state)
{
    (void)state;
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

static void given_adm_then_what_is_skipped_is_zero(void **state)
{
    (void)state;
    const AdmOptions plain = {0}, no_aim = {.skip_aim = true}, no_scale0 = {.skip_scale0 = true};
    VmafRecordAdm record = {0};
    record.aim[2][1] = -5;
    assert_true(WITHIN("adm", record, &plain));
    assert_false(WITHIN("adm", record, &no_aim));
    assert_true(WITHIN("adm", record, &no_scale0));
    record.den[0][0] = 1;
    assert_false(WITHIN("adm", record, &no_scale0));
}

static void given_sums_of_samples_then_the_peak_bounds_them(void **state)
{
    (void)state;
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
    assert_true(kind_of("motion")->within_bounds(&brightest, NULL, &bytes));
    assert_false(kind_of("motion")->within_bounds(&brighter, NULL, &bytes));
}

int main(void)
{
    assert_int_equal(picture_format_init(&format, VMAF_PIX_FMT_YUV420P, 10, 9, 6), 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_extractors_then_public_records_have_the_size_of_the_cpus),
        cmocka_unit_test(given_vif_then_each_sum_is_bounded_by_the_pixels_of_its_scale),
        cmocka_unit_test(given_adm_then_what_is_skipped_is_zero),
        cmocka_unit_test(given_sums_of_samples_then_the_peak_bounds_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
