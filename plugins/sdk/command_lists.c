/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "command_lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device_state.h"
#include "find_kernels.h"

/* Loads the kernels of the steps, the one that adds up their sums, and, if the device may be given
 * imported pictures, the one that unpacks those. */
static int load_kernels(VmafCommandLists *lists)
{
    const struct VmafBackendPlan *plan = lists->plan;
    const uint32_t n_steps = plan->program->n_steps;
    const bool imports = plan->device->layer->image_import && plan->device->info.caps.imports;
    const char **names = calloc(n_steps + 2, sizeof(*names));
    if (!names)
        return -ENOMEM;
    for (uint32_t i = 0; i < n_steps; i++)
        names[i] = plan->program->steps[i].run.kernel;
    names[n_steps] = "sum_partials";
    names[n_steps + 1] = vmaf_unpack_kernel(plan);
    const int err =
        vmaf_find_kernels(plan->device, names, lists->kernels, n_steps + 1 + (imports ? 1 : 0));
    lists->sum_partials = lists->kernels[n_steps];
    lists->unpack = lists->kernels[n_steps + 1];
    free(names);
    return err;
}

int vmaf_command_lists_create(VmafCommandLists *lists, const struct VmafBackendPlan *plan,
                              const VmafSessionMemory *memory)
{
    *lists = (VmafCommandLists){
        .plan = plan,
        .memory = memory,
        .kernels = calloc(plan->program->n_steps + 2, sizeof(*lists->kernels)),
        .positions = calloc(memory->n_positions, sizeof(*lists->positions)),
    };
    int err = lists->kernels && lists->positions ? load_kernels(lists) : -ENOMEM;
    if (err)
        vmaf_command_lists_destroy(lists);
    return err;
}

static void destroy_made(const VmafMadeCommandList *made)
{
    for (uint32_t i = 0; i < made->n_parts; i++)
        made->parts[i]->device->layer->command_list_destroy(made->parts[i]);
    if (made->list)
        made->list->device->layer->command_list_destroy(made->list);
    free(made->parts);
}

void vmaf_command_lists_destroy(VmafCommandLists *lists)
{
    for (uint32_t p = 0; lists->positions && p < lists->memory->n_positions; p++) {
        struct VmafPositionCommandLists *position = &lists->positions[p];
        for (uint32_t i = 0; i < position->count; i++)
            destroy_made(&position->made[i]);
        free(position->made);
    }
    free(lists->positions);
    free(lists->kernels);
    *lists = (VmafCommandLists){0};
}

/* -- making one -- */

typedef struct Maker {
    const VmafCommandLists *lists;
    VmafMadeCommandList *made;
    uint32_t position;
    bool is_split;
    const VmafListKey *key;
} Maker;

static VmafDeviceBinding bind(const Maker *maker, const VmafBufferName *name)
{
    const VmafSessionMemory *memory = maker->lists->memory;
    const struct VmafBackendPlan *plan = maker->lists->plan;
    VmafDeviceBinding binding = {.offset = name->offset,
                                 .size = vmaf_plan_binding_size(plan, name)};
    switch (name->kind) {
    case VMAF_BUFFER_REF:
    case VMAF_BUFFER_DIST: {
        const uint32_t n = memory->n_positions;
        binding.buffer = memory->pixels[(maker->position + n - name->earlier) % n];
        binding.offset += vmaf_plan_plane_offset(plan, name->kind, name->index);
        break;
    }
    case VMAF_BUFFER_SCRATCH:
        binding.buffer = memory->scratch[maker->key->lane][name->index];
        break;
    case VMAF_BUFFER_TABLE:
        binding.buffer = memory->tables[name->index];
        break;
    case VMAF_BUFFER_PARTIALS:
        binding.buffer = memory->partials[maker->key->lane];
        break;
    case VMAF_BUFFER_BYTES:
        binding.buffer = memory->results[maker->position];
        break;
    }
    return binding;
}

static int record_step(const Maker *maker, uint32_t number)
{
    const VmafProgramStep *step = &maker->lists->plan->program->steps[number];
    const VmafDeviceKernel *kernel = maker->lists->kernels[number];
    VmafDeviceDispatch dispatch = {.kernel = kernel, .args = step->args};
    if (step->run.args_size != kernel->kernel->args_size)
        return -EINVAL;
    memcpy(dispatch.groups, step->run.groups, sizeof(dispatch.groups));
    for (uint32_t slot = 0; slot < kernel->kernel->n_buffers; slot++)
        dispatch.bindings[slot] = bind(maker, &step->run.buffers[slot]);
    const int err = vmaf_device_cmd_dispatch(maker->made->list, &dispatch);
    return err ? err
               : vmaf_lap_record(&maker->made->laps, maker->made->list, VMAF_LAP_STEPS + number);
}

static bool is_wanted(const Maker *maker, const VmafProgramStep *step)
{
    for (uint32_t r = step->first_request; r < step->end_request; r++) {
        if (vmaf_request_set_has(&maker->key->wanted, r))
            return true;
    }
    return false;
}

/* Ends the list as a part of what is to be submitted, and begins the next one. */
static int begin_part(const Maker *maker)
{
    VmafMadeCommandList *made = maker->made;
    VmafDevice *device = maker->lists->plan->device;
    VmafDeviceCommandList **parts =
        realloc(made->parts, (made->n_parts + 1) * sizeof(*made->parts));
    if (!parts)
        return -ENOMEM;
    made->parts = parts;
    const int err = device->layer->command_list_end(made->list);
    if (err)
        return err;
    parts[made->n_parts++] = made->list;
    made->list = NULL;
    return device->layer->command_list_begin(device, &made->list);
}

/* Records the kernels of a stage that wanted requests need. */
static int record_stage(const Maker *maker, uint32_t stage)
{
    const VmafProgram *program = maker->lists->plan->program;
    const VmafDeviceLayer *layer = maker->lists->plan->device->layer;
    bool begun = false;
    int err = 0;
    for (uint32_t i = 0; i < program->n_steps && !err; i++) {
        const VmafProgramStep *step = &program->steps[i];
        if (step->stage != stage || !is_wanted(maker, step))
            continue;
        if (!begun)
            err = layer->cmd_barrier(maker->made->list);
        begun = true;
        if (!err)
            err = record_step(maker, i);
    }
    return !err && begun && maker->is_split ? begin_part(maker) : err;
}

/*
 * One kernel makes all sums from the first to the last that is wanted; unwanted ones in between are
 * meaningless and never read.
 */
static int record_sums(const Maker *maker)
{
    const VmafProgram *program = maker->lists->plan->program;
    const VmafSessionMemory *memory = maker->lists->memory;
    uint32_t first = program->n_sums, end = 0;
    for (uint32_t r = 0; r < program->n_requests; r++) {
        const VmafProgramRequest *request = &program->requests[r];
        for (uint32_t i = 0; vmaf_request_set_has(&maker->key->wanted, r) && i < request->n_results;
             i++) {
            if (request->results[i] < first)
                first = request->results[i];
            if (request->results[i] >= end)
                end = request->results[i] + 1;
        }
    }
    if (first >= end)
        return 0;
    const sum_partials_args args = {.first_sum = first};
    const VmafDeviceDispatch dispatch = {
        .kernel = maker->lists->sum_partials,
        .bindings = {{.buffer = memory->sums},
                     {.buffer = memory->partials[maker->key->lane],
                      .size = program->n_partials * (uint64_t)sizeof(uint64_t)},
                     {.buffer = memory->results[maker->position], .offset = program->bytes_size}},
        .args = &args,
        .groups = {end - first, 1, 1},
    };
    return vmaf_device_cmd_dispatch(maker->made->list, &dispatch);
}

static int record_results(const Maker *maker)
{
    const VmafSessionMemory *memory = maker->lists->memory;
    const VmafDeviceLayer *layer = maker->lists->plan->device->layer;
    const VmafDeviceCopy copy = {
        .dst = memory->download[maker->position],
        .src = memory->results[maker->position],
        .row_size = vmaf_program_results_size(maker->lists->plan->program),
        .rows = 1,
    };
    int err = layer->cmd_barrier(maker->made->list);
    if (!err)
        err = record_sums(maker);
    if (!err)
        err = vmaf_lap_record(&maker->made->laps, maker->made->list, VMAF_LAP_SUMS);
    if (!err)
        err = layer->cmd_barrier(maker->made->list);
    if (!err)
        err = vmaf_device_cmd_copy(maker->made->list, &copy);
    return err ? err : vmaf_lap_record(&maker->made->laps, maker->made->list, VMAF_LAP_READ_BACK);
}

/* Records what makes pixels of raw memory. */
static int record_unpacking(const Maker *maker)
{
    static const enum VmafBufferKind sides[2] = {VMAF_BUFFER_REF, VMAF_BUFFER_DIST};
    const VmafSessionMemory *memory = maker->lists->memory;
    int err = 0;
    for (int i = 0; i < 2 && !err; i++)
        err = vmaf_unpack_record(maker->made->list, maker->lists->unpack, maker->lists->plan,
                                 sides[i], &maker->key->packing[i], memory->raw[maker->position],
                                 memory->pixels[maker->position]);
    return err;
}

static int record_all(const Maker *maker)
{
    int err = vmaf_packing_is_none(maker->key->packing) ? 0 : record_unpacking(maker);
    if (err || vmaf_request_set_is_empty(&maker->key->wanted))
        return err;
    err = vmaf_lap_record(&maker->made->laps, maker->made->list, VMAF_LAP_BEGIN);
    for (uint32_t stage = 0; stage < VMAF_PROGRAM_MAX_STAGES && !err; stage++)
        err = record_stage(maker, stage);
    if (!err && vmaf_program_results_size(maker->lists->plan->program))
        err = record_results(maker);
    return err;
}

static bool is_split(const struct VmafBackendPlan *plan)
{
    const uint64_t above = plan->device->state->split_above;
    const uint64_t samples = (uint64_t)plan->geometry.w[0] * plan->geometry.h[0];
    return above && samples > above && !plan->device->profiling;
}

static int make(VmafCommandLists *lists, uint32_t position, const VmafListKey *key,
                VmafMadeCommandList *made)
{
    VmafDevice *device = lists->plan->device;
    const Maker maker = {lists, made, position, is_split(lists->plan), key};
    *made = (VmafMadeCommandList){.key = *key};
    int err = device->layer->command_list_begin(device, &made->list);
    if (!err)
        err = record_all(&maker);
    if (!err)
        err = device->layer->command_list_end(made->list);
    if (err)
        destroy_made(made);
    else
        lists->n_made++;
    return err;
}

int vmaf_command_lists_get(VmafCommandLists *lists, uint32_t number, const VmafListKey *key,
                           VmafMadeCommandList *list)
{
    struct VmafPositionCommandLists *position = &lists->positions[number];
    for (uint32_t i = 0; i < position->count; i++) {
        if (!memcmp(&position->made[i].key, key, sizeof(*key))) {
            *list = position->made[i];
            return 0;
        }
    }
    if (position->count == position->capacity) {
        uint32_t capacity = position->capacity ? 2 * position->capacity : 4;
        VmafMadeCommandList *grown = realloc(position->made, capacity * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        position->made = grown;
        position->capacity = capacity;
    }
    int err = make(lists, number, key, list);
    if (!err)
        position->made[position->count++] = *list;
    return err;
}
