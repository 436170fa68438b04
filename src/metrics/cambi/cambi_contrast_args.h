/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_CONTRAST_ARGS_H
#define METRICS_CAMBI_CAMBI_CONTRAST_ARGS_H

#include "dialect/types.h"

/* Words of counts that a work-group can keep. */
#define CAMBI_CONTRAST_WORDS 8128

/* Where the steps of codes begin in their table; before them are weights, by step - 1. */
#define CAMBI_CONTRAST_STEPS 32

/*
 * A group makes the contrasts of a tile of out_columns x rows pixels whose codes are of one slice
 * of the band. It counts the codes of the slice and those that `reach` words of four below and
 * above it can be compared with.
 */
struct cambi_contrast_args {
    i32 w, h;
    i32 radius;      /* of the window */
    i32 columns;     /* of counts: out_columns + 2 radius */
    i32 stride;      /* from word to word of a column's counts; at least `columns` */
    i32 out_columns; /* of a tile */
    i32 rows;        /* of a tile */
    i32 words;       /* of counts of a column, four codes each; words * stride fit */
    i32 reach;       /* words below and above the slice */
    i32 at_once;     /* columns whose counts can be added in bytes */
};
KERNEL_STRUCT(cambi_contrast_args)

#endif
