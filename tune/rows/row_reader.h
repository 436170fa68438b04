/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ROWS_ROW_READER_H
#define TUNE_ROWS_ROW_READER_H

/* Rows from lines and files: JSON Lines, one row on each line. */

#include "tune/rows/row.h"

typedef struct RowTable {
    Row *rows;
    size_t *lines; /* of the rows in the file, from 1 on */
    size_t n;
    bool is_torn;        /* the last line is cut off: whoever wrote it was killed */
    bool ends_in_a_line; /* the last line is complete but for its end */
    size_t whole_size;   /* bytes up to the end of the last row, and of its line */
} RowTable;

enum { ROWS_MAX_BYTES = 1 << 30 };

/*
 * A line, without or with its end. The tokens NaN, Infinity and -Infinity, which are not JSON, are
 * read as null. 0; -EINVAL with a message if it is damaged; -ENOMEM.
 */
int row_parse(Row *row, const char *line, size_t size, Message *message);

/*
 * All rows of a text. Empty lines are skipped. A last line that is cut off is no error; any other
 * line that is damaged is, and the message has its number. 0; -EINVAL; -ENOMEM. Free with
 * row_table_free, which is allowed after errors as well.
 */
int rows_parse(RowTable *table, const char *text, size_t size, Message *message);

/* The same of a file of at most ROWS_MAX_BYTES; the message begins with its path. Also the error
 * of reading it. */
int rows_load(RowTable *table, const char *path, Message *message);

void row_table_free(RowTable *table);

#endif
