/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_WORST_FRAMES_H
#define CLI_WORST_FRAMES_H

#include "common/html/page.h"

#include "libvmaf/libvmaf.h"

/*
 * Small pictures of the worst frames of a run. The score of a frame is known some frames later;
 * until then a reference keeps its pictures. Of each piece of the video only the worst frame
 * becomes small pictures, so that they cost little, and that frames which are close together do
 * not push out all others. For one thread.
 */
typedef struct WorstFrames WorstFrames;

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

/* Pairs of pictures that it may keep at a time. NULL is allowed. */
unsigned worst_frames_capacity(const WorstFrames *worst);

/* A pair that is about to be scored; frames ascend. Pictures that cannot be looked at are passed
 * over. NULL is allowed. */
void worst_frames_add(WorstFrames *worst, const VmafPicture *reference,
                      const VmafPicture *distorted, unsigned frame);

/* All scores are known. NULL is allowed. */
void worst_frames_finish(WorstFrames *worst);

/* The worst frames, worst first; `frames` has room for those that were wanted. Their pictures
 * belong to `worst`, which may be NULL. Returns their number. */
unsigned worst_frames_get(const WorstFrames *worst, HtmlFrame *frames);

/* Releases all pictures. NULL is allowed. */
void worst_frames_destroy(WorstFrames *worst);

#endif
