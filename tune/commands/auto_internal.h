/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_AUTO_INTERNAL_H
#define TUNE_COMMANDS_AUTO_INTERNAL_H

/* vmaf-tune auto: what it decides without an encode, what it was asked for, and what it found. */

#include "common/messages.h"
#include "tune/engine/score_statistics.h"
#include "tune/session/search.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { AUTO_MAX_RUNGS = 16 };

typedef struct Rung {
    int width, height;
} Rung;

/* What an estimate of a cell rests on. */
typedef enum CellBasis { CELL_PROBE, CELL_SEARCH } CellBasis;

/* A size and an encoder. */
typedef struct AutoCell {
    Rung rung;
    const char *codec; /* name of the encoder */
    double q;          /* -1: there is none */
    double vmaf, kbps; /* expected there; NAN */
    double baseline;   /* VMAF expected at the default of the encoder; NAN: unknown */
    CellBasis basis;
    bool is_certain;   /* the search came to an end: more encodes would not change it */
    bool is_escalated; /* it was searched on the whole video */
    bool selected;
    Message error; /* why there is no estimate; "" */
} AutoCell;

typedef enum WinnerStatus {
    WINNER_IN_BUDGET,
    WINNER_OVER_BUDGET,
    WINNER_UNMET, /* none reaches the target: the best there is */
    WINNER_NONE,
} WinnerStatus;

typedef struct Winner {
    WinnerStatus status;
    size_t cell;
} Winner;

/* The cheapest that reaches the target within the budget, else the one that exceeds it least, else
 * the one with the highest score. */
Winner winner_of(const AutoCell *cells, size_t n, double target, double budget);

/*
 * True if a cell is to be searched on the whole video before anyone relies on it. Only
 * if it is not certain and could win: its estimate is not far more than `best_kbps`, that of the
 * winner so far (INFINITY: none reaches the target).
 */
bool cell_wants_search(const AutoCell *cell, double best_kbps);

/* As JSON names them. */
const char *winner_status_name(WinnerStatus status);
const char *cell_basis_name(CellBasis basis);

typedef struct AutoSettings {
    SearchChoice search;
    const char *codec; /* this one alone; NULL: of `codecs` */
    const char *output, *runs_dir;
    TextList codecs;
    IntegerList heights;
    double budget; /* kbit/s */
    bool executes, executes_all, video_only;
} AutoSettings;

typedef struct AutoRun {
    const AutoSettings *settings;
    const TuneSource *source;
    Rung size; /* of the source */
    double fps, seconds;
    bool is_hdr, is_sampled, is_two_pass;
    Rung rungs[AUTO_MAX_RUNGS];
    size_t n_rungs;
    AutoCell *cells;
    size_t n_cells;
    Winner winner;
    json_t *executed; /* rows of what was encoded */
} AutoRun;

/* Cells of all sizes and encoders, without estimates. 0; -ENOMEM. */
int auto_lay_out(AutoRun *run);
/* Decides on the winner, from the estimates. */
void auto_choose(AutoRun *run);

/* Estimates from encodes of samples; what is not certain is searched on the whole video. A status.
 */
int auto_probe(Session *session, AutoRun *run, const Samples *samples);

/* Encodes the winner, or all cells, and measures them. A status. */
int auto_execute(Session *session, AutoRun *run);

#endif
