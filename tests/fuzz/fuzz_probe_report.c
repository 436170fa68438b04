/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Input: the output of a helper process, which a plugin may have tampered with. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "backend/discovery/probe.h"
#include "platform/process.h"
#include "printable.h"

enum { INPUT_LIMIT = 64 * 1024 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* Aborts unless `part` lies in the parsed text. */
static void require_part(const char *part, const char *text, size_t size)
{
    require(part >= text && part + strlen(part) <= text + size && !strchr(part, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ProbeReport report;
    if (size > INPUT_LIMIT)
        return 0;
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';

    bool complete = probe_report_is_complete(text);
    probe_report_parse(&report, text);
    require(report.end == PROBE_END_NONE || complete);
    if (report.stage)
        require_part(report.stage, text, size);
    if (report.fault)
        require_part(report.fault, text, size);
    require(report.n_libraries <= PROBE_LIBRARIES_MAX);
    for (unsigned i = 0; i < report.n_libraries; i++)
        require_part(report.libraries[i], text, size);
    if (report.has_availability) {
        const BackendAvailability *availability = &report.availability;
        require(availability->state == BACKEND_USABLE || backend_reason_name(availability->state));
        require(availability->error <= 0 && availability->error > -4096);
        require(availability->state == BACKEND_USABLE || availability->error < 0);
        require_printable(availability->why.text, sizeof(availability->why.text));
    }
    char name[32];
    vmaf_signal_name(name, sizeof(name), report.end_number);
    require_printable(name, sizeof(name));
    free(text);
    return 0;
}
