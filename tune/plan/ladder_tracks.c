/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the boxes of an MP4 file say of its track (ISO/IEC 14496-12). */
#include "tune/plan/ladder_internal.h"

#include "platform/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- boxes -- */

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

/* -- what the codecs' boxes say -- */

/* AudioSpecificConfig (ISO/IEC 14496-3) tells the channels, which the entry does not. */
static void read_aac(Bytes box, LadderTrack *track)
{
    static const int channels[16] = {0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 24, 8};
    const Bytes stream = open_descriptor(part_of(box, 4), 3);
    const Bytes decoder = open_descriptor(part_of(stream, 3), 4);
    const Bytes config = open_descriptor(part_of(decoder, 13), 5);
    const unsigned type = bits_at(config, 0, 5);
    const size_t frequency = 5 + (type == 31 ? 6 : 0);
    const size_t layout = frequency + (bits_at(config, frequency, 4) == 15 ? 28 : 4);
    snprintf(track->codecs, sizeof track->codecs, "mp4a.%02x.%u",
             (unsigned)number_at(decoder, 0, 1), type == 31 ? 32 + bits_at(config, 5, 6) : type);
    track->channels = channels[bits_at(config, layout, 4)];
}

/* ETSI TS 102 366, F: acmod and lfeon. */
static void read_ac3(Bytes box, size_t acmod, LadderTrack *track)
{
    static const int channels[8] = {2, 1, 2, 3, 3, 4, 4, 5};
    track->channels = channels[bits_at(box, acmod, 3)] + (int)bits_at(box, acmod + 3, 1);
}

static void read_audio(const char *name, Bytes entry, LadderTrack *track)
{
    const Bytes boxes = part_of(entry, 28);
    const Bytes aac = find_box(boxes, "esds"), ac3 = find_box(boxes, "dac3"),
                eac3 = find_box(boxes, "dec3");
    track->channels = (int)number_at(entry, 16, 2);
    track->sample_rate = (int)number_at(entry, 24, 2);
    snprintf(track->codecs, sizeof track->codecs, "%.4s", name);
    if (aac.n)
        read_aac(aac, track);
    else if (ac3.n)
        read_ac3(ac3, 10, track);
    else if (eac3.n)
        read_ac3(eac3, 28, track);
    else if (!strcmp(track->codecs, "Opus"))
        strcpy(track->codecs, "opus"); /* as browsers know it */
}

/* ISO/IEC 14496-15 and the mappings of AV1 and VP9 to these files: profile, level, depth. */
static void read_video(Bytes entry, LadderTrack *track)
{
    const Bytes boxes = part_of(entry, 78);
    const Bytes avc = find_box(boxes, "avcC"), hevc = find_box(boxes, "hvcC"),
                vvc = find_box(boxes, "vvcC"), av1 = find_box(boxes, "av1C"),
                vp9 = find_box(boxes, "vpcC");
    char *text = track->codecs;
    if (avc.n) { /* of the flags, those that players ask for: constrained baseline, intra */
        const unsigned profile = (unsigned)number_at(avc, 1, 1),
                       flags = (unsigned)number_at(avc, 2, 1);
        snprintf(text, CODEC_STRING_SIZE, "avc1.%02X%02X%02X", profile,
                 profile == 0x42 && flags & 0x40 ? 0xe0 : flags & 0x10,
                 (unsigned)number_at(avc, 3, 1));
    }
    if (hevc.n) {
        unsigned compatible = 0; /* bits in reverse order */
        for (unsigned i = 0; i < 32; i++)
            compatible |= bits_at(hevc, 16 + i, 1) << i;
        snprintf(text, CODEC_STRING_SIZE, "hvc1.%u.%X.%c%u.B0", bits_at(hevc, 11, 5), compatible,
                 bits_at(hevc, 10, 1) ? 'H' : 'L', (unsigned)number_at(hevc, 12, 1));
    }
    if (vvc.n)
        snprintf(text, CODEC_STRING_SIZE, "vvc1.%u.%c%u", bits_at(vvc, 72, 7),
                 bits_at(vvc, 79, 1) ? 'H' : 'L', (unsigned)number_at(vvc, 10, 1));
    if (av1.n)
        snprintf(text, CODEC_STRING_SIZE, "av01.%u.%02u%c.%02u", bits_at(av1, 8, 3),
                 bits_at(av1, 11, 5), bits_at(av1, 16, 1) ? 'H' : 'M',
                 8 + 2 * (bits_at(av1, 17, 1) + bits_at(av1, 18, 1)));
    if (vp9.n)
        snprintf(text, CODEC_STRING_SIZE, "vp09.%02u.%02u.%02u", (unsigned)number_at(vp9, 4, 1),
                 (unsigned)number_at(vp9, 5, 1), bits_at(vp9, 48, 4));
}

/* The only track of a file. */
static void read_movie(Bytes movie, LadderTrack *track)
{
    const Bytes media = find_box(find_box(movie, "trak"), "mdia");
    const Bytes head = find_box(media, "mdhd"), kind = find_box(media, "minf");
    const Bytes samples = find_box(find_box(kind, "stbl"), "stsd");
    const unsigned language = (unsigned)number_at(head, number_at(head, 0, 1) ? 32 : 20, 2);
    for (int i = 0; i < 3; i++)
        track->language[i] = (char)((language >> (10 - 5 * i) & 31) + 0x60);
    if (samples.n >= 16 && find_box(kind, "smhd").n)
        read_audio((const char *)samples.at + 12, part_of(samples, 16), track);
    else
        read_video(part_of(samples, 16), track);
}

/* -- segments -- */

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

/* Average over a segment or several, the most of any that last about `seconds` together. */
static double peak_kbps(const TrackSegment *segments, size_t n, double seconds)
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

/* Reads the beginning of the file, where all boxes but those with pictures are. */
static int read_head(const VmafFile *file, double seconds, LadderTrack *track)
{
    enum { HEAD_SIZE = 2 << 20 }; /* an index has 65,535 segments of 12 bytes at most */
    size_t got = 0;
    unsigned char *head = malloc(HEAD_SIZE);
    int err = head ? vmaf_file_read_at(file, head, HEAD_SIZE, 0, &got) : -ENOMEM;
    const Bytes boxes = {head, got}, index = find_box(boxes, "sidx");
    double bytes = 0, lasts = 0;
    read_movie(find_box(boxes, "moov"), track);
    if (!err)
        err = read_index(index, track);
    if (!err) {
        track->index_begin = (uint64_t)(index.at - 8 - head);
        track->index_end = track->index_begin + 8 + index.n;
    }
    for (size_t i = 0; i < track->n_segments; i++) {
        bytes += (double)track->segments[i].bytes;
        lasts += track->segments[i].seconds;
    }
    track->kbps = bytes * 8 / 1000 / lasts;
    track->peak_kbps = fmax(track->kbps, peak_kbps(track->segments, track->n_segments, seconds));
    free(head);
    return err;
}

int track_read(const char *path, double seconds, LadderTrack *track, Message *why)
{
    VmafFile file;
    int err = vmaf_file_open(&file, path);
    if (!err) {
        err = read_head(&file, seconds, track);
        vmaf_file_close(&file);
    }
    return err ? message_set(why, err, "%s has no index of its segments", path) : 0;
}
