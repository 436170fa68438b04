/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>

#include "metrics/float_adm/float_adm_constants.h"
#include "metrics/float_adm/float_adm_internal.h"

/*
 * Contrast masking (Li et al., section IV): detail hides in detail. Each weighted coefficient of
 * the masking signal raises the visibility threshold at its own place and at the eight places
 * around it, in all three bands. What of the target signal exceeds the threshold is raised to the
 * power of the norm and summed.
 *
 * Additions are done in the order in which they are written, as the definition has them.
 */

static const double own_masking = FLOAT_ADM_OWN_MASKING;

static inline __attribute__((always_inline)) void
add_threshold(const float *restrict above, const float *restrict here, const float *restrict below,
              const float *restrict magnitude, AdmRange columns, bool first,
              float *restrict threshold)
{
    for (int x = columns.begin; x < columns.end; x++) {
        float sum = above[x - 1] + above[x] + above[x + 1] + here[x - 1];
        sum = (float)(sum + own_masking * magnitude[x]);
        sum = sum + here[x + 1] + below[x - 1] + below[x] + below[x + 1];
        threshold[x] = first ? sum : threshold[x] + sum;
    }
}

static inline __attribute__((always_inline)) void excess(const float *restrict target,
                                                         const float *restrict threshold,
                                                         AdmRange columns, bool cube,
                                                         float *restrict terms)
{
    for (int x = columns.begin; x < columns.end; x++) {
        const float difference = target[x] - threshold[x];
        const float v = difference > 0.0F ? difference : 0.0F;
        terms[x] = cube ? v * v * v : v;
    }
}

static inline __attribute__((always_inline)) void magnitudes(const float *restrict band,
                                                             AdmRange columns, float weight,
                                                             bool cube, float *restrict terms)
{
    for (int x = columns.begin; x < columns.end; x++) {
        const float v = fabsf(weight * band[x]);
        terms[x] = cube ? v * v * v : v;
    }
}

static void find_threshold(const FloatAdmVisible *row)
{
    for (int b = 0; b < ADM_BANDS; b++) {
        const float *const *masking = row->masking[b];
        if (b == 0)
            add_threshold(masking[0], masking[1], masking[2], row->masker[b], row->columns, true,
                          row->threshold);
        else
            add_threshold(masking[0], masking[1], masking[2], row->masker[b], row->columns, false,
                          row->threshold);
    }
}

static void visible(const FloatAdmVisible *row)
{
    if (row->bypass) {
        for (int x = row->columns.begin; x < row->columns.end; x++)
            row->threshold[x] = 0.0F;
    } else {
        find_threshold(row);
    }
    for (int b = 0; b < ADM_BANDS; b++) {
        if (row->cube)
            excess(row->target[b], row->threshold, row->columns, true, row->terms[b]);
        else
            excess(row->target[b], row->threshold, row->columns, false, row->terms[b]);
    }
}

static void reference(const FloatAdmReference *row)
{
    for (int b = 0; b < ADM_BANDS; b++) {
        if (row->cube)
            magnitudes(row->ref[b], row->columns, row->weights[b], true, row->terms[b]);
        else
            magnitudes(row->ref[b], row->columns, row->weights[b], false, row->terms[b]);
    }
}

/* Nine chains of additions side by side hide the latency of each. */
static void sum(FloatAdmTerms terms, AdmRange columns, FloatAdmSums sums)
{
    FloatAdmSums total = {{0}};
    for (int x = columns.begin; x < columns.end; x++)
        for (int q = 0; q < FLOAT_ADM_QUANTITIES; q++)
            for (int b = 0; b < ADM_BANDS; b++)
                total[q][b] += terms[q][b][x];
    for (int q = 0; q < FLOAT_ADM_QUANTITIES; q++)
        for (int b = 0; b < ADM_BANDS; b++)
            sums[q][b] = total[q][b];
}

void ISA_VARIANT(float_adm_kernels_fill_masking)(FloatAdmKernels *kernels)
{
    kernels->visible = visible;
    kernels->reference = reference;
    kernels->sum = sum;
}
