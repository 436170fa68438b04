/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/match.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static bool is_full_range(const VideoReader *video)
{
    return video->media && video_reader_properties(video)->is_full_range;
}

/* Samples of luma that share one of chroma, along a row and a column. */
static void chroma_steps(const MediaProperties *told, unsigned *across, unsigned *down)
{
    const enum VmafPixelFormat format = told->format.pixel_format;
    *across = format == VMAF_PIX_FMT_YUV420P || format == VMAF_PIX_FMT_YUV422P ? 2 : 1;
    *down = format == VMAF_PIX_FMT_YUV420P ? 2 : 1;
    if (*told->resampled_from)
        *across = *down = 4;
}

static int check_crop(const VideoReader *video, const MediaCrop *crop, Message *why)
{
    const MediaProperties *told = video_reader_properties(video);
    const VideoFormat *format = &told->format;
    unsigned across, down;
    if (!crop->width)
        return 0;
    if (crop->x >= format->width || crop->y >= format->height ||
        crop->width > format->width - crop->x || crop->height > format->height - crop->y)
        return message_set(why, -EINVAL, "%ux%u at %u, %u is not inside of its %ux%u samples",
                           crop->width, crop->height, crop->x, crop->y, format->width,
                           format->height);
    chroma_steps(told, &across, &down);
    if (crop->x % across || crop->y % down)
        return message_set(why, -EINVAL,
                           "a part of %s has to begin at a multiple of %u and %u samples",
                           told->stored_layout, across, down);
    return 0;
}

/* The conversion, and what comes of it; the depth is still that of the file. */
static void set_conversion(VideoReader *video, const VideoFormat *format, const MediaCrop *crop,
                           const MatchOptions *options)
{
    video->conversion.crop = *crop;
    video->conversion.scaler = options->scaler;
    video->format = *format;
}

static void crop_size(VideoFormat *format, const MediaCrop *crop)
{
    if (!crop->width)
        return;
    format->width = crop->width;
    format->height = crop->height;
}

int match_reference(VideoReader *reference, const MatchOptions *options, Message *why)
{
    if (!reference->media)
        return 0;
    const int err = check_crop(reference, &options->crop_reference, why);
    if (err)
        return err;
    VideoFormat format = video_reader_properties(reference)->format;
    crop_size(&format, &options->crop_reference);
    if (options->width) {
        format.width = options->width;
        format.height = options->height;
    }
    set_conversion(reference, &format, &options->crop_reference, options);
    return 0;
}

int match_distorted(VideoReader *distorted, const VideoReader *reference,
                    const MatchOptions *options, Message *why)
{
    if (!distorted->media)
        return 0;
    const int err = check_crop(distorted, &options->crop_distorted, why);
    if (err)
        return err;
    VideoFormat own = video_reader_properties(distorted)->format;
    crop_size(&own, &options->crop_distorted);
    VideoFormat format = reference->format;
    format.bit_depth = own.bit_depth;
    format.has_alpha = false;
    if (options->never_scale && (own.width != format.width || own.height != format.height))
        return message_set(why, -EINVAL, "it has %ux%u samples, the reference %ux%u (--scale none)",
                           own.width, own.height, format.width, format.height);
    set_conversion(distorted, &format, &options->crop_distorted, options);
    distorted->conversion.is_full_range = is_full_range(reference);
    return 0;
}

bool match_needs_media(const VideoReader *distorted, const VideoReader *reference)
{
    const VideoFormat *a = &reference->format, *b = &distorted->format;
    return reference->media && !distorted->media && !distorted->raw &&
           (a->width != b->width || a->height != b->height || a->pixel_format != b->pixel_format ||
            is_full_range(reference));
}

/* -- notes -- */

static void note_conversion(const VideoReader *video, const char *role, unsigned planes,
                            Notes *notes)
{
    const MediaProperties *told = video_reader_properties(video);
    if (told->is_rgb)
        notes_add(notes, "the %s video is %s: it is converted to 4:4:4 BT.709 of limited range",
                  role, told->stored_layout);
    if (*told->resampled_from && planes & 6)
        notes_add(notes, "the %s video has %s chroma: it is converted to %s", role,
                  told->resampled_from, video_format_name(told->format.pixel_format));
    if (told->rotation)
        notes_add(notes, "the %s video is rotated by %d degrees, as it says", role, told->rotation);
    if (told->is_cropped_by_codec)
        notes_add(notes, "the %s video is cropped to %ux%u by its decoder, as it says", role,
                  told->format.width, told->format.height);
    const MediaCrop *crop = &video->conversion.crop;
    if (crop->width)
        notes_add(notes, "of the %s video %ux%u samples at %u, %u are scored", role, crop->width,
                  crop->height, crop->x, crop->y);
}

void match_note_video(const VideoReader *video, const char *role, unsigned planes, Notes *notes)
{
    if (!video->media)
        return;
    const MediaProperties *told = video_reader_properties(video);
    note_conversion(video, role, planes, notes);
    if (told->is_interlaced)
        notes_add(notes, "the %s video is interlaced: frames are scored as they are woven", role);
    if (told->is_hdr)
        notes_add(notes,
                  "the %s video is HDR (%s): it is scored as it is, but models are made for SDR",
                  role, told->transfer);
    if (told->n_streams > 1)
        notes_add(notes, "the %s file has %u video streams: number %u is scored (--stream)", role,
                  told->n_streams, told->stream);
}

static const VideoFormat *source_format(const VideoReader *video)
{
    return video->media ? &video_reader_properties(video)->format : &video->format;
}

static const char *scaler_name(MediaScaler scaler)
{
    static const char *const names[] = {"bicubic", "lanczos", "bilinear", "spline"};
    return names[scaler];
}

static void note_size(const VideoReader *video, const char *role, Notes *notes)
{
    VideoFormat from = *source_format(video);
    crop_size(&from, &video->conversion.crop);
    if (video->media && (from.width != video->format.width || from.height != video->format.height))
        notes_add(notes, "the %s video is scaled from %ux%u to %ux%u (%s, %s)", role, from.width,
                  from.height, video->format.width, video->format.height,
                  scaler_name(video->conversion.scaler), video->module->scaler);
}

static void note_samples(const VideoReader *reference, const VideoReader *distorted,
                         unsigned planes, Notes *notes)
{
    const VideoFormat *a = source_format(reference), *b = source_format(distorted);
    if (a->bit_depth != b->bit_depth)
        notes_add(notes, "the %s video has %u bits and is raised to %u",
                  a->bit_depth < b->bit_depth ? "reference" : "distorted",
                  a->bit_depth < b->bit_depth ? a->bit_depth : b->bit_depth,
                  a->bit_depth < b->bit_depth ? b->bit_depth : a->bit_depth);
    if (a->pixel_format != b->pixel_format && planes & 6 && distorted->media)
        notes_add(notes, "the distorted video is converted from %s to %s",
                  video_format_name(b->pixel_format), video_format_name(a->pixel_format));
    if (distorted->media && is_full_range(reference) != is_full_range(distorted))
        notes_add(notes, "the distorted video is converted from %s to %s range",
                  is_full_range(distorted) ? "full" : "limited",
                  is_full_range(reference) ? "full" : "limited");
}

/* Rates that differ by more than a thousandth. */
static bool rates_differ(const MediaProperties *a, const MediaProperties *b)
{
    if (!a->rate_den || !b->rate_den)
        return false;
    const double first = (double)a->rate_num / a->rate_den;
    const double second = (double)b->rate_num / b->rate_den;
    return fabs(first - second) > 0.001 * first;
}

static void note_tags(const MediaProperties *a, const MediaProperties *b, bool pairs_by_time,
                      Notes *notes)
{
    if (strcmp(a->matrix, b->matrix) != 0 && strcmp(a->matrix, "unknown") != 0 &&
        strcmp(b->matrix, "unknown") != 0 && !a->is_rgb && !b->is_rgb)
        notes_add(notes, "the colour matrices differ and are not converted: %s, %s", a->matrix,
                  b->matrix);
    if (a->aspect_den && b->aspect_den &&
        (uint64_t)a->aspect_num * b->aspect_den != (uint64_t)b->aspect_num * a->aspect_den)
        notes_add(notes, "the shapes of samples differ and are not converted: %u:%u, %u:%u",
                  a->aspect_num, a->aspect_den, b->aspect_num, b->aspect_den);
    if (rates_differ(a, b) && !pairs_by_time)
        notes_add(notes,
                  "warning: frame rates differ: %.6g and %.6g; frames are paired by their number "
                  "(--sync time pairs them by their time)",
                  (double)a->rate_num / a->rate_den, (double)b->rate_num / b->rate_den);
}

void match_note_pair(const VideoReader *reference, const VideoReader *distorted, unsigned planes,
                     bool pairs_by_time, Notes *notes)
{
    if (!reference->media && !distorted->media)
        return;
    note_samples(reference, distorted, planes, notes);
    note_size(reference, "reference", notes);
    note_size(distorted, "distorted", notes);
    if (reference->media && distorted->media)
        note_tags(video_reader_properties(reference), video_reader_properties(distorted),
                  pairs_by_time, notes);
}
