/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/y4m.h"

#include "common/messages.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_MAX_BYTES = 16384, /* of a header, which may have comments: longer ones are damage */
    TAG_MAX = 15,           /* letters of a chroma tag */
    MAGIC_SIZE = 8,         /* "YUV4MPEG"; a digit follows */
    FRAME_MAGIC = 6,        /* "FRAME" and what follows */
    NOT_GIVEN = INT_MIN,
};

/* Layouts at 8 bits that map to a picture format without changing a sample, by their tag. */
static const struct {
    const char *tag;
    enum VmafPixelFormat pixel_format;
    bool has_alpha;
} layouts[] = {
    {"420", VMAF_PIX_FMT_YUV420P, false},      {"420jpeg", VMAF_PIX_FMT_YUV420P, false},
    {"420mpeg2", VMAF_PIX_FMT_YUV420P, false}, {"420paldv", VMAF_PIX_FMT_YUV420P, false},
    {"422", VMAF_PIX_FMT_YUV422P, false},      {"444", VMAF_PIX_FMT_YUV444P, false},
    {"444alpha", VMAF_PIX_FMT_YUV444P, true},  {"mono", VMAF_PIX_FMT_YUV400P, false},
};

/* Such layouts at 9 to 16 bits: a prefix, which the bit depth follows. */
static const struct {
    const char *prefix;
    enum VmafPixelFormat pixel_format;
} deep_layouts[] = {
    {"420p", VMAF_PIX_FMT_YUV420P},
    {"422p", VMAF_PIX_FMT_YUV422P},
    {"444p", VMAF_PIX_FMT_YUV444P},
    {"mono", VMAF_PIX_FMT_YUV400P},
};

enum {
    N_LAYOUTS = sizeof(layouts) / sizeof(layouts[0]),
    N_DEEP_LAYOUTS = sizeof(deep_layouts) / sizeof(deep_layouts[0]),
};

/* 9 to 16 written in decimal and nothing else; 0 for any other text. */
static unsigned deep_bit_depth(const char *text)
{
    for (unsigned depth = 9; depth <= 16; depth++) {
        char digits[4];
        snprintf(digits, sizeof(digits), "%u", depth);
        if (!strcmp(text, digits))
            return depth;
    }
    return 0;
}

static bool parse_chroma(const char *tag, VideoFormat *format)
{
    for (int i = 0; i < N_LAYOUTS; i++) {
        if (strcmp(layouts[i].tag, tag))
            continue;
        format->pixel_format = layouts[i].pixel_format;
        format->bit_depth = 8;
        format->has_alpha = layouts[i].has_alpha;
        return true;
    }
    for (int i = 0; i < N_DEEP_LAYOUTS; i++) {
        const size_t length = strlen(deep_layouts[i].prefix);
        const unsigned depth =
            strncmp(deep_layouts[i].prefix, tag, length) ? 0 : deep_bit_depth(tag + length);
        if (!depth)
            continue;
        format->pixel_format = deep_layouts[i].pixel_format;
        format->bit_depth = depth;
        return true;
    }
    return false;
}

/* What the header line says. */
typedef struct Header {
    int width, height;
    bool has_rate;
    unsigned rate_num, rate_den; /* 0/0: unknown */
    char interlacing;            /* '?' if not given */
    bool is_full_range;
    char chroma[TAG_MAX + 1];
} Header;

/* Reads the first bytes, which say whether it is Y4M. */
static int read_magic(Input *input, char *line, Message *why)
{
    static const char magic[] = "YUV4MPEG";
    unsigned char head[FOREIGN_HEAD_SIZE];
    size_t got, more = 0;
    int err = input_read(input, head, MAGIC_SIZE, &got);
    if (!err && !got)
        return message_set(why, -EINVAL, "The file is empty.");
    if (!err && memcmp(head, magic, got)) {
        err = input_read(input, head + got, sizeof(head) - got, &more);
        if (!err) {
            input_unread(input, head, got + more);
            return foreign_file_explain(head, got + more, input->path, why);
        }
    }
    if (err)
        return message_set(why, err, "%s", strerror(-err));
    if (got < MAGIC_SIZE)
        return message_set(why, -EINVAL, "The file ends inside its header.");
    memcpy(line, head, MAGIC_SIZE);
    return 0;
}

/* Bytes up to the first line feed, without it. */
static int read_header_line(Input *input, char line[LINE_MAX_BYTES], Message *why)
{
    int err = read_magic(input, line, why);
    if (err)
        return err;
    for (int length = MAGIC_SIZE; length < LINE_MAX_BYTES; length++) {
        size_t got;
        err = input_read(input, line + length, 1, &got);
        if (err)
            return message_set(why, err, "%s", strerror(-err));
        if (!got)
            return message_set(why, -EINVAL, "The file ends inside its header.");
        if (line[length] == '\n') {
            line[length] = '\0';
            return 0;
        }
        if (!line[length]) /* whatever follows would be ignored */
            return message_set(why, -EINVAL, "The header has a zero byte.");
    }
    return message_set(why, -EINVAL, "The header has no end.");
}

/* Leading part of the text as a number; text after it does not matter. */
static bool leading_int(const char *text, char **end, int *number)
{
    errno = 0;
    long value = strtol(text, end, 10);
    if (*end == text)
        return false;
    /* A number that does not fit is out of range for every parameter. */
    *number = errno || value > INT_MAX || value <= INT_MIN ? INT_MAX : (int)value;
    return true;
}

static bool is_ratio(const char *text)
{
    char *end;
    int number;
    return leading_int(text, &end, &number) && *end == ':' && leading_int(end + 1, &end, &number);
}

/* A header may also say that the rate is unknown: 0:0. */
static void take_rate(Header *header, const char *ratio)
{
    unsigned num, den;
    if (sscanf(ratio, "%9u:%9u", &num, &den) == 2 && num && den) {
        header->rate_num = num;
        header->rate_den = den;
    }
}

static int take_parameter(Header *header, const char *parameter, Message *why)
{
    const char *text = parameter + 1;
    char *end;
    switch (parameter[0]) {
    case 'W':
        if (leading_int(text, &end, &header->width))
            return 0;
        break;
    case 'H':
        if (leading_int(text, &end, &header->height))
            return 0;
        break;
    case 'F':
        header->has_rate = true;
        if (!is_ratio(text))
            break;
        take_rate(header, text);
        return 0;
    case 'A':
        if (is_ratio(text))
            return 0;
        break;
    case 'I':
        header->interlacing = text[0] ? text[0] : '?';
        return 0;
    case 'C':
        if (strlen(text) > TAG_MAX)
            break;
        strcpy(header->chroma, text);
        return 0;
    case 'X':
        if (!strcmp(text, "COLORRANGE=FULL"))
            header->is_full_range = true;
        return 0;
    default:
        return 0;
    }
    return message_set(why, -EINVAL, "Bad header parameter \"%.40s\".", parameter);
}

static int parse_header_line(char *line, Header *header, Message *why)
{
    if (line[MAGIC_SIZE] != '2')
        print_error("Incorrect YUV input file version; YUV4MPEG2 required.");

    *header =
        (Header){.width = NOT_GIVEN, .height = NOT_GIVEN, .interlacing = '?', .chroma = "420"};
    char *rest = line + MAGIC_SIZE;
    strsep(&rest, " "); /* the version */
    for (char *item = strsep(&rest, " "); item; item = strsep(&rest, " ")) {
        int err = item[0] ? take_parameter(header, item, why) : 0;
        if (err)
            return err;
    }
    if (header->width == NOT_GIVEN)
        return message_set(why, -EINVAL, "The header has no width (W).");
    if (header->height == NOT_GIVEN)
        return message_set(why, -EINVAL, "The header has no height (H).");
    if (!header->has_rate)
        return message_set(why, -EINVAL, "The header has no frame rate (F).");
    return 0;
}

int y4m_read_header(Input *input, VideoFormat *format, Y4mProperties *properties, Message *why)
{
    char line[LINE_MAX_BYTES];
    Header header;
    int err = read_header_line(input, line, why);
    if (!err)
        err = parse_header_line(line, &header, why);
    if (err)
        return err;

    if (header.interlacing != 'p' && header.interlacing != '?')
        return message_set(why, -EINVAL, "Interlaced video (I%c) is not supported.",
                           header.interlacing);
    *properties = (Y4mProperties){header.interlacing == '?', header.is_full_range};
    if (header.width < 1 || header.height < 1) {
        return message_set(why, -EINVAL, "frame size %dx%d is not possible", header.width,
                           header.height);
    }
    *format = (VideoFormat){
        .width = (unsigned)header.width,
        .height = (unsigned)header.height,
        .rate_num = header.rate_num,
        .rate_den = header.rate_den,
    };
    if (parse_chroma(header.chroma, format))
        return 0;
    return message_set(why, -EINVAL, "Unknown chroma sampling type: %s", header.chroma);
}

static const char *layout_name(const VideoFormat *format)
{
    for (int i = 0; i < N_DEEP_LAYOUTS && format->bit_depth > 8; i++)
        if (deep_layouts[i].pixel_format == format->pixel_format)
            return deep_layouts[i].prefix;
    for (int i = 0; i < N_LAYOUTS; i++)
        if (layouts[i].pixel_format == format->pixel_format &&
            layouts[i].has_alpha == format->has_alpha)
            return layouts[i].tag;
    return "";
}

void y4m_print_header(char line[Y4M_SHORT_HEADER], const VideoFormat *format, bool is_full_range)
{
    char depth[16] = "";
    if (format->bit_depth > 8)
        snprintf(depth, sizeof(depth), "%u", format->bit_depth);
    snprintf(line, Y4M_SHORT_HEADER, "YUV4MPEG2 W%u H%u F%u:%u Ip A0:0 C%s%s%s\n", format->width,
             format->height, format->rate_num, format->rate_den, layout_name(format), depth,
             is_full_range ? " XCOLORRANGE=FULL" : "");
}

int y4m_begin_frame(Input *input, Message *why)
{
    char magic[FRAME_MAGIC];
    size_t got;
    int err = input_read(input, magic, sizeof(magic), &got);
    if (err)
        return message_set(why, err, "%s", strerror(-err));
    if (!got)
        return 0;
    if (got < sizeof(magic))
        return message_set(why, -EINVAL, "The file ends inside a frame header.");
    if (memcmp(magic, "FRAME", 5))
        return message_set(why, -EINVAL, "Loss of framing in YUV input data");

    char byte = magic[5];
    for (int i = 0; byte != '\n'; i++) {
        if (i == LINE_MAX_BYTES)
            return message_set(why, -EINVAL, "Error parsing YUV frame header");
        err = input_read(input, &byte, 1, &got);
        if (err)
            return message_set(why, err, "%s", strerror(-err));
        if (!got)
            return message_set(why, -EINVAL, "Error parsing YUV frame header");
    }
    return 1;
}

int raw_yuv_begin_frame(Input *input, Message *why)
{
    int at_end = input_at_end(input);
    if (at_end < 0)
        return message_set(why, at_end, "%s", strerror(-at_end));
    return !at_end;
}
