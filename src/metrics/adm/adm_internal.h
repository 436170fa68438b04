/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_INTERNAL_H
#define METRICS_ADM_ADM_INTERNAL_H

#include "libvmaf/backend_records.h"
#include "metrics/adm/adm.h"
#include "metrics/adm/adm_kernel.h"
#include "metrics/framework/extractor.h"
#include "support/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * ADM in integer arithmetic: detail loss (DLM) and additive impairment (AIM).
 *
 * S. Li, F. Zhang, L. Ma, K. N. Ngan: "Image Quality Assessment by Separately Evaluating Detail
 * Losses and Additive Impairments", IEEE Trans. Multimedia 13(5), 2011.
 */

extern const FeatureExtractor adm_extractor;

/*
 * The row functions of ADM. Each works on one row of one scale; a suffix says how wide its
 * coefficients are: 16 bits at scale 0, 32 bits at the others. The scalar functions define the
 * numbers; others have to give the same in every case.
 *
 * Rows are indexed by absolute column. Row pointers of a picture are valid within the picture
 * only, those of scratch memory from ADM_ROW_MARGIN columns before the first to as many after
 * the last; what lies outside of the stated range may be overwritten with anything.
 */

enum { ADM_ROW_MARGIN = 32 };

/* Magnitudes of detail at scale 0 are not larger, unless samples exceed their bit depth. */
enum { ADM_LARGEST_LUMA_DETAIL = 22930 };

/* Filters of 4 taps, the Daubechies wavelet "db2" in units of 2^-15. */
extern const int16_t adm_low_pass[4], adm_high_pass[4];

/* One row of wavelet output, what it reads, and where. */
typedef struct AdmWaveletRow {
    const void *input[4]; /* four rows of the input, mirrored where needed */
    const void *next[2];  /* those that the row after this one reads for the first time */
    int input_columns;
    int vertical_shift, horizontal_shift; /* vertical is the bit depth for luma */
    AdmRange approx, detail;          /* columns of band a and of the others; either may be empty */
    void *a, *detail_rows[ADM_BANDS]; /* int16_t for luma input, else int32_t */
    void *workspace;                  /* adm_wavelet_workspace() bytes */
} AdmWaveletRow;

/* Decoupling: splits distorted coefficients into what is left of the reference and what was added.
 */
typedef struct AdmDecouple {
    AdmRange columns;
    double gain_limit;
    const void *ref[ADM_BANDS], *dist[ADM_BANDS];
    void *rest[ADM_BANDS], *addition[ADM_BANDS];
} AdmDecouple;

/* The part of each coefficient of a signal in the masking of its neighbours and of itself. */
typedef struct AdmMasking {
    AdmRange columns; /* the signal must be valid in the columns beside it, too */
    int band_columns;
    uint32_t weights[ADM_BANDS];
    const void *signal[ADM_BANDS];
    int32_t *neighbours; /* sums over the bands, and over the column and those beside it */
    int32_t *centre;     /* what a coefficient's own position adds to that */
    int32_t *workspace;  /* a row */
} AdmMasking;

/* Energy of a target signal above the threshold that a masking signal raises. */
typedef struct AdmEnergy {
    AdmRange columns;
    uint32_t weights[ADM_BANDS];
    const void *target[ADM_BANDS];
    const int32_t *neighbours[3]; /* of the rows above, here and below */
    const int32_t *centre;
    int shift[ADM_BANDS]; /* right shift of the energies before they are summed */
} AdmEnergy;

typedef struct AdmFunctions {
    void (*wavelet_luma8)(const AdmWaveletRow *row);
    void (*wavelet_luma16)(const AdmWaveletRow *row);
    void (*wavelet_16)(const AdmWaveletRow *row); /* 16-bit input, 32-bit output */
    void (*wavelet_32)(const AdmWaveletRow *row);

    void (*decouple_16)(const AdmDecouple *row);
    void (*decouple_32)(const AdmDecouple *row);

    void (*masking_16)(const AdmMasking *row);
    void (*masking_32)(const AdmMasking *row);

    /* Sums over the columns, modulo 2^64. */
    void (*energy_16)(const AdmEnergy *row, uint64_t sums[ADM_BANDS]);
    void (*energy_32)(const AdmEnergy *row, uint64_t sums[ADM_BANDS]);

    /* Sum of cubed magnitudes. */
    uint64_t (*cubes_16)(const int16_t *band, AdmRange columns);
    /* The same with the squares reduced to square_shift fewer bits, the cubes to cube_shift. */
    uint64_t (*cubes_32)(const int32_t *band, AdmRange columns, int square_shift, int cube_shift);
} AdmFunctions;

/* Bytes of workspace for a row of so many input columns. */
size_t adm_wavelet_workspace(int input_columns);

/* The fastest functions for a processor with these CPU_* flags. */
void adm_functions_init(AdmFunctions *functions, unsigned cpu_flags);
ISA_DECLARE_INIT_PORTABLE(AdmFunctions, adm_functions_fill); /* all but the next ones */
ISA_DECLARE_INIT_PORTABLE(AdmFunctions,
                          adm_functions_fill_coarse); /* the wavelet of coarse scales */

/* floor(value / 2^shift + 1/2); shift 0 leaves the value. */
static inline uint64_t adm_round_shift(uint64_t value, int shift)
{
    return (value + ((uint64_t)1 << shift >> 1)) >> shift;
}

static inline int64_t adm_round_shift_signed(uint64_t value, int shift)
{
    return (int64_t)(value + ((uint64_t)1 << shift >> 1)) >> shift;
}

/*
 * Rows of both pictures that equal those two above them: bars above and below a film, flat areas.
 *
 * A row of the bands is made of two pairs of rows of the scale before; the upper pair is the lower
 * one of the row above. So a row whose last two pairs equal the pairs above them equals the row
 * above, and is not computed again. In other pictures pairs differ in the first columns, and to
 * find that out costs next to nothing.
 */

typedef struct AdmRepetition {
    unsigned pairs; /* up to the last one that has entered, that equal the pair above */
    unsigned rows;  /* of the bands, up to the last one, that were not made anew */
} AdmRepetition;

static inline void adm_repetition_enter(AdmRepetition *repetition, bool equals_last)
{
    repetition->pairs = equals_last ? repetition->pairs + 1 : 0;
}

/* True if the row that is made of the last two pairs equals the row above. */
static inline bool adm_repetition_of_row(const AdmRepetition *repetition)
{
    return repetition->pairs >= 2;
}

/* Four pairs: the last three rows and the one above them are equal. So what three rows give
 * together, with the last one in it, is what those one row above gave. */
enum { ADM_PAIRS_OF_NEIGHBOURS = 4 };

/* True if the pair that ends with the last row, as a source of the next scale, equals the one
 * above. */
static inline bool adm_repetition_of_sources(const AdmRepetition *repetition)
{
    return repetition->pairs >= ADM_PAIRS_OF_NEIGHBOURS;
}

/* Pixels to records; the functions are those of FeatureExtractor. */

int adm_plan_create(void **params, const PictureFormat *format, const void *const variants[],
                    unsigned n_variants, unsigned cpu_flags);
int adm_scratch_create(void **scratch, const void *params);
void adm_scratch_destroy(void *scratch);
int adm_accumulate(const void *params, void *scratch, const FrameInput *input, RowBand band,
                   void *const records[]);

/* Rows of a band that several distorted pictures share. Those around it are computed twice. */
enum { ADM_SHARED_ROWS = 256 };

/* Scores of ADM, in integers or in floating point, and the order in which they are written. */

enum {
    ADM_OUTPUT_ADM2,
    ADM_OUTPUT_AIM,
    ADM_OUTPUT_ADM3,
    ADM_OUTPUT_SCALE, /* scales 0 to 3 */
    ADM_OUTPUT_TOTAL = ADM_OUTPUT_SCALE + ADM_SCALES,
    ADM_OUTPUT_TOTAL_NUM,
    ADM_OUTPUT_TOTAL_DEN,
    ADM_OUTPUT_NUM_DEN, /* pairs, of scales 0 to 3 */
};

typedef struct AdmScores {
    double adm2, aim, adm3;
    double scale[ADM_SCALES];
    double num, den; /* totals over the scales */
    double num_scale[ADM_SCALES], den_scale[ADM_SCALES];
} AdmScores;

/* Sets the score of a scale, and adds to the totals. */
void adm_scores_add_scale(AdmScores *scores, int scale, float num, float den);
/* Sets adm2 of the totals, for a frame of w x h luma samples; very small totals become 0. */
void adm_scores_finish_totals(AdmScores *scores, unsigned w, unsigned h);
/* `debug`: also totals, numerators and denominators. */
void adm_scores_write(const AdmScores *scores, bool debug, FeatureSink *sink);

#endif
