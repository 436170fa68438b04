/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void notes_add(Notes *notes, const char *format, ...)
{
    char **more = realloc(notes->text, (notes->count + 1) * sizeof(*more));
    if (!more)
        return;
    notes->text = more;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&more[notes->count], format, arguments) >= 0)
        notes->count++;
    va_end(arguments);
}

void notes_free(Notes *notes)
{
    for (unsigned i = 0; i < notes->count; i++)
        free(notes->text[i]);
    free(notes->text);
    *notes = (Notes){0};
}
