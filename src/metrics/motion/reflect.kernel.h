/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_MOTION_REFLECT_KERNEL_H
#define METRICS_MOTION_REFLECT_KERNEL_H

/* One reflection at either border, the border sample not repeated; results farther out are not
 * used, and only clamped. */
FN i32 reflect(i32 i, i32 n)
{
    i32 k = i < 0 ? -i : i;
    k = k >= n ? 2 * n - 2 - k : k;
    return k < 0 ? 0 : k;
}

#endif
