/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_ROW_CHOICE_H
#define TUNE_COMMANDS_ROW_CHOICE_H

/* Rows as the points that choices are made among. */

#include "tune/engine/choice.h"
#include "tune/rows/row.h"

/* `source` is where the row stands. */
EncodePoint point_of_row(const Row *row, size_t source);

/* The direction of an encoder's knob. Its range does not matter to choices. */
Knob knob_of_encoder(const char *encoder);

#endif
