/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/row_file.h"

#include "common/json.h"
#include "platform/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* -- reading -- */

int row_table_add(RowTable *table, Row *row)
{
    /* The room is the power of two that holds all rows. */
    if ((table->n & (table->n - 1)) == 0) {
        Row *rows = realloc(table->rows, (table->n ? 2 * table->n : 1) * sizeof(*rows));
        if (!rows) {
            row_free(row);
            return -ENOMEM;
        }
        table->rows = rows;
    }
    table->rows[table->n++] = *row;
    return 0;
}

void row_table_free(RowTable *table)
{
    for (size_t i = 0; i < table->n; i++)
        row_free(&table->rows[i]);
    free(table->rows);
    *table = (RowTable){0};
}

/* *is_json: it can be read, but may be no row. */
static int take_line(RowTable *table, const char *text, size_t size, bool *is_json,
                     Message *message)
{
    Row row;
    int err;
    json_t *json = json_document_parse(text, size, message, &err);
    *is_json = json != NULL;
    if (!json)
        return err;
    err = row_from_json(&row, json, message);
    if (!err)
        return row_table_add(table, &row);
    row_free(&row);
    return err;
}

/* Where it is damaged is one line: its number in the file, not that within it. */
static int fail_at(size_t line, int err, Message *message)
{
    if (err == -ENOMEM)
        return message_set(message, err, "out of memory");
    const Message why = *message;
    const char *text = strncmp(why.text, "line 1: ", 8) ? why.text : why.text + 8;
    return message_set(message, err, "line %zu: %.450s", line, text);
}

static bool is_blank(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!strchr(" \t\r", text[i]) || !text[i])
            return false;
    return true;
}

/* Programs of other systems put it at the beginning of texts. */
static size_t byte_order_mark(const char *text, size_t size)
{
    return size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

int rows_parse(RowTable *table, const char *text, size_t size, Message *message)
{
    const size_t begin = byte_order_mark(text, size);
    size_t line = 1;
    *table = (RowTable){.whole_size = begin};
    for (size_t at = begin; at < size; line++) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - text) - at : size - at;
        if (!is_blank(text + at, length)) {
            bool is_json;
            const int err = take_line(table, text + at, length, &is_json, message);
            table->is_torn = err == -EINVAL && !end && !is_json;
            table->ends_in_a_line = !err && !end;
            if (err && !table->is_torn)
                return fail_at(line, err, message);
        }
        at += length + (end != NULL);
        if (!table->is_torn)
            table->whole_size = at;
    }
    return 0;
}

static int cannot(Message *message, int err, const char *path)
{
    return message_set(message, err, "%.300s: %s", path, strerror(-err));
}

int rows_load(RowTable *table, const char *path, Message *message)
{
    char *text;
    size_t size;
    *table = (RowTable){0};
    int err = vmaf_file_load(path, ROWS_MAX_BYTES, &text, &size);
    if (err)
        return cannot(message, err, path);
    err = rows_parse(table, text, size, message);
    free(text);
    return err ? message_about_file(message, err, path) : 0;
}

/* -- writing -- */

/* The file with its first `size` bytes only, and with the end of the last line if that is missing.
 */
static int mend(const char *path, size_t size, bool ends_in_a_line)
{
    VmafFile file;
    int err = vmaf_file_open_to_append(&file, path, (int64_t)size);
    if (err)
        return err;
    if (ends_in_a_line)
        err = vmaf_file_write_at(&file, "\n", 1, (int64_t)size);
    vmaf_file_close(&file);
    return err;
}

FILE *rows_open(const char *path, const RowTable *table, Message *message)
{
    int err = 0;
    if (table && (table->is_torn || table->ends_in_a_line))
        err = mend(path, table->whole_size, table->ends_in_a_line);
    FILE *file = err ? NULL : fopen(path, table ? "ab" : "wb");
    if (file)
        setvbuf(file, NULL, _IONBF, 0); /* a line is written at once, or not at all */
    else
        cannot(message, err ? err : -errno, path);
    return file;
}

int row_write(const Row *row, FILE *out)
{
    TextBuffer buffer;
    if (!text_begin(&buffer))
        return -ENOMEM;
    int err = json_document_print(row->json, 0, buffer.out);
    fputc('\n', buffer.out);
    char *text = text_end(&buffer, err);
    if (!text && !err)
        err = -ENOMEM;
    if (!err && (fwrite(text, 1, buffer.size, out) != buffer.size || fflush(out)))
        err = -EIO;
    free(text);
    return err;
}
