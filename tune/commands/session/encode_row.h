/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_ENCODE_ROW_H
#define TUNE_COMMANDS_ENCODE_ROW_H

/* Encodes as rows of a corpus. */

#include "tune/commands/session/session.h"
#include "tune/rows/row.h"

/* What is known before the encode is made: all that its cell depends on (row_cells.h). 0; -ENOMEM.
 * Free the row in either case. */
int encode_row_plan(const Session *session, const TuneSource *source,
                    const SessionMeasurer *measurer, const EncodeSpec *spec, Row *row);

/* Adds what was measured, or why it failed, to such a row. 0; -ENOMEM. */
int encode_row_fill(const Session *session, const MeasuredEncode *measured, Row *row);

typedef struct ShotStatistics {
    size_t n;
    double mean_seconds, deviation_seconds; /* of the lengths; the deviation of the population */
} ShotStatistics;

ShotStatistics shot_statistics(const Shot *shots, size_t n, FrameRate rate);

/* NULL: they are not known. */
void encode_row_put_shots(Row *row, const ShotStatistics *shots);

#endif
