/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMAND_LINE_EXIT_STATUS_H
#define TUNE_COMMAND_LINE_EXIT_STATUS_H

/* What the program tells its caller. */
enum TuneStatus {
    TUNE_OK = 0,            /* there is a result */
    TUNE_NO_RESULT = 1,     /* it ran, but nothing reaches the target, or all encodes failed */
    TUNE_USAGE = 2,         /* the command line is wrong, an input unreadable, a program missing */
    TUNE_DISAGREES = 3,     /* `fast`: estimate and verification differ by more than is tolerated */
    TUNE_BACKEND = 100,     /* the score backend that was asked for is unavailable, or was lost */
    TUNE_INTERRUPTED = 130, /* by Ctrl-C; what is finished is kept */
};

#endif
