/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_REPORTS_INTERNAL_H
#define CLI_REPORTS_INTERNAL_H

#include "common/html/page.h"
#include "reports/reports.h"

#include <stdint.h>

/* Writers; see OutputKind. */
int live_report_write(const Output *output, const struct Run *const runs[], unsigned n);
int html_report_write(const Output *output, const struct Run *const runs[], unsigned n);

/* Decides which scores of a feature are worse, low or high ones, by the name that it has in
 * reports. */
HtmlSense score_sense(const char *name);

/* -- the worst frames -- */

/*
 * Small pictures of the worst frames of a run. The score of a frame is known some frames later;
 * until then a reference keeps its pictures. Of each piece of the video only the worst frame
 * becomes small pictures, so that they cost little, and that frames which are close together do
 * not push out all others. For one thread.
 */
typedef struct WorstFramesConfig {
    unsigned wanted;  /* frames that are asked for in the end */
    unsigned piece;   /* frames of a piece; frames nearer than half of it do not stand together */
    unsigned held;    /* pairs of pictures that are kept for their scores */
    unsigned longest; /* side of the small pictures */
    bool high_is_bad;
    /* The score of a frame, which may be waited for if the frame is in work. 0; negative errno. */
    int (*score)(void *cookie, unsigned frame, double *score);
    void *cookie;
} WorstFramesConfig;

/* 0; -ENOMEM. */
int worst_frames_create(WorstFrames **worst, const WorstFramesConfig *config);

/* A pair that is about to be scored; frames ascend. Pictures that cannot be looked at are passed
 * over. NULL is allowed. */
void worst_frames_add(WorstFrames *worst, const VmafPicture *reference,
                      const VmafPicture *distorted, unsigned frame);

/* The worst frames, worst first; `frames` has room for those that were wanted. Their pictures
 * belong to `worst`, which may be NULL. Returns their number. */
unsigned worst_frames_get(const WorstFrames *worst, HtmlFrame *frames);

/* -- pictures made small, as rows of RGB: limited range, BT.709 -- */

enum { DIFFERENCE_GAIN = 8 };

typedef struct ThumbnailSize {
    unsigned width, height;
} ThumbnailSize;

/* The thumbnail's size for pictures of this size: neither side is longer than `longest`, or than it
 * was. */
ThumbnailSize thumbnail_size(unsigned width, unsigned height, unsigned longest);

/* Means of areas. Without chroma the picture is grey. 0; -ENOMEM. */
int thumbnail_make(uint8_t *rgb, ThumbnailSize size, const VmafPicture *picture);

/* Mean difference of luma in each area, DIFFERENCE_GAIN times as large, from black to white through
 * red and yellow. Both pictures have one size and depth. 0; -ENOMEM. */
int thumbnail_of_difference(uint8_t *rgb, ThumbnailSize size, const VmafPicture *reference,
                            const VmafPicture *distorted);

#endif
