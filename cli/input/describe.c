/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What is known of videos: as JSON in reports, and of one file alone, `vmaf probe`. */
#include "input.h"

#include "common/messages.h"
#include "run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* -- JSON -- */

static void print_member(FILE *out, const char *key, const char *text)
{
    fprintf(out, ", \"%s\": ", key);
    json_string_print(out, text);
}

static void print_light(FILE *out, const MediaLight *light)
{
    if (light->has_display)
        fprintf(out,
                ", \"mastering_display\": {\"red\": [%.9g, %.9g], \"green\": [%.9g, %.9g], "
                "\"blue\": [%.9g, %.9g], \"white\": [%.9g, %.9g], \"luminance\": [%.9g, %.9g]}",
                light->red[0], light->red[1], light->green[0], light->green[1], light->blue[0],
                light->blue[1], light->white[0], light->white[1], light->min_luminance,
                light->max_luminance);
    if (light->has_content)
        fprintf(out, ", \"content_light\": {\"max\": %u, \"max_frame_average\": %u}",
                light->max_content, light->max_frame_average);
}

/* As --crop-ref and --crop-dist take it. */
static void print_crop(FILE *out, const MediaCrop *crop)
{
    if (crop->width)
        fprintf(out, ", \"crop\": \"%u:%u:%u:%u\"", crop->width, crop->height, crop->x, crop->y);
}

static void print_properties(FILE *out, const MediaProperties *properties)
{
    fprintf(out, ", \"width\": %u, \"height\": %u", properties->format.width,
            properties->format.height);
    print_member(out, "pixel_format", properties->stored_layout);
    fprintf(out, ", \"bit_depth\": %u", properties->format.bit_depth);
    print_member(out, "range", properties->range);
    print_member(out, "matrix", properties->matrix);
    print_member(out, "primaries", properties->primaries);
    print_member(out, "transfer", properties->transfer);
    print_member(out, "container", properties->container);
    print_member(out, "codec", properties->codec);
    print_member(out, "profile", properties->profile);
    if (properties->level >= 0)
        fprintf(out, ", \"level\": %d", properties->level);
    if (properties->rate_den)
        fprintf(out, ", \"frame_rate\": \"%u/%u\"", properties->rate_num, properties->rate_den);
    if (properties->aspect_den)
        fprintf(out, ", \"sample_aspect_ratio\": \"%u:%u\"", properties->aspect_num,
                properties->aspect_den);
    if (properties->duration > 0)
        fprintf(out, ", \"duration\": %.6f", properties->duration);
    if (properties->rotation)
        fprintf(out, ", \"rotation\": %d", properties->rotation);
    fprintf(out, ", \"interlaced\": %s", properties->is_interlaced ? "true" : "false");
    print_light(out, &properties->light);
    print_member(out, "decoder", properties->decoder);
}

/* What follows the name of its file there. */
static void print_members(FILE *out, const VideoReader *reader)
{
    if (reader->media) {
        print_properties(out, video_reader_properties(reader));
        print_crop(out, &reader->conversion.crop);
    } else {
        fprintf(out, ", \"width\": %u, \"height\": %u, \"bit_depth\": %u", reader->format.width,
                reader->format.height, reader->format.bit_depth);
        print_member(out, "container", reader->raw ? "raw" : "y4m");
    }
}

static void print_name(FILE *out, const char *name)
{
    fputs("{\"file\": ", out);
    json_string_print(out, name);
}

void input_print_json(FILE *out, const VideoReader *reader)
{
    print_name(out, reader->input.path);
    print_members(out, reader);
    fputc('}', out);
}

/* `stored` NULL: the video is open. */
static void print_open_or_stored(FILE *out, const VideoReader *reader, const StoredVideo *stored)
{
    if (!stored) {
        input_print_json(out, reader);
        return;
    }
    print_name(out, stored->name);
    fprintf(out, "%s}", stored->report);
}

static void print_notes(FILE *out, const Notes *notes, bool *is_first)
{
    for (unsigned i = 0; i < notes->count; i++) {
        fputs(*is_first ? "" : ", ", out);
        *is_first = false;
        json_string_print(out, notes->text[i]);
    }
}

char *input_extend_report(const Run *run, char *report)
{
    char *end = report ? strrchr(report, '}') : NULL;
    TextBuffer buffer;
    bool is_first = true;
    FILE *out = end ? text_begin(&buffer) : NULL;
    if (!out)
        return report;
    while (end > report && (end[-1] == '\n' || end[-1] == ' '))
        end--;
    *end = '\0';
    fprintf(out, "%s,\n  \"input\": {\"reference\": ", report);
    print_open_or_stored(out, &run->reference->reader,
                         run->stored ? &run->stored->reference : NULL);
    fputs(",\n    \"distorted\": ", out);
    print_open_or_stored(out, &run->distorted, run->stored ? &run->stored->distorted : NULL);
    fputs(",\n    \"notes\": [", out);
    print_notes(out, &run->reference->notes, &is_first);
    print_notes(out, &run->notes, &is_first);
    fputs("]}\n}\n", out);
    free(report);
    return text_end(&buffer, 0);
}

/* -- vmaf probe -- */

static void print_row(const char *name, const char *value)
{
    print_line(stdout, "%-12s %s", name, value);
}

static void print_media(const MediaProperties *properties)
{
    print_row("container", properties->container);
    char level[32] = "";
    if (properties->level >= 0)
        snprintf(level, sizeof(level), ", level %d", properties->level);
    print_line(stdout, "%-12s %s, profile %s%s", "codec", properties->codec, properties->profile,
               level);
    print_row("samples", properties->stored_layout);
    print_line(stdout, "%-12s range %s, matrix %s, primaries %s, transfer %s", "colour",
               properties->range, properties->matrix, properties->primaries, properties->transfer);
    if (properties->rate_den)
        print_line(stdout, "%-12s %u/%u = %.6g frames a second", "rate", properties->rate_num,
                   properties->rate_den, (double)properties->rate_num / properties->rate_den);
    if (properties->duration > 0)
        print_line(stdout, "%-12s %.3f s", "duration", properties->duration);
    if (properties->aspect_den)
        print_line(stdout, "%-12s %u:%u", "aspect", properties->aspect_num, properties->aspect_den);
    if (properties->rotation)
        print_line(stdout, "%-12s %d degrees", "rotation", properties->rotation);
    print_row("scan", properties->is_interlaced ? "interlaced" : "progressive");
    if (properties->light.has_content)
        print_line(stdout, "%-12s at most %u cd/m2, a frame %u", "light",
                   properties->light.max_content, properties->light.max_frame_average);
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
        print_error("problem with video file: %s: %s", reader->input.path, reader->error.text);
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
        return command_print_usage("probe");
    const Options options = {.quiet = true};
    const RunHost host = run_host_alone();
    VideoReader reader;
    const int err = video_reader_open(&reader, path);
    int status = STATUS_FAILURE;
    if (err)
        print_error("could not open file: %s (%s)", path, strerror(-err));
    else
        status = input_start(&options, &host, &reader, "video");
    if (!status)
        status = print_video(&reader, as_json);
    video_reader_close(&reader);
    return status;
}
