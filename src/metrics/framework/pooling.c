/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/framework/pooling.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/common/order_statistics.h"

static uint64_t first_sample(uint32_t low, unsigned step)
{
    return ((uint64_t)low + step - 1) / step * step;
}

static unsigned step_of(unsigned n_subsample)
{
    return n_subsample > 1 ? n_subsample : 1;
}

int pool_series(const Series *series, uint32_t low, uint32_t high, unsigned n_subsample,
                Pooled *pooled)
{
    if (low > high)
        return -EINVAL;

    const unsigned step = step_of(n_subsample);
    double min = 0, max = 0, sum = 0, inverse_sum = 0;
    uint32_t count = 0;
    for (uint64_t i = first_sample(low, step); i <= high; i += step) {
        double score;
        if (!series_get(series, (uint32_t)i, &score))
            return -EINVAL;
        sum += score;
        inverse_sum += 1.0 / (score + 1.0);
        if (count == 0 || score < min)
            min = score;
        if (count == 0 || score > max)
            max = score;
        count++;
    }
    if (count == 0)
        return -EINVAL;
    *pooled = (Pooled){
        .min = min,
        .max = max,
        .mean = sum / count,
        .harmonic_mean = count / inverse_sum - 1.0,
    };
    return 0;
}

int pooled_by_method(const Pooled *pooled, enum VmafPoolingMethod method, double *score)
{
    switch (method) {
    case VMAF_POOL_METHOD_MIN:
        *score = pooled->min;
        return 0;
    case VMAF_POOL_METHOD_MAX:
        *score = pooled->max;
        return 0;
    case VMAF_POOL_METHOD_MEAN:
        *score = pooled->mean;
        return 0;
    case VMAF_POOL_METHOD_HARMONIC_MEAN:
        *score = pooled->harmonic_mean;
        return 0;
    default:
        return -EINVAL;
    }
}

enum { MEDIAN = 50, WHOLE = 100 }; /* per cent */

static bool is_word(const char *name, size_t length, const char *word)
{
    return length == strlen(word) && !memcmp(name, word, length);
}

/* p and a number up to 100 without leading zeros. */
static bool parse_percentile(const char *name, size_t length, unsigned *percent)
{
    if (length < 2 || length > 4 || name[0] != 'p' || (name[1] == '0' && length > 2))
        return false;
    *percent = 0;
    for (size_t i = 1; i < length; i++) {
        if (name[i] < '0' || name[i] > '9')
            return false;
        *percent = 10 * *percent + (unsigned)(name[i] - '0');
    }
    return *percent <= WHOLE;
}

bool statistic_parse(Statistic *statistic, const char *name, size_t length)
{
    *statistic = (Statistic){.kind = STATISTIC_PERCENTILE, .percent = MEDIAN};
    if (is_word(name, length, "stddev"))
        statistic->kind = STATISTIC_DEVIATION;
    else if (!is_word(name, length, "median") &&
             !parse_percentile(name, length, &statistic->percent))
        return false;
    memcpy(statistic->name, name, length);
    return true;
}

static bool contains(const StatisticList *list, const char *name)
{
    for (unsigned i = 0; i < list->count; i++) {
        if (!strcmp(list->items[i].name, name))
            return true;
    }
    return false;
}

int statistic_list_parse(StatisticList *list, const char *text)
{
    *list = (StatisticList){.count = 0};
    if (!text || !*text)
        return 0;
    for (;; text++) {
        Statistic statistic;
        const size_t length = strcspn(text, ",");
        if (!statistic_parse(&statistic, text, length))
            return -EINVAL;
        text += length;
        if (!contains(list, statistic.name)) {
            if (list->count == MAX_STATISTICS)
                return -E2BIG;
            list->items[list->count++] = statistic;
        }
        if (!*text)
            return 0;
    }
}

size_t pool_sample_count(uint32_t low, uint32_t high, unsigned n_subsample)
{
    const unsigned step = step_of(n_subsample);
    const uint64_t first = first_sample(low, step);
    return first > high ? 0 : (size_t)((high - first) / step + 1);
}

int pool_statistics(const Series *series, uint32_t low, uint32_t high, unsigned n_subsample,
                    const StatisticList *list, double *scratch, double values[])
{
    const unsigned step = step_of(n_subsample);
    size_t n = 0;
    bool finite = true;
    for (uint64_t i = first_sample(low, step); i <= high; i += step) {
        if (!series_get(series, (uint32_t)i, &scratch[n]))
            return -EINVAL;
        finite &= isfinite(scratch[n++]) != 0;
    }
    if (!n)
        return -EINVAL;
    /* In the order of indices, as the mean; then the scores are sorted. */
    const double spread = finite ? population_deviation(scratch, n) : NAN;
    if (finite)
        qsort(scratch, n, sizeof(*scratch), compare_scores);
    for (unsigned k = 0; k < list->count; k++) {
        values[k] = spread;
        if (finite && list->items[k].kind == STATISTIC_PERCENTILE)
            values[k] = percentile_of_sorted(scratch, n, list->items[k].percent);
    }
    return 0;
}
