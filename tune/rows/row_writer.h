/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ROWS_ROW_WRITER_H
#define TUNE_ROWS_ROW_WRITER_H

/* Rows are written as they come into being, each in one piece: whoever is killed loses one. */

#include "tune/rows/row.h"
#include "tune/rows/row_cells.h"

#include <stdio.h>

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
