/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Executes passes: copies, and kernels as plain C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_buffer.h"
#include "emulator_kernel.h"

/* Simulated: seconds that a command takes beyond its work, and what is done in one. */
#define LATENCY          2e-6
#define BYTES_A_SECOND   2e11
#define THREADS_A_SECOND 1e9 /* of a multiprocessor */

/* -- copies -- */

static double run_copy(const Command *command)
{
    pages_open(&command->copy.src->pages);
    pages_open(&command->copy.dst->pages);
    memcpy(command->copy.dst->bytes + command->copy.dst_offset,
           command->copy.src->bytes + command->copy.src_offset, command->copy.size);
    return (double)command->copy.size / BYTES_A_SECOND;
}

static double run_fill(const Command *command)
{
    pages_open(&command->copy.dst->pages);
    memset(command->copy.dst->bytes + command->copy.dst_offset, command->copy.value,
           command->copy.size);
    return (double)command->copy.size / BYTES_A_SECOND;
}

static double run_copy_texture(const Command *command)
{
    const Texture *texture = command->copy.texture;
    const SurfacePlane *plane = texture->plane;
    const size_t row = command->copy.extent.width * plane->element_size;
    const unsigned char *src = pages_open(&texture->surface->pages) + plane->offset;
    pages_open(&command->copy.dst->pages);
    unsigned char *dst = command->copy.dst->bytes + command->copy.dst_offset;
    for (NSUInteger y = 0; y < command->copy.extent.height; y++)
        memcpy(dst + y * command->copy.stride,
               src + (command->copy.origin.y + y) * plane->stride +
                   command->copy.origin.x * plane->element_size,
               row);
    return (double)(row * command->copy.extent.height) / BYTES_A_SECOND;
}

/* -- kernels -- */

static void shuffle(uint16_t *order, size_t count)
{
    for (size_t i = count; i-- > 1;) {
        const size_t k = machine_random(i + 1);
        const uint16_t swapped = order[i];
        order[i] = order[k];
        order[k] = swapped;
    }
}

static void order_lanes(uint16_t *order, size_t lanes)
{
    for (size_t i = 0; i < lanes; i++)
        order[i] = (uint16_t)(machine_order == MACHINE_EARLY ? i : lanes - 1 - i);
    if (machine_order == MACHINE_RANDOM)
        shuffle(order, lanes);
}

/* The i-th group to run of n; in random order they go round from a random one. */
static uint64_t group_at(uint64_t i, uint64_t n, uint64_t start)
{
    if (machine_order == MACHINE_RANDOM)
        return (start + i) % n;
    return machine_order == MACHINE_EARLY ? i : n - 1 - i;
}

static void run_groups(const Command *command, EmulatorGroup *group, uint16_t *order)
{
    const VmafKernel *kernel = group->kernel;
    const uint64_t across = command->dispatch.groups.width, down = command->dispatch.groups.height;
    const uint64_t n = across * down * command->dispatch.groups.depth;
    const uint64_t start = machine_order == MACHINE_RANDOM ? machine_random(n) : 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t k = group_at(i, n, start);
        group->group[0] = (int32_t)(k % across);
        group->group[1] = (int32_t)(k / across % down);
        group->group[2] = (int32_t)(k / across / down);
        group->noise = (uint32_t)machine_random(UINT32_MAX);
        if (i % 16 == 0)
            order_lanes(order, (size_t)kernel->lanes[0] * kernel->lanes[1]);
        kernel->run(group);
    }
}

static double run_dispatch(const Command *command, const Device *device, char *fault)
{
    const VmafKernel *kernel = command->dispatch.pipeline->kernel;
    const Size3 groups = command->dispatch.groups;
    const Binding *args_buffer = &command->dispatch.args_buffer;
    EmulatorBinding bindings[VMAF_KERNEL_MAX_BUFFERS];
    uint64_t args[VMAF_KERNEL_MAX_ARGS_SIZE / 8];
    uint16_t order[VMAF_KERNEL_MAX_LANES];
    for (unsigned slot = 0; slot < kernel->n_buffers; slot++) {
        const Binding *binding = &command->dispatch.bindings[slot];
        pages_open(&binding->buffer->pages);
        bindings[slot].data = binding->buffer->bytes + binding->offset;
        bindings[slot].size = binding->buffer->length - binding->offset;
    }
    if (args_buffer->buffer)
        pages_open(&args_buffer->buffer->pages);
    memcpy(args,
           args_buffer->buffer ? args_buffer->buffer->bytes + args_buffer->offset
                               : command->dispatch.args,
           kernel->args_size);
    EmulatorGroup group = {
        .kernel = kernel,
        .bindings = bindings,
        .args = args,
        .order = order,
        .groups = {(int32_t)groups.width, (int32_t)groups.height, (int32_t)groups.depth},
        .fault = fault,
    };
    run_groups(command, &group, order);
    const double threads =
        (double)(groups.width * groups.height * groups.depth) * kernel->lanes[0] * kernel->lanes[1];
    return threads / (THREADS_A_SECOND * device->machine->multiprocessors);
}

/* -- commands -- */

/* False: something that the command uses was freed. */
static bool check_alive(CommandBuffer *commands, const Command *command)
{
    const Object *freed = NULL;
    for (unsigned i = 0; i < command->n_uses; i++) {
        if (!object_is_alive(command->uses[i].resource))
            freed = command->uses[i].resource;
    }
    if (command->kind == COMMAND_DISPATCH && !object_is_alive(&command->dispatch.pipeline->head))
        freed = &command->dispatch.pipeline->head;
    if (!freed)
        return true;
    machine_complain("%s uses %s, which was freed", object_words(&commands->head),
                     object_words(freed));
    command_buffer_fail(commands, ERROR_INVALID_RESOURCE, "a resource was freed");
    return false;
}

static void run_command(CommandBuffer *commands, const Command *command)
{
    Device *device = commands->queue->device;
    char fault[EMULATOR_FAULT_SIZE] = "";
    double seconds = 0;
    if (commands->failure || !check_alive(commands, command))
        return;
    if (command->kind == COMMAND_COPY)
        seconds = run_copy(command);
    else if (command->kind == COMMAND_COPY_TEXTURE)
        seconds = run_copy_texture(command);
    else if (command->kind == COMMAND_FILL)
        seconds = run_fill(command);
    else
        seconds = run_dispatch(command, device, fault);
    if (fault[0]) {
        machine_complain("%s", fault);
        command_buffer_fail(commands, ERROR_PAGE_FAULT, "%s", fault);
    }
    commands->end += LATENCY + seconds / device->machine->speed;
}

/* -- the order of what a pass may do at once -- */

typedef struct Range {
    const Buffer *buffer;
    NSUInteger from, to;
} Range;

static int compare_ranges(const void *a, const void *b)
{
    const Range *x = a, *y = b;
    if (x->buffer != y->buffer)
        return x->buffer < y->buffer ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Whether copies write to the same bytes, or read what others write: then Metal orders them. */
static bool are_ordered(const Pass *pass)
{
    bool answer = false;
    for (unsigned i = 0; i < pass->n_uses; i++)
        answer |= pass->uses[i].reads && pass->uses[i].writes;
    Range *ranges = malloc((pass->n_commands + 1) * sizeof(*ranges));
    for (size_t i = 0; i < pass->n_commands; i++) {
        const Command *command = &pass->commands[i];
        const NSUInteger offset = command->copy.dst_offset;
        const bool has_rows = command->kind == COMMAND_COPY_TEXTURE;
        const NSUInteger size = has_rows
                                    ? command->copy.stride * (command->copy.extent.height - 1) + 1
                                    : command->copy.size;
        ranges[i] = (Range){command->copy.dst, offset, offset + size};
    }
    qsort(ranges, pass->n_commands, sizeof(*ranges), compare_ranges);
    for (size_t i = 1; i < pass->n_commands; i++)
        answer |= ranges[i].buffer == ranges[i - 1].buffer && ranges[i].from < ranges[i - 1].to;
    free(ranges);
    return answer;
}

/* Commands from first to end, not included, which may run at once. */
static void run_unordered(CommandBuffer *commands, const Command *first, size_t count)
{
    const size_t turn = machine_order == MACHINE_RANDOM && count > 0 ? machine_random(count) : 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = count - 1 - i;
        if (machine_order == MACHINE_EARLY)
            k = i;
        else if (machine_order == MACHINE_RANDOM)
            k = (i + turn) % count;
        run_command(commands, &first[k]);
    }
}

/* Runs what comes next and may run at once: all of it has to be done before what follows. */
static void run_part(CommandBuffer *commands, Pass *pass)
{
    const size_t first = pass->next;
    size_t end = first;
    if (first == 0)
        pass->is_ordered = pass->is_compute ? !pass->is_concurrent : are_ordered(pass);
    while (end < pass->n_commands && pass->commands[end].kind != COMMAND_BARRIER &&
           (!pass->is_ordered || end == first))
        end++;
    run_unordered(commands, &pass->commands[first], end - first);
    pass->next = end + (end < pass->n_commands && pass->commands[end].kind == COMMAND_BARRIER);
}

bool run_pass(CommandBuffer *commands, Pass *pass)
{
    Queue *queue = commands->queue;
    double *engine = pass->is_compute ? &queue->device->kernels_free : &queue->device->copies_free;
    const double begin = *engine > queue->time ? *engine : queue->time;
    if (commands->fate == WORK_FAILS) {
        command_buffer_fail(commands, ERROR_PAGE_FAULT, "an address is not that of a buffer");
        return true;
    }
    commands->end = begin;
    if (commands->start == 0 || begin < commands->start)
        commands->start = begin;
    do
        run_part(commands, pass);
    while (machine_order != MACHINE_RANDOM && pass->next < pass->n_commands);
    queue->time = *engine = commands->end;
    return pass->next >= pass->n_commands || commands->failure;
}
