/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/child.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/internal.h"
#include "platform/time.h"
#include "platform/windows/internal.h"

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

/*
 * The program, if it is a path with a separator that can be run, also if ".exe" has to be added;
 * else that of the name in PATH. To be freed. 0; -ENOENT; -EACCES: it is no program; -ENOMEM.
 */
static int vmaf_spawn_find(const char *program, wchar_t **path)
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

/* A command line that is taken apart into the arguments again; NULL: no memory. */
static wchar_t *vmaf_command_line(const char *const *arguments)
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

/* Handles to the device that takes all and gives nothing; inherited. */
static HANDLE vmaf_null_device(void)
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

/* ---- A program that is run and waited for ---- */

enum {
    STOP_LOOK_MS = 50,      /* between looks at the flag that stops */
    LOOK_MS = 60000,        /* between looks at nothing in particular */
    BEYOND_HELP_MS = 10000, /* after it was killed: it hangs in the system */
    REST_MAX = 64,          /* pieces that are read of what is still in a pipe */
    STREAMS = 2,
    TICK_NS = 100,
};

typedef struct Child {
    const VmafChildRun *run;
    VmafChildText text;
    VmafSpawn spawn;
    VmafReadPipe pipes[STREAMS]; /* VmafChildStream */
    bool killed;
    VmafChildEnding why;
    int64_t given_up; /* when */
} Child;

static int start(Child *child, const wchar_t *program)
{
    const VmafChildRun *run = child->run;
    HANDLE writers[STREAMS] = {INVALID_HANDLE_VALUE, INVALID_HANDLE_VALUE};
    wchar_t *folder = NULL, *command_line = vmaf_command_line(run->arguments);
    int err = command_line ? 0 : -ENOMEM;
    if (!err && run->folder)
        err = vmaf_wide_path(run->folder, &folder);
    for (int i = 0; !err && i < STREAMS; i++)
        err = vmaf_read_pipe_open(&child->pipes[i], &writers[i]);
    if (!err)
        err = vmaf_spawn(&child->spawn, program, command_line, folder, writers[VMAF_CHILD_OUTPUT],
                         writers[VMAF_CHILD_ERRORS]);
    for (int i = 0; i < STREAMS; i++)
        if (writers[i] != INVALID_HANDLE_VALUE)
            CloseHandle(writers[i]);
    free(folder);
    free(command_line);
    return err;
}

static bool read_stream(Child *child, int i)
{
    const int64_t n = vmaf_read_pipe_take(&child->pipes[i]);
    if (n > 0)
        vmaf_child_text_take(&child->text, (VmafChildStream)i, child->pipes[i].buffer, (size_t)n);
    return n > 0;
}

/* False if nothing more can be done. */
static bool look_after(Child *child)
{
    const VmafChildRun *run = child->run;
    const int64_t now = vmaf_steady_ms();
    if (child->killed)
        return now < child->given_up;
    const bool is_late = run->limit_ms > 0 && now - child->text.last_sign >= run->limit_ms;
    const bool is_stopped = run->stop && atomic_load(run->stop);
    if (is_late || is_stopped) {
        child->killed = true;
        child->why = is_stopped ? VMAF_CHILD_STOPPED : VMAF_CHILD_LATE;
        child->given_up = now + BEYOND_HELP_MS;
        vmaf_spawn_kill(&child->spawn);
    }
    return true;
}

/* How long nothing has to be looked at while nothing is said. */
static DWORD wait_ms(const Child *child)
{
    const VmafChildRun *run = child->run;
    int64_t wait = LOOK_MS;
    if (child->killed)
        return STOP_LOOK_MS;
    if (run->stop)
        wait = STOP_LOOK_MS;
    if (run->limit_ms > 0) {
        const int64_t left = child->text.last_sign + run->limit_ms - vmaf_steady_ms();
        wait = left < 0 ? 0 : left < wait ? left : wait;
    }
    return (DWORD)wait;
}

/* Until the program has ended. False if it is beyond help. */
static bool attend(Child *child)
{
    for (;;) {
        const HANDLE signs[] = {child->spawn.process, child->pipes[0].event, child->pipes[1].event};
        const DWORD sign = WaitForMultipleObjects(1 + STREAMS, signs, FALSE, wait_ms(child));
        if (sign == WAIT_OBJECT_0)
            return true;
        for (int i = 0; i < STREAMS; i++)
            read_stream(child, i);
        if (!look_after(child))
            return false;
    }
}

/* What is still in the pipes. Something that has left the job may hold them open for ever. */
static void read_rest(Child *child)
{
    for (int i = 0; i < STREAMS; i++) {
        for (int rounds = 0; rounds < REST_MAX && read_stream(child, i);)
            rounds++;
    }
}

static void collect(Child *child)
{
    VmafChildResult *result = child->text.result;
    FILETIME begun, ended, kernel, user;
    DWORD code;
    result->ending = VMAF_CHILD_UNKNOWN;
    if (GetExitCodeProcess(child->spawn.process, &code)) {
        result->ending = vmaf_exit_code_is_crash(code) ? VMAF_CHILD_SIGNALLED : VMAF_CHILD_EXITED;
        result->number = (int)code;
    }
    if (GetProcessTimes(child->spawn.process, &begun, &ended, &kernel, &user))
        result->processor_ns =
            (vmaf_filetime_number(kernel) + vmaf_filetime_number(user)) * TICK_NS;
}

static void run_to_the_end(Child *child)
{
    const bool ended = attend(child);
    vmaf_spawn_kill(&child->spawn); /* whatever it has left behind */
    read_rest(child);
    if (ended)
        collect(child);
    if (child->killed)
        child->text.result->ending = child->why;
}

int vmaf_child_run(const VmafChildRun *run, VmafChildResult *result)
{
    *result = (VmafChildResult){.ending = VMAF_CHILD_UNKNOWN};
    const int64_t begun = vmaf_steady_ns();
    Child child = {.run = run,
                   .pipes = {{.handle = INVALID_HANDLE_VALUE}, {.handle = INVALID_HANDLE_VALUE}}};
    wchar_t *program = NULL;
    int err = vmaf_spawn_find(run->program, &program);
    if (err)
        return err;
    err = vmaf_child_text_begin(&child.text, run, result);
    if (!err)
        err = start(&child, program);
    if (!err)
        run_to_the_end(&child);
    vmaf_spawn_close(&child.spawn);
    for (int i = 0; i < STREAMS; i++)
        vmaf_read_pipe_close(&child.pipes[i]);
    result->wall_ns = vmaf_steady_ns() - begun;
    if (!err && child.text.out_of_memory)
        err = -ENOMEM;
    if (err)
        vmaf_child_result_free(result);
    free(program);
    return err;
}

/* ---- A program that is run for its text ---- */

enum {
    ARGUMENTS_MAX = 8,
    REAPING_MS = 1000, /* how long its end is waited for once it has said all */
};

int vmaf_helper_check(const char *program)
{
    wchar_t *path;
    const int err = vmaf_spawn_find(program, &path);
    free(path);
    return err;
}

static int start_helper(VmafSpawn *spawn, const VmafHelper *helper, VmafReadPipe *pipe)
{
    const char *arguments[ARGUMENTS_MAX + 2] = {helper->program};
    for (size_t i = 0; helper->arguments[i]; i++) {
        if (i == ARGUMENTS_MAX)
            return -E2BIG;
        arguments[i + 1] = helper->arguments[i];
    }
    HANDLE writer;
    wchar_t *program;
    int err = vmaf_spawn_find(helper->program, &program);
    if (err)
        return err;
    err = vmaf_read_pipe_open(pipe, &writer);
    if (!err) {
        const HANDLE nothing = vmaf_null_device();
        wchar_t *command_line = vmaf_command_line(arguments);
        err = command_line ? vmaf_spawn(spawn, program, command_line, NULL, writer, nothing)
                           : -ENOMEM;
        CloseHandle(writer);
        if (nothing != INVALID_HANDLE_VALUE)
            CloseHandle(nothing);
        free(command_line);
        if (err)
            vmaf_read_pipe_close(pipe);
    }
    free(program);
    return err;
}

/* Until all is said, the end of the pipe, or the deadline. False if the helper is still there. */
static bool collect_text(const VmafHelper *helper, VmafReadPipe *pipe, char *text, int64_t deadline)
{
    size_t used = 0;
    text[0] = '\0';
    while (used < helper->text_max && !helper->is_complete(text)) {
        const int64_t left = deadline - vmaf_steady_ms();
        if (left <= 0)
            return false;
        if (WaitForSingleObject(pipe->event, left < REAPING_MS ? (DWORD)left : REAPING_MS) !=
            WAIT_OBJECT_0)
            continue;
        const int64_t n = vmaf_read_pipe_take(pipe);
        if (n < 0)
            break;
        const size_t room = helper->text_max - used, part = (size_t)n < room ? (size_t)n : room;
        memcpy(text + used, pipe->buffer, part);
        used += part;
        text[used] = '\0';
    }
    return true;
}

int vmaf_helper_run(const VmafHelper *helper, char **text)
{
    *text = NULL;
    char *content = malloc(helper->text_max + 1);
    if (!content)
        return -ENOMEM;
    const int64_t deadline = vmaf_steady_ms() + helper->limit_ms;
    VmafSpawn spawn;
    VmafReadPipe pipe;
    const int err = start_helper(&spawn, helper, &pipe);
    if (err) {
        free(content);
        return err;
    }
    if (collect_text(helper, &pipe, content, deadline))
        WaitForSingleObject(spawn.process, REAPING_MS);
    vmaf_read_pipe_close(&pipe);
    vmaf_spawn_close(&spawn); /* which kills it if it is still there */
    *text = content;
    return 0;
}
