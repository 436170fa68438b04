/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_PROCESS_STATE_H
#define VMAF_PLATFORM_PROCESS_STATE_H

/*
 * What belongs to the whole process, and a module that is loaded into it has to leave as it was:
 * handlers of signals, locale, current directory, and what else the system has of the kind, such
 * as the file mode mask, limits of resources and open files.
 *
 * Other threads may change most of it meanwhile, and a module is not to be blamed for that.
 * VMAF_PROCESS_OWN therefore looks at what only the module can have done: handlers that lie in its
 * own file. VMAF_PROCESS_ALL looks at everything, but of open files only at the standard streams.
 * VMAF_PROCESS_ALONE is for processes in which no other thread does anything.
 */

#include <stdbool.h>
#include <stddef.h>

typedef enum VmafProcessScope {
    VMAF_PROCESS_OWN,
    VMAF_PROCESS_ALL,
    VMAF_PROCESS_ALONE,
} VmafProcessScope;

typedef struct VmafProcessState VmafProcessState;

/* 0; -ENOMEM. */
int vmaf_process_state_capture(VmafProcessState **state, VmafProcessScope scope);
/*
 * Compares and puts back what has changed, except for files that were closed and are no standard
 * stream. False if something has changed: `why` (NULL allowed) receives what, cut to `size`
 * ("changed the locale"). `module` is the path of the module's file.
 */
bool vmaf_process_state_restore(const VmafProcessState *state, const char *module, char *why,
                                size_t size);
void vmaf_process_state_free(VmafProcessState *state); /* NULL allowed */

#endif
