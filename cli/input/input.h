/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

/*
 * The videos of a run: how they are opened, matched to each other and brought in line, when their
 * frames are shown, and what people and reports get to know of them.
 */

#include "media/alignment/alignment.h"
#include "media/match.h"
#include "media/video_reader.h"
#include "options/options.h"
#include "platform/thread.h"

#include <stdbool.h>
#include <stdio.h>

struct Run;
struct RunHost;

/* -- opening and matching; functions that return an int return the exit status -- */

/* Reads the header of a Y4M file, or opens a media file. */
int input_start(const Options *options, const struct RunHost *host, VideoReader *reader,
                const char *role);
/* Finds constant borders, if that is wanted. */
int input_find_borders(struct Run *run);
/* Decides what the videos become. */
int input_match_reference(const struct Run *run);
int input_match_distorted(struct Run *run);
/* What is to be said before the first frame: of the reference once, of each distorted video. */
void input_note_reference(struct Run *run, unsigned planes);
void input_note_distorted(struct Run *run, unsigned planes);
/* Goes to where the user wants to begin. */
int input_go_to_start(const struct Run *run, VideoReader *reader);
/* Chooses distorted frames by the times of the reference, if that is wanted. */
int input_pair_by_time(struct Run *run);
/* After the last frame. */
void input_note_end(struct Run *run);

/* Is any of the two a media file? */
bool input_is_media(const struct Run *run);

/* -- frames that a device has decoded are scored there, if that is possible -- */

/*
 * Lets the context use the backend that can score frames where they were decoded, if both videos
 * have such frames and the user leaves the choice to the program. Before features. False: the
 * context is not to be used any more, since the backend failed.
 */
bool device_input_choose_backend(struct Run *run);

/* Decides whether both videos give their frames out on the device, or in memory. After features,
 * before frames are read for scoring. */
void device_input_decide(struct Run *run);

/* Looks at the results of taking a frame of each video. If the device of the frames has failed,
 * everything is printed already, and the result is the exit status; else STATUS_OK. */
int device_input_failed(struct Run *run, int reference, int distorted);
/* Lets the processor decode, after the backend has failed on whose device the frames were. */
void device_input_give_up(const struct Run *run, Options *options);

/* -- do the frames that are compared show the same (--align)? -- */

/* Looks on while a pair of videos is scored, and reports what it finds. */
typedef struct LineUp {
    enum AlignMode mode; /* ALIGN_OFF: nothing is looked at */
    bool can_apply;      /* --align auto would help */
    Alignment *alignment;
    unsigned reported; /* findings */
} LineUp;

/* Frames that have to be passed over so that two videos line up, beside those that are anyway. */
typedef struct LineUpSkip {
    unsigned reference, distorted;
} LineUpSkip;

/* What --align means where it is not given. Pipes of programs and scripts stay as silent as they
 * were. */
enum AlignMode line_up_mode(const Options *options, bool is_media, bool terminal);

/* Begins to look. Returns the exit status, and has said what is wrong. */
int line_up_start(LineUp *line_up, enum AlignMode mode, bool can_apply);

/* What the next frame of both looks like, unless nothing is looked at. True if there is something
 * to say. */
bool line_up_add(LineUp *line_up, const Signature *reference, const Signature *distorted);
/* There are no more. True if there is something to say. */
bool line_up_end(LineUp *line_up);

/* Says it and notes it; `name` is the distorted video's. Returns the exit status: with --align
 * strict frames that do not line up are an error. */
int line_up_report(LineUp *line_up, const char *name, bool quiet, Notes *notes);

void line_up_free(LineUp *line_up);

/*
 * For --align auto: reads the beginnings of two files until it is certain how many frames the
 * distorted video is late, and sets what is to be passed over. The readers are given back at the
 * first frame. Returns the exit status.
 */
int look_ahead(struct Run *run);

/* -- times -- */

/* Frames a second; 0: unknown. */
double input_frame_rate(const VideoFormat *format);

/*
 * When frames of the reference are shown, in seconds since its first one: as the file says, else by
 * their number and the frame rate. Frames are those of the report, from 0. One thread adds, any
 * asks.
 */
typedef struct FrameClock {
    VmafMutex lock;
    double rate;          /* frames a second; 0: unknown */
    unsigned passed_over; /* frames of the file before frame 0 */
    double *times;        /* that the file says; NULL: it says none */
    unsigned count, capacity;
} FrameClock;

/* What is all zero may be freed too. */
void frame_clock_start(FrameClock *clock, double rate, unsigned passed_over);
void frame_clock_free(FrameClock *clock);

/* In the order of frames. NaN: the file does not say. */
void frame_clock_add(FrameClock *clock, unsigned frame, double seconds);
/* NaN: unknown. */
double frame_clock_at(FrameClock *clock, unsigned frame);
/* Are all times those of frames from 0 by their rate? */
bool frame_clock_is_plain(FrameClock *clock);

/* -- descriptions -- */

/* What is known of the videos of a run whose records come from files: they may be gone. */
typedef struct StoredVideo {
    VideoFormat format;
    const char *name; /* the file's */
    char *report;     /* what follows its name in reports, as text; to be freed */
    bool is_media;
} StoredVideo;

typedef struct StoredInput {
    StoredVideo reference, distorted;
} StoredInput;

/* A JSON report with what is known of the input; to be freed. It takes `report` over. */
char *input_extend_report(const struct Run *run, char *report);

/* What is known of a video, as a JSON object. */
void input_print_json(FILE *out, const VideoReader *reader);

/* `vmaf probe FILE [--json]`: what a video is. Returns the exit status. */
int probe(int argc, char **argv);

#endif
