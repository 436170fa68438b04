/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Bagging (Breiman, 1996) and the bootstrap percentile interval (Efron): each member of a
 * collection was trained on a resampled set, and the spread of their predictions measures the
 * uncertainty of the score.
 */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_data.h"
#include "support/memory.h"

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Interpolates linearly between neighbouring ranks. */
static double percentile(const double sorted[], unsigned count, double percent)
{
    double rank = percent * (count - 1) / 100.0;
    double below = floor(rank), above = ceil(rank);
    if (below == above)
        return sorted[(unsigned)below];
    return sorted[(unsigned)below] * (above - rank) + sorted[(unsigned)above] * (rank - below);
}

static double mean_of(const double values[], unsigned count)
{
    double sum = 0.0;
    for (unsigned i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

static double deviation_of(const double values[], unsigned count, double mean)
{
    double sum = 0.0;
    for (unsigned i = 0; i < count; i++) {
        double d = values[i] - mean;
        sum += d * d;
    }
    return sqrt(sum / count);
}

int model_collection_combine(const VmafModelCollection *collection, const double raw[],
                             VmafModelCollectionScore *score)
{
    const unsigned count = collection->n_members;
    const VmafModel *first = count ? collection->members[0] : NULL;
    if (!first || (first->parameters.type != MODEL_TYPE_BOOTSTRAP &&
                   first->parameters.type != MODEL_TYPE_RESIDUEBOOTSTRAP))
        return -EINVAL;
    double *sorted = memory_alloc(count, sizeof(*sorted));
    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, raw, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), ascending);

    double mean = mean_of(raw, count);
    double deviation = deviation_of(raw, count, mean);
    /* The delta method: transform and clip scale the deviation by their slope at the mean. */
    const double step = 0.01;
    double slope =
        (model_finish_score(first, mean + step) - model_finish_score(first, mean - step)) /
        (2.0 * step);

    score->type = VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP;
    score->bootstrap.bagging_score = model_finish_score(first, mean);
    score->bootstrap.stddev = deviation * slope;
    score->bootstrap.ci.p95.lo = model_finish_score(first, percentile(sorted, count, 2.5));
    score->bootstrap.ci.p95.hi = model_finish_score(first, percentile(sorted, count, 97.5));
    memory_free(sorted);
    return 0;
}
