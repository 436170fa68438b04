/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * float_adm against its definition: whole planes, every position, no shortcut. The records that
 * the library makes must be equal to the last bit, for all sizes, depths and options that change
 * them.
 */
#include <math.h>
#include <string.h>

#include "metrics/common/math/math_functions.h"
#include "metrics/float_adm/float_adm.h"
#include "metrics/float_adm/float_adm_internal.h"
#include "support/adm_patterns.h"
#include "support/cases.h"
#include "support/metric_checks.h"

enum { MAX_SIZE = 112, A = ADM_BANDS, N_PLANES };

typedef struct Plane {
    int w, h;
    float at[MAX_SIZE][MAX_SIZE];
} Plane;

/* -- the reciprocal -- */

/* The significand of the estimate in integers. */
static float estimate(float x)
{
    const uint32_t bits = bits_of_float(x);
    const uint32_t d = 4097 + 2 * (bits >> 12 & 2047);
    const uint32_t n = ((1u << 26) + d) / (2 * d);
    const uint32_t exponent = 253 - (bits >> 23 & 255);
    return float_of_bits((bits & 0x80000000u) | exponent << 23 | (n - 4096) << 11);
}

CASE(test_reciprocal_estimate_is_that_of_rcpss)
{
    /* What an Intel processor gives. */
    static const uint32_t known[][2] = {{0x3F800000, 0x3F7FF000},
                                        {0x0DA24260, 0x7149E800},
                                        {0x3F801000, 0x3F7FD000},
                                        {0x3FFFF000, 0x3F000800}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const float x = float_of_bits(known[i][0]);
        assert_int_equal(bits_of_float(float_adm_reciprocal_estimate(x)), known[i][1]);
        assert_int_equal(bits_of_float(float_adm_reciprocal_estimate(-x)),
                         known[i][1] | 0x80000000u);
    }
    for (uint32_t exponent = 1; exponent <= 252; exponent++)
        for (uint32_t m = 0; m < 4096; m++) {
            const float x = float_of_bits(exponent << 23 | m << 11);
            assert_int_equal(bits_of_float(float_adm_reciprocal_estimate(x)),
                             bits_of_float(estimate(x)));
        }
}

/* -- wavelet -- */

static int mirror(int i, int n)
{
    return i < 0 ? -i : i >= n ? 2 * n - 1 - i : i;
}

static float filter(bool high, const float x[4])
{
    static const float low[4] = {0.482962913144690F, 0.836516303737469F, 0.224143868041857F,
                                 -0.129409522550921F};
    float sum = 0.0F;
    for (int k = 0; k < 4; k++) {
        const float tap = !high ? low[k] : k % 2 ? -low[3 - k] : low[3 - k];
        const float product = tap * x[k];
        sum = sum + product;
    }
    return sum;
}

static void filter_columns(const Plane *in, bool high, Plane *out)
{
    out->w = in->w;
    out->h = (in->h + 1) / 2;
    for (int y = 0; y < out->h; y++)
        for (int x = 0; x < out->w; x++) {
            float taken[4];
            for (int k = 0; k < 4; k++)
                taken[k] = in->at[mirror(2 * y - 1 + k, in->h)][x];
            out->at[y][x] = filter(high, taken);
        }
}

static void filter_rows(const Plane *in, bool high, Plane *out)
{
    out->w = (in->w + 1) / 2;
    out->h = in->h;
    for (int y = 0; y < out->h; y++)
        for (int x = 0; x < out->w; x++) {
            float taken[4];
            for (int k = 0; k < 4; k++)
                taken[k] = in->at[y][mirror(2 * x - 1 + k, in->w)];
            out->at[y][x] = filter(high, taken);
        }
}

static void analyse(const Plane *in, Plane out[N_PLANES])
{
    static Plane low, high;
    filter_columns(in, false, &low);
    filter_columns(in, true, &high);
    filter_rows(&low, false, &out[A]);
    filter_rows(&low, true, &out[BAND_V]);
    filter_rows(&high, false, &out[BAND_H]);
    filter_rows(&high, true, &out[BAND_D]);
}

static void read_luma(const VmafPicture *pic, Plane *plane)
{
    plane->w = (int)pic->w[0];
    plane->h = (int)pic->h[0];
    for (int y = 0; y < plane->h; y++) {
        const uint8_t *row = (const uint8_t *)pic->data[0] + y * pic->stride[0];
        for (int x = 0; x < plane->w; x++) {
            const int sample = pic->bpc > 8 ? ((const uint16_t *)(const void *)row)[x] : row[x];
            plane->at[y][x] = (float)sample / (float)(1 << (pic->bpc - 8)) - 128.0F;
        }
    }
}

/* -- decoupling -- */

static bool is_near(float oh, float ov, float th, float tv)
{
    const float squared_cos =
        (float)(cos(3.14159265358979323846 / 180) * cos(3.14159265358979323846 / 180));
    const float inner = oh * th + ov * tv;
    const float o = oh * oh + ov * ov, t = th * th + tv * tv;
    return inner >= 0.0F && inner * inner >= squared_cos * o * t;
}

static float rest_of(float o, float t, bool near, double gain_limit)
{
    const float x = o + 1e-30F, y = estimate(x);
    float k = t * (y + y * (1.0F - x * y));
    if (k < 0.0F)
        k = 0.0F;
    if (k > 1.0F)
        k = 1.0F;
    const float r = k * o;
    const double limit = r * gain_limit;
    if (near && r > 0.0F)
        return (float)(limit < t ? limit : t);
    if (near && r < 0.0F)
        return (float)(limit > t ? limit : t);
    return r;
}

/* -- sums -- */

typedef struct Window {
    int x0, x1, y0, y1;
} Window;

static Window window_of(int w, int h)
{
    const int x0 = w > 5 ? (int)(0.1 * w - 0.5) : 0, y0 = h > 5 ? (int)(0.1 * h - 0.5) : 0;
    return (Window){x0, w - x0, y0, h - y0};
}

static float power(float v, double p)
{
    return p == 3.0 ? v * v * v : math_powf(v, (float)p);
}

static float threshold(const Plane masker[ADM_BANDS], const float weights[ADM_BANDS], int x, int y)
{
    const int w = masker[0].w, h = masker[0].h;
    float total = 0.0F;
    for (int b = 0; b < ADM_BANDS; b++) {
        float sum = 0.0F;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const float at = masker[b].at[mirror(y + dy, h)][mirror(x + dx, w)];
                const double magnitude = fabsf(weights[b] * at);
                if (dx == 0 && dy == 0) {
                    sum = (float)(sum + 0.0666666701 * magnitude);
                } else {
                    const float part = (float)(0.0333333351 * magnitude);
                    sum = sum + part;
                }
            }
        total = total + sum;
    }
    return total;
}

/* Without a masker there is no threshold. */
static void pool(const Plane target[ADM_BANDS], const Plane *masker, const float weights[ADM_BANDS],
                 double p, float sums[ADM_BANDS])
{
    const Window window = window_of(target[0].w, target[0].h);
    for (int b = 0; b < ADM_BANDS; b++) {
        sums[b] = 0.0F;
        for (int y = window.y0; y < window.y1; y++) {
            float row = 0.0F;
            for (int x = window.x0; x < window.x1; x++) {
                float v = fabsf(weights[b] * target[b].at[y][x]);
                if (masker)
                    v = v - threshold(masker, weights, x, y);
                row = row + (v > 0.0F ? power(v, p) : 0.0F);
            }
            sums[b] = sums[b] + row;
        }
    }
}

static void define(const FrameInput *input, const FloatAdmOptions *options,
                   VmafRecordFloatAdm *record)
{
    static Plane ref[N_PLANES], dist[N_PLANES], restored[ADM_BANDS], added[ADM_BANDS], in;
    read_luma(input->ref, &ref[A]);
    read_luma(input->dist, &dist[A]);
    memset(record, 0, sizeof(*record));
    for (int s = 0; s < ADM_SCALES; s++) {
        in = ref[A];
        analyse(&in, ref);
        in = dist[A];
        analyse(&in, dist);
        if (s == 0 && options->skip_scale0)
            continue;
        for (int b = 0; b < ADM_BANDS; b++) {
            restored[b].w = added[b].w = ref[b].w;
            restored[b].h = added[b].h = ref[b].h;
        }
        for (int y = 0; y < ref[A].h; y++)
            for (int x = 0; x < ref[A].w; x++) {
                const bool near = is_near(ref[BAND_H].at[y][x], ref[BAND_V].at[y][x],
                                          dist[BAND_H].at[y][x], dist[BAND_V].at[y][x]);
                for (int b = 0; b < ADM_BANDS; b++) {
                    const float t = dist[b].at[y][x];
                    const float r = rest_of(ref[b].at[y][x], t, near, options->enhn_gain_limit);
                    restored[b].at[y][x] = r;
                    added[b].at[y][x] = t - r;
                }
            }
        float weights[ADM_BANDS];
        float_adm_weights(options, s, weights);
        const bool masks = options->bypass_cm == 0;
        pool(ref, NULL, weights, options->p_norm, record->den[s]);
        pool(restored, masks ? added : NULL, weights, options->p_norm, record->num[s]);
        pool(added, masks ? restored : NULL, weights, options->p_norm, record->aim[s]);
    }
}

/* -- content -- */

static unsigned hash(unsigned x, unsigned y, unsigned salt)
{
    unsigned h = x * 374761393u + y * 668265263u + salt * 2246822519u;
    h = (h ^ h >> 13) * 1274126177u;
    return h ^ h >> 16;
}

static unsigned noise(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return hash(x, y, frame) & ((1u << bpc) - 1);
}

static unsigned other_noise(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return noise(x, y, plane, frame + 1, bpc);
}

/* Every other block is the same as in noise(): ratios of 1, and nothing added. */
static unsigned half_noise(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return noise(x, y, plane, frame + (x / 16 + y / 16) % 2, bpc);
}

static unsigned faint_noise(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return (1u << (bpc - 2)) + noise(x, y, plane, frame, bpc) / 2;
}

/* More contrast, and directions that differ by about the degree that decides. */
static unsigned tilted_noise(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return faint_noise(x, y, plane, frame, bpc) + noise(x, y, plane, frame, bpc) / 8 +
           other_noise(x, y, plane, frame, bpc) / 96;
}

static unsigned checks(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return (x + y) % 2 ? (1u << bpc) - 1 : 0;
}

static unsigned flat(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return 77u << (bpc - 8);
}

static const HarnessSample contents[][2] = {
    {adm_ramp_ref, adm_ramp_dist},
    {adm_curves_ref, adm_curves_dist},
    {noise, other_noise},
    {noise, half_noise},
    {checks, noise},
    {flat, flat},
    {flat, noise},
    {noise, flat},
    {faint_noise, tilted_noise},
};

static const char *const options_in_turn[] = {
    "",
    "adm_enhn_gain_limit=1",
    "adm_enhn_gain_limit=1.2",
    "adm_csf_mode=2:adm_norm_view_dist=0.75",
    "adm_bypass_cm=1:adm_f1s0=10:adm_f2s3=0",
    "adm_p_norm=2.5:adm_skip_scale0=true",
    "adm_p_norm=1",
    "adm_csf_mode=1:adm_csf_scale=0.01:adm_csf_diag_scale=0.02",
};

CASE(test_records_are_those_of_the_definition)
{
    static const unsigned depths[] = {8, 10, 12, 16};
    enum { N_CONTENTS = sizeof(contents) / sizeof(contents[0]), ROUNDS = 9 * 40 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned random = hash(round, 1, 2);
        const unsigned w = 17 + random % (round % 2 ? 96 : 20);
        const unsigned h = 17 + (random >> 8) % (round % 4 < 2 ? 96 : 20);
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, depths[random >> 16 & 3], w, h);
        const HarnessSample *content = contents[round % N_CONTENTS];
        const char *options = options_in_turn[round % 8];

        PicturePair pair;
        pair_make(&pair, &format, content[0], content[1], round);
        harness_start(&harness, &float_adm_extractor, options, &format);
        VmafRecordFloatAdm actual, expected;
        harness_accumulate_bands(&harness, &pair.input, NULL, 0, &actual);
        define(&pair.input, harness.options, &expected);
        if (memcmp(&actual, &expected, sizeof(actual)) != 0)
            fail_msg("%ux%u, %u bits, content %u, options \"%s\"", w, h, format.bpc,
                     round % N_CONTENTS, options);
        harness_stop(&harness);
        pair_free(&pair);
    }
}
