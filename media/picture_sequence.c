/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/picture_sequence.h"

#include "platform/path.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 9 };

/* A name of pictures: their number is between two texts. */
typedef struct Pattern {
    const char *before, *after;
    size_t before_length;
    size_t digits; /* at least; a longer number has no zeros in front */
} Pattern;

/* "%d", or "%04d". */
static bool parse(const char *name, Pattern *pattern)
{
    const char *place = strchr(name, '%');
    if (!place)
        return false;
    const char *digits = place + 1;
    const size_t length = strspn(digits, "0123456789");
    *pattern = (Pattern){
        .before = name,
        .before_length = (size_t)(place - name),
        .after = digits + length + 1,
        .digits = length ? strtoul(digits, NULL, 10) : 1,
    };
    return digits[length] == 'd' && pattern->digits <= MOST_DIGITS;
}

static bool matches(const Pattern *pattern, const char *name, unsigned *number)
{
    if (strncmp(name, pattern->before, pattern->before_length))
        return false;
    const char *text = name + pattern->before_length;
    const size_t length = strspn(text, "0123456789");
    *number = (unsigned)strtoul(text, NULL, 10);
    return length >= pattern->digits && length <= MOST_DIGITS &&
           (length == pattern->digits || *text != '0') && !strcmp(text + length, pattern->after);
}

static bool is_any(const char *name)
{
    (void)name;
    return true;
}

static bool find_lowest(const char *folder, const Pattern *pattern, unsigned *first)
{
    char **names;
    unsigned count, number;
    bool found = false;
    if (vmaf_folder_list(*folder ? folder : ".", is_any, &names, &count))
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (!matches(pattern, names[i], &number) || (found && number > *first))
            continue;
        *first = number;
        found = true;
    }
    vmaf_folder_list_free(names, count);
    return found;
}

bool picture_sequence_find(const char *path, unsigned *first)
{
    Pattern pattern;
    const char *name = vmaf_path_name(path);
    *first = 0;
    if (!strchr(name, '%'))
        return strchr(path, '%') != NULL;
    if (!parse(name, &pattern))
        return false;
    char *folder = strndup(path, (size_t)(name - path));
    const bool found = folder && find_lowest(folder, &pattern, first);
    free(folder);
    return found;
}
