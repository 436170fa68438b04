/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_RUN_OUTPUTS_H
#define CLI_RUN_OUTPUTS_H

#include "command_line.h"
#include "common/output_guard.h"

/*
 * Notes all files that a run reads, then all that it writes. `label` is what others would replace
 * with these, NULL: by their kind. 0; -EINVAL, -EEXIST, -ENOMEM and why, and then none is noted.
 */
int run_outputs_guard(OutputGuard *guard, const Options *options, const char *label, Message *why);

/* The same for the only run of a process, with its trace. STATUS_OK; a status after saying why. */
int run_outputs_check(const Options *options);

#endif
