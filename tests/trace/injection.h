/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_TRACE_INJECTION_H
#define TESTS_TRACE_INJECTION_H

/*
 * A library for NVTX_INJECTION64_PATH that notes what it is told. INJECTION says how it behaves:
 * "domain" (the default) and "attributes" and "text" take ranges in that way, "refuse" does not
 * want to listen. The test looks at its notes in the same process.
 */

#include <stdbool.h>
#include <stdint.h>

enum { INJECTION_NOTES = 4096, INJECTION_NAMES = 64, INJECTION_NAME_SIZE = 64 };

typedef enum InjectionKind { NOTE_PUSH, NOTE_POP, NOTE_START, NOTE_END } InjectionKind;

typedef struct InjectionNote {
    InjectionKind kind;
    uint32_t thread;
    char name[INJECTION_NAME_SIZE];
    bool has_frame, in_domain;
    uint64_t frame, range;
} InjectionNote;

typedef struct InjectionNotes {
    bool initialised;
    uint32_t version; /* that the program says it has */
    unsigned n_domains, n_notes, n_names;
    char domain[INJECTION_NAME_SIZE];
    InjectionNote notes[INJECTION_NOTES];
    uint32_t named[INJECTION_NAMES];
    char names[INJECTION_NAMES][INJECTION_NAME_SIZE];
} InjectionNotes;

/* Exported as this. */
#define INJECTION_SYMBOL "injection_notes"

#endif
