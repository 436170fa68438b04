/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What holds for all records, and the bounds of metrics that have no test of their own. */
#include <math.h>

#include "libvmaf/backend_records.h"
#include "metrics/framework/extractor.h"
#include "metrics/framework/metric_list.h"
#include "support/cases.h"
#include "support/metric_checks.h"

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
#define ONE(name, record, kind) +1
    assert_int_equal(n_public, VMAF_DEVICE_METRICS(ONE));
}

CASE(given_rows_of_squares_then_each_is_bounded_by_the_peak)
{
    const float peak = 65535.0f / 4 + 256; /* 10-bit samples are stored in 16 bits */
    VmafRecordFloatAnsnrRow rows[6] = {[5] = {.signal = 0.999999f * peak * peak * 9}};
    assert_true(record_within("float_ansnr", rows, NULL));
    rows[0].noise = rows[5].signal;
    assert_true(record_within("float_ansnr", rows, NULL));
    rows[0].noise = 1.000001f * peak * peak * 9;
    assert_false(record_within("float_ansnr", rows, NULL));
    rows[0].noise = -1;
    assert_false(record_within("float_ansnr", rows, NULL));
    rows[0].noise = 0;
    rows[5].signal = INFINITY;
    assert_false(record_within("float_ansnr", rows, NULL));
    rows[5].signal = NAN;
    assert_false(record_within("float_ansnr", rows, NULL));
}

CASE(given_sums_of_samples_then_the_peak_bounds_them)
{
    /* Samples of 10 bits are stored in 16 bits. */
    VmafRecordFloatMoment moment = {{UINT64_C(65535) * 54, 0}, {0, UINT64_C(54) << 32}};
    assert_true(record_within("float_moment", &moment, NULL));
    moment.first[0]++;
    assert_false(record_within("float_moment", &moment, NULL));
}
