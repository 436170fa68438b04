/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/rows/row_file.h"

#include "common/json.h"
#include "platform/file.h"
#include "platform/text.h"
#include "tune/engine/cache_key.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- cells -- */

/* What is missing and what is empty is the same to a cell. */
static KeyField text_field(const char *name, const char *text)
{
    return key_text(name, text ? text : "");
}

int row_cell_key(const Row *row, char key[ROW_CELL_KEY_SIZE])
{
    VmafCLocaleScope locale;
    char rate[40], crf[40];
    const bool is_hashed = row->src_sha256 && *row->src_sha256;
    const int err = vmaf_c_locale_enter(&locale);
    snprintf(rate, sizeof(rate), "%.17g", row->framerate);
    snprintf(crf, sizeof(crf), "%.15g", row->crf);
    vmaf_c_locale_leave(&locale);
    if (err)
        return err;
    const KeyField fields[] = {
        text_field("src", is_hashed ? "" : row->src),
        text_field("src_sha256", row->src_sha256),
        key_integer("stream", row->stream),
        key_integer("start_number", row->start_number),
        text_field("errors", row->errors),
        key_integer("width", row->width),
        key_integer("height", row->height),
        text_field("pix_fmt", row->pix_fmt),
        text_field("framerate", rate),
        text_field("encoder", row->encoder),
        text_field("preset", row->preset),
        text_field("crf", crf),
        key_list("extra_params", (const char *const *)row->extra_params, row->n_extra_params),
        text_field("rate_control", row->rate_control),
        text_field("clip_mode", row->clip_mode),
        text_field("hdr_transfer", row->hdr_transfer),
        text_field("vmaf_model", row->vmaf_model),
        text_field("pool", row->pool),
        key_integer("adapter_version", row->adapter_version),
        text_field("ffmpeg_version", row->ffmpeg_version),
    };
    return key_of_fields(fields, sizeof(fields) / sizeof(fields[0]), key);
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(a, b);
}

int row_cells_add(RowCells *cells, const Row *row)
{
    if (!row_is_usable(row))
        return 0;
    if (cells->n == cells->capacity) {
        const size_t capacity = cells->capacity ? 2 * cells->capacity : 64;
        void *more = realloc(cells->keys, capacity * sizeof(*cells->keys));
        if (!more)
            return -ENOMEM;
        cells->keys = more;
        cells->capacity = capacity;
    }
    char key[ROW_CELL_KEY_SIZE];
    const int err = row_cell_key(row, key);
    if (err)
        return err;
    size_t at = cells->n;
    for (; at && compare_keys(cells->keys[at - 1], key) > 0; at--)
        memcpy(cells->keys[at], cells->keys[at - 1], sizeof(key));
    memcpy(cells->keys[at], key, sizeof(key));
    cells->n++;
    return 0;
}

int row_cells_have(const RowCells *cells, const Row *row)
{
    char key[ROW_CELL_KEY_SIZE];
    const int err = row_cell_key(row, key);
    if (err || !cells->n)
        return err;
    return bsearch(key, cells->keys, cells->n, sizeof(*cells->keys), compare_keys) != NULL;
}

void row_cells_free(RowCells *cells)
{
    free(cells->keys);
    *cells = (RowCells){0};
}

/* -- reading -- */

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

static int add(RowTable *table, const Row *row)
{
    /* The room is the power of two that holds all rows. */
    if ((table->n & (table->n - 1)) == 0) {
        Row *rows = realloc(table->rows, (table->n ? 2 * table->n : 1) * sizeof(*rows));
        if (!rows)
            return -ENOMEM;
        table->rows = rows;
    }
    table->rows[table->n++] = *row;
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
static int take_line(RowTable *table, const char *text, size_t size, size_t line, bool *is_json,
                     Message *message)
{
    Row row;
    int err = parse(&row, text, size, is_json, message);
    if (!err) {
        err = add(table, &row);
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
    size_t line = 1;
    const size_t begin = byte_order_mark(text, size);
    *table = (RowTable){.whole_size = begin};
    for (size_t at = begin; at < size; line++) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - text) - at : size - at;
        if (!is_blank(text + at, length)) {
            bool is_json;
            const int err = take_line(table, text + at, length, line, &is_json, message);
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
    return err ? message_about_file(message, err, path) : 0;
}

void row_table_free(RowTable *table)
{
    for (size_t i = 0; i < table->n; i++)
        row_free(&table->rows[i]);
    free(table->rows);
    *table = (RowTable){0};
}

/* -- writing -- */

int row_print(const Row *row, FILE *out)
{
    json_t *json = row_to_json(row);
    if (!json)
        return -ENOMEM;
    const int err = json_document_print(json, 0, out);
    json_decref(json);
    if (err)
        return err;
    fputc('\n', out);
    return ferror(out) ? -EIO : 0;
}

static int cannot(Message *message, int err, const char *path)
{
    return message_set(message, err, "%.300s: %s", path, strerror(-err));
}

static int open_file(RowWriter *writer, const char *path, const char *mode, Message *message)
{
    writer->file = fopen(path, mode);
    if (!writer->file)
        return cannot(message, errno ? -errno : -EIO, path);
    /* A line is written at once, or not at all. */
    setvbuf(writer->file, NULL, _IONBF, 0);
    return 0;
}

int row_writer_create(RowWriter *writer, const char *path, Message *message)
{
    return open_file(writer, path, "wb", message);
}

/* The file with its first `size` bytes only, and with the end of the last line if that is missing.
 * It stays the same file, which may be locked; whoever is killed meanwhile leaves whole lines. */
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

static int add_cells(RowCells *cells, const RowTable *table)
{
    for (size_t i = 0; i < table->n; i++)
        if (row_cells_add(cells, &table->rows[i]))
            return -ENOMEM;
    return 0;
}

static int take_over(const char *path, const char *text, size_t size, RowCells *cells, bool *cut,
                     Message *message)
{
    RowTable table;
    int err = rows_parse(&table, text, size, message);
    if (err) {
        message_about_file(message, err, path);
    } else if (add_cells(cells, &table)) {
        err = cannot(message, -ENOMEM, path);
    } else if (table.is_torn || table.ends_in_a_line) {
        *cut = table.is_torn;
        err = mend(path, table.whole_size, table.ends_in_a_line);
        if (err)
            cannot(message, err, path);
    }
    row_table_free(&table);
    return err;
}

int row_writer_resume(RowWriter *writer, const char *path, RowCells *cells, bool *cut,
                      Message *message)
{
    char *text;
    size_t size;
    *writer = (RowWriter){0};
    *cut = false;
    int err = vmaf_file_load(path, ROWS_MAX_BYTES, &text, &size);
    if (err == -ENOENT)
        return row_writer_create(writer, path, message);
    if (err)
        return cannot(message, err, path);
    err = take_over(path, text, size, cells, cut, message);
    free(text);
    return err ? err : open_file(writer, path, "ab", message);
}

int row_writer_add(RowWriter *writer, const Row *row)
{
    TextBuffer buffer;
    if (!text_begin(&buffer))
        return -ENOMEM;
    int err = row_print(row, buffer.out);
    char *text = text_end(&buffer, err);
    if (!text && !err)
        err = -ENOMEM;
    if (!err && fwrite(text, 1, buffer.size, writer->file) != buffer.size)
        err = -EIO;
    free(text);
    return err;
}

int row_writer_close(RowWriter *writer)
{
    FILE *file = writer->file;
    writer->file = NULL;
    return file && fclose(file) ? -EIO : 0;
}
