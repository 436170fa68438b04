/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "look_ahead.h"

#include "common/messages.h"
#include "exit_status.h"
#include "input_steps.h"
#include "media/alignment/alignment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One of the files, read from its beginning. */
typedef struct Side {
    VideoReader *reader;
    unsigned skip;
    void *buffer;      /* of a file of frames */
    FrameBuffer frame; /* of a media file */
    bool ended;
} Side;

static void let_go(Side *side)
{
    if (side->frame.held)
        side->frame.let_go(side->frame.held);
    side->frame.held = NULL;
}

/* The luma of the next frame, as long as no other is read. 1; 0 at the end; negative errno. */
static int read_luma(Side *side, VmafPicture *picture)
{
    VideoReader *reader = side->reader;
    let_go(side);
    const int more = video_reader_next(reader);
    if (more <= 0)
        return more;
    *picture = (VmafPicture){
        .pix_fmt = VMAF_PIX_FMT_YUV400P,
        .bpc = reader->output_depth,
        .w = {reader->format.width},
        .h = {reader->format.height},
    };
    int err;
    if (reader->media) {
        err = video_reader_take(reader, &side->frame);
        picture->data[0] = side->frame.planes[0];
        picture->stride[0] = side->frame.stride[0];
    } else {
        err = video_reader_read(reader, side->buffer);
        picture->data[0] = (unsigned char *)side->buffer + reader->offset[0];
        picture->stride[0] = reader->stride[0];
    }
    return err ? err : 1;
}

/* Passes over what the user does not want. */
static int begin_side(const Run *run, Side *side)
{
    enum { LUMA = 1 };
    VideoReader *reader = side->reader;
    int err = video_reader_prepare(reader, LUMA, reader->format.bit_depth, 64);
    if (!err && !(side->buffer = malloc(reader->buffer_bytes)))
        err = -ENOMEM;
    if (!err && input_go_to_start(run, reader, reader->input.path))
        err = -EINVAL;
    if (!reader->media)
        side->skip += run->options->input.start.frame;
    for (unsigned i = 0; i < side->skip && !err && !side->ended; i++) {
        const int more = video_reader_next(reader);
        side->ended = more <= 0;
        err = more > 0 ? video_reader_skip(reader) : more;
    }
    return err;
}

/* Reads frames of both in turn until a window is certain. 0 also if none is. */
static int look(Side sides[2], Alignment *alignment, int *offset)
{
    enum { MOST_FRAMES = 1200 }; /* a still title may take as long */
    for (unsigned n = 0; n < MOST_FRAMES; n++) {
        for (unsigned i = 0; i < 2; i++) {
            VmafPicture picture;
            const int more = sides[i].ended ? 0 : read_luma(&sides[i], &picture);
            if (more < 0)
                return more;
            sides[i].ended = !more;
            if (more)
                alignment_add(alignment, (AlignmentSide)i, &picture);
        }
        if (sides[0].ended || sides[1].ended)
            break;
        if (alignment_first_offset(alignment, offset))
            return 0;
    }
    alignment_end(alignment);
    alignment_first_offset(alignment, offset);
    return 0;
}

static void say_skip(LineUpSkip skip, bool quiet, Notes *notes)
{
    const unsigned frames = skip.reference + skip.distorted;
    if (!frames)
        return;
    Message line;
    message_set(&line, 0,
                "alignment: the distorted video is %u frame%s %s: the first %u of the %s %s passed "
                "over",
                frames, frames == 1 ? "" : "s", skip.distorted ? "late" : "early", frames,
                skip.distorted ? "distorted video" : "reference", frames == 1 ? "is" : "are");
    notes_add(notes, "%s", line.text);
    if (!quiet)
        say("%s", line.text);
}

static bool can_look_ahead(const Run *run, const VideoReader *reader)
{
    return (reader->is_pattern || reader->input.source.is_file) &&
           !run->options->input.pairs_by_time;
}

/* How many frames the distorted video is late. */
static int measure(Run *run, Side sides[2], int *offset)
{
    Alignment *alignment = NULL;
    int err = alignment_create(&alignment);
    for (unsigned i = 0; i < 2 && !err; i++)
        err = begin_side(run, &sides[i]);
    if (!err)
        err = look(sides, alignment, offset);
    alignment_destroy(alignment);
    for (unsigned i = 0; i < 2; i++) {
        let_go(&sides[i]);
        free(sides[i].buffer);
        if (video_reader_rewind(sides[i].reader) && !err)
            err = -EIO;
    }
    return err;
}

int look_ahead(Run *run)
{
    const Options *options = run->options;
    VideoReader *reference = &run->reference->reader, *distorted = &run->distorted;
    if (!can_look_ahead(run, reference) || !can_look_ahead(run, distorted)) {
        if (!options->quiet)
            say("warning: --align auto cannot look ahead here; it only checks");
        return STATUS_OK;
    }
    Side sides[2] = {
        {.reader = reference, .skip = options->skip_reference},
        {.reader = distorted, .skip = options->skip_distorted},
    };
    int offset = 0;
    const int err = measure(run, sides, &offset);
    if (err == -ENOMEM || err == -EIO) {
        say("--align auto: %s", strerror(-err));
        return STATUS_FAILURE;
    }
    if (offset > 0)
        run->line_up_skip.distorted = (unsigned)offset;
    else
        run->line_up_skip.reference = (unsigned)-offset;
    say_skip(run->line_up_skip, options->quiet, &run->notes);
    return STATUS_OK; /* what could not be read is told when it is read for scoring */
}
