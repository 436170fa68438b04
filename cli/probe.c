/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "probe.h"

#include "command_table.h"
#include "common/messages.h"
#include "exit_status.h"
#include "input_steps.h"
#include "run_host.h"
#include "standard_output.h"

#include <errno.h>
#include <string.h>

static void print_row(const char *name, const char *value)
{
    print_line(stdout, "%-12s %s", name, value);
}

static void print_media(const MediaProperties *told)
{
    print_row("container", told->container);
    char level[32] = "";
    if (told->level >= 0)
        snprintf(level, sizeof(level), ", level %d", told->level);
    print_line(stdout, "%-12s %s, profile %s%s", "codec", told->codec, told->profile, level);
    print_row("samples", told->stored_layout);
    print_line(stdout, "%-12s range %s, matrix %s, primaries %s, transfer %s", "colour",
               told->range, told->matrix, told->primaries, told->transfer);
    if (told->rate_den)
        print_line(stdout, "%-12s %u/%u = %.6g frames a second", "rate", told->rate_num,
                   told->rate_den, (double)told->rate_num / told->rate_den);
    if (told->duration > 0)
        print_line(stdout, "%-12s %.3f s", "duration", told->duration);
    if (told->aspect_den)
        print_line(stdout, "%-12s %u:%u", "aspect", told->aspect_num, told->aspect_den);
    if (told->rotation)
        print_line(stdout, "%-12s %d degrees", "rotation", told->rotation);
    print_row("scan", told->is_interlaced ? "interlaced" : "progressive");
    if (told->light.has_content)
        print_line(stdout, "%-12s at most %u cd/m2, a frame %u", "light", told->light.max_content,
                   told->light.max_frame_average);
}

/* A pipe can be read only once. */
static bool is_counted(const VideoReader *reader, unsigned long long frames)
{
    return frames || reader->input.source.is_file;
}

static void print_table(const VideoReader *reader, unsigned long long frames)
{
    print_row("file", reader->input.path);
    print_line(stdout, "%-12s %ux%u, %s, %u bits", "format", reader->format.width,
               reader->format.height, video_format_name(reader->format.pixel_format),
               reader->format.bit_depth);
    if (reader->media)
        print_media(video_reader_properties(reader));
    else
        print_row("container", "y4m");
    if (is_counted(reader, frames))
        print_line(stdout, "%-12s %llu", "frames", frames);
    else
        print_row("frames", "unknown");
}

static int print_video(VideoReader *reader, bool as_json)
{
    const unsigned long long frames = video_reader_count(reader);
    if (!frames && reader->media && reader->input.source.is_file) {
        say("problem with video file: %s: %s", reader->input.path, reader->error.text);
        return STATUS_READ;
    }
    if (as_json) {
        if (is_counted(reader, frames))
            printf("{\"frames\": %llu", frames);
        else
            printf("{\"frames\": null");
        printf(", \"input\": ");
        input_print_json(stdout, reader);
        puts("}");
    } else {
        print_table(reader, frames);
    }
    return standard_output_finish();
}

int probe(int argc, char **argv)
{
    const char *path = NULL;
    bool as_json = false, is_wrong = false;
    for (int i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            as_json = true;
        else if (path || (argv[i][0] == '-' && argv[i][1]))
            is_wrong = true;
        else
            path = argv[i];
    }
    if (!path || is_wrong)
        return command_say_usage("probe");
    const Options options = {.quiet = true};
    const RunHost host = run_host_alone();
    VideoReader reader;
    const int err = video_reader_open(&reader, path);
    int status = STATUS_FAILURE;
    if (err)
        say("could not open file: %s (%s)", path, strerror(-err));
    else
        status = input_start(&options, &host, &reader, "video");
    if (!status)
        status = print_video(&reader, as_json);
    video_reader_close(&reader);
    return status;
}
