/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/fast/smoke.h"

#include <math.h>

Measurement smoke_measurement(int q)
{
    const double n = (double)(q - SMOKE_LOWEST) / (SMOKE_HIGHEST - SMOKE_LOWEST);
    return (Measurement){
        .q = q,
        .values = {99 - 47 * pow(n, 1.2)},
        .kbps = 8000 * exp(-3.5 * n) + 80,
    };
}

int smoke_run(const SearchPlan *plan, SearchRun *run)
{
    SearchOptions options = plan->search;
    int q;
    options.knob = (Knob){.lowest = SMOKE_LOWEST, .highest = SMOKE_HIGHEST};
    options.first = SMOKE_LOWEST;
    options.last = SMOKE_HIGHEST;
    options.n_gates = 1;
    options.jobs = 1;
    *run = (SearchRun){0};
    run->error = search_start(&run->search, &options);
    if (run->error)
        return message_set(&run->why, run->error, "this cannot be searched");
    while (search_next(&run->search, &q)) {
        const Measurement measurement = smoke_measurement(q);
        search_report(&run->search, &measurement);
    }
    search_result(&run->search, &run->result);
    return 0;
}
