/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/rows/row_writer.h"

#include "platform/file.h"
#include "tune/rows/json_document.h"
#include "tune/rows/row_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
        const Message why = *message;
        message_set(message, err, "%.200s: %.300s", path, why.text);
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
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return -ENOMEM;
    int err = row_print(row, memory);
    if (fclose(memory) && !err)
        err = -ENOMEM;
    if (!err && fwrite(text, 1, size, writer->file) != size)
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
