/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Messages to command buffers. */
#include "command_buffer.h"

#include <stdlib.h>

#include "classes.h"

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

static Object *commands_compute_encoder(Object *self, const Selector *message)
{
    ANSWER(Object *, NULL, open_encoder(self, message, &compute_encoder_class, 0));
}

static Object *commands_compute_encoder_of(Object *self, const Selector *message, NSUInteger type)
{
    ANSWER(Object *, NULL, open_encoder(self, message, &compute_encoder_class, type));
}

static Object *commands_blit_encoder(Object *self, const Selector *message)
{
    ANSWER(Object *, NULL, open_encoder(self, message, &blit_encoder_class, 0));
}

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

static void commands_signal(Object *self, const Selector *message, Object *event, uint64_t value)
{
    PERFORM(add_event(self, message, STEP_SIGNAL, event, value));
}

static void commands_wait(Object *self, const Selector *message, Object *event, uint64_t value)
{
    PERFORM(add_event(self, message, STEP_WAIT, event, value));
}

/* -- committing -- */

static void commit(Object *self, const char *message, int error)
{
    CommandBuffer *commands = fillable(self, message);
    Queue *queue = commands->queue;
    if (commands->n_steps == 0) /* it does not end at once, either */
        command_buffer_add(commands, STEP_PASS)->pass = calloc(1, sizeof(Pass));
    commands->status = STATUS_COMMITTED;
    *queue->last = object_use(commands);
    queue->last = &commands->next;
    if (error)
        command_buffer_fail(commands, error, "the command buffer failed");
    command_buffer_apply(commands, machine_armed());
    command_buffer_apply(commands, machine_count("submission"));
    schedule_drop_lost();
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
    schedule_finish(commands);
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
        schedule_poll(commands);
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

static Object *commands_error(Object *self, const Selector *message)
{
    ANSWER(Object *, NULL, ended_error(self));
}

static double ended_time(Object *self, double seconds)
{
    return command_buffer_has_ended(of(self)) ? seconds : 0;
}

static double commands_start(Object *self, const Selector *message)
{
    ANSWER(double, 0, ended_time(self, of(self)->start));
}

static double commands_end(Object *self, const Selector *message)
{
    ANSWER(double, 0, ended_time(self, of(self)->end));
}

static Object *commands_queue(Object *self, const Selector *message)
{
    ANSWER(Object *, NULL, object_lend(of(self)->queue));
}

static Object *commands_device(Object *self, const Selector *message)
{
    ANSWER(Object *, NULL, object_lend(of(self)->queue->device));
}

const Class command_buffer_class = {
    .head = CLASS_HEAD,
    .name = "MTLCommandBuffer",
    .size = sizeof(CommandBuffer),
    .destroy = command_buffer_destroy,
    .methods =
        (const Method[]){
            METHOD("computeCommandEncoder", commands_compute_encoder),
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
            METHOD("commandQueue", commands_queue),
            METHOD("device", commands_device),
            METHODS_END,
        },
};
