/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_FILES_H
#define TESTS_SUPPORT_FILES_H

#include <stddef.h>

/* Whole files. What cannot be written, or be read otherwise, ends the program. */

/* The content with a zero behind it, to be freed; NULL if there is no such file. */
char *file_content(const char *path);
unsigned char *file_bytes(const char *path, size_t *size);

/* Makes a file, or replaces what it holds. */
void file_put(const char *path, const void *bytes, size_t size);
void file_put_text(const char *path, const char *text);

#endif
