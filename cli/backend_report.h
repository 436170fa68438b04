/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_BACKEND_REPORT_H
#define CLI_BACKEND_REPORT_H

#include "command_line.h"

/* What this installation can compute with. Both return the exit status. */

/* --list-backends: a table for people, or the short JSON document with --json. */
int backend_report_list(const Options *options);
/* --capabilities: the long JSON document, to standard output or a file. */
int backend_report_capabilities(const Options *options);

#endif
