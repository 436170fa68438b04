/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report_name.h"

#include "platform/path.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char place[] = "{}";
enum { PLACE_LENGTH = sizeof(place) - 1 };

bool report_name_has_place(const char *pattern)
{
    return strstr(pattern, place) != NULL;
}

/* A dot at the beginning belongs to the name. */
static const char *stem_of(const char *video, size_t *length)
{
    if (!strcmp(video, "-"))
        video = "stdin";
    const char *name = vmaf_path_name(video);
    const char *dot = strrchr(name, '.');
    *length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    return name;
}

char *report_name_make(const char *pattern, const char *video)
{
    size_t length, places = 0;
    const char *stem = stem_of(video, &length);
    for (const char *at = pattern; (at = strstr(at, place)); at += PLACE_LENGTH)
        places++;
    char *made = malloc(strlen(pattern) + places * length + 1), *end = made;
    if (!made)
        return NULL;
    for (const char *at; (at = strstr(pattern, place)); pattern = at + PLACE_LENGTH) {
        end = mempcpy(end, pattern, (size_t)(at - pattern));
        end = mempcpy(end, stem, length);
    }
    strcpy(end, pattern);
    return made;
}
