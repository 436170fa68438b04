/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_INTERNAL_H
#define METRICS_VIF_VIF_INTERNAL_H

#include "metrics/framework/extractor.h"
#include "metrics/vif/vif.h"
#include "metrics/vif/vif_kernel.h"
#include "support/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Visual information fidelity of luma in fixed-point arithmetic, at four scales: the pixel-domain
 * form of H. R. Sheikh and A. C. Bovik, "Image information and visual quality", IEEE Transactions
 * on Image Processing 15(2), 2006.
 */

extern const FeatureExtractor vif_extractor;

/* The window of each scale as a table. */

enum {
    VIF_MAX_RADIUS = VIF_RADIUS(0),
    VIF_MAX_TAPS = 2 * VIF_MAX_RADIUS + 1,
};

typedef struct VifFilter {
    unsigned radius;
    uint16_t taps[VIF_MAX_RADIUS + 1]; /* from the centre outwards */
} VifFilter;

/* In the header so that loops over the taps unroll into constants. */
static const VifFilter vif_filters[VIF_SCALES] = {
    {VIF_RADIUS(0), {VIF_WINDOW_0}},
    {VIF_RADIUS(1), {VIF_WINDOW_1}},
    {VIF_RADIUS(2), {VIF_WINDOW_2}},
    {VIF_RADIUS(3), {VIF_WINDOW_3}},
};

/*
 * The inner loops of VIF, one row at a time. vif_scalar.c is the truth: the formulas, one pixel
 * after another. Every other set of kernels gives the same integers, and is what runs: vectors, or
 * `portable` C for processors that have none of them.
 *
 * A row of statistics takes four steps. `multiply` makes the products of a row of samples, once;
 * `filter_columns` filters samples and products of up to 17 rows vertically; `local_variances`
 * filters the result horizontally and subtracts the squared means; `gain` reduces variances to the
 * sums of the record. A row of the next scale takes two: `decimate_columns` and `decimate_row`.
 *
 * Rows that are filtered horizontally hold mirrored values for the radius of the filter on both
 * sides. What the values of rows between two steps mean is up to the kernels, but one column can
 * be copied to another. Rows other than those of pictures may be read, and output rows written, for
 * VIF_PADDING bytes beyond the last column. Inputs and outputs do not overlap. Samples beyond the
 * bit depth give results without meaning, but defined ones.
 */

/* The second moments, and the products of samples that they are means of. */
enum { VIF_REF_REF, VIF_DIST_DIST, VIF_REF_DIST, VIF_MOMENTS };

/* Types of samples, one for each kernel: bytes have 8 bits, words up to 14, deep words up to 16. */
enum { VIF_BYTES, VIF_WORDS, VIF_DEEP_WORDS, VIF_SAMPLE_TYPES };

static inline int vif_sample_type(unsigned depth)
{
    return depth == 8 ? VIF_BYTES : depth <= 14 ? VIF_WORDS : VIF_DEEP_WORDS;
}

enum { VIF_PADDING = 192 };

/* Rows under a vertical window, from top to bottom; 2 radius + 1 of each. */
typedef struct VifWindow {
    const void *sample[2][VIF_MAX_TAPS]; /* reference, distorted */
    const void *product[VIF_MOMENTS][VIF_MAX_TAPS];
} VifWindow;

/*
 * A vertically filtered row: means in 1/256 of an 8-bit grey level, second moments in 1/65536 of
 * its square. The latter have 32 bits, in two halves, so that they can be filtered by
 * multiplication of 16-bit integers.
 */
enum { VIF_LOW, VIF_HIGH, VIF_HALVES };

/*
 * What is kept of a row of the reference for further distorted pictures, besides its variances.
 * Kernels without gain_again ignore it. With REFERENCE_AGAIN the others leave products and moments
 * of the reference alone, and its means and variances.
 */
typedef struct VifReferenceRow {
    ReferenceUse use;
    uint32_t *sums;  /* vertically filtered samples, before they are rounded; of bytes alone */
    uint32_t *means; /* under the windows */
} VifReferenceRow;

typedef struct VifColumnMoments {
    uint16_t *mean[2];
    uint16_t *moment[VIF_MOMENTS][VIF_HALVES];
    VifReferenceRow reference;
} VifColumnMoments;

/*
 * Variances under the window at the pixels of a row, in 1/65536 of a squared grey level. Rounding
 * can make them negative; that of the distorted picture is clamped to 0.
 */
typedef struct VifVariances {
    int32_t *ref, *dist, *covariance;
} VifVariances;

/* Sums over pixels, as in VmafRecordVif. */
typedef struct VifSums {
    int64_t log_den, flat_variance, flat_count;
    int64_t *log_num; /* one for each gain limit */
} VifSums;

/* What `gain` has besides variances. */
typedef struct VifGain {
    const double *limits;
    unsigned n_limits;
    const uint32_t *log_bows; /* the table below; for AVX2 and NEON */
} VifGain;

struct VifPairFunctions;

typedef struct VifFunctions {
    /* What to use instead for all but the smallest pictures; can be NULL. */
    const struct VifPairFunctions *pairs;
    /* Bytes per column of a row of products, whose format is up to the kernels. */
    size_t product_size[VIF_SAMPLE_TYPES];
    /* Where a product is NULL, it is not made, if there is gain_again. */
    void (*multiply[VIF_SAMPLE_TYPES])(void *const product[VIF_MOMENTS], const void *ref,
                                       const void *dist, unsigned w);
    /* Functions by scale; all but deep words occur at scale 0 only. */
    void (*filter_columns[VIF_SAMPLE_TYPES][VIF_SCALES])(const VifColumnMoments *out,
                                                         const VifWindow *window, unsigned w,
                                                         unsigned depth);
    void (*local_variances[VIF_SCALES])(const VifVariances *out, const VifColumnMoments *in,
                                        unsigned w);
    /* Adds a row to the sums. */
    void (*gain)(VifSums *sums, const VifVariances *in, unsigned w, const VifGain *gain);
    /* The same, which leaves log_den alone. NULL: nothing of the reference can be kept. */
    void (*gain_again)(VifSums *sums, const VifVariances *in, unsigned w, const VifGain *gain);
    /* Functions by destination scale, from 1; all but deep words are the source of scale 1 only. */
    void (*decimate_columns[VIF_SAMPLE_TYPES][VIF_SCALES])(uint16_t *out, const void *const rows[],
                                                           unsigned w, unsigned depth);
    /* Keeps the even columns: w counts columns of the output. */
    void (*decimate_row[VIF_SCALES])(uint16_t *out, const uint16_t *in, unsigned w);
} VifFunctions;

/* The fastest functions for a processor, from its CPU_* flags. */
void vif_functions_init(VifFunctions *functions, unsigned cpu_flags);

/* The formulas. */
void vif_functions_init_scalar(VifFunctions *functions);

/*
 * VIF in pairs of rows: the vector kernels of x86.
 *
 * These processors multiply 16-bit integers in pairs and add the two products. So rows 2j and
 * 2j + 1 of a picture are joined, sample by sample, when they enter the window. One instruction
 * then filters two rows vertically, and the joined rows under the windows of two neighbouring rows
 * are the same, which halves what is loaded. Products of samples are made on the way: that is less
 * work than to keep them.
 *
 * `measure` is all of multiply, filter_columns, local_variances and gain (see VifFunctions) for two
 * rows, `decimate` both steps of decimation. They give the same integers.
 */

enum { VIF_MAX_PAIRS = VIF_MAX_RADIUS + 1 };

/* Pairs above and below one, under the windows of its rows. */
static inline unsigned vif_pair_reach(unsigned scale)
{
    return (vif_filters[scale].radius + 1) / 2;
}

/* Joined rows from top to bottom: 2 reach + 1. Each holds both pictures, in an order that is up to
 * the kernels. */
typedef struct VifPairWindow {
    const int16_t *pairs[VIF_MAX_PAIRS];
} VifPairWindow;

/*
 * What is kept of a row of the reference, for further distorted pictures: vertically filtered
 * samples, as the sums that they are rounded from, and means and variances under the windows. Each
 * has vif_kept_stride() integers.
 */
enum { VIF_KEPT_SUMS, VIF_KEPT_MEANS, VIF_KEPT_VARIANCES, VIF_KEPT };

static inline size_t vif_kept_stride(unsigned w)
{
    enum { LARGEST_BLOCK = 32 };
    return (w + (size_t)LARGEST_BLOCK - 1) & ~(size_t)(LARGEST_BLOCK - 1);
}

/* Bytes of what is kept of a row. */
static inline size_t vif_kept_row(unsigned w)
{
    return VIF_KEPT * vif_kept_stride(w) * sizeof(int32_t);
}

/* A pair of rows to measure. */
typedef struct VifPairTask {
    VifPairWindow window;
    const void *next[2][2];      /* rows of both pictures that are joined next: for the cache */
    VifColumnMoments columns[2]; /* memory for vertically filtered rows, padded on both sides */
    unsigned w, depth;
    bool measured[2]; /* the upper and the lower row */
    VifGain gain;
    int32_t *kept[2]; /* of the upper and the lower row; for measure_and_keep and measure_again */
} VifPairTask;

/* Bytes of a joined row, with both pictures. */
static inline size_t vif_joined_size(unsigned w)
{
    enum { LARGEST_BLOCK = 32 };
    return 4 * sizeof(int16_t) * ((w + (size_t)LARGEST_BLOCK - 1) & ~(size_t)(LARGEST_BLOCK - 1));
}

/* By sample type: bytes if depth is 8, else words. Images have at least 16 rows and columns at
 * scale 0. */
enum { VIF_PAIRS_OF_BYTES, VIF_PAIRS_OF_WORDS, VIF_PAIR_TYPES };

typedef struct VifPairFunctions {
    /* The upper and the lower row of both pictures, of w samples. */
    void (*join[VIF_PAIR_TYPES])(int16_t *out, const void *const rows[2][2], unsigned w);
    /* By scale; bytes occur at scale 0 only. Adds the rows to the sums. */
    void (*measure[VIF_PAIR_TYPES][VIF_SCALES])(VifSums *sums, const VifPairTask *task);
    /* The same, which keeps what the second one takes from there instead of from the reference.
     * That one leaves log_den alone. */
    void (*measure_and_keep[VIF_PAIR_TYPES][VIF_SCALES])(VifSums *sums, const VifPairTask *task);
    void (*measure_again[VIF_PAIR_TYPES][VIF_SCALES])(VifSums *sums, const VifPairTask *task);
    /* By destination scale, from 1; w counts columns of the source. The window is that of the
     * destination, around the source row, of which one picture counts; `columns` is a padded row.
     */
    void (*decimate[VIF_PAIR_TYPES][VIF_SCALES])(uint16_t *out, uint16_t *columns,
                                                 const VifPairWindow *window, int picture,
                                                 unsigned w, unsigned depth);
} VifPairFunctions;

static inline int vif_pair_type(unsigned depth)
{
    return depth == 8 ? VIF_PAIRS_OF_BYTES : VIF_PAIRS_OF_WORDS;
}

/*
 * The logarithms of vif_log_steps as 32 parabolas for each octave: few enough to be kept in
 * registers.
 *
 * The 15 bits that follow the leading one are the number s of a piece, 5 bits, and a place r in it.
 * With u = 1 + s / 32 + (1023 - r) / 32768, in binary32,
 *
 *     apex[s] - curvature[s] u^2 = 512 + T - 30720 - 64 s + f, 0 <= f < 1,
 *
 * where 64 s is the chord of the curve. That is from 512 to 1023: the integer is the exponent and
 * the first 9 bits of the fraction. The distance u from the apex has the bits of s and the inverted
 * ones of r.
 */

enum {
    VIF_LOG_PIECES = 32,
    VIF_LOG_PIECE_UNITS = VIF_LOG_UNIT / VIF_LOG_PIECES, /* that the chord gains in a piece */
};

extern const float vif_log_curvatures[VIF_LOG_PIECES], vif_log_apexes[VIF_LOG_PIECES];

/* The logarithms of vif_log_steps as they are looked up. */

/*
 * For vector kernels, which have v in binary32, not rounded up. The bits of such a number are
 * nearly a logarithm: an exponent of 127 for 1, and a fraction of 23 bits, which follows the chord
 * of the curve. With the entry for its 12 upper bits added, and without the last 12 bits, they are
 * the logarithm of v, plus that of 2^127.
 */
void vif_log_bows(uint32_t bows[VIF_LOG_STEPS]);

/*
 * What the logarithm of an integer 2^15 <= v < 2^32 depends on, taken from its form as a double:
 * the exponent above 15 bits that follow the leading one.
 */
static inline uint32_t vif_log_key(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof(bits));
    return (uint32_t)(bits >> (52 - 15)) - ((1023u + 15) << 15);
}

/* Any key is safe; others than those of such integers give no meaningful value. */
static inline uint32_t vif_log_of_key(uint32_t key)
{
    uint32_t entry = vif_log_steps[key / 8 % VIF_LOG_STEPS];
    return 30720 + (entry + key % 8) / 8 + VIF_LOG_UNIT * (key >> 15);
}

/*
 * What VIF keeps for a stream (params) and for a worker (scratch), and the reduction of a plane to
 * a record.
 */

typedef struct VifVariant {
    double gain_limit;
    bool skip_scale0;
} VifVariant;

typedef struct VifParams {
    VifFunctions functions;
    const VifPairFunctions *pairs; /* NULL: row by row */
    bool keeps_reference;          /* for further distorted pictures */
    unsigned depth;
    unsigned w[VIF_SCALES], h[VIF_SCALES];
    uint32_t log_bows[VIF_LOG_STEPS];
    unsigned n_variants;
    VifVariant variants[];
} VifParams;

/* Rows of the reference that are kept for further distorted pictures, at scale 0. */
enum { VIF_SHARED_ROWS = 128 };

/* What is kept of one scale: rows, from one on. */
typedef struct VifKept {
    int32_t *rows;
    unsigned first;
    int64_t log_den;
} VifKept;

typedef struct VifScratch {
    void *memory;                    /* all of the following */
    uint16_t *image[2][VIF_SCALES];  /* reference and distorted; scale 0 is the picture itself */
    size_t image_stride[VIF_SCALES]; /* in samples */
    uint16_t *decimated_columns;
    double *limits;        /* of the variants that are measured at this scale */
    int64_t *log_num;      /* their sums */
    int64_t *step_log_num; /* those of a row, or a pair of rows */

    /* For rows one by one. */
    uint8_t *products[VIF_MOMENTS]; /* ring of VIF_MAX_TAPS rows */
    size_t product_stride;          /* in bytes */
    VifColumnMoments columns;
    VifVariances variances;

    /* For rows in pairs. */
    int16_t *joined;      /* ring of VIF_MAX_PAIRS joined rows */
    size_t joined_stride; /* in samples */
    VifColumnMoments pair_columns[2];
    void *kept_memory; /* made when first needed; NULL: nothing can be kept */
    VifKept kept[VIF_SCALES];
} VifScratch;

/* Plane-agnostic: a picture pair is two planes of equal size. */
typedef struct VifPlane {
    const void *data;
    ptrdiff_t stride; /* in bytes */
} VifPlane;

int vif_plan_create(void **params, const PictureFormat *format, const void *const variants[],
                    unsigned n_variants, unsigned cpu_flags);
int vif_scratch_create(void **scratch, const void *params);
void vif_scratch_destroy(void *scratch);

/* Adds rows of a plane pair to the records (VmafRecordVif) of the variants; see ReferenceUse
 * in extractor.h. With another use than REFERENCE_ALONE bands have at most VIF_SHARED_ROWS rows. */
void vif_accumulate_shared(const VifParams *params, VifScratch *scratch, const VifPlane planes[2],
                           RowBand band, void *const records[], ReferenceUse use);
/* Makes room for what is kept; without memory nothing is, and `use` makes no difference. */
void vif_scratch_make_kept(VifScratch *scratch, const VifParams *params);

/*
 * Rows of both pictures that equal those above them: bars above and below a film, flat areas.
 *
 * A step is a row, or a pair of rows. Where all steps under a window equal the ones before them,
 * the window holds what it held one step before, and so everything that is computed from it is the
 * same: it is added, or copied, once more. In other pictures rows differ in the first columns, and
 * to find that out costs nothing.
 */

typedef struct VifRepetition {
    unsigned run;     /* steps, up to the last one that has entered, that equal the one before */
    bool measured[2]; /* the rows that the sums are from; none at first */
    VifSums sums;     /* what the last step has added */
} VifRepetition;

/* The steps that follow have none before them. The memory for the sums is the caller's. */
void vif_repetition_start(VifRepetition *repetition, int64_t *log_num);

/* A step enters the lower end of the window. */
void vif_repetition_enter(VifRepetition *repetition, bool equals_last);

/* True if measured rows, at least one, add what those of the step before did: if the last n_steps,
 * those under the window, equal the ones before them. */
bool vif_repetition_holds(const VifRepetition *repetition, unsigned n_steps,
                          const bool measured[2]);

/* Memory for what other rows add, empty. */
VifSums *vif_repetition_renew(VifRepetition *repetition, const bool measured[2], unsigned n_limits);

void vif_sums_add(VifSums *sums, const VifSums *more, unsigned n_limits);

/* What the kernels of different instruction sets have in common, and what vif.c chooses from. */

#ifdef VMAF_SANITIZED /* instrumented, a copy for each window compiles for minutes */
#define VIF_INLINE static __attribute__((noinline, unused))
#else
#define VIF_INLINE static inline __attribute__((always_inline))
#endif

/* Products of bytes are those of their distances to grey. */
enum { VIF_GREY = 128 };

/* All of a table but the gain. */
void vif_fill_filter_portable(VifFunctions *functions);
void vif_fill_filter_neon(VifFunctions *functions);

ISA_DECLARE_FUNCTION_PORTABLE(vif_gain, (VifSums * sums, const VifVariances *in, unsigned w,
                                         const VifGain *gain));

void vif_gain_portable_again(VifSums *sums, const VifVariances *in, unsigned w,
                             const VifGain *gain);

extern const VifPairFunctions vif_pairs_avx2, vif_pairs_avxvnni, vif_pairs_avx512,
    vif_pairs_avx512icl;

/*
 * One function for each scale, so that the number of taps is a constant in it and its loops unroll.
 * For files of kernels, after their functions that take the scale, which it names:
 *
 *   local_variances(out, in, w, scale), decimate_row(out, in, w, scale)
 *   COLUMNS_OF_SCALE(out, window, w, depth, scale), MEANS_OF_SCALE(out, rows, w, depth, scale)
 */
#define VIF_WINDOW_FUNCTIONS(scale)                                                                \
    static void filter_columns_##scale(const VifColumnMoments *out, const VifWindow *window,       \
                                       unsigned w, unsigned depth)                                 \
    {                                                                                              \
        COLUMNS_OF_SCALE(out, window, w, depth, scale);                                            \
    }                                                                                              \
    static void local_variances_##scale(const VifVariances *out, const VifColumnMoments *in,       \
                                        unsigned w)                                                \
    {                                                                                              \
        local_variances(out, in, w, scale);                                                        \
    }

#define VIF_DECIMATION_FUNCTIONS(scale)                                                            \
    static void decimate_columns_##scale(uint16_t *out, const void *const rows[], unsigned w,      \
                                         unsigned depth)                                           \
    {                                                                                              \
        MEANS_OF_SCALE(out, rows, w, depth, scale);                                                \
    }                                                                                              \
    static void decimate_row_##scale(uint16_t *out, const uint16_t *in, unsigned w)                \
    {                                                                                              \
        decimate_row(out, in, w, scale);                                                           \
    }

#define VIF_SCALE_FUNCTIONS                                                                        \
    VIF_WINDOW_FUNCTIONS(0)                                                                        \
    VIF_WINDOW_FUNCTIONS(1)                                                                        \
    VIF_WINDOW_FUNCTIONS(2)                                                                        \
    VIF_WINDOW_FUNCTIONS(3)                                                                        \
    VIF_DECIMATION_FUNCTIONS(1)                                                                    \
    VIF_DECIMATION_FUNCTIONS(2)                                                                    \
    VIF_DECIMATION_FUNCTIONS(3)

/* Entries of a table of kernels: by scale; the columns also by the samples, of which the bytes are
 * the caller's. */
#define VIF_COLUMNS_OF_SCALES filter_columns_0, filter_columns_1, filter_columns_2, filter_columns_3
#define VIF_VARIANCES_OF_SCALES                                                                    \
    local_variances_0, local_variances_1, local_variances_2, local_variances_3
#define VIF_MEANS_OF_SCALES NULL, decimate_columns_1, decimate_columns_2, decimate_columns_3
#define VIF_ROWS_OF_SCALES  NULL, decimate_row_1, decimate_row_2, decimate_row_3

#endif
