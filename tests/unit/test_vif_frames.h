/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_UNIT_TEST_VIF_FRAMES_H
#define TESTS_UNIT_TEST_VIF_FRAMES_H

/*
 * Picture pairs by formula: noise, gradients and texture in the reference; blur towards grey,
 * enhancement, inversion and banding in the distorted picture. Luma only.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "feature/sink.h"
#include "feature/vif/vif.h"
#include "feature/vif/vif_plan.h"
#include "libvmaf/backend_records.h"

typedef struct TestPair {
    VmafPicture ref, dist;
    PictureFormat format;
} TestPair;

static inline uint32_t test_hash(uint32_t x, uint32_t y, uint32_t n)
{
    uint32_t h = x * 374761393u + y * 668265263u + n * 2246822519u;
    h ^= h >> 13;
    h *= 1274126177u;
    return h ^ h >> 16;
}

static inline uint32_t test_ref_level(uint32_t x, uint32_t y, uint32_t n, uint32_t h)
{
    switch (((x >> 5) + (y >> 5)) & 3) {
    case 0:
        return 128 + (h & 1);
    case 1:
        return (3 * x + 5 * y + 29 * n) & 255;
    case 2:
        return 64 + (h & 127);
    default:
        return 128 + (((x * x + y * y) >> 4) & 63);
    }
}

static inline uint32_t test_dist_level(uint32_t x, uint32_t y, uint32_t ref)
{
    switch (((x >> 4) + 2 * (y >> 4)) % 6) {
    case 0:
        return ref;
    case 1:
        return (ref + 128) >> 1;
    case 2:
        return ref < 64 ? 0 : 2 * ref - 128 > 255 ? 255 : 2 * ref - 128;
    case 3:
        return 255 - ref;
    case 4:
        return ref & ~7u;
    default:
        return 128;
    }
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
            uint32_t hash = test_hash(x, y, frame);
            uint32_t ref = test_ref_level(x, y, frame, hash);
            uint32_t dist = test_dist_level(x, y, ref);
            uint32_t low = depth - 8, mask = (1u << low) - 1;
            test_store(&pair.ref, x, y, ref << low | (hash >> 8 & mask));
            test_store(&pair.dist, x, y, dist << low | (hash >> 16 & mask));
        }
    return pair;
}

static inline void test_pair_free(TestPair *pair)
{
    free(pair->ref.data[0]);
    free(pair->dist.data[0]);
}

/* Records of several option sets, from one pass over each of the bands that `cuts` separate. */
static inline void test_accumulate(const TestPair *pair, const VifOptions *const options[],
                                   unsigned n, const unsigned *cuts, unsigned n_cuts,
                                   VmafRecordVif *const records[])
{
    const FeatureExtractor *vif = &vif_extractor;
    void *plan;
    assert_int_equal(vif->plan_create(&plan, &pair->format, (const void *const *)options, n, 0), 0);
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
        assert_int_equal(vif->scratch_create(&scratch, plan), 0);
        RowBand band = {begin, end};
        assert_int_equal(vif->accumulate(plan, scratch, &input, band, wanted), 0);
        vif->scratch_destroy(scratch);
        for (unsigned i = 0; i < n; i++)
            if (records[i])
                vif->merge(records[i], &parts[i], sizeof(parts[i]));
        begin = end;
    }
    vif->plan_destroy(plan);
}

static inline VmafRecordVif test_record(const TestPair *pair, VifOptions options)
{
    VmafRecordVif record = {0};
    test_accumulate(pair, (const VifOptions *[]){&options}, 1, NULL, 0,
                    (VmafRecordVif *[]){&record});
    return record;
}

#endif
