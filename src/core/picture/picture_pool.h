/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_PICTURE_PICTURE_POOL_H
#define CORE_PICTURE_PICTURE_POOL_H

#include "picture/format.h"

/*
 * A fixed number of pictures that are reused. The pool may be closed while pictures are in use:
 * they stay valid, and the memory is freed with the last of them.
 */
typedef struct PicturePool PicturePool;

/* 0, -EINVAL, -ENOMEM. */
int picture_pool_create(PicturePool **pool, const PictureFormat *format, unsigned count);
/* Takes a picture; waits until one is free. Its samples are undefined. 0, -ENOMEM. */
int picture_pool_fetch(PicturePool *pool, VmafPicture *pic);
void picture_pool_close(PicturePool *pool); /* NULL allowed; no fetch may be waiting */

#endif
