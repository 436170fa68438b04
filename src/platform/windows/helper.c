/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/helper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/time.h"
#include "platform/windows/read_pipe.h"
#include "platform/windows/spawn.h"

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

static int start(VmafSpawn *spawn, const VmafHelper *helper, VmafReadPipe *pipe)
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
static bool collect(const VmafHelper *helper, VmafReadPipe *pipe, char *text, int64_t deadline)
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
    const int err = start(&spawn, helper, &pipe);
    if (err) {
        free(content);
        return err;
    }
    if (collect(helper, &pipe, content, deadline))
        WaitForSingleObject(spawn.process, REAPING_MS);
    vmaf_read_pipe_close(&pipe);
    vmaf_spawn_close(&spawn); /* which kills it if it is still there */
    *text = content;
    return 0;
}
