/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ssimulacra2/ssimulacra2_internal.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/math/math_functions.h"
#include "support/memory.h"

void ssimulacra2_functions_init(Ssimulacra2Functions *functions, unsigned cpu_flags)
{
    ISA_SELECT(ssimulacra2_init_colour, cpu_flags)(functions);
    ISA_SELECT(ssimulacra2_init_blur, cpu_flags)(functions);
    ISA_SELECT(ssimulacra2_init_maps, cpu_flags)(functions);
}

/* -- layout -- */

/* -- params -- */

int ssimulacra2_plan_create(void **params, const PictureFormat *format,
                            const void *const variants[], unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(Ssimulacra2Conversion), &size) ||
        !size_add(size, sizeof(Ssimulacra2Params), &size))
        return -ENOMEM;
    Ssimulacra2Params *p = memory_alloc_zeroed(1, size);
    if (!p)
        return -ENOMEM;
    const unsigned w = format->w[0];
    p->chroma_columns = memory_alloc(w, sizeof(*p->chroma_columns));
    if (!p->chroma_columns)
        goto fail;
    for (unsigned x = 0; x < w; x++)
        p->chroma_columns[x] = (uint32_t)((uint64_t)x * format->w[1] / w);

    ssimulacra2_functions_init(&p->functions, cpu_flags);
    p->format = *format;
    p->sizes = ssimulacra2_sizes(format->w[0], format->h[0]);
    for (unsigned c = 0; c < SSIMULACRA2_COMPONENTS; c++) {
        for (unsigned s = 0; s < SSIMULACRA2_SCALES; s++)
            p->work[c][s] = ssimulacra2_work(c, s);
    }
    ssimulacra2_transfer_init(p->transfer);
    p->n_variants = n_variants;
    for (unsigned i = 0; i < n_variants; i++) {
        const Ssimulacra2Options *options = variants[i];
        p->variants[i] = ssimulacra2_conversion(options->yuv_matrix, format->bpc);
    }
    *params = p;
    return 0;

fail:
    ssimulacra2_plan_destroy(p);
    return -ENOMEM;
}

void ssimulacra2_plan_destroy(void *params)
{
    Ssimulacra2Params *p = params;
    if (!p)
        return;
    memory_free(p->chroma_columns);
    memory_free(p);
}

/* -- scratch -- */

/* Hands out parts of a block of floats; measures it first, with base NULL. */
typedef struct Arena {
    float *base;
    size_t used;
    bool overflow;
} Arena;

/* Aligned if `lead`, which is left free before them, and the length of the rows are. */
static float *arena_rows(Arena *arena, size_t lead, size_t rows, size_t length)
{
    size_t size;
    const size_t offset = arena->used;
    if (!size_mul(rows, length, &size) || !size_add(size, lead, &size) ||
        !size_add(offset, size, &arena->used)) {
        arena->overflow = true;
        return NULL;
    }
    return arena->base ? arena->base + offset + lead : NULL;
}

enum { FLOATS_PER_LINE = MEMORY_ALIGNMENT / sizeof(float) };

/* An odd number of cache lines, so that the rows of a band do not compete for the same. */
static size_t row_length(unsigned w)
{
    return size_round_up(w, 2 * FLOATS_PER_LINE) + FLOATS_PER_LINE;
}

static void lay_out_scale(Ssimulacra2Rows *rows, const Ssimulacra2Params *params, unsigned scale,
                          Arena *arena)
{
    const size_t length = row_length(params->sizes.w[scale]);
    enum { COLUMN_ROWS = SSIMULACRA2_BLUR_REACH + 2 * SSIMULACRA2_BLUR_SECTIONS };
    rows->stride = length;
    rows->columns_size = COLUMN_ROWS * length * sizeof(float);
    for (int i = 0; i < 2; i++) {
        for (int c = 0; c < 3; c++) {
            rows->rgb[i][c] = arena_rows(arena, 0, 2, length);
            rows->xyb[i][c] = arena_rows(arena, 0, SSIMULACRA2_XYB_ROWS, length);
        }
    }
    for (int c = 0; c < SSIMULACRA2_COMPONENTS; c++) {
        const Ssimulacra2Work work = params->work[c][scale];
        const int n_moments = work.ssim    ? SSIMULACRA2_MOMENTS
                              : work.edges ? SSIMULACRA2_REF_REF
                                           : 0;
        for (int i = 0; i < n_moments; i++)
            rows->columns[c][i] = arena_rows(arena, 0, COLUMN_ROWS, length);
    }
}

static void lay_out(Ssimulacra2Scratch *s, const Ssimulacra2Params *params, Arena *arena)
{
    for (unsigned scale = 0; scale < params->sizes.n_scales; scale++)
        lay_out_scale(&s->scales[scale], params, scale, arena);
    const size_t length = row_length(params->sizes.w[0]);
    s->moments_stride = length;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++)
            s->chroma[i][j] = arena_rows(arena, 0, 1, length);
    }
    for (int i = 0; i < 2; i++) {
        enum { BEFORE = SSIMULACRA2_BLUR_REACH, AFTER = SSIMULACRA2_BLUR_AHEAD };
        s->tiles[i] =
            arena_rows(arena, BEFORE * SSIMULACRA2_LANES, length + AFTER, SSIMULACRA2_LANES);
    }
    for (int i = 0; i < SSIMULACRA2_MOMENTS; i++)
        s->moments[i] = arena_rows(arena, 0, SSIMULACRA2_LANES, length);
    s->zeros = arena_rows(arena, 0, 1, length);
    for (int i = 0; i < SSIMULACRA2_MAP_ROWS; i++)
        s->maps[i] = (double *)arena_rows(arena, 0, 2, length);
}

static void scratch_destroy(void *scratch)
{
    Ssimulacra2Scratch *s = scratch;
    if (!s)
        return;
    memory_free(s->memory);
    memory_free(s);
}

static int scratch_create(void **scratch, const void *params)
{
    Ssimulacra2Scratch *s = memory_alloc_zeroed(1, sizeof(*s));
    if (!s)
        return -ENOMEM;
    Arena arena = {0};
    lay_out(s, params, &arena);
    if (arena.overflow)
        goto fail;
    s->memory = memory_alloc_zeroed(arena.used, sizeof(float));
    if (!s->memory)
        goto fail;
    arena = (Arena){.base = s->memory};
    lay_out(s, params, &arena);
    *scratch = s;
    return 0;

fail:
    scratch_destroy(s);
    return -ENOMEM;
}

/* -- pooling -- */

double ssimulacra2_weighted_norms(const VmafRecordSsimulacra2 *record,
                                  const Ssimulacra2Sizes *sizes)
{
    double total = 0;
    for (unsigned c = 0; c < SSIMULACRA2_COMPONENTS; c++) {
        for (unsigned s = 0; s < sizes->n_scales; s++) {
            const double per_pixel = 1.0 / ((double)sizes->w[s] * (double)sizes->h[s]);
            for (unsigned k = 0; k < SSIMULACRA2_NORMS; k++) {
                if (!ssimulacra2_has_weight(c, s, k))
                    continue;
                const double mean = per_pixel * record->sum[c][s][k];
                const double norm = k < SSIMULACRA2_SSIM4 ? mean : sqrt(sqrt(mean));
                total += ssimulacra2_weight(c, s, k) * fabs(norm);
            }
        }
    }
    return total;
}

double ssimulacra2_score(double weighted_norms)
{
    /* A cubic and a power that spread the scores like the opinions. */
    const double q = weighted_norms * 0.9562382616834844;
    const double spread = (2.326765642916932 * q - (0.020884521182843837 * q) * q) +
                          ((6.248496625763138e-05 * q) * q) * q;
    return spread > 0 ? 100 - 10 * math_pow(spread, 0.6276336467831387) : 100;
}

/* -- accumulate -- */

/*
 * One pass from the top to the bottom of the pictures. Rows of linear RGB enter a scale one after
 * another, which hands their means on to the next scale. When a band of rows is there it is blurred
 * along the rows, then down the columns, one component and moment after another, and the rows that
 * come out are compared. No scale keeps more rows than the blur reaches over.
 */

typedef struct Ssimulacra2Pass {
    const Ssimulacra2Params *params;
    const Ssimulacra2Functions *functions;
    Ssimulacra2Scratch *scratch;
    VmafRecordSsimulacra2 *record;
} Ssimulacra2Pass;

static float *xyb_row(const Ssimulacra2Rows *rows, unsigned picture, unsigned component, unsigned y)
{
    return rows->xyb[picture][component] + y % SSIMULACRA2_XYB_ROWS * rows->stride;
}

/* -- a band of rows, which begins at row y -- */

/* Transposes it. Rows below the picture are zeros, as are columns beyond it. */
static void gather_band(const Ssimulacra2Pass *pass, unsigned scale, unsigned picture,
                        unsigned component, unsigned y)
{
    const Ssimulacra2Rows *rows = &pass->scratch->scales[scale];
    const unsigned w = pass->params->sizes.w[scale], h = pass->params->sizes.h[scale];
    const float *lanes[SSIMULACRA2_LANES];
    for (unsigned i = 0; i < SSIMULACRA2_LANES; i++)
        lanes[i] = y + i < h ? xyb_row(rows, picture, component, y + i) : pass->scratch->zeros;
    float *tile = pass->scratch->tiles[picture];
    pass->functions->gather(tile, lanes, w);
    memset(tile + (size_t)w * SSIMULACRA2_LANES, 0,
           SSIMULACRA2_BLUR_AHEAD * SSIMULACRA2_LANES * sizeof(*tile));
}

static void blur_moments(const Ssimulacra2Pass *pass, unsigned scale, unsigned component,
                         unsigned y)
{
    static const int factors[SSIMULACRA2_MOMENTS][2] = {
        [SSIMULACRA2_REF] = {SSIMULACRA2_REF},
        [SSIMULACRA2_DIST] = {SSIMULACRA2_DIST},
        [SSIMULACRA2_REF_REF] = {SSIMULACRA2_REF, SSIMULACRA2_REF},
        [SSIMULACRA2_DIST_DIST] = {SSIMULACRA2_DIST, SSIMULACRA2_DIST},
        [SSIMULACRA2_REF_DIST] = {SSIMULACRA2_REF, SSIMULACRA2_DIST},
    };
    const Ssimulacra2Scratch *scratch = pass->scratch;
    const Ssimulacra2Rows *rows = &scratch->scales[scale];
    Ssimulacra2Band band = {
        .w = pass->params->sizes.w[scale],
        .stride = rows->stride,
        .out_stride = scratch->moments_stride,
    };
    for (unsigned i = 0; i < SSIMULACRA2_LANES; i++)
        band.ring[i] = (y + i) % SSIMULACRA2_BLUR_REACH * rows->stride;
    Ssimulacra2Blur blurs[SSIMULACRA2_MOMENTS];
    for (int m = 0; m < SSIMULACRA2_MOMENTS; m++)
        blurs[m] = (Ssimulacra2Blur){
            .factors = {scratch->tiles[factors[m][0]], scratch->tiles[factors[m][1]]},
            .columns = rows->columns[component][m],
            .out = scratch->moments[m],
        };
    for (unsigned picture = 0; picture < 2; picture++)
        gather_band(pass, scale, picture, component, y);
    pass->functions->blur_means(blurs, SSIMULACRA2_REF_REF, &band);
    if (pass->params->work[component][scale].ssim)
        pass->functions->blur_products(blurs + SSIMULACRA2_REF_REF,
                                       SSIMULACRA2_MOMENTS - SSIMULACRA2_REF_REF, &band);
}

/* Row y of the picture, which came out of the columns as row i of the band. */
static void compare_row(const Ssimulacra2Pass *pass, unsigned scale, unsigned component, unsigned y,
                        unsigned i)
{
    const Ssimulacra2Scratch *scratch = pass->scratch;
    const Ssimulacra2Rows *rows = &scratch->scales[scale];
    const Ssimulacra2Work work = pass->params->work[component][scale];
    const unsigned w = pass->params->sizes.w[scale];
    double *sums = pass->record->sum[component][scale];
    const float *moments[SSIMULACRA2_MOMENTS];
    for (int m = 0; m < SSIMULACRA2_MOMENTS; m++)
        moments[m] = scratch->moments[m] + i * scratch->moments_stride;
    if (work.ssim)
        pass->functions->add_ssim(sums, work.norms, moments, w, scratch->maps);
    if (work.edges) {
        const Ssimulacra2Edges edges = {
            .ref = xyb_row(rows, 0, component, y),
            .dist = xyb_row(rows, 1, component, y),
            .ref_mean = moments[SSIMULACRA2_REF],
            .dist_mean = moments[SSIMULACRA2_DIST],
        };
        pass->functions->add_edges(sums, work.norms, &edges, w, scratch->maps);
    }
}

/* What comes out of the columns lies higher up than the band. */
static void process_band(const Ssimulacra2Pass *pass, unsigned scale)
{
    Ssimulacra2Rows *rows = &pass->scratch->scales[scale];
    const unsigned begin = rows->n_blurred;
    for (unsigned c = 0; c < SSIMULACRA2_COMPONENTS; c++) {
        const Ssimulacra2Work work = pass->params->work[c][scale];
        if (!work.ssim && !work.edges)
            continue;
        blur_moments(pass, scale, c, begin);
        for (unsigned i = 0; i < SSIMULACRA2_LANES; i++) {
            const unsigned entering = begin + i;
            if (entering >= SSIMULACRA2_BLUR_AHEAD &&
                entering - SSIMULACRA2_BLUR_AHEAD < pass->params->sizes.h[scale])
                compare_row(pass, scale, c, entering - SSIMULACRA2_BLUR_AHEAD, i);
        }
    }
    rows->n_blurred += SSIMULACRA2_LANES;
}

/* Whole bands as they fill up; at the end, until the last row has come out of the columns. */
static void process_bands(const Ssimulacra2Pass *pass, unsigned scale)
{
    const Ssimulacra2Rows *rows = &pass->scratch->scales[scale];
    const unsigned h = pass->params->sizes.h[scale];
    if (rows->n_rows < h) {
        if (rows->n_rows % SSIMULACRA2_LANES == 0)
            process_band(pass, scale);
        return;
    }
    while (rows->n_blurred < h + SSIMULACRA2_BLUR_AHEAD)
        process_band(pass, scale);
}

/* -- scales -- */

/* A row of linear RGB of both pictures is in its place. Such rows come in pairs, and their means
 * are a row of the next scale; a last row without a partner counts twice. */
static void row_arrived(const Ssimulacra2Pass *pass, unsigned scale)
{
    for (;; scale++) {
        Ssimulacra2Rows *rows = &pass->scratch->scales[scale];
        const unsigned y = rows->n_rows++;
        const unsigned w = pass->params->sizes.w[scale];
        const bool is_last = rows->n_rows == pass->params->sizes.h[scale];
        for (unsigned i = 0; i < 2; i++) {
            float *rgb[3], *xyb[3];
            for (unsigned c = 0; c < 3; c++) {
                rgb[c] = rows->rgb[i][c] + y % 2 * rows->stride;
                xyb[c] = xyb_row(rows, i, c, y);
            }
            pass->functions->xyb(xyb, rgb, w);
        }
        process_bands(pass, scale);
        if (scale + 1 == pass->params->sizes.n_scales || (y % 2 == 0 && !is_last))
            return;

        const Ssimulacra2Rows *next = &pass->scratch->scales[scale + 1];
        for (int i = 0; i < 2; i++) {
            for (int c = 0; c < 3; c++) {
                const float *top = rows->rgb[i][c];
                pass->functions->halve(next->rgb[i][c] + next->n_rows % 2 * next->stride, top,
                                       top + y % 2 * rows->stride, w);
            }
        }
    }
}

static const void *plane_row(const VmafPicture *picture, int plane, unsigned y)
{
    return (const char *)picture->data[plane] + (ptrdiff_t)y * picture->stride[plane];
}

/* Nearest neighbours: chroma is neither interpolated nor aligned. */
static unsigned chroma_row(const PictureFormat *format, unsigned y)
{
    return (unsigned)((uint64_t)y * format->h[1] / format->h[0]);
}

static void accumulate_variant(const Ssimulacra2Pass *pass, const Ssimulacra2Conversion *conversion,
                               const VmafPicture *const pictures[2])
{
    const PictureFormat *format = &pass->params->format;
    const int type = format->bpc == 8 ? SSIMULACRA2_BYTES : SSIMULACRA2_WORDS;
    const unsigned w = format->w[0], h = format->h[0];
    const Ssimulacra2Rows *rows = &pass->scratch->scales[0];
    for (unsigned y = 0; y < h; y++) {
        const unsigned chroma_y = chroma_row(format, y);
        const bool is_new = y == 0 || chroma_y != chroma_row(format, y - 1);
        for (int i = 0; i < 2; i++) {
            float *const *chroma = pass->scratch->chroma[i];
            for (int plane = 1; plane < 3 && is_new; plane++)
                pass->functions->chroma[type](chroma[plane - 1],
                                              plane_row(pictures[i], plane, chroma_y),
                                              pass->params->chroma_columns, w, conversion);
            float *rgb[3];
            for (int c = 0; c < 3; c++)
                rgb[c] = rows->rgb[i][c] + y % 2 * rows->stride;
            pass->functions->linear_rgb[type](rgb, plane_row(pictures[i], 0, y), chroma[0],
                                              chroma[1], w, conversion, pass->params->transfer);
        }
        row_arrived(pass, 0);
    }
}

static void start(const Ssimulacra2Pass *pass)
{
    for (unsigned s = 0; s < pass->params->sizes.n_scales; s++) {
        Ssimulacra2Rows *rows = &pass->scratch->scales[s];
        rows->n_rows = rows->n_blurred = 0;
        for (int c = 0; c < SSIMULACRA2_COMPONENTS; c++) {
            for (int i = 0; i < SSIMULACRA2_MOMENTS && rows->columns[c][i]; i++)
                memset(rows->columns[c][i], 0, rows->columns_size);
        }
    }
}

static void ssimulacra2_accumulate(const Ssimulacra2Params *params, Ssimulacra2Scratch *scratch,
                                   const VmafPicture *const pictures[2], void *const records[])
{
    if (!params->sizes.n_scales)
        return;
    for (unsigned i = 0; i < params->n_variants; i++) {
        if (!records[i])
            continue;
        const Ssimulacra2Pass pass = {params, &params->functions, scratch, records[i]};
        start(&pass);
        accumulate_variant(&pass, &params->variants[i], pictures);
    }
}

/* -- finish -- */

enum { OUTPUT_SCORE };

static const FeatureOutput outputs[] = {
    {"ssimulacra2", OUTPUT_PROVIDED},
    {0},
};

static size_t record_size(const void *options, const PictureFormat *format)
{
    (void)options;
    (void)format;
    return sizeof(VmafRecordSsimulacra2);
}

/*
 * What a pixel adds at most. Components are within 0 to 1.5 and blurred ones hardly beyond, so that
 * edges e are below 3, and (1 + e) / (1 + e') - 1 is above -1 and at most e. The variances that
 * dissimilarity is divided by may be small.
 */
static double most_of(unsigned norm)
{
    static const double most[SSIMULACRA2_NORMS] = {
        [SSIMULACRA2_SSIM1] = DBL_MAX, [SSIMULACRA2_RING1] = 4,   [SSIMULACRA2_BLUR1] = 1,
        [SSIMULACRA2_SSIM4] = DBL_MAX, [SSIMULACRA2_RING4] = 256, [SSIMULACRA2_BLUR4] = 1,
    };
    return most[norm];
}

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    (void)options;
    const VmafRecordSsimulacra2 *record = opaque;
    const Ssimulacra2Sizes sizes = ssimulacra2_sizes(format->w[0], format->h[0]);
    for (unsigned c = 0; c < SSIMULACRA2_COMPONENTS; c++) {
        for (unsigned s = 0; s < SSIMULACRA2_SCALES; s++) {
            const double n = s < sizes.n_scales ? (double)sizes.w[s] * (double)sizes.h[s] : 0;
            for (unsigned k = 0; k < SSIMULACRA2_NORMS; k++) {
                const double most = n > 0 && ssimulacra2_has_weight(c, s, k) ? most_of(k) : 0;
                const double sum = record->sum[c][s][k];
                if (!(sum >= 0 && sum / (n > 0 ? n : 1) <= most))
                    return false;
            }
        }
    }
    return true;
}

/* Always a whole frame: records do not merge. */
static int accumulate(const void *params, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    (void)band;
    const VmafPicture *const pictures[2] = {input->ref, input->dist};
    ssimulacra2_accumulate(params, scratch, pictures, records);
    return 0;
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const Ssimulacra2Sizes sizes = ssimulacra2_sizes(input->format->w[0], input->format->h[0]);
    const double weighted_norms = ssimulacra2_weighted_norms(input->record, &sizes);
    if (!isfinite(weighted_norms))
        return -EINVAL;
    feature_sink_write(sink, OUTPUT_SCORE, ssimulacra2_score(weighted_norms));
    return 0;
}

const FeatureExtractor ssimulacra2_extractor = {
    .name = "ssimulacra2",
    .summary = "SSIMULACRA 2: structure and edges in a perceptual colour space",
    .outputs = outputs,
    .options = ssimulacra2_option_specs,
    .options_size = sizeof(Ssimulacra2Options),
    .limits = {.chroma = true},
    .needs = {.planes = PLANE_Y | PLANE_CHROMA},
    .record = {.id = VMAF_RECORD_SSIMULACRA2,
               .version = VMAF_RECORD_SSIMULACRA2_VERSION,
               .is_possible = is_possible,
               .is_bytes = true},
    .record_size = record_size,
    .params_create = ssimulacra2_plan_create,
    .params_destroy = ssimulacra2_plan_destroy,
    .scratch_create = scratch_create,
    .scratch_destroy = scratch_destroy,
    .accumulate = accumulate,
    .finish = finish,
};
