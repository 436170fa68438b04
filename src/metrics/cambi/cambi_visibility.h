/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_VISIBILITY_H
#define METRICS_CAMBI_CAMBI_VISIBILITY_H

#include <stdint.h>

#include "metrics/cambi/cambi_options.h"

/*
 * Steps between luma codes that an observer sees: a model of a display, and Weber's law with a
 * threshold. Codes are of 10 bits, limited range, whatever the input is.
 */

enum {
    CAMBI_CODES = 1025, /* 0 to 1024: rounding deeper samples to 10 bits can overshoot by one */
    CAMBI_MAX_STEPS = 32,
};

enum CambiEotf {
    CAMBI_EOTF_BT1886, /* Recommendation ITU-R BT.1886 */
    CAMBI_EOTF_PQ,     /* SMPTE ST 2084 */
};

/* How much a step of 1, 2, ... codes counts. */
extern const uint8_t cambi_step_weights[CAMBI_MAX_STEPS];

typedef struct CambiVisibility {
    unsigned n_steps;
    /* Bit k - 1: whether the contrast between a code and codes that differ by k is looked at. */
    uint32_t steps[CAMBI_CODES];
    /* Smallest and largest code that such comparisons involve, perhaps below 0 or above 1024;
     * first > last if there are none. */
    int first_code, last_code;
} CambiVisibility;

/* False for a name that is not known. */
bool cambi_eotf_find(const char *name, enum CambiEotf *eotf);

/* Luminance of a code in cd/m2. */
double cambi_luminance(enum CambiEotf eotf, int code);

/* The code up to which a step of k codes is visible, if it must change luminance by the given
 * fraction; 1023 if it always is. */
int cambi_last_visible_code(enum CambiEotf eotf, int k, double tvi_threshold);

/* The code from which luminance reaches a threshold; 0 if all do. */
int cambi_first_bright_code(enum CambiEotf eotf, double luminance);

void cambi_visibility_init(CambiVisibility *visibility, enum CambiEotf eotf, double tvi_threshold,
                           double luminance_threshold, unsigned max_log_contrast);

/* The band: codes that have steps themselves or lie within reach of one that has. All others are as
 * good as masked out. */
typedef struct CambiBand {
    unsigned first_code, n_codes; /* none: no code has steps */
    /* Codes below and above the band that are compared with but never occur. */
    unsigned below, above;
    /* By code less first_code plus one: the steps of CambiVisibility; element 0 is not used. */
    uint32_t steps[CAMBI_CODES + 1];
} CambiBand;

void cambi_band_init(CambiBand *band, const CambiOptions *options);

/*
 * Elements 1 to n: 1 / i as libvmaf's table has it, which was printed with nine digits: the
 * binary32 number nearest to that decimal number. Mostly, but not always, that nearest to 1 / i.
 */
void cambi_reciprocals(float *reciprocals, unsigned n);

#endif
