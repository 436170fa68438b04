/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_BACKEND_CHOICE_H
#define CLI_BACKEND_CHOICE_H

#include "command_line.h"

#include <stdbool.h>

/*
 * Tells the library which backend the options ask for. Returns the exit status: an explicit backend
 * that is not there is STATUS_BACKEND, never a silent run on the CPU.
 */
int backend_choice_apply(const Options *options, VmafContext *vmaf);

/* Have all GPU backends been ruled out? */
bool backend_choice_excludes_all(const Options *options);

/*
 * Leaves the error document behind if the report would have been JSON. Returns STATUS_BACKEND.
 * `error` and `err` are those of the document, see error_document.h.
 */
int backend_choice_refuse(const Options *options, const char *error, const char *backend, int err);

#endif
