/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/metric_checks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"

FinishHarness harness;

void pair_make(PicturePair *pair, const PictureFormat *format, HarnessSample ref_of,
               HarnessSample dist_of, unsigned frame)
{
    *pair = (PicturePair){.ref = harness_picture(format, ref_of, frame)};
    pair->input.ref = &pair->ref;
    if (dist_of) {
        pair->dist = harness_picture(format, dist_of, frame);
        pair->input.dist = &pair->dist;
    }
}

void pair_free(PicturePair *pair)
{
    harness_picture_free(&pair->ref);
    harness_picture_free(&pair->dist);
}

void run_frame(const FeatureExtractor *extractor, const char *options, const PictureFormat *format,
               HarnessSample ref_of, HarnessSample dist_of, unsigned frame)
{
    PicturePair pair;
    pair_make(&pair, format, ref_of, dist_of, frame);
    harness_start(&harness, extractor, options, format);
    harness_frame(&harness, &pair.input, 0);
    harness_flush(&harness);
    harness_stop(&harness);
    pair_free(&pair);
}

void run_frames(const FeatureExtractor *extractor, const char *options, const PictureFormat *format,
                HarnessSample ref_of, HarnessSample dist_of, unsigned n_frames,
                const unsigned *indices)
{
    PicturePair *pairs = calloc(n_frames, sizeof(*pairs));
    assert_non_null(pairs);
    harness_start(&harness, extractor, options, format);
    for (unsigned t = 0; t < n_frames; t++) {
        PicturePair *pair = &pairs[t];
        pair_make(pair, format, ref_of, dist_of, t);
        for (unsigned k = 0; k < FEATURE_MAX_HISTORY && k < t; k++) {
            pair->input.earlier_ref[k] = pairs[t - 1 - k].input.ref;
            pair->input.earlier_dist[k] = pairs[t - 1 - k].input.dist;
        }
        harness_frame(&harness, &pair->input, indices ? indices[t] : t);
    }
    harness_flush(&harness);
    harness_stop(&harness);
    for (unsigned t = 0; t < n_frames; t++)
        pair_free(&pairs[t]);
    free(pairs);
}

void expect_bits(double value, double known, const char *what)
{
    if (memcmp(&value, &known, sizeof(value)))
        fail_msg("%s is %.17g, not %.17g", what, value, known);
}

void expect_score(unsigned output, unsigned index, double known)
{
    char what[96];
    snprintf(what, sizeof(what), "%s of frame %u", harness.extractor->outputs[output].name, index);
    expect_bits(harness_score(&harness, output, index), known, what);
}

void expect_scores(unsigned output, const double known[], unsigned n_frames)
{
    for (unsigned i = 0; i < n_frames; i++)
        expect_score(output, i, known[i]);
}

void expect_bands(const FrameInput *input, const unsigned *cuts, unsigned n_cuts)
{
    const size_t size = extractor_record_size(harness.extractor, harness.options, &harness.format);
    void *merged = malloc(size);
    assert_non_null(merged);
    harness_accumulate_bands(&harness, input, cuts, n_cuts, merged);
    assert_memory_equal(merged, harness.record, size);
    free(merged);
}

enum { MAX_VARIANTS = 5 };

static void accumulate(const FeatureExtractor *extractor, const PictureFormat *format,
                       const FrameInput *input, void *const options[], unsigned n,
                       void *const records[])
{
    void *params, *scratch;
    assert_int_equal(
        extractor_params_create(extractor, &params, format, (const void *const *)options, n, 0), 0);
    assert_int_equal(extractor_scratch_create(extractor, &scratch, params), 0);
    assert_int_equal(
        extractor->accumulate(params, scratch, input, (RowBand){0, format->h[0]}, records), 0);
    extractor_scratch_destroy(extractor, scratch);
    extractor_params_destroy(extractor, params);
}

void expect_variants(const FeatureExtractor *extractor, const PictureFormat *format,
                     const FrameInput *input, const char *const options[], unsigned n)
{
    void *structs[MAX_VARIANTS], *alone[MAX_VARIANTS], *together[MAX_VARIANTS];
    size_t sizes[MAX_VARIANTS];
    assert_in_range(n, 2, MAX_VARIANTS);
    for (unsigned i = 0; i < n; i++) {
        structs[i] = harness_options(extractor, options[i]);
        assert_non_null(structs[i]);
        sizes[i] = extractor_record_size(extractor, structs[i], format);
        alone[i] = calloc(1, sizes[i]);
        together[i] = malloc(sizes[i]);
        assert_true(alone[i] && together[i]);
        accumulate(extractor, format, input, &structs[i], 1, &alone[i]);
    }
    assert_true(sizes[0] != sizes[1] || memcmp(alone[0], alone[1], sizes[0]));

    for (unsigned without = 0; without < 1u << n; without++) {
        void *wanted[MAX_VARIANTS];
        for (unsigned i = 0; i < n; i++) {
            memset(together[i], 0, sizes[i]);
            wanted[i] = without >> i & 1 ? NULL : together[i];
        }
        accumulate(extractor, format, input, structs, n, wanted);
        for (unsigned i = 0; i < n; i++) {
            if (wanted[i] && memcmp(together[i], alone[i], sizes[i]))
                fail_msg("\"%s\" is another one beside others", options[i]);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        free(structs[i]);
        free(alone[i]);
        free(together[i]);
    }
}

static int parse(const FeatureExtractor *extractor, const char *name, const char *value,
                 Reason *why)
{
    void *options = calloc(1, extractor->options_size);
    Dictionary *dict = dictionary_create();
    assert_true(options && dict);
    assert_int_equal(dictionary_set(dict, name, value), 0);
    const int err = options_parse(options, extractor->options, dict, NULL, NULL, why);
    dictionary_destroy(dict);
    free(options);
    return err;
}

const FeatureRecord *record_of(const char *extractor)
{
    const FeatureRecord *record = &registry_find(extractor)->record;
    assert_string_equal(record->id, extractor);
    return record;
}

bool record_within(const char *extractor, const void *record, const void *options)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 10, 9, 6);
    return record_of(extractor)->is_possible(record, options, &format);
}

void expect_ranges(const FeatureExtractor *extractor, const OptionRange ranges[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const OptionRange *r = &ranges[i];
        char range[64];
        snprintf(range, sizeof(range), "%s to %s", r->low, r->high);
        assert_int_equal(parse(extractor, r->name, r->low, NULL), 0);
        assert_int_equal(parse(extractor, r->name, r->high, NULL), 0);
        for (int j = 0; j < 2; j++) {
            Reason why = {""};
            assert_int_equal(parse(extractor, r->name, j ? r->above : r->below, &why), -EINVAL);
            if (!strstr(why.text, r->name) || !strstr(why.text, range))
                fail_msg("\"%s\" does not say that %s is %s", why.text, r->name, range);
        }
    }
}

void expect_format(const FeatureExtractor *extractor, const char *options,
                   enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w, unsigned h,
                   const char *limit)
{
    void *parsed = harness_options(extractor, options);
    assert_non_null(parsed);
    const PictureFormat format = harness_format(pix_fmt, bpc, w, h);
    Reason why = {""};
    const int err = extractor_check_format(extractor, parsed, &format, &why);
    if (err != (limit ? -EINVAL : 0) || (limit && !strstr(why.text, limit)))
        fail_msg("%ux%u, %u bits: %d, \"%s\", not \"%s\"", w, h, bpc, err, why.text,
                 limit ? limit : "accepted");
    free(parsed);
}

void expect_depths_8_10_12_16(const FeatureExtractor *extractor, enum VmafPixelFormat pix_fmt,
                              unsigned w, unsigned h)
{
    for (unsigned bpc = 8; bpc <= 16; bpc++) {
        const bool accepted = bpc == 8 || bpc == 10 || bpc == 12 || bpc == 16;
        expect_format(extractor, "", pix_fmt, bpc, w, h, accepted ? NULL : "8, 10, 12 or 16 bits");
    }
}
