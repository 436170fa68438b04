/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_SEARCH_OPTIONS_H
#define TUNE_COMMANDS_SEARCH_OPTIONS_H

/* Options of subcommands that search for a quality. */

#include "tune/commands/session/session.h"

typedef struct SearchChoice {
    int lowest, highest; /* of the knob; -1: its range */
    int max_iterations;  /* 0: as many as are needed */
    double tolerance;
    int on_non_monotonic; /* OnNonMonotonic */
    int strategy;         /* SearchStrategy */
    double max_percent;   /* of the source's bitrate; 0: any */
} SearchChoice;

SearchChoice search_choice(void);
OptionGroup search_option_group(SearchChoice *choice);

/* Refuses a range that is empty or outside of the encoder's. TUNE_OK, or says why not. */
int search_check_choice(const Session *session, const SearchChoice *choice,
                        const SessionEncoder *encoder);

/* The search for an encoder and a target; its gates are those of the session. 0, or a status. */
int search_make_plan(const Session *session, const SearchChoice *choice, const TuneSource *source,
                     const SessionEncoder *encoder, const char *preset, SearchPlan *plan);

/* Sets the target of the first gate. */
void search_set_target(SearchPlan *plan, const TuneSource *source, const SearchChoice *choice,
                       double target);

#endif
