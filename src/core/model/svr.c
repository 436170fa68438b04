/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model/svr.h"

#include <stddef.h>

#include "metrics/common/math/math_functions.h"
#include "support/memory.h"

/* The number of vectors whose distances are computed together: they fit the first-level cache and
 * the loop over them vectorises, without changing the order of any sum. A multiple of SVR_LANES. */
enum { BLOCK = 64 };

static void add_squared_differences(double distance[], const double component[], double x,
                                    unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        double d = x - component[k];
        distance[k] += d * d;
    }
}

double svr_predict(const SvrTable *svr, const double x[], unsigned n)
{
    double sum = 0.0;
    for (unsigned first = 0; first < svr->n_vectors; first += BLOCK) {
        unsigned lanes = svr->stride - first < BLOCK ? svr->stride - first : BLOCK;
        unsigned count = svr->n_vectors - first < BLOCK ? svr->n_vectors - first : BLOCK;
        double distance[BLOCK] = {0};

        for (unsigned i = 0; i < svr->dimensions; i++)
            add_squared_differences(distance, svr->vectors + (size_t)i * svr->stride + first,
                                    i < n ? x[i] : 0.0, lanes);
        for (unsigned i = svr->dimensions; i < n; i++)
            for (unsigned k = 0; k < count; k++)
                distance[k] += x[i] * x[i];

        for (unsigned k = 0; k < count; k++)
            sum += svr->coefficients[first + k] * math_exp(-svr->gamma * distance[k]);
    }
    return sum - svr->rho;
}

SvrTable *svr_create(unsigned n_vectors, unsigned dimensions, double **coefficients,
                     double **vectors)
{
    size_t stride = size_round_up(n_vectors ? n_vectors : 1, SVR_LANES);
    size_t count;
    if (stride == 0 || !size_mul(stride, (size_t)dimensions + 1, &count))
        return NULL;

    SvrTable *svr = memory_alloc_zeroed(1, sizeof(*svr));
    double *values = memory_alloc_zeroed(count, sizeof(*values));
    if (!svr || !values) {
        memory_free(svr);
        memory_free(values);
        return NULL;
    }
    *coefficients = values;
    *vectors = values + stride;
    svr->n_vectors = n_vectors;
    svr->dimensions = dimensions;
    svr->stride = (unsigned)stride;
    svr->coefficients = *coefficients;
    svr->vectors = *vectors;
    return svr;
}

void svr_destroy(SvrTable *svr)
{
    if (!svr)
        return;
    memory_free((double *)svr->coefficients); /* one block, see svr_create */
    memory_free(svr);
}
