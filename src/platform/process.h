/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_PROCESS_H
#define VMAF_PLATFORM_PROCESS_H

/* The process that calls: how it is prepared and what it is, its signals, its terminal, whose
 * rights it has, and what a module must leave as it was. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * What a program does first: standard streams that it was started without lead nowhere from now on,
 * so that no file takes their place and receives messages; and a file that exceeds a limit on the
 * size of files is an error of the call that writes, not the end of the program. 0; negative errno.
 */
int vmaf_process_prepare(void);

/* From now on writing to a pipe that nobody reads is an error of the call, not the end of the
 * program. */
void vmaf_process_outlive_readers(void);

/* Its environment: texts NAME=VALUE, NULL at the end; NULL if there is none. */
char *const *vmaf_process_environment(void);

/* The most memory that it has used so far, in KiB; 0 if the system does not tell. */
long vmaf_process_peak_memory_kib(void);

/* Its number; a child that a fork made has another one. Never 0. */
int vmaf_process_id(void);

/* ---- Signals ---- */

/* The signals that a thread blocks, as do threads that it creates from then on. */
typedef union VmafSignals {
    uint64_t alignment[16];
    unsigned char bytes[128];
} VmafSignals;

/*
 * The calling thread blocks all signals until it restores those that it blocked before. Faults of
 * the thread itself (SIGSEGV, SIGBUS and the like) are not blocked: the system would end the
 * program instead of calling its handler.
 */
void vmaf_signals_block(VmafSignals *before);
void vmaf_signals_restore(const VmafSignals *before);

/* How the process handles signals. */
typedef union VmafSignalHandlers {
    uint64_t alignment[1024];
    unsigned char bytes[8192];
} VmafSignalHandlers;

/* Around calls that may install handlers of their own. The handlers belong to the process: another
 * thread that changes them in between is not noticed. */
void vmaf_signal_handlers_keep(VmafSignalHandlers *handlers);
void vmaf_signal_handlers_restore(const VmafSignalHandlers *handlers);

/*
 * From now on Ctrl-C and a request to end (SIGINT, SIGTERM, SIGHUP) set the flag, which lives as
 * long as the process; a second one ends the program as if this had not been called.
 */
void vmaf_interrupts_note(atomic_bool *flag);

/* "SIGSEGV", or "signal 42". */
void vmaf_signal_name(char *name, size_t size, int number);

/* ---- The terminal ---- */

/* True if somebody reads stdout or stderr as it is written, and sees colours. */
bool vmaf_is_terminal(FILE *stream);

/* Characters in a line of stderr: by COLUMNS, else by the terminal, else 80. */
unsigned vmaf_stderr_columns(void);

/* ---- Rights ---- */

/* The program has rights that whoever started it does not have (set-uid and the like): nothing of
 * its environment may decide what it loads. */
bool vmaf_privilege_is_borrowed(void);

/*
 * The path under which a file is to be loaded or run; to be freed. In programs with borrowed rights
 * or of the superuser that is its real one, without links that could be changed in between, and a
 * file is rejected (-EACCES) that somebody else could change or replace: it, its folder or one
 * above belongs to another user or may be written by others. Folders that hold `trusted_folder`
 * (NULL: none) as well are not looked at, except the file's own. In other programs every file is
 * accepted as it is. 0; negative errno, and `why` says what is wrong, cut to `size`.
 */
int vmaf_privilege_resolve_file(char **resolved, const char *path, const char *trusted_folder,
                                char *why, size_t size);

/* ---- What a module must leave as it was ---- */

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
