/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "html/statistics.h"

#include "metrics/common/order_statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

uint32_t series_frame(const HtmlSeries *series, size_t i)
{
    return series->frames ? series->frames[i] : (uint32_t)i;
}

/* An infinite score may be the worst; one that is no number cannot be compared. */
static bool is_worse(HtmlSense sense, double score, double than)
{
    if (isnan(than))
        return !isnan(score);
    return sense == HTML_HIGH_IS_BAD ? score > than : score < than;
}

int statistics_of(Statistics *statistics, const HtmlSeries *series)
{
    double sum = 0, inverse_sum = 0;
    double *sorted = malloc((series->n ? series->n : 1) * sizeof(*sorted));
    if (!sorted)
        return -ENOMEM;
    *statistics = (Statistics){.n = series->n, .sorted = sorted};
    for (size_t i = 0; i < series->n; i++) {
        const double score = series->scores[i];
        sum += score;
        inverse_sum += 1.0 / (score + 1.0);
        if (isfinite(score))
            sorted[statistics->n_finite++] = score;
        if (is_worse(series->sense, score, series->scores[statistics->worst]))
            statistics->worst = i;
    }
    const size_t n = statistics->n_finite;
    qsort(sorted, n, sizeof(*sorted), compare_scores);
    statistics->min = n ? sorted[0] : NAN;
    statistics->max = n ? sorted[n - 1] : NAN;
    statistics->mean = sum / (double)series->n;
    statistics->harmonic_mean = (double)series->n / inverse_sum - 1.0;
    statistics->deviation = n ? population_deviation(sorted, n) : NAN;
    return 0;
}

void statistics_free(Statistics *statistics)
{
    free((void *)statistics->sorted);
    statistics->sorted = NULL;
}

double statistics_percentile(const Statistics *statistics, unsigned percent)
{
    const size_t n = statistics->n_finite;
    return n && n == statistics->n ? percentile_of_sorted(statistics->sorted, n, percent) : NAN;
}

double statistics_worst_percentile(const Statistics *statistics, HtmlSense sense, unsigned percent)
{
    return statistics_percentile(statistics, sense == HTML_HIGH_IS_BAD ? 100 - percent : percent);
}
