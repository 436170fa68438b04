/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TEXT_SUGGEST_H
#define TEXT_SUGGEST_H

/*
 * The name that was probably meant. Start with { .wanted = text }, offer every valid name, ask for
 * the result.
 */
typedef struct Suggestion {
    const char *wanted;
    const char *best; /* nearest name offered so far */
    unsigned distance;
} Suggestion;

/* `candidate` must live as long as the suggestion. */
void suggestion_offer(Suggestion *suggestion, const char *candidate);

/* The same for another way to write a name. */
void suggestion_offer_as(Suggestion *suggestion, const char *written, const char *candidate);

/* The nearest name, or NULL if none is near enough to be a slip of the pen. */
const char *suggestion_result(const Suggestion *suggestion);

/* Insertions, deletions, replacements and swaps of neighbours that turn one text into another. */
unsigned edit_distance(const char *a, const char *b);

#endif
