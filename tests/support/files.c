/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(int condition, const char *path)
{
    if (!condition) {
        perror(path);
        abort();
    }
}

unsigned char *file_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    unsigned char *bytes = NULL;
    size_t room = 4096;
    *size = 0;
    do {
        room *= 2;
        bytes = realloc(bytes, room);
        require(bytes != NULL, path);
        *size += fread(bytes + *size, 1, room - 1 - *size, file);
    } while (*size == room - 1);
    require(!ferror(file), path);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

char *file_content(const char *path)
{
    size_t size;
    return (char *)file_bytes(path, &size);
}

void file_put(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    require(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, path);
}

void file_put_text(const char *path, const char *text)
{
    file_put(path, text, strlen(text));
}
