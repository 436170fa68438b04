/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * What runs when, and how: steps of queues, copies, kernels as plain C. Steps of one queue begin in
 * order, but what Metal does not order may overlap:
 *
 * - A pass waits for earlier ones of its queue that use the same tracked resource, unless both only
 *   read it; for nothing else.
 * - A signal of an event waits for everything before it on its queue.
 * - Everything behind a wait for an event waits for it.
 * - A command buffer ends after those before it.
 *
 * Queues know nothing of each other but for events. In random order the parts of passes, between
 * which one waits for the other, run one by one, so that other queues come between them.
 */
#include "metal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "c_kernel.h"

/* -- copies -- */

static void run_copy(const Command *command, Work *work)
{
    memcpy(command->copy.dst->bytes + command->copy.dst_offset,
           command->copy.src->bytes + command->copy.src_offset, command->copy.size);
    work->memory_bytes = command->copy.size;
}

static void run_copy_texture(const Command *command, Work *work)
{
    const Texture *texture = command->copy.texture;
    const SurfacePlane *plane = texture->plane;
    const size_t row = command->copy.extent.width * plane->element_size;
    const unsigned char *src = surface_open(texture->surface) + plane->offset;
    unsigned char *dst = command->copy.dst->bytes + command->copy.dst_offset;
    for (NSUInteger y = 0; y < command->copy.extent.height; y++)
        memcpy(dst + y * command->copy.stride,
               src + (command->copy.origin.y + y) * plane->stride +
                   command->copy.origin.x * plane->element_size,
               row);
    surface_close(texture->surface);
    work->memory_bytes = row * command->copy.extent.height;
}

/* -- kernels -- */

static bool run_dispatch(const Command *command, Work *work, char fault[EMULATOR_FAULT_SIZE])
{
    const VmafKernel *kernel = command->dispatch.pipeline->kernel;
    const Size3 groups = command->dispatch.groups;
    const Binding *args_buffer = &command->dispatch.args_buffer;
    EmulatorBinding bindings[VMAF_KERNEL_MAX_BUFFERS];
    uint64_t args[VMAF_KERNEL_MAX_ARGS_SIZE / 8];
    for (unsigned slot = 0; slot < kernel->n_buffers; slot++) {
        const Binding *binding = &command->dispatch.bindings[slot];
        bindings[slot].data = binding->buffer->bytes + binding->offset;
        bindings[slot].size = binding->buffer->length - binding->offset;
    }
    memcpy(args,
           args_buffer->buffer ? args_buffer->buffer->bytes + args_buffer->offset
                               : command->dispatch.args,
           kernel->args_size);
    const CKernelLaunch launch = {
        .kernel = kernel,
        .bindings = bindings,
        .args = args,
        .groups = {(uint32_t)groups.width, (uint32_t)groups.height, (uint32_t)groups.depth},
        .is_backwards = machine_order != MACHINE_EARLY,
    };
    return c_kernel_run(&launch, work, fault);
}

/* -- commands -- */

static void run_command(CommandBuffer *commands, const Command *command)
{
    Queue *queue = commands->queue;
    char fault[EMULATOR_FAULT_SIZE];
    Work work = {0};
    if (commands->failure)
        return;
    if (command->kind == COMMAND_COPY)
        run_copy(command, &work);
    else if (command->kind == COMMAND_COPY_TEXTURE)
        run_copy_texture(command, &work);
    else if (!run_dispatch(command, &work, fault))
        command_buffer_fail(commands, ERROR_PAGE_FAULT, "%s", fault);
    const uint64_t begin = machine_pass_time(queue->device->state, &work, &queue->time_ns);
    if (commands->start_ns == 0 || begin < commands->start_ns)
        commands->start_ns = begin;
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

/* Executes the commands of a pass, in random order only the next of them: then false, unless these
 * were the last. The command buffer fails if they do. */
static bool run_pass(CommandBuffer *commands, Pass *pass)
{
    do
        run_part(commands, pass);
    while (machine_order != MACHINE_RANDOM && pass->next < pass->n_commands);
    commands->end_ns = commands->queue->time_ns;
    return pass->next >= pass->n_commands || commands->failure;
}

/* -- order -- */

static const Step *step_of(const Task *task)
{
    return (const Step *)task;
}

static bool is_tracked(const Object *resource)
{
    return resource->class != &buffer_class || buffer_is_tracked((const Buffer *)resource);
}

static bool pass_depends(const Pass *later, const Pass *earlier)
{
    for (unsigned i = 0; i < later->n_uses; i++) {
        for (unsigned k = 0; k < earlier->n_uses; k++) {
            const Use *a = &later->uses[i], *b = &earlier->uses[k];
            if (a->resource == b->resource && (a->writes || b->writes) && is_tracked(a->resource))
                return true;
        }
    }
    return false;
}

static bool waits_for(const Task *later, const Task *earlier)
{
    const Step *a = step_of(later), *b = step_of(earlier);
    if (b->kind == STEP_WAIT || earlier->fate == TASK_HANGS)
        return true;
    if (a->kind == STEP_PASS)
        return b->kind == STEP_PASS && pass_depends(a->pass, b->pass);
    return a->kind == STEP_SIGNAL;
}

static bool is_open(const Task *task)
{
    const Step *step = step_of(task);
    return step->kind != STEP_WAIT || step->event->value >= step->value;
}

static bool opens(const Task *task, const Task *waiting)
{
    const Step *signal = step_of(task), *wait = step_of(waiting);
    return signal->kind == STEP_SIGNAL && signal->event == wait->event &&
           signal->value >= wait->value;
}

/* -- running a step -- */

static void run_signal(Queue *queue, const Step *step)
{
    SharedEvent *event = step->event;
    if (step->value < event->value)
        machine_complain("%s goes back from %lu to %lu", object_words(&event->head),
                         (unsigned long)event->value, (unsigned long)step->value);
    event->value = step->value;
    event->time_ns = queue->time_ns;
}

/* False: there is more of it to run. */
static bool run_kind(const Step *step)
{
    CommandBuffer *commands = step->commands;
    Queue *queue = commands->queue;
    if (step->task.fate == TASK_FAILS)
        command_buffer_fail(commands, ERROR_PAGE_FAULT, "an address is not that of a buffer");
    else if (step->kind == STEP_PASS)
        return run_pass(commands, step->pass);
    else if (step->kind == STEP_SIGNAL)
        run_signal(queue, step);
    else if (queue->time_ns < step->event->time_ns)
        queue->time_ns = step->event->time_ns;
    return true;
}

static void run(Task *task)
{
    static const char *const names[] = {"pass", "signal", "wait"};
    Step *step = (Step *)task;
    CommandBuffer *commands = step->commands;
    object_use(commands);
    commands->status = STATUS_SCHEDULED;
    machine_log("run %s of %s on %s", names[step->kind], object_words(&commands->head),
                object_words(&commands->queue->head));
    if (run_kind(step) && !commands->failure)
        step_free(step);
    queue_retire(commands->queue);
    object_unuse(commands);
}

const ScheduleRules schedule_rules = {waits_for, is_open, opens, run};

/* -- waiting and asking -- */

static bool is_before_end(const Task *task, const void *subject)
{
    const CommandBuffer *last = subject, *commands = step_of(task)->commands;
    return commands->queue == last->queue && commands->number <= last->number;
}

static bool has_ended(const void *commands)
{
    return command_buffer_has_ended(commands);
}

void wait_for_end(CommandBuffer *commands)
{
    const Goal goal = {is_before_end, has_ended, commands};
    object_use(commands);
    while (!schedule_wait(&goal, (uint64_t)(emulated_machine.hang_seconds * 1e9)))
        queue_expire(commands->queue);
    object_unuse(commands);
}

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* What cannot go on fails after a while, also if somebody only asks. */
void poll_end(CommandBuffer *commands)
{
    object_use(commands);
    if (schedule_poll(&(Goal){is_before_end, has_ended, commands})) {
        commands->stuck_since = 0;
    } else if (commands->stuck_since == 0) {
        commands->stuck_since = now_ns();
    } else if ((double)(now_ns() - commands->stuck_since) / 1e9 >= emulated_machine.hang_seconds) {
        commands->stuck_since = 0;
        queue_expire(commands->queue);
    }
    object_unuse(commands);
}

static bool raises(const Task *task, const void *event)
{
    const Step *step = step_of(task);
    return step->kind == STEP_SIGNAL && step->event == event && step->value > step->event->value;
}

void poll_event(const SharedEvent *event)
{
    const Task *task = schedule_next(NULL);
    while (task && !raises(task, event))
        task = schedule_next(task);
    if (task)
        poll_end(step_of(task)->commands);
}
