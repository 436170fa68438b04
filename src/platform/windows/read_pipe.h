/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_WINDOWS_READ_PIPE_H
#define VMAF_PLATFORM_WINDOWS_READ_PIPE_H

/* What another program writes, read while this one waits for other things as well. */

#include "platform/windows/native.h"

enum { VMAF_READ_PIPE_SIZE = 65536 };

typedef struct VmafReadPipe {
    HANDLE handle; /* INVALID_HANDLE_VALUE: closed, or at its end */
    HANDLE event;  /* set when vmaf_read_pipe_take has something to do */
    OVERLAPPED overlapped;
    char *buffer;
    bool is_reading;
} VmafReadPipe;

/* *writer is the other end, which another program can inherit. 0; negative errno. */
int vmaf_read_pipe_open(VmafReadPipe *pipe, HANDLE *writer);
/* Bytes that are there, in pipe->buffer until the next call; 0: none yet; -EPIPE: the end. */
int64_t vmaf_read_pipe_take(VmafReadPipe *pipe);
void vmaf_read_pipe_close(VmafReadPipe *pipe);

#endif
