/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_PICTURE_SEQUENCE_H
#define MEDIA_PICTURE_SEQUENCE_H

#include <stdbool.h>

/*
 * Does the name stand for pictures with numbers ("frame_%04d.png"), and is there one? *first
 * receives the lowest number; 0 where the number is in the name of a folder, which nobody looks
 * into.
 */
bool picture_sequence_find(const char *path, unsigned *first);

/* Does a picture lack from this number on, with others behind it? *missing receives its number. */
bool picture_sequence_has_gap(const char *path, unsigned first, unsigned *missing);

#endif
