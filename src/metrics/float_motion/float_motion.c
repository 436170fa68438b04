/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_motion/float_motion_internal.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/rows.h"
#include "metrics/framework/extractor.h"
#include "support/cpu.h"
#include "support/memory.h"

/* In the order in which the first frame writes them. */
enum { OUTPUT_MOTION2, OUTPUT_MOTION3, OUTPUT_MOTION };

enum { MAXIMUM_REDUCED_WIDTH = 7680 };

static const FeatureOutput outputs[] = {
    {"VMAF_feature_motion2_score", OUTPUT_PROVIDED},
    {"VMAF_feature_motion3_score", OUTPUT_PROVIDED},
    {"VMAF_feature_motion_score", OUTPUT_PROVIDED},
    {0},
};

static const OutputCondition conditions[] = {{OUTPUT_MOTION, 1, "debug"}, {0}};

/* Mirrored samples must lie in the plane: the filter reaches as far as that. */
static unsigned minimum_size(const FloatMotionOptions *options)
{
    return options->force_zero ? 1 : 1 + (unsigned)float_motion_filter(options).radius;
}

static int check_format(const void *opaque, const PictureFormat *format, Reason *why)
{
    const FloatMotionOptions *options = opaque;
    int err = 0;
    if (options->motion_add_uv)
        err = check_has_chroma("float_motion with motion_add_uv", format, why);
    if (!err && options->motion_add_scale1 &&
        format->w[0] / 2 + format->w[0] % 2 > MAXIMUM_REDUCED_WIDTH)
        err = reason_set(why, -EINVAL,
                         "float_motion with motion_add_scale1 needs pictures of at most %d columns",
                         2 * MAXIMUM_REDUCED_WIDTH);
    const unsigned minimum = minimum_size(options);
    for (unsigned p = 0; !err && p < (options->motion_add_uv ? 3 : 1); p++) {
        if (format->w[p] < minimum || format->h[p] < minimum)
            err = reason_set(why, -EINVAL,
                             "float_motion needs planes of at least %ux%u samples, not %ux%u",
                             minimum, minimum, format->w[p], format->h[p]);
    }
    return err;
}

static FeatureNeeds needs_of(const void *opaque)
{
    const FloatMotionOptions *options = opaque;
    if (options->force_zero)
        return (FeatureNeeds){0};
    return (FeatureNeeds){
        .planes = options->motion_add_uv ? PLANE_Y | PLANE_CHROMA : PLANE_Y,
        .ref_history = 1,
    };
}

static size_t record_size(const void *options, const PictureFormat *format)
{
    return float_motion_layout(options, format->w, format->h).n_rows * sizeof(float);
}

static bool is_possible(const void *record, const void *options, const PictureFormat *format)
{
    const FloatMotionLayout layout = float_motion_layout(options, format->w, format->h);
    const float *rows = record;
    for (unsigned p = 0; p < layout.n_planes; p++) {
        for (int s = 0; s < 2; s++) {
            const float most = 65536.0f * (float)layout.w[p][s];
            for (unsigned y = 0; y < layout.h[p][s]; y++) {
                const float row = rows[layout.offset[p][s] + y];
                if (!(row >= 0 && row <= most))
                    return false;
            }
        }
    }
    return true;
}

/* Each row is complete in one of the two records and zero in the other. */
static void merge(void *into, const void *from, size_t size)
{
    float *rows = into;
    const float *others = from;
    for (size_t y = 0; y < size / sizeof(*rows); y++)
        rows[y] += others[y];
}

typedef struct FloatMotionState {
    uint64_t n_frames;
    unsigned last_index;
    double last; /* difference between the last frame and the one before, not weighted */
} FloatMotionState;

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* motion3 of a weighted difference. */
static double blended(const FloatMotionOptions *o, double motion)
{
    double value =
        motion * o->blend_factor + (1 - o->blend_factor) * smaller(o->blend_offset, motion);
    return smaller(value, o->max_val);
}

static float mean_difference(const FloatMotionLayout *layout, const float *rows, unsigned plane,
                             int scale)
{
    float total = 0;
    for (unsigned y = 0; y < layout->h[plane][scale]; y++)
        total += rows[layout->offset[plane][scale] + y];
    return total / (float)(layout->w[plane][scale] * layout->h[plane][scale]);
}

static double frame_difference(const FloatMotionOptions *o, const PictureFormat *format,
                               const float *rows)
{
    const FloatMotionLayout layout = float_motion_layout(o, format->w, format->h);
    double sum = 0;
    for (unsigned p = 0; p < layout.n_planes; p++) {
        float difference = mean_difference(&layout, rows, p, 0);
        if (o->motion_add_scale1)
            difference += mean_difference(&layout, rows, p, 1);
        sum += (double)difference;
    }
    return sum;
}

static void write_pair(FeatureSink *sink, const FloatMotionOptions *o, unsigned index,
                       double difference)
{
    const double weighted = difference * o->fps_weight;
    feature_sink_write_at(sink, OUTPUT_MOTION2, index, smaller(weighted, o->max_val));
    feature_sink_write_at(sink, OUTPUT_MOTION3, index, blended(o, weighted));
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    FloatMotionState *state = input->state;
    const FloatMotionOptions *o = input->options;
    const uint64_t number = state->n_frames++;
    double difference = 0;

    if (o->force_zero) {
        feature_sink_write(sink, OUTPUT_MOTION2, 0);
        feature_sink_write(sink, OUTPUT_MOTION3, 0);
    } else if (number == 0) {
        feature_sink_write(sink, OUTPUT_MOTION2, 0);
    } else {
        difference = frame_difference(o, input->format, input->record);
        if (number == 1)
            feature_sink_write_at(sink, OUTPUT_MOTION3, state->last_index,
                                  blended(o, difference * o->fps_weight));
        else
            write_pair(sink, o, state->last_index, smaller(state->last, difference));
    }
    if (o->debug)
        feature_sink_write(sink, OUTPUT_MOTION, smaller(difference * o->fps_weight, o->max_val));
    state->last = difference;
    state->last_index = input->index;
    return 0;
}

static int flush(const FinishInput *input, FeatureSink *sink)
{
    const FloatMotionState *state = input->state;
    const FloatMotionOptions *o = input->options;
    if (o->force_zero)
        return 0;
    if (state->n_frames == 1)
        feature_sink_write_at(sink, OUTPUT_MOTION3, state->last_index, 0);
    else
        write_pair(sink, o, state->last_index, state->last);
    return 0;
}

static uint64_t determined_by(const void *opaque, unsigned output, uint64_t position)
{
    const FloatMotionOptions *o = opaque;
    if (o->force_zero || output == OUTPUT_MOTION || (output == OUTPUT_MOTION2 && position == 0))
        return position;
    return position + 1;
}

/* -- accumulate -- */

ISA_DECLARE(FloatMotionFunctions, float_motion_rows);
ISA_DECLARE(FloatMotionBlocks, float_motion_blocks);

const FloatMotionFunctions *float_motion_functions(unsigned cpu_flags)
{
    return ISA_SELECT(float_motion_rows, cpu_flags);
}

const FloatMotionBlocks *float_motion_blocks(unsigned cpu_flags)
{
    return ISA_SELECT(float_motion_blocks, cpu_flags);
}

/*
 * Both frames are filtered row by row, first down the columns, then along the row, each output as a
 * sum in the order of its taps; a row of differences is summed from left to right, together with
 * its neighbours. Filtered rows are kept only as long as the reduced picture needs two of them.
 */

enum {
    MARGIN = 16,       /* samples of room on both sides of a row */
    SOURCE_RING = 8,   /* rows of samples, at least 2 FLOAT_MOTION_MAX_RADIUS + 1 */
    FILTERED_RING = 2, /* filtered rows */
    PICTURES = 2,
    SCALES = 2,
};

typedef struct FloatMotionParams {
    PictureFormat format;
    float to_8bit;
    const FloatMotionFunctions *functions;
    const FloatMotionBlocks *blocks;
    unsigned n_variants;
    const FloatMotionOptions *variants[];
} FloatMotionParams;

/* Rows of differences of one width that wait to be summed, and where their sums go. */
typedef struct DifferenceRows {
    unsigned n;
    float *rows[ROW_SUMS];
    float *sums[ROW_SUMS];
} DifferenceRows;

typedef struct FloatMotionScratch {
    float *source[PICTURES][SOURCE_RING];
    float *filtered[PICTURES][FILTERED_RING];
    float *columns; /* one row after the vertical filter, with mirrored ends */
    float *reduced[PICTURES];
    DifferenceRows differences[SCALES];
    float rows[];
} FloatMotionScratch;

static int params_create(void **out, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(variants[0]), &size) ||
        !size_add(size, sizeof(FloatMotionParams), &size))
        return -ENOMEM;
    FloatMotionParams *params = memory_alloc(1, size);
    if (!params)
        return -ENOMEM;
    params->format = *format;
    params->to_8bit = 1.0f / (float)(1u << (format->bpc - 8));
    params->functions = float_motion_functions(cpu_flags);
    params->blocks = float_motion_blocks(cpu_flags);
    params->n_variants = n_variants;
    for (unsigned i = 0; i < n_variants; i++)
        params->variants[i] = variants[i];
    *out = params;
    return 0;
}

static int scratch_create(void **out, const void *opaque)
{
    const FloatMotionParams *params = opaque;
    enum { N_ROWS = PICTURES * (SOURCE_RING + FILTERED_RING + 1) + 1 + SCALES * ROW_SUMS };
    const size_t stride = size_round_up((size_t)params->format.w[0] + 2 * MARGIN, MARGIN);
    size_t size;
    if (!size_mul(stride, N_ROWS * sizeof(float), &size) ||
        !size_add(size, sizeof(FloatMotionScratch), &size))
        return -ENOMEM;
    FloatMotionScratch *scratch = memory_alloc(1, size);
    if (!scratch)
        return -ENOMEM;
    float *row = scratch->rows + MARGIN;
    scratch->columns = row;
    for (int s = 0; s < SCALES; s++) {
        scratch->differences[s].n = 0;
        for (int i = 0; i < ROW_SUMS; i++)
            scratch->differences[s].rows[i] = row += stride;
    }
    for (int p = 0; p < PICTURES; p++) {
        for (int i = 0; i < SOURCE_RING; i++)
            scratch->source[p][i] = row += stride;
        for (int i = 0; i < FILTERED_RING; i++)
            scratch->filtered[p][i] = row += stride;
        scratch->reduced[p] = row += stride;
    }
    *out = scratch;
    return 0;
}

/* One plane of two frames in work. */
typedef struct PlanePass {
    const FloatMotionParams *params;
    FloatMotionScratch *scratch;
    const VmafPicture *pictures[PICTURES];
    unsigned plane, w, h;
    const float *taps;
    int radius;
    unsigned next_source; /* row that enters the ring next */
} PlanePass;

static const void *sample_row(const PlanePass *pass, int picture, unsigned y)
{
    const VmafPicture *pic = pass->pictures[picture];
    return (const char *)pic->data[pass->plane] + (ptrdiff_t)y * pic->stride[pass->plane];
}

/* -- blocks of rows, for which nothing is kept -- */

/* Rows y to y + n_rows - 1; of those beyond the plane, anything. */
static FloatMotionBlock block_at(const PlanePass *pass, unsigned y, unsigned n_rows)
{
    FloatMotionBlock block = {
        .w = pass->w,
        .deep = pass->params->format.bpc > 8,
        .factor = pass->params->to_8bit,
        .taps = pass->taps,
        .n_taps = 2 * pass->radius + 1,
    };
    for (int picture = 0; picture < PICTURES; picture++) {
        for (int r = 0; r < (int)n_rows + 2 * pass->radius; r++)
            block.rows[picture][r] =
                sample_row(pass, picture, mirror_whole_sample((int)y + r - pass->radius, pass->h));
        for (unsigned r = 0; r < n_rows; r++) {
            const unsigned next = y + n_rows + (unsigned)pass->radius + r;
            block.next[picture][r] = sample_row(pass, picture, next < pass->h ? next : pass->h - 1);
        }
    }
    return block;
}

/* Then all differences are zero. */
static bool is_still(const PlanePass *pass, const FloatMotionBlock *block, unsigned n_rows)
{
    const size_t size = pass->w * (block->deep ? sizeof(uint16_t) : sizeof(uint8_t));
    for (unsigned r = 0; r < n_rows + 2 * (unsigned)pass->radius; r++)
        if (memcmp(block->rows[0][r], block->rows[1][r], size) != 0)
            return false;
    return true;
}

static void accumulate_blocks(const PlanePass *pass, RowBand rows, float *record)
{
    const FloatMotionBlocks *blocks = pass->params->blocks;
    for (unsigned y = rows.begin; y < rows.end; y += blocks->n_rows) {
        const FloatMotionBlock block = block_at(pass, y, blocks->n_rows);
        float sums[FLOAT_MOTION_BLOCK_ROWS];
        if (is_still(pass, &block, blocks->n_rows))
            continue;
        blocks->sum_rows(&block, sums);
        for (unsigned i = 0; i < blocks->n_rows && y + i < rows.end; i++)
            record[y + i] += sums[i];
    }
}

/* -- rows one by one -- */

static void load_row(const PlanePass *pass, int picture, unsigned y)
{
    pass->params->functions->load(sample_row(pass, picture, y), pass->params->format.bpc > 8,
                                  pass->params->to_8bit,
                                  pass->scratch->source[picture][y % SOURCE_RING], pass->w);
}

static void filter_columns(const PlanePass *pass, int picture, unsigned y)
{
    const float *rows[2 * FLOAT_MOTION_MAX_RADIUS + 1];
    for (int k = -pass->radius; k <= pass->radius; k++)
        rows[k + pass->radius] =
            pass->scratch->source[picture][mirror_whole_sample((int)y + k, pass->h) % SOURCE_RING];
    float *out = pass->scratch->columns;
    pass->params->functions->filter_columns(rows, pass->taps, 2 * pass->radius + 1, out, pass->w);
    for (int k = 1; k <= pass->radius; k++) {
        out[-k] = out[mirror_whole_sample(-k, pass->w)];
        out[(int)pass->w - 1 + k] = out[mirror_whole_sample((int)pass->w - 1 + k, pass->w)];
    }
}

/* The filtered row y of one picture. */
static const float *filtered_row(const PlanePass *pass, int picture, unsigned y)
{
    if (!pass->radius)
        return pass->scratch->source[picture][y % SOURCE_RING];
    return pass->scratch->filtered[picture][y % FILTERED_RING];
}

static void make_row(PlanePass *pass, unsigned y)
{
    for (; pass->next_source < pass->h && pass->next_source <= y + (unsigned)pass->radius;
         pass->next_source++)
        for (int p = 0; p < PICTURES; p++)
            load_row(pass, p, pass->next_source);
    for (int p = 0; p < PICTURES && pass->radius; p++) {
        filter_columns(pass, p, y);
        pass->params->functions->filter_row(pass->scratch->columns, pass->taps,
                                            2 * pass->radius + 1,
                                            pass->scratch->filtered[p][y % FILTERED_RING], pass->w);
    }
}

static void sum_differences(DifferenceRows *differences, unsigned w)
{
    float sums[ROW_SUMS];
    if (differences->n)
        row_sums_f32((const float *const *)differences->rows, w, sums);
    for (unsigned i = 0; i < differences->n; i++)
        *differences->sums[i] += sums[i];
    differences->n = 0;
}

static void add_difference(const PlanePass *pass, int scale, const float *a, const float *b,
                           unsigned w, float *sum)
{
    DifferenceRows *differences = &pass->scratch->differences[scale];
    pass->params->functions->differences(a, b, differences->rows[differences->n], w);
    differences->sums[differences->n++] = sum;
    if (differences->n == ROW_SUMS)
        sum_differences(differences, w);
}

static void reduce_row(const PlanePass *pass, int picture, const FloatMotionPlace *row,
                       unsigned w_reduced)
{
    const float *above = filtered_row(pass, picture, row->first);
    const float *below = filtered_row(pass, picture, row->second);
    float *out = pass->scratch->reduced[picture];
    const float dy = row->fraction;
    for (unsigned x = 0; x < w_reduced; x++) {
        const FloatMotionPlace column = float_motion_place(x, pass->w, w_reduced);
        const float dx = column.fraction;
        const float a = ((1 - dy) * (1 - dx)) * above[column.first];
        const float b = ((1 - dy) * dx) * above[column.second];
        const float c = (dy * (1 - dx)) * below[column.first];
        const float d = (dy * dx) * below[column.second];
        out[x] = ((a + b) + c) + d;
    }
}

static void accumulate_plane(PlanePass *pass, const FloatMotionLayout *layout, RowBand rows,
                             float *record)
{
    const unsigned plane = pass->plane;
    const bool reduce = layout->h[plane][1] > 0;
    if (!reduce && pass->radius && pass->params->blocks->n_rows) {
        accumulate_blocks(pass, rows, record + layout->offset[plane][0]);
        return;
    }
    /* The first reduced row of the band may need the filtered row before it. */
    const unsigned first = rows.begin && reduce ? rows.begin - 1 : rows.begin;
    pass->next_source = first > (unsigned)pass->radius ? first - (unsigned)pass->radius : 0;
    unsigned next_reduced = 0;
    for (unsigned y = first; y < rows.end; y++) {
        make_row(pass, y);
        if (y >= rows.begin)
            add_difference(pass, 0, filtered_row(pass, 0, y), filtered_row(pass, 1, y), pass->w,
                           &record[layout->offset[plane][0] + y]);
        for (; next_reduced < layout->h[plane][1]; next_reduced++) {
            const FloatMotionPlace place =
                float_motion_place(next_reduced, pass->h, layout->h[plane][1]);
            if (place.second > y)
                break;
            if (place.second < y || y < rows.begin)
                continue;
            for (int p = 0; p < PICTURES; p++)
                reduce_row(pass, p, &place, layout->w[plane][1]);
            add_difference(pass, 1, pass->scratch->reduced[0], pass->scratch->reduced[1],
                           layout->w[plane][1], &record[layout->offset[plane][1] + next_reduced]);
        }
    }
    for (int scale = 0; scale < SCALES; scale++)
        sum_differences(&pass->scratch->differences[scale], layout->w[plane][scale]);
}

static int accumulate(const void *opaque, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    const FloatMotionParams *params = opaque;
    if (!input->earlier_ref[0])
        return 0;
    for (unsigned i = 0; i < params->n_variants; i++) {
        if (!records[i])
            continue;
        const FloatMotionOptions *options = params->variants[i];
        const FloatMotionLayout layout =
            float_motion_layout(options, params->format.w, params->format.h);
        const FloatMotionFilter filter = float_motion_filter(options);
        for (unsigned p = 0; p < layout.n_planes; p++) {
            PlanePass pass = {
                .params = params,
                .scratch = scratch,
                .pictures = {input->earlier_ref[0], input->ref},
                .plane = p,
                .w = layout.w[p][0],
                .h = layout.h[p][0],
                .taps = &filter.taps[FLOAT_MOTION_MAX_RADIUS - filter.radius],
                .radius = filter.radius,
            };
            const RowBand rows = {plane_row(&params->format, p, band.begin),
                                  plane_row(&params->format, p, band.end)};
            accumulate_plane(&pass, &layout, rows, records[i]);
        }
    }
    return 0;
}

const FeatureExtractor float_motion_extractor = {
    .name = "float_motion",
    .summary = "how much the reference changes from frame to frame, in floating point",
    .flags = EXTRACTOR_EVERY_FRAME | EXTRACTOR_REFERENCE_ONLY,
    .outputs = outputs,
    .conditions = conditions,
    .options = float_motion_option_specs,
    .options_size = sizeof(FloatMotionOptions),
    .check_format = check_format,
    .limits = {.depths = DEPTHS_COMMON},
    .needs_of = needs_of,
    .record = {.id = VMAF_RECORD_FLOAT_MOTION,
               .version = VMAF_RECORD_FLOAT_MOTION_VERSION,
               .is_possible = is_possible,
               .is_bytes = true,
               .numbers = RECORD_OF_F32},
    .record_size = record_size,
    .params_create = params_create,
    .params_destroy = memory_free,
    .scratch_create = scratch_create,
    .scratch_destroy = memory_free,
    .accumulate = accumulate,
    .merge = merge,
    .state_size = sizeof(FloatMotionState),
    .finish = finish,
    .flush = flush,
    .determined_by = determined_by,
};
