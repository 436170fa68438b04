/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory of a session on the device. */
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
    const uint64_t results = vmaf_program_results_size(plan->program);
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

static int create_stream(VmafSessionMemory *memory, const VmafProgram *program, uint32_t stream)
{
    VmafDevice *device = memory->device;
    int err = create(device, &memory->partials[stream], VMAF_MEMORY_DEVICE,
                     program->n_partials * (uint64_t)sizeof(uint64_t));
    for (uint32_t i = 0; i < program->n_scratch && !err; i++)
        err = create(device, &memory->scratch[stream][i], VMAF_MEMORY_DEVICE, program->scratch[i]);
    return err;
}

static int create_constants(VmafSessionMemory *memory, const VmafProgram *program)
{
    VmafDevice *device = memory->device;
    const uint64_t sums = program->n_sums * (uint64_t)sizeof(partial_sum);
    uint64_t staging = sums;
    int err = create(device, &memory->sums, VMAF_MEMORY_DEVICE, sums);
    for (uint32_t i = 0; i < program->n_tables && !err; i++) {
        staging += program->tables[i].size;
        err = create(device, &memory->tables[i], VMAF_MEMORY_DEVICE, program->tables[i].size);
    }
    if (!err)
        err = create(device, &memory->staging, VMAF_MEMORY_UPLOAD, staging);
    return err;
}

/* Makes the lists of buffers. */
static int create_lists(VmafSessionMemory *memory, const struct VmafBackendPlan *plan)
{
    VmafDeviceBuffer ***lists[] = {&memory->upload, &memory->pixels, &memory->raw, &memory->results,
                                   &memory->download};
    bool complete = true;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        *lists[i] = calloc(memory->n_positions, sizeof(VmafDeviceBuffer *));
        complete &= *lists[i] != NULL;
    }
    for (uint32_t stream = 0; stream < memory->n_streams; stream++) {
        memory->scratch[stream] = calloc(plan->program->n_scratch + 1, sizeof(VmafDeviceBuffer *));
        complete &= memory->scratch[stream] != NULL;
    }
    memory->tables = calloc(plan->program->n_tables + 1, sizeof(VmafDeviceBuffer *));
    return complete && memory->tables ? 0 : -ENOMEM;
}

int vmaf_session_memory_create(VmafSessionMemory *memory, const struct VmafBackendPlan *plan,
                               VmafDeviceQueue *queue)
{
    const VmafProgram *program = plan->program;
    *memory = (VmafSessionMemory){
        .device = plan->device,
        .n_positions = vmaf_plan_positions(plan),
        .n_streams = plan->streams,
        .n_scratch = program->n_scratch,
        .n_tables = program->n_tables,
    };
    int err = create_lists(memory, plan);
    if (!err)
        err = create_constants(memory, program);
    for (uint32_t i = 0; i < memory->n_streams && !err; i++)
        err = create_stream(memory, program, i);
    for (uint32_t i = 0; i < memory->n_positions && !err; i++)
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

int vmaf_session_memory_add_raw(VmafSessionMemory *memory, uint32_t position, uint64_t size)
{
    return memory->raw[position]
               ? 0
               : create(memory->device, &memory->raw[position], VMAF_MEMORY_DEVICE, size);
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
    destroy_list(memory, memory->raw, memory->n_positions);
    destroy_list(memory, memory->results, memory->n_positions);
    destroy_list(memory, memory->download, memory->n_positions);
    for (uint32_t stream = 0; stream < memory->n_streams; stream++) {
        destroy_list(memory, memory->scratch[stream], memory->n_scratch);
        memory->device->layer->buffer_destroy(memory->device, memory->partials[stream]);
    }
    destroy_list(memory, memory->tables, memory->n_tables);
    memory->device->layer->buffer_destroy(memory->device, memory->sums);
    memory->device->layer->buffer_destroy(memory->device, memory->staging);
    *memory = (VmafSessionMemory){0};
}
