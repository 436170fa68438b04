/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_PICTURE_PICTURE_COMPARE_H
#define CORE_PICTURE_PICTURE_COMPARE_H

#include "picture/picture.h"

/*
 * True if two pairs of pictures of one format have the same samples in these planes: bit 0 luma,
 * bits 1 and 2 chroma. The host must be able to read them. Rows from all over the pictures come
 * first, so that a difference is found early wherever it is. Pictures in the same memory count as
 * different: it may have been overwritten.
 */
bool picture_pairs_equal(const VmafPicture a[2], const VmafPicture b[2], unsigned planes);

#endif
