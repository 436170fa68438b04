/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/confidence.h"

#include "metrics/common/order_statistics.h"
#include "tune/engine/pooled_scores.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int calibrate(const double *residuals, size_t n, double alpha, Calibration *calibration)
{
    if (!n || !(alpha > 0 && alpha < 1))
        return -EINVAL;
    double *sorted = calloc(n, sizeof(*sorted));
    if (!sorted)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(residuals[i])) {
            free(sorted);
            return -EINVAL;
        }
        sorted[i] = fabs(residuals[i]);
    }
    qsort(sorted, n, sizeof(*sorted), compare_scores);
    const double wanted = ceil((double)(n + 1) * (1 - alpha));
    *calibration = (Calibration){
        .half_width = quantile_of_sorted(sorted, n, fmin(1, wanted / (double)n)),
        .calibrated = wanted <= (double)n,
    };
    free(sorted);
    return 0;
}

ScoreInterval calibrated_interval(const Calibration *calibration, double predicted)
{
    return (ScoreInterval){.low = fmin(100, fmax(0, predicted - calibration->half_width)),
                           .high = fmax(0, fmin(100, predicted + calibration->half_width))};
}

int confidence_of(double width, const ConfidenceWidths *widths, Confidence *confidence)
{
    if (width < 0)
        return -EINVAL;
    if (width <= widths->tight)
        *confidence = CONFIDENCE_TIGHT;
    else if (width >= widths->wide)
        *confidence = CONFIDENCE_WIDE;
    else
        *confidence = CONFIDENCE_MIDDLE;
    return 0;
}
