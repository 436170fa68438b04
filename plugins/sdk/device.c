/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What all device layers share: checks of calls, errors, injected faults, limits, waiting. */
#include "device.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "layer_state.h"
#include "platform/time.h"

const VmafKernel *vmaf_kernel_set_find(const VmafKernelSet *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++) {
        if (strcmp(set->kernels[i].name, name) == 0)
            return &set->kernels[i];
    }
    return NULL;
}

static bool range_fits(const VmafDeviceBuffer *buffer, uint64_t offset, uint64_t size)
{
    return size <= buffer->size && offset <= buffer->size - size;
}

/* True if rows of a copy lie inside the buffer; strides matter only between rows. */
static bool rows_fit(const VmafDeviceBuffer *buffer, uint64_t offset, uint64_t stride,
                     uint64_t row_size, uint32_t rows)
{
    if (rows == 1)
        return range_fits(buffer, offset, row_size);
    if (stride < row_size || stride > buffer->size)
        return false;
    const uint64_t between = rows - 1; /* at most 2^32 strides: stride is checked against size */
    if (stride > (UINT64_MAX - row_size) / between)
        return false;
    return range_fits(buffer, offset, between * stride + row_size);
}

static bool is_aligned(const VmafDeviceCopy *copy, uint32_t alignment)
{
    uint64_t all = copy->dst_offset | copy->row_size | (copy->rows > 1 ? copy->dst_stride : 0);
    if (!copy->image)
        all |= copy->src_offset | (copy->rows > 1 ? copy->src_stride : 0);
    return all % alignment == 0;
}

static bool source_is_valid(const VmafDeviceCopy *copy)
{
    if (copy->image) {
        return copy->image_plane < copy->image->n_planes &&
               !copy->image->buffers[copy->image_plane];
    }
    return copy->src && copy->dst != copy->src && copy->src->memory != VMAF_MEMORY_DOWNLOAD &&
           rows_fit(copy->src, copy->src_offset, copy->src_stride, copy->row_size, copy->rows);
}

static bool copy_is_valid(const VmafDevice *device, const VmafDeviceCopy *copy)
{
    return copy->row_size > 0 && copy->rows > 0 &&
           is_aligned(copy, device->info.caps.copy_alignment) && source_is_valid(copy) &&
           (copy->dst->memory != VMAF_MEMORY_UPLOAD || device->info.caps.unified_memory) &&
           rows_fit(copy->dst, copy->dst_offset, copy->dst_stride, copy->row_size, copy->rows);
}

bool vmaf_device_copy_is_valid(const VmafDeviceCommandList *list, const VmafDeviceCopy *copy)
{
    return !copy->image && copy_is_valid(list->device, copy);
}

static bool syncs_are_known(const VmafDevice *device, const VmafBackendSync *syncs, uint32_t count)
{
    bool known = count <= VMAF_DEVICE_MAX_SYNCS;
    for (uint32_t i = 0; i < count && known; i++)
        known = syncs[i].kind < 32 && (device->info.caps.syncs >> syncs[i].kind & 1);
    return known;
}

bool vmaf_device_submit_is_valid(const VmafDeviceQueue *queue, const VmafDeviceCommandList *list,
                                 const VmafDeviceSubmit *params)
{
    bool valid = params->stream < VMAF_DEVICE_STREAMS &&
                 params->n_copies <= VMAF_DEVICE_MAX_COPIES &&
                 syncs_are_known(queue->device, params->waits, params->n_waits) &&
                 syncs_are_known(queue->device, params->signals, params->n_signals) &&
                 (!list || list->device == queue->device);
    for (uint32_t i = 0; i < params->n_copies && valid; i++)
        valid = copy_is_valid(queue->device, &params->copies[i]);
    return valid;
}

static bool binding_is_valid(const VmafDeviceCaps *caps, const VmafDeviceBinding *binding,
                             uint32_t element_size)
{
    const VmafDeviceBuffer *buffer = binding->buffer;
    if (!buffer || buffer->memory == VMAF_MEMORY_DOWNLOAD)
        return false;
    if (buffer->memory == VMAF_MEMORY_UPLOAD && !caps->unified_memory)
        return false;
    if (binding->offset % caps->binding_alignment != 0 || binding->offset >= buffer->size)
        return false;
    const uint64_t size = binding->size ? binding->size : buffer->size - binding->offset;
    return range_fits(buffer, binding->offset, size) &&
           vmaf_caps_allow(caps->max_binding_size, size) && size >= element_size;
}

bool vmaf_device_dispatch_is_valid(const VmafDeviceCommandList *list,
                                   const VmafDeviceDispatch *dispatch)
{
    const VmafKernel *kernel = dispatch->kernel->kernel;
    for (uint32_t slot = 0; slot < kernel->n_buffers; slot++) {
        if (!binding_is_valid(&list->device->info.caps, &dispatch->bindings[slot],
                              kernel->element_size[slot]))
            return false;
    }
    for (unsigned axis = 0; axis < 3; axis++) {
        if (dispatch->groups[axis] == 0 || dispatch->groups[axis] > VMAF_DEVICE_MAX_GROUPS)
            return false;
    }
    return dispatch->args != NULL;
}

/* -- state of a layer -- */

void vmaf_layer_state_init(VmafLayerState *state, const VmafDeviceFaults *faults)
{
    vmaf_mutex_init(&state->lock);
    if (faults)
        state->faults = *faults;
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

/* -- limits -- */

enum { GROUP_MEMORY_BYTES = 32768 };

bool vmaf_device_check_limits(const VmafDeviceLimits *limits, VmafDeviceInfo *info)
{
    bool fits = limits->lanes >= VMAF_KERNEL_MAX_LANES &&
                limits->lanes_x >= VMAF_KERNEL_MAX_LANES &&
                limits->group_memory >= GROUP_MEMORY_BYTES;
    for (int axis = 0; axis < 3; axis++)
        fits &= limits->groups[axis] >= VMAF_DEVICE_MAX_GROUPS;
    if (!fits)
        snprintf(info->unusable, sizeof(info->unusable),
                 "%.100s has smaller work-groups than kernels need", info->name);
    return fits;
}

/* -- waiting -- */

static const uint64_t SHORTEST_PAUSE_NS = 10000, LONGEST_PAUSE_NS = 1000000;

static uint64_t pause_after(uint64_t waited_ns)
{
    const uint64_t pause = waited_ns / 8;
    return pause < SHORTEST_PAUSE_NS  ? SHORTEST_PAUSE_NS
           : pause > LONGEST_PAUSE_NS ? LONGEST_PAUSE_NS
                                      : pause;
}

int vmaf_poll_wait(int (*ask)(void *cookie), void *cookie, uint64_t timeout_ns)
{
    const int64_t begin = vmaf_steady_ns();
    for (;;) {
        const int answer = ask(cookie);
        if (answer != -EAGAIN)
            return answer;
        const uint64_t waited = (uint64_t)(vmaf_steady_ns() - begin);
        if (waited >= timeout_ns)
            return -ETIMEDOUT;
        const uint64_t pause = pause_after(waited), left = timeout_ns - waited;
        vmaf_sleep_ns(pause < left ? pause : left);
    }
}
