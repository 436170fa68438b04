/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_LADDER_INTERNAL_H
#define TUNE_COMMANDS_LADDER_INTERNAL_H

/* A ladder of bitrates for one video: encodes of several sizes, of which the best are chosen. */

#include "tune/engine/choice.h"
#include "tune/engine/ladder.h"
#include "tune/measure/measurer.h"
#include "tune/session/search.h"

#include <jansson.h>
#include <stdbool.h>

enum { CODEC_STRING_SIZE = 48, TRACK_NAME_SIZE = 80 };

/*
 * The name of a codec as manifests of streams have it (RFC 6381 and the mappings of the codecs to
 * ISO files):
 * "avc1.640028", "hvc1.1.6.L120.B0", "av01.0.08M.08", "vp09.00.40.08", "vvc1.1.L64". Levels that
 * the stream does not tell are computed from its size and rate, for VP9 and AV1. False, and "", if
 * the codec or its profile is unknown.
 */
bool codec_string(const StreamFacts *facts, FrameRate rate, char text[CODEC_STRING_SIZE]);

typedef struct LadderSize {
    int width, height;
    bool has_failed; /* an encode of it did, so that no further one is made */
} LadderSize;

typedef struct LadderOptions {
    size_t n_rungs;
    RungSpacing spacing;
    HullAxis axis;
    bool any_order;                   /* a dearer rung may be smaller */
    double lowest_kbps, highest_kbps; /* 0: any */
    int max_encodes;                  /* 0: as many as are needed */
    const double *sweep;              /* qualities that are measured in each size, */
    size_t n_sweep;                   /* 0: what answers the targets is looked for */
} LadderOptions;

/* -- files that a player is given -- */

typedef struct TrackSegment {
    uint64_t bytes;
    double seconds;
} TrackSegment;

/* A fragmented MP4 with one stream and an index. */
typedef struct LadderTrack {
    char name[TRACK_NAME_SIZE]; /* of its file, without extension */
    char codecs[CODEC_STRING_SIZE];
    double kbps, peak_kbps;          /* of its segments, once the file is there */
    uint64_t index_begin, index_end; /* 0, 0: there is no file */
    TrackSegment *segments;
    size_t n_segments;
    char language[4]; /* ISO 639-2; "und": unknown */
    int channels, sample_rate;
} LadderTrack;

/*
 * Reads from the file what a manifest says of it: all but the name, and of video the codec.
 * `seconds`: how long segments are to be. 0; negative errno and why.
 */
int track_read(const char *path, double seconds, LadderTrack *track, Message *why);

/* Average over a segment or several, the most of any that last about `seconds` together. */
double track_peak_kbps(const TrackSegment *segments, size_t n, double seconds);

typedef struct LadderRung {
    EncodePoint point;
    MeasuredEncode *encode;
    LadderTrack track;
} LadderRung;

typedef struct Ladder {
    const Session *session;
    const TuneSource *source;
    const SessionMeasurer *measurer;
    const LadderOptions *options;
    SearchPlan plan;       /* of the source's own size, for no target */
    const double *targets; /* rising */
    SearchOptions *goals;  /* of each target: its gates */
    size_t n_targets;
    LadderSize *sizes; /* from small to large */
    size_t n_sizes;
    double *key_times; /* seconds at which segments begin */
    size_t n_key_times;
    double segment_seconds;   /* as long as segments are, in whole frames */
    MeasuredEncode **encodes; /* all that was measured */
    size_t n_encodes;
    EncodePoint *hull; /* their `source` is the number of the encode */
    size_t n_hull;
    LadderRung *rungs; /* in order of bitrate */
    size_t n_rungs;
    LadderTrack *audio; /* once files are written */
    size_t n_audio;
    bool has_media; /* the files are there */
} Ladder;

/* Functions that can fail return 0; or a negative errno, and why. */

/* The encode of a size; q is to be set. */
EncodeSpec ladder_spec(const Ladder *ladder, const LadderSize *size);

/* Measures what answers the targets, or the sweep. Prints what could not be done for a size. */
int ladder_sample(Ladder *ladder, Message *why);

/* The hull, then the rungs, measured and looked at. -ENODATA: nothing is left to choose from. */
int ladder_find_rungs(Ladder *ladder, Message *why);

/* Puts the rungs, and the sound of the source, into files beside `manifest`. */
int ladder_emit(Ladder *ladder, const char *manifest, Message *why);

void ladder_free(Ladder *ladder);

/* The size that an encode has. */
LadderSize *ladder_size_of(const Ladder *ladder, const EncodeSpec *spec);

/* -- manifests -- */

void ladder_print_hls(const Ladder *ladder, FILE *out);
/* The playlist of one file. */
void ladder_print_playlist(const LadderTrack *track, FILE *out);
void ladder_print_dash(const Ladder *ladder, FILE *out);
/* A new reference; NULL without memory. */
json_t *ladder_record(const Ladder *ladder);

/*
 * "1280x720" and so on; without names, the source's and usual heights below it. From small to
 * large, each once. The list is to be freed. 0; -ENOMEM; -EINVAL and why: no size, one that the
 * chroma of the source cannot have, or one that is larger than the source if that is not allowed.
 */
int ladder_sizes(const TextList *names, const TuneSource *source, bool allows_larger,
                 LadderSize **sizes, size_t *n, Message *why);

/* "vmaf=95,88,78": all of them, rising, behind those that are there already. 0; -EINVAL and why;
 * -ENOMEM. */
int ladder_targets(const TextList *goals, NumberList *targets, Message *why);

#endif
