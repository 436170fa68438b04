/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_LADDER_H
#define TUNE_COMMANDS_LADDER_H

/* A ladder of bitrates for one video: encodes of several sizes, of which the best are chosen. */

#include "tune/commands/ladder/codec_string.h"
#include "tune/commands/recommend/uncertainty.h"
#include "tune/commands/session/search_group.h"
#include "tune/engine/choice.h"

#include <jansson.h>

enum { RUNG_NAME_SIZE = 80 };

typedef struct LadderSize {
    int width, height;
} LadderSize;

typedef struct LadderOptions {
    size_t n_rungs;
    RungSpacing spacing;
    HullAxis axis;
    bool any_order;                   /* a dearer rung may be smaller */
    double lowest_kbps, highest_kbps; /* 0: any */
    bool with_intervals;              /* scores are uncertain: */
    LadderIntervals intervals;
    Uncertainty uncertainty;
    double segment_seconds;
} LadderOptions;

typedef struct LadderRung {
    EncodePoint point;
    const MeasuredEncode *encode;
    char name[RUNG_NAME_SIZE]; /* of its file, without extension */
    char codecs[CODEC_STRING_SIZE];
    double kbps, peak_kbps;
    uint64_t index_begin, index_end; /* of the index in the emitted file; 0, 0: none */
} LadderRung;

typedef struct Ladder {
    const Session *session;
    const TuneSource *source;
    const SessionMeasurer *measurer;
    const LadderOptions *options;
    SearchGroup *groups; /* of the sizes, which are from small to large */
    LadderSize *sizes;
    size_t n_sizes;
    double *key_times; /* seconds at which segments begin */
    size_t n_key_times;
    double segment_seconds;         /* as long as segments are, in whole frames */
    const MeasuredEncode **encodes; /* all that was measured */
    size_t n_encodes;
    MeasuredEncode **more; /* those of them that no search has made */
    size_t n_more;
    EncodePoint *hull; /* their `source` is the number of the encode */
    size_t n_hull;
    LadderRung *rungs; /* in order of bitrate */
    size_t n_rungs;
    bool has_media; /* the rungs' files are there */
} Ladder;

/* Functions that can fail return 0; or a negative errno, and why. */

/* Measures all sizes. Prints what could not be done for a size. */
int ladder_sample(Ladder *ladder, Message *why);

/* The hull, then the rungs, measured and looked at. -ENODATA: nothing is left to choose from. */
int ladder_find_rungs(Ladder *ladder, Message *why);

/* Puts the rungs into files beside `manifest`, for playlists or as single files with an index. */
int ladder_emit(Ladder *ladder, const char *manifest, bool playlists, Message *why);

void ladder_free(Ladder *ladder);

/* -- its parts -- */

/* Adds what was measured. -ENOMEM. */
int ladder_add_encode(Ladder *ladder, const MeasuredEncode *encode);
/* The encode as a point for choices, with its interval. */
EncodePoint ladder_point(const Ladder *ladder, size_t encode);
/* Index of the size that an encode has. */
size_t ladder_size_of(const Ladder *ladder, const EncodeSpec *spec);

/* -- manifests -- */

void ladder_print_hls(const Ladder *ladder, FILE *out);
void ladder_print_dash(const Ladder *ladder, FILE *out);
/* 0; -ENOMEM. */
int ladder_print_json(const Ladder *ladder, FILE *out);

#endif
