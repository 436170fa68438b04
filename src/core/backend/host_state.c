/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/host_state.h"

#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

bool host_state_restore(const HostState *state, const char *plugin_path, Reason *why)
{
    const bool same = restore_floats(state, why);
    char *text = same ? why->text : NULL;
    return vmaf_process_state_restore(state->process, plugin_path, text, sizeof(why->text)) && same;
}
