/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PROBE_H
#define CORE_BACKEND_DISCOVERY_PROBE_H

/*
 * Probing decides whether a plugin may be loaded into this process: a helper process loads it,
 * enumerates its devices and opens each of them, and finds no fault with it. The result is
 * remembered (ProbeCacheKey). With VMAF_BACKEND_PROBE=inprocess every plugin may be loaded, for
 * hosts that cannot start a process.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/discovery/plugin_load.h"

typedef struct PluginProbe {
    BackendAvailability fault; /* not USABLE: it must not be loaded */
    /* What the host itself has to compare: everything if there was no helper. */
    VmafProcessScope scope;
    bool asked_now;                   /* the helper has just run, so the following is known: */
    BackendAvailability availability; /* whether a device could be opened; else why not */
    uint64_t opened;                  /* set of the devices that could be opened */
} PluginProbe;

/* Takes at most a little longer than the limit. `path` is absolute. */
void plugin_probe(PluginProbe *probe, const char *path, unsigned limit_ms);

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

/*
 * Remembers in the user's cache (platform/path.h) that probing a plugin found no fault, or,
 * for an hour, that it found one. It does not remember whether the plugin can be used: devices come
 * and go.
 *
 * A record counts as long as the machine has not been restarted, and the plugin's file, every
 * library that was loaded with it, the dynamic linker's cache and the environment variables that
 * vendors' libraries read (backend_driver_variables) are the same. Records of other versions of the
 * library do not count. Without a usable directory nothing is remembered. Programs with borrowed
 * rights neither read nor write records.
 */

/* The present circumstances of a plugin, taken before it is probed. */
typedef struct ProbeCacheKey ProbeCacheKey;

typedef enum ProbeMemory {
    PROBE_UNKNOWN,
    PROBE_CLEAN,
    PROBE_FAULTY,
} ProbeMemory;

/* NULL: nothing can be remembered. */
ProbeCacheKey *probe_cache_key_create(const char *plugin_path);
void probe_cache_key_free(ProbeCacheKey *key); /* NULL allowed */

/* `fault` is filled in for PROBE_FAULTY. */
ProbeMemory probe_cache_find(const ProbeCacheKey *key, Reason *fault);
/* `fault` is NULL if there was none. If the record cannot be stored, that is no error. */
void probe_cache_store(const ProbeCacheKey *key, const char *const libraries[],
                       unsigned n_libraries, const Reason *fault);

#endif
