/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_PICTURE_PICTURE_COMPANION_H
#define CORE_PICTURE_PICTURE_COMPANION_H

/* Something that goes along with a picture as long as somebody uses it, whatever that is: the first
 * member of a structure whose references are counted here. Any thread. */

#include <stdatomic.h>

typedef struct PictureCompanion {
    atomic_uint references;
    void (*destroy)(struct PictureCompanion *companion);
} PictureCompanion;

/* NULL allowed in both. */
static inline PictureCompanion *picture_companion_ref(PictureCompanion *companion)
{
    if (companion)
        atomic_fetch_add_explicit(&companion->references, 1, memory_order_relaxed);
    return companion;
}

static inline void picture_companion_unref(PictureCompanion *companion)
{
    if (companion &&
        atomic_fetch_sub_explicit(&companion->references, 1, memory_order_acq_rel) == 1)
        companion->destroy(companion);
}

#endif
