/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/ffmpeg/device.h"
#include "media/ffmpeg/ffmpeg_video.h"

#include <errno.h>
#include <libavutil/pixdesc.h>
#include <stdlib.h>
#include <string.h>

/* A side of 32768 samples is the most that a video has (VIDEO_MAX_SIDE); an area this large is
 * taken for damage as well. */
enum { MAX_PIXELS = 1 << 28 };

/* -- opening -- */

static int open_codec(MediaVideo *video, Message *why)
{
    const AVCodecParameters *par = video->stream->codecpar;
    const AVCodec *codec = avcodec_find_decoder(par->codec_id);
    if (!codec) {
        return message_set(why, -EINVAL, "FFmpeg has no decoder for %s",
                           avcodec_get_name(par->codec_id));
    }
    if (par->width > VIDEO_MAX_SIDE || par->height > VIDEO_MAX_SIDE ||
        (int64_t)par->width * par->height > MAX_PIXELS)
        return message_set(why, -EINVAL, "%dx%d is over the limit of %dx%d, or of %d samples",
                           par->width, par->height, VIDEO_MAX_SIDE, VIDEO_MAX_SIDE, MAX_PIXELS);
    video->decoder = avcodec_alloc_context3(codec);
    video->packet = av_packet_alloc();
    if (!video->decoder || !video->packet || avcodec_parameters_to_context(video->decoder, par) < 0)
        return message_set(why, -ENOMEM, "out of memory");
    video->decoder->opaque = &video->log;
    video->decoder->pkt_timebase = video->stream->time_base;
    video->decoder->thread_count = (int)video->settings.threads;
    video->decoder->max_pixels = MAX_PIXELS;
    device_open(video, codec);
    const int err = avcodec_open2(video->decoder, codec, NULL);
    if (err >= 0)
        return 0;
    char text[AV_ERROR_MAX_STRING_SIZE];
    const int result = ffmpeg_error(err, text);
    return message_set(why, result, "the decoder of %s does not start: %s", codec->name, text);
}

static int refuse_encryption(Message *why)
{
    return message_set(why, -EACCES, "it is encrypted");
}

int decoder_open(MediaVideo *video, Message *why)
{
    if (container_data(video, AV_PKT_DATA_ENCRYPTION_INIT_INFO, 0))
        return refuse_encryption(why);
    return open_codec(video, why);
}

/* -- packets and frames -- */

/* What can be decoded from here on has to be right. */
static int judge_damage(MediaVideo *video, bool is_flagged, int64_t shown, Message *why)
{
    char text[256] = "its decoder says so";
    const bool is_logged = log_capture_take(&video->log, text, sizeof(text));
    if ((!is_logged && !is_flagged) || !video->saw_key)
        return 0;
    if (video->settings.ignore_errors) {
        video->n_errors++;
        return 0;
    }
    /* What is only said may concern a frame that a thread decodes ahead. */
    return message_set(
        why, -EINVAL, "frame %llu, at %.3f s,%s is damaged: %s",
        (unsigned long long)video->n_frames,
        ffmpeg_seconds(video, shown != AV_NOPTS_VALUE ? shown - video->first_shown : shown),
        is_flagged ? "" : " or one near it", text);
}

/* A failure counts as damage of the next frame, unless it is the user's wish to end. */
static int fail_or_ignore(MediaVideo *video, int err, const Message *reason, Message *why)
{
    if (err == -ECANCELED || err == -ENOMEM) {
        *why = *reason;
        return err;
    }
    if (!video->saw_key)
        return 0;
    if (video->settings.ignore_errors) {
        video->n_errors++;
        return 0;
    }
    char logged[256];
    const bool is_logged = log_capture_take(&video->log, logged, sizeof(logged));
    const bool knows_time = video->n_frames && video->last_shown != AV_NOPTS_VALUE;
    const int result = video->stays_on_device && err == -ENODEV ? err : -EINVAL;
    return message_set(why, result, "frame %llu, %s%.3f s: %s%s%s",
                       (unsigned long long)video->n_frames, knows_time ? "after " : "at ",
                       knows_time ? ffmpeg_seconds(video, video->last_shown - video->first_shown)
                                  : 0,
                       reason->text, is_logged ? ": " : "", is_logged ? logged : "");
}

/* Gives the decoder one packet, or tells it that there is none. */
static int feed(MediaVideo *video, Message *why)
{
    Message reason;
    const int more = container_read(video, &reason);
    if (more < 0) {
        const int err = fail_or_ignore(video, more, &reason, why);
        if (err)
            return err;
    }
    if (more <= 0) {
        if (video->at_end)
            avcodec_send_packet(video->decoder, NULL);
        return 0;
    }
    if (av_packet_get_side_data(video->packet, AV_PKT_DATA_ENCRYPTION_INFO, NULL))
        return refuse_encryption(why); /* some files tell it only here */
    video->saw_key |= video->packet->flags & AV_PKT_FLAG_KEY;
    const bool is_corrupt = video->packet->flags & AV_PKT_FLAG_CORRUPT;
    const int64_t shown = video->packet->pts;
    const int result = avcodec_send_packet(video->decoder, video->packet);
    av_packet_unref(video->packet);
    if (result < 0 && result != AVERROR(EAGAIN)) {
        char text[AV_ERROR_MAX_STRING_SIZE];
        const int err = ffmpeg_error(result, text);
        message_set(&reason, err, "%s", text);
        return fail_or_ignore(video, err, &reason, why);
    }
    return judge_damage(video, is_corrupt, shown, why);
}

/* Does it look like the first one? */
static int check_frame(const MediaVideo *video, const AVFrame *frame, Message *why)
{
    if (!video->width)
        return 0;
    if (video->stays_on_device && !device_has(frame))
        return message_set(why, -EINVAL, "frame %llu cannot be decoded by the device",
                           (unsigned long long)video->n_frames);
    if (frame->width == video->width && frame->height == video->height &&
        device_layout(frame) == video->layout)
        return 0;
    return message_set(why, -EINVAL, "frame %llu, at %.3f s, is %dx%d %s, those before %dx%d %s",
                       (unsigned long long)video->n_frames,
                       ffmpeg_seconds(video, video->last_shown - video->first_shown), frame->width,
                       frame->height, av_get_pix_fmt_name(device_layout(frame)), video->width,
                       video->height, av_get_pix_fmt_name(video->layout));
}

static int take(MediaVideo *video, AVFrame **frame, Message *why)
{
    if (!video->n_frames && !device_has(*frame)) /* there may be a device that cannot decode this */
        video->properties.decoder = "software";
    /* What others than CUDA give may change its format on the way. */
    int err = device_has(*frame) && !video->shares_context ? device_download(frame, why) : 0;
    if (err)
        return err;
    video->saw_key = true; /* as good as one */
    const bool is_flagged = (*frame)->decode_error_flags || (*frame)->flags & AV_FRAME_FLAG_CORRUPT;
    (*frame)->pts = (*frame)->best_effort_timestamp;
    if (!video->n_frames)
        video->first_shown = (*frame)->pts;
    err = judge_damage(video, is_flagged, (*frame)->pts, why);
    video->last_shown = (*frame)->pts;
    if (!err)
        err = check_frame(video, *frame, why);
    if (!err)
        video->n_frames++;
    return err;
}

static int decode(MediaVideo *video, AVFrame **result, Message *why)
{
    AVFrame *frame = av_frame_alloc();
    if (!frame)
        return message_set(why, -ENOMEM, "out of memory");
    int status = 0;
    for (;;) {
        const int err = avcodec_receive_frame(video->decoder, frame);
        if (!err) {
            status = take(video, &frame, why);
            break;
        }
        if (err == AVERROR_EOF) {
            status = judge_damage(video, false, video->last_shown, why);
            av_frame_free(&frame);
            return status;
        }
        if (err == AVERROR(EAGAIN)) {
            status = feed(video, why);
        } else {
            Message reason;
            char text[AV_ERROR_MAX_STRING_SIZE];
            status = ffmpeg_error(err, text);
            message_set(&reason, status, "%s", text);
            status = fail_or_ignore(video, status, &reason, why);
        }
        if (status)
            break;
    }
    if (status) {
        av_frame_free(&frame);
        return status;
    }
    *result = frame;
    return 1;
}

int decoder_next(MediaVideo *video, AVFrame **frame, Message *why)
{
    if (video->waiting) {
        *frame = video->waiting;
        video->waiting = NULL;
        return 1;
    }
    return decode(video, frame, why);
}

/* -- to another frame -- */

/* Reads and drops frames until `frame` is the next one. */
static int drop_until(MediaVideo *video, uint64_t frame, Message *why)
{
    while (video->n_frames - (video->waiting != NULL) < frame) {
        AVFrame *dropped = NULL;
        const int more = decoder_next(video, &dropped, why);
        av_frame_free(&dropped);
        if (more <= 0)
            return more;
    }
    return 1;
}

static int compare_ticks(const void *a, const void *b)
{
    const int64_t first = ((const MediaPacket *)a)->shown.ticks;
    const int64_t second = ((const MediaPacket *)b)->shown.ticks;
    return (first > second) - (first < second);
}

/* Sorts packets as their frames are shown. Are all times known, and different? */
static bool sort_packets(MediaPackets *packets)
{
    for (size_t i = 0; i < packets->count; i++) {
        if (!packets->packet[i].shown.den)
            return false;
    }
    if (packets->count)
        qsort(packets->packet, packets->count, sizeof(*packets->packet), compare_ticks);
    for (size_t i = 1; i < packets->count; i++) {
        if (packets->packet[i].shown.ticks == packets->packet[i - 1].shown.ticks)
            return false;
    }
    return packets->count > 0;
}

/*
 * Frames that are shown at a key packet or after it need nothing before it; those shown before it
 * may stand behind it in the file and need what is not there.
 */
static size_t key_before(const MediaPackets *packets, size_t frame)
{
    while (frame && !packets->packet[frame].is_key)
        frame--;
    return frame;
}

/* The decoder's own word. */
static bool is_key_frame(const MediaVideo *video, const AVFrame *frame)
{
    const AVCodecDescriptor *codec = avcodec_descriptor_get(video->decoder->codec_id);
    if (codec && codec->props & AV_CODEC_PROP_INTRA_ONLY)
        return true;
#ifdef AV_FRAME_FLAG_KEY /* FFmpeg 6.1 */
    return frame->flags & AV_FRAME_FLAG_KEY;
#else
    return frame->key_frame;
#endif
}

/* Decodes from the key packet; the frame is found by its time. NULL: it was not found, or what the
 * decoder began with is no key frame. */
static AVFrame *find_from(MediaVideo *video, int64_t key, int64_t shown)
{
    Message unused;
    AVFrame *found = NULL;
    if (container_seek(video, key, &unused))
        return NULL;
    avcodec_flush_buffers(video->decoder);
    av_frame_free(&video->waiting);
    video->was_sought = true;
    int more = decode(video, &found, &unused);
    const bool is_right = more > 0 && is_key_frame(video, found);
    while (more > 0 && is_right && found->pts < shown) {
        av_frame_free(&found);
        more = decode(video, &found, &unused);
    }
    if (more <= 0 || !is_right || found->pts != shown)
        av_frame_free(&found);
    return found;
}

/* 1; 0: the frame was not found. */
static int decode_from(MediaVideo *video, int64_t key, int64_t shown, uint64_t frame)
{
    char text[256];
    const bool ignores = video->settings.ignore_errors;
    video->settings.ignore_errors = true;
    AVFrame *found = find_from(video, key, shown);
    video->settings.ignore_errors = ignores;
    video->n_errors = 0;
    (void)log_capture_take(&video->log, text, sizeof(text));
    if (!found)
        return 0;
    video->waiting = found;
    video->n_frames = frame + 1;
    return 1;
}

static int start_again(MediaVideo *video, Message *why)
{
    av_frame_free(&video->waiting);
    avcodec_free_context(&video->decoder);
    av_packet_free(&video->packet);
    container_close(video);
    video->at_end = video->saw_key = video->was_sought = false;
    video->n_packets = video->n_frames = video->n_errors = 0;
    int err = container_open(video, why);
    if (!err)
        err = decoder_open(video, why);
    return err;
}

/* Decodes up to the frame, which may be one that was given out already. */
static int go_on_to(MediaVideo *video, uint64_t frame, Message *why)
{
    const uint64_t next = video->n_frames - (video->waiting != NULL);
    const int err = next > frame ? start_again(video, why) : 0;
    return err ? err : drop_until(video, frame, why);
}

/* From the key packet before it, or one before that if decoding cannot begin there; else from the
 * beginning. */
static int go_to(MediaVideo *video, const MediaPackets *packets, uint64_t frame, Message *why)
{
    enum { NEAR = 32 };
    size_t key = frame < packets->count ? key_before(packets, frame) : 0;
    if (key <= NEAR || video->settings.ignore_errors)
        return go_on_to(video, frame, why);
    for (size_t back = NEAR; key > NEAR; back *= 2) {
        if (decode_from(video, packets->packet[key].shown.ticks, packets->packet[frame].shown.ticks,
                        frame)) {
            video->first_shown = packets->packet[0].shown.ticks; /* which was not decoded */
            return 1;
        }
        key = key_before(packets, key > back ? key - back : 0);
    }
    const int err = start_again(video, why);
    return err ? err : drop_until(video, frame, why);
}

/* The packets in the order in which they are shown; NULL if the file does not tell it. */
static const MediaPackets *find_packets(MediaVideo *video)
{
    Message unused;
    MediaPackets *packets = &video->shown;
    if (!packets->count && !packets_list(video, packets, &unused) && !sort_packets(packets))
        packets_free(packets);
    return packets->count ? packets : NULL;
}

int decoder_skip_to(MediaVideo *video, uint64_t frame, Message *why)
{
    const MediaPackets *packets = find_packets(video);
    return packets ? go_to(video, packets, frame, why) : go_on_to(video, frame, why);
}

/* Reads frames until one is shown late enough. */
static int drop_until_time(MediaVideo *video, double seconds, uint64_t *frame, Message *why)
{
    AVFrame *next = NULL;
    int more;
    while ((more = decoder_next(video, &next, why)) > 0) {
        const double shown = ffmpeg_seconds(video, next->pts - video->first_shown);
        if (shown >= seconds - 1e-9) {
            video->waiting = next;
            *frame = video->n_frames - 1;
            return 1;
        }
        av_frame_free(&next);
    }
    return more;
}

int decoder_skip_to_time(MediaVideo *video, double seconds, uint64_t *frame, Message *why)
{
    const MediaPackets *packets = find_packets(video);
    if (!packets)
        return drop_until_time(video, seconds, frame, why);
    const int64_t first = packets->packet[0].shown.ticks;
    size_t i = 0;
    while (i < packets->count &&
           ffmpeg_seconds(video, packets->packet[i].shown.ticks - first) < seconds - 1e-9)
        i++;
    *frame = i;
    return i < packets->count ? go_to(video, packets, i, why) : 0;
}
