/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/match.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void notes_add(Notes *notes, const char *format, ...)
{
    char **more = realloc(notes->text, (notes->count + 1) * sizeof(*more));
    if (!more)
        return;
    notes->text = more;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&more[notes->count], format, arguments) >= 0)
        notes->count++;
    va_end(arguments);
}

void notes_free(Notes *notes)
{
    for (unsigned i = 0; i < notes->count; i++)
        free(notes->text[i]);
    free(notes->text);
    *notes = (Notes){0};
}

static bool is_full_range(const VideoReader *video)
{
    return video->media ? video_reader_properties(video)->is_full_range : video->is_full_range;
}

void match_chroma_steps(const MediaProperties *properties, unsigned *across, unsigned *down)
{
    const enum VmafPixelFormat format = properties->format.pixel_format;
    *across = format == VMAF_PIX_FMT_YUV420P || format == VMAF_PIX_FMT_YUV422P ? 2 : 1;
    *down = format == VMAF_PIX_FMT_YUV420P ? 2 : 1;
    if (*properties->resampled_from)
        *across = *down = 4;
}

static int check_crop(const VideoReader *video, const MediaCrop *crop, Message *why)
{
    const MediaProperties *properties = video_reader_properties(video);
    const VideoFormat *format = &properties->format;
    unsigned across, down;
    if (!crop->width)
        return 0;
    if (crop->x >= format->width || crop->y >= format->height ||
        crop->width > format->width - crop->x || crop->height > format->height - crop->y)
        return message_set(why, -EINVAL, "%ux%u at %u, %u is not inside of its %ux%u samples",
                           crop->width, crop->height, crop->x, crop->y, format->width,
                           format->height);
    match_chroma_steps(properties, &across, &down);
    if (crop->x % across || crop->y % down)
        return message_set(why, -EINVAL,
                           "a part of %s has to begin at a multiple of %u and %u samples",
                           properties->stored_layout, across, down);
    return 0;
}

static void crop_size(VideoFormat *format, const MediaCrop *crop)
{
    if (!crop->width)
        return;
    format->width = crop->width;
    format->height = crop->height;
}

static bool is_size(const VideoFormat *format, unsigned width, unsigned height)
{
    return format->width == width && format->height == height;
}

/* Choose the part that is cut out of frames: before they are scaled, or after it. */
static void take_before(VideoReader *video, const MediaCrop *part)
{
    video->conversion.crop = *part;
    video->conversion.cut = (MediaCrop){0};
}

static void take_after(VideoReader *video, unsigned width, unsigned height, const MediaCrop *part)
{
    video->conversion.crop = (MediaCrop){0};
    video->conversion.cut = *part;
    video->conversion.whole_width = width;
    video->conversion.whole_height = height;
}

/* The part of a picture once it is scaled, no larger, that begins and ends at samples of chroma. */
static void scale_span(unsigned begin, unsigned size, unsigned all, unsigned scaled, unsigned step,
                       unsigned *scaled_begin, unsigned *scaled_size)
{
    const uint64_t first = ((uint64_t)begin * scaled + all - 1) / all;
    const uint64_t last = (uint64_t)(begin + size) * scaled / all;
    *scaled_begin = (unsigned)((first + step - 1) / step * step);
    *scaled_size = last > *scaled_begin ? (unsigned)(last - *scaled_begin) / step * step : 0;
}

static MediaCrop scale_part(const VideoReader *video, const MatchOptions *options)
{
    const MediaProperties *properties = video_reader_properties(video);
    const MediaCrop *inside = &video->borders.inside;
    MediaCrop part = {0};
    unsigned across, down;
    match_chroma_steps(properties, &across, &down);
    scale_span(inside->x, inside->width, properties->format.width, options->width, across, &part.x,
               &part.width);
    scale_span(inside->y, inside->height, properties->format.height, options->height, down, &part.y,
               &part.height);
    return part.width && part.height ? part : (MediaCrop){0};
}

/* Cuts the borders off the reference. The whole of it is scaled, and keeps its shape. */
static void frame_reference(VideoReader *reference, const MatchOptions *options,
                            VideoFormat *format)
{
    const MediaCrop *inside = &reference->borders.inside;
    const bool is_scaled = options->width && !is_size(format, options->width, options->height);
    if (!inside->width)
        return;
    if (!is_scaled) {
        take_before(reference, inside);
        crop_size(format, inside);
        return;
    }
    const MediaCrop part = scale_part(reference, options);
    take_after(reference, options->width, options->height, &part);
    format->width = part.width ? part.width : options->width;
    format->height = part.width ? part.height : options->height;
}

int match_reference(VideoReader *reference, const MatchOptions *options, Message *why)
{
    if (!reference->media)
        return 0;
    const int err = check_crop(reference, &options->crop_reference, why);
    if (err)
        return err;
    const MediaProperties *properties = video_reader_properties(reference);
    VideoFormat format = properties->format;
    format.rate_num = properties->rate_num;
    format.rate_den = properties->rate_den;
    take_before(reference, &options->crop_reference);
    crop_size(&format, &options->crop_reference);
    frame_reference(reference, options, &format);
    if (options->width && !reference->borders.inside.width) {
        format.width = options->width;
        format.height = options->height;
    }
    reference->conversion.scaler = options->scaler;
    reference->format = format; /* of the depth that the file has */
    return 0;
}

/* The part of a whole reference that is scored, and the size of the whole. */
static MediaCrop part_of_reference(const VideoReader *reference, unsigned *width, unsigned *height)
{
    const MediaConversion *conversion = &reference->conversion;
    const VideoFormat *own = &video_reader_properties(reference)->format;
    *width = conversion->cut.width ? conversion->whole_width : own->width;
    *height = conversion->cut.width ? conversion->whole_height : own->height;
    return conversion->cut.width ? conversion->cut : conversion->crop;
}

/* Cuts off the borders of the reference, if the distorted video has the same, else its own ones. */
static void frame_distorted(VideoReader *distorted, const VideoReader *reference)
{
    const FoundBorders *borders = &distorted->borders;
    const VideoFormat *own = &video_reader_properties(distorted)->format;
    if (!borders->was_sought)
        return;
    unsigned width, height;
    const MediaCrop part = part_of_reference(reference, &width, &height);
    Message unused;
    if (!borders->is_shared)
        take_before(distorted, &borders->inside);
    else if (is_size(own, width, height) && !check_crop(distorted, &part, &unused))
        take_before(distorted, &part);
    else if (part.width)
        take_after(distorted, width, height, &part);
}

/* True if the video is scaled to this format. */
static bool is_scaled(const VideoReader *video, const VideoFormat *format)
{
    VideoFormat own = video_reader_properties(video)->format;
    const MediaConversion *conversion = &video->conversion;
    crop_size(&own, &conversion->crop);
    return conversion->cut.width ? !is_size(&own, conversion->whole_width, conversion->whole_height)
                                 : !is_size(&own, format->width, format->height);
}

int match_distorted(VideoReader *distorted, const VideoReader *reference,
                    const MatchOptions *options, Message *why)
{
    if (!distorted->media)
        return 0;
    const int err = check_crop(distorted, &options->crop_distorted, why);
    if (err)
        return err;
    const MediaProperties *properties = video_reader_properties(distorted);
    const VideoFormat own = properties->format;
    VideoFormat format = reference->format;
    format.bit_depth = own.bit_depth;
    format.rate_num = properties->rate_num;
    format.rate_den = properties->rate_den;
    format.has_alpha = false;
    take_before(distorted, &options->crop_distorted);
    frame_distorted(distorted, reference);
    if (options->never_scale && is_scaled(distorted, &format)) {
        VideoFormat from = own;
        crop_size(&from, &distorted->conversion.crop);
        return message_set(why, -EINVAL, "it has %ux%u samples, the reference %ux%u (--scale none)",
                           from.width, from.height, format.width, format.height);
    }
    distorted->conversion.scaler = options->scaler;
    distorted->conversion.is_full_range = is_full_range(reference);
    distorted->conversion.rgb_matrix = match_rgb_matrix(reference);
    distorted->format = format;
    return 0;
}

unsigned match_depth(const VideoReader *reference, const VideoReader *distorted)
{
    const unsigned a = reference->format.bit_depth, b = distorted->format.bit_depth;
    return a > b ? a : b;
}

static const char bt601[] = "smpte170m";

const char *match_rgb_matrix(const VideoReader *other)
{
    static const char *const others[] = {"bt709", "fcc", "smpte240m", "bt2020nc", "bt2020c"};
    const MediaProperties *properties = other->media ? video_reader_properties(other) : NULL;
    if (properties && properties->is_rgb)
        return NULL;
    for (size_t i = 0; properties && i < sizeof(others) / sizeof(others[0]); i++)
        if (!strcmp(properties->matrix, others[i]))
            return others[i];
    return bt601;
}

bool match_needs_media(const VideoReader *distorted, const VideoReader *reference)
{
    const VideoFormat *a = &reference->format, *b = &distorted->format;
    return reference->media && !distorted->media && !distorted->raw &&
           (a->width != b->width || a->height != b->height || a->pixel_format != b->pixel_format ||
            is_full_range(reference) != is_full_range(distorted));
}

/* -- notes -- */

static void note_rgb(const VideoReader *video, const char *role, Notes *notes)
{
    const MediaProperties *properties = video_reader_properties(video);
    const char *matrix = video->conversion.rgb_matrix;
    const char *name = !matrix || !strcmp(matrix, "bt709") ? "BT.709"
                       : matrix == bt601                   ? "BT.601"
                                                           : matrix;
    if (properties->is_rgb)
        notes_add(notes, "the %s video is %s: it is converted to 4:4:4 %s of limited range%s", role,
                  properties->stored_layout, name, matrix ? ", the matrix of the other video" : "");
}

static void note_conversion(const VideoReader *video, const char *role, unsigned planes,
                            Notes *notes)
{
    const MediaProperties *properties = video_reader_properties(video);
    note_rgb(video, role, notes);
    if (*properties->resampled_from && planes & 6)
        notes_add(notes, "the %s video has %s chroma: it is converted to %s", role,
                  properties->resampled_from, video_format_name(properties->format.pixel_format));
    if (properties->rotation)
        notes_add(notes, "the %s video is rotated by %d degrees, as it says", role,
                  properties->rotation);
    if (properties->is_cropped_by_codec)
        notes_add(notes, "the %s video is cropped to %ux%u by its decoder, as it says", role,
                  properties->format.width, properties->format.height);
}

static void note_part(const VideoReader *video, const char *role, Notes *notes)
{
    const MediaConversion *conversion = &video->conversion;
    const bool is_after = conversion->cut.width != 0;
    const MediaCrop *part = is_after ? &conversion->cut : &conversion->crop;
    const FoundBorders *borders = &video->borders;
    if (part->width)
        notes_add(notes, "of the %s video %ux%u samples at %u, %u are scored%s%s", role,
                  part->width, part->height, part->x, part->y, is_after ? " once it is scaled" : "",
                  !borders->was_sought ? "" : ": it has borders (--autocrop)");
    else if (borders->was_sought)
        notes_add(notes, "no borders of the %s video were found (--autocrop)", role);
}

void match_note_video(const VideoReader *video, const char *role, unsigned planes, Notes *notes)
{
    if (!video->media)
        return;
    const MediaProperties *properties = video_reader_properties(video);
    if (video->has_gap)
        notes_add(notes, "warning: picture %u of the %s video is missing", video->missing, role);
    note_conversion(video, role, planes, notes);
    note_part(video, role, notes);
    if (properties->is_interlaced)
        notes_add(notes, "the %s video is interlaced: frames are scored as they are woven", role);
    if (properties->is_hdr)
        notes_add(notes,
                  "the %s video is HDR (%s): it is scored as it is, but models are made for SDR",
                  role, properties->transfer);
    if (properties->n_streams > 1)
        notes_add(notes, "the %s file has %u video streams: number %u is scored (--stream)", role,
                  properties->n_streams, properties->stream);
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
    const MediaConversion *conversion = &video->conversion;
    if (!video->media || !is_scaled(video, &video->format))
        return;
    VideoFormat from = *source_format(video);
    crop_size(&from, &conversion->crop);
    const bool is_cut = conversion->cut.width != 0;
    notes_add(notes, "the %s video is scaled from %ux%u to %ux%u (%s, %s)", role, from.width,
              from.height, is_cut ? conversion->whole_width : video->format.width,
              is_cut ? conversion->whole_height : video->format.height,
              scaler_name(conversion->scaler), video->module->scaler);
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

/* -- pairs that were not meant so -- */

/* Width to height as it is shown. */
static double shown_shape(const VideoReader *video)
{
    const MediaProperties *properties = video_reader_properties(video);
    const double samples = (double)properties->format.width / properties->format.height;
    const double of_sample =
        properties->aspect_den ? (double)properties->aspect_num / properties->aspect_den : 1;
    return properties->rotation % 180 ? samples / of_sample : samples * of_sample;
}

static bool shapes_differ(double a, double b)
{
    const double tolerance = 1.03; /* sizes are rounded to blocks */
    return a > b * tolerance || b > a * tolerance;
}

static bool is_cropped(const VideoReader *video)
{
    return video->conversion.crop.width || video->conversion.cut.width || video->borders.was_sought;
}

/* A part in the middle that has another shape, which begins at samples of chroma. */
static MediaCrop middle_part(const VideoFormat *format, double shape, double own)
{
    MediaCrop part = {.width = format->width, .height = format->height};
    if (shape > own)
        part.height = (unsigned)lround(format->height * own / shape / 2) * 2;
    else
        part.width = (unsigned)lround(format->width * shape / own / 2) * 2;
    part.x = (format->width - part.width) / 4 * 2;
    part.y = (format->height - part.height) / 4 * 2;
    return part;
}

/* One of two has borders: above and below where widths are equal, or beyond the shape of screens.
 */
static void note_shapes(const VideoReader *reference, const VideoReader *distorted, Notes *notes)
{
    const double screen = 16.0 / 9 * 1.03;
    const VideoFormat *a = source_format(reference), *b = source_format(distorted);
    const double first = shown_shape(reference), second = shown_shape(distorted);
    if (is_cropped(reference) || is_cropped(distorted) || !shapes_differ(first, second) ||
        !shapes_differ((double)a->width / a->height, (double)b->width / b->height))
        return;
    const double wider = first > second ? first : second;
    const bool above = a->width == b->width || (a->height != b->height && wider > screen);
    const bool is_reference = above == (first < second);
    const MediaCrop part =
        is_reference ? middle_part(a, second, first) : middle_part(b, first, second);
    notes_add(
        notes,
        "warning: the videos have different shapes, %ux%u and %ux%u: if borders were cut off, "
        "--crop-%s %u:%u:%u:%u leaves them out (--autocrop looks for them)",
        a->width, a->height, b->width, b->height, is_reference ? "ref" : "dist", part.width,
        part.height, part.x, part.y);
}

/* Mean bytes of a frame, without sound; 0: not known. */
static double bytes_per_frame(const VideoReader *video)
{
    Message unused;
    MediaPackets packets;
    double sum = 0;
    if (!video->input.source.is_file ||
        video->module->list_packets(video->media, &packets, &unused))
        return 0;
    for (size_t i = 0; i < packets.count; i++)
        sum += (double)packets.packet[i].bytes;
    const double mean = packets.count ? sum / (double)packets.count : 0;
    video->module->free_packets(&packets);
    return mean;
}

static double bytes_per_second(const VideoReader *video)
{
    const MediaProperties *properties = video_reader_properties(video);
    return properties->duration > 0 ? (double)video->input.source.status.size / properties->duration
                                    : 0;
}

/* What an encode of the reference has, even a good one of a codec that is less efficient. */
static bool has_far_more_bits(const VideoReader *reference, const VideoReader *distorted)
{
    const double factor = 5;
    if (video_reader_properties(distorted)->is_for_editing ||
        bytes_per_second(distorted) < factor * bytes_per_second(reference))
        return false;
    const double first = bytes_per_frame(reference);
    return first > 0 && bytes_per_frame(distorted) > factor * first;
}

static void note_order(const VideoReader *reference, const VideoReader *distorted, Notes *notes)
{
    const VideoFormat *a = source_format(reference), *b = source_format(distorted);
    const double less = 0.95;
    const bool is_smaller = a->width < less * b->width && a->height < less * b->height;
    if (is_smaller || has_far_more_bits(reference, distorted))
        notes_add(notes,
                  "warning: the reference %s than the distorted video: are they swapped? The "
                  "reference comes first",
                  is_smaller ? "is smaller" : "has far fewer bits");
}

void match_note_pair(const VideoReader *reference, const VideoReader *distorted, unsigned planes,
                     bool pairs_by_time, Notes *notes)
{
    if (!reference->media && !distorted->media)
        return;
    note_samples(reference, distorted, planes, notes);
    note_size(reference, "reference", notes);
    note_size(distorted, "distorted", notes);
    if (!reference->media || !distorted->media)
        return;
    note_tags(video_reader_properties(reference), video_reader_properties(distorted), pairs_by_time,
              notes);
    note_shapes(reference, distorted, notes);
    note_order(reference, distorted, notes);
}
