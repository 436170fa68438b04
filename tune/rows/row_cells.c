/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/rows/row_cells.h"

#include "platform/text.h"
#include "tune/engine/cache_key.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is missing and what is empty is the same to a cell. */
static KeyField text_field(const char *name, const char *text)
{
    return (KeyField){.name = name, .kind = KEY_TEXT, .text = text ? text : ""};
}

static KeyField integer_field(const char *name, int64_t integer)
{
    return (KeyField){.name = name, .kind = KEY_INTEGER, .integer = integer};
}

static KeyField list_field(const char *name, char *const *texts, size_t n)
{
    return (KeyField){.name = name, .kind = KEY_LIST, .list = (const char *const *)texts, .n = n};
}

int row_cell_key(const Row *row, char key[ROW_CELL_KEY_SIZE])
{
    VmafCLocaleScope locale;
    char rate[40];
    const bool is_hashed = row->src_sha256 && *row->src_sha256;
    const int err = vmaf_c_locale_enter(&locale);
    snprintf(rate, sizeof(rate), "%.17g", row->framerate);
    vmaf_c_locale_leave(&locale);
    if (err)
        return err;
    const KeyField fields[] = {
        text_field("src", is_hashed ? "" : row->src),
        text_field("src_sha256", row->src_sha256),
        integer_field("stream", row->stream),
        integer_field("start_number", row->start_number),
        text_field("errors", row->errors),
        integer_field("width", row->width),
        integer_field("height", row->height),
        text_field("pix_fmt", row->pix_fmt),
        text_field("framerate", rate),
        text_field("encoder", row->encoder),
        text_field("preset", row->preset),
        integer_field("crf", row->crf),
        list_field("extra_params", row->extra_params, row->n_extra_params),
        text_field("rate_control", row->rate_control),
        text_field("clip_mode", row->clip_mode),
        text_field("hdr_transfer", row->hdr_transfer),
        text_field("vmaf_model", row->vmaf_model),
        text_field("pool", row->pool),
        integer_field("adapter_version", row->adapter_version),
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
