/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/vif/vif_repetition.h"

#include <string.h>

void vif_repetition_start(VifRepetition *repetition, int64_t *log_num)
{
    *repetition = (VifRepetition){.sums = {.log_num = log_num}};
}

void vif_repetition_enter(VifRepetition *repetition, bool equals_last)
{
    repetition->run = equals_last ? repetition->run + 1 : 0;
}

bool vif_repetition_holds(const VifRepetition *repetition, unsigned n_steps, const bool measured[2])
{
    return repetition->run >= n_steps && repetition->measured[0] == measured[0] &&
           repetition->measured[1] == measured[1];
}

VifSums *vif_repetition_renew(VifRepetition *repetition, const bool measured[2], unsigned n_limits)
{
    memcpy(repetition->measured, measured, sizeof(repetition->measured));
    int64_t *log_num = repetition->sums.log_num;
    memset(log_num, 0, n_limits * sizeof(*log_num));
    repetition->sums = (VifSums){.log_num = log_num};
    return &repetition->sums;
}

void vif_sums_add(VifSums *sums, const VifSums *more, unsigned n_limits)
{
    sums->log_den += more->log_den;
    sums->flat_variance += more->flat_variance;
    sums->flat_count += more->flat_count;
    for (unsigned i = 0; i < n_limits; i++)
        sums->log_num[i] += more->log_num[i];
}
