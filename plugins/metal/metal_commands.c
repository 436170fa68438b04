/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a stream runs. */
#include "metal_internal.h"

static void copy_texture(const MetalStream *stream, const VmafStreamRows *rows)
{
    const MetalImage *image = (const MetalImage *)rows->image;
    const MetalObject texture = image->textures[rows->image_plane];
    const MetalUInteger wanted = rows->row_size / image->texel_size[rows->image_plane];
    const MetalUInteger width = metal_width(texture);
    /* Rows are rounded up to the alignment of copies, which is more than some textures have. */
    const MetalSize size = {wanted < width ? wanted : width, rows->rows, 1};
    metal_copy_texture(stream->encoder, texture, size, metal_buffer_of(rows->dst), rows->dst_offset,
                       rows->dst_stride);
}

int metal_copy_rows(VmafStreamDevice *device, void *to_stream, const VmafStreamRows *rows)
{
    MetalStream *stream = to_stream;
    const int err = metal_encode((MetalDevice *)device, stream, METAL_BLIT);
    if (err)
        return err;
    if (!rows->src) {
        copy_texture(stream, rows);
        return 0;
    }
    for (uint32_t y = 0; y < rows->rows; y++)
        metal_copy(stream->encoder, metal_buffer_of(rows->src),
                   rows->src_offset + y * rows->src_stride, metal_buffer_of(rows->dst),
                   rows->dst_offset + y * rows->dst_stride, rows->row_size);
    return 0;
}

int metal_run(VmafStreamDevice *device, void *on_stream, const VmafStreamDispatch *dispatch)
{
    MetalStream *stream = on_stream;
    const VmafKernel *kernel = dispatch->kernel->head.kernel;
    const int err = metal_encode((MetalDevice *)device, stream, METAL_COMPUTE);
    if (err)
        return err;
    const MetalObject encoder = stream->encoder;
    metal_set_pipeline(encoder, ((const MetalKernel *)dispatch->kernel)->pipeline);
    for (uint32_t slot = 0; slot < kernel->n_buffers; slot++) {
        const VmafStreamBinding *binding = &dispatch->bindings[slot];
        metal_set_buffer(encoder, metal_buffer_of(binding->buffer), binding->offset, slot);
    }
    if (kernel->args_size)
        metal_set_bytes(encoder, dispatch->args, kernel->args_size, kernel->n_buffers);
    const uint32_t *groups = dispatch->groups;
    metal_dispatch(encoder, (MetalSize){groups[0], groups[1], groups[2]},
                   (MetalSize){kernel->lanes[0], kernel->lanes[1], 1});
    return 0;
}

/* Between encoders Metal orders what uses the same buffers. */
int metal_barrier(VmafStreamDevice *device, void *on_stream)
{
    MetalStream *stream = on_stream;
    (void)device;
    if (stream->encoder_kind == METAL_COMPUTE)
        metal_memory_barrier(stream->encoder, METAL_BARRIER_BUFFERS);
    else
        metal_stop_encoding(stream);
    return 0;
}
