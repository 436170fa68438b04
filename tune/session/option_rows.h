/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_SESSION_OPTION_ROWS_H
#define TUNE_SESSION_OPTION_ROWS_H

/*
 * What follows name, argument and help in a row of options: the type of the value, the member that
 * it sets, and its range. A table defines AT(member), which names its structure, before it.
 */

#include "tune/command_line/options.h"

#define FLAG_AT(member)                .type = TUNE_FLAG, AT(member)
#define FLAG_OFF_AT(member)            .type = TUNE_FLAG_OFF, AT(member)
#define TEXT_AT(member)                .type = TUNE_TEXT, AT(member)
#define TEXTS_AT(member)               .type = TUNE_TEXTS, AT(member)
#define NAMES_AT(member)               .type = TUNE_NAMES, AT(member)
#define CHOSEN_AT(member, choice)      .type = TUNE_CHOSEN, AT(member), .lowest = (choice)
#define CHOICE_AT(member, words)       .type = TUNE_CHOICE, AT(member), .values = (words)
#define RANGE(low, high)               .lowest = (low), .highest = (high)
#define INTEGER_AT(member, low, high)  .type = TUNE_INTEGER, AT(member), RANGE(low, high)
#define INTEGERS_AT(member, low, high) .type = TUNE_INTEGERS, AT(member), RANGE(low, high)
#define NUMBER_AT(member, low, high)   .type = TUNE_NUMBER, AT(member), RANGE(low, high)
#define NUMBERS_AT(member, low, high)  .type = TUNE_NUMBERS, AT(member), RANGE(low, high)

#endif
