/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input_options.h"

#include "media/video_reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decimal digits and nothing else, up to what a picture or a number of frames can be. */
static bool parse_unsigned(const char *text, size_t length, unsigned *number)
{
    enum { MOST_DIGITS = 9 };
    if (!length || length > MOST_DIGITS || strspn(text, "0123456789") < length)
        return false;
    *number = (unsigned)strtoul(text, NULL, 10);
    return true;
}

/* N numbers with separators between them. */
static bool parse_list(const char *text, const char *separators, unsigned n, unsigned number[])
{
    for (unsigned i = 0; i < n; i++) {
        const size_t length = strspn(text, "0123456789");
        const char separator = i + 1 < n ? separators[i] : '\0';
        if (!parse_unsigned(text, length, &number[i]) || text[length] != separator)
            return false;
        text += length + 1;
    }
    return true;
}

static int take_scale(InputOptions *options, const char *value, const char **expected)
{
    unsigned size[2];
    *expected = "WxH, model or none";
    options->match.never_scale = !strcmp(value, "none");
    options->scales_to_model = !strcmp(value, "model");
    if (options->match.never_scale)
        return 0;
    options->is_media = true;
    if (options->scales_to_model)
        return 0;
    if (!parse_list(value, "x", 2, size) || !size[0] || !size[1] || size[0] > VIDEO_MAX_SIDE ||
        size[1] > VIDEO_MAX_SIDE)
        return -EINVAL;
    options->match.width = size[0];
    options->match.height = size[1];
    return 0;
}

static int take_scaler(InputOptions *options, const char *value, const char **expected)
{
    static const char *const names[] = {"bicubic", "lanczos", "bilinear", "spline"};
    *expected = "bicubic, lanczos, bilinear or spline";
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!strcmp(value, names[i])) {
            options->match.scaler = (MediaScaler)i;
            return 0;
        }
    }
    return -EINVAL;
}

static int take_crop(MediaCrop *crop, const char *value, const char **expected)
{
    unsigned number[4];
    *expected = "W:H:X:Y";
    if (!parse_list(value, ":::", 4, number) || !number[0] || !number[1])
        return -EINVAL;
    *crop = (MediaCrop){number[0], number[1], number[2], number[3]};
    return 0;
}

static int take_hwaccel(InputOptions *options, const char *value, const char **expected)
{
    *expected = "none, auto, cuda, vaapi, vulkan or videotoolbox";
    options->hwaccel = NULL;
    if (!strcmp(value, "none"))
        return 0;
    options->hwaccel = media_decoder_name(value);
    return options->hwaccel ? 0 : -EINVAL;
}

/* Seconds, "12.5" or "12.5s", or minutes and hours before them: "0:01:02.5". */
static bool parse_seconds(const char *text, double *seconds)
{
    double sum = 0;
    for (unsigned parts = 0; parts < 3; parts++) {
        const size_t whole = strspn(text, "0123456789");
        size_t length = whole;
        if (text[length] == '.')
            length += 1 + strspn(text + length + 1, "0123456789");
        if (!whole || whole > 9 || length > 24)
            return false;
        sum = 60 * sum + strtod(text, NULL);
        const char *end = text + length;
        if (!*end || !strcmp(end, "s")) {
            *seconds = sum;
            return true;
        }
        if (*end != ':' || length != whole)
            return false;
        text = end + 1;
    }
    return false;
}

static int take_start(InputOptions *options, const char *value, const char **expected)
{
    StartOption *start = &options->start;
    *expected = "a frame (250), or a time (10s, 12.5, 0:01:02)";
    *start = (StartOption){.is_given = true};
    if (parse_unsigned(value, strlen(value), &start->frame))
        return 0;
    start->is_time = options->is_media = true;
    return parse_seconds(value, &start->seconds) ? 0 : -EINVAL;
}

static int take_duration(InputOptions *options, const char *value, const char **expected)
{
    *expected = "a time above 0 (10, 12.5s, 0:01:02)";
    options->is_media = true;
    return parse_seconds(value, &options->duration) && options->duration > 0 ? 0 : -EINVAL;
}

static int take_sync(InputOptions *options, const char *value, const char **expected)
{
    *expected = "frame or time";
    options->pairs_by_time = !strcmp(value, "time");
    options->is_media |= options->pairs_by_time;
    return options->pairs_by_time || !strcmp(value, "frame") ? 0 : -EINVAL;
}

static int take_errors(InputOptions *options, const char *value, const char **expected)
{
    *expected = "stop or ignore";
    options->ignores_errors = !strcmp(value, "ignore");
    return options->ignores_errors || !strcmp(value, "stop") ? 0 : -EINVAL;
}

int input_options_take(InputOptions *options, const char *name, const char *value,
                       const char **expected)
{
    if (!strcmp(name, "scale"))
        return take_scale(options, value, expected);
    if (!strcmp(name, "scaler"))
        return take_scaler(options, value, expected);
    if (!strcmp(name, "hwaccel"))
        return take_hwaccel(options, value, expected);
    if (!strcmp(name, "start"))
        return take_start(options, value, expected);
    if (!strcmp(name, "duration"))
        return take_duration(options, value, expected);
    if (!strcmp(name, "sync"))
        return take_sync(options, value, expected);
    if (!strcmp(name, "errors"))
        return take_errors(options, value, expected);
    options->is_media = true;
    MatchOptions *match = &options->match;
    return take_crop(!strcmp(name, "crop-ref") ? &match->crop_reference : &match->crop_distorted,
                     value, expected);
}

int input_options_stream(const InputOptions *options, bool is_distorted)
{
    const bool is_own =
        is_distorted ? options->distorted_stream_given : options->reference_stream_given;
    if (is_own)
        return (int)(is_distorted ? options->distorted_stream : options->reference_stream);
    return options->stream_given ? (int)options->stream : -1;
}
