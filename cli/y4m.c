/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "y4m.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER_MAX = 255,     /* bytes that are searched for the end of the header line */
    TAG_MAX = 15,         /* letters of a chroma tag */
    FRAME_MAGIC = 6,      /* "FRAME" and what follows */
    FRAME_LINE_REST = 79, /* further bytes of a frame header, line feed included */
    NOT_GIVEN = INT_MIN,
};

/* Chroma tags that map to a picture format without touching a sample. */
static const struct {
    const char *tag;
    enum VmafPixelFormat pixel_format;
    unsigned bit_depth;
    bool has_alpha;
} chroma_tags[] = {
    {"420", VMAF_PIX_FMT_YUV420P, 8, false},      {"420jpeg", VMAF_PIX_FMT_YUV420P, 8, false},
    {"420mpeg2", VMAF_PIX_FMT_YUV420P, 8, false}, {"420paldv", VMAF_PIX_FMT_YUV420P, 8, false},
    {"420p10", VMAF_PIX_FMT_YUV420P, 10, false},  {"420p12", VMAF_PIX_FMT_YUV420P, 12, false},
    {"420p16", VMAF_PIX_FMT_YUV420P, 16, false},  {"422", VMAF_PIX_FMT_YUV422P, 8, false},
    {"422p10", VMAF_PIX_FMT_YUV422P, 10, false},  {"422p12", VMAF_PIX_FMT_YUV422P, 12, false},
    {"422p16", VMAF_PIX_FMT_YUV422P, 16, false},  {"444", VMAF_PIX_FMT_YUV444P, 8, false},
    {"444p10", VMAF_PIX_FMT_YUV444P, 10, false},  {"444p12", VMAF_PIX_FMT_YUV444P, 12, false},
    {"444p16", VMAF_PIX_FMT_YUV444P, 16, false},  {"444alpha", VMAF_PIX_FMT_YUV444P, 8, true},
    {"mono", VMAF_PIX_FMT_YUV400P, 8, false},
};
enum { N_CHROMA_TAGS = sizeof(chroma_tags) / sizeof(chroma_tags[0]) };

/* What the header line says. */
typedef struct Header {
    int width, height;
    bool has_rate;
    char interlacing; /* '?' if not given */
    char chroma[TAG_MAX + 1];
} Header;

/* Bytes up to the first line feed, or the first HEADER_MAX; without the line feed. */
static int read_header_line(Input *input, char line[HEADER_MAX + 1], Message *why)
{
    for (int length = 0; length < HEADER_MAX; length++) {
        size_t got;
        int err = input_read(input, line + length, 1, &got);
        if (err)
            return message_set(why, err, "%s", strerror(-err));
        if (!got) {
            return message_set(why, -EINVAL,
                               length ? "The file ends inside its header." : "The file is empty.");
        }
        if (line[length] == '\n') {
            line[length] = '\0';
            return 0;
        }
    }
    line[HEADER_MAX] = '\0';
    return 0;
}

/* Leading part of the text as a number; text after it does not matter. */
static bool leading_int(const char *text, char **end, int *number)
{
    errno = 0;
    long value = strtol(text, end, 10);
    if (*end == text)
        return false;
    /* What does not fit is out of range anywhere else as well. */
    *number = errno || value > INT_MAX || value <= INT_MIN ? INT_MAX : (int)value;
    return true;
}

static bool is_ratio(const char *text)
{
    char *end;
    int number;
    return leading_int(text, &end, &number) && *end == ':' && leading_int(end + 1, &end, &number);
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
        if (is_ratio(text))
            return 0;
        break;
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
    default:
        return 0;
    }
    return message_set(why, -EINVAL, "Bad header parameter \"%.40s\".", parameter);
}

static int parse_header_line(char *line, Header *header, Message *why)
{
    if (strncmp(line, "YUV4MPEG", 8))
        return message_set(why, -EINVAL, "Incomplete magic for YUV4MPEG file.");
    if (line[8] != '2')
        fputs("Incorrect YUV input file version; YUV4MPEG2 required.\n", stderr);

    *header =
        (Header){.width = NOT_GIVEN, .height = NOT_GIVEN, .interlacing = '?', .chroma = "420"};
    char *rest = line + 8;
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

int y4m_read_header(Input *input, VideoFormat *format, bool *interlacing_unknown, Message *why)
{
    char line[HEADER_MAX + 1];
    Header header;
    int err = read_header_line(input, line, why);
    if (!err)
        err = parse_header_line(line, &header, why);
    if (err)
        return err;

    if (header.interlacing != 'p' && header.interlacing != '?')
        return message_set(why, -EINVAL, "Interlaced video (I%c) is not supported.",
                           header.interlacing);
    *interlacing_unknown = header.interlacing == '?';
    if (header.width < 1 || header.height < 1) {
        return message_set(why, -EINVAL, "frame size %dx%d is not possible", header.width,
                           header.height);
    }
    for (int i = 0; i < N_CHROMA_TAGS; i++) {
        if (strcmp(chroma_tags[i].tag, header.chroma))
            continue;
        *format = (VideoFormat){
            .pixel_format = chroma_tags[i].pixel_format,
            .width = (unsigned)header.width,
            .height = (unsigned)header.height,
            .bit_depth = chroma_tags[i].bit_depth,
            .has_alpha = chroma_tags[i].has_alpha,
        };
        return 0;
    }
    return message_set(why, -EINVAL, "Unknown chroma sampling type: %s", header.chroma);
}

int y4m_begin_frame(Input *input, Message *why)
{
    char magic[FRAME_MAGIC];
    size_t got;
    int err = input_read(input, magic, sizeof(magic), &got);
    if (err)
        return message_set(why, err, "%s", strerror(-err));
    if (got < sizeof(magic))
        return 0;
    if (memcmp(magic, "FRAME", 5))
        return message_set(why, -EINVAL, "Loss of framing in YUV input data");

    char byte = magic[5];
    for (int i = 0; byte != '\n'; i++) {
        if (i == FRAME_LINE_REST)
            return message_set(why, -EINVAL, "Error parsing YUV frame header");
        err = input_read(input, &byte, 1, &got);
        if (err)
            return message_set(why, err, "%s", strerror(-err));
        if (!got)
            return message_set(why, -EINVAL, "Error parsing YUV frame header");
    }
    return 1;
}
