/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As many values as a machine word has bits, so that one word says which are present. */
enum { CHUNK_VALUES = 64 };

struct SeriesChunk {
    uint32_t number; /* index / CHUNK_VALUES */
    uint64_t present;
    double values[CHUNK_VALUES];
};

void series_init(Series *series)
{
    *series = (Series){0};
}

void series_clear(Series *series)
{
    for (size_t i = 0; i < series->n_chunks; i++)
        free(series->chunks[i]);
    free(series->chunks);
    series_init(series);
}

/* Position of the first chunk whose number is not below `number`. */
static size_t find_chunk(const Series *series, uint32_t number)
{
    struct SeriesChunk *const *chunks = series->chunks;
    size_t n = series->n_chunks;

    if (n == 0 || chunks[n - 1]->number < number)
        return n;
    if (chunks[n - 1]->number == number)
        return n - 1;
    /* Without gaps, as in nearly every stream, a chunk stands at its own number. */
    if (number < n && chunks[number]->number == number)
        return number;

    size_t low = 0, high = n - 1; /* the answer is in low..high */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (chunks[middle]->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int reserve_one(Series *series)
{
    if (series->n_chunks < series->capacity)
        return 0;
    /* There are at most 2^32 / CHUNK_VALUES chunks: neither product can overflow. */
    size_t capacity = series->capacity ? 2 * series->capacity : 8;
    struct SeriesChunk **chunks = realloc(series->chunks, capacity * sizeof(*chunks));
    if (!chunks)
        return -ENOMEM;
    series->chunks = chunks;
    series->capacity = capacity;
    return 0;
}

static struct SeriesChunk *insert_chunk(Series *series, size_t position, uint32_t number)
{
    if (reserve_one(series) < 0)
        return NULL;
    struct SeriesChunk *chunk = malloc(sizeof(*chunk));
    if (!chunk)
        return NULL;
    chunk->number = number;
    chunk->present = 0;

    struct SeriesChunk **place = series->chunks + position;
    memmove(place + 1, place, (series->n_chunks - position) * sizeof(*place));
    *place = chunk;
    series->n_chunks++;
    return chunk;
}

int series_put(Series *series, uint32_t index, double value)
{
    uint32_t number = index / CHUNK_VALUES;
    unsigned slot = index % CHUNK_VALUES;
    size_t position = find_chunk(series, number);
    struct SeriesChunk *chunk;

    if (position < series->n_chunks && series->chunks[position]->number == number)
        chunk = series->chunks[position];
    else
        chunk = insert_chunk(series, position, number);
    if (!chunk)
        return -ENOMEM;
    if (chunk->present >> slot & 1)
        return -EEXIST;

    chunk->present |= UINT64_C(1) << slot;
    chunk->values[slot] = value;
    series->count++;
    return 0;
}

bool series_get(const Series *series, uint32_t index, double *value)
{
    uint32_t number = index / CHUNK_VALUES;
    unsigned slot = index % CHUNK_VALUES;
    size_t position = find_chunk(series, number);
    if (position == series->n_chunks)
        return false;

    const struct SeriesChunk *chunk = series->chunks[position];
    if (chunk->number != number || !(chunk->present >> slot & 1))
        return false;
    if (value)
        *value = chunk->values[slot];
    return true;
}

static uint32_t first_in(const struct SeriesChunk *chunk, uint64_t present)
{
    return chunk->number * CHUNK_VALUES + (uint32_t)__builtin_ctzll(present);
}

bool series_next(const Series *series, uint32_t from, uint32_t *index)
{
    uint32_t number = from / CHUNK_VALUES;
    size_t position = find_chunk(series, number);

    if (position < series->n_chunks && series->chunks[position]->number == number) {
        const struct SeriesChunk *chunk = series->chunks[position];
        uint64_t rest = chunk->present >> from % CHUNK_VALUES << from % CHUNK_VALUES;
        if (rest) {
            *index = first_in(chunk, rest);
            return true;
        }
        position++;
    }
    if (position == series->n_chunks)
        return false;
    *index = first_in(series->chunks[position], series->chunks[position]->present);
    return true;
}
