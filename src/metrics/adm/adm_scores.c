/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_scores.h"

void adm_scores_add_scale(AdmScores *scores, int scale, float num, float den)
{
    scores->num += num;
    scores->den += den;
    scores->num_scale[scale] = num;
    scores->den_scale[scale] = den;
    scores->scale[scale] = scores->num_scale[scale] / scores->den_scale[scale];
}

void adm_scores_finish_totals(AdmScores *scores, unsigned w, unsigned h)
{
    /* The threshold was set for 1080p. */
    const double limit = 1e-10 * ((double)w * h) / (1920.0 * 1080.0);
    if (scores->num < limit)
        scores->num = 0.0;
    if (scores->den < limit)
        scores->den = 0.0;
    scores->adm2 = scores->den == 0.0 ? 1.0 : scores->num / scores->den;
}

void adm_scores_write(const AdmScores *scores, bool debug, FeatureSink *sink)
{
    feature_sink_write(sink, ADM_OUTPUT_ADM2, scores->adm2);
    feature_sink_write(sink, ADM_OUTPUT_AIM, scores->aim);
    feature_sink_write(sink, ADM_OUTPUT_ADM3, scores->adm3);
    for (unsigned s = 0; s < ADM_SCALES; s++)
        feature_sink_write(sink, ADM_OUTPUT_SCALE + s, scores->scale[s]);
    if (!debug)
        return;
    feature_sink_write(sink, ADM_OUTPUT_TOTAL, scores->adm2);
    feature_sink_write(sink, ADM_OUTPUT_TOTAL_NUM, scores->num);
    feature_sink_write(sink, ADM_OUTPUT_TOTAL_DEN, scores->den);
    for (unsigned s = 0; s < ADM_SCALES; s++) {
        feature_sink_write(sink, ADM_OUTPUT_NUM_DEN + 2 * s, scores->num_scale[s]);
        feature_sink_write(sink, ADM_OUTPUT_NUM_DEN + 2 * s + 1, scores->den_scale[s]);
    }
}
