/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/autocrop.h"

#include "media/borders.h"
#include "media/match.h"

#include <errno.h>
#include <stdlib.h>

struct Autocrop {
    Borders *borders;
    MediaCrop inside; /* of the borders of the reference */
    unsigned width, height;
    AutocropRange range; /* with its length */
};

/* The frame that is looked at in place `index`. 1; 0: there is none; negative errno. */
static int go_to(VideoReader *reader, const AutocropRange *range, unsigned index)
{
    const double place = range->begin + range->length * (index + 0.5) / BORDERS_MOST_FRAMES;
    return range->by_time ? video_reader_skip_to_time(reader, place)
                          : video_reader_skip_to(reader, (unsigned)place);
}

/* Looks at the next frame. 0; -ENOMEM; other negative errno: it cannot be read. */
static int look(VideoReader *reader, Borders *borders, unsigned index)
{
    FrameBuffer frame = {.held = NULL};
    if (video_reader_next(reader) <= 0)
        return -EIO;
    const int err = video_reader_take(reader, &frame);
    const VmafPicture luma = {
        .pix_fmt = VMAF_PIX_FMT_YUV400P,
        .bpc = reader->output_depth,
        .w = {reader->format.width},
        .h = {reader->format.height},
        .data = {frame.planes[0]},
        .stride = {frame.stride[0]},
    };
    const int result = err ? err : borders_add(borders, index, &luma);
    frame.let_go(frame.held);
    return result;
}

/* What cannot be read is told when it is read for scoring. */
static int look_at_all(VideoReader *reader, const AutocropRange *range, Borders *borders)
{
    int err = 0;
    for (unsigned i = 0; i < BORDERS_MOST_FRAMES && !err; i++) {
        if (go_to(reader, range, i) > 0)
            err = look(reader, borders, i) == -ENOMEM ? -ENOMEM : 0;
    }
    return err;
}

static int measure(VideoReader *reader, const AutocropRange *range, Borders **borders, Message *why)
{
    enum { LUMA = 1, ALIGNMENT = 64 };
    const VideoFormat *format = &reader->format;
    if (!reader->is_pattern && !reader->input.source.is_file)
        return message_set(why, -ESPIPE, "--autocrop looks at all of it before, but it is a pipe");
    *borders = borders_create(format->width, format->height);
    int err = *borders ? 0 : -ENOMEM;
    if (!err)
        err = video_reader_prepare(reader, LUMA, format->bit_depth, ALIGNMENT);
    if (err)
        return message_set(why, err, "%s", err == -ENOMEM ? "out of memory" : reader->error.text);
    err = look_at_all(reader, range, *borders);
    if (err)
        return message_set(why, err, "out of memory");
    err = video_reader_rewind(reader);
    if (err)
        *why = reader->error;
    return err;
}

static MediaCrop find(const VideoReader *reader, const Borders *borders)
{
    unsigned across, down;
    match_chroma_steps(video_reader_properties(reader), &across, &down);
    return borders_find(borders, across, down);
}

static void set_length(AutocropRange *range, VideoReader *reader)
{
    if (range->length > 0)
        return;
    const double all = range->by_time ? video_reader_properties(reader)->duration
                                      : (double)video_reader_count(reader);
    range->length = all > range->begin ? all - range->begin : 0;
}

int autocrop_reference(Autocrop **autocrop, VideoReader *reference, const AutocropRange *range,
                       Message *why)
{
    Autocrop *created = calloc(1, sizeof(*created));
    if (!created)
        return message_set(why, -ENOMEM, "out of memory");
    created->range = *range;
    created->width = reference->format.width;
    created->height = reference->format.height;
    set_length(&created->range, reference);
    const int err = measure(reference, &created->range, &created->borders, why);
    if (err) {
        autocrop_destroy(created);
        return err;
    }
    created->inside = find(reference, created->borders);
    reference->borders = (FoundBorders){.was_sought = true, .inside = created->inside};
    *autocrop = created;
    return 0;
}

/* The part of a video of another size that shows the same as this part of the reference. */
static MediaCrop same_part(const Autocrop *autocrop, const VideoReader *distorted)
{
    const MediaCrop *part = &autocrop->inside;
    if (!part->width)
        return *part;
    const double across = (double)distorted->format.width / autocrop->width;
    const double down = (double)distorted->format.height / autocrop->height;
    return (MediaCrop){
        .width = (unsigned)(part->width * across + 0.5),
        .height = (unsigned)(part->height * down + 0.5),
        .x = (unsigned)(part->x * across + 0.5),
        .y = (unsigned)(part->y * down + 0.5),
    };
}

/*
 * Coding blurs borders, or makes some of what is dark, so borders that are not quite the same count
 * as the same, unless the video shows its reference much better without its own ones.
 */
int autocrop_distorted(const Autocrop *autocrop, VideoReader *distorted, double later, Message *why)
{
    static const double like = 0.05, much_better = 0.5;
    Borders *borders = NULL;
    AutocropRange range = autocrop->range;
    range.begin += range.by_time ? 0 : later;
    const int err = measure(distorted, &range, &borders, why);
    if (!err) {
        const MediaCrop own = find(distorted, borders);
        const double shared = borders_distance(autocrop->borders, autocrop->inside, borders,
                                               same_part(autocrop, distorted));
        const double alone = borders_distance(autocrop->borders, autocrop->inside, borders, own);
        distorted->borders = (FoundBorders){
            .was_sought = true,
            .inside = own,
            .is_shared = shared < like || alone > much_better * shared,
        };
    }
    borders_destroy(borders);
    return err;
}

void autocrop_destroy(Autocrop *autocrop)
{
    if (!autocrop)
        return;
    borders_destroy(autocrop->borders);
    free(autocrop);
}
