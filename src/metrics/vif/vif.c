/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/vif/vif_internal.h"

#include <errno.h>
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/framework/extractor.h"
#include "support/arena.h"

/* Row by row, without the gain. */
static void fill_filter(VifFunctions *functions, unsigned cpu_flags)
{
    vif_fill_filter_portable(functions);
#ifdef VMAF_NEON
    if (cpu_flags & CPU_NEON)
        vif_fill_filter_neon(functions);
#else
    (void)cpu_flags;
#endif
}

static const VifPairFunctions *pairs_for(unsigned cpu_flags)
{
#ifdef VMAF_ISA_VARIANTS
    if (cpu_flags & CPU_AVX512_ICL)
        return &vif_pairs_avx512icl;
    if (cpu_flags & CPU_AVX512)
        return &vif_pairs_avx512;
#ifdef VMAF_AVX_VNNI
    if (cpu_flags & CPU_AVX2 && cpu_flags & CPU_AVX_VNNI)
        return &vif_pairs_avxvnni;
#endif
    if (cpu_flags & CPU_AVX2)
        return &vif_pairs_avx2;
#else
    (void)cpu_flags;
#endif
    return NULL;
}

void vif_functions_init(VifFunctions *functions, unsigned cpu_flags)
{
    fill_filter(functions, cpu_flags);
    functions->gain = ISA_SELECT_PORTABLE(vif_gain, cpu_flags);
    if (functions->gain == &vif_gain_portable)
        functions->gain_again = vif_gain_portable_again;
    functions->pairs = pairs_for(cpu_flags);
}

/* -- logarithms -- */

/*
 * Found piece by piece: for a curvature, each of the 1024 values bounds the apex from both sides.
 * The curvature is the one that leaves most room between the bounds, 0.0007 units or more, and the
 * apex lies in the middle, so that no rounding matters.
 */

const float vif_log_curvatures[VIF_LOG_PIECES] = {
    1432.29517F, 1348.12549F, 1271.07373F, 1200.45679F, 1135.54407F, 1075.85571F, 1020.55432F,
    969.580383F, 922.357178F, 878.457703F, 837.555786F, 799.445618F, 763.973938F, 730.710266F,
    699.630005F, 670.546021F, 643.155212F, 617.432617F, 593.224792F, 570.427979F, 548.865479F,
    528.556396F, 509.345337F, 491.089203F, 473.928375F, 457.535156F, 442.122284F, 427.353882F,
    413.325531F, 399.982971F, 387.306519F, 375.160034F,
};

const float vif_log_apexes[VIF_LOG_PIECES] = {
    2035.62646F, 2061.23999F, 2084.11279F, 2104.51953F, 2122.5542F,  2138.50781F, 2152.06763F,
    2163.9021F,  2173.87939F, 2181.97583F, 2188.2439F,  2192.87817F, 2196.13989F, 2197.69849F,
    2197.95581F, 2196.96606F, 2194.46729F, 2190.77222F, 2185.875F,   2179.85596F, 2172.57495F,
    2164.37476F, 2155.11353F, 2144.63696F, 2133.61572F, 2121.28564F, 2108.55029F, 2094.51807F,
    2079.70215F, 2064.10205F, 2047.83923F, 2030.56628F,
};

void vif_log_bows(uint32_t bows[VIF_LOG_STEPS])
{
    for (uint32_t b = 0; b < VIF_LOG_STEPS; b++) {
        /* In sixteenths of the unit, of which an octave has as many as 15 bits have values. */
        const uint32_t value = vif_log_steps[b] / 8, step = vif_log_steps[b] % 8;
        bows[b] = (16 * value + 8 + step - 8 * b) << 8;
    }
}

/* -- layout -- */

void vif_repetition_start(VifRepetition *repetition, int64_t *log_num)
{
    *repetition = (VifRepetition){.sums = {.log_num = log_num}};
}

void vif_repetition_enter(VifRepetition *repetition, bool equals_last)
{
    repetition->run = equals_last ? repetition->run + 1 : 0;
}

bool vif_repetition_holds(const VifRepetition *repetition, unsigned n_steps, const bool measured[2])
{
    return repetition->run >= n_steps && repetition->measured[0] == measured[0] &&
           repetition->measured[1] == measured[1];
}

VifSums *vif_repetition_renew(VifRepetition *repetition, const bool measured[2], unsigned n_limits)
{
    memcpy(repetition->measured, measured, sizeof(repetition->measured));
    int64_t *log_num = repetition->sums.log_num;
    memset(log_num, 0, n_limits * sizeof(*log_num));
    repetition->sums = (VifSums){.log_num = log_num};
    return &repetition->sums;
}

void vif_sums_add(VifSums *sums, const VifSums *more, unsigned n_limits)
{
    sums->log_den += more->log_den;
    sums->flat_variance += more->flat_variance;
    sums->flat_count += more->flat_count;
    for (unsigned i = 0; i < n_limits; i++)
        sums->log_num[i] += more->log_num[i];
}

int vif_plan_create(void **params, const PictureFormat *format, const void *const variants[],
                    unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(VifVariant), &size) ||
        !size_add(size, sizeof(VifParams), &size))
        return -ENOMEM;
    VifParams *p = memory_alloc_zeroed(1, size);
    if (!p)
        return -ENOMEM;
    vif_functions_init(&p->functions, cpu_flags);
    p->depth = format->bpc;
    for (int scale = 0; scale < VIF_SCALES; scale++) {
        p->w[scale] = format->w[0] >> scale;
        p->h[scale] = format->h[0] >> scale;
    }
    /* Scale 3 needs two rows and columns; see VifLeftover in vif_accumulate.c. */
    if (p->w[VIF_SCALES - 1] >= 2 && p->h[VIF_SCALES - 1] >= 2)
        p->pairs = p->functions.pairs;
    p->keeps_reference = p->pairs || (p->w[VIF_SCALES - 1] >= 2 && p->h[VIF_SCALES - 1] >= 2 &&
                                      p->functions.gain_again);
    vif_log_bows(p->log_bows);
    p->n_variants = n_variants;
    for (unsigned i = 0; i < n_variants; i++) {
        const VifOptions *options = variants[i];
        p->variants[i] = (VifVariant){options->gain_limit, options->skip_scale0};
    }
    *params = p;
    return 0;
}

/* The size of rows that are used at the same time: an odd number of cache lines, so that they do
 * not compete for the same places in a cache. */
static size_t row_stride(size_t size)
{
    return size_round_up(size, 2 * MEMORY_ALIGNMENT) + MEMORY_ALIGNMENT;
}

/* One row with room for mirrored values, which are at most 32 bytes, and padding on both sides. */
static void *arena_padded_row(Arena *arena, unsigned w, size_t element_size)
{
    enum { SIDE = VIF_PADDING };
    uint8_t *row = arena_take(arena, row_stride(w * element_size + 2 * SIDE), 1);
    return row ? row + SIDE : NULL;
}

static void lay_out_columns(VifColumnMoments *columns, unsigned w, Arena *arena)
{
    for (int i = 0; i < 2; i++)
        columns->mean[i] = arena_padded_row(arena, w, sizeof(uint16_t));
    for (int i = 0; i < VIF_MOMENTS; i++)
        for (int half = 0; half < VIF_HALVES; half++)
            columns->moment[i][half] = arena_padded_row(arena, w, sizeof(uint16_t));
}

static void lay_out_rows(VifScratch *s, const VifParams *params, Arena *arena)
{
    /* Products of words, which are the larger ones, occur from scale 1 for pictures of bytes. */
    const unsigned w = params->w[0];
    size_t first = w * params->functions.product_size[vif_sample_type(params->depth)];
    size_t later = params->w[1] * params->functions.product_size[VIF_DEEP_WORDS];
    s->product_stride = row_stride((first > later ? first : later) + VIF_PADDING);
    for (int i = 0; i < VIF_MOMENTS; i++)
        s->products[i] = arena_take(arena, VIF_MAX_TAPS, s->product_stride);
    lay_out_columns(&s->columns, w, arena);
    s->variances.ref = arena_padded_row(arena, w, sizeof(int32_t));
    s->variances.dist = arena_padded_row(arena, w, sizeof(int32_t));
    s->variances.covariance = arena_padded_row(arena, w, sizeof(int32_t));
}

static void lay_out_pairs(VifScratch *s, const VifParams *params, Arena *arena)
{
    const unsigned w = params->w[0];
    const size_t stride = row_stride(vif_joined_size(w));
    s->joined_stride = stride / sizeof(int16_t);
    s->joined = arena_take(arena, VIF_MAX_PAIRS, stride);
    for (int row = 0; row < 2; row++)
        lay_out_columns(&s->pair_columns[row], w, arena);
}

static void lay_out(VifScratch *s, const VifParams *params, Arena *arena)
{
    for (int scale = 1; scale < VIF_SCALES; scale++) {
        size_t row_size =
            size_round_up(params->w[scale] * sizeof(uint16_t) + VIF_PADDING, MEMORY_ALIGNMENT);
        s->image_stride[scale] = row_size / sizeof(uint16_t);
        /* One row of scale 3 may need a second one: see vif_accumulate.c. */
        for (int i = 0; i < 2; i++)
            s->image[i][scale] = arena_take(arena, params->h[scale] + (size_t)1, row_size);
    }
    if (params->pairs)
        lay_out_pairs(s, params, arena);
    else
        lay_out_rows(s, params, arena);
    s->decimated_columns = arena_padded_row(arena, params->w[0], sizeof(uint16_t));
    s->limits = arena_take(arena, params->n_variants, sizeof(double));
    s->log_num = arena_take(arena, params->n_variants, sizeof(int64_t));
    s->step_log_num = arena_take(arena, params->n_variants, sizeof(int64_t));
}

int vif_scratch_create(void **scratch, const void *params)
{
    VifScratch *s = memory_alloc_zeroed(1, sizeof(*s));
    if (!s)
        return -ENOMEM;
    Arena arena = {0};
    lay_out(s, params, &arena);
    if (arena_allocate(&arena)) {
        memory_free(s);
        return -ENOMEM;
    }
    lay_out(s, params, &arena);
    s->memory = arena.block;
    *scratch = s;
    return 0;
}

void vif_scratch_make_kept(VifScratch *s, const VifParams *params)
{
    if (s->kept_memory || !params->keeps_reference)
        return;
    Arena arena = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (unsigned scale = 0; scale < VIF_SCALES; scale++)
            /* Bands may cut a pair at both ends. */
            s->kept[scale].rows = arena_take(&arena, (VIF_SHARED_ROWS >> scale) + (size_t)4,
                                             vif_kept_row(params->w[scale]));
        if (pass == 0 && arena_allocate(&arena))
            return;
    }
    s->kept_memory = arena.block;
}

void vif_scratch_destroy(void *scratch)
{
    VifScratch *s = scratch;
    if (!s)
        return;
    memory_free(s->kept_memory);
    memory_free(s->memory);
    memory_free(s);
}

/* -- finish -- */

enum {
    OUTPUT_SCORE, /* of scales 0 to 3 */
    OUTPUT_TOTAL = OUTPUT_SCORE + VIF_SCALES,
    OUTPUT_TOTAL_NUM,
    OUTPUT_TOTAL_DEN,
    OUTPUT_NUM_DEN, /* pairs, of scales 0 to 3 */
};

static const FeatureOutput outputs[] = {
    {"VMAF_integer_feature_vif_scale0_score", OUTPUT_PROVIDED},
    {"VMAF_integer_feature_vif_scale1_score", OUTPUT_PROVIDED},
    {"VMAF_integer_feature_vif_scale2_score", OUTPUT_PROVIDED},
    {"VMAF_integer_feature_vif_scale3_score", OUTPUT_PROVIDED},
    {"integer_vif", OUTPUT_PROVIDED},
    {"integer_vif_num", OUTPUT_PROVIDED},
    {"integer_vif_den", OUTPUT_PROVIDED},
    {"integer_vif_num_scale0", OUTPUT_PROVIDED},
    {"integer_vif_den_scale0", OUTPUT_PROVIDED},
    {"integer_vif_num_scale1", OUTPUT_PROVIDED},
    {"integer_vif_den_scale1", OUTPUT_PROVIDED},
    {"integer_vif_num_scale2", OUTPUT_PROVIDED},
    {"integer_vif_den_scale2", OUTPUT_PROVIDED},
    {"integer_vif_num_scale3", OUTPUT_PROVIDED},
    {"integer_vif_den_scale3", OUTPUT_PROVIDED},
    {0},
};

static const OutputCondition conditions[] = {{OUTPUT_TOTAL, 3 + 2 * VIF_SCALES, "debug"}, {0}};

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    enum { LARGEST_LOGARITHM = 28673 };
    const VmafRecordVif *record = opaque;
    const VifOptions *o = options;
    for (unsigned s = 0; s < VIF_SCALES; s++) {
        uint64_t n = (uint64_t)(format->w[0] >> s) * (format->h[0] >> s);
        if (s == 0 && o->skip_scale0)
            n = 0;
        if (!is_between(record->flat_count[s], n) ||
            !is_between(record->log_den[s], LARGEST_LOGARITHM * n) ||
            !is_between(record->log_num[s], LARGEST_LOGARITHM * n) ||
            !is_between(record->flat_variance[s], n << 31))
            return false;
    }
    return true;
}

static int accumulate(const void *params, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    const VifPlane planes[2] = {
        {input->ref->data[0], input->ref->stride[0]},
        {input->dist->data[0], input->dist->stride[0]},
    };
    vif_accumulate_shared(params, scratch, planes, band, records, input->use);
    return 0;
}

typedef struct ScaleScore {
    float num, den;
} ScaleScore;

/* Information in the distorted and in the reference picture at one scale. The latter is not 0:
 * every pixel adds at least 1. */
static ScaleScore scale_score(const VmafRecordVif *record, int scale)
{
    /* Flat regions count 1 per pixel, less 4 / 255^2 of flat_variance in squared grey levels. */
    const double flat_loss = record->flat_variance[scale] / 16384.0 / 65025.0;
    const double flat_count = record->flat_count[scale];
    return (ScaleScore){
        .num = (float)(record->log_num[scale] / 2048.0 + (flat_count - flat_loss)),
        .den = (float)(record->log_den[scale] / 2048.0 + flat_count),
    };
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const VifOptions *opts = input->options;
    ScaleScore scales[VIF_SCALES];
    double total_num = 0, total_den = 0;
    for (int s = 0; s < VIF_SCALES; s++) {
        if (s == 0 && opts->skip_scale0) {
            scales[s] = (ScaleScore){0, -1}; /* the pair that libvmaf writes for a skipped scale */
            feature_sink_write(sink, OUTPUT_SCORE, 0);
            continue;
        }
        scales[s] = scale_score(input->record, s);
        total_num += (double)scales[s].num;
        total_den += (double)scales[s].den;
        const float score = scales[s].num / scales[s].den;
        feature_sink_write(sink, OUTPUT_SCORE + (unsigned)s, (double)score);
    }
    if (!opts->debug)
        return 0;
    feature_sink_write(sink, OUTPUT_TOTAL, total_num / total_den);
    feature_sink_write(sink, OUTPUT_TOTAL_NUM, total_num);
    feature_sink_write(sink, OUTPUT_TOTAL_DEN, total_den);
    for (unsigned s = 0; s < VIF_SCALES; s++) {
        feature_sink_write(sink, OUTPUT_NUM_DEN + 2 * s, (double)scales[s].num);
        feature_sink_write(sink, OUTPUT_NUM_DEN + 2 * s + 1, (double)scales[s].den);
    }
    return 0;
}

const FeatureExtractor vif_extractor = {
    .name = "vif",
    .summary = "visual information fidelity at four scales, fixed point",
    .outputs = outputs,
    .conditions = conditions,
    .options = vif_option_specs,
    .options_size = sizeof(VifOptions),
    .limits = {.size = VIF_MIN_SIZE, .depths = DEPTHS_8_TO_16},
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_VIF,
               .version = VMAF_RECORD_VIF_VERSION,
               .size = sizeof(VmafRecordVif),
               .is_possible = is_possible},
    .params_create = vif_plan_create,
    .scratch_create = vif_scratch_create,
    .scratch_destroy = vif_scratch_destroy,
    .accumulate = accumulate,
    .shared_rows = VIF_SHARED_ROWS,
    .merge = record_merge_sums,
    .finish = finish,
};
