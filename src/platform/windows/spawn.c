/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/windows/spawn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which program ---- */

static int check_program(const wchar_t *path)
{
    const DWORD attributes = GetFileAttributesW(path);
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return vmaf_last_error() == -EACCES ? -EACCES : -ENOENT;
    return attributes & FILE_ATTRIBUTE_DIRECTORY ? -EACCES : 0;
}

/* What a file of this name begins with says whether it is a program; its name says nothing. */
static int check_executable(const wchar_t *path)
{
    char mark[2] = "";
    DWORD got = 0;
    const int err = check_program(path);
    if (err)
        return err;
    const HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                                    OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return vmaf_last_error();
    const bool is_read = ReadFile(file, mark, sizeof(mark), &got, NULL);
    CloseHandle(file);
    return is_read && got == sizeof(mark) && mark[0] == 'M' && mark[1] == 'Z' ? 0 : -EACCES;
}

/* `folder` and `name`, or the latter alone, with ".exe" if there is none without. */
static int try_program(const wchar_t *folder, size_t length, const wchar_t *name, wchar_t **path)
{
    wchar_t *joined = malloc((length + wcslen(name) + 6) * sizeof(*joined));
    if (!joined)
        return -ENOMEM;
    wmemcpy(joined, folder, length);
    joined[length] = L'\0';
    if (length && joined[length - 1] != L'\\' && joined[length - 1] != L'/')
        wcscat(joined, L"\\");
    wcscat(joined, name);
    int err = check_executable(joined);
    if (err) {
        wcscat(joined, L".exe");
        const int other = check_executable(joined);
        if (other != -ENOENT)
            err = other;
    }
    if (err)
        free(joined);
    else
        *path = joined;
    return err;
}

/* The folders of PATH alone: not the current one, and not that of this program. */
static int search(const wchar_t *name, wchar_t **path)
{
    const char *narrow = getenv("PATH");
    wchar_t *folders = vmaf_wide_text(narrow ? narrow : "");
    int err = folders ? -ENOENT : -ENOMEM;
    for (const wchar_t *at = folders; at && err && err != -ENOMEM;) {
        const size_t length = wcscspn(at, L";");
        if (length) {
            const int found = try_program(at, length, name, path);
            if (found != -ENOENT)
                err = found;
        }
        at += length;
        if (!*at++)
            break;
    }
    free(folders);
    return err;
}

int vmaf_spawn_find(const char *program, wchar_t **path)
{
    *path = NULL;
    if (strpbrk(program, "/\\:")) {
        wchar_t *wide;
        int err = vmaf_wide_path(program, &wide);
        if (err)
            return err;
        err = try_program(L"", 0, wide, path);
        free(wide);
        return err;
    }
    if (!*program)
        return -ENOENT;
    wchar_t *name = vmaf_wide_text(program);
    const int err = name ? search(name, path) : -ENOMEM;
    free(name);
    return err;
}

/* ---- The command line ---- */

/*
 * Programs of the C runtime take it apart themselves: an argument with blanks is quoted, a
 * quotation mark in it follows a backslash, and backslashes before a quotation mark are doubled.
 */
static char *quote(char *to, const char *argument)
{
    const bool is_plain = *argument && !strpbrk(argument, " \t\n\v\"");
    size_t backslashes = 0;
    if (!is_plain)
        *to++ = '"';
    for (; *argument; argument++) {
        for (size_t i = 0; *argument == '"' && i <= backslashes; i++)
            *to++ = '\\';
        backslashes = *argument == '\\' ? backslashes + 1 : 0;
        *to++ = *argument;
    }
    for (size_t i = 0; !is_plain && i < backslashes; i++)
        *to++ = '\\';
    if (!is_plain)
        *to++ = '"';
    return to;
}

wchar_t *vmaf_command_line(const char *const *arguments)
{
    size_t size = 1;
    for (size_t i = 0; arguments[i]; i++)
        size += 2 * strlen(arguments[i]) + 3;
    char *text = malloc(size), *end = text;
    for (size_t i = 0; text && arguments[i]; i++) {
        if (i)
            *end++ = ' ';
        end = quote(end, arguments[i]);
    }
    if (!text)
        return NULL;
    *end = '\0';
    wchar_t *wide = vmaf_wide_text(text);
    free(text);
    return wide;
}

/* ---- Start ---- */

HANDLE vmaf_null_device(void)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof(inherited), .bInheritHandle = TRUE};
    return CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                       &inherited, OPEN_EXISTING, 0, NULL);
}

static HANDLE create_job(void)
{
    const HANDLE job = CreateJobObjectW(NULL, NULL);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    limits.BasicLimitInformation.LimitFlags =
        JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
    if (job &&
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof(limits)))
        return job;
    if (job)
        CloseHandle(job);
    return NULL;
}

/* The list of what is inherited, in a structure whose size the system tells. */
static int list_handles(STARTUPINFOEXW *start, HANDLE *handles, size_t count)
{
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(NULL, 1, 0, &size);
    start->lpAttributeList = malloc(size);
    if (!start->lpAttributeList)
        return -ENOMEM;
    if (InitializeProcThreadAttributeList(start->lpAttributeList, 1, 0, &size) &&
        UpdateProcThreadAttribute(start->lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
                                  handles, count * sizeof(*handles), NULL, NULL))
        return 0;
    const int err = vmaf_last_error();
    free(start->lpAttributeList);
    return err;
}

/* It does not run before it is in the job. */
static int start_in_job(VmafSpawn *spawn, const wchar_t *program, wchar_t *command_line,
                        const wchar_t *folder, STARTUPINFOEXW *start)
{
    PROCESS_INFORMATION made;
    const DWORD flags = CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP |
                        EXTENDED_STARTUPINFO_PRESENT | CREATE_UNICODE_ENVIRONMENT;
    if (!CreateProcessW(program, command_line, NULL, NULL, TRUE, flags, NULL, folder,
                        &start->StartupInfo, &made)) {
        const DWORD error = GetLastError();
        return error == ERROR_BAD_EXE_FORMAT ? -EACCES : vmaf_error_from(error);
    }
    int err = 0;
    if (!AssignProcessToJobObject(spawn->job, made.hProcess)) {
        err = vmaf_last_error();
        TerminateProcess(made.hProcess, 1);
        CloseHandle(made.hProcess);
    } else {
        spawn->process = made.hProcess;
        ResumeThread(made.hThread);
    }
    CloseHandle(made.hThread);
    return err;
}

int vmaf_spawn(VmafSpawn *spawn, const wchar_t *program, wchar_t *command_line,
               const wchar_t *folder, HANDLE output, HANDLE errors)
{
    *spawn = (VmafSpawn){.job = create_job()};
    const HANDLE nothing = vmaf_null_device();
    HANDLE handles[] = {nothing, output, errors};
    STARTUPINFOEXW start = {.StartupInfo = {.cb = sizeof(start),
                                            .dwFlags = STARTF_USESTDHANDLES,
                                            .hStdInput = nothing,
                                            .hStdOutput = output,
                                            .hStdError = errors}};
    int err = spawn->job && nothing != INVALID_HANDLE_VALUE ? 0 : vmaf_last_error();
    if (!err)
        err = list_handles(&start, handles, output == errors ? 2 : 3);
    if (!err) {
        err = start_in_job(spawn, program, command_line, folder, &start);
        DeleteProcThreadAttributeList(start.lpAttributeList);
        free(start.lpAttributeList);
    }
    if (nothing != INVALID_HANDLE_VALUE)
        CloseHandle(nothing);
    if (err)
        vmaf_spawn_close(spawn);
    return err;
}

void vmaf_spawn_kill(const VmafSpawn *spawn)
{
    TerminateJobObject(spawn->job, 1);
}

void vmaf_spawn_close(VmafSpawn *spawn)
{
    if (spawn->job)
        CloseHandle(spawn->job);
    if (spawn->process)
        CloseHandle(spawn->process);
    *spawn = (VmafSpawn){0};
}
