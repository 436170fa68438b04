/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "worst_frames.h"

#include "thumbnail.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A frame and its pictures; frame and score alone say nothing without `is_full`. */
typedef struct Held {
    bool is_full;
    unsigned frame;
    double score;
    VmafPicture reference, distorted;
} Held;

/* The worst frame of a piece, in small. */
typedef struct Kept {
    unsigned frame;
    double score;
    ThumbnailSize size;
    uint8_t *pictures; /* three: reference, distorted, difference */
} Kept;

struct WorstFrames {
    WorstFramesConfig config;
    unsigned first, n_held; /* in the ring of config.held entries, oldest first */
    Held *held;
    Held worst;    /* of the present piece */
    unsigned room; /* enough that frames of neighbouring pieces can be left out in the end */
    unsigned n_kept;
    Kept *kept; /* worst first */
};

int worst_frames_create(WorstFrames **worst, const WorstFramesConfig *config)
{
    WorstFrames *made = calloc(1, sizeof(*made));
    *worst = NULL;
    if (!made)
        return -ENOMEM;
    made->config = *config;
    /* A frame that is shown can leave out one of the piece before its own and one of the next. */
    made->room = 3 * config->wanted;
    made->held = calloc(config->held, sizeof(*made->held));
    made->kept = calloc(made->room, sizeof(*made->kept));
    if (!made->held || !made->kept) {
        worst_frames_destroy(made);
        return -ENOMEM;
    }
    *worst = made;
    return 0;
}

unsigned worst_frames_capacity(const WorstFrames *worst)
{
    return worst ? worst->config.held + 1 : 0;
}

static void release(Held *held)
{
    if (!held->is_full)
        return;
    vmaf_picture_unref(&held->reference);
    vmaf_picture_unref(&held->distorted);
    held->is_full = false;
}

static bool is_worse(const WorstFrames *worst, double score, double than)
{
    return worst->config.high_is_bad ? score > than : score < than;
}

/* -- pieces -- */

static int make_pictures(const WorstFrames *worst, Kept *kept, const Held *held)
{
    kept->size = thumbnail_size(held->reference.w[0], held->reference.h[0], worst->config.longest);
    const size_t bytes = (size_t)kept->size.width * kept->size.height * 3;
    kept->pictures = malloc(3 * bytes);
    if (!kept->pictures)
        return -ENOMEM;
    int err = thumbnail_make(kept->pictures, kept->size, &held->reference);
    if (!err)
        err = thumbnail_make(kept->pictures + bytes, kept->size, &held->distorted);
    if (err)
        return err;
    return thumbnail_of_difference(kept->pictures + 2 * bytes, kept->size, &held->reference,
                                   &held->distorted);
}

/* The frame is among the worst so far: it takes its place. */
static void keep(WorstFrames *worst, const Held *held)
{
    unsigned place = worst->n_kept;
    while (place && is_worse(worst, held->score, worst->kept[place - 1].score))
        place--;
    if (place == worst->room)
        return;
    Kept kept = {.frame = held->frame, .score = held->score};
    if (make_pictures(worst, &kept, held)) {
        free(kept.pictures);
        return;
    }
    if (worst->n_kept == worst->room)
        free(worst->kept[--worst->n_kept].pictures);
    memmove(&worst->kept[place + 1], &worst->kept[place],
            (worst->n_kept - place) * sizeof(*worst->kept));
    worst->kept[place] = kept;
    worst->n_kept++;
}

static void end_piece(WorstFrames *worst)
{
    if (worst->worst.is_full)
        keep(worst, &worst->worst);
    release(&worst->worst);
}

/* -- frames -- */

/* Finds out what became of the oldest frame. */
static void settle(WorstFrames *worst)
{
    Held held = worst->held[worst->first];
    const unsigned piece = worst->config.piece;
    worst->held[worst->first].is_full = false;
    worst->first = (worst->first + 1) % worst->config.held;
    worst->n_held--;
    if (worst->worst.is_full && held.frame / piece != worst->worst.frame / piece)
        end_piece(worst);
    const bool is_known = !worst->config.score(worst->config.cookie, held.frame, &held.score);
    if (is_known && !isnan(held.score) &&
        (!worst->worst.is_full || is_worse(worst, held.score, worst->worst.score))) {
        release(&worst->worst);
        worst->worst = held;
    } else {
        release(&held);
    }
}

void worst_frames_add(WorstFrames *worst, const VmafPicture *reference,
                      const VmafPicture *distorted, unsigned frame)
{
    Held held = {.is_full = true, .frame = frame};
    if (!worst)
        return;
    if (worst->n_held == worst->config.held)
        settle(worst);
    if (vmaf_picture_share(&held.reference, reference))
        return;
    if (vmaf_picture_share(&held.distorted, distorted)) {
        vmaf_picture_unref(&held.reference);
        return;
    }
    worst->held[(worst->first + worst->n_held++) % worst->config.held] = held;
}

void worst_frames_finish(WorstFrames *worst)
{
    while (worst && worst->n_held)
        settle(worst);
    if (worst)
        end_piece(worst);
}

/* -- results -- */

static bool is_near(const WorstFrames *worst, const HtmlFrame *frames, unsigned n, unsigned frame)
{
    for (unsigned i = 0; i < n; i++) {
        const unsigned distance =
            frame > frames[i].frame ? frame - frames[i].frame : frames[i].frame - frame;
        if (2 * distance < worst->config.piece)
            return true;
    }
    return false;
}

static HtmlImage image_of(const Kept *kept, unsigned index)
{
    const size_t bytes = (size_t)kept->size.width * kept->size.height * 3;
    return (HtmlImage){kept->size.width, kept->size.height, kept->pictures + index * bytes};
}

unsigned worst_frames_get(const WorstFrames *worst, HtmlFrame *frames)
{
    unsigned n = 0;
    for (unsigned i = 0; worst && i < worst->n_kept && n < worst->config.wanted; i++) {
        const Kept *kept = &worst->kept[i];
        if (is_near(worst, frames, n, kept->frame))
            continue;
        frames[n++] = (HtmlFrame){.frame = kept->frame,
                                  .score = kept->score,
                                  .reference = image_of(kept, 0),
                                  .distorted = image_of(kept, 1),
                                  .difference = image_of(kept, 2)};
    }
    return n;
}

void worst_frames_destroy(WorstFrames *worst)
{
    if (!worst)
        return;
    for (; worst->n_held; worst->n_held--) {
        release(&worst->held[worst->first]);
        worst->first = (worst->first + 1) % worst->config.held;
    }
    release(&worst->worst);
    for (unsigned i = 0; i < worst->n_kept; i++)
        free(worst->kept[i].pictures);
    free(worst->held);
    free(worst->kept);
    free(worst);
}
