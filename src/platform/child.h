/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_CHILD_H
#define VMAF_PLATFORM_CHILD_H

/*
 * Other processes: a program that is run and waited for, one that is run for its text, and a
 * process of this program that is watched.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/file.h"

/* ---- A program that is run and waited for ---- */

/*
 * Another program that is run and waited for. Several may run at once, each called from a thread
 * of its own. No shell is involved. The program is alone in its group of processes, and all of the
 * group has ended, or is beyond help, when the call returns; where the system can do that, the
 * program also ends when the thread that runs it does, however that comes about. It reads nothing
 * (/dev/null), inherits the environment and only those open files that somebody else meant to be
 * inherited, and none of the caller's signals are blocked or ignored in it. Works in programs that
 * ignore the ends of their children, except that the status is then unknown; see there.
 */

typedef enum VmafChildStream {
    VMAF_CHILD_OUTPUT, /* what it writes to standard output */
    VMAF_CHILD_ERRORS, /* to standard error */
} VmafChildStream;

typedef struct VmafChildRun {
    const char *program;          /* searched in PATH unless it has a slash */
    const char *const *arguments; /* all; [0] is its name; NULL at the end */
    const char *folder;           /* to run in; NULL: the caller's */
    int64_t limit_ms;             /* without a sign of life, then it is killed; 0: none */
    const atomic_bool *stop;      /* once true it is killed; NULL: never */
    /*
     * Each piece of text as it comes, on the calling thread; not ended by a zero byte, and cut
     * anywhere. Whether that is a sign of life; without this function, any byte is. May be NULL.
     */
    bool (*on_text)(void *cookie, VmafChildStream stream, const char *text, size_t size);
    void *cookie;
    size_t output_max; /* bytes of standard output that are kept; what follows is thrown away */
} VmafChildRun;

typedef enum VmafChildEnding {
    VMAF_CHILD_EXITED,    /* number: its status */
    VMAF_CHILD_SIGNALLED, /* number: the signal, which we did not send */
    VMAF_CHILD_LATE,      /* killed: no sign of life */
    VMAF_CHILD_STOPPED,   /* killed: the caller asked for that */
    VMAF_CHILD_UNKNOWN,   /* the host program has collected its status, or ignores SIGCHLD */
} VmafChildEnding;

enum { VMAF_CHILD_ERROR_TAIL = 2048 };

typedef struct VmafChildResult {
    VmafChildEnding ending;
    int number;
    char *output; /* standard output, with a zero byte behind it; free */
    size_t output_size;
    char error_tail[VMAF_CHILD_ERROR_TAIL + 1]; /* the end of standard error */
    int64_t wall_ns;
    int64_t processor_ns; /* of the program and those it waited for; 0 if it cannot be told */
} VmafChildResult;

/*
 * 0 if it was started, whatever became of it. Negative errno if it could not be: -ENOENT: there is
 * no such program (or folder); -EACCES: it cannot be run; -ENOMEM; then there is no result.
 */
int vmaf_child_run(const VmafChildRun *run, VmafChildResult *result);
void vmaf_child_result_free(VmafChildResult *result);

/* ---- A program that is run for its text ---- */

/*
 * Another program that is run for the text that it writes to standard output. It inherits the
 * environment, and of open files only those that somebody else meant to be inherited. Works in
 * programs that ignore the ends of their children or collect them all, since only the text counts.
 * Several may run at once.
 */
typedef struct VmafHelper {
    const char *program;          /* its path */
    const char *const *arguments; /* behind its name, which is the path; NULL at the end */
    int64_t limit_ms;             /* then it is killed */
    size_t text_max;              /* bytes; what follows is not read */
    /* True if the text is complete, whether or not the helper has ended. */
    bool (*is_complete)(const char *text);
} VmafHelper;

/* Checks that a program that can be run lies there: 0; negative errno. */
int vmaf_helper_check(const char *program);

/* 0 and the text, with a zero byte, to be freed; negative errno if it could not be started. */
int vmaf_helper_run(const VmafHelper *helper, char **text);

/* ---- A process that is watched ---- */

/*
 * A program of two processes: one does work that may crash, hang or end it, the other watches over
 * it and tells how it has ended. What both have to say goes to the standard output that the program
 * was started with; what the work itself prints there is lost.
 */

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
