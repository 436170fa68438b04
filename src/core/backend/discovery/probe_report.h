/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PROBE_REPORT_H
#define CORE_BACKEND_DISCOVERY_PROBE_REPORT_H

/*
 * What the helper program reports of a plugin: lines of text, each a word and its argument.
 *
 *   stage loading|enumerating|opening|ending
 *                      what it is about to do
 *   fault TEXT         what the plugin did that it must not do
 *   library PATH       a file that is now loaded
 *   availability STATE ERRNO OPENED TEXT
 *                      "usable" or a backend_reason_name; an error; the devices that could be
 *                      opened, a set in hexadecimal; why not all is well
 *   ended ok|timeout|status N|signal N
 *                      always the last line, by the process that watches
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/availability.h"

enum { PROBE_LIBRARIES_MAX = 512 };

typedef enum ProbeEnd {
    PROBE_END_NONE, /* no last line: the helper itself was killed */
    PROBE_END_OK,
    PROBE_END_TIMEOUT,
    PROBE_END_STATUS,
    PROBE_END_SIGNAL,
} ProbeEnd;

typedef struct ProbeReport {
    const char *stage; /* last one begun; NULL: none */
    const char *fault; /* NULL: none */
    bool has_availability;
    BackendAvailability availability;
    uint64_t opened;
    ProbeEnd end;
    int end_number; /* exit status or signal */
    const char *libraries[PROBE_LIBRARIES_MAX];
    unsigned n_libraries;
} ProbeReport;

/* Fills in the report; cuts `text` into lines, to which the report then points. Lines that make
 * no sense are ignored, because the plugin could have written into the pipe. */
void probe_report_parse(ProbeReport *report, char *text);
/* True if the last line is there. */
bool probe_report_is_complete(const char *text);

#endif
