/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_MATCH_H
#define MEDIA_MATCH_H

/*
 * What two videos become so that they can be compared. Frames of media files are converted; those
 * of Y4M and raw files never.
 */

#include "media/video_reader.h"

/* What was done to videos before they were scored, and what is strange about them: sentences for
 * people. */
typedef struct Notes {
    char **text;
    unsigned count;
} Notes;

/* Without memory the note is lost. */
void notes_add(Notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void notes_free(Notes *notes);

typedef struct MatchOptions {
    bool never_scale;       /* videos of different sizes are rejected */
    unsigned width, height; /* that both are scaled to; 0: the distorted one to the reference's */
    MediaScaler scaler;
    MediaCrop crop_reference, crop_distorted; /* without borders that were found */
} MatchOptions;

/* Samples of luma that share one of chroma, along a row and a column: parts begin at multiples. */
void match_chroma_steps(const MediaProperties *properties, unsigned *across, unsigned *down);

/* Sets the conversion of a reference, or of a distorted video for that reference. 0; -EINVAL, and
 * says why. */
int match_reference(VideoReader *reference, const MatchOptions *options, Message *why);
int match_distorted(VideoReader *distorted, const VideoReader *reference,
                    const MatchOptions *options, Message *why);

/* The depth that samples of both are raised to: the larger. */
unsigned match_depth(const VideoReader *reference, const VideoReader *distorted);

/* The matrix by which RGB becomes YUV beside the other video, for its conversion: that of the other
 * one; BT.601, by which FFmpeg makes YUV of RGB, if it names none; BT.709 if it is RGB as well.
 * The distorted video has it from match_distorted. */
const char *match_rgb_matrix(const VideoReader *other);

/* Is one of them a Y4M file that would have to be converted, so that it has to be read as a media
 * file? */
bool match_needs_media(const VideoReader *distorted, const VideoReader *reference);

/* What is to be said of one video, and of two. `planes` are those that somebody looks at. */
void match_note_video(const VideoReader *video, const char *role, unsigned planes, Notes *notes);
void match_note_pair(const VideoReader *reference, const VideoReader *distorted, unsigned planes,
                     bool pairs_by_time, Notes *notes);

#endif
