/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/process_state.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/posix/descriptors.h"
#include "platform/posix/system.h"

enum { SIGNALS_MAX = 128 };

static const struct {
    int resource;
    const char *name;
} limits[] = {
    {RLIMIT_AS, "RLIMIT_AS"},
    {RLIMIT_CORE, "RLIMIT_CORE"},
    {RLIMIT_CPU, "RLIMIT_CPU"},
    {RLIMIT_DATA, "RLIMIT_DATA"},
    {RLIMIT_FSIZE, "RLIMIT_FSIZE"},
    {RLIMIT_MEMLOCK, "RLIMIT_MEMLOCK"},
    {RLIMIT_NOFILE, "RLIMIT_NOFILE"},
    {RLIMIT_NPROC, "RLIMIT_NPROC"},
    {RLIMIT_RSS, "RLIMIT_RSS"},
    {RLIMIT_STACK, "RLIMIT_STACK"},
#ifdef RLIMIT_MSGQUEUE /* of Linux, as those below */
    {RLIMIT_MSGQUEUE, "RLIMIT_MSGQUEUE"},
    {RLIMIT_NICE, "RLIMIT_NICE"},
    {RLIMIT_RTPRIO, "RLIMIT_RTPRIO"},
    {RLIMIT_RTTIME, "RLIMIT_RTTIME"},
    {RLIMIT_SIGPENDING, "RLIMIT_SIGPENDING"},
#endif
};
enum { N_LIMITS = sizeof(limits) / sizeof(limits[0]) };

struct VmafProcessState {
    VmafProcessScope scope;
    bool handler_known[SIGNALS_MAX];
    struct sigaction handlers[SIGNALS_MAX];
    locale_t thread_locale;
    char *locale;    /* of the process; NULL if unknown */
    char *directory; /* NULL if unknown */

    /* Not of VMAF_PROCESS_OWN. */
    bool mask_known;
    mode_t mask;
    bool limit_known[N_LIMITS];
    struct rlimit limits[N_LIMITS];
    VmafDescriptors descriptors;
};

void vmaf_why_set(const VmafWhy *why, const char *format, ...)
{
    if (!why || !why->text)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, why->size, format, arguments);
    va_end(arguments);
}

/* ---- Handlers, locale, directory ---- */

static uintptr_t handler_address(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO ? (uintptr_t)action->sa_sigaction
                                         : (uintptr_t)action->sa_handler;
}

static bool lies_in(uintptr_t address, const char *path)
{
    Dl_info info;
    return dladdr((const void *)address, &info) != 0 && info.dli_fname &&
           strcmp(info.dli_fname, path) == 0;
}

static bool restore_handlers(const VmafProcessState *state, const char *module, const VmafWhy *why)
{
    bool same = true;
    for (int i = 1; i < SIGNALS_MAX; i++) {
        struct sigaction now;
        if (!state->handler_known[i] || sigaction(i, NULL, &now) < 0)
            continue;
        const struct sigaction *before = &state->handlers[i];
        if (handler_address(&now) == handler_address(before) &&
            (now.sa_flags & SA_SIGINFO) == (before->sa_flags & SA_SIGINFO))
            continue;
        if (state->scope == VMAF_PROCESS_OWN && !lies_in(handler_address(&now), module))
            continue;
        sigaction(i, before, NULL);
        vmaf_why_set(why, "changed the handler of signal %d (%s)", i, strsignal(i));
        same = false;
    }
    return same;
}

static bool restore_locale(const VmafProcessState *state, const VmafWhy *why)
{
    bool same = true;
    if (uselocale((locale_t)0) != state->thread_locale) {
        uselocale(state->thread_locale);
        same = false;
    }
    const char *now = setlocale(LC_ALL, NULL);
    if (state->locale && (!now || strcmp(now, state->locale) != 0)) {
        setlocale(LC_ALL, state->locale);
        same = false;
    }
    if (!same)
        vmaf_why_set(why, "changed the locale");
    return same;
}

static bool restore_directory(const VmafProcessState *state, const VmafWhy *why)
{
    char now[PATH_MAX]; /* no memory is wanted: if there is none, that is not the plugin's doing */
    if (!state->directory || (getcwd(now, sizeof(now)) && strcmp(now, state->directory) == 0))
        return true;
    vmaf_why_set(why, "changed the current directory");
    if (chdir(state->directory) < 0)
        vmaf_why_set(why, "changed the current directory, and there is no way back");
    return false;
}

/* ---- The file mode mask ---- */

/* From the kernel, because asking umask means changing it, which other threads would notice. */
static bool read_mask(mode_t *mask)
{
    static const char word[] = "\nUmask:";
    char text[4096];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, sizeof(text) - 1);
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *line = strstr(text, word);
    if (!line)
        return false;
    *mask = (mode_t)strtoul(line + sizeof(word) - 1, NULL, 8);
    return true;
}

static bool get_mask(mode_t *mask, bool alone)
{
    if (read_mask(mask))
        return true;
    if (!alone)
        return false;
    *mask = umask(0);
    umask(*mask);
    return true;
}

static bool restore_mask(const VmafProcessState *state, const VmafWhy *why)
{
    mode_t mask;
    if (!state->mask_known || !get_mask(&mask, state->scope == VMAF_PROCESS_ALONE) ||
        mask == state->mask)
        return true;
    umask(state->mask);
    vmaf_why_set(why, "changed the file mode mask (umask)");
    return false;
}

/* ---- Limits ---- */

static bool restore_limits(const VmafProcessState *state, const VmafWhy *why)
{
    bool same = true;
    for (size_t i = 0; i < N_LIMITS; i++) {
        const struct rlimit *before = &state->limits[i];
        struct rlimit now;
        if (!state->limit_known[i] || getrlimit(limits[i].resource, &now) < 0 ||
            (now.rlim_cur == before->rlim_cur && now.rlim_max == before->rlim_max))
            continue;
        if (setrlimit(limits[i].resource, before) < 0) {
            /* Only privileged programs can raise the upper one again. */
            now.rlim_cur = before->rlim_cur < now.rlim_max ? before->rlim_cur : now.rlim_max;
            setrlimit(limits[i].resource, &now);
        }
        vmaf_why_set(same ? why : NULL, "changed the resource limit %s", limits[i].name);
        same = false;
    }
    return same;
}

static bool restore_descriptors(const VmafProcessState *state, const VmafWhy *why)
{
    return vmaf_descriptors_restore(&state->descriptors, why);
}

/* ---- All of it ---- */

int vmaf_process_state_capture(VmafProcessState **state_out, VmafProcessScope scope)
{
    VmafProcessState *state = calloc(1, sizeof(*state));
    *state_out = NULL;
    if (!state)
        return -ENOMEM;
    state->scope = scope;
    if (scope != VMAF_PROCESS_OWN) {
        const bool alone = scope == VMAF_PROCESS_ALONE;
        state->mask_known = get_mask(&state->mask, alone);
        for (size_t i = 0; i < N_LIMITS; i++)
            state->limit_known[i] = getrlimit(limits[i].resource, &state->limits[i]) == 0;
        if (vmaf_descriptors_capture(&state->descriptors, alone) < 0) {
            free(state);
            return -ENOMEM;
        }
    }
    state->thread_locale = uselocale((locale_t)0);
    const char *locale = setlocale(LC_ALL, NULL);
    state->locale = locale ? strdup(locale) : NULL;
    state->directory = getcwd(NULL, 0);
    for (int i = 1; i < SIGNALS_MAX; i++)
        state->handler_known[i] = sigaction(i, NULL, &state->handlers[i]) == 0;
    *state_out = state;
    return 0;
}

void vmaf_process_state_free(VmafProcessState *state)
{
    if (!state)
        return;
    if (state->scope != VMAF_PROCESS_OWN)
        vmaf_descriptors_release(&state->descriptors);
    free(state->locale);
    free(state->directory);
    free(state);
}

bool vmaf_process_state_restore(const VmafProcessState *state, const char *module, char *text,
                                size_t size)
{
    const VmafWhy why = {text, size};
    bool same = restore_handlers(state, module, &why);
    if (state->scope == VMAF_PROCESS_OWN)
        return same;
    bool (*const others[])(const VmafProcessState *, const VmafWhy *) = {
        restore_locale, restore_directory, restore_mask, restore_limits, restore_descriptors,
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (!others[i](state, same ? &why : NULL))
            same = false;
    return same;
}
