/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Queues, and the life of command buffers: filled, committed, run, ended; events. */
#include "metal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static Queue *all_queues;

/* -- queues -- */

Object *queue_create(Device *device, NSUInteger capacity)
{
    if (capacity == 0)
        metal_abort("a queue of 0 command buffers");
    if (!device_has_memory(device, 0))
        return NULL;
    Queue *queue = object_create(&queue_class);
    queue->device = object_use(device);
    queue->capacity = capacity;
    queue->last = &queue->first;
    queue->tasks.device = device->state;
    queue->time_ns = queue->retired_ns = 1000000000;
    queue->next = all_queues;
    all_queues = queue;
    machine_note(" = %s", object_words(&queue->head));
    return &queue->head;
}

static void destroy_queue(Object *object)
{
    Queue *queue = (Queue *)object, **place = &all_queues;
    while (*place != queue)
        place = &(*place)->next;
    *place = queue->next;
    object_unuse(queue->device);
}

static bool wait_for_capacity(Queue *queue)
{
    while (queue->outstanding >= queue->capacity) {
        if (!queue->first)
            metal_abort("%s would wait forever: all of its %lu command buffers are not committed",
                        object_words(&queue->head), queue->capacity);
        wait_for_end(queue->first);
    }
    return !queue->device->state->lost;
}

static Object *create_command_buffer(Queue *queue)
{
    if (!wait_for_capacity(queue))
        machine_note(" (lost)"); /* there is one, which fails when it is committed */
    CommandBuffer *commands = object_create_autoreleased(&command_buffer_class);
    commands->queue = object_use(queue);
    commands->last = &commands->first;
    queue->outstanding++;
    machine_note(" = %s", object_words(&commands->head));
    return &commands->head;
}

MESSAGE(Object *, queue_command_buffer, (SELF), create_command_buffer((Queue *)self))
MESSAGE(Object *, queue_device, (SELF), object_lend(((Queue *)self)->device))

const Class queue_class = {
    .head = CLASS_HEAD,
    .name = "MTLCommandQueue",
    .size = sizeof(Queue),
    .destroy = destroy_queue,
    .methods = (const Method[]){METHOD("commandBuffer", queue_command_buffer),
                                METHOD("device", queue_device), METHODS_END},
};

/* -- what command buffers hold -- */

void command_buffer_keep(CommandBuffer *commands, Object *object)
{
    for (size_t i = 0; i < commands->n_kept; i++) {
        if (commands->kept[i] == object)
            return;
    }
    commands->kept = realloc(commands->kept, (commands->n_kept + 1) * sizeof(*commands->kept));
    commands->kept[commands->n_kept++] = object_use(object);
}

Step *command_buffer_add(CommandBuffer *commands, enum StepKind kind)
{
    Step *step = calloc(1, sizeof(*step));
    step->commands = commands;
    step->kind = kind;
    *commands->last = step;
    commands->last = &step->next;
    return step;
}

void step_free(Step *step)
{
    CommandBuffer *commands = step->commands;
    Step **place = &commands->first;
    while (*place != step)
        place = &(*place)->next;
    *place = step->next;
    if (!step->next)
        commands->last = place;
    if (step->task.queue)
        schedule_take_out(&step->task);
    if (step->pass)
        pass_free(step->pass);
    free(step);
}

static void drop_work(CommandBuffer *commands)
{
    while (commands->first)
        step_free(commands->first);
    for (size_t i = 0; i < commands->n_kept; i++)
        object_unuse(commands->kept[i]);
    free(commands->kept);
    commands->kept = NULL;
    commands->n_kept = 0;
}

static void command_buffer_destroy(Object *object)
{
    CommandBuffer *commands = (CommandBuffer *)object;
    Queue *queue = commands->queue;
    if (commands->status < STATUS_COMMITTED)
        queue->outstanding--;
    drop_work(commands);
    object_unuse(commands->error);
    object_unuse(queue);
}

/* -- their end -- */

void command_buffer_fail(CommandBuffer *commands, int code, const char *format, ...)
{
    char text[400];
    va_list arguments;
    if (commands->failure)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    commands->failure = code;
    const MachineError *error = machine_error(code);
    commands->error = error_create(ERROR_OF_COMMAND_BUFFERS, code, "%s (%08x:%s)", text,
                                   (unsigned)code, error ? error->name : "unknown");
    for (const Step *step = commands->first; step; step = step->next) {
        if (step->kind == STEP_SIGNAL && emulated_machine.own[MACHINE_ERRORS_SIGNAL] &&
            step->event->value < step->value)
            step->event->value = step->value;
    }
}

void queue_retire(Queue *queue)
{
    for (CommandBuffer *commands = queue->first; commands; commands = commands->next) {
        while (commands->failure && commands->first)
            step_free(commands->first);
    }
    while (queue->first && !queue->first->first) {
        CommandBuffer *commands = queue->first;
        queue->first = commands->next;
        if (!queue->first)
            queue->last = &queue->first;
        commands->status = commands->failure ? STATUS_ERROR : STATUS_COMPLETED;
        queue->outstanding--;
        if (commands->end_ns < queue->retired_ns) /* what ran at once ends in order */
            commands->end_ns = queue->retired_ns;
        if (commands->start_ns == 0)
            commands->start_ns = commands->end_ns;
        queue->retired_ns = commands->end_ns;
        machine_log("end %s status=%d error=%d", object_words(&commands->head),
                    (int)commands->status, commands->failure);
        drop_work(commands);
        object_unuse(commands); /* may be the last one, of the queue, too */
        if (queue->head.magic != OBJECT_ALIVE)
            return;
    }
}

void command_buffer_apply(CommandBuffer *commands, const MachineFault *fault)
{
    if (!fault)
        return;
    if (fault->kind == MACHINE_HANG)
        commands->fate = TASK_HANGS;
    else if (fault->kind == MACHINE_ILLEGAL)
        commands->fate = TASK_FAILS;
    else if (fault->kind == MACHINE_LOSE)
        machine_lose_device(commands->queue->device->state, fault->error);
    else
        command_buffer_fail(commands, fault->error, "the command buffer failed");
}

void queues_drop_work(DeviceState *device)
{
    for (Queue *queue = all_queues, *next; queue; queue = next) {
        next = queue->next;
        if (queue->device->state != device)
            continue;
        for (CommandBuffer *commands = queue->first; commands; commands = commands->next)
            command_buffer_fail(commands, device->lost, "the device was lost");
        queue_retire(queue);
    }
}

static bool hangs(const CommandBuffer *commands)
{
    const Step *step = commands->first;
    while (step && step->task.fate != TASK_HANGS)
        step = step->next;
    return step != NULL;
}

void queue_expire(Queue *stuck)
{
    bool has_any = false;
    for (Queue *queue = all_queues, *next; queue; queue = next) {
        next = queue->next;
        for (CommandBuffer *commands = queue->first; commands; commands = commands->next) {
            if (!hangs(commands))
                continue;
            command_buffer_fail(commands, ERROR_TIMEOUT, "the command buffer took too long");
            has_any = true;
        }
        queue_retire(queue);
    }
    if (has_any)
        return;
    command_buffer_fail(stuck->first, ERROR_TIMEOUT, "the command buffer waited too long");
    queue_retire(stuck);
}

/* -- messages to command buffers -- */

static CommandBuffer *of(Object *self)
{
    return (CommandBuffer *)self;
}

/* -- filling -- */

/* It can be filled, and no encoder is open. */
static CommandBuffer *fillable(Object *self, const char *message)
{
    CommandBuffer *commands = of(self);
    if (commands->status >= STATUS_COMMITTED)
        metal_abort("%s: %s was committed before", message, object_words(self));
    if (commands->open)
        metal_abort("%s: %s has an encoder that has not ended", message, object_words(self));
    return commands;
}

static Object *open_encoder(Object *self, const Selector *message, const Class *class,
                            NSUInteger type)
{
    if (type > 1)
        metal_abort("%s: there is no type %lu of dispatches", message->name, type);
    return encoder_create(fillable(self, message->name), class, type == 1);
}

MESSAGE(Object *, commands_compute_encoder_of, (SELF, NSUInteger type),
        open_encoder(self, message, &compute_encoder_class, type))
MESSAGE(Object *, commands_blit_encoder, (SELF),
        open_encoder(self, message, &blit_encoder_class, 0))

static void add_event(Object *self, const Selector *message, enum StepKind kind, Object *event,
                      uint64_t value)
{
    CommandBuffer *commands = fillable(self, message->name);
    SharedEvent *checked = object_check(event, &shared_event_class, message->name);
    Step *step = command_buffer_add(commands, kind);
    step->event = checked;
    step->value = value;
    command_buffer_keep(commands, event);
    machine_note(" %s value=%lu", object_words(event), (unsigned long)value);
}

MESSAGE_VOID(commands_signal, (SELF, Object *event, uint64_t value),
             add_event(self, message, STEP_SIGNAL, event, value))
MESSAGE_VOID(commands_wait, (SELF, Object *event, uint64_t value),
             add_event(self, message, STEP_WAIT, event, value))

/* -- committing -- */

static void commit(Object *self, const char *message, int error)
{
    CommandBuffer *commands = fillable(self, message);
    Queue *queue = commands->queue;
    if (!commands->first) /* it does not end at once, either */
        command_buffer_add(commands, STEP_PASS)->pass = calloc(1, sizeof(Pass));
    commands->status = STATUS_COMMITTED;
    commands->number = ++queue->committed;
    *queue->last = object_use(commands);
    queue->last = &commands->next;
    if (error)
        command_buffer_fail(commands, error, "the command buffer failed");
    if (queue->device->state->lost)
        command_buffer_fail(commands, queue->device->state->lost, "the device was lost");
    command_buffer_apply(commands, machine_armed());
    command_buffer_apply(commands, machine_count("submission"));
    for (Step *step = commands->first; step && !commands->failure; step = step->next) {
        step->task.fate = commands->fate;
        schedule_submit(&queue->tasks, &step->task, NULL);
    }
    queue_retire(queue);
    schedule_progress();
}

static void commands_commit(Object *self, const Selector *message)
{
    metal_enter(self, message->name);
    commit(self, message->name, metal_fault());
    metal_leave(message->name);
}

/* -- waiting -- */

static void wait_until_completed(Object *self, const char *message)
{
    CommandBuffer *commands = of(self);
    if (commands->status < STATUS_COMMITTED)
        metal_abort("%s: %s was not committed", message, object_words(self));
    object_use(commands);
    wait_for_end(commands);
    object_unuse(commands);
}

static void commands_wait_until_completed(Object *self, const Selector *message)
{
    metal_enter(self, message->name);
    wait_until_completed(self, message->name);
    metal_leave(message->name);
}

/* What it was before something of it ran now. */
static NSUInteger status(Object *self)
{
    CommandBuffer *commands = of(self);
    const enum Status before = commands->status;
    if (before == STATUS_COMMITTED || before == STATUS_SCHEDULED)
        poll_end(commands);
    machine_note(" = %d", (int)before);
    return before;
}

static NSUInteger commands_status(Object *self, const Selector *message)
{
    ANSWER(NSUInteger, STATUS_ERROR, status(self));
}

static Object *ended_error(Object *self)
{
    return command_buffer_has_ended(of(self)) ? object_lend(of(self)->error) : NULL;
}

MESSAGE(Object *, commands_error, (SELF), ended_error(self))

static double ended_time(Object *self, uint64_t ns)
{
    return command_buffer_has_ended(of(self)) ? (double)ns / 1e9 : 0;
}

MESSAGE(double, commands_start, (SELF), ended_time(self, of(self)->start_ns))
MESSAGE(double, commands_end, (SELF), ended_time(self, of(self)->end_ns))
MESSAGE(Object *, commands_device, (SELF), object_lend(of(self)->queue->device))

const Class command_buffer_class = {
    .head = CLASS_HEAD,
    .name = "MTLCommandBuffer",
    .size = sizeof(CommandBuffer),
    .destroy = command_buffer_destroy,
    .methods =
        (const Method[]){
            METHOD("computeCommandEncoderWithDispatchType:", commands_compute_encoder_of),
            METHOD("blitCommandEncoder", commands_blit_encoder),
            METHOD("encodeSignalEvent:value:", commands_signal),
            METHOD("encodeWaitForEvent:value:", commands_wait),
            METHOD("commit", commands_commit),
            METHOD("waitUntilCompleted", commands_wait_until_completed),
            METHOD("status", commands_status),
            METHOD("error", commands_error),
            METHOD("GPUStartTime", commands_start),
            METHOD("GPUEndTime", commands_end),
            METHOD("device", commands_device),
            METHODS_END,
        },
};

/* -- events -- */

Object *shared_event_create(Device *device)
{
    if (!device_has_memory(device, 0))
        return NULL;
    SharedEvent *event = object_create(&shared_event_class);
    machine_note(" = %s", object_words(&event->head));
    return &event->head;
}

/* What it was before something ran now. */
static uint64_t signaled_value(Object *self)
{
    const SharedEvent *event = (const SharedEvent *)self;
    const uint64_t before = event->value;
    poll_event(event);
    machine_note(" = %lu", (unsigned long)before);
    return before;
}

MESSAGE(uint64_t, event_signaled_value, (SELF), signaled_value(self))

static void set_value(Object *self, uint64_t value)
{
    SharedEvent *event = (SharedEvent *)self;
    if (value < event->value)
        machine_complain("%s goes back from %lu to %lu", object_words(self),
                         (unsigned long)event->value, (unsigned long)value);
    event->value = value;
    machine_note(" = %lu", (unsigned long)value);
    schedule_progress();
}

MESSAGE_VOID(event_set_signaled_value, (SELF, uint64_t value), set_value(self, value))

const Class shared_event_class = {
    .head = CLASS_HEAD,
    .name = "MTLSharedEvent",
    .size = sizeof(SharedEvent),
    .methods = (const Method[]){METHOD("signaledValue", event_signaled_value),
                                METHOD("setSignaledValue:", event_set_signaled_value), METHODS_END},
};
