/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_WINDOWS_INTERNAL_H
#define VMAF_PLATFORM_WINDOWS_INTERNAL_H

/*
 * Between the tree and Windows: texts are UTF-8 on one side and UTF-16 on the other, errors are
 * negative errno on one side and numbers of GetLastError on the other.
 */

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "platform/file.h"

/* ---- Texts, paths, errors, streams ---- */

/* To be freed; NULL: no memory, or not well-formed. */
wchar_t *vmaf_wide_text(const char *text);
char *vmaf_narrow_text(const wchar_t *text);

/*
 * A path as functions of Windows take it: absolute with a prefix if it is longer than they would
 * accept otherwise. Slashes of both kinds are separators. 0; -ENOMEM, -EILSEQ (not UTF-8), -ENOENT
 * (empty). To be freed.
 */
int vmaf_wide_path(const char *path, wchar_t **wide);

/* The negative errno of an error of Windows. */
int vmaf_error_from(DWORD error);
int vmaf_last_error(void);

/* A standard stream by its name ("/dev/stdin", "/dev/stdout", "/dev/stderr"): its number, or -1. */
int vmaf_standard_stream_named(const char *path);
/* The handle of standard stream 0 to 2; INVALID_HANDLE_VALUE: there is none. */
HANDLE vmaf_standard_handle(int number);

/* In 100 ns. */
int64_t vmaf_filetime_number(FILETIME time);

/* ---- Handles ---- */

/*
 * Opens a file or folder that others may read, write, replace and remove meanwhile; not inherited.
 * "/dev/stdout" and the like are copies of the standard streams. 0; negative errno.
 */
int vmaf_handle_open(HANDLE *handle, const char *path, DWORD access, DWORD disposition,
                     DWORD flags);
/* A copy of a handle, for this process alone. */
int vmaf_handle_copy(HANDLE *copy, HANDLE handle);

/* What comes next. Bytes, 0 at the end, also of a pipe; negative errno. */
int64_t vmaf_handle_read(HANDLE handle, void *buffer, size_t size);
/* All bytes. 0; negative errno. */
int vmaf_handle_write(HANDLE handle, const void *data, size_t size);

/* ---- Another program, alone in a job ---- */

/* What it starts ends with the job, and the job with this process. */
typedef struct VmafSpawn {
    HANDLE process, job;
} VmafSpawn;

/*
 * Starts it with nothing as standard input; it inherits these two handles and no other. `folder`
 * may be NULL. 0; negative errno.
 */
int vmaf_spawn(VmafSpawn *spawn, const wchar_t *program, wchar_t *command_line,
               const wchar_t *folder, HANDLE output, HANDLE errors);

/* Ends whatever of it still runs. */
void vmaf_spawn_kill(const VmafSpawn *spawn);
/* Closes the handles, which kills as well. */
void vmaf_spawn_close(VmafSpawn *spawn);

/* ---- What another program writes, read while this one waits for other things as well ---- */

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

/* ---- How processes and threads end ---- */

/* Programs exit with small numbers, and the system ends them with codes of exceptions, whose two
 * highest bits say "error". */

/* What abort() ends supervised work with. */
#define VMAF_EXIT_ABORTED 0xc0000420u /* STATUS_ASSERTION_FAILURE */

static inline bool vmaf_exit_code_is_crash(uint32_t code)
{
    return code >= 0xc0000000u && code < 0xd0000000u;
}

#endif
