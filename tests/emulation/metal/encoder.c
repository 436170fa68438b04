/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Encoders: passes and their commands; messages to encoders of copies and of kernels. */
#include "metal.h"

#include <stdlib.h>
#include <string.h>

/* -- life -- */

Object *encoder_create(CommandBuffer *commands, const Class *class, bool is_concurrent)
{
    Encoder *encoder = object_create_autoreleased(class);
    Pass *pass = calloc(1, sizeof(*pass));
    pass->is_compute = class == &compute_encoder_class;
    pass->is_concurrent = is_concurrent;
    command_buffer_add(commands, STEP_PASS)->pass = pass;
    encoder->commands = object_use(commands);
    encoder->pass = pass;
    commands->open = encoder;
    machine_note(" = %s", object_words(&encoder->head));
    return &encoder->head;
}

static void encoder_destroy(Object *object)
{
    Encoder *encoder = (Encoder *)object;
    if (encoder->commands && encoder->head.owned == 0)
        metal_abort("%s is released, but was not told endEncoding", object_words(object));
    for (unsigned i = 0; i < MAX_BINDINGS; i++)
        free(encoder->bytes[i]);
}

static Pass *encoder_pass(Object *self, const char *message)
{
    const Encoder *encoder = (const Encoder *)self;
    if (!encoder->commands)
        metal_abort("%s is sent to %s after endEncoding", message, object_words(self));
    return encoder->pass;
}

static void encoder_end(Object *self, const char *message)
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
    free(pass);
}

/* -- commands -- */

static Command *encoder_add(Object *self, enum CommandKind kind, const char *message)
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

static void encoder_use(Object *self, Command *command, Object *resource, bool writes)
{
    Encoder *encoder = (Encoder *)self;
    add_use(&command->uses, &command->n_uses, resource, writes);
    add_use(&encoder->pass->uses, &encoder->pass->n_uses, resource, writes);
    command_buffer_keep(encoder->commands, resource);
}

MESSAGE_VOID(encoder_end_encoding, (SELF), encoder_end(self, message->name))

/* -- copies -- */

static Buffer *check_range(const Encoder *encoder, const char *message, Object *object,
                           NSUInteger offset, NSUInteger size)
{
    Buffer *buffer = object_check(object, &buffer_class, message);
    if (offset > buffer->length || size > buffer->length - offset)
        metal_abort("%s: bytes %lu to %lu of %s, which has %lu", message, offset, offset + size,
                    object_words(object), buffer->length);
    if (buffer->device != encoder->commands->queue->device)
        metal_abort("%s: %s is another device's", message, object_words(object));
    return buffer;
}

/* On a Mac all numbers of copies between buffers are multiples of 4. */
static void copy(Object *self, const char *message, Object *src, NSUInteger src_offset, Object *dst,
                 NSUInteger dst_offset, NSUInteger size)
{
    const Encoder *encoder = (const Encoder *)self;
    Command *command = encoder_add(self, COMMAND_COPY, message);
    command->copy.src = check_range(encoder, message, src, src_offset, size);
    command->copy.dst = check_range(encoder, message, dst, dst_offset, size);
    if (size == 0 || src_offset % 4 != 0 || dst_offset % 4 != 0 || size % 4 != 0)
        metal_abort("%s: from %lu to %lu, %lu bytes: not all are multiples of 4", message,
                    src_offset, dst_offset, size);
    if (src == dst && src_offset < dst_offset + size && dst_offset < src_offset + size)
        metal_abort("%s: source and target overlap", message);
    command->copy.src_offset = src_offset;
    command->copy.dst_offset = dst_offset;
    command->copy.size = size;
    encoder_use(self, command, src, false);
    encoder_use(self, command, dst, true);
}

MESSAGE_VOID(blit_copy,
             (SELF, Object *src, NSUInteger src_offset, Object *dst, NSUInteger dst_offset,
              NSUInteger size),
             copy(self, message->name, src, src_offset, dst, dst_offset, size))

static void check_part(const Texture *texture, const char *message, NSUInteger slice,
                       NSUInteger level, Origin3 origin, Size3 size)
{
    if (slice != 0 || level != 0 || origin.z != 0 || size.depth != 1 || size.width == 0 ||
        size.height == 0 || origin.x + size.width > texture->width ||
        origin.y + size.height > texture->height)
        metal_abort("%s: %lu x %lu x %lu samples from (%lu, %lu, %lu) on, slice %lu, level %lu, of "
                    "%lu x %lu",
                    message, size.width, size.height, size.depth, origin.x, origin.y, origin.z,
                    slice, level, texture->width, texture->height);
}

static void copy_texture(Object *self, const char *message, Command *command, NSUInteger stride,
                         NSUInteger image_stride)
{
    const Encoder *encoder = (const Encoder *)self;
    const Texture *texture = command->copy.texture;
    const size_t element = texture_element_size(texture->format);
    const Size3 size = command->copy.extent;
    const NSUInteger row = size.width * element;
    if (stride < row || stride % element != 0 || command->copy.dst_offset % element != 0 ||
        (image_stride != 0 && image_stride < stride * (size.height - 1) + row))
        metal_abort("%s: %lu bytes a row and %lu in all, for %lu rows of %lu", message, stride,
                    image_stride, size.height, row);
    check_range(encoder, message, &command->copy.dst->head, command->copy.dst_offset,
                stride * (size.height - 1) + row);
    if (texture->device != encoder->commands->queue->device)
        metal_abort("%s: %s is another device's", message, object_words(&texture->head));
    command->copy.stride = stride;
    encoder_use(self, command, &command->copy.texture->head, false);
    encoder_use(self, command, &command->copy.dst->head, true);
}

static void blit_copy_texture(Object *self, const Selector *message, Object *src, NSUInteger slice,
                              NSUInteger level, Origin3 origin, Size3 size, Object *dst,
                              NSUInteger dst_offset, NSUInteger stride, NSUInteger image_stride)
{
    if (metal_enter(self, message->name)) {
        Command *command = encoder_add(self, COMMAND_COPY_TEXTURE, message->name);
        command->copy.texture = object_check(src, &texture_class, message->name);
        command->copy.dst = object_check(dst, &buffer_class, message->name);
        command->copy.dst_offset = dst_offset;
        command->copy.origin = origin;
        command->copy.extent = size;
        check_part(command->copy.texture, message->name, slice, level, origin, size);
        copy_texture(self, message->name, command, stride, image_stride);
    }
    metal_leave(message->name);
}

const Class blit_encoder_class = {
    .head = CLASS_HEAD,
    .name = "MTLBlitCommandEncoder",
    .size = sizeof(Encoder),
    .destroy = encoder_destroy,
    .methods =
        (const Method[]){
            METHOD("copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", blit_copy),
            METHOD("copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:"
                   "destinationOffset:destinationBytesPerRow:destinationBytesPerImage:",
                   blit_copy_texture),
            METHOD("endEncoding", encoder_end_encoding),
            METHODS_END,
        },
};

/* -- kernels -- */

enum { SCOPE_BUFFERS = 1, SCOPES = 7, MAX_GROUPS = INT32_MAX };

static void set_pipeline(Object *self, const char *message, Object *object)
{
    Encoder *encoder = (Encoder *)self;
    encoder_pass(self, message);
    encoder->pipeline = object_check(object, &pipeline_class, message);
    command_buffer_keep(encoder->commands, object);
}

MESSAGE_VOID(compute_set_pipeline, (SELF, Object *pipeline),
             set_pipeline(self, message->name, pipeline))

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

MESSAGE_VOID(compute_set_buffer, (SELF, Object *buffer, NSUInteger offset, NSUInteger index),
             set_buffer(self, message->name, buffer, offset, index))

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

MESSAGE_VOID(compute_set_bytes, (SELF, const void *bytes, NSUInteger length, NSUInteger index),
             set_bytes(self, message->name, bytes, length, index))

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

MESSAGE_VOID(compute_dispatch, (SELF, Size3 groups, Size3 threads),
             dispatch(self, message->name, groups, threads))

/* -- barriers -- */

static void barrier(Object *self, const char *message, NSUInteger scope)
{
    if (scope == 0 || scope > SCOPES)
        metal_abort("%s: there is no scope %lu", message, scope);
    if (scope & SCOPE_BUFFERS)
        encoder_add(self, COMMAND_BARRIER, message);
}

MESSAGE_VOID(compute_barrier, (SELF, NSUInteger scope), barrier(self, message->name, scope))

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
            METHOD("endEncoding", encoder_end_encoding),
            METHODS_END,
        },
};
