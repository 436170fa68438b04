/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_RECOMMEND_H
#define TUNE_COMMANDS_RECOMMEND_H

/* vmaf-tune recommend: which row of a corpus, or which encode, for each source. */

#include "tune/engine/choice.h"
#include "tune/rows/row.h"

typedef struct ChoiceRequest {
    const char *encoder, *preset; /* NULL: any */
    double target;                /* a score to be reached; NAN: a bitrate is given */
    double kbps;                  /* the nearest to it, if there is no target */
    bool most_compressed;         /* of those that reach the target; else the cheapest */
} ChoiceRequest;

typedef struct RowChoice {
    const Row *row;
    bool met;
    double margin; /* score minus target, or bitrate minus the one that was asked for */
    size_t of;     /* rows that were chosen among */
} RowChoice;

typedef struct RowChoices {
    RowChoice *choices; /* in the order of the sources */
    size_t n;
    size_t n_usable;   /* rows that were chosen among */
    bool has_encoders; /* of several encoders or presets: texts name them */
} RowChoices;

/*
 * Rows are the caller's. For a score: the lowest bitrate that reaches it, of equals the higher
 * score, then the more compressed; if none reaches it, the highest score. Rows without bitrate
 * count only where none that reaches the target has one; then the most compressed is taken. 0;
 * -ENODATA with a message if no row is usable; -ENOMEM. Free with row_choices_free.
 */
int row_choices_make(RowChoices *choices, const Row *rows, size_t n, const ChoiceRequest *request,
                     Message *message);
void row_choices_free(RowChoices *choices);

/* A line for each choice. */
void row_choices_print_text(const RowChoices *choices, const ChoiceRequest *request, FILE *out);

/* The row with predicate, margin and status; an array of such if there are several sources. 0;
 * -ENOMEM; -EIO. */
int row_choices_print_json(const RowChoices *choices, const ChoiceRequest *request, FILE *out);

#endif
