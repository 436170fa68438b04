/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_LAYER_STATE_H
#define VMAF_SDK_LAYER_STATE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "device.h"
#include "platform/thread.h"

/*
 * State of a device as its layer sees it: whether it is lost, the text of its last failure, and the
 * errors that a test injects. All functions take the lock. It is never held for long, and no other
 * lock is taken under it.
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

/* Stores the text of a failure and returns `error`. After -ENODEV the device is lost. */
int vmaf_layer_state_fail(VmafLayerState *state, int error, const char *format, va_list arguments);
/* The same with a text made from the operation that failed and the API's text for its error. */
int vmaf_layer_state_failed(VmafLayerState *state, int error, const char *what, const char *words);
/* Returns -ENODEV if the device is lost, else 0. */
int vmaf_layer_state_check(VmafLayerState *state);
/* Copies the text of the last failure. */
void vmaf_layer_state_text(VmafLayerState *state, char *text, size_t size);

/* Counts a buffer before it is created. Returns 0; -ENODEV; -ENOMEM with a text, if a test injects
 * that error. */
int vmaf_layer_state_count_buffer(VmafLayerState *state);
/* Counts a submission before it is made. Returns 0 or -ENODEV. A test may want that it fails
 * (*loses) or never ends (*hangs). */
int vmaf_layer_state_count_submission(VmafLayerState *state, bool *loses, bool *hangs);

/* Limits of work-groups and of a dispatch, as an API reports them. */
typedef struct VmafDeviceLimits {
    uint64_t lanes;        /* invocations of a work-group */
    uint64_t lanes_x;      /* invocations in its first direction */
    uint64_t group_memory; /* bytes of memory that a work-group shares */
    uint64_t groups[3];    /* work-groups of a dispatch, in each direction */
} VmafDeviceLimits;

/* True if the limits are at least those that device.h promises for every device. Otherwise
 * `unusable` of the info, whose name is set already, receives the reason. */
bool vmaf_device_check_limits(const VmafDeviceLimits *limits, VmafDeviceInfo *info);

/*
 * Waits with a time limit, for layers whose API can only be polled. `ask` returns 0 once the
 * awaited event has happened, -EAGAIN before that, or an error; it is called at least once, and
 * again after pauses of an eighth of the time waited so far, from 10 microseconds to a millisecond:
 * short waits end soon, long ones cost no processor time.
 *
 * Returns what `ask` returned, or -ETIMEDOUT once timeout_ns (UINT64_MAX: no limit) has passed.
 */
int vmaf_poll_wait(int (*ask)(void *cookie), void *cookie, uint64_t timeout_ns);

#endif
