/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/host_state.h"

#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/process_state.h"

enum { SIGNALS_MAX = 128 };

typedef struct FloatBehaviour {
    int rounding;
    int traps;
    bool flushes_results; /* flush-to-zero */
    bool flushes_inputs;  /* denormals-are-zero */
} FloatBehaviour;

struct HostState {
    HostStateScope scope;
    fenv_t environment;
    FloatBehaviour behaviour;
    locale_t thread_locale;
    char *locale;         /* of the process; NULL if unknown */
    char *directory;      /* NULL if unknown */
    ProcessState process; /* not of HOST_STATE_OWN */
    bool handler_known[SIGNALS_MAX];
    struct sigaction handlers[SIGNALS_MAX];
};

/* By what arithmetic does, since the registers behind it differ from processor to processor. */
static FloatBehaviour float_behaviour(void)
{
    volatile double smallest_normal = DBL_MIN;
    volatile uint64_t denormal_bits = UINT64_C(1) << 51;
    volatile double half = smallest_normal * 0.5;
    uint64_t bits = denormal_bits;
    double loaded;
    memcpy(&loaded, &bits, sizeof(loaded));
    volatile double denormal = loaded;
    volatile double doubled = denormal * 2.0;

    FloatBehaviour behaviour = {.rounding = fegetround(), .traps = 0};
#ifdef __GLIBC__
    behaviour.traps = fegetexcept();
#endif
    /* Compared as bits: a comparison would flush its operands as well. */
    uint64_t half_bits, doubled_bits;
    double value = half;
    memcpy(&half_bits, &value, sizeof(value));
    value = doubled;
    memcpy(&doubled_bits, &value, sizeof(value));
    behaviour.flushes_results = half_bits == 0;
    behaviour.flushes_inputs = doubled_bits == 0;
    return behaviour;
}

int host_state_capture(HostState **state_out, HostStateScope scope)
{
    HostState *state = calloc(1, sizeof(*state));
    *state_out = NULL;
    if (!state)
        return -ENOMEM;
    state->scope = scope;
    if (scope != HOST_STATE_OWN &&
        process_state_capture(&state->process, scope == HOST_STATE_ALONE) < 0) {
        free(state);
        return -ENOMEM;
    }
    fegetenv(&state->environment);
    state->behaviour = float_behaviour();
    fesetenv(&state->environment); /* without the flags that the test has raised */
    state->thread_locale = uselocale((locale_t)0);
    const char *locale = setlocale(LC_ALL, NULL);
    state->locale = locale ? strdup(locale) : NULL;
    state->directory = getcwd(NULL, 0);
    for (int i = 1; i < SIGNALS_MAX; i++)
        state->handler_known[i] = sigaction(i, NULL, &state->handlers[i]) == 0;
    *state_out = state;
    return 0;
}

void host_state_free(HostState *state)
{
    if (!state)
        return;
    if (state->scope != HOST_STATE_OWN)
        process_state_release(&state->process);
    free(state->locale);
    free(state->directory);
    free(state);
}

static bool restore_floats(const HostState *state, Reason *why)
{
    FloatBehaviour now = float_behaviour();
    const FloatBehaviour *before = &state->behaviour;
    fesetenv(&state->environment);
    if (now.flushes_results != before->flushes_results)
        refuse(why, 0, "set flush-to-zero");
    else if (now.flushes_inputs != before->flushes_inputs)
        refuse(why, 0, "set denormals-are-zero");
    else if (now.rounding != before->rounding)
        refuse(why, 0, "changed the rounding mode");
    else if (now.traps != before->traps)
        refuse(why, 0, "changed which floating-point exceptions trap");
    else
        return true;
    return false;
}

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

static bool restore_handlers(const HostState *state, const char *plugin_path, Reason *why)
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
        if (state->scope == HOST_STATE_OWN && !lies_in(handler_address(&now), plugin_path))
            continue;
        sigaction(i, before, NULL);
        refuse(why, 0, "changed the handler of signal %d (%s)", i, strsignal(i));
        same = false;
    }
    return same;
}

static bool restore_locale(const HostState *state, Reason *why)
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
        refuse(why, 0, "changed the locale");
    return same;
}

static bool restore_directory(const HostState *state, Reason *why)
{
    char now[PATH_MAX]; /* no memory is wanted: if there is none, that is not the plugin's doing */
    if (!state->directory || (getcwd(now, sizeof(now)) && strcmp(now, state->directory) == 0))
        return true;
    refuse(why, 0, "changed the current directory");
    if (chdir(state->directory) < 0)
        refuse(why, 0, "changed the current directory, and there is no way back");
    return false;
}

bool host_state_restore(const HostState *state, const char *plugin_path, Reason *why)
{
    bool same = restore_floats(state, why);
    if (!restore_handlers(state, plugin_path, same ? why : NULL))
        same = false;
    if (state->scope == HOST_STATE_OWN)
        return same;
    if (!restore_locale(state, same ? why : NULL))
        same = false;
    if (!restore_directory(state, same ? why : NULL))
        same = false;
    if (!process_state_restore(&state->process, same ? why : NULL))
        same = false;
    return same;
}
