/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "layer_state.h"

#include <errno.h>
#include <stdio.h>

void vmaf_layer_state_init(VmafLayerState *state, const VmafDeviceFaults *faults)
{
    vmaf_mutex_init(&state->lock);
    if (faults)
        state->faults = *faults;
}

void vmaf_layer_state_destroy(VmafLayerState *state)
{
    vmaf_mutex_destroy(&state->lock);
}

int vmaf_layer_state_fail(VmafLayerState *state, int error, const char *format, va_list arguments)
{
    vmaf_mutex_lock(&state->lock);
    if (error == -ENODEV)
        state->lost = true;
    vsnprintf(state->error, sizeof(state->error), format, arguments);
    vmaf_mutex_unlock(&state->lock);
    return error;
}

__attribute__((format(printf, 3, 4))) static int fail(VmafLayerState *state, int error,
                                                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vmaf_layer_state_fail(state, error, format, arguments);
    va_end(arguments);
    return error;
}

int vmaf_layer_state_failed(VmafLayerState *state, int error, const char *what, const char *words)
{
    if (error == -ENODEV)
        return fail(state, error, "the device was lost (%s): %s", what, words);
    if (error == -ENOMEM)
        return fail(state, error, "out of memory (%s)", what);
    return fail(state, error, "%s failed with %s", what, words);
}

int vmaf_layer_state_check(VmafLayerState *state)
{
    vmaf_mutex_lock(&state->lock);
    const bool lost = state->lost;
    vmaf_mutex_unlock(&state->lock);
    return lost ? -ENODEV : 0;
}

void vmaf_layer_state_text(VmafLayerState *state, char *text, size_t size)
{
    vmaf_mutex_lock(&state->lock);
    snprintf(text, size, "%s", state->error);
    vmaf_mutex_unlock(&state->lock);
}

int vmaf_layer_state_count_buffer(VmafLayerState *state)
{
    vmaf_mutex_lock(&state->lock);
    const bool lost = state->lost;
    const uint64_t limit = state->faults.no_memory_from_buffer;
    const bool fails = ++state->buffers_created >= limit && limit;
    vmaf_mutex_unlock(&state->lock);
    if (lost)
        return -ENODEV;
    return fails ? vmaf_layer_state_failed(state, -ENOMEM, "a fault for tests", "") : 0;
}

int vmaf_layer_state_count_submission(VmafLayerState *state, bool *loses, bool *hangs)
{
    vmaf_mutex_lock(&state->lock);
    const int err = state->lost ? -ENODEV : 0;
    if (!err)
        state->submissions++;
    *loses = state->submissions == state->faults.lose_at_submit;
    *hangs = state->submissions == state->faults.hang_at_submit;
    vmaf_mutex_unlock(&state->lock);
    return err;
}
