/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_EXIT_STATUS_H
#define CLI_EXIT_STATUS_H

/* What the program tells its caller. */
enum ExitStatus {
    STATUS_OK = 0,
    STATUS_USAGE = 1,         /* the command line is wrong */
    STATUS_GATE = 3,          /* a score is not as --require demands; the report is written */
    STATUS_BACKEND = 100,     /* the backend that was asked for is not available */
    STATUS_INTERRUPTED = 130, /* a batch, by Ctrl-C; results of pairs that ended are there */
    STATUS_READ = 234,        /* a frame could not be read or scored, or there was none (-EINVAL) */
    STATUS_FAILURE = 255,     /* anything else */
};

#endif
