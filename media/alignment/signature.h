/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_ALIGNMENT_SIGNATURE_H
#define MEDIA_ALIGNMENT_SIGNATURE_H

/* What frames look like from afar, and by how many frames one video is later than another. */

#include "libvmaf/picture.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIGNATURE_COLUMNS = 32, SIGNATURE_ROWS = 18 };

/*
 * What a frame looks like from afar: mean luma of blocks, in 1/256 of a level of 8 bits whatever
 * the depth, so that frames of different sizes and depths can be compared. The means are those of
 * a few rows of each block.
 */
typedef struct Signature {
    uint16_t mean[SIGNATURE_ROWS * SIGNATURE_COLUMNS];
} Signature;

/* Takes the signature of any picture with luma. Reads one row of thirty at 1080. */
void signature_take(const VmafPicture *picture, Signature *signature);

/* The rows that a signature reads of a picture: at `data` is the whole of it, or these rows, one
 * after the other. */
typedef struct SignatureRows {
    unsigned width, height; /* of the picture */
    unsigned bpc;
    const void *data;
    size_t row_bytes;
} SignatureRows;

/* The number of rows that are read of a picture, and the place of row number `n` of them. Rows
 * whose numbers differ by `period` are equally far apart. */
unsigned signature_row_count(unsigned height);
unsigned signature_row(unsigned height, unsigned n);
unsigned signature_row_period(unsigned height);
/* `stride` is 0 where `data` has no other rows. */
void signature_take_rows(const SignatureRows *rows, ptrdiff_t stride, Signature *signature);

enum {
    ALIGNMENT_REACH = 12,  /* offsets that are looked at, in frames */
    ALIGNMENT_WINDOW = 60, /* frames that are judged together */
    ALIGNMENT_LEAST = 24,  /* frames that have to overlap for a judgement */
    ALIGNMENT_AHEAD = ALIGNMENT_WINDOW + ALIGNMENT_REACH + 1, /* frames that a window needs */
};

/* Signatures of a video from frame 0 on, of which the last are kept. */
typedef struct SignatureTrack {
    Signature *ring; /* of `room` signatures */
    unsigned room;
    unsigned long long begin, end; /* frames whose signatures are there */
} SignatureTrack;

static inline const Signature *track_at(const SignatureTrack *track, unsigned long long frame)
{
    return &track->ring[frame % track->room];
}

/* What a window says of the distorted video. */
typedef struct WindowVerdict {
    bool certain; /* else there is not enough change, or no offset that fits */
    int offset;   /* frames that the distorted video is late; negative: early */
} WindowVerdict;

/*
 * Judges frames begin to end of the reference against those of the distorted video that are there.
 * Not certain unless the pictures change enough for the offset to show, and the offset explains
 * them far better than none.
 */
WindowVerdict window_judge(const SignatureTrack *reference, const SignatureTrack *distorted,
                           unsigned long long begin, unsigned long long end);

/*
 * The distorted video is `before` frames late at `begin`, and `after` frames late at `end`: the
 * frame of the reference from which on the second holds.
 */
unsigned long long window_change(const SignatureTrack *reference, const SignatureTrack *distorted,
                                 unsigned long long begin, unsigned long long end, int before,
                                 int after);

/* Mean distance of two signatures, in 1/256 of a level of 8 bits. */
double signature_distance(const Signature *a, const Signature *b);

#endif
