/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/ladder_internal.h"

#include "platform/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* ITU-T H.264, profile_idc, and the byte of constraint flags behind it. */
typedef struct AvcProfile {
    const char *name;
    unsigned profile, constraints;
} AvcProfile;

static const AvcProfile avc_profiles[] = {
    {"Constrained Baseline", 0x42, 0xe0},
    {"Baseline", 0x42, 0x00},
    {"Main", 0x4d, 0x00},
    {"Extended", 0x58, 0x00},
    {"High", 0x64, 0x00},
    {"High 10", 0x6e, 0x00},
    {"High 10 Intra", 0x6e, 0x10},
    {"High 4:2:2", 0x7a, 0x00},
    {"High 4:2:2 Intra", 0x7a, 0x10},
    {"High 4:4:4 Predictive", 0xf4, 0x00},
    {"High 4:4:4 Intra", 0xf4, 0x10},
};

static bool print_avc(const StreamFacts *facts, char text[CODEC_STRING_SIZE])
{
    for (size_t i = 0; i < COUNT(avc_profiles) && facts->level > 0; i++) {
        const AvcProfile *profile = &avc_profiles[i];
        if (strcmp(facts->profile, profile->name))
            continue;
        snprintf(text, CODEC_STRING_SIZE, "avc1.%02X%02X%02X", profile->profile,
                 profile->constraints, (unsigned)facts->level & 0xff);
        return true;
    }
    return false;
}

/* ISO/IEC 14496-15, E.3: the profile and which profiles it is compatible with. */
static bool print_hevc(const StreamFacts *facts, char text[CODEC_STRING_SIZE])
{
    static const char *const profiles[][2] = {
        {"Main", "1.6"}, {"Main 10", "2.4"}, {"Main Still Picture", "3.E"}, {"Rext", "4.10"}};
    for (size_t i = 0; i < COUNT(profiles) && facts->level > 0; i++) {
        if (strcmp(facts->profile, profiles[i][0]))
            continue;
        snprintf(text, CODEC_STRING_SIZE, "hvc1.%s.L%d.B0", profiles[i][1], facts->level);
        return true;
    }
    return false;
}

/* What pictures and frames a level has room for. */
typedef struct Level {
    int number;
    double pixels, pixels_a_second;
} Level;

/* AV1 bitstream and decoding process specification, A.3: seq_level_idx. */
static const Level av1_levels[] = {
    {0, 147456, 4423680},       {1, 278784, 8363520},       {4, 665856, 19975680},
    {5, 1065024, 31950720},     {8, 2359296, 70778880},     {9, 2359296, 141557760},
    {12, 8912896, 267386880},   {13, 8912896, 534773760},   {14, 8912896, 1069547520},
    {16, 35651584, 1069547520}, {17, 35651584, 2139095040}, {18, 35651584, 4278190080.0},
};

/* VP9 levels, ten times. */
static const Level vp9_levels[] = {
    {10, 36864, 829440},          {11, 73728, 2764800},         {20, 122880, 4608000},
    {21, 245760, 9216000},        {30, 552960, 20736000},       {31, 983040, 36864000},
    {40, 2228224, 83558400},      {41, 2228224, 160432128},     {50, 8912896, 311951360},
    {51, 8912896, 588251136},     {52, 8912896, 1176502272},    {60, 35651584, 1176502272},
    {61, 35651584, 2353004544.0}, {62, 35651584, 4706009088.0},
};

/* The first one that has room, else the last. */
static int level_for(const Level *levels, size_t n, const StreamFacts *facts, FrameRate rate)
{
    const double pixels = (double)facts->width * facts->height;
    const double a_second = pixels * rate.numerator / rate.denominator;
    for (size_t i = 0; i < n; i++)
        if (pixels <= levels[i].pixels && a_second <= levels[i].pixels_a_second)
            return levels[i].number;
    return levels[n - 1].number;
}

static bool print_av1(const StreamFacts *facts, FrameRate rate, char text[CODEC_STRING_SIZE])
{
    static const char *const profiles[] = {"Main", "High", "Professional"};
    const int level =
        facts->level >= 0 ? facts->level : level_for(av1_levels, COUNT(av1_levels), facts, rate);
    for (unsigned i = 0; i < COUNT(profiles); i++) {
        if (strcmp(facts->profile, profiles[i]))
            continue;
        snprintf(text, CODEC_STRING_SIZE, "av01.%u.%02dM.%02u", i, level, facts->bit_depth);
        return true;
    }
    return false;
}

static bool print_vp9(const StreamFacts *facts, FrameRate rate, char text[CODEC_STRING_SIZE])
{
    unsigned profile;
    if (sscanf(facts->profile, "Profile %u", &profile) != 1)
        return false;
    const int level =
        facts->level > 0 ? facts->level : level_for(vp9_levels, COUNT(vp9_levels), facts, rate);
    snprintf(text, CODEC_STRING_SIZE, "vp09.%02u.%02d.%02u", profile & 0xf, level,
             facts->bit_depth);
    return true;
}

bool codec_string(const StreamFacts *facts, FrameRate rate, char text[CODEC_STRING_SIZE])
{
    *text = '\0';
    if (!strcmp(facts->codec, "h264"))
        return print_avc(facts, text);
    if (!strcmp(facts->codec, "hevc"))
        return print_hevc(facts, text);
    if (!strcmp(facts->codec, "av1"))
        return print_av1(facts, rate, text);
    if (!strcmp(facts->codec, "vp9"))
        return print_vp9(facts, rate, text);
    if (strcmp(facts->codec, "vvc") || facts->level <= 0)
        return false;
    snprintf(text, CODEC_STRING_SIZE, "vvc1.1.L%d", facts->level);
    return true;
}

/* -- boxes of a file (ISO/IEC 14496-12) -- */

typedef struct Bytes {
    const unsigned char *at;
    size_t n;
} Bytes;

static uint64_t big_endian(const unsigned char *bytes, size_t n)
{
    uint64_t number = 0;
    for (size_t i = 0; i < n; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* A number of n bytes; 0 where there are fewer. */
static uint64_t number_at(Bytes bytes, size_t at, size_t n)
{
    return at + n <= bytes.n ? big_endian(bytes.at + at, n) : 0;
}

/* n bits, from the highest on. */
static unsigned bits_at(Bytes bytes, size_t at, unsigned n)
{
    unsigned number = 0;
    for (size_t i = at; i < at + n; i++)
        number = number << 1 | (unsigned)(number_at(bytes, i / 8, 1) >> (7 - i % 8) & 1);
    return number;
}

static Bytes part_of(Bytes bytes, size_t begin)
{
    const size_t skipped = begin < bytes.n ? begin : bytes.n;
    return (Bytes){bytes.at + skipped, bytes.n - skipped};
}

/* The content of the first box of that name; none: no bytes. */
static Bytes find_box(Bytes boxes, const char *name)
{
    while (boxes.n >= 8) {
        const size_t size = (size_t)big_endian(boxes.at, 4);
        if (size < 8 || size > boxes.n)
            break;
        if (!memcmp(boxes.at + 4, name, 4))
            return (Bytes){boxes.at + 8, size - 8};
        boxes = part_of(boxes, size);
    }
    return (Bytes){boxes.at, 0};
}

/* What is behind the head of a descriptor of that tag (ISO/IEC 14496-1), which is next. */
static Bytes open_descriptor(Bytes bytes, unsigned tag)
{
    size_t i = 1;
    if (number_at(bytes, 0, 1) != tag)
        return (Bytes){bytes.at, 0};
    while (number_at(bytes, i, 1) & 0x80)
        i++;
    return part_of(bytes, i + 1);
}

/* AudioSpecificConfig (ISO/IEC 14496-3) tells the channels, which the entry does not. */
static void read_aac(Bytes entry, LadderTrack *track)
{
    static const int channels[16] = {0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 24, 8};
    const Bytes stream = open_descriptor(part_of(find_box(entry, "esds"), 4), 3);
    const Bytes decoder = open_descriptor(part_of(stream, 3), 4);
    const Bytes config = open_descriptor(part_of(decoder, 13), 5);
    const unsigned type = bits_at(config, 0, 5);
    const size_t frequency = 5 + (type == 31 ? 6 : 0);
    const size_t layout = frequency + (bits_at(config, frequency, 4) == 15 ? 28 : 4);
    snprintf(track->codecs, sizeof track->codecs, "mp4a.%02x.%u",
             (unsigned)number_at(decoder, 0, 1), type == 31 ? 32 + bits_at(config, 5, 6) : type);
    track->channels = channels[bits_at(config, layout, 4)];
}

/* ETSI TS 102 366, F: where acmod and lfeon are. */
static void read_ac3(Bytes box, size_t acmod, LadderTrack *track)
{
    static const int channels[8] = {2, 1, 2, 3, 3, 4, 4, 5};
    track->channels = channels[bits_at(box, acmod, 3)] + (int)bits_at(box, acmod + 3, 1);
}

static void read_audio(const char *name, Bytes entry, LadderTrack *track)
{
    const Bytes boxes = part_of(entry, 28);
    track->sample_rate = (int)number_at(entry, 24, 2);
    snprintf(track->codecs, sizeof track->codecs, "%.4s", name);
    if (!memcmp(name, "mp4a", 4))
        read_aac(boxes, track);
    else if (!memcmp(name, "ac-3", 4))
        read_ac3(find_box(boxes, "dac3"), 10, track);
    else
        read_ac3(find_box(boxes, "dec3"), 28, track);
}

/* The only track of a file. */
static void read_movie(Bytes movie, LadderTrack *track)
{
    const Bytes media = find_box(find_box(movie, "trak"), "mdia");
    const Bytes head = find_box(media, "mdhd");
    const Bytes samples = find_box(find_box(find_box(media, "minf"), "stbl"), "stsd");
    const unsigned language = (unsigned)number_at(head, number_at(head, 0, 1) ? 32 : 20, 2);
    for (int i = 0; i < 3; i++)
        track->language[i] = (char)((language >> (10 - 5 * i) & 31) + 0x60);
    if (samples.n >= 16 && find_box(find_box(media, "minf"), "smhd").n)
        read_audio((const char *)samples.at + 12, part_of(samples, 16), track);
}

/* The index: bytes and durations of all segments. */
static int read_index(Bytes index, LadderTrack *track)
{
    const double timescale = (double)number_at(index, 8, 4);
    const size_t begin = number_at(index, 0, 1) ? 32 : 24;
    const size_t n = (size_t)number_at(index, begin - 2, 2);
    if (!n || begin + 12 * n > index.n || timescale < 1)
        return -EINVAL;
    track->segments = calloc(n, sizeof(*track->segments));
    if (!track->segments)
        return -ENOMEM;
    track->n_segments = n;
    for (size_t i = 0; i < n; i++)
        track->segments[i] = (TrackSegment){
            .bytes = number_at(index, begin + 12 * i, 4) & 0x7fffffff,
            .seconds = (double)number_at(index, begin + 12 * i + 4, 4) / timescale,
        };
    return 0;
}

double track_peak_kbps(const TrackSegment *segments, size_t n, double seconds)
{
    double peak = 0;
    for (size_t i = 0; i < n; i++) {
        double bytes = 0, lasts = 0;
        for (size_t k = i; k < n && (k == i || lasts + segments[k].seconds <= 1.5 * seconds); k++) {
            bytes += (double)segments[k].bytes;
            lasts += segments[k].seconds;
            if (lasts >= 0.5 * seconds || n == 1)
                peak = fmax(peak, bytes * 8 / 1000 / lasts);
        }
    }
    return peak;
}

static void add_up(double seconds, LadderTrack *track)
{
    double bytes = 0, lasts = 0;
    for (size_t i = 0; i < track->n_segments; i++) {
        bytes += (double)track->segments[i].bytes;
        lasts += track->segments[i].seconds;
    }
    track->kbps = bytes * 8 / 1000 / lasts;
    track->peak_kbps =
        fmax(track->kbps, track_peak_kbps(track->segments, track->n_segments, seconds));
}

/* One box after the other, until the index is there: what describes the stream is before it. */
static int read_boxes(const VmafFile *file, LadderTrack *track)
{
    enum { LARGEST_HEAD = 64 << 20 };
    uint64_t position = 0;
    int err = 0;
    while (!err && !track->index_end) {
        unsigned char head[8];
        size_t got = 0;
        err = vmaf_file_read_at(file, head, sizeof head, (int64_t)position, &got);
        const size_t size = (size_t)big_endian(head, 4);
        const bool is_movie = !memcmp(head + 4, "moov", 4), is_index = !memcmp(head + 4, "sidx", 4);
        if (err || got < 8 || size < 8 || size > LARGEST_HEAD)
            return err ? err : -EINVAL;
        unsigned char *content = is_movie || is_index ? malloc(size) : NULL;
        if (content)
            err = vmaf_file_read_at(file, content, size, (int64_t)position, &got);
        if (content && !err && got == size && is_movie)
            read_movie((Bytes){content + 8, size - 8}, track);
        if (content && !err && got == size && is_index) {
            err = read_index((Bytes){content + 8, size - 8}, track);
            track->index_begin = position;
            track->index_end = position + size;
        }
        free(content);
        position += size;
    }
    return err;
}

int track_read(const char *path, double seconds, LadderTrack *track, Message *why)
{
    VmafFile file;
    int err = vmaf_file_open(&file, path);
    if (!err) {
        err = read_boxes(&file, track);
        vmaf_file_close(&file);
    }
    if (err)
        return message_set(why, err, "%s has no index of its segments", path);
    add_up(seconds, track);
    return 0;
}
