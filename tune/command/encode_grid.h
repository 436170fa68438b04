/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMAND_ENCODE_GRID_H
#define TUNE_COMMAND_ENCODE_GRID_H

/*
 * Encodes of sources with several encoders, presets and qualities, as rows: all of a grid, a
 * coarse one and then those around its best point, or those of a search.
 */

#include "tune/measure/row_file.h"
#include "tune/measure/session.h"

typedef struct GridOptions {
    TextList encoders, presets; /* none: libx264, and each encoder's default */
    NumberList qualities;
    bool coarse_to_fine, encoder_stats;
    bool searches; /* for the most compressed encode that reaches the target, instead of a grid */
    int coarse_step, fine_radius, fine_step;
    double target; /* what coarse to fine looks for; NAN: the best score */
    double kbps;   /* the same: the bitrate nearest to it; NAN: a score is looked for */
} GridOptions;

GridOptions grid_options(void);

/* All but the target and the bitrate. */
OptionGroup grid_option_group(GridOptions *options);

/* An encoder with a preset. */
typedef struct GridLine {
    SessionEncoder encoder;
    EncodeSpec spec; /* but for its quality */
    QualityRange qualities;
} GridLine;

typedef struct EncodeGrid {
    Session *session;
    const GridOptions *options;
    FILE *out; /* where rows are written; NULL: they are not */
    GridLine *lines;
    size_t n_lines;
    RowTable table;                   /* of this run, and rows that were there */
    json_t *cells;                    /* of rows that are usable: where they stand, by name */
    size_t n_made, n_failed, n_known; /* cells of this run */
} EncodeGrid;

/* Adds a row, which it takes: its cell is not made again unless it failed. 0; -ENOMEM. */
int encode_grid_add(EncodeGrid *grid, Row *row);

/* Makes what is missing of the session's sources. A status. */
int encode_grid_run(EncodeGrid *grid);

/* Opens a session and a grid, whose encoders that do not work here are reported and left out, and
 * works with them; with --dry-run, prints command lines instead. A status. */
int encode_grid_work(const TuneCommand *command, const SessionOptions *options,
                     const GridOptions *wanted, int (*work)(EncodeGrid *grid, void *settings),
                     void *settings);

#endif
