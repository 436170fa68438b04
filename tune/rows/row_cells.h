/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ROWS_ROW_CELLS_H
#define TUNE_ROWS_ROW_CELLS_H

/*
 * A cell of a grid of encodes: what is encoded, how, and how it is scored. It is known before
 * anything was run, so that what a file has already need not be made again.
 */

#include "tune/rows/row.h"

enum { ROW_CELL_KEY_SIZE = 65 };

/*
 * The name of a row's cell, hexadecimal: a hash of the source (its content, or its path if nobody
 * looked), its geometry, the encoder, preset and quality, all further arguments, rate control, part
 * of the video, model, pooling, and versions of adapter and FFmpeg. Times, sizes, scores and paths
 * of encodes are no part of it. 0; -ENOMEM.
 */
int row_cell_key(const Row *row, char key[ROW_CELL_KEY_SIZE]);

/* Cells; initialise with {0}. */
typedef struct RowCells {
    char (*keys)[ROW_CELL_KEY_SIZE];
    size_t n, capacity;
} RowCells;

/* The cell of a row, unless that one failed: it is to be tried again. 0; -ENOMEM. */
int row_cells_add(RowCells *cells, const Row *row);

/* 1 if the cell of the row is among them, 0 if it is not; -ENOMEM. */
int row_cells_have(const RowCells *cells, const Row *row);

void row_cells_free(RowCells *cells);

#endif
