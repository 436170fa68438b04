/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_AUTO_INTERNAL_H
#define TUNE_COMMANDS_AUTO_INTERNAL_H

/* vmaf-tune auto: what it decides without an encode, what it was asked for, and what it found. */

#include "common/messages.h"
#include "tune/engine/prediction.h"
#include "tune/engine/score_statistics.h"
#include "tune/session/search.h"
#include "tune/session/uncertainty.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* What a kind of video changes; the user names it, or it is HDR. */
typedef enum ContentClass {
    CONTENT_DEFAULT,
    CONTENT_ANIMATION,
    CONTENT_SCREEN,
    CONTENT_HDR,
    CONTENT_UGC,
} ContentClass;

typedef struct Recipe {
    const char *name;
    double tight_width;   /* of intervals; NAN: as without a recipe */
    bool has_single_rung; /* forces the size of the source */
    double target_offset; /* what cells have to reach beyond the target */
} Recipe;

const Recipe *recipe_of(ContentClass content);

enum { AUTO_MAX_RUNGS = 16 };

typedef struct Rung {
    int width, height;
} Rung;

/* What an estimate of a cell rests on. */
typedef enum CellBasis { CELL_MODEL, CELL_PROBE, CELL_SEARCH } CellBasis;

typedef enum Escalation { ESCALATION_SKIP, ESCALATION_BY_VERDICT, ESCALATION_FORCE } Escalation;

/* A size and an encoder. */
typedef struct AutoCell {
    Rung rung;
    const char *codec; /* name of the encoder */
    int q;             /* -1: there is none */
    double vmaf, kbps; /* expected there; NAN */
    double baseline;   /* VMAF expected at the default of the encoder; NAN: unknown */
    CellBasis basis;
    Verdict verdict;
    double interval_width; /* NAN: unknown */
    Escalation escalation;
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
 * True if a cell is to be searched on the whole video before anyone relies on it. By its verdict
 * only if it could win: its estimate is not far more than `best_kbps`, that of the winner so far
 * (INFINITY: none reaches the target).
 */
bool cell_wants_search(const AutoCell *cell, double best_kbps);

/* From the analytic model alone: a guess. */
void cell_guess(AutoCell *cell, int lowest, int highest, int probe_q, int default_q, double target);

/* "GOSPEL", "RECALIBRATE", "FALL_BACK"; and so on, as JSON names them. */
const char *verdict_name(Verdict verdict);
const char *winner_status_name(WinnerStatus status);
const char *escalation_name(Escalation escalation);
const char *cell_basis_name(CellBasis basis);

typedef struct AutoSettings {
    SearchChoice search;
    const char *codec; /* this one alone; NULL: of `codecs` */
    const char *output, *sidecar, *runs_dir;
    TextList codecs;
    IntegerList heights;
    double budget; /* kbit/s */
    int content;   /* ContentClass */
    bool is_plan_only, smoke, executes, executes_all, video_only;
} AutoSettings;

typedef struct AutoRun {
    const AutoSettings *settings;
    const TuneSource *source; /* NULL: there is none, it is a self-test */
    Rung size;                /* of the source */
    double fps, seconds;
    bool is_hdr, is_sampled, is_two_pass;
    const Recipe *recipe;
    Uncertainty uncertainty;
    double target; /* that cells have to reach */
    Rung rungs[AUTO_MAX_RUNGS];
    size_t n_rungs;
    AutoCell *cells;
    size_t n_cells;
    Winner winner;
    json_t *executed; /* rows of what was encoded */
} AutoRun;

/* Cells of all sizes and encoders, without estimates. 0; -ENOMEM. */
int auto_lay_out(AutoRun *run);
/* Decides on escalation and the winner, from the estimates. */
void auto_judge(AutoRun *run);
void auto_choose(AutoRun *run);

/* Estimates from encodes of samples; what is not certain is searched on the whole video. A status.
 */
int auto_probe(Session *session, AutoRun *run, const Samples *samples);

/* Encodes the winner, or all cells, and measures them. A status. */
int auto_execute(Session *session, AutoRun *run);

#endif
