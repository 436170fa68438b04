/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The packets of a stream, of which the codec tells more than the container. */
#include "media/ffmpeg/ffmpeg_video.h"

#include <errno.h>
#include <libavutil/mem.h>
#include <libavutil/sha.h>
#include <stdio.h>
#include <stdlib.h>

/* What is known on the way. */
typedef struct Lister {
    AVCodecParserContext *parser; /* NULL: there is none of this codec */
    AVCodecContext *codec;
    uint64_t hidden_bytes;
    struct AVSHA *hash; /* NULL: nobody needs it */
} Lister;

static int add_packet(MediaPackets *packets, const AVPacket *packet, AVRational unit, bool is_key)
{
    if (!(packets->count & (packets->count - 1))) { /* it is full at powers of two */
        const size_t room = packets->count ? 2 * packets->count : 1;
        MediaPacket *more = realloc(packets->packet, room * sizeof(*more));
        if (!more)
            return -ENOMEM;
        packets->packet = more;
    }
    packets->packet[packets->count++] = (MediaPacket){
        .bytes = (uint64_t)packet->size,
        .shown = {packet->pts, unit.num, packet->pts == AV_NOPTS_VALUE ? 0 : unit.den},
        .is_key = is_key,
    };
    return 0;
}

/* -- frames that are decoded and never shown -- */

/* One frame of VP9: section 6.2 of its specification, uncompressed_header. */
static bool shows_vp9(unsigned first, unsigned second)
{
    const bool is_profile_3 = (first & 0x30) == 0x30;
    const unsigned bits = (first << 8 | second) << (is_profile_3 ? 5 : 4); /* behind the profile */
    const bool shows_existing = bits & 0x8000, shows = bits & 0x2000;
    return shows_existing || shows;
}

/* A packet of VP9 may join frames, whose sizes then stand at its end (Annex B). */
static bool packet_shows_vp9(const uint8_t *data, size_t size)
{
    const unsigned marker = data[size - 1];
    const size_t count = (marker & 7) + 1, width = (marker >> 3 & 3) + 1, index = 2 + count * width;
    if (marker >> 5 != 6 || size < index || data[size - index] != marker)
        return shows_vp9(data[0], size > 1 ? data[1] : 0);
    const uint8_t *frame = data, *end = data + size - index;
    for (size_t i = 0; i < count; i++) {
        size_t bytes = 0;
        for (size_t b = width; b-- > 0;)
            bytes = bytes << 8 | end[1 + i * width + b];
        if (bytes < 1 || bytes > (size_t)(end - frame))
            return true; /* damaged, of which the decoder is going to speak */
        if (shows_vp9(frame[0], bytes > 1 ? frame[1] : 0))
            return true;
        frame += bytes;
    }
    return false;
}

static bool is_shown(enum AVCodecID codec, const AVPacket *packet)
{
    if (packet->size < 1)
        return true;
    if (codec == AV_CODEC_ID_VP8)
        return packet->data[0] & 0x10; /* RFC 6386, section 9.1 */
    return codec != AV_CODEC_ID_VP9 || packet_shows_vp9(packet->data, (size_t)packet->size);
}

/* -- frames that need no other one -- */

static int open_parser(Lister *lister, const AVStream *stream)
{
    lister->parser = av_parser_init(stream->codecpar->codec_id);
    if (!lister->parser) /* of these the container knows best */
        return 0;
    lister->parser->flags |= PARSER_FLAG_COMPLETE_FRAMES;
    lister->codec = avcodec_alloc_context3(NULL);
    return lister->codec ? avcodec_parameters_to_context(lister->codec, stream->codecpar)
                         : AVERROR(ENOMEM);
}

static void close_parser(Lister *lister)
{
    if (lister->parser)
        av_parser_close(lister->parser);
    avcodec_free_context(&lister->codec);
}

/* Does the container say that one can go there? Packets of H.264 may know better than its index. */
static bool is_called_key(AVStream *stream, const AVPacket *packet)
{
    const AVIndexEntry *entry =
        avformat_index_get_entry_from_timestamp(stream, packet->dts, AVSEEK_FLAG_ANY);
    return packet->flags & AV_PKT_FLAG_KEY ||
           (entry && entry->flags & AVINDEX_KEYFRAME && entry->pos == packet->pos &&
            entry->timestamp == packet->dts);
}

/* Does the codec deny that it is a key frame? */
static bool is_denied(const Lister *lister, const AVPacket *packet)
{
    AVCodecParserContext *parser = lister->parser;
    uint8_t *frame;
    int size;
    if (!parser)
        return false;
    (void)av_parser_parse2(parser, lister->codec, &frame, &size, packet->data, packet->size,
                           packet->pts, packet->dts, packet->pos);
    return parser->key_frame == 0 ||
           (parser->key_frame < 0 &&
            (parser->pict_type == AV_PICTURE_TYPE_P || parser->pict_type == AV_PICTURE_TYPE_B));
}

/* -- the content of videos that are several files -- */

static int open_hash(Lister *lister, const MediaVideo *video, const AVCodecParameters *codec)
{
    if (!video->playlist.folder && !video->playlist.is_pattern)
        return 0;
    lister->hash = av_sha_alloc();
    if (!lister->hash || av_sha_init(lister->hash, 256) < 0)
        return -ENOMEM;
    av_sha_update(lister->hash, codec->extradata, (size_t)codec->extradata_size);
    return 0;
}

static void hash_packet(Lister *lister, const AVPacket *packet)
{
    char head[64];
    const int length =
        snprintf(head, sizeof head, "%lld %d:", (long long)packet->pts, packet->size);
    if (!lister->hash)
        return;
    av_sha_update(lister->hash, (const uint8_t *)head, (size_t)length);
    av_sha_update(lister->hash, packet->data, (size_t)packet->size);
}

static void close_hash(Lister *lister, MediaPackets *packets)
{
    uint8_t digest[32];
    if (!lister->hash)
        return;
    av_sha_final(lister->hash, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(packets->content + 2 * i, 3, "%02x", digest[i]);
    av_freep(&lister->hash);
}

/* -- the list -- */

/* One for each frame that is shown; bytes of hidden frames count as the next one's. */
static int take_packet(Lister *lister, MediaPackets *packets, const AVPacket *packet,
                       AVStream *stream)
{
    const bool is_called = is_called_key(stream, packet);
    const bool is_key = is_called && !is_denied(lister, packet);
    packets->has_false_keys |= is_called && !is_key;
    if (!is_shown(stream->codecpar->codec_id, packet)) {
        lister->hidden_bytes += (uint64_t)packet->size;
        return 0;
    }
    const int err = add_packet(packets, packet, stream->time_base, is_key);
    if (err)
        return err;
    packets->packet[packets->count - 1].bytes += lister->hidden_bytes;
    lister->hidden_bytes = 0;
    return 0;
}

static int list_most(MediaVideo *video, AVFormatContext *context, AVPacket *packet, size_t most,
                     MediaPackets *packets, Message *why)
{
    AVStream *stream = context->streams[video->stream->index];
    Lister lister = {.parser = NULL};
    uint64_t n_all = 0; /* also those that an edit list leaves out */
    int err = !packet || open_parser(&lister, stream) < 0 ? -ENOMEM : 0;
    if (!err)
        err = open_hash(&lister, video, stream->codecpar);
    while (!err && packets->count < most && av_read_frame(context, packet) >= 0) {
        const bool is_ours = packet->stream_index == stream->index;
        n_all += is_ours;
        if (is_ours)
            hash_packet(&lister, packet);
        if (is_ours && !(packet->flags & AV_PKT_FLAG_DISCARD))
            err = take_packet(&lister, packets, packet, stream);
        av_packet_unref(packet);
    }
    if (packets->count)
        packets->packet[packets->count - 1].bytes += lister.hidden_bytes;
    if (packets->count < most)
        video->n_listed = n_all;
    close_parser(&lister);
    close_hash(&lister, packets);
    if (err)
        return message_set(why, err, "out of memory");
    return video->settings.ignore_errors ? 0 : playlist_take_failure(&video->playlist, why);
}

static int list(MediaVideo *video, size_t most, MediaPackets *packets, Message *why)
{
    *packets = (MediaPackets){.packet = NULL};
    if (video->settings.source.cookie && video->settings.source.size < 0)
        return message_set(why, -ESPIPE, "a pipe can be read only once");
    AVFormatContext *context;
    AVPacket *packet = av_packet_alloc();
    int err = container_open_again(video, &context, why);
    if (!err)
        err = list_most(video, context, packet, most, packets, why);
    container_close_context(&context);
    av_packet_free(&packet);
    if (err)
        packets_free(packets);
    return err;
}

int packets_list(MediaVideo *video, MediaPackets *packets, Message *why)
{
    return list(video, SIZE_MAX, packets, why);
}

void packets_free(MediaPackets *packets)
{
    free(packets->packet);
    *packets = (MediaPackets){.packet = NULL};
}

/* -- the rate -- */

static int compare(const void *a, const void *b)
{
    const int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
    return (first > second) - (first < second);
}

/* Within a factor of two. */
static bool is_near(MediaRate a, MediaRate b)
{
    const double ratio = (double)a.num / a.den * b.den / b.num;
    return ratio >= 0.5 && ratio <= 2;
}

/* By the times of the first packets. False: they follow no rate. */
static bool judge(const MediaPackets *packets, bool are_all, MediaRate stated, MediaRate *rate)
{
    enum { LATE = 16 }; /* packets may be shown before one that many places earlier */
    const size_t n = are_all ? packets->count : packets->count - LATE;
    int64_t *ticks = malloc((packets->count + 1) * sizeof(*ticks));
    bool knows_times = ticks && packets->count;
    for (size_t i = 0; knows_times && i < packets->count; i++) {
        ticks[i] = packets->packet[i].shown.ticks;
        knows_times = packets->packet[i].shown.den != 0;
    }
    *rate = stated;
    bool is_steady = true;
    if (knows_times) {
        const MediaTime *unit = &packets->packet[0].shown;
        qsort(ticks, packets->count, sizeof(*ticks), compare);
        is_steady =
            frame_rate_judge(&(FrameRateTimes){ticks, n, unit->num, unit->den}, stated, rate);
    }
    free(ticks);
    return is_steady;
}

void packets_judge_rate(MediaVideo *video, MediaRate *rate)
{
    static const size_t most[] = {48, 1000}; /* few, unless they deny what is stated */
    const MediaRate stated = *rate;
    bool is_reported = false;
    for (int i = 0; i < 2 && !is_reported; i++) {
        MediaPackets packets;
        Message unused;
        if (list(video, most[i], &packets, &unused))
            return;
        const bool is_steady = judge(&packets, packets.count < most[i], stated, rate);
        if (!is_steady && is_near(stated, *rate))
            *rate = stated; /* of all frames, not of the first ones alone */
        is_reported = is_steady && rate->num == stated.num && rate->den == stated.den;
        packets_free(&packets);
    }
}
