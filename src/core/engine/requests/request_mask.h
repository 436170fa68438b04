/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_REQUEST_MASK_H
#define CORE_ENGINE_REQUEST_MASK_H

#include <stdbool.h>
#include <stdint.h>

/* A set of requests of one work list, by number. */
enum { REQUESTS_MAX = 256, REQUEST_WORDS = REQUESTS_MAX / 64 };

typedef struct RequestMask {
    uint64_t word[REQUEST_WORDS];
} RequestMask;

static inline void mask_add(RequestMask *mask, unsigned request)
{
    mask->word[request / 64] |= UINT64_C(1) << request % 64;
}

static inline bool mask_has(const RequestMask *mask, unsigned request)
{
    return mask->word[request / 64] >> request % 64 & 1;
}

/* The lowest request of a mask that is not empty. */
static inline unsigned mask_first(const RequestMask *mask)
{
    unsigned first = 0;
    while (!mask_has(mask, first))
        first++;
    return first;
}

static inline bool mask_empty(const RequestMask *mask)
{
    uint64_t any = 0;
    for (int i = 0; i < REQUEST_WORDS; i++)
        any |= mask->word[i];
    return !any;
}

static inline bool mask_equal(const RequestMask *a, const RequestMask *b)
{
    uint64_t differing = 0;
    for (int i = 0; i < REQUEST_WORDS; i++)
        differing |= a->word[i] ^ b->word[i];
    return !differing;
}

static inline RequestMask mask_or(RequestMask a, const RequestMask *b)
{
    for (int i = 0; i < REQUEST_WORDS; i++)
        a.word[i] |= b->word[i];
    return a;
}

static inline RequestMask mask_and(RequestMask a, const RequestMask *b)
{
    for (int i = 0; i < REQUEST_WORDS; i++)
        a.word[i] &= b->word[i];
    return a;
}

static inline RequestMask mask_without(RequestMask a, const RequestMask *b)
{
    for (int i = 0; i < REQUEST_WORDS; i++)
        a.word[i] &= ~b->word[i];
    return a;
}

#endif
