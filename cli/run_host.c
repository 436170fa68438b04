/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "run_host.h"

#include "platform/machine.h"
#include "platform/process.h"

#include <stddef.h>

RunHost run_host_alone(void)
{
    return (RunHost){
        .terminal = vmaf_stderr_is_terminal(),
        .shows_summary = true,
        .n_processors = vmaf_processors_usable(),
    };
}

bool run_host_stops(const RunHost *host)
{
    return host->stop && atomic_load(host->stop);
}
