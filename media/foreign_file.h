/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_FOREIGN_FILE_H
#define MEDIA_FOREIGN_FILE_H

#include "common/messages.h"

#include <stddef.h>

enum { FOREIGN_HEAD_SIZE = 512 }; /* bytes that tell what a file is */

/*
 * What a file that is not Y4M seems to be, judged by its first bytes, else by its name, and what to
 * do about it: one line. -ENOTSUP if the module may decode it; -EPROTONOSUPPORT if it cannot.
 */
int foreign_file_explain(const unsigned char *head, size_t size, const char *path, Message *what);

/* The same of a file that FFmpeg has refused for that reason. -EPROTONOSUPPORT. */
int foreign_file_refuse(const unsigned char *head, size_t size, const char *path,
                        const char *reason, Message *what);

#endif
