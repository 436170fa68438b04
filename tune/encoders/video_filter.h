/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_VIDEO_FILTER_H
#define TUNE_ENCODERS_VIDEO_FILTER_H

/*
 * Filters of libavfilter that an encode gets, and those of them that the reference of its scores
 * gets as well: croppers, transposers, deinterlacers, rates, tone mapping. What changes pictures
 * otherwise is a loss that scores are to show, unless the user has another chain for the reference.
 */

#include "common/messages.h"

#include <stdbool.h>

/* How many frames it takes to make one. */
typedef enum FilterReach {
    FILTER_EACH, /* each makes one, by itself */
    FILTER_NEAR, /* each makes `per_frame`, with its neighbours */
    FILTER_ALL,  /* anything else: frames are counted from the first one on */
} FilterReach;

typedef struct VideoFilters {
    char *encode;    /* a chain as ffmpeg takes it; NULL: there is none */
    char *reference; /* likewise */
    FilterReach reach;
    unsigned per_frame;
    bool is_unsteady; /* frames at one rate may have another or none afterwards, whatever the
                       * filters say */
} VideoFilters;

/*
 * Reads chains of the user; NULL: none. `reference` NULL: what is known of the first one. 0;
 * -EINVAL and why: they are no chains, or the reference is to be said; -ENOMEM. Free in either
 * case.
 */
int video_filters_open(VideoFilters *filters, const char *encode, const char *reference,
                       Message *why);
void video_filters_close(VideoFilters *filters);

/* What was done to the reference, for people; "" if there are no filters. */
void video_filters_explain(const VideoFilters *filters, Message *text);

#endif
