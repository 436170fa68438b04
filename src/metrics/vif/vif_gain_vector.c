/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/vif/vif_gain_vector.h"

#include "support/cpu.h"
#include "support/memory.h"

/* A row of variances in chunks. Columns beyond its end count as flat pixels without variance. */
void ISA_VARIANT(vif_gain)(VifSums *sums, const VifVariances *in, unsigned w, const VifGain *gain)
{
    for (unsigned begin = 0; begin < w; begin += VIF_CHUNK) {
        const unsigned n = min_unsigned(w - begin, VIF_CHUNK);
        VifChunk chunk;
        VifFlats flats = {vec_zero(), vec_zero(), vec_zero()};
        unsigned x = 0;
        for (; x < n; x += VEC_32) {
            Vec ref = vec_load(in->ref + begin + x), dist = vec_load(in->dist + begin + x);
            if (n - x < VEC_32) {
                const Vec columns = vec_greater_32s(vec_set_32((int32_t)(n - x)), vec_index_32());
                ref = vec_and(ref, columns);
                dist = vec_and(dist, columns);
            }
            add_flat(&flats, ref, dist);
            dist = keep_rough(dist, ref);
            vec_store(chunk.ref + x, keep_rough(ref, ref));
            vec_store(chunk.dist + x, dist);
            vec_store(chunk.covariance + x, gaining(vec_load(in->covariance + begin + x), dist));
        }
        add_flats(sums, &flats);
        add_chunk(sums, &chunk, x, gain);
        sums->flat_count -= x - n;
    }
}
