/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_RATE_POINT_H
#define TUNE_ENGINE_RATE_POINT_H

typedef struct RatePoint {
    double rate;    /* of any unit, the same for all that are compared; above 0 */
    double quality; /* higher is better */
} RatePoint;

#endif
