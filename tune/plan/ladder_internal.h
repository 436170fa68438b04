/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_PLAN_LADDER_INTERNAL_H
#define TUNE_PLAN_LADDER_INTERNAL_H

/* A ladder of bitrates for one video: encodes of several sizes, of which the best are chosen. */

#include "tune/plan/ladder.h"
#include "tune/search/choice.h"
#include "tune/search/goals.h"
#include "tune/search/search_plan.h"

#include <jansson.h>

enum { CODEC_STRING_SIZE = 48, TRACK_NAME_SIZE = 80 };

typedef struct LadderSettings {
    SearchChoice search;
    Goals goals; /* rising */
    const char *output, *report;
    TextList sizes;
    NumberList sweep; /* qualities that are measured in each size; none: goals are looked for */
    int tiers;        /* rungs at most */
    int format, spacing, axis;
    bool any_order; /* a dearer rung may be smaller */
    bool allows_larger, emits;
    double segment_seconds, lowest_kbps, highest_kbps; /* 0: any */
} LadderSettings;

/* -- files that a player is given -- */

typedef struct TrackSegment {
    uint64_t bytes;
    double seconds;
} TrackSegment;

/* A fragmented MP4 with one stream and an index, as manifests describe it. */
typedef struct LadderTrack {
    char name[TRACK_NAME_SIZE];     /* of its file, without extension */
    char codecs[CODEC_STRING_SIZE]; /* RFC 6381: "avc1.640028"; "": it has no such name */
    double kbps, peak_kbps;         /* of its segments */
    uint64_t index_begin, index_end;
    TrackSegment *segments;
    size_t n_segments;
    char language[4]; /* ISO 639-2; "und": unknown */
    int channels, sample_rate;
} LadderTrack;

/*
 * Reads from the file what a manifest says of it: all but the name. `seconds`: how long segments
 * are to be. 0; negative errno and why.
 */
int track_read(const char *path, double seconds, LadderTrack *track, Message *why);

typedef struct LadderRung {
    EncodePoint point; /* of a higher score is always a better one */
    MeasuredEncode *encode;
    LadderTrack track;
} LadderRung;

/* -- ladders -- */

typedef struct LadderSize {
    LadderCurve curve; /* what was measured of it; the encodes are its own */
    bool has_failed;   /* an encode of it did, so that no further one is made */
} LadderSize;

typedef struct Ladder {
    const Session *session;
    const TuneSource *source;
    const SessionMeasurer *measurer;
    const LadderSettings *settings;
    SearchPlan plan;      /* of the source's own size, for no goal */
    SearchOptions *goals; /* of each goal: its gates */
    LadderSize *sizes;    /* from small to large */
    size_t n_sizes;
    double *key_times; /* seconds at which segments begin */
    size_t n_key_times;
    double segment_seconds;  /* as long as segments are, in whole frames */
    MeasuredEncode *encodes; /* all that was measured */
    size_t n_encodes;
    EncodePoint *hull; /* their `source` is the number of the encode */
    size_t n_hull;
    LadderRung *rungs; /* in order of bitrate */
    size_t n_rungs;
    LadderTrack *audio; /* once files are written */
    size_t n_audio;
} Ladder;

/* Functions that can fail return 0; or a negative errno, and why. */

/* Measures what answers the goals, or the sweep. Prints what could not be done for a size. */
int ladder_sample(Ladder *ladder, Message *why);

/* Chooses the hull, then the rungs. -ENODATA: nothing is left to choose from. */
int ladder_find_rungs(Ladder *ladder, Message *why);

/* The encode of a size; q is to be set. */
EncodeSpec ladder_spec(const Ladder *ladder, const LadderCurve *size);

/* The values of all gates of an encode that has scores. */
void ladder_values(const Ladder *ladder, const MeasuredEncode *encode, double *values);

void ladder_free(Ladder *ladder);
void ladder_free_audio(Ladder *ladder);

/* -- files -- */

/* The path of a file beside a manifest, NULL: of one that goes; to be freed. NULL without memory.
 */
char *ladder_path(const Ladder *ladder, const char *manifest, const char *name, const char *ending);

/* Makes the audio of the source, each of its streams a file beside `manifest`. NULL: a moment of
 * each, so that what cannot be is said before all encodes; prints what is left out or converted. */
int ladder_make_audio(Ladder *ladder, const char *manifest, Message *why);

/* Puts the rungs, and the sound of the source, into files beside `manifest`; NULL: rungs only,
 * whose files are gone once they are known. */
int ladder_make_tracks(Ladder *ladder, const char *manifest, Message *why);

/* Removes tracks beside a manifest that the one before it, of which this is the text, refers to and
 * this ladder does not. */
void ladder_remove_old(const Ladder *ladder, const char *manifest, const char *earlier);

/* -- manifests -- */

void ladder_print_hls(const Ladder *ladder, FILE *out);
/* The playlist of one file. */
void ladder_print_playlist(const LadderTrack *track, FILE *out);
void ladder_print_dash(const Ladder *ladder, FILE *out);
/* A new reference; NULL without memory. */
json_t *ladder_record(const Ladder *ladder);

#endif
