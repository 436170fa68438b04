/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/child_text.h"
#include "platform/time.h"
#include "platform/windows/exit_code.h"
#include "platform/windows/read_pipe.h"
#include "platform/windows/spawn.h"

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

void vmaf_child_result_free(VmafChildResult *result)
{
    free(result->output);
    *result = (VmafChildResult){.ending = VMAF_CHILD_UNKNOWN};
}
