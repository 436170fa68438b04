/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "line_up.h"

#include "common/messages.h"
#include "exit_status.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

bool line_up_add_signatures(LineUp *line_up, const Signature *reference, const Signature *distorted)
{
    alignment_add_signature(line_up->alignment, ALIGNMENT_REFERENCE, reference);
    alignment_add_signature(line_up->alignment, ALIGNMENT_DISTORTED, distorted);
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

int line_up_tell(LineUp *line_up, const char *name, bool quiet, Notes *notes)
{
    const AlignmentFinding *finding;
    int status = STATUS_OK;
    while (!status && (finding = alignment_finding(line_up->alignment, line_up->told))) {
        line_up->told++;
        const bool fails = line_up->mode == ALIGN_STRICT && is_misalignment(finding);
        Message line;
        alignment_describe(finding, name, line_up->can_apply, &line);
        notes_add(notes, "%s", line.text);
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
