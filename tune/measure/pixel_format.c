/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *begin;
    enum VmafPixelFormat format;
} layouts[] = {
    {"yuv420p", VMAF_PIX_FMT_YUV420P},
    {"yuv422p", VMAF_PIX_FMT_YUV422P},
    {"yuv444p", VMAF_PIX_FMT_YUV444P},
    {"gray", VMAF_PIX_FMT_YUV400P},
};

enum { N_LAYOUTS = sizeof layouts / sizeof *layouts };

/* "", "10", "12le", ... behind the layout. 0: none of these. */
static unsigned parse_depth(const char *text)
{
    char *end;
    if (!*text)
        return 8;
    const unsigned long depth = strtoul(text, &end, 10);
    const bool is_depth = depth == 9 || depth == 10 || depth == 12 || depth == 14 || depth == 16;
    return is_depth && (!*end || !strcmp(end, "le")) ? (unsigned)depth : 0;
}

bool pixel_format_parse(const char *name, VideoFormat *format)
{
    for (int i = 0; i < N_LAYOUTS; i++) {
        const size_t length = strlen(layouts[i].begin);
        if (strncmp(name, layouts[i].begin, length))
            continue;
        format->pixel_format = layouts[i].format;
        format->bit_depth = parse_depth(name + length);
        return format->bit_depth != 0;
    }
    return false;
}

void pixel_format_name(const VideoFormat *format, char name[PIXEL_FORMAT_SIZE])
{
    *name = '\0';
    for (int i = 0; i < N_LAYOUTS; i++) {
        if (layouts[i].format != format->pixel_format)
            continue;
        if (format->bit_depth == 8)
            snprintf(name, PIXEL_FORMAT_SIZE, "%s", layouts[i].begin);
        else
            snprintf(name, PIXEL_FORMAT_SIZE, "%s%ule", layouts[i].begin, format->bit_depth);
    }
}

/* 23.976 is meant to be 24000/1001, and so on; else thousandths. */
static bool from_number(double number, FrameRate *rate)
{
    enum { FASTEST = 10000 };
    if (!(number > 0) || number > FASTEST)
        return false;
    const double ntsc = round(number);
    if (fabs(number - round(number)) < 1e-9)
        *rate = (FrameRate){(int)round(number), 1};
    else if (fabs(number - ntsc * 1000 / 1001) < 0.001 * ntsc / 24)
        *rate = (FrameRate){(int)ntsc * 1000, 1001};
    else
        *rate = (FrameRate){(int)round(number * 1000), 1000};
    return rate->numerator > 0;
}

bool frame_rate_parse(const char *text, FrameRate *rate)
{
    char *end;
    const double first = strtod(text, &end);
    if (end == text)
        return false;
    if (!*end)
        return from_number(first, rate);
    if (*end != '/')
        return false;
    const char *second_text = end + 1;
    const double second = strtod(second_text, &end);
    const bool are_whole = first == floor(first) && second == floor(second);
    if (end == second_text || *end || !are_whole || !(first >= 1 && first <= 1e9) ||
        !(second >= 1 && second <= 1e9))
        return false;
    *rate = (FrameRate){(int)first, (int)second};
    return true;
}
