/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_SEARCH_STATE_H
#define TUNE_ENGINE_SEARCH_STATE_H

/* What the files of the search share. */

#include "tune/engine/search.h"

/* After that many probes, one that does not halve what is left is the last of the estimate. */
enum { TRUSTED_PROBES = 4 };

enum { INDEX_UNKNOWN, INDEX_IN_FLIGHT, INDEX_MEASURED, INDEX_FAILED };

static inline bool search_in_range(const Knob *knob, int q)
{
    return q >= knob->lowest && q <= knob->highest;
}

/* Values of k that may still be the answer, or next to it. */
static inline int search_width(const Search *search)
{
    return search->high - search->low + 1;
}

/* What was measured of a gate, in its prior's sense: the last CURVE_MAX_POINTS. Their number. */
size_t search_points(const Search *search, size_t gate, CurvePoint points[CURVE_MAX_POINTS]);

#endif
