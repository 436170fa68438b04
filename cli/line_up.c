/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "line_up.h"

#include "exit_status.h"
#include "text/say.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum AlignMode line_up_mode(const Options *options, bool terminal)
{
    if (options->align_given)
        return options->align;
    return terminal && !options->raw && !options->quiet ? ALIGN_CHECK : ALIGN_OFF;
}

int line_up_start(LineUp *line_up, enum AlignMode mode, bool can_apply)
{
    *line_up = (LineUp){.mode = mode, .can_apply = can_apply};
    if (mode == ALIGN_OFF || !alignment_create(&line_up->alignment))
        return STATUS_OK;
    say("out of memory");
    return STATUS_FAILURE;
}

bool line_up_add(LineUp *line_up, const VmafPicture *reference, const VmafPicture *distorted)
{
    if (line_up->mode == ALIGN_OFF)
        return false;
    alignment_add(line_up->alignment, ALIGNMENT_REFERENCE, reference);
    alignment_add(line_up->alignment, ALIGNMENT_DISTORTED, distorted);
    return alignment_finding(line_up->alignment, line_up->told) != NULL;
}

bool line_up_end(LineUp *line_up)
{
    if (line_up->mode == ALIGN_OFF)
        return false;
    alignment_end(line_up->alignment);
    return alignment_finding(line_up->alignment, line_up->told) != NULL;
}

/* Do scores of other frames follow from it? */
static bool is_misalignment(const AlignmentFinding *finding)
{
    return finding->kind == ALIGNMENT_OFFSET || finding->kind == ALIGNMENT_REPEATED;
}

int line_up_tell(LineUp *line_up, const char *name, bool quiet)
{
    const AlignmentFinding *finding;
    int status = STATUS_OK;
    while (!status && (finding = alignment_finding(line_up->alignment, line_up->told))) {
        line_up->told++;
        const bool fails = line_up->mode == ALIGN_STRICT && is_misalignment(finding);
        Message line;
        alignment_describe(finding, name, line_up->can_apply, &line);
        if (fails || !quiet)
            say("%s", line.text);
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

/* -- before scoring -- */

/* One of the files, read from its beginning. */
typedef struct Side {
    VideoReader *reader;
    unsigned skip;
    void *buffer;
    bool ended;
} Side;

/* The luma of the next frame. 1; 0 at the end; negative errno. */
static int read_luma(Side *side, VmafPicture *picture)
{
    VideoReader *reader = side->reader;
    int more = video_reader_next(reader);
    if (more <= 0)
        return more;
    const int err = video_reader_read(reader, side->buffer);
    if (err)
        return err;
    *picture = (VmafPicture){
        .pix_fmt = VMAF_PIX_FMT_YUV400P,
        .bpc = reader->output_depth,
        .w = {reader->format.width},
        .h = {reader->format.height},
        .stride = {reader->stride[0]},
        .data = {(unsigned char *)side->buffer + reader->offset[0]},
    };
    return 1;
}

static int begin_side(Side *side)
{
    enum { LUMA = 1 };
    int err = video_reader_prepare(side->reader, LUMA, side->reader->format.bit_depth, 64);
    if (!err && !(side->buffer = malloc(side->reader->buffer_bytes)))
        err = -ENOMEM;
    for (unsigned i = 0; i < side->skip && !err && !side->ended; i++) {
        const int more = video_reader_next(side->reader);
        side->ended = more <= 0;
        err = more > 0 ? video_reader_skip(side->reader) : more;
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

static void say_skip(LineUpSkip skip, bool quiet)
{
    const unsigned frames = skip.reference + skip.distorted;
    if (quiet || !frames)
        return;
    say("alignment: the distorted video is %u frame%s %s: the first %u of the %s %s passed over",
        frames, frames == 1 ? "" : "s", skip.distorted ? "late" : "early", frames,
        skip.distorted ? "distorted video" : "reference", frames == 1 ? "is" : "are");
}

int line_up_measure(const Options *options, VideoReader *reference, VideoReader *distorted,
                    LineUpSkip *skip)
{
    *skip = (LineUpSkip){0};
    if (!reference->input.source.is_file || !distorted->input.source.is_file) {
        if (!options->quiet)
            say("warning: --align auto cannot look ahead in a pipe; it only checks");
        return STATUS_OK;
    }
    Side sides[2] = {
        {.reader = reference, .skip = options->skip_reference},
        {.reader = distorted, .skip = options->skip_distorted},
    };
    const int64_t places[2] = {reference->input.position, distorted->input.position};
    Alignment *alignment = NULL;
    int offset = 0;
    int err = alignment_create(&alignment);
    for (unsigned i = 0; i < 2 && !err; i++)
        err = begin_side(&sides[i]);
    if (!err)
        err = look(sides, alignment, &offset);
    alignment_destroy(alignment);
    for (unsigned i = 0; i < 2; i++) {
        free(sides[i].buffer);
        sides[i].reader->input.position = places[i];
    }
    if (err == -ENOMEM) {
        say("out of memory");
        return STATUS_FAILURE;
    }
    if (offset > 0)
        skip->distorted = (unsigned)offset;
    else
        skip->reference = (unsigned)-offset;
    say_skip(*skip, options->quiet);
    return STATUS_OK; /* what could not be read is told when it is read for scoring */
}
