/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_LADDER_SIZES_H
#define TUNE_COMMANDS_LADDER_SIZES_H

/* The sizes of a ladder. */

#include "tune/commands/ladder/ladder.h"

/*
 * "1280x720" and so on; without names, the source's and usual heights below it. From small to
 * large, each once. The list is to be freed. 0; -ENOMEM; -EINVAL and why: no size, one that the
 * chroma of the source cannot have, or one that is larger than the source if that is not allowed.
 */
int ladder_sizes(const TextList *names, const TuneSource *source, bool allows_larger,
                 LadderSize **sizes, size_t *n, Message *why);

#endif
