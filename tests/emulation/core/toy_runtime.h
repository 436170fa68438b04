/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CORE_TOY_RUNTIME_H
#define TESTS_EMULATION_CORE_TOY_RUNTIME_H

#include "machine.h"
#include "support/cases.h"

/*
 * A runtime that only notes what emulated machines ask of it. Its functions are toyOpen, toyWork
 * and toyOuter, which calls toyWork. It has the word `colour N` of devices, and a `driver` of its
 * own, before the common one, that takes numbers below 1000. Its tasks wait for those before them
 * on their queue if they, or these, are in order, and for a signal.
 */

enum { TOY_DRIVER = 42, TOY_UNKNOWN = 999, TOY_COLOUR = 3 /* index of own */ };
enum { TOY_BAD = 7, TOY_NEGATIVE = -13 }; /* errors */

int toyOpen(void);
int toyWork(void); /* notes " size=8" */
int toyOuter(void);

extern int toy_forgotten, toy_set_up, toy_lost; /* how often; the error of the last lose */
/* What machine_armed is within toyWork: the kind of a fault; -1: none. */
extern int toy_armed;
/* What is called in the middle of toyWork; NULL: nothing. */
extern void (*toy_during_work)(void);

typedef struct ToyTask {
    Task task;
    char name;
    bool is_in_order;
    unsigned awaits, signals; /* one of 32; 0: none */
    unsigned parts;           /* that it runs in */
} ToyTask;

extern char toy_ran[64]; /* names of tasks, in the order in which they ran; in small letters
                            if they fail */
extern unsigned toy_is_signalled; /* by bit */

/* Has been called between machine_begin and machine_end, as all of schedule.h has to be. */
void toy_submit(TaskQueue *queue, ToyTask task);

#endif
