/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_PROFILE_H
#define TUNE_COMMANDS_PROFILE_H

/* How to encode, from what other subcommands have written. */

#include "common/messages.h"

#include <jansson.h>
#include <stdbool.h>

/* Texts and lists are those of the document, which profile_free releases. */
typedef struct Profile {
    json_t *document;
    const char *encoder, *preset; /* preset NULL: the default */
    double q;
    bool two_pass;
    int threads;        /* of the encoder; 0: not given */
    const char *source; /* that it was found for; NULL: unknown */
    const char *sha256; /* of it; NULL: unknown */
    int stream;         /* the number among its video streams; -1: not given */
    int first_picture;  /* the number where pictures begin; 0: not given */
    bool ignores_errors;
    const char **extra; /* arguments, without their NULL at the end */
    size_t n_extra;
    bool has_hdr_arguments;   /* they are among them */
    double target, score;     /* that was sought, and that was measured; NAN: unknown */
    const char *model, *pool; /* of the score; NULL: unknown */
} Profile;

/* Selects one of several encodes of a document. */
typedef struct ProfileChoice {
    const char *encoder, *preset, *source; /* NULL: any */
    double target;                         /* NAN: any */
    double q;                              /* -1: any */
} ProfileChoice;

/*
 * Reads JSON of recommend, bisect, compare or fast, or rows of a corpus. Of the encoders of a
 * comparison, the one with the lowest bitrate is taken; otherwise only one may be meant. 0;
 * -ENODATA: none is usable; -EINVAL; the error of reading; and why. Free it in either case.
 */
int profile_load(Profile *profile, const char *path, const ProfileChoice *choice, Message *why);
void profile_free(Profile *profile);

#endif
