/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What becomes of the text of a program that is run, the same on every system. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/internal.h"
#include "platform/time.h"

int vmaf_child_text_begin(VmafChildText *text, const VmafChildRun *run, VmafChildResult *result)
{
    *text = (VmafChildText){.run = run, .result = result, .last_sign = vmaf_steady_ms()};
    result->output = calloc(1, 1);
    text->capacity = 1;
    return result->output ? 0 : -ENOMEM;
}

static void keep_output(VmafChildText *child, const char *text, size_t size)
{
    VmafChildResult *result = child->result;
    const size_t room = child->run->output_max - result->output_size;
    if (size > room)
        size = room;
    const size_t needed = result->output_size + size + 1;
    if (needed > child->capacity) {
        const size_t capacity = needed + needed / 2;
        char *grown = realloc(result->output, capacity);
        if (!grown) {
            child->out_of_memory = true;
            return;
        }
        result->output = grown;
        child->capacity = capacity;
    }
    memcpy(result->output + result->output_size, text, size);
    result->output_size += size;
    result->output[result->output_size] = '\0';
}

static bool is_inside_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static void keep_errors(VmafChildResult *result, const char *text, size_t size)
{
    char *tail = result->error_tail;
    size_t used = strlen(tail);
    const size_t skipped = size > VMAF_CHILD_ERROR_TAIL ? size - VMAF_CHILD_ERROR_TAIL : 0;
    text += skipped;
    size -= skipped;
    size_t dropped = used + size > VMAF_CHILD_ERROR_TAIL ? used + size - VMAF_CHILD_ERROR_TAIL : 0;
    memmove(tail, tail + dropped, used - dropped);
    used -= dropped;
    for (size_t i = 0; i < size; i++)
        tail[used + i] = text[i] ? text[i] : ' ';
    used += size;
    dropped += skipped;
    size_t whole = 0; /* characters only */
    while (dropped && whole < used && is_inside_character(tail[whole]))
        whole++;
    memmove(tail, tail + whole, used - whole);
    tail[used - whole] = '\0';
}

void vmaf_child_text_take(VmafChildText *child, VmafChildStream stream, const char *text,
                          size_t size)
{
    if (stream == VMAF_CHILD_OUTPUT)
        keep_output(child, text, size);
    else
        keep_errors(child->result, text, size);
    const VmafChildRun *run = child->run;
    if (!run->on_text || run->on_text(run->cookie, stream, text, size))
        child->last_sign = vmaf_steady_ms();
}

void vmaf_child_result_free(VmafChildResult *result)
{
    free(result->output);
    *result = (VmafChildResult){.ending = VMAF_CHILD_UNKNOWN};
}
