/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_LAYER_STATE_H
#define VMAF_SDK_LAYER_STATE_H

#include <stdarg.h>

#include "device.h"
#include "platform/thread.h"

/*
 * What a device layer knows of the health of a device: whether it is lost, the text of its last
 * failure, and the errors that a test wants. All functions take the lock, which is never held for
 * long, so that it may be taken last anywhere.
 */
typedef struct VmafLayerState {
    VmafMutex lock;
    VmafDeviceFaults faults;
    uint64_t submissions, buffers_created;
    bool lost;
    char error[256];
} VmafLayerState;

/* `faults` may be NULL. */
void vmaf_layer_state_init(VmafLayerState *state, const VmafDeviceFaults *faults);
void vmaf_layer_state_destroy(VmafLayerState *state);

/* Stores what went wrong and returns `error`; -ENODEV: the device is lost from now on. */
int vmaf_layer_state_fail(VmafLayerState *state, int error, const char *format, va_list arguments);
/* The same with what failed, and the API's words for why. */
int vmaf_layer_state_failed(VmafLayerState *state, int error, const char *what, const char *words);
/* -ENODEV if the device is lost, else 0. */
int vmaf_layer_state_check(VmafLayerState *state);
void vmaf_layer_state_text(VmafLayerState *state, char *text, size_t size);

/* A buffer is to be created. 0; -ENODEV; -ENOMEM with a text, if a test wants it to fail. */
int vmaf_layer_state_count_buffer(VmafLayerState *state);
/* A submission comes. 0; -ENODEV. *loses: it is to fail; *hangs: it is not to end. */
int vmaf_layer_state_count_submission(VmafLayerState *state, bool *loses, bool *hangs);

#endif
