/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/probe_helper.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backend/discovery/probe_report.h"
#include "backend/processor_time.h"
#include "platform/child.h"

enum {
    TEXT_MAX = 256 * 1024,
    GRACE_MS = 2000, /* granted to the helper in addition to the limit that it keeps itself */
};

int probe_helper_run(char **text, const char *helper, const char *plugin, unsigned limit_ms,
                     Reason *why)
{
    char limit[16];
    snprintf(limit, sizeof(limit), "%u", limit_ms);
    const char *const arguments[] = {plugin, limit, NULL};
    const VmafHelper run = {
        .program = helper,
        .arguments = arguments,
        .limit_ms = (int64_t)PATIENCE_MAX * limit_ms + GRACE_MS,
        .text_max = TEXT_MAX - 1,
        .is_complete = probe_report_is_complete,
    };
    const int err = vmaf_helper_run(&run, text);
    if (err == -ENOMEM)
        return refuse(why, err, "out of memory");
    if (err)
        return refuse(why, err, "the helper %s cannot be started: %s", helper, strerror(-err));
    return 0;
}
