/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/y4m.h"

#include "platform/module.h"
#include "platform/path.h"
#include "platform/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What is to be done with it. */
typedef enum Remedy {
    REMEDY_DECODE,
    REMEDY_UNPACK,
    REMEDY_DESCRIBE, /* raw video */
} Remedy;

typedef struct Kind {
    const char *name;
    Remedy remedy;
} Kind;

/* Files of MP4's kind that FFmpeg may not read, by what stands at their beginning. */
static const struct {
    size_t offset;
    const char *bytes, *remark;
} unreadable[] = {
    {4, "styp", "a segment of MP4 without its beginning: put the file of initialisation before it"},
    {4, "moof", "a segment of MP4 without its beginning: put the file of initialisation before it"},
    {8, "heic", "a picture of HEIC: convert it, to PNG say"},
    {8, "heix", "a picture of HEIC: convert it, to PNG say"},
    {8, "mif1", "a picture of HEIC or AVIF: convert it, to PNG say"},
    {8, "avif", "a picture of AVIF: convert it, to PNG say"},
};

/* Bytes at a fixed place, from the specifications of the formats. */
static const struct {
    size_t offset, length;
    const char *bytes;
    Kind kind;
} signatures[] = {
    {4, 4, "ftyp", {"MP4 or MOV", REMEDY_DECODE}},
    {4, 4, "moov", {"MP4 or MOV", REMEDY_DECODE}},
    {4, 4, "mdat", {"MP4 or MOV", REMEDY_DECODE}},
    {4, 4, "wide", {"MP4 or MOV", REMEDY_DECODE}},
    {8, 4, "AVI ", {"AVI", REMEDY_DECODE}},
    {0, 4, "DKIF", {"IVF", REMEDY_DECODE}},
    {0, 4, "OggS", {"Ogg", REMEDY_DECODE}},
    {0, 3, "FLV", {"FLV", REMEDY_DECODE}},
    {0, 4, "\x06\x0e\x2b\x34", {"MXF", REMEDY_DECODE}},
    {0, 4, "\x30\x26\xb2\x75", {"ASF or WMV", REMEDY_DECODE}},
    {0, 4, "\x00\x00\x01\xba", {"an MPEG program stream", REMEDY_DECODE}},
    {0, 4, "\x00\x00\x01\xb3", {"an MPEG-1 or MPEG-2 stream", REMEDY_DECODE}},
    {0, 3, "\x12\x00\x0a", {"an AV1 stream", REMEDY_DECODE}},
    {0, 4, "\x89PNG", {"a PNG picture", REMEDY_DECODE}},
    {0, 3, "\xff\xd8\xff", {"a JPEG picture", REMEDY_DECODE}},
    {0, 4, "GIF8", {"GIF", REMEDY_DECODE}},
    {0, 2, "\x1f\x8b", {"gzip", REMEDY_UNPACK}},
    {0, 6, "\xfd\x37zXZ\x00", {"xz", REMEDY_UNPACK}},
    {0, 4, "\x28\xb5\x2f\xfd", {"Zstandard", REMEDY_UNPACK}},
    {0, 3, "BZh", {"bzip2", REMEDY_UNPACK}},
    {0, 4, "PK\x03\x04", {"a ZIP archive", REMEDY_UNPACK}},
};

/* Names end so, where the first bytes say nothing. */
static const struct {
    const char *ending;
    Kind kind;
} endings[] = {
    {".mp4", {"MP4", REMEDY_DECODE}},
    {".m4v", {"MP4", REMEDY_DECODE}},
    {".mov", {"MOV", REMEDY_DECODE}},
    {".mkv", {"Matroska", REMEDY_DECODE}},
    {".webm", {"WebM", REMEDY_DECODE}},
    {".avi", {"AVI", REMEDY_DECODE}},
    {".ts", {"MPEG-TS", REMEDY_DECODE}},
    {".m2ts", {"MPEG-TS", REMEDY_DECODE}},
    {".mxf", {"MXF", REMEDY_DECODE}},
    {".wmv", {"WMV", REMEDY_DECODE}},
    {".ivf", {"IVF", REMEDY_DECODE}},
    {".obu", {"an AV1 stream", REMEDY_DECODE}},
    {".264", {"an AVC stream", REMEDY_DECODE}},
    {".h264", {"an AVC stream", REMEDY_DECODE}},
    {".avc", {"an AVC stream", REMEDY_DECODE}},
    {".265", {"an HEVC stream", REMEDY_DECODE}},
    {".h265", {"an HEVC stream", REMEDY_DECODE}},
    {".hevc", {"an HEVC stream", REMEDY_DECODE}},
    {".266", {"a VVC stream", REMEDY_DECODE}},
    {".vvc", {"a VVC stream", REMEDY_DECODE}},
    {".yuv", {"raw video", REMEDY_DESCRIBE}},
    {".raw", {"raw video", REMEDY_DESCRIBE}},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool contains(const unsigned char *head, size_t size, const char *word)
{
    return memmem(head, size, word, strlen(word)) != NULL;
}

/* Matroska and WebM share their first bytes and name themselves soon after. */
static const char *ebml_kind(const unsigned char *head, size_t size)
{
    static const unsigned char magic[] = {0x1a, 0x45, 0xdf, 0xa3};
    if (size < sizeof(magic) || memcmp(head, magic, sizeof(magic)))
        return NULL;
    return contains(head, size < 64 ? size : 64, "webm") ? "WebM" : "Matroska";
}

/* Packets of 188 bytes, or of 192 with a time in front, start with 0x47. */
static const char *transport_stream_kind(const unsigned char *head, size_t size)
{
    enum { SYNC = 0x47, PACKET = 188, TIMED_PACKET = 192, TIME = 4 };
    const bool plain =
        size > 2 * PACKET && head[0] == SYNC && head[PACKET] == SYNC && head[2 * PACKET] == SYNC;
    const bool timed = size > TIME + 2 * TIMED_PACKET && head[TIME] == SYNC &&
                       head[TIME + TIMED_PACKET] == SYNC && head[TIME + 2 * TIMED_PACKET] == SYNC;
    return plain || timed ? "MPEG-TS" : NULL;
}

/* Streams of NAL units behind start codes: the type of the first unit tells (H.264, H.265, H.266).
 */
static const char *nal_stream_kind(const unsigned char *head, size_t size)
{
    static const unsigned char start_code[] = {0, 0, 1};
    const unsigned char *unit = size > 8 ? memmem(head, 4, start_code, 3) : NULL;
    if (!unit)
        return NULL;
    const unsigned first = unit[3], second = unit[4];
    const unsigned avc = first & 0x1f, hevc = first >> 1, vvc = second >> 3;
    if (second == 1 && (hevc == 32 || hevc == 33 || hevc == 35 || hevc == 39))
        return "an HEVC stream"; /* parameter sets, delimiter, supplemental information */
    if (first < 0x80 && (avc == 7 || first == 6 || first == 9))
        return "an AVC stream";
    return !first && (second & 7) == 1 && vvc >= 12 && vvc <= 23 ? "a VVC stream" : NULL;
}

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), ending_length = strlen(ending);
    return length >= ending_length && vmaf_ascii_alike(text + length - ending_length, ending);
}

static bool find_kind(const unsigned char *head, size_t size, const char *path, Kind *kind)
{
    const char *(*const judges[])(const unsigned char *,
                                  size_t) = {ebml_kind, transport_stream_kind, nal_stream_kind};
    for (size_t i = 0; i < COUNT(judges); i++) {
        *kind = (Kind){judges[i](head, size), REMEDY_DECODE};
        if (kind->name)
            return true;
    }
    for (size_t i = 0; i < COUNT(signatures); i++) {
        if (signatures[i].offset + signatures[i].length <= size &&
            !memcmp(head + signatures[i].offset, signatures[i].bytes, signatures[i].length)) {
            *kind = signatures[i].kind;
            return true;
        }
    }
    for (size_t i = 0; i < COUNT(endings); i++) {
        if (ends_with(path, endings[i].ending)) {
            *kind = endings[i].kind;
            return true;
        }
    }
    return false;
}

/* The name as it can be typed, if no shell or option parser takes it apart. */
static const char *typed_name(const char *path)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/+,";
    enum { LONGEST = 100 };
    const size_t length = strlen(path);
    const bool is_plain = length && length <= LONGEST && strspn(path, plain) == length;
    return is_plain && path[0] != '-' ? path : "INPUT";
}

int foreign_file_explain(const unsigned char *head, size_t size, const char *path, Message *what)
{
    static const char describe[] =
        "say what is in it: -w WIDTH -h HEIGHT -p FORMAT -b BITS, for both files";
    const char *const decode =
        vmaf_module_can_load()
            ? "install the package vmaf-media-ffmpeg, or decode it first: ffmpeg -i"
            : "decode it first: ffmpeg -i";
    static const char options[] = "-fps_mode passthrough -strict -1 video.y4m";
    Kind kind;
    if (!find_kind(head, size, path, &kind)) {
        return message_set(what, -ENOTSUP,
                           "this is not Y4M. If it is raw video, %s. If it is anything else, "
                           "%s %s %s",
                           describe, decode, typed_name(path), options);
    }
    switch (kind.remedy) {
    case REMEDY_DECODE:
        return message_set(what, -ENOTSUP, "this seems to be %s, not Y4M: %s %s %s", kind.name,
                           decode, typed_name(path), options);
    case REMEDY_UNPACK:
        return message_set(what, -EPROTONOSUPPORT, "this seems to be %s, not Y4M. Unpack it first",
                           kind.name);
    default:
        return message_set(what, -EPROTONOSUPPORT, "this seems to be %s, not Y4M: %s", kind.name,
                           describe);
    }
}

int foreign_file_reject(const unsigned char *head, size_t size, const char *path,
                        const char *reason, const char *options, Message *what)
{
    Kind kind;
    for (size_t i = 0; i < COUNT(unreadable); i++)
        if (unreadable[i].offset + 4 <= size &&
            !memcmp(head + unreadable[i].offset, unreadable[i].bytes, 4))
            return message_set(what, -EPROTONOSUPPORT, "FFmpeg cannot read it (%s): it is %s",
                               reason, unreadable[i].remark);
    if (find_kind(head, size, path, &kind) && kind.remedy == REMEDY_DECODE)
        return message_set(what, -EPROTONOSUPPORT,
                           "it seems to be %s, but FFmpeg cannot read it (%s)", kind.name, reason);
    return message_set(what, -EPROTONOSUPPORT,
                       "it is neither Y4M nor anything that FFmpeg can read (%s); raw video has to "
                       "be described: %s",
                       reason, options);
}

enum { MOST_DIGITS = 9 };

/* A name of pictures: their number is between two texts. */
typedef struct Pattern {
    const char *before, *after;
    size_t before_length;
    size_t digits; /* at least; a longer number has no zeros in front */
} Pattern;

/* "%d", or "%04d". */
static bool parse(const char *name, Pattern *pattern)
{
    const char *place = strchr(name, '%');
    if (!place)
        return false;
    const char *digits = place + 1;
    const size_t length = strspn(digits, "0123456789");
    *pattern = (Pattern){
        .before = name,
        .before_length = (size_t)(place - name),
        .after = digits + length + 1,
        .digits = length ? strtoul(digits, NULL, 10) : 1,
    };
    return digits[length] == 'd' && pattern->digits <= MOST_DIGITS;
}

static bool matches(const Pattern *pattern, const char *name, unsigned *number)
{
    if (strncmp(name, pattern->before, pattern->before_length))
        return false;
    const char *text = name + pattern->before_length;
    const size_t length = strspn(text, "0123456789");
    *number = (unsigned)strtoul(text, NULL, 10);
    return length >= pattern->digits && length <= MOST_DIGITS &&
           (length == pattern->digits || *text != '0') && !strcmp(text + length, pattern->after);
}

static bool is_any(const char *name)
{
    (void)name;
    return true;
}

static int compare(const void *a, const void *b)
{
    const unsigned first = *(const unsigned *)a, second = *(const unsigned *)b;
    return (first > second) - (first < second);
}

/* The numbers of the pictures in a folder, sorted; NULL if there are none. */
static unsigned *list_numbers(const char *folder, const Pattern *pattern, size_t *n)
{
    char **names;
    unsigned count;
    *n = 0;
    if (vmaf_folder_list(*folder ? folder : ".", is_any, &names, &count))
        return NULL;
    unsigned *numbers = calloc(count + 1, sizeof(*numbers));
    for (unsigned i = 0; numbers && i < count; i++)
        *n += matches(pattern, names[i], &numbers[*n]);
    vmaf_folder_list_free(names, count);
    if (*n) {
        qsort(numbers, *n, sizeof(*numbers), compare);
        return numbers;
    }
    free(numbers);
    return NULL;
}

/* The same of a path; NULL also if its name has no number in it. */
static unsigned *numbers_of(const char *path, size_t *n)
{
    Pattern pattern;
    const char *name = vmaf_path_name(path);
    if (!parse(name, &pattern))
        return NULL;
    char *folder = strndup(path, (size_t)(name - path));
    unsigned *numbers = folder ? list_numbers(folder, &pattern, n) : NULL;
    free(folder);
    return numbers;
}

bool picture_sequence_find(const char *path, unsigned *first)
{
    size_t n;
    *first = 0;
    if (!strchr(vmaf_path_name(path), '%'))
        return strchr(path, '%') != NULL;
    unsigned *numbers = numbers_of(path, &n);
    if (numbers)
        *first = numbers[0];
    free(numbers);
    return numbers != NULL;
}

bool picture_sequence_has_gap(const char *path, unsigned first, unsigned *missing)
{
    size_t n = 0, i = 0;
    unsigned *numbers = numbers_of(path, &n);
    while (i < n && numbers[i] < first)
        i++;
    for (*missing = first; i < n && numbers[i] == *missing; i++)
        ++*missing;
    free(numbers);
    return i < n;
}
