/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_ALIGNMENT_SIGNATURE_H
#define MEDIA_ALIGNMENT_SIGNATURE_H

#include "libvmaf/picture.h"

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

/* The rows that a signature reads, one after the other, of a picture that is elsewhere. */
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
void signature_take_rows(const SignatureRows *rows, Signature *signature);

#endif
