/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_ENCODE_INPUT_H
#define TUNE_ENCODERS_ENCODE_INPUT_H

/* The part of a command line that says which frames are encoded. */

#include "tune/encoders/encode_request.h"

/* From the name of the program to the last input. */
void encode_add_inputs(const EncodeRequest *request, ArgumentList *list);

/* Filters, and which video. 0; -ENOMEM. */
int encode_add_filters(const EncodeRequest *request, ArgumentList *list);

/* A file for ffmpeg, whatever its name is. */
void arguments_add_path(ArgumentList *list, const char *path);

/* Seconds with six digits behind the point, in every locale. */
void arguments_seconds(ArgumentList *list, double seconds);

/* All of another list as one argument. 0; -ENOMEM. */
int arguments_add_joined(ArgumentList *list, const ArgumentList *parts, const char *separator);

#endif
