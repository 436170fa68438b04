/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Frames on their way through libavfilter, as the program ffmpeg gives them to filters. */
#include "media/ffmpeg/ffmpeg_video.h"

#include <errno.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/avstring.h>
#include <libavutil/mem.h>
#include <stdio.h>
#include <string.h>

/* An error of FFmpeg, with what filters said of it. */
static int fail(MediaVideo *video, int error, Message *why)
{
    char text[AV_ERROR_MAX_STRING_SIZE], said[256];
    const int err = error == AVERROR(ENOMEM) ? -ENOMEM : -EINVAL;
    (void)ffmpeg_error(error, text);
    const bool is_said = log_capture_take(&video->log, said, sizeof said);
    return message_set(why, err, "its filters \"%s\" do not work: %s", video->settings.filter.chain,
                       is_said ? said : text);
}

/* -- the graph -- */

static AVRational clock_in(const MediaVideo *video)
{
    const MediaFilter *settings = &video->settings.filter;
    return settings->rate_num ? (AVRational){settings->rate_den, settings->rate_num}
                              : video->stream->time_base;
}

static int open_source(MediaVideo *video)
{
    FilterStage *filter = &video->filter;
    const MediaFilter *settings = &video->settings.filter;
    const AVFrame *like = filter->like;
    AVBufferSrcParameters *about = av_buffersrc_parameters_alloc();
    filter->source =
        avfilter_graph_alloc_filter(filter->graph, avfilter_get_by_name("buffer"), "in");
    if (!about || !filter->source) {
        av_free(about);
        return AVERROR(ENOMEM);
    }
    about->format = like->format;
    about->width = like->width;
    about->height = like->height;
    about->time_base = clock_in(video);
    about->frame_rate = settings->rate_num ? (AVRational){settings->rate_num, settings->rate_den}
                                           : video->stream->avg_frame_rate;
    about->sample_aspect_ratio = like->sample_aspect_ratio;
#if LIBAVFILTER_VERSION_MAJOR >= 10 /* FFmpeg 7 */
    about->color_space = like->colorspace;
    about->color_range = like->color_range;
#endif
    const int err = av_buffersrc_parameters_set(filter->source, about);
    av_free(about);
    return err < 0 ? err : avfilter_init_dict(filter->source, NULL);
}

/* The filters between what goes in and what comes out. Players would turn frames first, and so does
 * ffmpeg. */
static int parse(MediaVideo *video)
{
    FilterStage *filter = &video->filter;
    const Orientation *turn = &filter->turn;
    const char *chain = video->settings.filter.chain;
    AVFilterInOut *begin = avfilter_inout_alloc(), *end = avfilter_inout_alloc();
    char *text = av_asprintf("%s%s%s%s", turn->transpose ? "transpose=cclock_flip," : "",
                             turn->flip_columns ? "hflip," : "", turn->flip_rows ? "vflip," : "",
                             *chain ? chain : "null");
    int err = begin && end && text ? 0 : AVERROR(ENOMEM);
    if (!err) {
        *begin = (AVFilterInOut){av_strdup("in"), filter->source, 0, NULL};
        *end = (AVFilterInOut){av_strdup("out"), filter->sink, 0, NULL};
        err = avfilter_graph_parse_ptr(filter->graph, text, &end, &begin, NULL);
    }
    av_free(text);
    avfilter_inout_free(&begin);
    avfilter_inout_free(&end);
    return err;
}

static int build(MediaVideo *video)
{
    FilterStage *filter = &video->filter;
    filter->graph = avfilter_graph_alloc();
    if (!filter->graph)
        return AVERROR(ENOMEM);
    filter->graph->nb_threads = (int)video->settings.threads;
    int err = open_source(video);
    if (err >= 0)
        err = avfilter_graph_create_filter(&filter->sink, avfilter_get_by_name("buffersink"), "out",
                                           NULL, NULL, filter->graph);
    if (err >= 0)
        err = parse(video);
    if (err >= 0)
        err = avfilter_graph_config(filter->graph, NULL);
    if (err < 0) {
        avfilter_graph_free(&filter->graph);
        return err;
    }
    filter->clock = av_buffersink_get_time_base(filter->sink);
    filter->rate = av_buffersink_get_frame_rate(filter->sink);
    if (filter->rate.num <= 0 || filter->rate.den <= 0)
        filter->rate = (AVRational){0, 1};
    return 0;
}

int filter_open(MediaVideo *video, const AVFrame *first, Message *why)
{
    FilterStage *filter = &video->filter;
    filter->turn = video->orientation;
    filter->like = av_frame_alloc();
    if (!filter->like || av_frame_copy_props(filter->like, first) < 0)
        return message_set(why, -ENOMEM, "out of memory");
    filter->like->format = first->format;
    filter->like->width = first->width;
    filter->like->height = first->height;
    return 0;
}

/* The next frame that goes in has this index, and the next that comes out that one. */
static void start_at(MediaVideo *video, uint64_t n_in, uint64_t n_out)
{
    FilterStage *filter = &video->filter;
    avfilter_graph_free(&filter->graph);
    av_frame_free(&filter->waiting);
    filter->n_in = n_in;
    filter->n_out = n_out;
}

void filter_close(MediaVideo *video)
{
    start_at(video, 0, 0);
    av_frame_free(&video->filter.like);
}

/* -- frames -- */

/* Times begin with the first frame, whatever the file's are. */
static void set_time(MediaVideo *video, AVFrame *frame)
{
    FilterStage *filter = &video->filter;
    int64_t length;
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100) /* FFmpeg 6 */
    length = frame->duration;
#else
    length = frame->pkt_duration;
#endif
    if (video->settings.filter.rate_num) {
        frame->pts = (int64_t)filter->n_in;
        length = 1;
    } else if (frame->pts != AV_NOPTS_VALUE && video->first_shown != AV_NOPTS_VALUE) {
        frame->pts -= video->first_shown;
    }
    frame->time_base = clock_in(video);
    filter->end = frame->pts == AV_NOPTS_VALUE ? frame->pts : frame->pts + length;
    filter->n_in++;
}

/* Gives the filters one frame, or tells them that there is none. An error of theirs is `*error`. */
static int feed(MediaVideo *video, int *error, Message *why)
{
    FilterStage *filter = &video->filter;
    AVFrame *decoded;
    const int more = decoder_next(video, &decoded, why);
    if (more < 0)
        return more;
    if (!more) {
        *error = av_buffersrc_close(filter->source, filter->end, AV_BUFFERSRC_FLAG_PUSH);
        return 0;
    }
    const int err = device_has(decoded) ? device_download(&decoded, why) : 0;
    if (err)
        return err;
    set_time(video, decoded);
    *error = av_buffersrc_add_frame_flags(filter->source, decoded, AV_BUFFERSRC_FLAG_PUSH);
    av_frame_free(&decoded);
    return 0;
}

/* 1; 0 at the end; negative errno. */
static int pull(MediaVideo *video, AVFrame *frame, Message *why)
{
    int error = 0;
    for (;;) {
        if (!video->filter.graph && (error = build(video)) < 0)
            return fail(video, error, why);
        error = av_buffersink_get_frame(video->filter.sink, frame);
        if (error >= 0)
            return 1;
        if (error == AVERROR_EOF)
            return 0;
        if (error != AVERROR(EAGAIN))
            return fail(video, error, why);
        const int err = feed(video, &error, why);
        if (err)
            return err;
        if (error < 0 && error != AVERROR(EAGAIN))
            return fail(video, error, why);
    }
}

int filter_next(MediaVideo *video, AVFrame **frame, Message *why)
{
    FilterStage *filter = &video->filter;
    if (!video->settings.filter.chain)
        return decoder_next(video, frame, why);
    *frame = filter->waiting;
    filter->waiting = NULL;
    int more = 1;
    if (!*frame) {
        *frame = av_frame_alloc();
        log_capture_on_thread(&video->log);
        more = *frame ? pull(video, *frame, why) : message_set(why, -ENOMEM, "out of memory");
        log_capture_on_thread(NULL);
    }
    if (more <= 0)
        av_frame_free(frame);
    else
        filter->n_out++;
    return more;
}

/* -- to another frame -- */

static int start_near(MediaVideo *video, uint64_t frame, Message *why)
{
    enum { LEAD = 8 }; /* frames that others are made from */
    const unsigned per_frame = video->settings.filter.per_frame;
    const uint64_t decoded = frame / per_frame;
    const uint64_t begin = decoded > LEAD ? decoded - LEAD : 0;
    const int more = decoder_skip_to(video, begin, why);
    start_at(video, begin, begin * per_frame);
    return more;
}

static int start_for(MediaVideo *video, uint64_t frame, Message *why)
{
    int more = 1;
    switch (video->settings.filter.reach) {
    case MEDIA_REACH_FRAME:
        more = decoder_skip_to(video, frame, why);
        start_at(video, frame, frame);
        break;
    case MEDIA_REACH_NEAR:
        more = start_near(video, frame, why);
        break;
    case MEDIA_REACH_ALL:
        if (video->filter.n_out <= frame)
            break;
        more = decoder_skip_to(video, 0, why);
        start_at(video, 0, 0);
        break;
    }
    return more;
}

int filter_skip_to(MediaVideo *video, uint64_t frame, Message *why)
{
    if (!video->settings.filter.chain)
        return decoder_skip_to(video, frame, why);
    int more = start_for(video, frame, why);
    while (more > 0 && video->filter.n_out < frame) {
        AVFrame *dropped = NULL;
        more = filter_next(video, &dropped, why);
        av_frame_free(&dropped);
    }
    return more;
}
