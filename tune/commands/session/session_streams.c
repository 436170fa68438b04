/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/child.h"
#include "platform/path.h"
#include "tune/commands/session/session.h"
#include "tune/encoders/encode_request.h"
#include "tune/encoders/scratch_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One frame, encoded somehow, with what else the output keeps. */
static void make_trial(const Session *session, const TuneSource *source, const char *encoder,
                       const char *output, bool video_only, ArgumentList *command)
{
    static const char *const start[] = {"-y", "-nostdin", "-hide_banner", "-loglevel", "error"};
    static const char *const little[] = {"-frames:v", "1", "-t", "0.1", "-c:v"};
    const EncodeSource input = measure_encode_source(source);
    arguments_add(command, session->options->ffmpeg);
    for (size_t i = 0; i < sizeof start / sizeof *start; i++)
        arguments_add(command, start[i]);
    encode_add_source(&input, command);
    arguments_add(command, "-map");
    arguments_print(command, "0:%u", source->index);
    if (!video_only)
        other_streams_keep(&source->others, 0, output, command);
    for (size_t i = 0; i < sizeof little / sizeof *little; i++)
        arguments_add(command, little[i]);
    arguments_add(command, encoder);
    arguments_add_path(command, output);
}

static int judge(const Session *session, const char *output, VmafChildResult *result)
{
    if (result->ending == VMAF_CHILD_STOPPED)
        return session_fail(session, -ECANCELED, "interrupted");
    if (result->ending == VMAF_CHILD_EXITED && !result->number)
        return 0;
    char *first = result->error_tail; /* the rest follows from it */
    first[strcspn(first, "\n")] = '\0';
    return command_fail(session->command, TUNE_USAGE,
                        "%s cannot hold the streams of the source (another --output, such as .mkv, "
                        "or --video-only?): %s",
                        output, result->ending == VMAF_CHILD_LATE ? "ffmpeg does not end" : first);
}

static int try_output(const Session *session, const TuneSource *source, const char *encoder,
                      const char *output, bool video_only, const char *trial)
{
    ArgumentList command = {0};
    VmafChildResult result;
    make_trial(session, source, encoder, trial, video_only, &command);
    const VmafChildRun run = {
        .program = session->options->ffmpeg,
        .arguments = (const char *const *)command.items,
        .limit_ms = session_ffmpeg_limits()->limit_ms,
        .stop = session_interrupt(),
    };
    const int err = command.error ? command.error : vmaf_child_run(&run, &result);
    int status = err ? session_fail(session, err, strerror(-err)) : 0;
    if (!err) {
        status = judge(session, output, &result);
        vmaf_child_result_free(&result);
    }
    arguments_free(&command);
    return status;
}

int session_check_streams(const Session *session, const TuneSource *source, const char *encoder,
                          const char *output, bool video_only)
{
    const char *dot = strrchr(vmaf_path_name(output), '.');
    char *place = NULL, *trial = NULL;
    ScratchFolder folder = {0};
    Message left_out;
    if (source->is_raw)
        return 0;
    other_streams_explain(&source->others, output, &left_out);
    if (!video_only && left_out.text[0])
        progress_say(session->progress, "vmaf-tune: %s: %s", output, left_out.text);
    if (asprintf(&place, "%s/vmaf-tune", vmaf_folder_temporary()) < 0)
        return session_fail(session, -ENOMEM, "out of memory");
    const int err = scratch_folder_make(&folder, place);
    int status = 0;
    if (err)
        status = command_fail(session->command, TUNE_NO_RESULT, "%s: %s", vmaf_folder_temporary(),
                              strerror(-err));
    else if (asprintf(&trial, "%s/trial%s", folder.path, dot ? dot : "") < 0)
        status = session_fail(session, -ENOMEM, "out of memory");
    else
        status = try_output(session, source, encoder, output, video_only, trial);
    scratch_folder_remove(&folder);
    free(trial);
    free(place);
    return status;
}
