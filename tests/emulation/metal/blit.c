/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Messages to encoders of copies. */
#include "command_buffer.h"

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

static void blit_copy(Object *self, const Selector *message, Object *src, NSUInteger src_offset,
                      Object *dst, NSUInteger dst_offset, NSUInteger size)
{
    PERFORM(copy(self, message->name, src, src_offset, dst, dst_offset, size));
}

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

typedef struct Range {
    NSUInteger location, length;
} Range;

static void fill(Object *self, const char *message, Object *dst, Range range, uint8_t value)
{
    Command *command = encoder_add(self, COMMAND_FILL, message);
    command->copy.dst =
        check_range((const Encoder *)self, message, dst, range.location, range.length);
    if (range.length == 0 || range.location % 4 != 0 || range.length % 4 != 0)
        metal_abort("%s: %lu bytes from %lu on: not all are multiples of 4", message, range.length,
                    range.location);
    command->copy.dst_offset = range.location;
    command->copy.size = range.length;
    command->copy.value = value;
    encoder_use(self, command, dst, true);
}

static void blit_fill(Object *self, const Selector *message, Object *dst, Range range,
                      uint8_t value)
{
    PERFORM(fill(self, message->name, dst, range, value));
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
            METHOD("fillBuffer:range:value:", blit_fill),
            METHOD("updateFence:", encoder_update_fence),
            METHOD("waitForFence:", encoder_wait_for_fence),
            METHOD("endEncoding", encoder_end_encoding),
            METHODS_END,
        },
};
