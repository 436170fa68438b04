/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/ladder/ladder_sizes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const unsigned usual_heights[] = {2160, 1440, 1080, 720, 540, 360, 240};

enum { N_USUAL = sizeof usual_heights / sizeof *usual_heights, LARGEST = 32768 };

static unsigned step_of_width(const VideoFormat *format)
{
    const enum VmafPixelFormat layout = format->pixel_format;
    return layout == VMAF_PIX_FMT_YUV420P || layout == VMAF_PIX_FMT_YUV422P ? 2 : 1;
}

static unsigned step_of_height(const VideoFormat *format)
{
    return format->pixel_format == VMAF_PIX_FMT_YUV420P ? 2 : 1;
}

static int parse(const char *name, LadderSize *size, Message *why)
{
    char end;
    if (sscanf(name, "%5dx%5d%c", &size->width, &size->height, &end) != 2 || size->width < 1 ||
        size->height < 1 || size->width > LARGEST || size->height > LARGEST)
        return message_set(why, -EINVAL, "--resolutions: \"%s\" is no size: WIDTHxHEIGHT", name);
    return 0;
}

static int check(const LadderSize *size, const TuneSource *source, bool allows_larger, Message *why)
{
    const VideoFormat *format = &source->format;
    if ((unsigned)size->width % step_of_width(format) ||
        (unsigned)size->height % step_of_height(format))
        return message_set(why, -EINVAL, "--resolutions: %dx%d is odd, which %s cannot be",
                           size->width, size->height, source->pixel_format);
    if (!allows_larger &&
        ((unsigned)size->width > format->width || (unsigned)size->height > format->height))
        return message_set(why, -EINVAL,
                           "--resolutions: %dx%d is larger than the source, %ux%u "
                           "(--allow-upscale)",
                           size->width, size->height, format->width, format->height);
    return 0;
}

static int by_pixels(const void *a, const void *b)
{
    const LadderSize *x = a, *y = b;
    const long long first = (long long)x->width * x->height,
                    second = (long long)y->width * y->height;
    if (first != second)
        return first > second ? 1 : -1;
    return (x->width > y->width) - (x->width < y->width);
}

/* Sizes of the source's shape. */
static size_t add_usual(const VideoFormat *format, LadderSize *sizes)
{
    size_t n = 0;
    sizes[n++] = (LadderSize){(int)(format->width - format->width % step_of_width(format)),
                              (int)(format->height - format->height % step_of_height(format))};
    for (size_t i = 0; i < N_USUAL; i++) {
        const unsigned height = usual_heights[i];
        if (height < format->height)
            sizes[n++] = (LadderSize){
                2 * (int)((format->width * height + format->height) / (2 * format->height)),
                (int)height};
    }
    return n;
}

int ladder_sizes(const TextList *names, const TuneSource *source, bool allows_larger,
                 LadderSize **sizes, size_t *n, Message *why)
{
    int err = 0;
    *n = 0;
    *sizes = calloc(names->n + 1 + N_USUAL, sizeof(**sizes));
    if (!*sizes)
        return message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < names->n && !err; i++) {
        LadderSize *size = &(*sizes)[(*n)++];
        err = parse(names->text[i], size, why);
        if (!err)
            err = check(size, source, allows_larger, why);
    }
    if (err)
        return err;
    if (!names->n)
        *n = add_usual(&source->format, *sizes);
    qsort(*sizes, *n, sizeof(**sizes), by_pixels);
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++)
        if (!kept || by_pixels(&(*sizes)[kept - 1], &(*sizes)[i]))
            (*sizes)[kept++] = (*sizes)[i];
    *n = kept;
    return 0;
}
