/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef HOSTILE_MISBEHAVIOUR_H
#define HOSTILE_MISBEHAVIOUR_H

/* What a hostile plugin does at one of the places where it gets to run. */
enum Misbehaviour {
    NOTHING,
    CRASH,
    ABORT,
    EXIT,
    QUIT, /* with success, past what others do at the end */
    LOOP,
    SPIN,
    ALLOCATE, /* one gigabyte, and uses it */
    PRINT,
    SET_LOCALE,
    SET_THREAD_LOCALE,
    SET_HANDLER,
    WANT_SIGNALS, /* and not live without */
    SET_DIRECTORY,
    SET_UMASK,
    SET_LIMIT,
    CLOSE_STREAM, /* and opens something else in its place */
    CLOSE_ALL,    /* but the standard streams, as daemons do */
    SET_FLAGS,    /* of standard input */
    SET_FLUSH_TO_ZERO,
    SET_DENORMALS_ARE_ZERO, /* alone; where there is no such thing, as SET_FLUSH_TO_ZERO */
    SET_TRAPS,
    SET_ROUNDING,
    LEAVE_CHILD, /* that holds a lock on the file of VMAF_TEST_LOCK */
    FREE_TWICE,  /* memory corruption that allocators detect */
};

void misbehave(enum Misbehaviour kind);

#endif
