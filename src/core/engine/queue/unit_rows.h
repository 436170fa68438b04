/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_QUEUE_UNIT_ROWS_H
#define CORE_ENGINE_QUEUE_UNIT_ROWS_H

/*
 * One unit of one frame, accumulated by several workers.
 *
 * Frames are scored in parallel as long as there are enough of them. When they are scarce (live
 * pictures, short clips, the end of a long one) workers would have nothing to do, so the rows of a
 * frame are divided among those that come for work. Each takes one band after another: a fair part
 * of what is left, so that bands become smaller towards the end, where they decide who waits for
 * whom. It accumulates all of its bands into a record of its own, and merges that into the record
 * of the frame when there are no rows left. Such records merge, so it does not matter which worker
 * takes which rows; the last to merge completes the unit. The lock is only taken to get rows and to
 * merge.
 */

#include "engine/requests/work_list.h"

typedef struct UnitRows {
    RequestMask requests;
    unsigned next, end; /* rows that no worker has taken yet */
    unsigned n_workers; /* that have taken rows and not merged; 0: the unit is not divided */
    int status;         /* of the first band that failed, or 0 */
    int64_t us;         /* that all bands took */
} UnitRows;

/* True if a unit that usually takes so long is worth waking a thread for. One that has not been
 * measured yet is. */
bool unit_is_divisible(const WorkList *work, unsigned unit, double usual_us);

/* Divides the unit; rows are to be taken at once. */
void unit_rows_begin(UnitRows *rows, const RequestMask *requests, unsigned n_rows);
/* The next band, for one of so many workers; false if there are no rows left. */
bool unit_rows_take(UnitRows *rows, unsigned parts, RowBand *band);
/* Further bands that can be taken, at most. */
unsigned unit_rows_bands_left(const UnitRows *rows);
/* A band has failed: no more are taken. */
void unit_rows_fail(UnitRows *rows, int status);
/* A worker that gets no more rows has merged its record. True if it was the last. */
bool unit_rows_leave(UnitRows *rows, int64_t us);

#endif
