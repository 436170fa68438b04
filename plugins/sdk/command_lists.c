/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The command lists of a session: the kernels that they need, and what they record. */
#include "command_lists.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_state.h"
#include "picture/unpack_args.h"
#include "platform/thread.h"
#include "program.h"
#include "unpack.h"

/* -- finding kernels -- */

enum { THREADS_MAX = 8 };

/* What the threads share. */
typedef struct Search {
    VmafDevice *device;
    const char *const *names;
    const VmafDeviceKernel **kernels;
    uint32_t count;
    atomic_uint next;
    atomic_int error;
} Search;

/* Where binary32 is exact, the kernel's native variant if there is one. */
static int find(VmafDevice *device, const VmafDeviceKernel **kernel, const char *name)
{
    char native[128];
    snprintf(native, sizeof(native), "%s_native", name);
    const bool is_native =
        device->info.caps.exact_float32 && vmaf_kernel_set_find(device->kernels, native);
    return device->layer->kernel_find(device, kernel, is_native ? native : name);
}

static bool was_named_before(const char *const *names, uint32_t i)
{
    uint32_t before = 0;
    while (strcmp(names[before], names[i]) != 0)
        before++;
    return before < i;
}

static void *search(void *argument)
{
    Search *shared = argument;
    VmafDevice *device = shared->device;
    uint32_t i;
    while (!atomic_load(&shared->error) &&
           (i = atomic_fetch_add(&shared->next, 1)) < shared->count) {
        if (was_named_before(shared->names, i))
            continue;
        const int err = find(device, &shared->kernels[i], shared->names[i]);
        if (err)
            atomic_store(&shared->error, err);
    }
    return NULL;
}

static uint32_t count_different(const char *const *names, uint32_t count)
{
    uint32_t different = 0;
    for (uint32_t i = 0; i < count; i++)
        different += !was_named_before(names, i);
    return different;
}

int vmaf_find_kernels(VmafDevice *device, const char *const *names,
                      const VmafDeviceKernel **kernels, uint32_t count)
{
    Search shared = {.device = device, .names = names, .kernels = kernels, .count = count};
    VmafThread threads[THREADS_MAX];
    const uint32_t different = count_different(names, count);
    uint32_t n_threads = 0;
    /* This thread is one of them, and does it alone where there can be no others. */
    while (n_threads + 1 < different && n_threads + 1 < THREADS_MAX &&
           !vmaf_thread_start(&threads[n_threads], search, &shared))
        n_threads++;
    search(&shared);
    for (uint32_t i = 0; i < n_threads; i++)
        vmaf_thread_join(threads[i]);
    int err = atomic_load(&shared.error);
    for (uint32_t i = 0; i < count && !err; i++) {
        if (was_named_before(names, i))
            err = find(device, &kernels[i], names[i]);
    }
    return err;
}

/* -- unpacking pictures -- */

enum { STRIDE_ALIGNMENT = 64, PLANE_ALIGNMENT = 256, GROUP_W = 64, GROUP_H = 4 };

/* Interleaved planes take no more than two planes. */
static uint64_t raw_picture_size(const struct VmafBackendPlan *plan)
{
    const VmafGeometry *geometry = &plan->geometry;
    uint64_t size = 0;
    for (uint32_t p = 0; p < 2; p++) {
        const uint64_t row = (uint64_t)geometry->w[p] * geometry->bytes_per_sample;
        const uint64_t stride = round_up(row, STRIDE_ALIGNMENT);
        size += round_up(stride * geometry->h[p], PLANE_ALIGNMENT) * (p + 1);
    }
    return size;
}

uint64_t vmaf_raw_size(const struct VmafBackendPlan *plan)
{
    return 2 * raw_picture_size(plan);
}

VmafRawPlane vmaf_raw_plane(const struct VmafBackendPlan *plan, enum VmafBufferKind side,
                            const VmafPacking *packing, uint32_t raw_plane)
{
    const VmafGeometry *geometry = &plan->geometry;
    VmafRawPlane found = {0};
    uint64_t next = side == VMAF_BUFFER_DIST ? raw_picture_size(plan) : 0;
    for (uint32_t p = 0; p <= raw_plane; p++) {
        const uint64_t per_sample = p > 0 && packing->semiplanar ? 2 : 1;
        found.row_size = geometry->w[p] * per_sample * geometry->bytes_per_sample;
        found.stride = round_up(found.row_size, STRIDE_ALIGNMENT);
        found.rows = geometry->h[p];
        found.offset = next;
        next += round_up(found.stride * found.rows, PLANE_ALIGNMENT);
    }
    return found;
}

/* Name of the kernel: "unpack_8" or "unpack_16". */
static const char *vmaf_unpack_kernel(const struct VmafBackendPlan *plan)
{
    return plan->geometry.bytes_per_sample == 1 ? "unpack_8" : "unpack_16";
}

static int add_plane(VmafDeviceCommandList *list, const VmafDeviceKernel *kernel,
                     const struct VmafBackendPlan *plan, const VmafPacking *packing, uint32_t plane,
                     const VmafRawPlane *raw, VmafDeviceBinding from, VmafDeviceBinding to)
{
    const VmafGeometry *geometry = &plan->geometry;
    const bool interleaved = packing->semiplanar && plane > 0;
    const unpack_args args = {
        .w = (int32_t)geometry->w[plane],
        .h = (int32_t)geometry->h[plane],
        .raw_stride = (int32_t)(raw->stride / geometry->bytes_per_sample),
        .out_stride = (int32_t)(geometry->stride[plane] / geometry->bytes_per_sample),
        .step = interleaved ? 2 : 1,
        .first = interleaved ? (int32_t)plane - 1 : 0,
        .shift = (int32_t)packing->shift,
    };
    const VmafDeviceDispatch dispatch = {
        .kernel = kernel,
        .bindings = {from, to},
        .args = &args,
        .groups = {(geometry->w[plane] + GROUP_W - 1) / GROUP_W,
                   (geometry->h[plane] + GROUP_H - 1) / GROUP_H, 1},
    };
    return vmaf_device_cmd_dispatch(list, &dispatch);
}

/* Records the kernels that make the planes of one side (reference or distorted). */
static int vmaf_unpack_record(VmafDeviceCommandList *list, const VmafDeviceKernel *kernel,
                              const struct VmafBackendPlan *plan, enum VmafBufferKind side,
                              const VmafPacking *packing, VmafDeviceBuffer *raw,
                              VmafDeviceBuffer *pixels)
{
    int err = 0;
    for (uint32_t p = 0; p < 3 && !err; p++) {
        const VmafGeometry *geometry = &plan->geometry;
        if (!(plan->program->planes >> p & 1) || !geometry->h[p] || !geometry->w[p] ||
            !vmaf_is_packed(packing, p))
            continue;
        const VmafRawPlane place =
            vmaf_raw_plane(plan, side, packing, packing->semiplanar && p > 1 ? 1 : p);
        const VmafDeviceBinding from = {
            .buffer = raw, .offset = place.offset, .size = place.stride * place.rows};
        const VmafDeviceBinding to = {.buffer = pixels,
                                      .offset = vmaf_plan_plane_offset(plan, side, p),
                                      .size = (uint64_t)geometry->stride[p] * geometry->h[p]};
        err = add_plane(list, kernel, plan, packing, p, &place, from, to);
    }
    return err;
}

/* -- a session's lists -- */

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
        binding.buffer = memory->scratch[maker->key->stream][name->index];
        break;
    case VMAF_BUFFER_TABLE:
        binding.buffer = memory->tables[name->index];
        break;
    case VMAF_BUFFER_PARTIALS:
        binding.buffer = memory->partials[maker->key->stream];
        break;
    case VMAF_BUFFER_BYTES:
        binding.buffer = memory->results[maker->position];
        break;
    }
    return binding;
}

static int add_step(const Maker *maker, uint32_t number)
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
               : vmaf_timestamp_record(&maker->made->timestamps, maker->made->list,
                                       VMAF_TIMESTAMP_STEPS + number);
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
static int add_stage(const Maker *maker, uint32_t stage)
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
            err = add_step(maker, i);
    }
    return !err && begun && maker->is_split ? begin_part(maker) : err;
}

/*
 * One kernel makes all sums from the first to the last that is wanted; unwanted ones in between are
 * meaningless and never read.
 */
static int add_sums(const Maker *maker)
{
    const VmafProgram *program = maker->lists->plan->program;
    const VmafSessionMemory *memory = maker->lists->memory;
    uint32_t first = program->n_sums, end = 0;
    for (uint32_t r = 0; r < program->n_requests; r++) {
        const VmafRequest *request = program->requests[r];
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
                     {.buffer = memory->partials[maker->key->stream],
                      .size = program->n_partials * (uint64_t)sizeof(uint64_t)},
                     {.buffer = memory->results[maker->position], .offset = program->bytes_size}},
        .args = &args,
        .groups = {end - first, 1, 1},
    };
    return vmaf_device_cmd_dispatch(maker->made->list, &dispatch);
}

static int add_results(const Maker *maker)
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
        err = add_sums(maker);
    if (!err)
        err =
            vmaf_timestamp_record(&maker->made->timestamps, maker->made->list, VMAF_TIMESTAMP_SUMS);
    if (!err)
        err = layer->cmd_barrier(maker->made->list);
    if (!err)
        err = vmaf_device_cmd_copy(maker->made->list, &copy);
    return err ? err
               : vmaf_timestamp_record(&maker->made->timestamps, maker->made->list,
                                       VMAF_TIMESTAMP_READ_BACK);
}

/* Records what makes pixels of raw memory. */
static int add_unpacking(const Maker *maker)
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

static int add_all(const Maker *maker)
{
    int err = vmaf_packing_is_none(maker->key->packing) ? 0 : add_unpacking(maker);
    if (err || vmaf_request_set_is_empty(&maker->key->wanted))
        return err;
    err = vmaf_timestamp_record(&maker->made->timestamps, maker->made->list, VMAF_TIMESTAMP_BEGIN);
    for (uint32_t stage = 0; stage < VMAF_PROGRAM_MAX_STAGES && !err; stage++)
        err = add_stage(maker, stage);
    if (!err && vmaf_program_results_size(maker->lists->plan->program))
        err = add_results(maker);
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
        err = add_all(&maker);
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
