/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/adm/adm.h"
#include "metrics/adm/adm_internal.h"
#include "metrics/common/rows.h"
#include "support/arena.h"

/* -- the params of a stream, and the rows that a worker keeps -- */

enum {
    REFERENCE,
    DISTORTED,
    PICTURES,

    RESTORED = 0, /* signals that decoupling gives */
    ADDED,
    SIGNALS,

    APPROX_RING = 4,
    NEIGHBOUR_RING = 3,
    SIGNAL_RING = 2,
};

/* What depends on the options. */
typedef struct AdmVariant {
    double gain_limit;
    bool skip_aim, skip_scale0;
    uint32_t weights[ADM_SCALES][ADM_BANDS];
} AdmVariant;

typedef struct AdmParams {
    unsigned bpc;
    AdmAxis columns[ADM_SCALES], rows[ADM_SCALES];
    AdmExtent column_cone[ADM_SCALES];
    AdmShifts shifts[ADM_SCALES];
    AdmFunctions functions;
    unsigned n_variants;
    AdmVariant variants[];
} AdmParams;

/* Rows around the one in work, of one variant at one scale. Coefficients are int16_t at scale 0. */
typedef struct MaskingRows {
    void *signal[SIGNALS][SIGNAL_RING][ADM_BANDS];
    int32_t *neighbours[SIGNALS][NEIGHBOUR_RING];
    int32_t *centre[SIGNALS][SIGNAL_RING];
    /* Sums without the row that was evaluated last; noted where the next one may repeat it. */
    uint64_t before[SIGNALS][ADM_BANDS];
} MaskingRows;

typedef struct ScaleRows {
    AdmExtent extent;
    int next; /* row to be made */
    AdmRepetition repetition;
    uint64_t den_before[ADM_BANDS]; /* as in MaskingRows */
    void *approx[PICTURES][APPROX_RING];
    MaskingRows *masking; /* of each variant */
} ScaleRows;

/* What is kept of the reference at one scale for further distorted pictures: rows of detail from
 * one on, and the denominators. */
typedef struct KeptScale {
    uint8_t *rows[ADM_BANDS];
    size_t stride; /* bytes from row to row */
    int first;
    uint64_t den[ADM_BANDS];
} KeptScale;

typedef struct AdmScratch {
    ScaleRows scale[ADM_SCALES];
    void *detail[PICTURES][ADM_BANDS];
    void *wavelet_workspace;
    int32_t *masking_workspace;
    /* Set for the accumulation in progress: */
    const AdmParams *params;
    const FrameInput *input;
    void *const *records;
    ReferenceUse use;
    void *memory;
    void *kept_memory; /* made when first needed; NULL: nothing can be kept */
    KeptScale kept[ADM_SCALES];
} AdmScratch;

static inline size_t coefficient_size(int scale)
{
    return scale == 0 ? sizeof(int16_t) : sizeof(int32_t);
}

const int16_t adm_low_pass[4] = {ADM_LOW0, ADM_LOW1, ADM_LOW2, ADM_LOW3};
const int16_t adm_high_pass[4] = {ADM_HIGH0, ADM_HIGH1, ADM_HIGH2, ADM_HIGH3};

size_t adm_wavelet_workspace(int input_columns)
{
    return 2 * sizeof(int32_t) * ((size_t)input_columns + 4 + 4 * ADM_ROW_MARGIN);
}

void adm_functions_init(AdmFunctions *functions, unsigned cpu_flags)
{
    ISA_SELECT_PORTABLE(adm_functions_fill, cpu_flags)(functions);
    ISA_SELECT_PORTABLE(adm_functions_fill_coarse, cpu_flags)(functions);
}

/* -- rows -- */

int adm_plan_create(void **out, const PictureFormat *format, const void *const variants[],
                    unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(AdmVariant), &size) ||
        !size_add(size, sizeof(AdmParams), &size))
        return -ENOMEM;
    AdmParams *params = memory_alloc_zeroed(1, size);
    if (!params)
        return -ENOMEM;

    params->bpc = format->bpc;
    params->n_variants = n_variants;
    adm_functions_init(&params->functions, cpu_flags);
    adm_axes_init(params->columns, (int)format->w[0]);
    adm_axes_init(params->rows, (int)format->h[0]);
    AdmRange all[ADM_SCALES];
    for (int s = 0; s < ADM_SCALES; s++) {
        all[s] = (AdmRange){0, params->columns[s].size};
        params->shifts[s] = adm_shifts_init(s, &params->columns[s], &params->rows[s]);
    }
    adm_cone_init(params->column_cone, params->columns, all);

    for (unsigned i = 0; i < n_variants; i++) {
        const AdmOptions *options = variants[i];
        AdmVariant *variant = &params->variants[i];
        const AdmViewing viewing = adm_viewing(options);
        variant->gain_limit = options->enhn_gain_limit;
        variant->skip_aim = options->skip_aim;
        variant->skip_scale0 = options->skip_scale0;
        for (int s = 0; s < ADM_SCALES; s++)
            adm_csf_fixed_point(&viewing, s, variant->weights[s]);
    }
    *out = params;
    return 0;
}

static size_t row_margin(size_t element_size)
{
    return size_round_up(ADM_ROW_MARGIN * element_size, MEMORY_ALIGNMENT);
}

static void *arena_take_row(Arena *arena, int columns, size_t element_size)
{
    const size_t margin = row_margin(element_size);
    uint8_t *row = arena_take(arena, (size_t)columns * element_size + 2 * margin, 1);
    return row ? row + margin : NULL;
}

static void masking_rows_layout(MaskingRows *rows, Arena *arena, int columns, size_t element_size)
{
    for (int signal = 0; signal < SIGNALS; signal++) {
        for (int i = 0; i < SIGNAL_RING; i++) {
            for (int b = 0; b < ADM_BANDS; b++)
                rows->signal[signal][i][b] = arena_take_row(arena, columns, element_size);
            rows->centre[signal][i] = arena_take_row(arena, columns, sizeof(int32_t));
        }
        for (int i = 0; i < NEIGHBOUR_RING; i++)
            rows->neighbours[signal][i] = arena_take_row(arena, columns, sizeof(int32_t));
    }
}

static void scratch_layout(AdmScratch *scratch, Arena *arena, const AdmParams *params)
{
    for (int s = 0; s < ADM_SCALES; s++) {
        ScaleRows *scale = &scratch->scale[s];
        const int columns = params->columns[s].size;
        for (int picture = 0; picture < PICTURES; picture++)
            for (int i = 0; i < APPROX_RING; i++)
                scale->approx[picture][i] = arena_take_row(arena, columns, coefficient_size(s));
        scale->masking = arena_take(arena, params->n_variants, sizeof(MaskingRows));
        for (unsigned v = 0; v < params->n_variants; v++) {
            MaskingRows counted;
            masking_rows_layout(scale->masking ? &scale->masking[v] : &counted, arena, columns,
                                coefficient_size(s));
        }
    }
    /* Rows that live no longer than the making of one row are shared by all scales. */
    const int columns = params->columns[0].size;
    for (int picture = 0; picture < PICTURES; picture++)
        for (int b = 0; b < ADM_BANDS; b++)
            scratch->detail[picture][b] = arena_take_row(arena, columns, sizeof(int32_t));
    scratch->masking_workspace = arena_take_row(arena, columns, sizeof(int32_t));
    scratch->wavelet_workspace =
        arena_take(arena, adm_wavelet_workspace(params->columns[0].input), 1);
}

int adm_scratch_create(void **out, const void *params)
{
    AdmScratch *scratch = memory_alloc_zeroed(1, sizeof(*scratch));
    if (!scratch)
        return -ENOMEM;
    Arena arena = {0};
    scratch_layout(scratch, &arena, params);
    if (arena_allocate(&arena)) {
        memory_free(scratch);
        return -ENOMEM;
    }
    scratch_layout(scratch, &arena, params);
    scratch->memory = arena.block;
    *out = scratch;
    return 0;
}

/* Rows of detail that a band of ADM_SHARED_ROWS needs: its own, and some around them. */
static int kept_rows(int scale)
{
    return (ADM_SHARED_ROWS >> (scale + 1)) + 8;
}

static void kept_layout(AdmScratch *scratch, Arena *arena, const AdmParams *params)
{
    for (int s = 0; s < ADM_SCALES; s++) {
        KeptScale *kept = &scratch->kept[s];
        const size_t margin = row_margin(coefficient_size(s));
        kept->stride = size_round_up(
            (size_t)params->columns[s].size * coefficient_size(s) + 2 * margin, MEMORY_ALIGNMENT);
        for (int b = 0; b < ADM_BANDS; b++) {
            uint8_t *rows = arena_take(arena, (size_t)kept_rows(s), kept->stride);
            kept->rows[b] = rows ? rows + margin : NULL;
        }
    }
}

/* Memory for what is kept of the reference, unless there is some. If there is none to be had,
 * nothing is kept. */
static void make_kept(AdmScratch *scratch, const AdmParams *params)
{
    if (scratch->kept_memory)
        return;
    Arena arena = {0};
    kept_layout(scratch, &arena, params);
    if (arena_allocate(&arena))
        return;
    kept_layout(scratch, &arena, params);
    scratch->kept_memory = arena.block;
}

void adm_scratch_destroy(void *opaque)
{
    AdmScratch *scratch = opaque;
    if (!scratch)
        return;
    memory_free(scratch->kept_memory);
    memory_free(scratch->memory);
    memory_free(scratch);
}

/* -- frames -- */

/*
 * Everything is streamed by rows. A row of a scale is made from four rows of approximation of the
 * scale before, which are made when they are asked for and kept in rings of four; its detail goes
 * through decoupling and masking at once, and rings of two or three rows keep what the box of the
 * masking needs. So a frame of any size works in a few rows of memory.
 */

static const void *input_row(const AdmScratch *scratch, int scale, int picture, int row)
{
    if (scale > 0)
        return scratch->scale[scale - 1].approx[picture][row % APPROX_RING];
    const VmafPicture *pic = picture == REFERENCE ? scratch->input->ref : scratch->input->dist;
    return (const uint8_t *)pic->data[0] + row * pic->stride[0];
}

static uint8_t *kept_detail(const AdmScratch *scratch, int scale, int row, int band)
{
    const KeptScale *kept = &scratch->kept[scale];
    return kept->rows[band] + (size_t)(row - kept->first) * kept->stride;
}

/* A row of detail that was just made, or is kept; of the reference. */
static void *reference_detail(const AdmScratch *scratch, int scale, int row, int band)
{
    return scratch->use == REFERENCE_ALONE ? scratch->detail[REFERENCE][band]
                                           : (void *)kept_detail(scratch, scale, row, band);
}

/* The k-th of the four rows that a row of the bands is made of. */
static int source_row(const AdmParams *params, int scale, int row, int k)
{
    return (int)mirror_whole_and_half(2 * row - 1 + k, (unsigned)params->rows[scale].input);
}

static void make_wavelet_row(AdmScratch *scratch, int scale, int row)
{
    const AdmParams *params = scratch->params;
    const AdmWaveletShifts shifts = adm_wavelet_shifts(scale, (int)params->bpc);
    const AdmFunctions *functions = &params->functions;
    const ScaleRows *rows = &scratch->scale[scale];
    const AdmExtent *columns = &params->column_cone[scale];
    void (*const luma)(const AdmWaveletRow *) =
        params->bpc > 8 ? functions->wavelet_luma16 : functions->wavelet_luma8;
    const AdmRange none = {0, 0};
    const bool has_detail = adm_range_contains(rows->extent.detail, row);

    for (int picture = scratch->use == REFERENCE_AGAIN ? DISTORTED : REFERENCE; picture < PICTURES;
         picture++) {
        AdmWaveletRow wavelet = {
            .input_columns = params->columns[scale].input,
            .vertical_shift = shifts.vertical,
            .horizontal_shift = shifts.horizontal,
            .approx = adm_range_contains(rows->extent.approx, row) ? columns->approx : none,
            .detail = has_detail ? columns->detail : none,
            .a = rows->approx[picture][row % APPROX_RING],
            .workspace = scratch->wavelet_workspace,
        };
        const int input_rows = params->rows[scale].input;
        for (int k = 0; k < 4; k++)
            wavelet.input[k] =
                input_row(scratch, scale, picture, source_row(params, scale, row, k));
        for (int k = 0; k < 2; k++)
            wavelet.next[k] =
                input_row(scratch, scale, picture, adm_min(2 * row + 3 + k, input_rows - 1));
        memcpy(wavelet.detail_rows, scratch->detail[picture], sizeof(wavelet.detail_rows));
        for (int b = 0; has_detail && picture == REFERENCE && b < ADM_BANDS; b++)
            wavelet.detail_rows[b] = reference_detail(scratch, scale, row, b);
        (scale == 0 ? luma : scale == 1 ? functions->wavelet_16 : functions->wavelet_32)(&wavelet);
    }
}

static bool wanted(const AdmScratch *scratch, int scale, unsigned variant)
{
    return scratch->records[variant] &&
           !(scale == 0 && scratch->params->variants[variant].skip_scale0);
}

/* Denominators of the row: they depend on the reference alone, and are the same for all. */
static void add_denominator(const AdmScratch *scratch, int scale, int band, uint64_t den)
{
    for (unsigned v = 0; v < scratch->params->n_variants; v++) {
        VmafRecordAdm *record = scratch->records[v];
        if (wanted(scratch, scale, v))
            record->den[scale][band] += den;
    }
}

static void add_denominators(AdmScratch *scratch, int scale, int row)
{
    const AdmParams *params = scratch->params;
    const AdmShifts *shifts = &params->shifts[scale];
    const AdmRange columns = params->column_cone[scale].evaluated;
    for (int b = 0; b < ADM_BANDS; b++) {
        const void *band = reference_detail(scratch, scale, row, b);
        const uint64_t sum =
            scale == 0
                ? params->functions.cubes_16(band, columns)
                : params->functions.cubes_32(band, columns, shifts->den_square, shifts->den_term);
        const uint64_t den = adm_round_shift(sum, shifts->den_row);
        scratch->kept[scale].den[b] += den;
        add_denominator(scratch, scale, b, den);
    }
}

/* The same, or what the row above has added once more. */
static void add_or_repeat_denominators(AdmScratch *scratch, int scale, int row)
{
    ScaleRows *rows = &scratch->scale[scale];
    uint64_t *sums = scratch->kept[scale].den, before[ADM_BANDS];
    memcpy(before, sums, sizeof(before));
    if (!adm_repetition_of_row(&rows->repetition) || row == rows->extent.evaluated.begin)
        add_denominators(scratch, scale, row);
    else
        for (int b = 0; b < ADM_BANDS; b++) {
            const uint64_t den = before[b] - rows->den_before[b];
            sums[b] += den;
            add_denominator(scratch, scale, b, den);
        }
    memcpy(rows->den_before, before, sizeof(before));
}

/* Decouples the row of detail just made, and prepares it as masker. */
static void decouple_row(AdmScratch *scratch, int scale, unsigned v, int row)
{
    const AdmParams *params = scratch->params;
    const AdmVariant *variant = &params->variants[v];
    const AdmFunctions *functions = &params->functions;
    const AdmExtent *columns = &params->column_cone[scale];
    MaskingRows *rows = &scratch->scale[scale].masking[v];
    void **const restored = rows->signal[RESTORED][row % SIGNAL_RING];
    void **const added = rows->signal[ADDED][row % SIGNAL_RING];

    AdmDecouple decouple = {.columns = columns->detail, .gain_limit = variant->gain_limit};
    for (int b = 0; b < ADM_BANDS; b++) {
        decouple.ref[b] = reference_detail(scratch, scale, row, b);
        decouple.dist[b] = scratch->detail[DISTORTED][b];
        decouple.rest[b] = restored[b];
        decouple.addition[b] = added[b];
    }
    (scale == 0 ? functions->decouple_16 : functions->decouple_32)(&decouple);

    for (int signal = variant->skip_aim ? ADDED : RESTORED; signal < SIGNALS; signal++) {
        AdmMasking masking = {
            .columns = columns->evaluated,
            .band_columns = params->columns[scale].size,
            .neighbours = rows->neighbours[signal][row % NEIGHBOUR_RING],
            .centre = rows->centre[signal][row % SIGNAL_RING],
            .workspace = scratch->masking_workspace,
        };
        memcpy(masking.weights, variant->weights[scale], sizeof(masking.weights));
        for (int b = 0; b < ADM_BANDS; b++)
            masking.signal[b] = rows->signal[signal][row % SIGNAL_RING][b];
        (scale == 0 ? functions->masking_16 : functions->masking_32)(&masking);
    }
}

/* Energy of one signal masked by the other, in a row whose neighbours have been decoupled. */
static void add_energy(const AdmScratch *scratch, int scale, unsigned v, int row, int target,
                       int64_t totals[ADM_BANDS])
{
    const AdmParams *params = scratch->params;
    const AdmFunctions *functions = &params->functions;
    const MaskingRows *rows = &scratch->scale[scale].masking[v];
    const int masker = target == RESTORED ? ADDED : RESTORED;
    const int band_rows = params->rows[scale].size;
    /* Above the band its row 1 is repeated, below it the last one. */
    const int above = row == 0 ? 1 : row - 1, below = adm_min(row + 1, band_rows - 1);

    AdmEnergy energy = {
        .columns = params->column_cone[scale].evaluated,
        .neighbours = {rows->neighbours[masker][above % NEIGHBOUR_RING],
                       rows->neighbours[masker][row % NEIGHBOUR_RING],
                       rows->neighbours[masker][below % NEIGHBOUR_RING]},
        .centre = rows->centre[masker][row % SIGNAL_RING],
    };
    memcpy(energy.weights, params->variants[v].weights[scale], sizeof(energy.weights));
    memcpy(energy.shift, params->shifts[scale].term, sizeof(energy.shift));
    for (int b = 0; b < ADM_BANDS; b++)
        energy.target[b] = rows->signal[target][row % SIGNAL_RING][b];

    uint64_t sums[ADM_BANDS];
    (scale == 0 ? functions->energy_16 : functions->energy_32)(&energy, sums);
    for (int b = 0; b < ADM_BANDS; b++)
        totals[b] = (int64_t)((uint64_t)totals[b] +
                              (uint64_t)adm_round_shift_signed(sums[b], params->shifts[scale].row));
}

/* Adds once more what the row evaluated last has added, if `again`; notes the sums before that. */
static void repeat_energy(MaskingRows *rows, int64_t *const totals[SIGNALS], bool again)
{
    for (int signal = 0; signal < SIGNALS; signal++) {
        for (int b = 0; b < ADM_BANDS; b++) {
            const uint64_t sum = (uint64_t)totals[signal][b];
            if (again)
                totals[signal][b] = (int64_t)(sum + (sum - rows->before[signal][b]));
            rows->before[signal][b] = sum;
        }
    }
}

static void evaluate_row(AdmScratch *scratch, int scale, unsigned v, int row)
{
    const ScaleRows *rows = &scratch->scale[scale];
    const AdmRange evaluated = rows->extent.evaluated;
    VmafRecordAdm *record = scratch->records[v];
    int64_t *const totals[SIGNALS] = {record->num[scale], record->aim[scale]};
    if (!adm_range_contains(evaluated, row))
        return;
    if (rows->repetition.pairs + 1 >= ADM_PAIRS_OF_NEIGHBOURS) {
        const bool again =
            rows->repetition.pairs >= ADM_PAIRS_OF_NEIGHBOURS && row > evaluated.begin;
        repeat_energy(&rows->masking[v], totals, again);
        if (again)
            return;
    }
    for (int signal = RESTORED; signal < SIGNALS; signal++)
        if (signal == RESTORED || !scratch->params->variants[v].skip_aim)
            add_energy(scratch, scale, v, row, signal, totals[signal]);
}

/* -- rows that repeat the one above -- */

/* True if the two source rows that enter with this row equal the two above them. */
static bool pair_repeats(const AdmScratch *scratch, int scale, int row)
{
    const AdmParams *params = scratch->params;
    if (scale > 0) /* which is known of the rows of the scale before */
        return adm_repetition_of_sources(&scratch->scale[scale - 1].repetition);
    const size_t size = (size_t)params->columns[0].input * (params->bpc > 8 ? 2 : 1);
    for (int k = 2; k < 4; k++) {
        const int here = source_row(params, 0, row, k), above = source_row(params, 0, row - 1, k);
        for (int picture = 0; picture < PICTURES; picture++)
            if (memcmp(input_row(scratch, 0, picture, here), input_row(scratch, 0, picture, above),
                       size) != 0)
                return false;
    }
    return true;
}

/* True if the same is computed of a row as of the one above. */
static bool same_extent(const AdmExtent *extent, int row)
{
    const AdmRange ranges[] = {extent->approx, extent->detail, extent->evaluated};
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
        if (adm_range_contains(ranges[i], row) != adm_range_contains(ranges[i], row - 1))
            return false;
    return true;
}

/* Notes what enters, and returns whether the row need not be made. */
static bool enter_row(AdmScratch *scratch, int scale, int row)
{
    ScaleRows *rows = &scratch->scale[scale];
    AdmRepetition *repetition = &rows->repetition;
    const bool is_first = row == rows->extent.computed.begin;
    adm_repetition_enter(repetition, !is_first && pair_repeats(scratch, scale, row));
    const bool repeats = adm_repetition_of_row(repetition) && same_extent(&rows->extent, row);
    repetition->rows = repeats ? repetition->rows + 1 : 0;
    return repeats;
}

static void repeat_masking(const AdmScratch *scratch, int scale, unsigned v, int row)
{
    const size_t columns = (size_t)scratch->params->columns[scale].size;
    MaskingRows *rows = &scratch->scale[scale].masking[v];
    for (int signal = 0; signal < SIGNALS; signal++) {
        for (int b = 0; b < ADM_BANDS; b++)
            memcpy(rows->signal[signal][row % SIGNAL_RING][b],
                   rows->signal[signal][(row - 1) % SIGNAL_RING][b],
                   columns * coefficient_size(scale));
        memcpy(rows->centre[signal][row % SIGNAL_RING],
               rows->centre[signal][(row - 1) % SIGNAL_RING], columns * sizeof(int32_t));
        memcpy(rows->neighbours[signal][row % NEIGHBOUR_RING],
               rows->neighbours[signal][(row - 1) % NEIGHBOUR_RING], columns * sizeof(int32_t));
    }
}

/* Copies what the row above has left, until all rings are full of it. */
static void repeat_row(const AdmScratch *scratch, int scale, int row)
{
    const ScaleRows *rows = &scratch->scale[scale];
    const size_t size = (size_t)scratch->params->columns[scale].size * coefficient_size(scale);
    if (scratch->use == REFERENCE_KEEP && adm_range_contains(rows->extent.detail, row))
        for (int b = 0; b < ADM_BANDS; b++)
            memcpy(kept_detail(scratch, scale, row, b), kept_detail(scratch, scale, row - 1, b),
                   size);
    if (rows->repetition.rows >= APPROX_RING)
        return;
    for (int picture = 0; picture < PICTURES; picture++)
        memcpy(rows->approx[picture][row % APPROX_RING],
               rows->approx[picture][(row - 1) % APPROX_RING], size);
    for (unsigned v = 0; v < scratch->params->n_variants; v++)
        if (wanted(scratch, scale, v))
            repeat_masking(scratch, scale, v, row);
}

/* The detail of a row goes through decoupling and masking; of the row above, all is there then. */
static void use_detail(AdmScratch *scratch, int scale, int row, bool repeats)
{
    const bool is_last = row == scratch->params->rows[scale].size - 1;
    if (adm_range_contains(scratch->scale[scale].extent.evaluated, row) &&
        scratch->use != REFERENCE_AGAIN)
        add_or_repeat_denominators(scratch, scale, row);
    for (unsigned v = 0; v < scratch->params->n_variants; v++) {
        if (!wanted(scratch, scale, v))
            continue;
        if (!repeats)
            decouple_row(scratch, scale, v, row);
        evaluate_row(scratch, scale, v, row - 1);
        if (is_last)
            evaluate_row(scratch, scale, v, row);
    }
}

/* Makes the rows of a scale up to and including `last`, and before each the rows that it needs. */
static void advance(AdmScratch *scratch, int scale, int last)
{
    ScaleRows *rows = &scratch->scale[scale];
    for (; rows->next <= last; rows->next++) {
        const int row = rows->next;
        if (scale > 0)
            advance(scratch, scale - 1,
                    adm_min(2 * row + 2, scratch->params->rows[scale].input - 1));
        const bool repeats = enter_row(scratch, scale, row);
        if (repeats)
            repeat_row(scratch, scale, row);
        else
            make_wavelet_row(scratch, scale, row);
        if (adm_range_contains(rows->extent.detail, row))
            use_detail(scratch, scale, row, repeats);
    }
}

/* Rows of the bands of a scale that belong to a band of luma rows. The parts of all bands of a
 * frame tile the rows. */
static AdmRange scale_rows(const AdmAxis *rows, int scale, RowBand band, int picture_rows)
{
    const int limits[2] = {(int)band.begin, (int)band.end};
    int mapped[2];
    for (int i = 0; i < 2; i++)
        mapped[i] = limits[i] >= picture_rows
                        ? rows->size
                        : adm_min(rows->size, (limits[i] + (2 << scale) - 1) >> (scale + 1));
    return (AdmRange){mapped[0], mapped[1]};
}

/* Decides where the detail of the reference goes, and what is known of it. */
static void begin_scale(AdmScratch *scratch, int scale)
{
    KeptScale *kept = &scratch->kept[scale];
    if (scratch->use == REFERENCE_AGAIN) {
        for (int b = 0; b < ADM_BANDS; b++)
            add_denominator(scratch, scale, b, kept->den[b]);
        return;
    }
    kept->first = scratch->scale[scale].extent.detail.begin;
    memset(kept->den, 0, sizeof(kept->den));
}

int adm_accumulate(const void *opaque_params, void *opaque_scratch, const FrameInput *input,
                   RowBand band, void *const records[])
{
    const AdmParams *params = opaque_params;
    AdmScratch *scratch = opaque_scratch;
    if (input->use == REFERENCE_KEEP)
        make_kept(scratch, params);
    scratch->use = scratch->kept_memory ? input->use : REFERENCE_ALONE;
    scratch->params = params;
    scratch->input = input;
    scratch->records = records;

    AdmRange part[ADM_SCALES];
    for (int s = 0; s < ADM_SCALES; s++)
        part[s] = scale_rows(&params->rows[s], s, band, params->rows[0].input);
    bool scale0 = false;
    for (unsigned v = 0; v < params->n_variants; v++)
        scale0 |= wanted(scratch, 0, v);
    if (!scale0)
        part[0] = (AdmRange){0, 0};

    AdmExtent cone[ADM_SCALES];
    adm_cone_init(cone, params->rows, part);
    for (int s = 0; s < ADM_SCALES; s++) {
        scratch->scale[s].extent = cone[s];
        scratch->scale[s].next = cone[s].computed.begin;
        scratch->scale[s].repetition = (AdmRepetition){0};
        begin_scale(scratch, s);
    }
    for (int s = ADM_SCALES - 1; s >= 0; s--)
        advance(scratch, s, cone[s].computed.end - 1);
    return 0;
}
