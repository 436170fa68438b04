/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_ENCODE_INPUT_H
#define TUNE_ENCODERS_ENCODE_INPUT_H

/* The part of a command line that says which frames are encoded. */

#include "tune/encoders/encode_request.h"

/* Frames keep their times: else they are put at the rate. */
bool encode_keeps_times(const EncodeRequest *request);

/*
 * Seconds by which the first frame comes after the other streams begin, where frames are put at the
 * rate from 0 on. Then the source is a second input for the others, which begin earlier by that,
 * and the output is moved back by it. 0: the source is one input.
 */
double encode_shift(const EncodeRequest *request);

/* A source that has a header, all of it. */
void encode_add_source(const EncodeSource *source, ArgumentList *list);

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
