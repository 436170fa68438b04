/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/device_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *find_obstacle(const VideoReader *reader, unsigned output_depth)
{
    const MediaProperties *told = reader->media ? video_reader_properties(reader) : NULL;
    const VideoFormat *to = &reader->format;
    if (!told || !told->device.backend)
        return "is not decoded by a device whose frames can be scored there";
    if (reader->conversion.crop.width || reader->conversion.cut.width)
        return "is cropped";
    if (to->width != told->format.width || to->height != told->format.height)
        return "is scaled";
    if (told->format.bit_depth != output_depth)
        return "is raised to a higher depth";
    if (told->rotation)
        return "is rotated";
    return to->pixel_format != told->format.pixel_format || *told->resampled_from ||
                   reader->conversion.is_full_range != told->is_full_range
               ? "is converted"
               : NULL;
}

bool device_frames_can_stay(const VideoReader *reader, unsigned output_depth, Message *why)
{
    const char *obstacle = find_obstacle(reader, output_depth);
    if (obstacle)
        message_set(why, 0, "%s", obstacle);
    return !obstacle;
}

int device_frames_import(const VideoReader *reader, VmafContext *vmaf, FrameBuffer *buffer,
                         VmafPicture *picture)
{
    const MediaDevice *device = &video_reader_properties(reader)->device;
    VmafPictureImport import = {
        .struct_size = sizeof(import),
        .kind = device->kind,
        .layout = device->layout,
        .pix_fmt = reader->format.pixel_format,
        .bpc = reader->output_depth,
        .w = reader->format.width,
        .h = reader->format.height,
        .wait = device->ready,
        .release = frame_buffer_release,
        .cookie = buffer,
    };
    for (unsigned p = 0; p < 3 && buffer->planes[p]; p++) {
        import.handles[import.n_handles++] = (uintptr_t)buffer->planes[p];
        import.stride[p] = buffer->stride[p];
    }
    return vmaf_picture_import(vmaf, picture, &import);
}

/* -- signatures -- */

/* Fetches rows that are equally far apart together. */
static int fetch_rows(VideoReader *reader, void *held, const SignatureRows *luma,
                      unsigned char *rows, unsigned char *some)
{
    const unsigned count = signature_row_count(luma->height);
    const unsigned period = signature_row_period(luma->height);
    const unsigned step =
        period < count ? signature_row(luma->height, period) - signature_row(luma->height, 0) : 1;
    int err = 0;
    for (unsigned first = 0; first < period && !err; first++) {
        const MediaRows wanted = {
            .first = signature_row(luma->height, first),
            .step = step,
            .count = count / period,
            .bytes = luma->row_bytes,
        };
        err = reader->module->fetch_rows(held, &wanted, some, &reader->error);
        for (unsigned i = 0; i < wanted.count && !err; i++)
            memcpy(rows + (first + (size_t)i * period) * luma->row_bytes,
                   some + i * luma->row_bytes, luma->row_bytes);
    }
    return err;
}

int device_frames_take_signature(VideoReader *reader, FrameBuffer *buffer)
{
    const MediaDevice *device = &video_reader_properties(reader)->device;
    const bool is_high = device->layout == VMAF_IMPORT_P010 || device->layout == VMAF_IMPORT_P016;
    const unsigned depth = is_high ? 16 : reader->format.bit_depth;
    SignatureRows luma = {
        .width = reader->format.width,
        .height = reader->format.height,
        .bpc = depth,
        .row_bytes = (size_t)reader->format.width * (depth > 8 ? 2 : 1),
    };
    const size_t bytes = signature_row_count(luma.height) * luma.row_bytes;
    unsigned char *rows = malloc(2 * bytes);
    if (!rows)
        return message_set(&reader->error, -ENOMEM, "%s", strerror(ENOMEM));
    const int err = fetch_rows(reader, buffer->held, &luma, rows, rows + bytes);
    luma.data = rows;
    if (!err)
        signature_take_rows(&luma, &buffer->signature);
    free(rows);
    return err;
}
