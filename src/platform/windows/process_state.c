/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a module must leave as it was. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/process.h"
#include "platform/windows/internal.h"

enum { STREAMS = 3 };

struct VmafProcessState {
    VmafProcessScope scope;
    LPTOP_LEVEL_EXCEPTION_FILTER filter;
    char *locale;       /* NULL if unknown */
    wchar_t *directory; /* NULL if unknown */
    UINT error_mode;
    HANDLE streams[STREAMS];
};

static const DWORD stream_names[STREAMS] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};

static LPTOP_LEVEL_EXCEPTION_FILTER exception_filter(void)
{
    const LPTOP_LEVEL_EXCEPTION_FILTER filter = SetUnhandledExceptionFilter(NULL);
    SetUnhandledExceptionFilter(filter);
    return filter;
}

static wchar_t *current_directory(void)
{
    const DWORD size = GetCurrentDirectoryW(0, NULL);
    wchar_t *directory = size ? malloc(size * sizeof(*directory)) : NULL;
    if (directory && GetCurrentDirectoryW(size, directory) < size)
        return directory;
    free(directory);
    return NULL;
}

int vmaf_process_state_capture(VmafProcessState **state_out, VmafProcessScope scope)
{
    VmafProcessState *state = calloc(1, sizeof(*state));
    *state_out = NULL;
    if (!state)
        return -ENOMEM;
    state->scope = scope;
    state->filter = exception_filter();
    const char *locale = setlocale(LC_ALL, NULL);
    state->locale = locale ? _strdup(locale) : NULL;
    state->directory = current_directory();
    state->error_mode = GetErrorMode();
    for (int i = 0; i < STREAMS; i++)
        state->streams[i] = GetStdHandle(stream_names[i]);
    *state_out = state;
    return 0;
}

static void complain(char *why, size_t size, bool is_first, const char *what)
{
    if (why && is_first)
        snprintf(why, size, "%s", what);
}

static bool lies_in(const void *address, const char *path)
{
    HMODULE module;
    wchar_t *wide;
    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            address, &module) ||
        vmaf_wide_path(path, &wide))
        return false;
    const bool is = GetModuleHandleW(wide) == module;
    free(wide);
    return is;
}

static bool restore_filter(const VmafProcessState *state, const char *module, char *why,
                           size_t size)
{
    const LPTOP_LEVEL_EXCEPTION_FILTER now = exception_filter();
    if (now == state->filter ||
        (state->scope == VMAF_PROCESS_OWN && !lies_in((const void *)(uintptr_t)now, module)))
        return true;
    SetUnhandledExceptionFilter(state->filter);
    complain(why, size, true, "changed the handler of exceptions");
    return false;
}

static bool restore_locale(const VmafProcessState *state)
{
    const char *now = setlocale(LC_ALL, NULL);
    if (!state->locale || (now && !strcmp(now, state->locale)))
        return true;
    setlocale(LC_ALL, state->locale);
    return false;
}

static bool restore_directory(const VmafProcessState *state)
{
    wchar_t *now = current_directory();
    const bool same = !state->directory || !now || !wcscmp(now, state->directory);
    if (!same)
        SetCurrentDirectoryW(state->directory);
    free(now);
    return same;
}

static bool restore_error_mode(const VmafProcessState *state)
{
    if (GetErrorMode() == state->error_mode)
        return true;
    SetErrorMode(state->error_mode);
    return false;
}

static bool restore_streams(const VmafProcessState *state)
{
    bool same = true;
    for (int i = 0; i < STREAMS; i++) {
        if (GetStdHandle(stream_names[i]) == state->streams[i])
            continue;
        SetStdHandle(stream_names[i], state->streams[i]);
        same = false;
    }
    return same;
}

bool vmaf_process_state_restore(const VmafProcessState *state, const char *module, char *why,
                                size_t size)
{
    static const struct {
        bool (*restore)(const VmafProcessState *state);
        const char *what;
    } others[] = {
        {restore_locale, "changed the locale"},
        {restore_directory, "changed the current directory"},
        {restore_error_mode, "changed the error mode"},
        {restore_streams, "changed a standard stream"},
    };
    bool same = restore_filter(state, module, why, size);
    for (size_t i = 0; state->scope != VMAF_PROCESS_OWN && i < sizeof(others) / sizeof(others[0]);
         i++) {
        if (others[i].restore(state))
            continue;
        complain(why, size, same, others[i].what);
        same = false;
    }
    return same;
}

void vmaf_process_state_free(VmafProcessState *state)
{
    if (!state)
        return;
    free(state->locale);
    free(state->directory);
    free(state);
}
