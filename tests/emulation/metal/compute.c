/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Messages to encoders of kernels. */
#include <stdlib.h>
#include <string.h>

#include "command_buffer.h"

enum { SCOPE_BUFFERS = 1, SCOPES = 7, MAX_GROUPS = INT32_MAX };

static void set_pipeline(Object *self, const char *message, Object *object)
{
    Encoder *encoder = (Encoder *)self;
    encoder_pass(self, message);
    encoder->pipeline = object_check(object, &pipeline_class, message);
    command_buffer_keep(encoder->commands, object);
}

static void compute_set_pipeline(Object *self, const Selector *message, Object *pipeline)
{
    PERFORM(set_pipeline(self, message->name, pipeline));
}

static void unset(Encoder *encoder, NSUInteger index, const char *message)
{
    encoder_pass(&encoder->head, message);
    if (index >= MAX_BINDINGS)
        metal_abort("%s: there is no index %lu", message, index);
    free(encoder->bytes[index]);
    encoder->bytes[index] = NULL;
    encoder->n_bytes[index] = 0;
    encoder->bindings[index] = (Binding){NULL, 0};
}

static void set_buffer(Object *self, const char *message, Object *object, NSUInteger offset,
                       NSUInteger index)
{
    Encoder *encoder = (Encoder *)self;
    unset(encoder, index, message);
    if (!object)
        return;
    Buffer *buffer = object_check(object, &buffer_class, message);
    if (offset >= buffer->length)
        metal_abort("%s: offset %lu of %s, which has %lu bytes", message, offset,
                    object_words(object), buffer->length);
    if (buffer->device != encoder->commands->queue->device)
        metal_abort("%s: %s is another device's", message, object_words(object));
    encoder->bindings[index] = (Binding){buffer, offset};
    command_buffer_keep(encoder->commands, object);
}

static void compute_set_buffer(Object *self, const Selector *message, Object *buffer,
                               NSUInteger offset, NSUInteger index)
{
    PERFORM(set_buffer(self, message->name, buffer, offset, index));
}

static void set_bytes(Object *self, const char *message, const void *bytes, NSUInteger length,
                      NSUInteger index)
{
    Encoder *encoder = (Encoder *)self;
    unset(encoder, index, message);
    if (!bytes || length == 0 || length > MAX_BYTES)
        metal_abort("%s: %lu bytes", message, length);
    encoder->bytes[index] = malloc(length);
    encoder->n_bytes[index] = length;
    memcpy(encoder->bytes[index], bytes, length);
}

static void compute_set_bytes(Object *self, const Selector *message, const void *bytes,
                              NSUInteger length, NSUInteger index)
{
    PERFORM(set_bytes(self, message->name, bytes, length, index));
}

/* -- dispatches -- */

static void check_sizes(const Encoder *encoder, const char *message, Size3 groups, Size3 threads)
{
    const VmafKernel *kernel = encoder->pipeline->kernel;
    if (threads.width != kernel->lanes[0] || threads.height != kernel->lanes[1] ||
        threads.depth != 1)
        metal_abort("%s: groups of %lu x %lu x %lu threads, but %s is for %u x %u", message,
                    threads.width, threads.height, threads.depth, kernel->name, kernel->lanes[0],
                    kernel->lanes[1]);
    if (threads.width * threads.height > encoder->pipeline->max_threads)
        metal_abort("%s: groups of %lu threads, but the pipeline's limit is %lu", message,
                    threads.width * threads.height, encoder->pipeline->max_threads);
    if (groups.width - 1 >= MAX_GROUPS || groups.height - 1 >= MAX_GROUPS ||
        groups.depth - 1 >= MAX_GROUPS)
        metal_abort("%s: %lu x %lu x %lu groups", message, groups.width, groups.height,
                    groups.depth);
}

static void bind_buffers(Encoder *encoder, Command *command, const char *message)
{
    const VmafKernel *kernel = encoder->pipeline->kernel;
    for (unsigned slot = 0; slot < kernel->n_buffers; slot++) {
        const Binding *binding = &encoder->bindings[slot];
        if (!binding->buffer)
            metal_abort("%s: %s has no buffer %u", message, kernel->name, slot);
        if (binding->offset % kernel->element_size[slot] != 0)
            metal_abort("%s: offset %lu of buffer %u is no multiple of its elements", message,
                        binding->offset, slot);
        command->dispatch.bindings[slot] = *binding;
        encoder_use(&encoder->head, command, &binding->buffer->head, kernel->written >> slot & 1);
    }
}

static void bind_args(Encoder *encoder, Command *command, const char *message)
{
    const VmafKernel *kernel = encoder->pipeline->kernel;
    const unsigned slot = kernel->n_buffers;
    const Binding *binding = &encoder->bindings[slot];
    if (binding->buffer) {
        if (binding->offset % 4 != 0 ||
            binding->buffer->length - binding->offset < kernel->args_size)
            metal_abort("%s: the arguments of %s are not in buffer %u", message, kernel->name,
                        slot);
        command->dispatch.args_buffer = *binding;
        encoder_use(&encoder->head, command, &binding->buffer->head, false);
        return;
    }
    if (encoder->n_bytes[slot] != kernel->args_size)
        metal_abort("%s: %lu bytes of arguments, but %s has %u", message, encoder->n_bytes[slot],
                    kernel->name, kernel->args_size);
    memcpy(command->dispatch.args, encoder->bytes[slot], kernel->args_size);
}

static void dispatch(Object *self, const char *message, Size3 groups, Size3 threads)
{
    Encoder *encoder = (Encoder *)self;
    encoder_pass(self, message);
    if (!encoder->pipeline)
        metal_abort("%s: there is no pipeline", message);
    check_sizes(encoder, message, groups, threads);
    Command *command = encoder_add(self, COMMAND_DISPATCH, message);
    command->dispatch.pipeline = encoder->pipeline;
    command->dispatch.groups = groups;
    bind_buffers(encoder, command, message);
    bind_args(encoder, command, message);
    command_buffer_apply(encoder->commands, machine_armed());
    command_buffer_apply(encoder->commands, machine_count("launch"));
    machine_note(" %s groups=%lux%lux%lu", encoder->pipeline->kernel->name, groups.width,
                 groups.height, groups.depth);
}

static void compute_dispatch(Object *self, const Selector *message, Size3 groups, Size3 threads)
{
    PERFORM(dispatch(self, message->name, groups, threads));
}

/* -- barriers -- */

static void barrier(Object *self, const char *message, NSUInteger scope)
{
    if (scope == 0 || scope > SCOPES)
        metal_abort("%s: there is no scope %lu", message, scope);
    if (scope & SCOPE_BUFFERS)
        encoder_add(self, COMMAND_BARRIER, message);
}

static void compute_barrier(Object *self, const Selector *message, NSUInteger scope)
{
    PERFORM(barrier(self, message->name, scope));
}

const Class compute_encoder_class = {
    .head = CLASS_HEAD,
    .name = "MTLComputeCommandEncoder",
    .size = sizeof(Encoder),
    .destroy = encoder_destroy,
    .methods =
        (const Method[]){
            METHOD("setComputePipelineState:", compute_set_pipeline),
            METHOD("setBuffer:offset:atIndex:", compute_set_buffer),
            METHOD("setBytes:length:atIndex:", compute_set_bytes),
            METHOD("dispatchThreadgroups:threadsPerThreadgroup:", compute_dispatch),
            METHOD("memoryBarrierWithScope:", compute_barrier),
            METHOD("updateFence:", encoder_update_fence),
            METHOD("waitForFence:", encoder_wait_for_fence),
            METHOD("endEncoding", encoder_end_encoding),
            METHODS_END,
        },
};
