/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encoders/encode_request.h"

#include "platform/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- Frames without a header ---- */

/* Samples of a frame as multiples of a quarter of its luma, if width and height are even. */
typedef struct RawLayout {
    const char *name;       /* without the depth */
    int chroma_x, chroma_y; /* luma samples for each of chroma; 0: no chroma */
} RawLayout;

static const RawLayout layouts[] = {
    {"yuv420p", 2, 2}, {"yuv422p", 2, 1}, {"yuv444p", 1, 1},
    {"nv12", 2, 2},    {"p010le", 2, 2},  {"gray", 0, 0},
};

/* Bytes of a sample by what follows the name of a layout; 0: not known. */
static int sample_bytes(const RawLayout *layout, const char *depth)
{
    static const char *const wide[] = {"9le", "10le", "12le", "14le", "16le"};
    if (!*depth)
        return strcmp(layout->name, "p010le") ? 1 : 2;
    for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
        if (!strcmp(depth, wide[i]))
            return 2;
    return 0;
}

int64_t raw_frame_bytes(const char *pixel_format, int width, int height)
{
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        const RawLayout *layout = &layouts[i];
        const size_t length = strlen(layout->name);
        const int bytes = strncmp(pixel_format, layout->name, length)
                              ? 0
                              : sample_bytes(layout, pixel_format + length);
        if (bytes == 0)
            continue;
        int64_t samples = (int64_t)width * height;
        if (layout->chroma_x > 0)
            samples += 2 * (int64_t)((width + layout->chroma_x - 1) / layout->chroma_x) *
                       ((height + layout->chroma_y - 1) / layout->chroma_y);
        return samples * bytes;
    }
    return 0;
}

/* ---- What cannot be done ---- */

static int check_source(const EncodeSource *source, Message *message)
{
    if (source->rate.numerator <= 0 || source->rate.denominator <= 0)
        return message_set(message, -EINVAL, "%s: the frame rate is not known", source->path);
    if (source->is_raw && (source->width <= 0 || source->height <= 0 || !source->pixel_format))
        return message_set(message, -EINVAL,
                           "%s: frames without a header need a width, a height and a pixel format",
                           source->path);
    return 0;
}

static int check_windows(const EncodeRequest *request, Message *message)
{
    size_t end = 0;
    for (size_t i = 0; i < request->n_windows; i++) {
        const SampleWindow *window = &request->windows[i];
        if (window->frames == 0 || window->first < end)
            return message_set(message, -EINVAL, "sample windows are empty or overlap");
        end = window->first + window->frames;
    }
    if (request->n_windows > 0 && request->streams == ENCODE_WITH_ALL_STREAMS)
        return message_set(message, -EINVAL,
                           "audio and subtitles can only be kept with the whole video");
    return 0;
}

static int check_size(const EncodeRequest *request, Message *message)
{
    if ((request->width > 0) != (request->height > 0) || request->width < 0)
        return message_set(message, -EINVAL, "%dx%d is no size to scale to", request->width,
                           request->height);
    return 0;
}

/* Options that would break what is promised of the encode. */
static int check_extra(const EncodeRequest *request, Message *message)
{
    static const char *const ours[] = {
        "-i",        "-ss",       "-t",        "-to",    "-r",
        "-f",        "-vf",       "-filter:v", "-lavfi", "-filter_complex",
        "-map",      "-frames:v", "-vframes",  "-pass",  "-passlogfile",
        "-progress", "-c:v",      "-vcodec",   "-y",     "-n"};
    if (request->n_extra > 0 && request->extra[0][0] != '-')
        return message_set(message, -EINVAL, "extra argument '%s' would be an output file",
                           request->extra[0]);
    for (size_t i = 0; i < request->n_extra; i++)
        for (size_t j = 0; j < sizeof(ours) / sizeof(ours[0]); j++)
            if (!strcmp(request->extra[i], ours[j]))
                return message_set(message, -EINVAL,
                                   "extra argument '%s' cannot be used: it is set by the encode "
                                   "itself",
                                   ours[j]);
    return 0;
}

static int check_output(const char *output, Message *message)
{
    const char *name = vmaf_path_name(output), *dot = strrchr(name, '.');
    if (!dot || dot == name || !dot[1])
        return message_set(message, -EINVAL,
                           "%s: the output needs an extension such as .mkv, which tells its format",
                           output);
    return 0;
}

static int check_encoder(const EncodeRequest *request, Message *message)
{
    const Encoder *encoder = request->encoder;
    if (!encoder_find_preset(encoder, request->preset, message))
        return -EINVAL;
    if (request->q < encoder->knob.lowest || request->q > encoder->knob.highest)
        return message_set(message, -EINVAL, "%s: %s %d is not within %d to %d", encoder->name,
                           encoder->knob_name, request->q, encoder->knob.lowest,
                           encoder->knob.highest);
    return 0;
}

int encode_check(const EncodeRequest *request, Message *message)
{
    int err = check_encoder(request, message);
    if (!err)
        err = check_source(&request->source, message);
    if (!err)
        err = check_windows(request, message);
    if (!err)
        err = check_size(request, message);
    if (!err)
        err = check_extra(request, message);
    return err ? err : check_output(request->output, message);
}

void encode_warning(const EncodeRequest *request, Message *warning)
{
    const Encoder *encoder = request->encoder;
    const bool hdr = request->hdr && !encoder->hdr_known;
    const bool passes = request->two_pass && encoder->two_pass == TWO_PASS_NONE;
    const bool stats = request->stats && encoder->stats == ENCODER_STATS_NONE;
    const char *const parts[] = {
        hdr ? "nobody can tell it the colours of HDR" : NULL,
        passes ? "it has no two passes, so there is one" : NULL,
        stats ? "it writes no statistics" : NULL,
    };
    size_t used = 0;
    warning->text[0] = '\0';
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (parts[i])
            used += (size_t)snprintf(warning->text + used, sizeof(warning->text) - used, "%s%s%s",
                                     used ? "; " : encoder->name, used ? "" : ": ", parts[i]);
}

int encode_passes(const EncodeRequest *request)
{
    return request->two_pass && request->encoder->two_pass != TWO_PASS_NONE ? 2 : 1;
}

void encode_rate_control(const EncodeRequest *request, char name[RATE_CONTROL_SIZE])
{
    const Encoder *encoder = request->encoder;
    const char *suffix = "";
    if (encode_passes(request) > 1)
        suffix = encoder->two_pass == TWO_PASS_ANCHORED ? "2pass" : "_2pass";
    snprintf(name, RATE_CONTROL_SIZE, "%s%s", encoder->knob_name, suffix);
}

size_t encode_frames(const EncodeRequest *request)
{
    size_t frames = 0;
    for (size_t i = 0; i < request->n_windows; i++)
        frames += request->windows[i].frames;
    return frames;
}
