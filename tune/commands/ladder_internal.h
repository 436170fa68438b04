/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_LADDER_INTERNAL_H
#define TUNE_COMMANDS_LADDER_INTERNAL_H

/* A ladder of bitrates for one video: encodes of several sizes, of which the best are chosen. */

#include "tune/engine/choice.h"
#include "tune/measure/measurer.h"
#include "tune/session/search.h"

#include <jansson.h>
#include <stdbool.h>

enum { CODEC_STRING_SIZE = 48 };

/*
 * The name of a codec as manifests of streams have it (RFC 6381 and the mappings of the codecs to
 * ISO files):
 * "avc1.640028", "hvc1.1.6.L120.B0", "av01.0.08M.08", "vp09.00.40.08", "vvc1.1.L64". Levels that
 * the stream does not tell are computed from its size and rate, for VP9 and AV1. False, and "", if
 * the codec or its profile is unknown.
 */
bool codec_string(const StreamFacts *facts, FrameRate rate, char text[CODEC_STRING_SIZE]);

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

/* Index of the size that an encode has. */
size_t ladder_size_of(const Ladder *ladder, const EncodeSpec *spec);

/* -- manifests -- */

void ladder_print_hls(const Ladder *ladder, FILE *out);
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

#endif
