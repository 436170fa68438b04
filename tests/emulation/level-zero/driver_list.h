/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_DRIVER_LIST_H
#define TESTS_EMULATION_LEVEL_ZERO_DRIVER_LIST_H

#include "driver_command.h"

/* Adds a command, of which the kind, its values and events are given, and which it takes over. */
ze_result_t driver_append(List *list, const Command *command);
/* Counts it, for faults: they meet the first command that is submitted next. */
void driver_begin_submission(void);

#endif
