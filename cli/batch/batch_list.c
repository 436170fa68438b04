/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "batch/batch_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { READ_SIZE = 1 << 16, BUFFER_SIZE = BATCH_LINE_MAX + READ_SIZE };

int batch_list_open(BatchList *list, const char *path)
{
    *list = (BatchList){.buffer = malloc(BUFFER_SIZE)};
    const int err = vmaf_input_open(&list->input, strcmp(path, "-") ? path : NULL);
    list->position = list->input.begin;
    return !err && !list->buffer ? -ENOMEM : err;
}

void batch_list_close(BatchList *list)
{
    vmaf_input_close(&list->input);
    free(list->buffer);
    list->buffer = NULL;
}

static int read_more(BatchList *list)
{
    size_t got;
    memmove(list->buffer, list->buffer + list->begin, list->end - list->begin);
    list->looked -= list->begin;
    list->end -= list->begin;
    list->begin = 0;
    const int err =
        vmaf_input_read(&list->input, list->buffer + list->end, READ_SIZE, list->position, &got);
    if (err)
        return err;
    list->position += (int64_t)got;
    list->end += got;
    list->ended = !got;
    return 0;
}

/* Where the first line ends, after reading more if need be; NULL: nowhere yet. */
static char *find_end(BatchList *list)
{
    char *end = memchr(list->buffer + list->looked, '\n', list->end - list->looked);
    list->looked = list->end;
    return end ? end : list->ended ? list->buffer + list->end : NULL;
}

/* A line, blank or not. As batch_list_next. */
static int next_line(BatchList *list, const char **text, size_t *length)
{
    bool is_long = false;
    char *end;
    while (!(end = find_end(list))) {
        if (list->end - list->begin > BATCH_LINE_MAX) {
            is_long = true;
            list->begin = list->end;
        }
        const int err = read_more(list);
        if (err)
            return err;
    }
    const size_t at = (size_t)(end - list->buffer);
    *text = list->buffer + list->begin;
    *length = at - list->begin;
    if (list->ended && at == list->end && !*length && !is_long)
        return 0;
    list->line++;
    list->begin = list->looked = at < list->end ? at + 1 : at;
    return is_long || *length > BATCH_LINE_MAX ? -EMSGSIZE : 1;
}

static bool is_blank(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && strchr(" \t\r", text[i]) && text[i])
        i++;
    return i == length;
}

int batch_list_next(BatchList *list, const char **text, size_t *length)
{
    int status;
    do {
        status = next_line(list, text, length);
    } while (status > 0 && is_blank(*text, *length));
    return status;
}

void batch_list_interrupt(const BatchList *list)
{
    vmaf_input_interrupt(&list->input);
}
