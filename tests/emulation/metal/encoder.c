/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What encoders of all kinds have in common: passes, their commands, fences. */
#include <stdlib.h>
#include <string.h>

#include "command_buffer.h"

static uint64_t serial;

/* -- life -- */

Object *encoder_create(CommandBuffer *commands, const Class *class, bool is_concurrent)
{
    Encoder *encoder = object_create_autoreleased(class);
    Pass *pass = calloc(1, sizeof(*pass));
    pass->serial = ++serial;
    pass->is_compute = class == &compute_encoder_class;
    pass->is_concurrent = is_concurrent;
    command_buffer_add(commands, STEP_PASS)->pass = pass;
    encoder->commands = object_use(commands);
    encoder->pass = pass;
    commands->open = encoder;
    machine_note(" = %s", object_words(&encoder->head));
    return &encoder->head;
}

void encoder_destroy(Object *object)
{
    Encoder *encoder = (Encoder *)object;
    if (encoder->commands && encoder->head.owned == 0)
        metal_abort("%s is released, but was not told endEncoding", object_words(object));
    for (unsigned i = 0; i < MAX_BINDINGS; i++)
        free(encoder->bytes[i]);
}

Pass *encoder_pass(Object *self, const char *message)
{
    const Encoder *encoder = (const Encoder *)self;
    if (!encoder->commands)
        metal_abort("%s is sent to %s after endEncoding", message, object_words(self));
    return encoder->pass;
}

void encoder_end(Object *self, const char *message)
{
    Encoder *encoder = (Encoder *)self;
    encoder_pass(self, message);
    encoder->commands->open = NULL;
    object_unuse(encoder->commands);
    encoder->commands = NULL;
}

static void free_command(Command *command)
{
    free(command->uses);
}

void pass_free(Pass *pass)
{
    for (size_t i = 0; i < pass->n_commands; i++)
        free_command(&pass->commands[i]);
    free(pass->commands);
    free(pass->uses);
    free(pass->waits);
    free(pass);
}

/* -- commands -- */

Command *encoder_add(Object *self, enum CommandKind kind, const char *message)
{
    Pass *pass = encoder_pass(self, message);
    if (pass->n_commands == pass->capacity) {
        pass->capacity = pass->capacity ? 2 * pass->capacity : 16;
        pass->commands = realloc(pass->commands, pass->capacity * sizeof(*pass->commands));
    }
    Command *command = &pass->commands[pass->n_commands++];
    memset(command, 0, sizeof(*command));
    command->kind = kind;
    return command;
}

static void add_use(Use **uses, unsigned *count, Object *resource, bool writes)
{
    for (unsigned i = 0; i < *count; i++) {
        if ((*uses)[i].resource == resource) {
            (*uses)[i].writes |= writes;
            (*uses)[i].reads |= !writes;
            return;
        }
    }
    *uses = realloc(*uses, (*count + 1) * sizeof(**uses));
    (*uses)[(*count)++] = (Use){resource, !writes, writes};
}

void encoder_use(Object *self, Command *command, Object *resource, bool writes)
{
    Encoder *encoder = (Encoder *)self;
    add_use(&command->uses, &command->n_uses, resource, writes);
    add_use(&encoder->pass->uses, &encoder->pass->n_uses, resource, writes);
    command_buffer_keep(encoder->commands, resource);
}

void encoder_end_encoding(Object *self, const Selector *message)
{
    PERFORM(encoder_end(self, message->name));
}

/* -- fences -- */

static void update_fence(Object *self, const char *message, Object *object)
{
    Fence *fence = object_check(object, &fence_class, message);
    Pass *pass = encoder_pass(self, message);
    CommandBuffer *commands = ((Encoder *)self)->commands;
    fence->updated_by = pass->serial;
    fence->queue = commands->queue;
    command_buffer_keep(commands, object);
}

void encoder_update_fence(Object *self, const Selector *message, Object *fence)
{
    PERFORM(update_fence(self, message->name, fence));
}

static void wait_for_fence(Object *self, const char *message, Object *object)
{
    const Fence *fence = object_check(object, &fence_class, message);
    Pass *pass = encoder_pass(self, message);
    CommandBuffer *commands = ((Encoder *)self)->commands;
    if (fence->updated_by == 0)
        metal_abort("%s: no encoder updates %s", message, object_words(object));
    if (fence->queue != commands->queue)
        metal_abort("%s: %s is updated on another queue", message, object_words(object));
    pass->waits = realloc(pass->waits, (pass->n_waits + 1) * sizeof(*pass->waits));
    pass->waits[pass->n_waits++] = fence->updated_by;
    command_buffer_keep(commands, object);
}

void encoder_wait_for_fence(Object *self, const Selector *message, Object *fence)
{
    PERFORM(wait_for_fence(self, message->name, fence));
}
