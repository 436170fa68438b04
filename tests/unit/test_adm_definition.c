/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * ADM against its definition: whole planes, every position, no shortcut, in 64-bit integers. The
 * records that the library makes must be equal, for random and for extreme pictures of all depths.
 */
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/adm/adm.h"
#include "metrics/adm/adm_internal.h"
#include "support/cases.h"
#include "support/finish_harness.h"

enum { MAX_SIZE = 80, MAX_ROWS = 400, A = ADM_BANDS, N_PLANES };

typedef struct Plane {
    int w, h;
    int64_t at[MAX_ROWS][MAX_SIZE];
} Plane;

static int64_t wrap32(int64_t x)
{
    return (int32_t)(uint32_t)(uint64_t)x;
}

static int64_t wrap16(int64_t x)
{
    return (int16_t)(uint16_t)(uint64_t)x;
}

/* Floor of a quotient by a power of two after adding one half. */
static int64_t round_shift(int64_t x, int shift)
{
    return shift == 0 ? x : (x + ((int64_t)1 << (shift - 1))) >> shift;
}

static int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

static int ceil_log2(int64_t n)
{
    int k = 0;
    while ((int64_t)1 << k < n)
        k++;
    return k;
}

/* -- wavelet -- */

static int mirror(int i, int n)
{
    return i < 0 ? -i : i >= n ? 2 * n - 1 - i : i;
}

static const int64_t low_pass[4] = {15826, 27411, 7345, -4240};
static const int64_t high_pass[4] = {-4240, -7345, 27411, -15826};

static void filter_columns(const Plane *in, const int64_t taps[4], int shift, Plane *out)
{
    out->w = in->w;
    out->h = (in->h + 1) / 2;
    for (int y = 0; y < out->h; y++)
        for (int x = 0; x < out->w; x++) {
            int64_t sum = 0;
            for (int k = 0; k < 4; k++)
                sum += taps[k] * in->at[mirror(2 * y - 1 + k, in->h)][x];
            out->at[y][x] = round_shift(sum, shift);
        }
}

static void filter_rows(const Plane *in, const int64_t taps[4], int shift, Plane *out)
{
    out->w = (in->w + 1) / 2;
    out->h = in->h;
    for (int y = 0; y < out->h; y++)
        for (int x = 0; x < out->w; x++) {
            int64_t sum = 0;
            for (int k = 0; k < 4; k++)
                sum += taps[k] * in->at[y][mirror(2 * x - 1 + k, in->w)];
            out->at[y][x] = round_shift(sum, shift);
        }
}

static void transform(const Plane *in, int scale, unsigned bpc, Plane out[N_PLANES])
{
    static const int vertical[ADM_SCALES] = {0, 0, 16, 16};
    static const int horizontal[ADM_SCALES] = {16, 15, 16, 15};
    static Plane low, high;
    const int shift = scale == 0 ? (int)bpc : vertical[scale];
    filter_columns(in, low_pass, shift, &low);
    filter_columns(in, high_pass, shift, &high);
    filter_rows(&low, low_pass, horizontal[scale], &out[A]);
    filter_rows(&low, high_pass, horizontal[scale], &out[BAND_V]);
    filter_rows(&high, low_pass, horizontal[scale], &out[BAND_H]);
    filter_rows(&high, high_pass, horizontal[scale], &out[BAND_D]);
}

/* -- decoupling -- */

static int is_near(int64_t oh, int64_t ov, int64_t th, int64_t tv)
{
    const float inner = (float)(oh * th + ov * tv);
    const float ref = (float)(oh * oh + ov * ov), dist = (float)(th * th + tv * tv);
    const float cosine_squared = 0.99969542F;
    return inner >= 0 &&
           (double)inner * inner >= (double)cosine_squared * (double)ref * (double)dist;
}

static int64_t restored(int64_t o, int64_t t, int near, double gain_limit)
{
    if (o == 0)
        return 0;
    int64_t m = magnitude(o);
    int e = 0;
    if (m >= 32768) {
        while (m >> e >= 32768)
            e++;
        m = round_shift(m, e);
    }
    const int64_t reciprocal = ((int64_t)1 << 30) / m * (o < 0 ? -1 : 1);
    int64_t k = round_shift(reciprocal * t, 15 + e);
    k = k < 0 ? 0 : k > 32768 ? 32768 : k;
    const int64_t r = round_shift(k * o, 15);
    if (k == 0 || !near)
        return r;
    const double limit = (double)r * gain_limit, wanted = (double)t;
    if (o > 0)
        return (int64_t)(limit < wanted ? limit : wanted);
    return (int64_t)(limit > wanted ? limit : wanted);
}

/* -- masking -- */

typedef struct Weighted {
    Plane product[ADM_BANDS], coefficient[ADM_BANDS]; /* as target, as masker */
} Weighted;

static void weigh(const Plane signal[ADM_BANDS], int scale, const uint32_t weights[ADM_BANDS],
                  Weighted *out)
{
    for (int b = 0; b < ADM_BANDS; b++)
        for (int y = 0; y < signal[b].h; y++)
            for (int x = 0; x < signal[b].w; x++) {
                const int64_t product = weights[b] * signal[b].at[y][x];
                int64_t *target = &out->product[b].at[y][x];
                int64_t *masker = &out->coefficient[b].at[y][x];
                if (scale > 0) {
                    *target = *masker = wrap32(round_shift(product, 28));
                    continue;
                }
                *target = wrap32(product);
                *masker = b == BAND_D ? wrap16(wrap32(*target + 65535) >> 17)
                                      : wrap16(wrap32(*target + 16384) >> 15);
            }
}

static int64_t neighbour_part(int scale, int64_t c)
{
    if (scale == 0)
        return wrap16((4369 * magnitude(c) + 2048) >> 12);
    return (143165577 * magnitude(c) - ((int64_t)1 << 31)) >> 32;
}

static int64_t centre_part(int scale, int64_t c)
{
    if (scale == 0)
        return wrap16((8738 * magnitude(c) + 2048) >> 12);
    return (286331153 * magnitude(c) - ((int64_t)1 << 31)) >> 32;
}

static int64_t threshold(const Weighted *masker, int scale, int w, int h, int x, int y)
{
    int64_t sum = 0;
    for (int b = 0; b < ADM_BANDS; b++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int64_t c = masker->coefficient[b].at[mirror(y + dy, h)][mirror(x + dx, w)];
                sum += dx == 0 && dy == 0 ? centre_part(scale, c) : neighbour_part(scale, c);
            }
    return wrap32(sum);
}

static int64_t energy(int64_t product, int64_t raised, int scale, int b, int w)
{
    const int up = scale > 0 ? 0 : b == BAND_D ? 12 : 10;
    const int square_shift = scale == 0 && b != BAND_D ? 29 : 30;
    const int shift = ceil_log2(w) - (scale > 0 ? 0 : b == BAND_D ? 3 : 4);
    const int64_t excess = wrap32(magnitude(product) - wrap32(raised * (1 << up)));
    const int64_t m = excess > 0 ? excess : 0;
    return round_shift(wrap32(round_shift(m * m, square_shift)) * m, shift);
}

/* -- records -- */

typedef struct Window {
    int x0, x1, y0, y1;
} Window;

static Window window_of(int w, int h)
{
    const int x0 = (int)(0.1 * w - 0.5), y0 = (int)(0.1 * h - 0.5);
    return (Window){x0, w - x0, y0, h - y0};
}

static uint64_t denominator(const Plane *band, int scale)
{
    const Window o = window_of(band->w, band->h);
    const int columns = o.x1 - o.x0, rows = o.y1 - o.y0;
    uint64_t total = 0;
    for (int y = o.y0; y < o.y1; y++) {
        uint64_t sum = 0;
        for (int x = o.x0; x < o.x1; x++) {
            const uint64_t m = (uint64_t)magnitude(band->at[y][x]);
            const uint64_t cube =
                scale == 0 ? m * m * m : ((m * m >> (scale == 2 ? 30 : 31)) + 1) * m;
            sum += scale == 0 ? cube : adm_round_shift(cube, ceil_log2(columns));
        }
        const int shift = scale > 0 ? ceil_log2(rows)
                          : ceil_log2((int64_t)rows * columns) > 20
                              ? ceil_log2((int64_t)rows * columns) - 20
                              : 0;
        total += adm_round_shift(sum, shift);
    }
    return total;
}

static void numerators(const Weighted *target, const Weighted *masker, int scale, int w, int h,
                       int64_t totals[ADM_BANDS])
{
    const Window o = window_of(w, h);
    for (int b = 0; b < ADM_BANDS; b++) {
        uint64_t total = 0;
        for (int y = o.y0; y < o.y1; y++) {
            uint64_t sum = 0;
            for (int x = o.x0; x < o.x1; x++)
                sum += (uint64_t)energy(target->product[b].at[y][x],
                                        threshold(masker, scale, w, h, x, y), scale, b, w);
            total += (uint64_t)adm_round_shift_signed(sum, ceil_log2(h));
        }
        totals[b] = (int64_t)total;
    }
}

static Plane pixels[2], bands[2][N_PLANES];

static void define_record(const AdmOptions *options, unsigned bpc, VmafRecordAdm *record)
{
    static Plane rest[ADM_BANDS], addition[ADM_BANDS];
    static Weighted weighted_rest, weighted_addition;
    const AdmViewing viewing = adm_viewing(options);
    *record = (VmafRecordAdm){0};
    for (int scale = 0; scale < ADM_SCALES; scale++) {
        for (int k = 0; k < 2; k++) {
            if (scale > 0)
                pixels[k] = bands[k][A];
            transform(&pixels[k], scale, bpc, bands[k]);
        }
        if (scale == 0 && options->skip_scale0)
            continue;
        const Plane *o = bands[0], *t = bands[1];
        const int w = o[A].w, h = o[A].h;
        for (int b = 0; b < ADM_BANDS; b++) {
            record->den[scale][b] = denominator(&o[b], scale);
            rest[b].w = addition[b].w = w;
            rest[b].h = addition[b].h = h;
        }
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                const int near = is_near(o[BAND_H].at[y][x], o[BAND_V].at[y][x], t[BAND_H].at[y][x],
                                         t[BAND_V].at[y][x]);
                for (int b = 0; b < ADM_BANDS; b++) {
                    rest[b].at[y][x] =
                        restored(o[b].at[y][x], t[b].at[y][x], near, options->enhn_gain_limit);
                    addition[b].at[y][x] = t[b].at[y][x] - rest[b].at[y][x];
                }
            }
        uint32_t weights[ADM_BANDS];
        adm_csf_fixed_point(&viewing, scale, weights);
        weigh(rest, scale, weights, &weighted_rest);
        weigh(addition, scale, weights, &weighted_addition);
        numerators(&weighted_rest, &weighted_addition, scale, w, h, record->num[scale]);
        if (!options->skip_aim)
            numerators(&weighted_addition, &weighted_rest, scale, w, h, record->aim[scale]);
    }
}

/* -- pictures -- */

static uint32_t random_state = 7;

static unsigned random_below(unsigned n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

enum { NOISE, GRATING, CHECKERS, LINES, SMOOTH, EXTREMES, N_KINDS };

static unsigned sample(int kind, unsigned x, unsigned y, unsigned peak, unsigned period)
{
    switch (kind) {
    case NOISE:
        return random_below(peak + 1);
    case GRATING: /* full amplitude; makes 16-bit sums wrap */
        return x / period % 2 ? peak : 0;
    case CHECKERS:
        return (x / period + y / period) % 2 ? peak : 0;
    case LINES: /* the largest coefficients of scale 0 */
        return ((x + period) % 4 == 0) == (y / 16 % 2 == 0) ? peak : 0;
    case SMOOTH:
        return (x * 3 + y % MAX_SIZE * 5) * peak / (8 * MAX_SIZE) + random_below(3);
    default:
        return random_below(2) ? peak : 0;
    }
}

/* Each distortion leaves, amplifies, attenuates or replaces what the reference has. */
static unsigned distort(int how, unsigned ref, unsigned peak)
{
    const unsigned mid = (peak + 1) / 2;
    int64_t value = ref;
    switch (how) {
    case 0:
        value = (int64_t)ref + random_below(5) - 2;
        break;
    case 1:
        value = mid + ((int64_t)ref - mid) * 3 / 2;
        break;
    case 2:
        value = mid + ((int64_t)ref - mid) / 3;
        break;
    case 3:
        value = peak - ref;
        break;
    default:
        value = random_below(peak + 1);
        break;
    }
    return (unsigned)(value < 0 ? 0 : value > peak ? peak : value);
}

static VmafPicture pictures[2];

static unsigned blank(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return 0;
}

static void store(int k, unsigned x, unsigned y, unsigned value)
{
    uint8_t *row = (uint8_t *)pictures[k].data[0] + y * pictures[k].stride[0];
    if (pictures[k].bpc > 8)
        ((uint16_t *)row)[x] = (uint16_t)value;
    else
        row[x] = (uint8_t)value;
    pixels[k].at[y][x] = (int64_t)value - (1 << (pictures[k].bpc - 1));
}

static void make_pictures(const PictureFormat *format)
{
    const unsigned peak = (1u << format->bpc) - 1, period = 1 + random_below(4);
    const int kind = (int)random_below(N_KINDS), how = (int)random_below(5);
    for (int k = 0; k < 2; k++) {
        pictures[k] = harness_picture(format, blank, 0);
        pixels[k].w = (int)format->w[0];
        pixels[k].h = (int)format->h[0];
    }
    for (unsigned y = 0; y < format->h[0]; y++)
        for (unsigned x = 0; x < format->w[0]; x++) {
            const unsigned ref = sample(kind, x, y, peak, period);
            store(0, x, y, ref);
            store(1, x, y, distort(how, ref, peak));
        }
}

static const char *const option_sets[] = {
    "",
    "adm_enhn_gain_limit=1",
    "adm_enhn_gain_limit=1.2",
    "adm_enhn_gain_limit=37.5",
    "adm_enhn_gain_limit=1:adm_csf_mode=2",
    "adm_csf_mode=3:adm_norm_view_dist=5",
    "adm_csf_mode=2:adm_norm_view_dist=7",
    "adm_csf_mode=1",
    "adm_csf_mode=1:adm_csf_scale=50:adm_csf_diag_scale=3",
    "adm_csf_mode=1:adm_csf_scale=0.02:adm_csf_diag_scale=0.005",
    "adm_norm_view_dist=24:adm_ref_display_height=4320",
    "adm_skip_aim=true",
    "adm_skip_scale0=true",
};

static void expect_equal(const VmafRecordAdm *record_made, const VmafRecordAdm *record_defined,
                         const char *options_text, const PictureFormat *format)
{
    const VmafRecordAdm record = *record_made, expected = *record_defined;
    if (memcmp(&record, &expected, sizeof(record)) == 0)
        return;
    for (int s = 0; s < ADM_SCALES; s++)
        for (int b = 0; b < ADM_BANDS; b++)
            print_error("scale %d band %d: den %lld (%lld) num %lld (%lld) aim %lld (%lld)\n", s, b,
                        (long long)record.den[s][b], (long long)expected.den[s][b],
                        (long long)record.num[s][b], (long long)expected.num[s][b],
                        (long long)record.aim[s][b], (long long)expected.aim[s][b]);
    fail_msg("\"%s\", %ux%u, %u bits", options_text, format->w[0], format->h[0], format->bpc);
}

static void expect_record(const char *options_text, const PictureFormat *format)
{
    FinishHarness harness;
    VmafRecordAdm expected, record = {0};
    harness_start(&harness, &adm_extractor, options_text, format);
    harness_accumulate_bands(&harness, &(FrameInput){.ref = &pictures[0], .dist = &pictures[1]},
                             NULL, 0, &record);
    define_record(harness.options, format->bpc, &expected);
    harness_stop(&harness);
    expect_equal(&record, &expected, options_text, format);
}

CASE(test_records_equal_the_definition)
{
    enum { ROUNDS = 40, N_SETS = sizeof(option_sets) / sizeof(option_sets[0]) };
    for (int round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < N_SETS; i++) {
            const PictureFormat format =
                harness_format(VMAF_PIX_FMT_YUV400P, 8 + random_below(9),
                               17 + random_below(MAX_SIZE - 16), 17 + random_below(MAX_SIZE - 16));
            make_pictures(&format);
            expect_record(option_sets[i], &format);
            for (int k = 0; k < 2; k++)
                harness_picture_free(&pictures[k]);
        }
}

/* -- rows that repeat those above them -- */

static void copy_row(int k, unsigned to, unsigned from)
{
    uint8_t *data = pictures[k].data[0];
    const ptrdiff_t stride = pictures[k].stride[0];
    const size_t size = pictures[k].w[0] * (pictures[k].bpc > 8 ? 2u : 1u);
    memcpy(data + to * stride, data + from * stride, size);
    memcpy(pixels[k].at[to], pixels[k].at[from], sizeof(pixels[k].at[to]));
}

/* Runs about as long as a window of each scale, of one row or of two in turn. Some are those of one
 * picture. In between are rows of their own. */
static void repeat_rows(unsigned h)
{
    for (unsigned y = 0; y < h;) {
        const unsigned distance = 1 + random_below(2), pictures_in_run = random_below(8);
        const unsigned longest = 4u << random_below(6);
        unsigned end = y + distance + 1 + random_below(longest);
        end = end < h ? end : h;
        for (y += distance; y < end; y++)
            for (int k = 0; k < 2; k++)
                if (pictures_in_run != (unsigned)k)
                    copy_row(k, y, y - distance);
    }
}

/* One unit in one sample, often the last of a row, or the first. */
static void spoil_sample(const PictureFormat *format)
{
    const unsigned w = format->w[0], y = random_below(format->h[0]);
    const unsigned place = random_below(4), x = place == 0   ? 0
                                                : place == 1 ? random_below(w)
                                                             : w - 1;
    const int k = (int)random_below(2);
    const int64_t value = pixels[k].at[y][x] + (1 << (format->bpc - 1));
    store(k, x, y, (unsigned)value ^ 1);
}

/* In bands, each with several distorted pictures of the same reference. */
static void expect_shared_record(const FinishHarness *harness, const VmafRecordAdm *expected,
                                 const char *options_text, int place_of_other)
{
    enum { DISTORTED = 3 };
    const FeatureExtractor *extractor = harness->extractor;
    const PictureFormat *format = &harness->format;
    const unsigned rows = 1 + random_below(extractor->shared_rows);
    VmafRecordAdm records[DISTORTED];
    memset(records, 0, sizeof(records));
    for (RowBand band = {0, 0}; band.begin < format->h[0]; band.begin = band.end) {
        band.end = band.begin + rows < format->h[0] ? band.begin + rows : format->h[0];
        for (int i = 0; i < DISTORTED; i++) {
            const FrameInput input = {.ref = &pictures[0],
                                      .dist = &pictures[i == place_of_other ? 0 : 1],
                                      .use = i ? REFERENCE_AGAIN : REFERENCE_KEEP};
            assert_int_equal(extractor->accumulate(harness->params, harness->scratch, &input, band,
                                                   (void *[]){&records[i]}),
                             0);
        }
    }
    for (int i = 0; i < DISTORTED; i++)
        if (i != place_of_other)
            expect_equal(&records[i], expected, options_text, format);
}

static void compare_repeated_rows(const char *options_text, const PictureFormat *format)
{
    FinishHarness harness;
    VmafRecordAdm expected;
    harness_start(&harness, &adm_extractor, options_text, format);
    define_record(harness.options, format->bpc, &expected);
    const unsigned h = format->h[0], cuts[2] = {h / 3, h / 3 + 1 + random_below(h / 2)};
    for (unsigned n_cuts = 0; n_cuts <= 2; n_cuts++) {
        VmafRecordAdm record = {0};
        harness_accumulate_bands(&harness, &(FrameInput){.ref = &pictures[0], .dist = &pictures[1]},
                                 cuts, n_cuts, &record);
        expect_equal(&record, &expected, options_text, format);
    }
    /* Where a picture repeats rows and the next does not, these have to be there. */
    for (int place = 0; place < 2; place++)
        expect_shared_record(&harness, &expected, options_text, place);
    harness_stop(&harness);
}

CASE(test_records_with_repeated_rows_equal_the_definition)
{
    static const char *const options[] = {"", "adm_skip_aim=true", "adm_skip_scale0=true",
                                          "adm_enhn_gain_limit=1"};
    for (unsigned round = 0; round < 120; round++) {
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, 8 + random_below(9),
                           17 + random_below(MAX_SIZE - 16), 64 + random_below(MAX_ROWS - 63));
        make_pictures(&format);
        repeat_rows(format.h[0]);
        if (round % 2)
            spoil_sample(&format);
        compare_repeated_rows(options[round % 4], &format);
        for (int k = 0; k < 2; k++)
            harness_picture_free(&pictures[k]);
    }
}

/* What makes the shortcut of decoupling at scale 0 exact. */
CASE(test_rest_of_small_coefficients_is_the_smaller_magnitude)
{
    enum { LIMIT = 16384 };
    for (int64_t m = 1; m < LIMIT; m++) {
        const int64_t reciprocal = ((int64_t)1 << 30) / m;
        int64_t wrong = 0;
        for (int64_t t = 1; t <= m; t++) {
            const int64_t k = (reciprocal * t + 16384) >> 15;
            wrong |= ((k * m + 16384) >> 15) ^ t;
            wrong |= ((k * -m + 16384) >> 15) ^ -t;
        }
        /* Larger t have larger k: k reaches its limit of 1 here, and stays there. */
        wrong |= ((reciprocal * m + 16384) >> 15) ^ 32768;
        assert_int_equal(wrong, 0);
    }
}
