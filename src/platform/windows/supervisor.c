/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/child.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/time.h"
#include "platform/windows/internal.h"

/*
 * A process cannot be copied here. The one that watches starts the program anew with the same
 * command line; that it is the one that works, and where it reports, is in its environment.
 */
#define ROLE L"VMAF_SUPERVISED"

enum {
    LOOK_MS = 100,       /* between looks at how the process gets on */
    PROGRESS_PART = 100, /* of the limit: less processor time than this is no progress */
    KILL_MS = 500,       /* how long a process that was killed is waited for */
    TICKS_PER_MS = 10000,
};

bool vmaf_report_print(const VmafReport *report, const char *format, ...)
{
    char text[4096];
    VmafFileStatus now;
    if (vmaf_file_status(&report->file, &now) < 0 || !vmaf_file_is_same(&now, &report->status))
        return false;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length < sizeof(text))
        vmaf_handle_write((HANDLE)report->file.handle, text, (size_t)length);
    return true;
}

/* ---- The process that is watched ---- */

static void end_aborted(int number)
{
    (void)number;
    TerminateProcess(GetCurrentProcess(), VMAF_EXIT_ABORTED);
}

/* The report is inherited as standard error: its own handle is one of nobody else. */
_Noreturn static void do_work(const VmafWork *work)
{
    VmafReport report;
    HANDLE handle = INVALID_HANDLE_VALUE;
    SetEnvironmentVariableW(ROLE, NULL);
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    signal(SIGABRT, end_aborted);
    if (vmaf_handle_copy(&handle, vmaf_standard_handle(2)))
        exit(1);
    report.file.handle = (intptr_t)handle;
    /* What the work complains about is not a report. */
    const int nothing = _wopen(L"NUL", _O_WRONLY | _O_BINARY);
    if (nothing < 0 || _dup2(nothing, 2))
        exit(1);
    _close(nothing);
    SetStdHandle(STD_ERROR_HANDLE, (HANDLE)_get_osfhandle(2));
    if (vmaf_file_status(&report.file, &report.status))
        exit(1);
    work->function(work->argument, &report);
    exit(1);
}

/* ---- The process that watches ---- */

static int64_t milliseconds_consumed(HANDLE process)
{
    FILETIME begun, ended, kernel, user;
    if (!GetProcessTimes(process, &begun, &ended, &kernel, &user))
        return 0;
    return (vmaf_filetime_number(kernel) + vmaf_filetime_number(user)) / TICKS_PER_MS;
}

/* What the work prints is read, so that it waits for nobody, and thrown away. */
static bool wait_for_end(const VmafSpawn *spawn, VmafReadPipe *output, const VmafWork *work,
                         bool *printed)
{
    const int64_t begun = vmaf_steady_ms(), limit_ms = work->limit_ms;
    int64_t start = begun, consumed = 0;
    for (;;) {
        const HANDLE signs[] = {spawn->process, output->event};
        const int64_t now = vmaf_steady_ms(), left = limit_ms - (now - start);
        if (left <= 0 || now - begun >= work->limit_times * limit_ms)
            return false;
        if (WaitForMultipleObjects(2, signs, FALSE, left < LOOK_MS ? (DWORD)left : LOOK_MS) ==
            WAIT_OBJECT_0)
            return true;
        *printed |= vmaf_read_pipe_take(output) > 0;
        const int64_t so_far = milliseconds_consumed(spawn->process);
        if (so_far - consumed > limit_ms / PROGRESS_PART) {
            consumed = so_far;
            start = vmaf_steady_ms();
        }
    }
}

static void watch(VmafSpawn *spawn, VmafReadPipe *output, const VmafWork *work,
                  VmafWorkResult *result)
{
    DWORD code = 0;
    bool printed = false;
    const bool in_time =
        wait_for_end(spawn, output, work, &printed) && GetExitCodeProcess(spawn->process, &code);
    vmaf_spawn_kill(spawn); /* and what it may have started */
    if (!in_time)
        WaitForSingleObject(spawn->process, KILL_MS); /* or it is left behind */
    printed |= vmaf_read_pipe_take(output) > 0;
    *result = (VmafWorkResult){.end = VMAF_WORK_LATE, .printed = printed};
    if (in_time) {
        result->end = vmaf_exit_code_is_crash(code) ? VMAF_WORK_CRASHED : VMAF_WORK_EXITED;
        result->number = (int)code;
    }
}

static int own_path(wchar_t **path)
{
    for (DWORD size = MAX_PATH;; size *= 2) {
        *path = malloc(size * sizeof(**path));
        if (!*path)
            return -ENOMEM;
        const DWORD length = GetModuleFileNameW(NULL, *path, size);
        if (length && length < size)
            return 0;
        free(*path);
        *path = NULL;
        if (!length)
            return vmaf_last_error();
    }
}

static int start_again(VmafSpawn *spawn, HANDLE output, HANDLE report)
{
    wchar_t *path, *command_line = _wcsdup(GetCommandLineW());
    int err = command_line ? own_path(&path) : -ENOMEM;
    if (!err) {
        SetEnvironmentVariableW(ROLE, L"1");
        err = vmaf_spawn(spawn, path, command_line, NULL, output, report);
        SetEnvironmentVariableW(ROLE, NULL);
        free(path);
    }
    free(command_line);
    return err;
}

/* A copy of standard output that the work inherits, and ours. */
static int divide_output(VmafReport *report, HANDLE *inherited)
{
    const HANDLE here = GetCurrentProcess(), output = vmaf_standard_handle(1);
    HANDLE handle;
    const int err = vmaf_handle_copy(&handle, output);
    if (err)
        return err;
    report->file.handle = (intptr_t)handle;
    if (!DuplicateHandle(here, output, here, inherited, 0, TRUE, DUPLICATE_SAME_ACCESS))
        return vmaf_last_error();
    return vmaf_file_status(&report->file, &report->status);
}

int vmaf_supervise(const VmafWork *work, VmafReport *report, VmafWorkResult *result)
{
    if (GetEnvironmentVariableW(ROLE, NULL, 0))
        do_work(work);
    HANDLE inherited, writer;
    VmafReadPipe output;
    VmafSpawn spawn;
    int err = divide_output(report, &inherited);
    if (err)
        return err;
    err = vmaf_read_pipe_open(&output, &writer);
    if (!err) {
        err = start_again(&spawn, writer, inherited);
        CloseHandle(writer);
        if (!err) {
            watch(&spawn, &output, work, result);
            vmaf_spawn_close(&spawn);
        }
        vmaf_read_pipe_close(&output);
    }
    CloseHandle(inherited);
    return err;
}
