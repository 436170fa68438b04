/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/rows.h"
#include "metrics/vif/vif_internal.h"
#include "support/memory.h"

/*
 * One pass over the rows of each scale: a row of statistics, and on every second row one of the
 * next scale, while the rows of the window are in the cache. There are two ways to do that: rows
 * one by one (VifFunctions), or in pairs (VifPairFunctions).
 */

typedef struct VifPass {
    const VifParams *params;
    const VifFunctions *functions;
    VifScratch *scratch;
    const VifPlane *planes;
    ReferenceUse use;             /* of what is kept in the scratch memory */
    RowBand measured[VIF_SCALES]; /* rows of statistics */
    RowBand images[VIF_SCALES];   /* rows that those are computed from; of scales 1 to 3 */
    unsigned n_limits;

    /* The scale in progress. */
    unsigned scale;
    unsigned w, h;
    unsigned mirror_w, mirror_h; /* size for the border rule: w and h, but see VifLeftover */
    unsigned depth;
    int sample_type;
    unsigned next_product; /* row that enters the ring next */
    int next_pair;         /* pair that enters the ring next */
    VifRepetition repetition;
} VifPass;

/*
 * A scale-3 image of one row, or of one column, has no neighbours that mirroring could find.
 * libvmaf 3.2 finds there what earlier steps left in its buffers: row 1 of the scale-2 images, and
 * column 1 of the vertically filtered last row of scale 2. Here that is a second row or column.
 */
typedef struct VifLeftover {
    uint16_t mean[2];
    uint16_t moment[VIF_MOMENTS][VIF_HALVES];
} VifLeftover;

/* -- which rows -- */

static bool band_is_empty(RowBand band)
{
    return band.begin >= band.end;
}

static bool band_contains(RowBand band, unsigned y)
{
    return y >= band.begin && y < band.end;
}

/* The smallest band that contains both. */
static RowBand band_union(RowBand a, RowBand b)
{
    if (band_is_empty(a))
        return b;
    if (band_is_empty(b))
        return a;
    return (RowBand){min_unsigned(a.begin, b.begin), max_unsigned(a.end, b.end)};
}

/* Rows under the windows of the band's rows, in an image of h rows. */
static RowBand band_reach(RowBand band, unsigned scale, unsigned h)
{
    if (band_is_empty(band))
        return band;
    RowBand reach = band;
    for (int k = 1; k <= (int)vif_filters[scale].radius; k++) {
        unsigned above = mirror_whole_sample((int)band.begin - k, h);
        unsigned below = mirror_whole_sample((int)band.end - 1 + k, h);
        reach = band_union(reach, (RowBand){above, above + 1});
        reach = band_union(reach, (RowBand){below, below + 1});
    }
    return reach;
}

/* Place of a boundary between luma rows among the rows of a scale; the last one stays the last. */
static unsigned boundary_at_scale(const VifParams *params, unsigned y, unsigned scale)
{
    unsigned rounded_up = (y >> scale) + ((y & ((1u << scale) - 1)) != 0);
    return min_unsigned(rounded_up, params->h[scale]);
}

/* The rows of a scale from the first to the last one on which those of the next are centred. */
static RowBand rows_to_decimate(RowBand next)
{
    if (band_is_empty(next))
        return next;
    return (RowBand){2 * next.begin, 2 * next.end - 1};
}

static bool has_leftovers(const VifParams *params)
{
    return params->w[VIF_SCALES - 1] == 1 || params->h[VIF_SCALES - 1] == 1;
}

static void choose_rows(VifPass *pass, RowBand band)
{
    const VifParams *params = pass->params;
    for (unsigned s = 0; s < VIF_SCALES; s++)
        pass->measured[s] = (RowBand){boundary_at_scale(params, band.begin, s),
                                      boundary_at_scale(params, band.end, s)};
    /* Goes from the top of the pyramid down. */
    RowBand sources = {0, 0};
    for (unsigned s = VIF_SCALES - 1; s > 0; s--) {
        RowBand windows = band_reach(pass->measured[s], s, params->h[s]);
        pass->images[s] = band_union(windows, sources);
        if (has_leftovers(params))
            pass->images[s] = (RowBand){0, params->h[s]};
        sources = band_reach(rows_to_decimate(pass->images[s]), s, params->h[s - 1]);
    }
}

/* -- the scale in progress -- */

static const void *source_row(const VifPass *pass, int picture, unsigned y)
{
    if (pass->scale == 0)
        return (const uint8_t *)pass->planes[picture].data +
               (ptrdiff_t)y * pass->planes[picture].stride;
    return pass->scratch->image[picture][pass->scale] +
           y * pass->scratch->image_stride[pass->scale];
}

static void enter_scale(VifPass *pass, unsigned scale)
{
    const VifParams *params = pass->params;
    pass->scale = scale;
    pass->w = pass->mirror_w = params->w[scale];
    pass->h = pass->mirror_h = params->h[scale];
    pass->depth = scale == 0 ? params->depth : 16;
    pass->sample_type = vif_sample_type(pass->depth);
}

static VifGain gain_of(const VifPass *pass)
{
    return (VifGain){pass->scratch->limits, pass->n_limits, pass->params->log_bows};
}

/* True if row y of both pictures holds the same samples as row `other`. */
static bool equal_rows(const VifPass *pass, unsigned y, unsigned other)
{
    const size_t size = pass->w * (pass->depth == 8 ? sizeof(uint8_t) : sizeof(uint16_t));
    return memcmp(source_row(pass, 0, y), source_row(pass, 0, other), size) == 0 &&
           memcmp(source_row(pass, 1, y), source_row(pass, 1, other), size) == 0;
}

/* Makes row y of the next scale what the row above it is. */
static void repeat_decimated(const VifPass *pass, unsigned y)
{
    const unsigned next = pass->scale + 1;
    const size_t stride = pass->scratch->image_stride[next];
    for (int i = 0; i < 2; i++) {
        uint16_t *row = pass->scratch->image[i][next] + y * stride;
        memcpy(row, row - stride, pass->params->w[next] * sizeof(*row));
    }
}

/* What is kept of row y of the scale in progress. */
static int32_t *kept_row(const VifPass *pass, unsigned y)
{
    const VifKept *kept = &pass->scratch->kept[pass->scale];
    return kept->rows + (y - kept->first) * (vif_kept_row(pass->w) / sizeof(int32_t));
}

/* Repeats what is kept for n rows from y on, which add what as many above them did. */
static void repeat_kept(const VifPass *pass, unsigned y, unsigned n)
{
    if (pass->use == REFERENCE_KEEP)
        memcpy(kept_row(pass, y), kept_row(pass, y - n), n * vif_kept_row(pass->w));
}

/* -- rows one by one -- */

static void *product_row(const VifPass *pass, int moment, unsigned y)
{
    return pass->scratch->products[moment] + y % VIF_MAX_TAPS * pass->scratch->product_stride;
}

/* Statistics go on with rows in ascending order from y. */
static void start_products(VifPass *pass, unsigned y)
{
    unsigned radius = vif_filters[pass->scale].radius;
    pass->next_product = y > radius ? y - radius : 0;
    vif_repetition_start(&pass->repetition, pass->scratch->step_log_num);
}

/* The last row under the window of row y. */
static unsigned last_row(const VifPass *pass, unsigned y)
{
    return min_unsigned(y + vif_filters[pass->scale].radius, pass->mirror_h - 1);
}

/* How many rows have to equal the one above them so that all rows are equal from `reach` above
 * row y to the last one under its window. */
static unsigned rows_to_repeat(const VifPass *pass, unsigned y, unsigned reach)
{
    return last_row(pass, y) - (y > reach ? y - reach : 0);
}

static void multiply_row(const VifPass *pass, unsigned y)
{
    void *products[VIF_MOMENTS];
    for (int i = 0; i < VIF_MOMENTS; i++)
        products[i] = product_row(pass, i, y);
    if (pass->use == REFERENCE_AGAIN)
        products[VIF_REF_REF] = NULL;
    pass->functions->multiply[pass->sample_type](products, source_row(pass, 0, y),
                                                 source_row(pass, 1, y), pass->w);
}

/* Makes products down to the last row under the window of row y. */
static void multiply_rows(VifPass *pass, unsigned y)
{
    for (; pass->next_product <= last_row(pass, y); pass->next_product++) {
        const unsigned next = pass->next_product;
        vif_repetition_enter(&pass->repetition, next > 0 && equal_rows(pass, next, next - 1));
        /* After a whole ring of equal rows, the products are there. */
        if (pass->repetition.run <= VIF_MAX_TAPS)
            multiply_row(pass, next);
    }
}

static void filter_columns(const VifPass *pass, unsigned y)
{
    const int radius = (int)vif_filters[pass->scale].radius;
    VifWindow window;
    for (int k = -radius; k <= radius; k++) {
        unsigned row = mirror_whole_sample((int)y + k, pass->mirror_h);
        for (int i = 0; i < 2; i++)
            window.sample[i][radius + k] = source_row(pass, i, row);
        for (int i = 0; i < VIF_MOMENTS; i++)
            window.product[i][radius + k] = product_row(pass, i, row);
    }
    pass->functions->filter_columns[pass->sample_type][pass->scale](&pass->scratch->columns,
                                                                    &window, pass->w, pass->depth);
}

static void mirror(uint16_t *row, unsigned w, unsigned radius)
{
    for (int k = 1; k <= (int)radius; k++) {
        row[-k] = row[mirror_whole_sample(-k, w)];
        row[(int)w - 1 + k] = row[mirror_whole_sample((int)w - 1 + k, w)];
    }
}

/* The same with one more column before it, where the border rule asks for that. */
static void mirror_columns(const VifPass *pass, uint16_t *row, uint16_t leftover)
{
    if (pass->mirror_w > pass->w)
        row[pass->w] = leftover;
    mirror(row, pass->mirror_w, vif_filters[pass->scale].radius);
}

/* Where the reference's part of row y is kept, or was: also its variances. */
static VifVariances use_kept_row(const VifPass *pass, unsigned y)
{
    VifVariances variances = pass->scratch->variances;
    VifReferenceRow reference = {.use = pass->use};
    if (pass->use != REFERENCE_ALONE) {
        const size_t stride = vif_kept_stride(pass->w);
        int32_t *kept = kept_row(pass, y);
        reference.sums = (uint32_t *)kept + VIF_KEPT_SUMS * stride;
        reference.means = (uint32_t *)kept + VIF_KEPT_MEANS * stride;
        variances.ref = kept + VIF_KEPT_VARIANCES * stride;
    }
    pass->scratch->columns.reference = reference;
    return variances;
}

static void measure_row(const VifPass *pass, unsigned y, const VifLeftover *leftover, VifSums *sums)
{
    const VifColumnMoments *columns = &pass->scratch->columns;
    const VifVariances variances = use_kept_row(pass, y);
    const bool again = pass->use == REFERENCE_AGAIN;
    filter_columns(pass, y);
    for (int i = again; i < 2; i++)
        mirror_columns(pass, columns->mean[i], leftover->mean[i]);
    for (int i = again; i < VIF_MOMENTS; i++)
        for (int half = 0; half < VIF_HALVES; half++)
            mirror_columns(pass, columns->moment[i][half], leftover->moment[i][half]);
    pass->functions->local_variances[pass->scale](&variances, columns, pass->w);
    const VifGain gain = gain_of(pass);
    (again ? pass->functions->gain_again : pass->functions->gain)(sums, &variances, pass->w, &gain);
}

static void measure_or_repeat_row(VifPass *pass, unsigned y, const VifLeftover *leftover,
                                  VifSums *sums)
{
    static const bool one_row[2] = {true, false};
    VifRepetition *repetition = &pass->repetition;
    const unsigned reach = vif_filters[pass->scale].radius + 1;
    multiply_rows(pass, y);
    if (!vif_repetition_holds(repetition, rows_to_repeat(pass, y, reach), one_row))
        measure_row(pass, y, leftover, vif_repetition_renew(repetition, one_row, pass->n_limits));
    else
        repeat_kept(pass, y, 1);
    vif_sums_add(sums, &repetition->sums, pass->n_limits);
}

/* Makes row y of the next scale. */
static void decimate(const VifPass *pass, unsigned y)
{
    const VifScratch *scratch = pass->scratch;
    const unsigned next = pass->scale + 1;
    const int radius = (int)vif_filters[next].radius;
    /* The image of the reference is still there. */
    for (int i = pass->use == REFERENCE_AGAIN; i < 2; i++) {
        const void *rows[VIF_MAX_TAPS];
        for (int k = -radius; k <= radius; k++)
            rows[radius + k] = source_row(pass, i, mirror_whole_sample(2 * (int)y + k, pass->h));
        pass->functions->decimate_columns[pass->sample_type][next](scratch->decimated_columns, rows,
                                                                   pass->w, pass->depth);
        mirror(scratch->decimated_columns, pass->w, (unsigned)radius);
        pass->functions->decimate_row[next](scratch->image[i][next] +
                                                y * scratch->image_stride[next],
                                            scratch->decimated_columns, pass->params->w[next]);
    }
}

/* Only rows that are measured have been compared. */
static void decimate_or_repeat(const VifPass *pass, unsigned y, RowBand next, bool is_measured)
{
    const unsigned reach = vif_filters[pass->scale + 1].radius + 2;
    if (is_measured && y > next.begin && pass->repetition.run >= rows_to_repeat(pass, 2 * y, reach))
        repeat_decimated(pass, y);
    else
        decimate(pass, y);
}

/* Rows that are measured, and rows of the next scale that are made. */
static void accumulate_rows(VifPass *pass, RowBand measured, RowBand next,
                            const VifLeftover *leftover, VifSums *sums)
{
    start_products(pass, measured.begin);
    if (pass->use == REFERENCE_KEEP)
        pass->scratch->kept[pass->scale].first = measured.begin;
    RowBand rows = band_union(measured, rows_to_decimate(next));
    for (unsigned y = rows.begin; y < rows.end; y++) {
        const bool is_measured = band_contains(measured, y);
        if (is_measured)
            measure_or_repeat_row(pass, y, leftover, sums);
        if (y % 2 == 0 && band_contains(next, y / 2))
            decimate_or_repeat(pass, y / 2, next, is_measured);
    }
}

/* -- rows in pairs: rows 2j and 2j + 1 are pair j, mirrored where j is beyond the image -- */

static int16_t *joined_rows(const VifPass *pass, int pair)
{
    const unsigned place = (unsigned)(pair + VIF_MAX_PAIRS) % VIF_MAX_PAIRS;
    return pass->scratch->joined + place * pass->scratch->joined_stride;
}

/* The upper or the lower row of a pair. */
static unsigned row_of_pair(const VifPass *pass, int pair, int row)
{
    return mirror_whole_sample(2 * pair + row, pass->h);
}

static const void *next_row(const VifPass *pass, int picture, int row)
{
    return source_row(pass, picture, row_of_pair(pass, pass->next_pair, row));
}

/* True if the pair that is joined next equals the one above it. */
static bool next_pair_repeats(const VifPass *pass)
{
    const int pair = pass->next_pair;
    return equal_rows(pass, row_of_pair(pass, pair, 0), row_of_pair(pass, pair - 1, 0)) &&
           equal_rows(pass, row_of_pair(pass, pair, 1), row_of_pair(pass, pair - 1, 1));
}

static void join_rows(VifPass *pass, int last_pair)
{
    const int type = vif_pair_type(pass->depth);
    for (; pass->next_pair <= last_pair; pass->next_pair++) {
        vif_repetition_enter(&pass->repetition, next_pair_repeats(pass));
        /* After a whole ring of equal pairs, this one is there. */
        if (pass->repetition.run > VIF_MAX_PAIRS)
            continue;
        const void *rows[2][2];
        for (int i = 0; i < 2; i++)
            for (int row = 0; row < 2; row++)
                rows[i][row] = next_row(pass, i, row);
        pass->params->pairs->join[type](joined_rows(pass, pass->next_pair), rows, pass->w);
    }
}

/* The number of pairs under a window of this scale, all of which have to repeat. */
static unsigned pairs_to_repeat(const VifPass *pass)
{
    return 2 * vif_pair_reach(pass->scale) + 1;
}

static VifPairWindow window_of_pairs(const VifPass *pass, int pair, unsigned scale)
{
    VifPairWindow window;
    const int reach = (int)vif_pair_reach(scale);
    for (int k = -reach; k <= reach; k++)
        window.pairs[reach + k] = joined_rows(pass, pair + k);
    return window;
}

static void measure(const VifPass *pass, VifPairTask *task, int pair, VifSums *sums)
{
    const VifPairFunctions *functions = pass->params->pairs;
    const int type = vif_pair_type(pass->depth);
    if (pass->use == REFERENCE_ALONE) {
        functions->measure[type][pass->scale](sums, task);
        return;
    }
    for (int row = 0; row < 2; row++)
        task->kept[row] = kept_row(pass, 2 * (unsigned)pair + (unsigned)row);
    (pass->use == REFERENCE_KEEP ? functions->measure_and_keep
                                 : functions->measure_again)[type][pass->scale](sums, task);
}

static void measure_pair(const VifPass *pass, int pair, const bool measured[2], VifSums *sums)
{
    const VifScratch *scratch = pass->scratch;
    VifPairTask task = {
        .window = window_of_pairs(pass, pair, pass->scale),
        .next = {{next_row(pass, 0, 0), next_row(pass, 0, 1)},
                 {next_row(pass, 1, 0), next_row(pass, 1, 1)}},
        .columns = {scratch->pair_columns[0], scratch->pair_columns[1]},
        .w = pass->w,
        .depth = pass->depth,
        .measured = {measured[0], measured[1]},
        .gain = gain_of(pass),
    };
    measure(pass, &task, pair, sums);
}

static void measure_or_repeat_pair(VifPass *pass, int pair, RowBand band, VifSums *sums)
{
    const bool measured[2] = {band_contains(band, 2 * (unsigned)pair),
                              band_contains(band, 2 * (unsigned)pair + 1)};
    VifRepetition *repetition = &pass->repetition;
    if (!measured[0] && !measured[1])
        return;
    if (!vif_repetition_holds(repetition, pairs_to_repeat(pass), measured))
        measure_pair(pass, pair, measured,
                     vif_repetition_renew(repetition, measured, pass->n_limits));
    else
        repeat_kept(pass, 2 * (unsigned)pair, 2);
    vif_sums_add(sums, &repetition->sums, pass->n_limits);
}

static void decimate_pair(const VifPass *pass, int pair)
{
    const VifScratch *scratch = pass->scratch;
    const unsigned next = pass->scale + 1;
    const VifPairWindow window = window_of_pairs(pass, pair, next);
    /* The image of the reference is still there. */
    for (int i = pass->use == REFERENCE_AGAIN; i < 2; i++) {
        uint16_t *out = scratch->image[i][next] + (unsigned)pair * scratch->image_stride[next];
        pass->params->pairs->decimate[vif_pair_type(pass->depth)][next](
            out, scratch->decimated_columns, &window, i, pass->w, pass->depth);
    }
}

/* Windows of the next scale are within those of this one. */
static void decimate_or_repeat_pair(const VifPass *pass, int pair, RowBand next)
{
    const bool has_row_above = (unsigned)pair > next.begin;
    if (has_row_above && pass->repetition.run >= pairs_to_repeat(pass))
        repeat_decimated(pass, (unsigned)pair);
    else
        decimate_pair(pass, pair);
}

static void accumulate_pairs(VifPass *pass, RowBand measured, RowBand next, VifSums *sums)
{
    const RowBand rows = band_union(measured, rows_to_decimate(next));
    const int begin = (int)(rows.begin / 2), end = (int)((rows.end + 1) / 2);
    const int reach = (int)vif_pair_reach(pass->scale);
    pass->next_pair = begin - reach;
    vif_repetition_start(&pass->repetition, pass->scratch->step_log_num);
    if (pass->use == REFERENCE_KEEP)
        pass->scratch->kept[pass->scale].first = measured.begin / 2 * 2;
    for (int pair = begin; pair < end; pair++) {
        join_rows(pass, pair + reach);
        measure_or_repeat_pair(pass, pair, measured, sums);
        if (band_contains(next, (unsigned)pair))
            decimate_or_repeat_pair(pass, pair, next);
    }
}

/* -- scales -- */

/* Enters scale 3 when it is a single row or column. */
static void enter_with_leftovers(VifPass *pass, VifLeftover *leftover)
{
    const VifScratch *scratch = pass->scratch;
    const unsigned scale = VIF_SCALES - 1;
    if (pass->params->w[scale] == 1) {
        unsigned last = pass->h - 1;
        start_products(pass, last);
        multiply_rows(pass, last);
        filter_columns(pass, last);
        for (int i = 0; i < 2; i++)
            leftover->mean[i] = scratch->columns.mean[i][1];
        for (int i = 0; i < VIF_MOMENTS; i++)
            for (int half = 0; half < VIF_HALVES; half++)
                leftover->moment[i][half] = scratch->columns.moment[i][half][1];
    }
    for (int i = 0; i < 2 && pass->params->h[scale] == 1; i++)
        memcpy(scratch->image[i][scale] + scratch->image_stride[scale],
               scratch->image[i][scale - 1] + scratch->image_stride[scale - 1],
               pass->params->w[scale] * sizeof(uint16_t));
    enter_scale(pass, scale);
    pass->mirror_w = max_unsigned(pass->w, 2);
    pass->mirror_h = max_unsigned(pass->h, 2);
}

static void accumulate_scale(VifPass *pass, const VifLeftover *leftover, VifSums *sums)
{
    RowBand measured = {0, 0}, next = {0, 0};
    if (pass->n_limits)
        measured = pass->measured[pass->scale];
    if (pass->scale + 1 < VIF_SCALES)
        next = pass->images[pass->scale + 1];
    if (pass->params->pairs)
        accumulate_pairs(pass, measured, next, sums);
    else
        accumulate_rows(pass, measured, next, leftover, sums);
}

static bool variant_is_measured(const VifParams *params, unsigned variant, unsigned scale,
                                void *const records[])
{
    return records[variant] && !(scale == 0 && params->variants[variant].skip_scale0);
}

/* The denominators are those of the first distorted picture. */
static void share_denominator(const VifPass *pass, VifSums *sums)
{
    VifKept *kept = &pass->scratch->kept[pass->scale];
    if (pass->use == REFERENCE_KEEP)
        kept->log_den = sums->log_den;
    else if (pass->use == REFERENCE_AGAIN)
        sums->log_den = kept->log_den;
}

void vif_accumulate_shared(const VifParams *params, VifScratch *scratch, const VifPlane planes[2],
                           RowBand band, void *const records[], ReferenceUse use)
{
    VifPass pass = {
        .params = params, .functions = &params->functions, .scratch = scratch, .planes = planes};
    if (use == REFERENCE_KEEP)
        vif_scratch_make_kept(scratch, params);
    if (scratch->kept_memory)
        pass.use = use;
    VifLeftover leftover = {0};
    choose_rows(&pass, band);
    for (unsigned scale = 0; scale < VIF_SCALES; scale++) {
        if (scale == VIF_SCALES - 1 && has_leftovers(params))
            enter_with_leftovers(&pass, &leftover);
        else
            enter_scale(&pass, scale);

        pass.n_limits = 0;
        for (unsigned i = 0; i < params->n_variants; i++) {
            if (!variant_is_measured(params, i, scale, records))
                continue;
            scratch->limits[pass.n_limits] = params->variants[i].gain_limit;
            scratch->log_num[pass.n_limits++] = 0;
        }
        VifSums sums = {.log_num = scratch->log_num};
        accumulate_scale(&pass, &leftover, &sums);
        share_denominator(&pass, &sums);
        const int64_t *log_num = sums.log_num;
        for (unsigned i = 0; i < params->n_variants; i++) {
            if (!variant_is_measured(params, i, scale, records))
                continue;
            VmafRecordVif *record = records[i];
            record->log_num[scale] += *log_num++;
            record->log_den[scale] += sums.log_den;
            record->flat_variance[scale] += sums.flat_variance;
            record->flat_count[scale] += sums.flat_count;
        }
    }
}
