/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ROWS_ROW_FILE_H
#define TUNE_ROWS_ROW_FILE_H

/*
 * Rows of a corpus in files: JSON Lines, one row on each line. They are read as a table, and
 * written one after another; cells say which of them are there already.
 */

#include "tune/rows/row.h"

#include <stdio.h>

/* -- cells -- */

/*
 * A cell of a grid of encodes: what is encoded, how, and how it is scored. It is known before
 * anything was run, so that what a file has already need not be made again.
 */
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

/* -- reading -- */

typedef struct RowTable {
    Row *rows;
    size_t n;
    bool is_torn;        /* the last line is cut off: whoever wrote it was killed */
    bool ends_in_a_line; /* the last line is complete but for its end */
    size_t whole_size;   /* bytes up to the end of the last row, and of its line */
} RowTable;

enum { ROWS_MAX_BYTES = 1 << 30 };

/*
 * All rows of a text. Empty lines are skipped. A last line that is cut off is no error; any other
 * line that is damaged is, and the message has its number. The tokens NaN, Infinity and -Infinity,
 * which are not JSON, are read as null. 0; -EINVAL; -ENOMEM. Free with row_table_free, which is
 * allowed after errors as well.
 */
int rows_parse(RowTable *table, const char *text, size_t size, Message *message);

/* The same of a file of at most ROWS_MAX_BYTES; the message begins with its path. Also the error
 * of reading it. */
int rows_load(RowTable *table, const char *path, Message *message);

void row_table_free(RowTable *table);

/* -- writing: each row in one piece, as it comes into being; whoever is killed loses one -- */

/* One line: keys sorted, UTF-8, numbers that read back to the same double, and a line feed. 0;
 * -ENOMEM; -EIO. */
int row_print(const Row *row, FILE *out);

typedef struct RowWriter {
    FILE *file;
} RowWriter;

/* Makes or empties a file. 0; negative errno with a message. */
int row_writer_create(RowWriter *writer, const char *path, Message *message);

/*
 * Goes on with a file if there is one. A torn last line is cut off: *cut tells. Cells of the rows
 * that are there are added to `cells`. 0; -EINVAL with a message if another line is damaged;
 * negative errno.
 */
int row_writer_resume(RowWriter *writer, const char *path, RowCells *cells, bool *cut,
                      Message *message);

/* Appends a row, which is in the hands of the system then. 0; -ENOMEM, -EIO. */
int row_writer_add(RowWriter *writer, const Row *row);

/* 0; -EIO if something could not be written. NULL file allowed. */
int row_writer_close(RowWriter *writer);

#endif
