/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "run_single.h"

#include "exit_status.h"
#include "gate.h"
#include "summary.h"

int run_do_steps(Run *run, int (*const steps[])(Run *), size_t n)
{
    int status = STATUS_OK;
    for (size_t i = 0; i < n && !status; i++)
        status = steps[i](run);
    return status;
}

int run_show_summary(Run *run)
{
    summary_print(&(ScoredVideo){.run = run}, 1);
    return STATUS_OK;
}

int run_judge_gates(Run *run)
{
    return gates_judge(run);
}
