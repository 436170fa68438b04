/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/rows/row_reader.h"

#include "platform/file.h"
#include "tune/rows/json_document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* *is_json: it can be read, but may be no row. */
static int parse(Row *row, const char *line, size_t size, bool *is_json, Message *message)
{
    int err;
    row_init(row);
    json_t *json = json_document_parse(line, size, message, &err);
    *is_json = json != NULL;
    if (err)
        return err;
    err = row_from_json(row, json, message);
    json_decref(json);
    return err;
}

int row_parse(Row *row, const char *line, size_t size, Message *message)
{
    bool is_json;
    return parse(row, line, size, &is_json, message);
}

static int add(RowTable *table, size_t *capacity, const Row *row, size_t line)
{
    if (table->n == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 64;
        Row *rows = realloc(table->rows, *capacity * sizeof(*rows));
        if (rows)
            table->rows = rows;
        size_t *lines = realloc(table->lines, *capacity * sizeof(*lines));
        if (lines)
            table->lines = lines;
        if (!rows || !lines)
            return -ENOMEM;
    }
    table->rows[table->n] = *row;
    table->lines[table->n++] = line;
    return 0;
}

static bool is_blank(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!strchr(" \t\r\n", text[i]) || !text[i])
            return false;
    return true;
}

/* Where it is damaged is one line: its number in the file, not that within it. */
static int say_line(Message *message, int err, size_t line)
{
    if (err == -ENOMEM)
        return message_set(message, err, "out of memory");
    Message why = *message;
    const char *text = strncmp(why.text, "line 1: ", 8) ? why.text : why.text + 8;
    return message_set(message, err, "line %zu: %.450s", line, text);
}

/* *is_json as above. */
static int take_line(RowTable *table, size_t *capacity, const char *text, size_t size, size_t line,
                     bool *is_json, Message *message)
{
    Row row;
    int err = parse(&row, text, size, is_json, message);
    if (!err) {
        err = add(table, capacity, &row, line);
        if (err)
            row_free(&row);
    }
    return err ? say_line(message, err, line) : 0;
}

/* Programs of other systems put it at the beginning of texts. */
static size_t byte_order_mark(const char *text, size_t size)
{
    return size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

int rows_parse(RowTable *table, const char *text, size_t size, Message *message)
{
    size_t capacity = 0, line = 1;
    const size_t begin = byte_order_mark(text, size);
    *table = (RowTable){.whole_size = begin};
    for (size_t at = begin; at < size; line++) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - text) - at : size - at;
        if (!is_blank(text + at, length)) {
            bool is_json;
            const int err = take_line(table, &capacity, text + at, length, line, &is_json, message);
            table->is_torn = err == -EINVAL && !end && !is_json;
            table->ends_in_a_line = !err && !end;
            if (err && !table->is_torn)
                return err;
        }
        at += length + (end != NULL);
        if (!table->is_torn)
            table->whole_size = at;
    }
    return 0;
}

int rows_load(RowTable *table, const char *path, Message *message)
{
    char *text;
    size_t size;
    *table = (RowTable){0};
    int err = vmaf_file_load(path, ROWS_MAX_BYTES, &text, &size);
    if (err)
        return message_set(message, err, "%.300s: %s", path, strerror(-err));
    err = rows_parse(table, text, size, message);
    free(text);
    if (err) {
        const Message why = *message;
        message_set(message, err, "%.200s: %.300s", path, why.text);
    }
    return err;
}

void row_table_free(RowTable *table)
{
    for (size_t i = 0; i < table->n; i++)
        row_free(&table->rows[i]);
    free(table->rows);
    free(table->lines);
    *table = (RowTable){0};
}
