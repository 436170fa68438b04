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

static int compare(const void *a, const void *b)
{
    const unsigned first = *(const unsigned *)a, second = *(const unsigned *)b;
    return (first > second) - (first < second);
}

/* The numbers of the pictures in a folder, sorted; NULL if there are none. */
static unsigned *list_numbers(const char *folder, const Pattern *pattern, size_t *n)
{
    char **names;
    unsigned count;
    *n = 0;
    if (vmaf_folder_list(*folder ? folder : ".", is_any, &names, &count))
        return NULL;
    unsigned *numbers = calloc(count + 1, sizeof(*numbers));
    for (unsigned i = 0; numbers && i < count; i++)
        *n += matches(pattern, names[i], &numbers[*n]);
    vmaf_folder_list_free(names, count);
    if (*n) {
        qsort(numbers, *n, sizeof(*numbers), compare);
        return numbers;
    }
    free(numbers);
    return NULL;
}

/* The same of a path; NULL also if its name has no number in it. */
static unsigned *numbers_of(const char *path, size_t *n)
{
    Pattern pattern;
    const char *name = vmaf_path_name(path);
    if (!parse(name, &pattern))
        return NULL;
    char *folder = strndup(path, (size_t)(name - path));
    unsigned *numbers = folder ? list_numbers(folder, &pattern, n) : NULL;
    free(folder);
    return numbers;
}

bool picture_sequence_find(const char *path, unsigned *first)
{
    size_t n;
    *first = 0;
    if (!strchr(vmaf_path_name(path), '%'))
        return strchr(path, '%') != NULL;
    unsigned *numbers = numbers_of(path, &n);
    if (numbers)
        *first = numbers[0];
    free(numbers);
    return numbers != NULL;
}

bool picture_sequence_has_gap(const char *path, unsigned first, unsigned *missing)
{
    size_t n = 0, i = 0;
    unsigned *numbers = numbers_of(path, &n);
    while (i < n && numbers[i] < first)
        i++;
    for (*missing = first; i < n && numbers[i] == *missing; i++)
        ++*missing;
    free(numbers);
    return i < n;
}
