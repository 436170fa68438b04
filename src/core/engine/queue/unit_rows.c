/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/queue/unit_rows.h"

/*
 * Rows that windows and pyramids need above and below a band are computed twice, which costs ADM as
 * much as 14 rows per cut and VIF as much as 2. Bands begin where a row of the smallest scale does,
 * so that it is not more.
 */
enum { ROWS_MIN = 48, ROWS_STEP = 16 };

/* Several times what it takes to wake a thread. */
static const double worthwhile_us = 400;

bool unit_is_divisible(const WorkList *work, unsigned unit, double usual_us)
{
    return work->units[unit].extractor->merge && work->format.h[0] >= 2 * ROWS_MIN &&
           (usual_us <= 0 || usual_us >= worthwhile_us);
}

void unit_rows_begin(UnitRows *rows, const RequestMask *requests, unsigned n_rows)
{
    *rows = (UnitRows){.requests = *requests, .end = n_rows};
}

bool unit_rows_take(UnitRows *rows, unsigned parts, RowBand *band)
{
    const unsigned left = rows->end - rows->next;
    if (!left)
        return false;
    unsigned taken = left / parts;
    taken += (ROWS_STEP - taken % ROWS_STEP) % ROWS_STEP;
    if (taken < ROWS_MIN)
        taken = ROWS_MIN;
    if (left < taken + ROWS_MIN)
        taken = left;
    *band = (RowBand){rows->next, rows->next + taken};
    rows->next += taken;
    return true;
}

unsigned unit_rows_bands_left(const UnitRows *rows)
{
    return (rows->end - rows->next) / ROWS_MIN;
}

void unit_rows_fail(UnitRows *rows, int status)
{
    if (!rows->status)
        rows->status = status;
    rows->next = rows->end;
}

bool unit_rows_leave(UnitRows *rows, int64_t us)
{
    rows->us += us;
    return --rows->n_workers == 0;
}
