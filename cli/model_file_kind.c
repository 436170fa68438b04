/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model_file_kind.h"

#include <stdio.h>
#include <string.h>

#include "platform/file.h"

enum { KEY_MAX = 31 };

static const int64_t largest_file = 16 << 20; /* the library does not read larger ones either */

/* Reads the rest of a JSON string; what is too long for a key of interest is cut off. */
static bool read_string(FILE *stream, char text[KEY_MAX + 1])
{
    size_t length = 0;
    int c;
    while ((c = getc(stream)) != '"') {
        if (c == '\\')
            c = getc(stream);
        if (c == EOF)
            return false;
        if (length < KEY_MAX)
            text[length++] = (char)c;
    }
    text[length] = '\0';
    return true;
}

static bool is_number(const char *text)
{
    return text[0] && !text[strspn(text, "0123456789")];
}

/* Finds the first top-level key that decides. The rest of the file is not validated. */
static bool has_numbered_key(FILE *stream)
{
    char text[KEY_MAX + 1] = "";
    int depth = 0, c;
    while ((c = getc(stream)) != EOF) {
        if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            depth--;
        } else if (c == '"') {
            if (!read_string(stream, text))
                return false;
        } else if (c == ':' && depth == 1) {
            if (!strcmp(text, "model_dict"))
                return false;
            if (is_number(text))
                return true;
        }
    }
    return false;
}

/* Bytes that are read from a pipe here would be missing when the library reads it, and devices
 * may have no end. */
static bool can_be_looked_at(const char *path)
{
    VmafFileStatus status;
    return !vmaf_file_status_at(path, &status) && status.kind == VMAF_FILE_REGULAR &&
           status.size <= largest_file;
}

bool model_file_is_collection(const char *path)
{
    FILE *stream = can_be_looked_at(path) ? fopen(path, "re") : NULL;
    if (!stream)
        return false;
    bool numbered = has_numbered_key(stream);
    fclose(stream);
    return numbered;
}
