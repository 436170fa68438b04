/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_FFMPEG_PLAYLIST_H
#define MEDIA_FFMPEG_PLAYLIST_H

/*
 * Files that name other files to be read with them. Whoever wrote one may mean files of whoever
 * opens it, so nothing is followed unless the user's path says that it is such a list, and then
 * only to files at or below its folder.
 */

#include "common/messages.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Playlist {
    const char *path;
    bool is_pattern; /* pictures with numbers, which the user has named himself */
    char *folder;    /* of a list, without links; NULL: nothing but the path is opened */
    unsigned n_masters, n_parts;
    int64_t deadline_ms; /* of opening; 0: it is over */
    int err;             /* of the first thing that has failed since it was asked for */
    Message failure;
} Playlist;

/*
 * `format` is FFmpeg's name of what the content is, which may be read under such a name or not; the
 * path lives longer than the list. 0; negative errno, and says why.
 */
int playlist_start(Playlist *playlist, const char *format, const char *path, Message *why);
/* From now on parts may come at any time. */
void playlist_is_open(Playlist *playlist);
void playlist_end(Playlist *playlist);

/* May this be opened, too? 0; negative errno. */
int playlist_allow(Playlist *playlist, const char *url);
/* Something that was allowed could not be opened. */
void playlist_fail(Playlist *playlist, const char *url, int err, const char *reason);
/* 0; negative errno, and says why, if something has failed since the last call. */
int playlist_take_failure(Playlist *playlist, Message *why);

#endif
