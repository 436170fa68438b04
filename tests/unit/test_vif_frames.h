/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_UNIT_TEST_VIF_FRAMES_H
#define TESTS_UNIT_TEST_VIF_FRAMES_H

/* Luma-only picture pairs of the tile pattern, and what the tests of VIF do with them. */

#include <stdlib.h>

#include "libvmaf/backend_records.h"
#include "metrics/framework/extractor.h"
#include "metrics/vif/vif_internal.h"
#include "support/cases.h"
#include "support/tile_pattern.h"

typedef struct TestPair {
    VmafPicture ref, dist;
    PictureFormat format;
} TestPair;

static inline uint32_t test_hash(uint32_t x, uint32_t y, uint32_t n)
{
    return tile_hash(x, y, 0, n);
}

static inline void test_store(VmafPicture *pic, unsigned x, unsigned y, uint32_t value)
{
    uint8_t *row = (uint8_t *)pic->data[0] + (ptrdiff_t)y * pic->stride[0];
    if (pic->bpc == 8)
        row[x] = (uint8_t)value;
    else
        ((uint16_t *)(void *)row)[x] = (uint16_t)value;
}

static inline uint32_t test_load(const VmafPicture *pic, unsigned x, unsigned y)
{
    const uint8_t *row = (const uint8_t *)pic->data[0] + (ptrdiff_t)y * pic->stride[0];
    return pic->bpc == 8 ? row[x] : ((const uint16_t *)(const void *)row)[x];
}

/* Planes of exactly w * h samples, so that a tool can see a read past the end. */
static inline VmafPicture test_picture(unsigned w, unsigned h, unsigned depth)
{
    VmafPicture pic = {.pix_fmt = VMAF_PIX_FMT_YUV400P, .bpc = depth, .w = {w}, .h = {h}};
    size_t sample_size = depth > 8 ? 2 : 1;
    pic.stride[0] = (ptrdiff_t)(w * sample_size);
    pic.data[0] = calloc((size_t)w * h, sample_size);
    assert_non_null(pic.data[0]);
    return pic;
}

static inline TestPair test_pair_blank(unsigned w, unsigned h, unsigned depth)
{
    return (TestPair){
        .ref = test_picture(w, h, depth),
        .dist = test_picture(w, h, depth),
        .format = {.pix_fmt = VMAF_PIX_FMT_YUV400P, .bpc = depth, .w = {w}, .h = {h}},
    };
}

static inline TestPair test_pair(unsigned w, unsigned h, unsigned depth, unsigned frame)
{
    TestPair pair = test_pair_blank(w, h, depth);
    for (unsigned y = 0; y < h; y++)
        for (unsigned x = 0; x < w; x++) {
            test_store(&pair.ref, x, y, tile_pattern_ref(x, y, 0, frame, depth));
            test_store(&pair.dist, x, y, tile_pattern_dist(x, y, 0, frame, depth));
        }
    return pair;
}

static inline void test_pair_free(TestPair *pair)
{
    free(pair->ref.data[0]);
    free(pair->dist.data[0]);
}

/* Records of several option sets, from one pass over each of the bands that `cuts` separate, with
 * the kernels for a processor. */
static inline void test_accumulate_on(unsigned cpu_flags, const TestPair *pair,
                                      const VifOptions *const options[], unsigned n,
                                      const unsigned *cuts, unsigned n_cuts,
                                      VmafRecordVif *const records[])
{
    const FeatureExtractor *vif = &vif_extractor;
    void *params;
    assert_int_equal(extractor_params_create(vif, &params, &pair->format,
                                             (const void *const *)options, n, cpu_flags),
                     0);
    FrameInput input = {.ref = &pair->ref, .dist = &pair->dist};
    unsigned begin = 0;
    for (unsigned cut = 0; cut <= n_cuts; cut++) {
        unsigned end = cut < n_cuts ? cuts[cut] : pair->format.h[0];
        VmafRecordVif parts[4] = {0};
        void *wanted[4] = {NULL};
        assert_true(n <= 4);
        for (unsigned i = 0; i < n; i++)
            wanted[i] = records[i] ? &parts[i] : NULL;
        /* New memory for each band: it may not live on rows that another one left there. */
        void *scratch;
        assert_int_equal(extractor_scratch_create(vif, &scratch, params), 0);
        RowBand band = {begin, end};
        assert_int_equal(vif->accumulate(params, scratch, &input, band, wanted), 0);
        extractor_scratch_destroy(vif, scratch);
        for (unsigned i = 0; i < n; i++)
            if (records[i])
                vif->merge(records[i], &parts[i], sizeof(parts[i]));
        begin = end;
    }
    extractor_params_destroy(vif, params);
}

static inline void test_accumulate(const TestPair *pair, const VifOptions *const options[],
                                   unsigned n, const unsigned *cuts, unsigned n_cuts,
                                   VmafRecordVif *const records[])
{
    test_accumulate_on(0, pair, options, n, cuts, n_cuts, records);
}

static inline VmafRecordVif test_record(const TestPair *pair, VifOptions options)
{
    VmafRecordVif record = {0};
    test_accumulate(pair, (const VifOptions *[]){&options}, 1, NULL, 0,
                    (VmafRecordVif *[]){&record});
    return record;
}

#endif
