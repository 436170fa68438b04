/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "arguments.h"

#include <stdlib.h>

int argument_add(ArgumentList *list, const char *value)
{
    if (list->n == ARGUMENT_MAX)
        return -1;
    list->items[list->n++] = value;
    return 0;
}

int argument_number(const char *text, long min, long max, long *value)
{
    char *end;
    *value = strtol(text, &end, 0);
    return *end || end == text || *value < min || *value > max ? -1 : 0;
}
