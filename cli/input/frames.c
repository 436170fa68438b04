/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Frames in time: when they are shown, and whether those that are compared show the same. */
#include "input.h"

#include "common/messages.h"
#include "run/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- times -- */

double input_frame_rate(const VideoFormat *format)
{
    return format->rate_den ? format->rate_num / (double)format->rate_den : 0;
}

void frame_clock_start(FrameClock *clock, double rate, unsigned passed_over)
{
    *clock = (FrameClock){.rate = rate, .passed_over = passed_over};
    vmaf_mutex_init(&clock->lock);
}

void frame_clock_free(FrameClock *clock)
{
    free(clock->times);
    *clock = (FrameClock){.rate = 0};
}

static double by_rate(const FrameClock *clock, unsigned frame)
{
    return clock->rate > 0 ? ((double)clock->passed_over + frame) / clock->rate : NAN;
}

/* Without memory it is as if the file did not say. */
static bool append(FrameClock *clock, double seconds)
{
    if (clock->count == clock->capacity) {
        const unsigned capacity = clock->capacity ? 2 * clock->capacity : 1024;
        double *moved = reallocarray(clock->times, capacity, sizeof(*moved));
        if (!moved)
            return false;
        clock->times = moved;
        clock->capacity = capacity;
    }
    clock->times[clock->count++] = seconds;
    return true;
}

void frame_clock_add(FrameClock *clock, unsigned frame, double seconds)
{
    vmaf_mutex_lock(&clock->lock);
    bool goes_on = !isnan(seconds);
    while (goes_on && clock->count <= frame)
        goes_on = append(clock, clock->count == frame ? seconds : NAN);
    vmaf_mutex_unlock(&clock->lock);
}

double frame_clock_at(FrameClock *clock, unsigned frame)
{
    vmaf_mutex_lock(&clock->lock);
    const bool is_said = frame < clock->count && !isnan(clock->times[frame]);
    const double seconds = is_said ? clock->times[frame] : by_rate(clock, frame);
    vmaf_mutex_unlock(&clock->lock);
    return seconds;
}

bool frame_clock_is_plain(FrameClock *clock)
{
    vmaf_mutex_lock(&clock->lock);
    const bool is_plain = !clock->count && !clock->passed_over;
    vmaf_mutex_unlock(&clock->lock);
    return is_plain;
}

/* -- the check -- */

enum AlignMode line_up_mode(const Options *options, bool is_media, bool terminal)
{
    if (options->align_given)
        return options->align;
    if (is_media)
        return ALIGN_CHECK;
    return terminal && !options->raw && !options->quiet ? ALIGN_CHECK : ALIGN_OFF;
}

int line_up_start(LineUp *line_up, enum AlignMode mode, bool can_apply)
{
    *line_up = (LineUp){.mode = mode, .can_apply = can_apply};
    if (mode == ALIGN_OFF || !alignment_create(&line_up->alignment))
        return STATUS_OK;
    print_error("out of memory");
    return STATUS_FAILURE;
}

bool line_up_add(LineUp *line_up, const Signature *reference, const Signature *distorted)
{
    alignment_add_signature(line_up->alignment, ALIGNMENT_REFERENCE, reference);
    alignment_add_signature(line_up->alignment, ALIGNMENT_DISTORTED, distorted);
    return alignment_finding(line_up->alignment, line_up->reported) != NULL;
}

bool line_up_end(LineUp *line_up)
{
    if (line_up->mode == ALIGN_OFF)
        return false;
    alignment_end(line_up->alignment);
    return alignment_finding(line_up->alignment, line_up->reported) != NULL;
}

/* Do scores of other frames follow from it? */
static bool is_misalignment(const AlignmentFinding *finding)
{
    return finding->kind == ALIGNMENT_OFFSET || finding->kind == ALIGNMENT_REPEATED;
}

int line_up_report(LineUp *line_up, const char *name, bool quiet, Notes *notes)
{
    const AlignmentFinding *finding;
    int status = STATUS_OK;
    while (!status && (finding = alignment_finding(line_up->alignment, line_up->reported))) {
        line_up->reported++;
        const bool fails = line_up->mode == ALIGN_STRICT && is_misalignment(finding);
        Message line;
        alignment_describe(finding, name, line_up->can_apply, &line);
        notes_add(notes, "%s", line.text);
        if (fails || !quiet)
            print_error("%s", line.text);
        if (fails)
            status = STATUS_READ;
    }
    return status;
}

void line_up_free(LineUp *line_up)
{
    alignment_destroy(line_up->alignment);
    line_up->alignment = NULL;
}

/* -- ahead of the run -- */

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
    if (!err && input_go_to_start(run, reader))
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

static void print_skip(LineUpSkip skip, bool quiet, Notes *notes)
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
        print_error("%s", line.text);
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
            print_error("warning: --align auto cannot look ahead here; it only checks");
        return STATUS_OK;
    }
    Side sides[2] = {
        {.reader = reference, .skip = options->skip_reference},
        {.reader = distorted, .skip = options->skip_distorted},
    };
    int offset = 0;
    const int err = measure(run, sides, &offset);
    if (err == -ENOMEM || err == -EIO) {
        print_error("--align auto: %s", strerror(-err));
        return STATUS_FAILURE;
    }
    if (offset > 0)
        run->line_up_skip.distorted = (unsigned)offset;
    else
        run->line_up_skip.reference = (unsigned)-offset;
    print_skip(run->line_up_skip, options->quiet, &run->notes);
    return STATUS_OK; /* what could not be read is reported when it is read for scoring */
}
