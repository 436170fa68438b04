/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_FOREIGN_FILE_H
#define MEDIA_FOREIGN_FILE_H

/* What a file is that is no Y4M, judged by its first bytes and its name. */

#include "common/messages.h"

#include <stdbool.h>
#include <stddef.h>

enum { FOREIGN_HEAD_SIZE = 512 }; /* bytes that tell what a file is */

/*
 * What a file that is not Y4M seems to be, judged by its first bytes, else by its name, and what to
 * do about it: one line. -ENOTSUP if the module may decode it; -EPROTONOSUPPORT if it cannot.
 */
int foreign_file_explain(const unsigned char *head, size_t size, const char *path, Message *what);

/* The same of a file that FFmpeg has rejected for that reason. -EPROTONOSUPPORT. */
int foreign_file_reject(const unsigned char *head, size_t size, const char *path,
                        const char *reason, Message *what);

/*
 * Does the name stand for pictures with numbers ("frame_%04d.png"), and is there one? *first
 * receives the lowest number; 0 where the number is in the name of a folder, which nobody looks
 * into.
 */
bool picture_sequence_find(const char *path, unsigned *first);

/* Does a picture lack from this number on, with others behind it? *missing receives its number. */
bool picture_sequence_has_gap(const char *path, unsigned first, unsigned *missing);

#endif
