/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_adm/float_adm.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/math/math_functions.h"
#include "metrics/common/rows.h"
#include "metrics/float_adm/float_adm_internal.h"
#include "support/memory.h"

void float_adm_functions_init(FloatAdmFunctions *functions, unsigned cpu_flags)
{
    ISA_SELECT(float_adm_functions_fill, cpu_flags)(functions);
}

/* -- accumulate -- */

/*
 * Everything is streamed by rows. A row of a scale is made from four rows of its input, luma or
 * approximation of the scale before, which are made when they are asked for and kept in rings of
 * four; its detail goes through decoupling at once, and rings of two or three rows keep what the
 * box of the masking needs. So a frame of any size works in a few rows of memory.
 */

enum {
    REFERENCE,
    DISTORTED,
    PICTURES,

    RESTORED = 0, /* signals that decoupling gives */
    ADDED,
    SIGNALS,

    INPUT_RING = 4,
    MASKING_RING = 3,
    SIGNAL_RING = 2,
};

/* What depends on the options. */
typedef struct Variant {
    double gain_limit;
    float p_norm;
    bool cube; /* p_norm is 3 */
    bool bypass_masking, skip_scale0;
    float weights[ADM_SCALES][ADM_BANDS];
} Variant;

typedef struct FloatAdmParams {
    int depth;
    AdmAxis columns[ADM_SCALES], rows[ADM_SCALES];
    AdmExtent column_cone[ADM_SCALES];
    FloatAdmFunctions functions;
    unsigned n_variants;
    Variant variants[];
} FloatAdmParams;

/* Rows around the one in work, of one variant at one scale. */
typedef struct VariantRows {
    float *signal[SIGNALS][SIGNAL_RING][ADM_BANDS]; /* weighted magnitudes */
    float *masking[SIGNALS][MASKING_RING][ADM_BANDS];
    float *reference[SIGNAL_RING][ADM_BANDS];
} VariantRows;

/* What the wavelet of a scale reads. */
typedef struct InputRows {
    int next; /* row of luma to be made; approximations are made by the scale before */
    FloatAdmSplitRow ring[PICTURES][INPUT_RING];
} InputRows;

typedef struct ScaleRows {
    AdmExtent extent;
    int next; /* row to be made */
    InputRows input;
    VariantRows *variants;
} ScaleRows;

typedef struct FloatAdmScratch {
    ScaleRows scale[ADM_SCALES];
    float *detail[PICTURES][ADM_BANDS];
    FloatAdmSplitRow low, high;
    float *whole_a, *threshold;
    float *visible[SIGNALS][ADM_BANDS];
    uint32_t *near;
    /* Set for the accumulation in progress: */
    const FloatAdmParams *params;
    const FrameInput *frame;
    AdmRange luma_columns;
    VmafRecordFloatAdm **records;
    float *memory;
    VariantRows variant_rows[];
} FloatAdmScratch;

/* -- params and scratch -- */

static int float_adm_plan_create(void **out, const PictureFormat *format,
                                 const void *const variants[], unsigned n_variants,
                                 unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(Variant), &size) ||
        !size_add(size, sizeof(FloatAdmParams), &size))
        return -ENOMEM;
    FloatAdmParams *params = memory_alloc_zeroed(1, size);
    if (!params)
        return -ENOMEM;

    params->depth = (int)format->bpc;
    params->n_variants = n_variants;
    float_adm_functions_init(&params->functions, cpu_flags);
    adm_axes_init(params->columns, (int)format->w[0]);
    adm_axes_init(params->rows, (int)format->h[0]);
    AdmRange all[ADM_SCALES];
    for (int s = 0; s < ADM_SCALES; s++)
        all[s] = (AdmRange){0, params->columns[s].size};
    adm_cone_init(params->column_cone, params->columns, all);

    for (unsigned i = 0; i < n_variants; i++) {
        const FloatAdmOptions *options = variants[i];
        Variant *variant = &params->variants[i];
        variant->gain_limit = options->enhn_gain_limit;
        variant->p_norm = (float)options->p_norm;
        variant->cube = options->p_norm == 3.0;
        variant->bypass_masking = options->bypass_cm != 0;
        variant->skip_scale0 = options->skip_scale0;
        for (int s = 0; s < ADM_SCALES; s++)
            float_adm_weights(options, s, variant->weights[s]);
    }
    *out = params;
    return 0;
}

/* Allots rows of one block; without a block it only adds up their lengths. */
typedef struct RowPool {
    float *block;
    size_t used;
} RowPool;

/* Sum of the norms of the three bands. */
static float pool(const float sums[ADM_BANDS], float exponent, float noise)
{
    float norm[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++)
        norm[b] = math_powf(sums[b], exponent) + noise;
    return norm[BAND_H] + norm[BAND_V] + norm[BAND_D];
}

static float *take_row(RowPool *pool, int columns)
{
    float *row = pool->block ? pool->block + pool->used + FLOAT_ADM_MARGIN : NULL;
    pool->used +=
        size_round_up((size_t)columns + 2 * FLOAT_ADM_MARGIN, MEMORY_ALIGNMENT / sizeof(float));
    return row;
}

static FloatAdmSplitRow take_split_row(RowPool *pool, int columns)
{
    FloatAdmSplitRow row;
    row.even = take_row(pool, columns / 2 + 1);
    row.odd = take_row(pool, columns / 2 + 1);
    return row;
}

static void take_bands(RowPool *pool, int columns, float *bands[ADM_BANDS])
{
    for (int b = 0; b < ADM_BANDS; b++)
        bands[b] = take_row(pool, columns);
}

static void take_variant_rows(RowPool *pool, int columns, VariantRows *rows)
{
    for (int signal = 0; signal < SIGNALS; signal++) {
        for (int i = 0; i < SIGNAL_RING; i++)
            take_bands(pool, columns, rows->signal[signal][i]);
        for (int i = 0; i < MASKING_RING; i++)
            take_bands(pool, columns, rows->masking[signal][i]);
    }
    for (int i = 0; i < SIGNAL_RING; i++)
        take_bands(pool, columns, rows->reference[i]);
}

static void take_rows(RowPool *pool, const FloatAdmParams *params, FloatAdmScratch *scratch)
{
    for (int s = 0; s < ADM_SCALES; s++) {
        ScaleRows *scale = &scratch->scale[s];
        for (int picture = 0; picture < PICTURES; picture++)
            for (int i = 0; i < INPUT_RING; i++)
                scale->input.ring[picture][i] = take_split_row(pool, params->columns[s].input);
        scale->variants = &scratch->variant_rows[(unsigned)s * params->n_variants];
        for (unsigned v = 0; v < params->n_variants; v++)
            take_variant_rows(pool, params->columns[s].size, &scale->variants[v]);
    }
    /* Rows that live no longer than the making of one row are shared by all scales. */
    const int columns = params->columns[0].size;
    for (int picture = 0; picture < PICTURES; picture++)
        take_bands(pool, columns, scratch->detail[picture]);
    for (int signal = 0; signal < SIGNALS; signal++)
        take_bands(pool, columns, scratch->visible[signal]);
    scratch->low = take_split_row(pool, params->columns[0].input);
    scratch->high = take_split_row(pool, params->columns[0].input);
    scratch->whole_a = take_row(pool, columns);
    scratch->threshold = take_row(pool, columns);
    scratch->near = (uint32_t *)(void *)take_row(pool, columns);
}

static int float_adm_scratch_create(void **out, const void *opaque)
{
    const FloatAdmParams *params = opaque;
    size_t size;
    if (!size_mul(params->n_variants, ADM_SCALES * sizeof(VariantRows), &size) ||
        !size_add(size, sizeof(FloatAdmScratch), &size))
        return -ENOMEM;
    FloatAdmScratch *scratch = memory_alloc_zeroed(1, size);
    if (!scratch)
        return -ENOMEM;
    RowPool pool = {NULL, 0};
    take_rows(&pool, params, scratch);
    scratch->memory = memory_alloc_zeroed(pool.used, sizeof(float));
    if (!scratch->memory) {
        memory_free(scratch);
        return -ENOMEM;
    }
    pool = (RowPool){scratch->memory, 0};
    take_rows(&pool, params, scratch);
    *out = scratch;
    return 0;
}

static void float_adm_scratch_destroy(void *opaque)
{
    FloatAdmScratch *scratch = opaque;
    if (!scratch)
        return;
    memory_free(scratch->memory);
    memory_free(scratch);
}

/* -- streaming -- */

/* Reads rows of luma up to and including `last`. */
static void advance_luma(FloatAdmScratch *scratch, int last)
{
    const FloatAdmParams *params = scratch->params;
    const VmafPicture *const pictures[PICTURES] = {scratch->frame->ref, scratch->frame->dist};
    InputRows *input = &scratch->scale[0].input;
    for (; input->next <= last; input->next++) {
        for (int picture = 0; picture < PICTURES; picture++) {
            const VmafPicture *pic = pictures[picture];
            const FloatAdmLumaRow row = {
                .samples = (const uint8_t *)pic->data[0] + input->next * pic->stride[0],
                .size = params->columns[0].input,
                .columns = scratch->luma_columns,
                .depth = params->depth,
                .output = input->ring[picture][input->next % INPUT_RING],
            };
            (params->depth > 8 ? params->functions.luma16 : params->functions.luma8)(&row);
        }
    }
}

static void make_wavelet_row(FloatAdmScratch *scratch, int s, int row)
{
    const FloatAdmParams *params = scratch->params;
    const ScaleRows *scale = &scratch->scale[s];
    const AdmExtent *columns = &params->column_cone[s];
    const AdmRange none = {0, 0};

    for (int picture = 0; picture < PICTURES; picture++) {
        FloatAdmWaveletRow wavelet = {
            .size = params->columns[s].size,
            .approx = adm_range_contains(scale->extent.approx, row) ? columns->approx : none,
            .detail = adm_range_contains(scale->extent.detail, row) ? columns->detail : none,
            .low = scratch->low,
            .high = scratch->high,
            .whole_a = scratch->whole_a,
        };
        for (int k = 0; k < 4; k++) {
            const unsigned input_row =
                mirror_whole_and_half(2 * row - 1 + k, (unsigned)params->rows[s].input);
            wavelet.input[k] = scale->input.ring[picture][input_row % INPUT_RING];
        }
        if (s + 1 < ADM_SCALES)
            wavelet.a = scratch->scale[s + 1].input.ring[picture][row % INPUT_RING];
        memcpy(wavelet.bands, scratch->detail[picture], sizeof(wavelet.bands));
        params->functions.wavelet(&wavelet);
    }
}

/* Decouples the row of detail just made, for one variant. */
static void decouple_row(FloatAdmScratch *scratch, int s, unsigned v, int row)
{
    const FloatAdmParams *params = scratch->params;
    const Variant *variant = &params->variants[v];
    const AdmExtent *columns = &params->column_cone[s];
    const VariantRows *rows = &scratch->scale[s].variants[v];

    FloatAdmDecouple decouple = {
        .columns = columns->detail,
        .size = params->columns[s].size,
        .gain_limit = variant->gain_limit,
        .near = scratch->near,
    };
    FloatAdmReference reference = {.columns = columns->evaluated, .cube = variant->cube};
    for (int b = 0; b < ADM_BANDS; b++) {
        decouple.weights[b] = reference.weights[b] = variant->weights[s][b];
        decouple.ref[b] = reference.ref[b] = scratch->detail[REFERENCE][b];
        decouple.dist[b] = scratch->detail[DISTORTED][b];
        decouple.restored[b] = rows->signal[RESTORED][row % SIGNAL_RING][b];
        decouple.added[b] = rows->signal[ADDED][row % SIGNAL_RING][b];
        decouple.restored_masking[b] = rows->masking[RESTORED][row % MASKING_RING][b];
        decouple.added_masking[b] = rows->masking[ADDED][row % MASKING_RING][b];
        reference.terms[b] = rows->reference[row % SIGNAL_RING][b];
    }
    params->functions.decouple(&decouple);
    if (adm_range_contains(scratch->scale[s].extent.evaluated, row))
        params->functions.reference(&reference);
}

/* What of one signal is visible beside the other, in a row whose neighbours have been decoupled. */
static void find_visible(const FloatAdmScratch *scratch, int s, unsigned v, int row, int target)
{
    const FloatAdmParams *params = scratch->params;
    const VariantRows *rows = &scratch->scale[s].variants[v];
    const int masker = target == RESTORED ? ADDED : RESTORED;
    /* Above the band its row 1 is repeated, below it the last one. */
    const int box[3] = {row == 0 ? 1 : row - 1, row, adm_min(row + 1, params->rows[s].size - 1)};

    FloatAdmVisible visible = {
        .columns = params->column_cone[s].evaluated,
        .cube = params->variants[v].cube,
        .bypass = params->variants[v].bypass_masking,
        .threshold = scratch->threshold,
    };
    for (int b = 0; b < ADM_BANDS; b++) {
        visible.target[b] = rows->signal[target][row % SIGNAL_RING][b];
        visible.masker[b] = rows->signal[masker][row % SIGNAL_RING][b];
        for (int i = 0; i < 3; i++)
            visible.masking[b][i] = rows->masking[masker][box[i] % MASKING_RING][b];
        visible.terms[b] = scratch->visible[target][b];
    }
    params->functions.visible(&visible);
}

/* Powers other than the first and the third. */
static void raise_terms(FloatAdmTerms terms, AdmRange columns, float power)
{
    for (int q = 0; q < FLOAT_ADM_QUANTITIES; q++)
        for (int b = 0; b < ADM_BANDS; b++)
            for (int x = columns.begin; x < columns.end; x++)
                if (terms[q][b][x] > 0.0F)
                    terms[q][b][x] = math_powf(terms[q][b][x], power);
}

static void evaluate_row(FloatAdmScratch *scratch, int s, unsigned v, int row)
{
    if (!adm_range_contains(scratch->scale[s].extent.evaluated, row))
        return;
    const FloatAdmParams *params = scratch->params;
    const Variant *variant = &params->variants[v];
    const AdmRange columns = params->column_cone[s].evaluated;
    find_visible(scratch, s, v, row, RESTORED);
    find_visible(scratch, s, v, row, ADDED);

    FloatAdmTerms terms;
    FloatAdmSums sums;
    for (int b = 0; b < ADM_BANDS; b++) {
        terms[FLOAT_ADM_DEN][b] = scratch->scale[s].variants[v].reference[row % SIGNAL_RING][b];
        terms[FLOAT_ADM_NUM][b] = scratch->visible[RESTORED][b];
        terms[FLOAT_ADM_AIM][b] = scratch->visible[ADDED][b];
    }
    if (!variant->cube && variant->p_norm != 1.0F)
        raise_terms(terms, columns, variant->p_norm);
    params->functions.sum(terms, columns, sums);

    VmafRecordFloatAdm *record = scratch->records[v];
    for (int b = 0; b < ADM_BANDS; b++) {
        record->den[s][b] += sums[FLOAT_ADM_DEN][b];
        record->num[s][b] += sums[FLOAT_ADM_NUM][b];
        record->aim[s][b] += sums[FLOAT_ADM_AIM][b];
    }
}

static bool wanted(const FloatAdmScratch *scratch, int s, unsigned variant)
{
    return scratch->records[variant] && !(s == 0 && scratch->params->variants[variant].skip_scale0);
}

/* Makes the rows of a scale up to and including `last`, and before each the rows that it needs. */
static void advance(FloatAdmScratch *scratch, int s, int last)
{
    const FloatAdmParams *params = scratch->params;
    ScaleRows *scale = &scratch->scale[s];
    for (; scale->next <= last; scale->next++) {
        const int row = scale->next;
        const int last_input = adm_min(2 * row + 2, params->rows[s].input - 1);
        if (s > 0)
            advance(scratch, s - 1, last_input);
        else
            advance_luma(scratch, last_input);
        make_wavelet_row(scratch, s, row);
        if (!adm_range_contains(scale->extent.detail, row))
            continue;
        for (unsigned v = 0; v < params->n_variants; v++) {
            if (!wanted(scratch, s, v))
                continue;
            decouple_row(scratch, s, v, row);
            evaluate_row(scratch, s, v, row - 1);
            if (row == params->rows[s].size - 1)
                evaluate_row(scratch, s, v, row);
        }
    }
}

static int float_adm_accumulate(const void *opaque_params, void *opaque_scratch,
                                const FrameInput *input, RowBand band, void *const records[])
{
    (void)band;
    const FloatAdmParams *params = opaque_params;
    FloatAdmScratch *scratch = opaque_scratch;
    scratch->params = params;
    scratch->frame = input;
    scratch->records = (VmafRecordFloatAdm **)records;

    AdmRange all[ADM_SCALES];
    for (int s = 0; s < ADM_SCALES; s++)
        all[s] = (AdmRange){0, params->rows[s].size};
    bool scale0 = false;
    for (unsigned v = 0; v < params->n_variants; v++)
        scale0 |= wanted(scratch, 0, v);
    if (!scale0)
        all[0] = (AdmRange){0, 0};

    AdmExtent cone[ADM_SCALES];
    adm_cone_init(cone, params->rows, all);
    for (int s = 0; s < ADM_SCALES; s++) {
        scratch->scale[s].extent = cone[s];
        scratch->scale[s].next = cone[s].computed.begin;
    }
    scratch->luma_columns =
        adm_wavelet_support(&params->columns[0], params->column_cone[0].computed);
    scratch->scale[0].input.next = adm_wavelet_support(&params->rows[0], cone[0].computed).begin;
    for (int s = ADM_SCALES - 1; s >= 0; s--)
        advance(scratch, s, cone[s].computed.end - 1);
    return 0;
}

/* -- finish -- */

/* The mixture of binary32 and binary64 is part of the definition, and so is math_powf(),
 * which is not always correctly rounded. */

/* Visibility of noise in a window: keeps ratios of very small numbers near 1. */
static float noise_floor(const AdmAxis *columns, const AdmAxis *rows, double noise_weight,
                         float exponent)
{
    const int64_t area =
        (int64_t)adm_range_length(columns->window) * adm_range_length(rows->window);
    return math_powf((float)(area * noise_weight), exponent);
}

/* Not fmin() and fmax(): a score that is not a number becomes the limit. */
static double at_most(double score, double limit)
{
    return score < limit ? score : limit;
}

static double at_least(double score, double limit)
{
    return score > limit ? score : limit;
}

static AdmScores float_adm_finish(const FloatAdmOptions *options, const VmafRecordFloatAdm *record,
                                  unsigned w, unsigned h)
{
    AdmAxis columns[ADM_SCALES], rows[ADM_SCALES];
    adm_axes_init(columns, (int)w);
    adm_axes_init(rows, (int)h);
    const float exponent = (float)(1.0 / options->p_norm);

    AdmScores scores = {0};
    double impairment = 0.0, impairment_den = 0.0;
    for (int s = 0; s < ADM_SCALES; s++) {
        float num = 0.0F, den = 1e-10F, aim = 0.0F;
        if (s > 0 || !options->skip_scale0) {
            const float noise = noise_floor(&columns[s], &rows[s], options->noise_weight, exponent);
            num = pool(record->num[s], exponent, noise);
            den = pool(record->den[s], exponent, noise);
            aim = pool(record->aim[s], exponent, 0.0F);
        }
        adm_scores_add_scale(&scores, s, num, den);
        if (s != options->skip_aim_scale) {
            impairment += aim;
            impairment_den += den;
        }
    }

    adm_scores_finish_totals(&scores, w, h);
    scores.aim = scores.den == 0.0 ? 0.0 : at_most(impairment / impairment_den, 1.0);

    const double weight = options->dlm_weight;
    const double combined = options->adm3_apply_hm
                                ? 2.0 * scores.adm2 * scores.aim / (scores.adm2 + scores.aim)
                                : scores.adm2 * weight + (1.0 - scores.aim) * (1.0 - weight);
    scores.adm3 = at_least(combined, options->min_val);
    return scores;
}

/* In the order of ADM_OUTPUT_*. */
static const FeatureOutput outputs[] = {
    {"VMAF_feature_adm2_score", OUTPUT_PROVIDED},
    {"VMAF_feature_aim_score", OUTPUT_PROVIDED},
    {"VMAF_feature_adm3_score", OUTPUT_PROVIDED},
    {"VMAF_feature_adm_scale0_score", OUTPUT_PROVIDED},
    {"VMAF_feature_adm_scale1_score", OUTPUT_PROVIDED},
    {"VMAF_feature_adm_scale2_score", OUTPUT_PROVIDED},
    {"VMAF_feature_adm_scale3_score", OUTPUT_PROVIDED},
    {"adm", 0}, /* never shows options */
    {"adm_num", OUTPUT_PROVIDED},
    {"adm_den", OUTPUT_PROVIDED},
    {"adm_num_scale0", OUTPUT_PROVIDED},
    {"adm_den_scale0", OUTPUT_PROVIDED},
    {"adm_num_scale1", OUTPUT_PROVIDED},
    {"adm_den_scale1", OUTPUT_PROVIDED},
    {"adm_num_scale2", OUTPUT_PROVIDED},
    {"adm_den_scale2", OUTPUT_PROVIDED},
    {"adm_num_scale3", OUTPUT_PROVIDED},
    {"adm_den_scale3", OUTPUT_PROVIDED},
    {0},
};

static const OutputCondition conditions[] = {{ADM_OUTPUT_TOTAL, 3 + 2 * ADM_SCALES, "debug"}, {0}};

/* Models may request it, though it is never written under this name. */
static const char *const also_provides[] = {"adm_scale0", NULL};

static size_t record_size(const void *options, const PictureFormat *format)
{
    (void)options;
    (void)format;
    return sizeof(VmafRecordFloatAdm);
}

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    (void)format;
    const VmafRecordFloatAdm *record = opaque;
    const FloatAdmOptions *o = options;
    for (unsigned s = 0; s < ADM_SCALES; s++) {
        const bool skipped = s == 0 && o->skip_scale0;
        for (unsigned band = 0; band < ADM_BANDS; band++) {
            const float sums[] = {record->den[s][band], record->num[s][band], record->aim[s][band]};
            for (unsigned i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
                if (!(sums[i] >= 0) || (o->p_norm <= 3 && isinf(sums[i])) ||
                    (skipped && sums[i] != 0))
                    return false;
        }
    }
    return true;
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const FloatAdmOptions *options = input->options;
    const AdmScores scores =
        float_adm_finish(options, input->record, input->format->w[0], input->format->h[0]);
    adm_scores_write(&scores, options->debug, sink);
    return 0;
}

const FeatureExtractor float_adm_extractor = {
    .name = "float_adm",
    .summary = "detail loss and additive impairment (ADM), floating point",
    .outputs = outputs,
    .conditions = conditions,
    .also_provides = also_provides,
    .options = float_adm_option_specs,
    .options_size = sizeof(FloatAdmOptions),
    .limits = {.size = ADM_MIN_SIZE, .depths = DEPTHS_COMMON},
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_FLOAT_ADM,
               .version = VMAF_RECORD_FLOAT_ADM_VERSION,
               .is_possible = is_possible,
               .is_bytes = true,
               .numbers = RECORD_OF_F32},
    .record_size = record_size,
    .params_create = float_adm_plan_create,
    .scratch_create = float_adm_scratch_create,
    .scratch_destroy = float_adm_scratch_destroy,
    .accumulate = float_adm_accumulate,
    .finish = finish,
};
