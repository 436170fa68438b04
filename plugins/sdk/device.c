/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "device.h"

#include <errno.h>
#include <string.h>

const VmafKernel *vmaf_kernel_set_find(const VmafKernelSet *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++) {
        if (strcmp(set->kernels[i].name, name) == 0) {
            return &set->kernels[i];
        }
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
    if (rows == 1) {
        return range_fits(buffer, offset, row_size);
    }
    if (stride < row_size || stride > buffer->size) {
        return false;
    }
    const uint64_t between = rows - 1; /* at most 2^32 strides: stride is checked against size */
    if (stride > (UINT64_MAX - row_size) / between) {
        return false;
    }
    return range_fits(buffer, offset, between * stride + row_size);
}

static bool is_aligned(const VmafDeviceCopy *copy, uint32_t alignment)
{
    uint64_t all = copy->dst_offset | copy->row_size | (copy->rows > 1 ? copy->dst_stride : 0);
    if (!copy->image) {
        all |= copy->src_offset | (copy->rows > 1 ? copy->src_stride : 0);
    }
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

int vmaf_device_cmd_copy(VmafDeviceCommandList *list, const VmafDeviceCopy *copy)
{
    if (copy->image || !copy_is_valid(list->device, copy)) {
        return -EINVAL;
    }
    return list->device->layer->cmd_copy(list, copy);
}

static bool syncs_are_known(const VmafDevice *device, const VmafBackendSync *syncs, uint32_t count)
{
    bool known = count <= VMAF_DEVICE_MAX_SYNCS;
    for (uint32_t i = 0; i < count && known; i++) {
        known = syncs[i].kind < 32 && (device->info.caps.syncs >> syncs[i].kind & 1);
    }
    return known;
}

int vmaf_device_submit(VmafDeviceQueue *queue, VmafDeviceCommandList *list,
                       const VmafDeviceSubmit *params, VmafDeviceTicket *ticket)
{
    bool valid = params->lane < VMAF_DEVICE_LANES && params->n_copies <= VMAF_DEVICE_MAX_COPIES &&
                 syncs_are_known(queue->device, params->waits, params->n_waits) &&
                 syncs_are_known(queue->device, params->signals, params->n_signals) &&
                 (!list || list->device == queue->device);
    for (uint32_t i = 0; i < params->n_copies && valid; i++) {
        valid = copy_is_valid(queue->device, &params->copies[i]);
    }
    return valid ? queue->device->layer->submit(queue, list, params, ticket) : -EINVAL;
}

static bool binding_is_valid(const VmafDeviceCaps *caps, const VmafDeviceBinding *binding,
                             uint32_t element_size)
{
    const VmafDeviceBuffer *buffer = binding->buffer;
    if (!buffer || buffer->memory == VMAF_MEMORY_DOWNLOAD) {
        return false;
    }
    if (buffer->memory == VMAF_MEMORY_UPLOAD && !caps->unified_memory) {
        return false;
    }
    if (binding->offset % caps->binding_alignment != 0 || binding->offset >= buffer->size) {
        return false;
    }
    const uint64_t size = binding->size ? binding->size : buffer->size - binding->offset;
    return range_fits(buffer, binding->offset, size) &&
           vmaf_caps_allow(caps->max_binding_size, size) && size >= element_size;
}

int vmaf_device_cmd_dispatch(VmafDeviceCommandList *list, const VmafDeviceDispatch *dispatch)
{
    const VmafKernel *kernel = dispatch->kernel->kernel;
    for (uint32_t slot = 0; slot < kernel->n_buffers; slot++) {
        if (!binding_is_valid(&list->device->info.caps, &dispatch->bindings[slot],
                              kernel->element_size[slot])) {
            return -EINVAL;
        }
    }
    for (unsigned axis = 0; axis < 3; axis++) {
        if (dispatch->groups[axis] == 0 || dispatch->groups[axis] > VMAF_DEVICE_MAX_GROUPS) {
            return -EINVAL;
        }
    }
    if (!dispatch->args) {
        return -EINVAL;
    }
    return list->device->layer->cmd_dispatch(list, dispatch);
}
