/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_SESSION_CORPUS_ROWS_H
#define TUNE_SESSION_CORPUS_ROWS_H

/* Rows of a corpus: from a file, from encodes, and as points that choices are made among. */

#include "tune/command_line/command.h"
#include "tune/engine/choice.h"
#include "tune/rows/row.h"
#include "tune/rows/row_file.h"
#include "tune/session/session.h"

/* The rows of a file for a subcommand. True: go on, and free the table. False: why not was said,
 * and the program ends with *status. A torn last line is said and left out. */
bool corpus_load(const TuneCommand *command, const char *path, RowTable *table, int *status);

/* What is known before the encode is made: all that its cell depends on (row_file.h). 0; -ENOMEM.
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

/* `source` is where the row stands. */
EncodePoint point_of_row(const Row *row, size_t source);

/* The direction of an encoder's quality parameter. Its range does not matter to choices. */
QualityRange quality_range_of_encoder(const char *encoder);

#endif
