/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ROWS_ROW_FIELDS_H
#define TUNE_ROWS_ROW_FIELDS_H

/* The keys of rows that are plain values. */

#include "tune/rows/row.h"

typedef enum FieldKind { FIELD_TEXT, FIELD_INTEGER, FIELD_NUMBER, FIELD_FLAG } FieldKind;

typedef struct RowField {
    const char *key;
    const char *aliases[2]; /* of other programs; NULL: no more */
    FieldKind kind;
    int since; /* the schema that has it first; 0: written only if it is there */
    size_t offset;
} RowField;

extern const RowField row_fields[];
extern const size_t n_row_fields;

static inline void *row_member(Row *row, const RowField *field)
{
    return (char *)row + field->offset;
}

static inline const void *row_value(const Row *row, const RowField *field)
{
    return (const char *)row + field->offset;
}

/* NULL: there is none of that key. Aliases do not count. */
const RowField *row_field(const char *key);

#endif
