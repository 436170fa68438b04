/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/plugin_load.h"

#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <ltdl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backend/discovery/plugin_file.h"
#include "platform/module.h"

typedef struct FloatBehaviour {
    int rounding;
    int traps;
    bool flushes_results; /* flush-to-zero */
    bool flushes_inputs;  /* denormals-are-zero */
} FloatBehaviour;

struct HostState {
    fenv_t environment;
    FloatBehaviour behaviour;
    VmafProcessState *process;
};

/* Determined by computing, because the control registers differ between processors. */
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

int host_state_capture(HostState **state_out, VmafProcessScope scope)
{
    HostState *state = calloc(1, sizeof(*state));
    *state_out = NULL;
    if (!state)
        return -ENOMEM;
    const int err = vmaf_process_state_capture(&state->process, scope);
    if (err) {
        free(state);
        return err;
    }
    fegetenv(&state->environment);
    state->behaviour = float_behaviour();
    fesetenv(&state->environment); /* clears the flags that the test has raised */
    *state_out = state;
    return 0;
}

void host_state_free(HostState *state)
{
    if (!state)
        return;
    vmaf_process_state_free(state->process);
    free(state);
}

static bool restore_floats(const HostState *state, Reason *why)
{
    FloatBehaviour now = float_behaviour();
    const FloatBehaviour *before = &state->behaviour;
    fesetenv(&state->environment);
    if (now.flushes_results != before->flushes_results)
        reason_set(why, 0, "set flush-to-zero");
    else if (now.flushes_inputs != before->flushes_inputs)
        reason_set(why, 0, "set denormals-are-zero");
    else if (now.rounding != before->rounding)
        reason_set(why, 0, "changed the rounding mode");
    else if (now.traps != before->traps)
        reason_set(why, 0, "changed which floating-point exceptions trap");
    else
        return true;
    return false;
}

bool host_state_restore(const HostState *state, const char *plugin_path, Reason *why)
{
    const bool same = restore_floats(state, why);
    char *text = same ? why->text : NULL;
    return vmaf_process_state_restore(state->process, plugin_path, text, sizeof(why->text)) && same;
}

enum { ERROR_TEXT_SIZE = 224 };

/* Binds every symbol, which libltdl would do at first use only, and reports why it failed, which
 * libltdl does not. */
static int bind_now(const char *path, BackendAvailability *availability)
{
    char words[ERROR_TEXT_SIZE] = "", text[ERROR_TEXT_SIZE];
    const int err = vmaf_module_load(path, words, sizeof(words));
    foreign_text(text, sizeof(text), words, strlen(words));
    switch (err) {
    case 0:
        return 0;
    case -ENOMEM:
        return backend_availability_set(availability, BACKEND_INIT_FAILED, err, "out of memory: %s",
                                        text);
    case -ENODEV:
        return backend_availability_set(availability, BACKEND_DRIVER_MISSING, err, "%s", text);
    default:
        return backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, err, "%s", text);
    }
}

static int find_entry(const char *path, VmafBackendEntry *entry, BackendAvailability *availability)
{
    char *foreign;
    const int unnamed = vmaf_module_foreign_path(path, &foreign);
    if (unnamed == -ENOMEM)
        return backend_out_of_memory(availability);
    if (unnamed)
        return backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, unnamed,
                                        "its path has characters that libltdl does not take");
    errno = 0;
    /* libltdl counts these calls; none is undone, because what was opened stays open. */
    lt_dlhandle handle = lt_dlinit() == 0 ? lt_dlopen(foreign) : NULL;
    free(foreign);
    if (!handle && errno == ENOMEM)
        return backend_out_of_memory(availability);
    if (!handle)
        return backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC,
                                        "libltdl: %s", lt_dlerror());
    lt_dlmakeresident(handle);
    void *symbol = lt_dlsym(handle, VMAF_BACKEND_ENTRY_SYMBOL);
    if (!symbol)
        return backend_availability_set(
            availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC,
            "not a plugin: it does not export " VMAF_BACKEND_ENTRY_SYMBOL);
    memcpy(entry, &symbol, sizeof(symbol));
    return 0;
}

static int load(Plugin **plugin, const char *path, const char *name,
                BackendAvailability *availability)
{
    VmafBackendEntry entry = NULL;
    int err = bind_now(path, availability);
    if (err < 0)
        return err;
    err = find_entry(path, &entry, availability);
    return err < 0 ? err : plugin_descriptor_check(plugin, entry(), name, path, availability);
}

/* Loads the plugin and restores what that has changed. */
static int load_guarded(Plugin **plugin, const char *path, const char *name, VmafProcessScope scope,
                        BackendAvailability *availability)
{
    HostState *state;
    if (host_state_capture(&state, scope) < 0)
        return backend_out_of_memory(availability);
    int err = load(plugin, path, name, availability);
    Reason why;
    if (!host_state_restore(state, path, &why)) {
        plugin_free(*plugin);
        *plugin = NULL;
        err = backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -EPERM,
                                       "loading it %s", why.text);
    }
    host_state_free(state);
    return err;
}

int plugin_load(Plugin **plugin, const char *path, const char *name, VmafProcessScope scope,
                BackendAvailability *availability)
{
    *plugin = NULL;
    char *resolved;
    Reason why;
    int err = privilege_resolve_file(&resolved, path, &why);
    if (err == -ENOMEM)
        return backend_availability_set(availability, BACKEND_INIT_FAILED, err, "%s", why.text);
    if (err < 0)
        return backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, err, "%s",
                                        why.text);
    err = load_guarded(plugin, resolved, name, scope, availability);
    free(resolved);
    return err;
}
