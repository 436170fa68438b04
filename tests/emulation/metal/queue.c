/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Queues, and the life of command buffers. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "classes.h"
#include "command_buffer.h"

static Queue *all_queues;

Queue *queues(void)
{
    return all_queues;
}

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
    queue->time = queue->retired = 1;
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
        schedule_finish(queue->first);
    }
    return !device_lost(queue->device);
}

static Object *create_command_buffer(Queue *queue, bool is_unretained)
{
    if (!wait_for_capacity(queue))
        machine_note(" (lost)"); /* there is one, which fails when it is committed */
    CommandBuffer *commands = object_create_autoreleased(&command_buffer_class);
    commands->queue = object_use(queue);
    commands->is_unretained = is_unretained;
    queue->outstanding++;
    machine_note(" = %s", object_words(&commands->head));
    return &commands->head;
}

static Object *queue_command_buffer(Object *self, const Selector *message)
{
    ANSWER(Object *, NULL, create_command_buffer((Queue *)self, false));
}

static Object *queue_command_buffer_unretained(Object *self, const Selector *message)
{
    ANSWER(Object *, NULL, create_command_buffer((Queue *)self, true));
}

static Object *queue_device(Object *self, const Selector *message)
{
    ANSWER(Object *, NULL, object_lend(((Queue *)self)->device));
}

const Class queue_class = {
    .head = CLASS_HEAD,
    .name = "MTLCommandQueue",
    .size = sizeof(Queue),
    .destroy = destroy_queue,
    .methods = (const Method[]){METHOD("commandBuffer", queue_command_buffer),
                                METHOD("commandBufferWithUnretainedReferences",
                                       queue_command_buffer_unretained),
                                METHOD("device", queue_device), METHODS_END},
};

/* -- what command buffers hold -- */

void command_buffer_keep(CommandBuffer *commands, Object *object)
{
    if (commands->is_unretained)
        return;
    for (size_t i = 0; i < commands->n_kept; i++) {
        if (commands->kept[i] == object)
            return;
    }
    commands->kept = realloc(commands->kept, (commands->n_kept + 1) * sizeof(*commands->kept));
    commands->kept[commands->n_kept++] = object_use(object);
}

Step *command_buffer_add(CommandBuffer *commands, enum StepKind kind)
{
    commands->steps = realloc(commands->steps, (commands->n_steps + 1) * sizeof(*commands->steps));
    Step *step = &commands->steps[commands->n_steps++];
    *step = (Step){.kind = kind};
    return step;
}

static void drop_work(CommandBuffer *commands)
{
    for (size_t i = 0; i < commands->n_steps; i++) {
        if (commands->steps[i].pass)
            pass_free(commands->steps[i].pass);
    }
    for (size_t i = 0; i < commands->n_kept; i++)
        object_unuse(commands->kept[i]);
    free(commands->steps);
    free(commands->kept);
    commands->steps = NULL;
    commands->kept = NULL;
    commands->n_steps = commands->n_kept = 0;
}

void command_buffer_destroy(Object *object)
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
    for (size_t i = 0; i < commands->n_steps; i++) {
        Step *step = &commands->steps[i];
        if (step->kind == STEP_SIGNAL && !step->is_done &&
            emulated_machine.own[MACHINE_ERRORS_SIGNAL] && step->event->value < step->value)
            step->event->value = step->value;
        step->is_done = true;
    }
}

static bool has_work(const CommandBuffer *commands)
{
    for (size_t i = 0; i < commands->n_steps; i++) {
        if (!commands->steps[i].is_done)
            return true;
    }
    return commands->fate == WORK_HANGS && !commands->failure;
}

void queue_retire(Queue *queue)
{
    while (queue->first && !has_work(queue->first)) {
        CommandBuffer *commands = queue->first;
        queue->first = commands->next;
        if (!queue->first)
            queue->last = &queue->first;
        commands->status = commands->failure ? STATUS_ERROR : STATUS_COMPLETED;
        queue->outstanding--;
        if (commands->end < queue->retired) /* what ran at once ends in order */
            commands->end = queue->retired;
        if (commands->start == 0)
            commands->start = commands->end;
        queue->retired = commands->end;
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
        commands->fate = WORK_HANGS;
    else if (fault->kind == MACHINE_ILLEGAL)
        commands->fate = WORK_FAILS;
    else if (fault->kind == MACHINE_LOSE)
        device_lose(commands->queue->device->index, fault->error);
    else
        command_buffer_fail(commands, fault->error, "the command buffer failed");
}
