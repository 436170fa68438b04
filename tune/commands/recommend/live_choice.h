/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_RECOMMEND_LIVE_CHOICE_H
#define TUNE_COMMANDS_RECOMMEND_LIVE_CHOICE_H

/* What to recommend after encodes were made: of each encoder, preset and source. */

#include "tune/commands/recommend/corpus_choice.h"
#include "tune/commands/session/encode_grid.h"

typedef struct LiveChoices {
    RowChoices choices;
    Row *rows; /* those of the grid, which own what they point to */
} LiveChoices;

/* The most compressed that reaches the target; else as row_choices_make. The grid has to outlive
 * the choices; free them in either case. */
int live_choices_make(LiveChoices *live, const EncodeGrid *grid, const ChoiceRequest *request,
                      Message *why);
void live_choices_free(LiveChoices *live);

/* Does any reach the target? */
bool live_choices_met(const LiveChoices *live);

/* A line for each that does, without and with the name of the encoder. */
void live_choices_print(const RowChoices *choices, const ChoiceRequest *request, FILE *out);
void live_choices_print_encoders(const RowChoices *choices, const ChoiceRequest *request,
                                 FILE *out);

/* Says of those that do not how far they come. False: none does. */
bool live_choices_explain(const LiveChoices *live, const ChoiceRequest *request);

#endif
