/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIMULACRA2_BLUR_KERNEL_H
#define METRICS_SSIMULACRA2_BLUR_KERNEL_H

/*
 * The recursive blur along a line, by one lane: it cannot be cut, since its rounding errors never
 * fade and are part of the score.
 */
#include "dialect/binary32.h"
#include "metrics/ssimulacra2/ssimulacra2_kernel.h"

#define AHEAD SSIMULACRA2_BLUR_AHEAD
#define REACH SSIMULACRA2_BLUR_REACH

/* Lines pass through rings of so many numbers; what left is at most REACH behind what enters. */
#define RING           32
#define ENTERING_AT(i) ((i) & (RING - 1))
#define LEAVING_AT(i)  (((i) + RING - REACH) & (RING - 1))

/* The last two values of each section. */
struct ssimulacra2_sections {
    f32 last0, older0, last1, older1, last2, older2;
};
KERNEL_STRUCT(ssimulacra2_sections)

FN ssimulacra2_sections no_sections(void)
{
    ssimulacra2_sections s;
    s.last0 = F32(0u);
    s.older0 = F32(0u);
    s.last1 = F32(0u);
    s.older1 = F32(0u);
    s.last2 = F32(0u);
    s.older2 = F32(0u);
    return s;
}

/* `sum` enters and leaves. */
FN ssimulacra2_sections blur_step(ssimulacra2_sections s, f32 sum)
{
    f32 v0 = sub_f32(mul_f32(F32(SSIMULACRA2_GAIN0_BITS), sum),
                     mul_f32(F32(SSIMULACRA2_FEEDBACK0_BITS), s.last0));
    f32 v1 = sub_f32(mul_f32(F32(SSIMULACRA2_GAIN1_BITS), sum),
                     mul_f32(F32(SSIMULACRA2_FEEDBACK1_BITS), s.last1));
    f32 v2 = mul_f32(F32(SSIMULACRA2_GAIN2_BITS), sum);
    v0 = sub_f32(v0, s.older0);
    v1 = sub_f32(v1, s.older1);
    v2 = sub_f32(v2, s.older2);
    s.older0 = s.last0;
    s.older1 = s.last1;
    s.older2 = s.last2;
    s.last0 = v0;
    s.last1 = v1;
    s.last2 = v2;
    return s;
}

FN f32 blurred_value(ssimulacra2_sections s)
{
    return add_f32(add_f32(s.last0, s.last1), s.last2);
}

#endif
