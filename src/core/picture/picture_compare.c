/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "picture/picture_compare.h"

#include <stdint.h>
#include <string.h>

/* Each pass looks at one row in so many. Passes go from row to row in steps that have no factor in
 * common with that. */
enum { PASSES = 16, STEP = 5, FIRST = PASSES / 2 };

static const unsigned char *row_of(const VmafPicture *pic, unsigned plane, unsigned y)
{
    return (const unsigned char *)pic->data[plane] + (ptrdiff_t)y * pic->stride[plane];
}

static bool rows_equal(const VmafPicture *a, const VmafPicture *b, unsigned plane, unsigned first)
{
    const size_t size = a->w[plane] * (a->bpc > 8 ? sizeof(uint16_t) : sizeof(uint8_t));
    for (unsigned y = first; y < a->h[plane]; y += PASSES)
        if (memcmp(row_of(a, plane, y), row_of(b, plane, y), size) != 0)
            return false;
    return true;
}

static bool in_same_memory(const VmafPicture *a, const VmafPicture *b, unsigned planes)
{
    for (unsigned p = 0; p < 3; p++)
        if (planes >> p & 1 && a->data[p] == b->data[p])
            return true;
    return false;
}

bool picture_pairs_equal(const VmafPicture a[2], const VmafPicture b[2], unsigned planes)
{
    for (int i = 0; i < 2; i++)
        if (in_same_memory(&a[i], &b[i], planes))
            return false;
    for (unsigned pass = 0; pass < PASSES; pass++)
        for (unsigned p = 0; p < 3; p++)
            for (int i = 0; i < 2 && planes >> p & 1; i++)
                if (!rows_equal(&a[i], &b[i], p, (FIRST + pass * STEP) % PASSES))
                    return false;
    return true;
}
