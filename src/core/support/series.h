/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_SERIES_H
#define CORE_SUPPORT_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Sparse series of doubles by 32-bit index: memory grows with the number of values stored, not
 * with the largest index. Fast for ascending indices. Not synchronised.
 */
typedef struct Series {
    struct SeriesChunk **chunks; /* sorted by index */
    size_t n_chunks, capacity;
    size_t count; /* values stored */
} Series;

void series_init(Series *series);
void series_clear(Series *series);
/* 0; -EEXIST if the index has a value, which stays; -ENOMEM. */
int series_put(Series *series, uint32_t index, double value);
bool series_get(const Series *series, uint32_t index, double *value); /* value may be NULL */
/* Smallest index >= `from` that has a value; false if there is none. */
bool series_next(const Series *series, uint32_t from, uint32_t *index);

#endif
