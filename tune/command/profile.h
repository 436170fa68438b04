/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMAND_PROFILE_H
#define TUNE_COMMAND_PROFILE_H

/* How to encode, from what other subcommands have written. */

#include "common/messages.h"

#include <jansson.h>

/* Selects one of several encodes of a document. */
typedef struct ProfileChoice {
    const char *encoder, *preset, *source; /* NULL: any */
    double target;                         /* NAN: any */
    double q;                              /* -1: any */
} ProfileChoice;

/*
 * Reads JSON of recommend, bisect, compare, fast, encode and search, or rows of a corpus. Of the
 * encoders of a comparison, the one with the lowest bitrate is taken; otherwise only one may be
 * meant, and if there is none, one for another source and target. 0; -ENODATA: none is usable;
 * -EINVAL; the error of reading; and why. Release *profile in either case.
 *
 * It has encoder and quality, and what is known of: preset, two_pass (true or false), threads;
 * extra_params, a list; src, src_sha256, stream, start_number, errors, of the source that it was
 * found for; target_vmaf, vmaf_model, pool.
 */
int profile_load(json_t **profile, const char *path, const ProfileChoice *choice, Message *why);

#endif
