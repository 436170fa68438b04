/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CORE_MACHINE_H
#define TESTS_EMULATION_CORE_MACHINE_H

#include <stdio.h>

#include "machine_file.h"

/*
 * What surrounds the calls of an emulated runtime: one lock that guards everything, the variables
 * of the environment, counters, faults, the log. An exported function begins with machine_begin
 * and ends with machine_end; all that is declared here is called between them, unless it says
 * otherwise.
 */

/* How work is ordered where the interface leaves it open. */
enum MachineOrder {
    MACHINE_LATE,   /* only what somebody waits for */
    MACHINE_EARLY,  /* at once */
    MACHINE_OTHERS, /* like late, but what others put on their streams comes first */
    MACHINE_RANDOM,
};

extern Machine emulated_machine;             /* the one that is emulated */
extern char machine_why[MACHINE_ERROR_SIZE]; /* why its file is not understood; "": it is */
extern enum MachineOrder machine_order;

/*
 * Takes the lock, reads the environment at the first call, counts, lets fail what the machine says:
 * an error, or 0. machine_end follows in any case, and returns the result. A function may call
 * other exported ones between them: these do not count, have no faults and no line in the log.
 * A call that never ends, as its thread has, or has left it by longjmp, is complained about when
 * the lock is needed next; it holds up nobody.
 */
int machine_begin(const char *function);
int machine_end(const char *function, int result);

/* For a while without the lock; for callbacks, and while a call blocks. */
typedef struct MachineCall {
    unsigned depth;
    char note[256];
    const MachineFault *armed;
} MachineCall;
void machine_pause(MachineCall *call);
void machine_resume(const MachineCall *call);

/* Adds to the line of this call in the log. */
__attribute__((format(printf, 1, 2))) void machine_note(const char *format, ...);
/* A line of its own. */
__attribute__((format(printf, 1, 2))) void machine_log(const char *format, ...);
/* Says on the standard error, and in the log, what the program does wrong; counts "complaint". */
__attribute__((format(printf, 1, 2))) void machine_complain(const char *format, ...);

/*
 * Counts "launch" (a kernel is submitted), "submission" (work is given to the device) or "run" (a
 * command runs), and returns the fault whose turn it is; NULL: none. "call" is counted by
 * machine_begin.
 */
const MachineFault *machine_count(const char *what);

/* What is to happen to the work that this call submits: hang, illegal; NULL: nothing. */
const MachineFault *machine_armed(void);
void machine_arm(const MachineFault *fault);

/* Whether the machine's file lets this allocation fail ("out-of-memory at N"); counts it. */
bool machine_denies_memory(void);

/* The next random number below n. */
uint64_t machine_random(uint64_t n);

/* -- for tests in the same process; not between machine_begin and machine_end -- */

/* Makes it another machine (NULL: the default) and order (NULL: as it is); counters begin at 0.
 * 0; -1, a text on the standard error, and nothing has changed. */
int machine_configure(const char *text, const char *order);
/* How often a function was called since then, or a word counted; or what the runtime measures. */
uint64_t machine_counted(const char *what);
/* For other functions that tests call: nothing runs between them. */
void machine_lock(void);
void machine_unlock(void);

#endif
