/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "text/suggest.h"

#include <stddef.h>
#include <string.h>

enum { LONGEST_NAME = 64 }; /* what is longer is not a misspelt name */

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

unsigned edit_distance(const char *a, const char *b)
{
    size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length > LONGEST_NAME || b_length > LONGEST_NAME)
        return LONGEST_NAME;

    /* Three rows of the table of distances between prefixes: a swap looks back two rows. */
    unsigned row[3][LONGEST_NAME + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        unsigned *now = row[i % 3];
        const unsigned *above = row[(i - 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            now[j] = min3(above[j] + 1, now[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                unsigned swapped = row[(i - 2) % 3][j - 2] + 1;
                if (swapped < now[j])
                    now[j] = swapped;
            }
        }
    }
    return row[a_length % 3][b_length];
}

void suggestion_offer(Suggestion *suggestion, const char *candidate)
{
    suggestion_offer_as(suggestion, candidate, candidate);
}

void suggestion_offer_as(Suggestion *suggestion, const char *written, const char *candidate)
{
    unsigned distance = edit_distance(suggestion->wanted, written);
    if (!suggestion->best || distance < suggestion->distance) {
        suggestion->best = candidate;
        suggestion->distance = distance;
    }
}

const char *suggestion_result(const Suggestion *suggestion)
{
    if (!suggestion->best)
        return NULL;
    /* Up to a third of the letters may be wrong; beyond that it is another word. */
    size_t limit = strlen(suggestion->wanted) / 3;
    if (limit < 1)
        limit = 1;
    return suggestion->distance <= limit ? suggestion->best : NULL;
}
