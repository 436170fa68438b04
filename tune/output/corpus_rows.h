/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_OUTPUT_CORPUS_ROWS_H
#define TUNE_OUTPUT_CORPUS_ROWS_H

/* Rows of a corpus: from a file, and from encodes. */

#include "tune/measure/row.h"
#include "tune/measure/row_file.h"
#include "tune/measure/session.h"
#include "tune/options/command.h"
#include "tune/search/choice.h"

/* The rows of a file for a subcommand. A status; free the table in either case. A torn last line is
 * reported and left out. */
int corpus_load(const TuneCommand *command, const char *path, RowTable *table);

/* What is known before the encode is made: all that its cell depends on (row.h). A new reference;
 * NULL without memory. */
json_t *encode_row_plan(const Session *session, const TuneSource *source,
                        const SessionMeasurer *measurer, const EncodeSpec *spec);

/* Adds what was measured, or why it failed, to such a row. 0; -ENOMEM. */
int encode_row_fill(const Session *session, const MeasuredEncode *measured, json_t *row);

/* Adds how many shots the source has, and how long they are. 0; -ENOMEM. */
int encode_row_put_shots(json_t *row, const SourceShots *shots, FrameRate rate);

/* The direction of an encoder's quality parameter. Its range does not matter to choices. */
QualityRange quality_range_of_encoder(const char *encoder);

#endif
