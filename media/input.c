/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/input.h"

#include <errno.h>
#include <string.h>

enum { DISCARD_SIZE = 65536 };

static int64_t current_size(const Input *input)
{
    VmafFileStatus status;
    return vmaf_file_status(&input->source.file, &status) ? input->size : status.size;
}

int input_open(Input *input, const char *path)
{
    *input = (Input){.path = path, .peeked = -1};
    const int err = vmaf_input_open(&input->source, strcmp(path, "-") ? path : NULL);
    input->position = input->source.begin;
    input->size = input->source.status.size;
    return err;
}

int input_read(Input *input, void *buffer, size_t size, size_t *got)
{
    unsigned char *out = buffer;
    *got = 0;
    while (*got < size && input->unread_begin < input->unread_end) {
        out[(*got)++] = input->unread[input->unread_begin++];
        input->position++;
    }
    if (*got < size && input->peeked >= 0) {
        out[(*got)++] = (unsigned char)input->peeked;
        input->peeked = -1;
    }
    while (*got < size) {
        size_t n = 0;
        int err = vmaf_input_read(&input->source, out + *got, size - *got, input->position, &n);
        if (err)
            return err;
        if (!n)
            break;
        *got += n;
        input->position += (int64_t)n;
    }
    return 0;
}

void input_unread(Input *input, const void *bytes, size_t size)
{
    input->position -= (int64_t)size;
    if (input->source.is_file)
        return;
    memcpy(input->unread, bytes, size);
    input->unread_begin = 0;
    input->unread_end = size;
}

int input_open_window(const Input *input, size_t offset, size_t size, bool leaves_pages,
                      VmafFileWindow *window)
{
    const VmafFile *file = &input->source.file;
    const int64_t position = input->position + (int64_t)offset;
    if (!input->source.is_file)
        return -ESPIPE;
    int err = vmaf_file_window_open(window, file, position, size);
    if (err || (leaves_pages && vmaf_file_is_in_memory(file, position, size)))
        return err;
    err = vmaf_file_window_bring_in(window);
    if (err)
        vmaf_file_window_close(window);
    return err;
}

int input_skip(Input *input, size_t size, size_t *got)
{
    *got = 0;
    if (input->source.is_file) {
        if (input_falls_short(input, size))
            *got = input->size > input->position ? (size_t)(input->size - input->position) : 0;
        else
            *got = size;
        input->position += (int64_t)*got;
        return 0;
    }
    unsigned char discarded[DISCARD_SIZE];
    while (*got < size) {
        size_t part = size - *got < sizeof(discarded) ? size - *got : sizeof(discarded);
        size_t n = 0;
        int err = input_read(input, discarded, part, &n);
        if (err)
            return err;
        *got += n;
        if (n < part)
            break;
    }
    return 0;
}

int input_at_end(Input *input)
{
    if (input->source.is_file)
        return input_falls_short(input, 1);
    if (input->peeked >= 0)
        return 0;
    unsigned char byte;
    size_t got;
    int err = input_read(input, &byte, 1, &got);
    if (err)
        return err;
    if (got)
        input->peeked = byte;
    return !got;
}

bool input_falls_short(Input *input, size_t size)
{
    if (!input->source.is_file)
        return false;
    if (input->position <= input->size && size <= (uint64_t)(input->size - input->position))
        return false;
    input->size = current_size(input); /* it may have grown since */
    return input->position > input->size || size > (uint64_t)(input->size - input->position);
}

int64_t input_left(const Input *input)
{
    return input->source.is_file ? input->size - input->position : -1;
}

size_t input_peek(const Input *input, void *buffer, size_t size)
{
    size_t got = 0;
    if (input->source.is_file)
        vmaf_file_read_at(&input->source.file, buffer, size, input->position, &got);
    return got;
}

bool input_was_changed(const Input *input)
{
    const VmafFileStatus *before = &input->source.status;
    VmafFileStatus now;
    if (!input->source.is_file || vmaf_file_status(&input->source.file, &now))
        return false;
    return now.size < before->size ||
           (now.size == before->size && now.modified_ns != before->modified_ns);
}
