/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_INPUT_STEPS_H
#define CLI_INPUT_STEPS_H

/* The steps of a run that concern its media files; see run_steps.h. */

#include "run_steps.h"

#include <stdio.h>

/* Reads the header of a Y4M file, or opens a media file. */
int input_start(const Options *options, const RunHost *host, VideoReader *reader, const char *role);
/* Finds constant borders, if that is wanted. */
int input_find_borders(Run *run);
/* Decides what the videos become. */
int input_match_reference(const Run *run);
int input_match_distorted(Run *run);
/* What is to be said before the first frame: of the reference once, of each distorted video. */
void input_note_reference(Run *run, unsigned planes);
void input_note_distorted(Run *run, unsigned planes);
/* Goes to where the user wants to begin. */
int input_go_to_start(const Run *run, VideoReader *reader, const char *path);
/* Chooses distorted frames by the times of the reference, if that is wanted. */
int input_pair_by_time(Run *run);
/* After the last frame. */
void input_note_end(Run *run);
/* A JSON report with what is known of the input; to be freed. It takes `report` over. */
char *input_extend_report(const Run *run, char *report);

/* What is known of a video, as a JSON object; what follows the name of its file there. */
void input_print_json(FILE *out, const VideoReader *reader);
void input_print_members(FILE *out, const VideoReader *reader);

/* Is any of the two a media file? */
bool input_is_media(const Run *run);

#endif
