/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_LOOK_AHEAD_H
#define CLI_LOOK_AHEAD_H

#include "run_steps.h"

/*
 * For --align auto: reads the beginnings of two files until it is certain how many frames the
 * distorted video is late, and sets what is to be passed over. The readers are given back at the
 * first frame. Returns the exit status.
 */
int look_ahead(Run *run);

#endif
