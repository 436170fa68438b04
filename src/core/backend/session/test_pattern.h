/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_TEST_PATTERN_H
#define CORE_BACKEND_SESSION_TEST_PATTERN_H

#include "libvmaf/picture.h"

/*
 * The pictures of the self-test: cells of different kinds, chosen for what arithmetic of metrics
 * can get wrong.
 *
 *   a moving slope under noise, of which the distorted picture is a coarser or a stronger version
 *   thin lines, and dots, on flat ground, whose height is a power of two times the ground's unit:
 *     they lead filters to results that lie exactly between two integers, from both sides, in the
 *     vertical pass, in the horizontal one, and in products
 *   checks and areas of the two extremes, opposite in both pictures: the largest sums
 *   noise over the whole range, unrelated in both pictures
 *   noise of a few steps, whose variance is about that which metrics take for flat
 *
 * Depends on the position only; every position differs from its neighbours.
 */
void test_pattern_draw(VmafPicture *ref, VmafPicture *dist, unsigned position);

/* Steps of a few codes at 10 bits, from black on: everything is flat but for their edges and for
 * single samples. Steps of the reference are wider. */
void test_pattern_draw_bands(VmafPicture *ref, VmafPicture *dist, unsigned position);

#endif
