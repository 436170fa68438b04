/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int create(VmafDevice *device, VmafDeviceBuffer **buffer, enum VmafDeviceMemory memory,
                  uint64_t size)
{
    /* Sizes are rounded up, since kernels may read whole words, and are never 0. */
    const VmafDeviceBufferParams params = {.memory = memory,
                                           .size = (size + 255) / 256 * 256 + 256};
    return device->layer->buffer_create(device, buffer, &params);
}

static int create_position(VmafSessionMemory *memory, const struct VmafBackendPlan *plan,
                           uint32_t position)
{
    VmafDevice *device = memory->device;
    const uint64_t frame = vmaf_plan_frame_size(plan);
    const uint64_t results = plan->program->n_sums * (uint64_t)sizeof(uint64_t);
    int err = create(device, &memory->upload[position], VMAF_MEMORY_UPLOAD, frame);
    if (!err && device->info.caps.unified_memory)
        memory->pixels[position] = memory->upload[position];
    else if (!err)
        err = create(device, &memory->pixels[position], VMAF_MEMORY_DEVICE, frame);
    if (!err)
        err = create(device, &memory->results[position], VMAF_MEMORY_DEVICE, results);
    if (!err)
        err = create(device, &memory->download[position], VMAF_MEMORY_DOWNLOAD, results);
    return err;
}

/* Copies the tables, which lie one after the other in the staging buffer, to their buffers. */
static int record_tables(VmafSessionMemory *memory, const VmafProgram *program,
                         VmafDeviceCommandList *list)
{
    unsigned char *staging = memory->staging->mapped;
    VmafDeviceCopy copy = {.src = memory->staging, .rows = 1};
    int err = 0;
    for (uint32_t i = 0; i < program->n_tables && !err; i++) {
        copy.dst = memory->tables[i];
        copy.row_size = program->tables[i].size;
        memcpy(staging + copy.src_offset, program->tables[i].data, copy.row_size);
        err = vmaf_device_cmd_copy(list, &copy);
        copy.src_offset += copy.row_size;
    }
    copy.dst = memory->sums;
    copy.row_size = program->n_sums * sizeof(partial_sum);
    if (!err && copy.row_size) {
        memcpy(staging + copy.src_offset, program->sums, copy.row_size);
        err = vmaf_device_cmd_copy(list, &copy);
    }
    return err;
}

static int upload_tables(VmafSessionMemory *memory, const VmafProgram *program,
                         VmafDeviceQueue *queue)
{
    const VmafDeviceLayer *layer = memory->device->layer;
    VmafDeviceCommandList *list = NULL;
    const VmafDeviceSubmit submit = {.struct_size = sizeof(submit)};
    VmafDeviceTicket ticket;
    int err = layer->command_list_begin(memory->device, &list);
    if (!err)
        err = record_tables(memory, program, list);
    if (!err)
        err = layer->command_list_end(list);
    if (!err)
        err = vmaf_device_submit(queue, list, &submit, &ticket);
    if (!err)
        err = layer->wait(queue, ticket, VMAF_START_LIMIT_NS);
    if (list && err != -ETIMEDOUT)
        layer->command_list_destroy(list);
    return err;
}

static int create_shared(VmafSessionMemory *memory, const VmafProgram *program)
{
    VmafDevice *device = memory->device;
    const uint64_t sums = program->n_sums * (uint64_t)sizeof(partial_sum);
    uint64_t staging = sums;
    int err = create(device, &memory->partials, VMAF_MEMORY_DEVICE,
                     program->n_partials * (uint64_t)sizeof(uint64_t));
    if (!err)
        err = create(device, &memory->sums, VMAF_MEMORY_DEVICE, sums);
    for (uint32_t i = 0; i < program->n_scratch && !err; i++)
        err = create(device, &memory->scratch[i], VMAF_MEMORY_DEVICE, program->scratch[i]);
    for (uint32_t i = 0; i < program->n_tables && !err; i++) {
        staging += program->tables[i].size;
        err = create(device, &memory->tables[i], VMAF_MEMORY_DEVICE, program->tables[i].size);
    }
    if (!err)
        err = create(device, &memory->staging, VMAF_MEMORY_UPLOAD, staging);
    return err;
}

int vmaf_session_memory_create(VmafSessionMemory *memory, const struct VmafBackendPlan *plan,
                               VmafDeviceQueue *queue)
{
    const VmafProgram *program = plan->program;
    const uint32_t n = vmaf_plan_positions(plan);
    *memory = (VmafSessionMemory){
        .device = plan->device,
        .n_positions = n,
        .upload = calloc(n, sizeof(VmafDeviceBuffer *)),
        .pixels = calloc(n, sizeof(VmafDeviceBuffer *)),
        .results = calloc(n, sizeof(VmafDeviceBuffer *)),
        .download = calloc(n, sizeof(VmafDeviceBuffer *)),
        .scratch = calloc(program->n_scratch + 1, sizeof(VmafDeviceBuffer *)),
        .tables = calloc(program->n_tables + 1, sizeof(VmafDeviceBuffer *)),
        .n_scratch = program->n_scratch,
        .n_tables = program->n_tables,
    };
    int err = -ENOMEM;
    if (memory->upload && memory->pixels && memory->results && memory->download &&
        memory->scratch && memory->tables)
        err = create_shared(memory, program);
    for (uint32_t i = 0; i < n && !err; i++)
        err = create_position(memory, plan, i);
    if (!err)
        err = upload_tables(memory, program, queue);
    if (err == -ETIMEDOUT) {
        atomic_store(&plan->device->stuck, true);
        *memory = (VmafSessionMemory){0};
    } else if (err) {
        vmaf_session_memory_destroy(memory);
    }
    return err;
}

static void destroy_list(VmafSessionMemory *memory, VmafDeviceBuffer **buffers, uint32_t count)
{
    for (uint32_t i = 0; buffers && i < count; i++)
        memory->device->layer->buffer_destroy(memory->device, buffers[i]);
    free(buffers);
}

void vmaf_session_memory_destroy(VmafSessionMemory *memory)
{
    if (!memory->device)
        return;
    for (uint32_t i = 0; memory->pixels && memory->upload && i < memory->n_positions; i++) {
        if (memory->pixels[i] == memory->upload[i])
            memory->pixels[i] = NULL;
    }
    destroy_list(memory, memory->upload, memory->n_positions);
    destroy_list(memory, memory->pixels, memory->n_positions);
    destroy_list(memory, memory->results, memory->n_positions);
    destroy_list(memory, memory->download, memory->n_positions);
    destroy_list(memory, memory->scratch, memory->n_scratch);
    destroy_list(memory, memory->tables, memory->n_tables);
    VmafDeviceBuffer *single[] = {memory->partials, memory->sums, memory->staging};
    for (int i = 0; i < 3; i++)
        memory->device->layer->buffer_destroy(memory->device, single[i]);
    *memory = (VmafSessionMemory){0};
}
