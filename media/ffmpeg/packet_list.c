/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The packets of a stream, of which the codec tells more than the container. */
#include "ffmpeg_video.h"

#include <errno.h>
#include <stdlib.h>

static int add_packet(MediaPackets *packets, const AVPacket *packet, AVRational unit)
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
        .is_key = packet->flags & AV_PKT_FLAG_KEY,
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

/* -- the list -- */

/* One for each frame that is shown; bytes of hidden frames count as the next one's. */
static int take_packet(MediaPackets *packets, const AVPacket *packet, const AVStream *stream,
                       uint64_t *hidden_bytes)
{
    if (!is_shown(stream->codecpar->codec_id, packet)) {
        *hidden_bytes += (uint64_t)packet->size;
        return 0;
    }
    const int err = add_packet(packets, packet, stream->time_base);
    if (err)
        return err;
    packets->packet[packets->count - 1].bytes += *hidden_bytes;
    *hidden_bytes = 0;
    return 0;
}

int packets_list(MediaVideo *video, MediaPackets *packets, Message *why)
{
    *packets = (MediaPackets){NULL, 0};
    if (video->settings.source.cookie)
        return message_set(why, -ESPIPE, "a pipe can be read only once");
    AVFormatContext *context;
    AVPacket *packet = av_packet_alloc();
    int err = container_open_again(video, &context, why);
    if (!packet)
        err = message_set(why, -ENOMEM, "out of memory");
    const int index = video->stream->index;
    uint64_t n_all = 0; /* also those that an edit list leaves out */
    uint64_t hidden_bytes = 0;
    while (!err && av_read_frame(context, packet) >= 0) {
        n_all += packet->stream_index == index;
        if (packet->stream_index == index && !(packet->flags & AV_PKT_FLAG_DISCARD))
            err = take_packet(packets, packet, context->streams[index], &hidden_bytes);
        av_packet_unref(packet);
    }
    if (!err && !video->settings.ignore_errors)
        err = playlist_take_failure(&video->playlist, why);
    if (packets->count)
        packets->packet[packets->count - 1].bytes += hidden_bytes;
    video->n_listed = n_all;
    avformat_close_input(&context);
    av_packet_free(&packet);
    if (err)
        packets_free(packets);
    return err;
}

void packets_free(MediaPackets *packets)
{
    free(packets->packet);
    *packets = (MediaPackets){NULL, 0};
}
