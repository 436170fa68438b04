/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_ROW_FILE_H
#define TUNE_MEASURE_ROW_FILE_H

/*
 * Rows of a corpus in files: JSON Lines, one row on each line. They are read as a table, and
 * written one after another, each in one piece as it comes into being; whoever is killed loses one.
 */

#include "tune/measure/row.h"

#include <stdio.h>

typedef struct RowTable {
    Row *rows;
    size_t n;
    bool is_torn;        /* the last line is cut off: whoever wrote it was killed */
    bool ends_in_a_line; /* the last line is complete but for its end */
    size_t whole_size;   /* bytes up to the end of the last row, and of its line */
} RowTable;

/* Appends a row, which it takes, also after errors. 0; -ENOMEM. */
int row_table_add(RowTable *table, Row *row);
void row_table_free(RowTable *table);

enum { ROWS_MAX_BYTES = 1 << 30 };

/*
 * All rows of a text, which a zero byte ends as well. Empty lines are skipped. A last line that is
 * cut off is no error; any other line that is damaged is, and the message has its number. The
 * tokens NaN, Infinity and -Infinity, which are not JSON, are read as null. 0; -EINVAL; -ENOMEM.
 * Free with row_table_free, which is allowed after errors as well.
 */
int rows_parse(RowTable *table, const char *text, size_t size, Message *message);

/* The same of a file of at most ROWS_MAX_BYTES, whose path the message begins with. */
int rows_load(RowTable *table, const char *path, Message *message);

/*
 * Opens a file for rows; `table`: what was read of it, and what comes is appended to, without the
 * torn last line; NULL: it begins anew. It stays the same file, which may be locked; whoever is
 * killed meanwhile leaves whole lines. NULL with a message.
 */
FILE *rows_open(const char *path, const RowTable *table, Message *message);

/* Writes a row, which is in the hands of the system then, as one line: keys sorted, UTF-8, numbers
 * that read back to the same double, and a line feed. 0; -ENOMEM; -EIO. */
int row_write(const Row *row, FILE *out);

#endif
