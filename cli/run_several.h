/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_RUN_SEVERAL_H
#define CLI_RUN_SEVERAL_H

#include "command_line.h"
#include "run_host.h"

/*
 * Scores several distorted videos against one reference, in one pass. Returns the worst exit
 * status; for a program that ends then. *distrusted receives the backend without which the run is
 * to be started again, or "".
 */
int run_several(const Options *options, const RunHost *host, char distrusted[BACKEND_NAME_SIZE]);

#endif
