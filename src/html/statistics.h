/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef HTML_STATISTICS_H
#define HTML_STATISTICS_H

#include "html/page.h"

/* What is said of the scores of a video. */
typedef struct Statistics {
    size_t n;        /* scores */
    size_t n_finite; /* those that the rest is about */
    double min, max, mean, harmonic_mean;
    double deviation;     /* of the population */
    size_t worst;         /* position of the worst score, the first of equals */
    const double *sorted; /* n_finite scores, ascending; to be freed */
} Statistics;

/*
 * Mean and harmonic mean are summed up in the order of frames, as in all reports. With scores that
 * are not finite these two are not either. 0; -ENOMEM.
 */
int statistics_of(Statistics *statistics, const HtmlSeries *series);
void statistics_free(Statistics *statistics);

/*
 * The score that `percent` of the scores do not exceed: linear interpolation between order
 * statistics (type 7 of Hyndman and Fan, 1996). NaN if a score is not finite, or there is none.
 */
double statistics_percentile(const Statistics *statistics, unsigned percent);

/* The score that the best `100 - percent` of the scores exceed, be they high or low. */
double statistics_worst_percentile(const Statistics *statistics, HtmlSense sense, unsigned percent);

/* Frame of score number `i`. */
uint32_t series_frame(const HtmlSeries *series, size_t i);

#endif
