/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ssimulacra2/ssimulacra2_pool.h"

#include <math.h>

#include "metrics/common/math/math_functions.h"

double ssimulacra2_weighted_norms(const VmafRecordSsimulacra2 *record,
                                  const Ssimulacra2Sizes *sizes)
{
    double total = 0;
    for (unsigned c = 0; c < SSIMULACRA2_COMPONENTS; c++) {
        for (unsigned s = 0; s < sizes->n_scales; s++) {
            const double per_pixel = 1.0 / ((double)sizes->w[s] * (double)sizes->h[s]);
            for (unsigned k = 0; k < SSIMULACRA2_NORMS; k++) {
                if (!ssimulacra2_has_weight(c, s, k))
                    continue;
                const double mean = per_pixel * record->sum[c][s][k];
                const double norm = k < SSIMULACRA2_SSIM4 ? mean : sqrt(sqrt(mean));
                total += ssimulacra2_weight(c, s, k) * fabs(norm);
            }
        }
    }
    return total;
}

double ssimulacra2_score(double weighted_norms)
{
    /* A cubic and a power that spread the scores like the opinions. */
    const double q = weighted_norms * 0.9562382616834844;
    const double spread = (2.326765642916932 * q - (0.020884521182843837 * q) * q) +
                          ((6.248496625763138e-05 * q) * q) * q;
    return spread > 0 ? 100 - 10 * math_pow(spread, 0.6276336467831387) : 100;
}
