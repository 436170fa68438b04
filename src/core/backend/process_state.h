/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_PROCESS_STATE_H
#define CORE_BACKEND_PROCESS_STATE_H

/*
 * What belongs to the whole process and is not of the C library: the file mode mask, resource
 * limits, and file descriptors. A part of host_state.h.
 */

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "support/reason.h"

enum { PROCESS_LIMITS_MAX = 16, PROCESS_STREAMS = 3 };

typedef struct ProcessDescriptor {
    int number;
    dev_t device;
    ino_t file;
    int flags;        /* F_GETFD */
    int status_flags; /* F_GETFL */
} ProcessDescriptor;

typedef struct ProcessState {
    bool alone;
    bool mask_known;
    mode_t mask;
    bool limit_known[PROCESS_LIMITS_MAX];
    struct rlimit limits[PROCESS_LIMITS_MAX];
    unsigned n_descriptors;
    ProcessDescriptor *descriptors;
    int spares[PROCESS_STREAMS]; /* copies of the standard streams; -1: none */
} ProcessState;

/*
 * `alone`: no other thread of this process does anything. Then all descriptors are looked at;
 * otherwise the standard streams only, since other threads open and close theirs. 0; -ENOMEM.
 */
int process_state_capture(ProcessState *state, bool alone);
/* As host_state_restore. A closed descriptor can only be put back if it is a standard stream. */
bool process_state_restore(const ProcessState *state, Reason *why);
void process_state_release(ProcessState *state);

#endif
