/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_SUPERVISOR_H
#define VMAF_PLATFORM_SUPERVISOR_H

/*
 * A program of two processes: one does work that may crash, hang or end it, the other watches over
 * it and tells how it has ended. What both have to say goes to the standard output that the program
 * was started with; what the work itself prints there is lost.
 */

#include "platform/file.h"

/* Where lines are reported. */
typedef struct VmafReport {
    VmafFile file;
    VmafFileStatus status;
} VmafReport;

typedef struct VmafWork {
    /* Called in the process that is watched, and must end it with exit or _Exit. */
    void (*function)(void *argument, const VmafReport *report);
    void *argument;
    unsigned limit_ms;    /* which begins anew as long as processor time is consumed, */
    unsigned limit_times; /* until this many of them have passed in all */
} VmafWork;

typedef enum VmafWorkEnd {
    VMAF_WORK_EXITED,
    VMAF_WORK_CRASHED, /* or was killed */
    VMAF_WORK_LATE,
} VmafWorkEnd;

typedef struct VmafWorkResult {
    VmafWorkEnd end;
    int number;   /* exit status; number of the signal */
    bool printed; /* something to the standard output that is not the report */
} VmafWorkResult;

/*
 * Runs the work, once in a program and before it has threads. When it returns, neither the process
 * nor anything that it has started in its group is there any more, or it is beyond help. Files
 * that were inherited are closed in both processes; the watched one leaves no file of its memory
 * and ends with the one that watches. Where a process cannot be copied, the program is started
 * anew up to this call: so call it with the same arguments for the same command line. 0; negative
 * errno if it cannot be started.
 */
int vmaf_supervise(const VmafWork *work, VmafReport *report, VmafWorkResult *result);

/* Writes to the report. False if it was closed, or stands for another file by now. */
bool vmaf_report_print(const VmafReport *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
