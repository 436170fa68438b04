/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_DEVICE_INPUT_H
#define CLI_DEVICE_INPUT_H

#include "run_steps.h"

/* Frames that a device has decoded are scored there, if that is possible. */

/* The number of the device that is to decode, as the backend of that name counts. */
unsigned device_input_index(const Options *options);

/*
 * Lets the context use the backend that can score frames where they were decoded, if both videos
 * have such frames and the user leaves the choice to the program. Before features. False: the
 * context is not to be used any more, since the backend failed.
 */
bool device_input_choose_backend(Run *run);

/* Decides whether both videos give their frames out on the device, or in memory. After features,
 * before frames are read for scoring. */
void device_input_decide(Run *run);

/* Looks at the results of taking a frame of each video. If the device of the frames has failed,
 * everything is printed already, and the result is the exit status; else STATUS_OK. */
int device_input_failed(Run *run, int reference, int distorted);
/* Lets the processor decode, after the backend has failed on whose device the frames were. */
void device_input_give_up(const Run *run, Options *options);

/* Notes who decodes a video, and where its frames go; for both, why they are fetched. */
void device_input_note(const Run *run, const VideoReader *reader, const char *role, Notes *notes);
void device_input_note_pair(const Run *run, Notes *notes);

#endif
