/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How the rows of a frame are divided among workers, and that it does not matter. */
#include <stdlib.h>
#include <string.h>

#include "engine/frame_queue_internal.h"
#include "metrics/framework/extractor.h"
#include "support/cases.h"
#include "support/cpu.h"
#include "support/finish_harness.h"

static const RequestMask no_requests;

CASE(given_any_height_then_bands_partition_the_rows)
{
    for (unsigned n_rows = 1; n_rows < 1200; n_rows++) {
        for (unsigned parts = 2; parts < 40; parts += parts < 8 ? 1 : 7) {
            UnitRows rows;
            RowBand band, last = {0, 0};
            unit_rows_begin(&rows, &no_requests, n_rows);
            for (unsigned n = 0; unit_rows_take(&rows, parts, &band); n++) {
                assert_int_equal(band.begin, last.end);
                assert_true(band.end - band.begin >= 48 || n_rows < 48);
                assert_int_equal(band.begin % 16, 0);
                if (n > 0 && band.end < n_rows) /* towards the end there is more to balance */
                    assert_true(band.end - band.begin <= last.end - last.begin);
                last = band;
            }
            assert_int_equal(last.end, n_rows);
        }
    }
}

CASE(given_two_workers_then_the_first_takes_half_and_the_last_bands_are_small)
{
    UnitRows rows;
    RowBand band;
    unit_rows_begin(&rows, &no_requests, 1080);
    static const unsigned ends[] = {544, 816, 960, 1024, 1080};
    for (unsigned i = 0; i < 5; i++) {
        assert_true(unit_rows_take(&rows, 2, &band));
        assert_int_equal(band.end, ends[i]);
    }
    assert_false(unit_rows_take(&rows, 2, &band));
}

CASE(given_a_band_that_fails_then_no_more_are_taken_and_the_first_error_stays)
{
    UnitRows rows;
    RowBand band;
    unit_rows_begin(&rows, &no_requests, 1080);
    assert_true(unit_rows_take(&rows, 2, &band));
    assert_true(unit_rows_take(&rows, 2, &band));
    rows.n_workers = 2;
    unit_rows_fail(&rows, -12);
    unit_rows_fail(&rows, -5);
    assert_false(unit_rows_take(&rows, 2, &band));
    assert_int_equal(rows.status, -12);
    assert_false(unit_rows_leave(&rows, 30));
    assert_true(unit_rows_leave(&rows, 4));
    assert_int_equal(rows.us, 34);
}

/* -- records of bands -- */

enum { MAX_BANDS = 64, N_PICTURES = 2 * (1 + FEATURE_MAX_HISTORY) };

static unsigned sample(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    const unsigned noise = (x * 2654435761u ^ (y + 977 * frame) * 40503u) >> 9;
    const unsigned value = (x * y / 5 + 3 * x + 7 * plane + (noise & (y % 11 ? 15 : 255)));
    return value << (bpc - 8) & ((1u << bpc) - 1);
}

typedef struct Subject {
    const FeatureExtractor *extractor;
    void *options, *params, *scratch;
    PictureFormat format;
    FrameInput input;
} Subject;

/* Bands are done from the last to the first, each into a record of its own. */
static void expect_merged_equals_whole(Subject *s, const unsigned ends[], unsigned n_bands)
{
    const FeatureExtractor *extractor = s->extractor;
    const size_t size = extractor_record_size(extractor, s->options, &s->format);
    void *whole = calloc(1, size), *merged = calloc(1, size);
    const RowBand all = {0, s->format.h[0]};
    assert_non_null(whole);
    assert_non_null(merged);
    assert_int_equal(extractor->accumulate(s->params, s->scratch, &s->input, all, &whole), 0);
    for (unsigned b = n_bands; b-- > 0;) {
        void *part = calloc(1, size);
        assert_non_null(part);
        const RowBand band = {b ? ends[b - 1] : 0, ends[b]};
        assert_int_equal(extractor->accumulate(s->params, s->scratch, &s->input, band, &part), 0);
        extractor->merge(merged, part, size);
        free(part);
    }
    if (memcmp(whole, merged, size) != 0)
        fail_msg("%s: %u bands of a picture of %ux%u, %u bits, make another record",
                 extractor->name, n_bands, s->format.w[0], s->format.h[0], s->format.bpc);
    free(whole);
    free(merged);
}

static void try_bands(Subject *s)
{
    const unsigned h = s->format.h[0];
    unsigned ends[MAX_BANDS];
    for (unsigned parts = 2; parts < 8; parts++) {
        UnitRows rows;
        RowBand band;
        unsigned n = 0;
        for (unit_rows_begin(&rows, &no_requests, h); unit_rows_take(&rows, parts, &band);)
            ends[n++] = band.end;
        expect_merged_equals_whole(s, ends, n);
    }
    /* Bands of a row, or of none, may have nothing to do at the smaller scales. */
    for (unsigned b = 0; b < MAX_BANDS; b++)
        ends[b] = b == MAX_BANDS - 1 ? h : b * (b + 1) / 2 < h ? b * (b + 1) / 2 : h;
    expect_merged_equals_whole(s, ends, MAX_BANDS);
}

static void try_format(const FeatureExtractor *extractor, enum VmafPixelFormat pix_fmt,
                       unsigned bpc, unsigned h, unsigned flags)
{
    Subject s = {.extractor = extractor, .options = harness_options(extractor, "")};
    s.format = harness_format(pix_fmt, bpc, 70, h);
    Reason why;
    if (!extractor_check_format(extractor, s.options, &s.format, &why)) {
        const void *variant = s.options;
        VmafPicture pictures[N_PICTURES];
        for (unsigned i = 0; i < N_PICTURES; i++)
            pictures[i] = harness_picture(&s.format, sample, i);
        s.input = (FrameInput){.ref = &pictures[0], .dist = &pictures[1]};
        const FeatureNeeds needs = extractor_needs(extractor, s.options, pix_fmt);
        for (unsigned i = 0; i < needs.ref_history; i++)
            s.input.earlier_ref[i] = &pictures[2 + i];
        for (unsigned i = 0; i < needs.dist_history; i++)
            s.input.earlier_dist[i] = &pictures[4 + i];
        assert_int_equal(
            extractor_params_create(extractor, &s.params, &s.format, &variant, 1, flags), 0);
        assert_int_equal(extractor_scratch_create(extractor, &s.scratch, s.params), 0);
        try_bands(&s);
        extractor_scratch_destroy(extractor, s.scratch);
        extractor_params_destroy(extractor, s.params);
        for (unsigned i = 0; i < N_PICTURES; i++)
            harness_picture_free(&pictures[i]);
    }
    free(s.options);
}

CASE(given_any_bands_then_merged_records_are_those_of_the_whole_frame)
{
    static const unsigned heights[] = {16, 17, 33, 47, 64, 95, 96, 97, 111, 130, 193, 250};
    const unsigned flag_sets[] = {0, cpu_flags(0)};
    unsigned n_extractors = 0;
    const FeatureExtractor *extractor;
    for (unsigned e = 0; (extractor = registry_get(e)); e++) {
        if (!extractor->merge)
            continue;
        n_extractors++;
        for (unsigned i = 0; i < sizeof(heights) / sizeof(heights[0]); i++) {
            for (unsigned f = 0; f < 2; f++) {
                try_format(extractor, VMAF_PIX_FMT_YUV420P, 8, heights[i], flag_sets[f]);
                try_format(extractor, VMAF_PIX_FMT_YUV444P, 10, heights[i], flag_sets[f]);
            }
        }
    }
    assert_int_equal(n_extractors, 8);
}
