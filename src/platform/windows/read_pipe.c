/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/windows/read_pipe.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/time.h"

/* Reads of pipes without a name cannot be left to the system; so it has one, that nobody guesses
 * in time: there is one instance, and we are the first to make it. */
static HANDLE create(HANDLE *writer)
{
    static atomic_uint counter;
    wchar_t name[96];
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof(inherited), .bInheritHandle = TRUE};
    _snwprintf(name, 96, L"\\\\.\\pipe\\vmaf-%lx-%x-%llx", GetCurrentProcessId(),
               atomic_fetch_add(&counter, 1), (unsigned long long)vmaf_steady_ns());
    const HANDLE reader = CreateNamedPipeW(
        name, PIPE_ACCESS_INBOUND | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
        PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS, 1, 0, VMAF_READ_PIPE_SIZE, 0, NULL);
    if (reader == INVALID_HANDLE_VALUE)
        return reader;
    *writer = CreateFileW(name, GENERIC_WRITE, 0, &inherited, OPEN_EXISTING, 0, NULL);
    if (*writer != INVALID_HANDLE_VALUE)
        return reader;
    CloseHandle(reader);
    return INVALID_HANDLE_VALUE;
}

static void end(VmafReadPipe *pipe)
{
    CloseHandle(pipe->handle);
    pipe->handle = INVALID_HANDLE_VALUE;
    ResetEvent(pipe->event);
}

/* The system resets the event, and sets it when there are bytes or an end. */
static void begin_to_read(VmafReadPipe *pipe)
{
    pipe->overlapped = (OVERLAPPED){.hEvent = pipe->event};
    pipe->is_reading =
        ReadFile(pipe->handle, pipe->buffer, VMAF_READ_PIPE_SIZE, NULL, &pipe->overlapped) ||
        GetLastError() == ERROR_IO_PENDING;
    if (!pipe->is_reading)
        end(pipe);
}

int vmaf_read_pipe_open(VmafReadPipe *pipe, HANDLE *writer)
{
    *pipe = (VmafReadPipe){.handle = INVALID_HANDLE_VALUE};
    pipe->buffer = malloc(VMAF_READ_PIPE_SIZE);
    pipe->event = CreateEventW(NULL, TRUE, FALSE, NULL);
    int err = pipe->buffer && pipe->event ? 0 : -ENOMEM;
    if (!err && (pipe->handle = create(writer)) == INVALID_HANDLE_VALUE)
        err = vmaf_last_error();
    if (err)
        vmaf_read_pipe_close(pipe);
    else
        begin_to_read(pipe);
    return err;
}

int64_t vmaf_read_pipe_take(VmafReadPipe *pipe)
{
    DWORD got = 0;
    if (pipe->handle != INVALID_HANDLE_VALUE && !pipe->is_reading)
        begin_to_read(pipe);
    if (pipe->handle == INVALID_HANDLE_VALUE)
        return -EPIPE;
    if (GetOverlappedResult(pipe->handle, &pipe->overlapped, &got, FALSE)) {
        pipe->is_reading = false; /* the event stays set, so that the next call comes soon */
        return got;
    }
    if (GetLastError() == ERROR_IO_INCOMPLETE)
        return 0;
    end(pipe);
    return -EPIPE;
}

void vmaf_read_pipe_close(VmafReadPipe *pipe)
{
    if (pipe->handle != INVALID_HANDLE_VALUE) {
        DWORD got;
        if (pipe->is_reading && CancelIo(pipe->handle))
            GetOverlappedResult(pipe->handle, &pipe->overlapped, &got, TRUE);
        CloseHandle(pipe->handle);
    }
    if (pipe->event)
        CloseHandle(pipe->event);
    free(pipe->buffer);
    *pipe = (VmafReadPipe){.handle = INVALID_HANDLE_VALUE};
}
