/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The pairs that a part of a run scores, and where they are in the videos. */
#include "shards_internal.h"

#include "common/messages.h"

#include <limits.h>
#include <stdint.h>

void shard_range_cut(unsigned pairs, unsigned shard, unsigned n_shards, unsigned *begin,
                     unsigned *end)
{
    *begin = (unsigned)((uint64_t)shard * pairs / n_shards);
    *end = (unsigned)(((uint64_t)shard + 1) * pairs / n_shards);
}

/* -- counting -- */

/* Reads headers, or decodes, to the end, or up to `most` frames. */
static int count_by_reading(VideoReader *reader, unsigned long long base, unsigned long long most,
                            ShardVideo *video)
{
    enum { LUMA = 1, ALIGNMENT = 64 };
    int more = video_reader_prepare(reader, LUMA, reader->format.bit_depth, ALIGNMENT) ? -1 : 1;
    if (more > 0 && reader->media)
        more = video_reader_skip_to(reader, (unsigned)base);
    for (unsigned long long passed = 0; more > 0 && !reader->media && passed < base; passed++)
        more = video_reader_pass_over(reader);
    while (more > 0 && video->frames < most) {
        more = video_reader_pass_over(reader);
        video->frames += more > 0;
    }
    video->is_broken = more < 0;
    if (!video_reader_rewind(reader))
        return STATUS_OK;
    print_error("%s: %s", reader->input.path, reader->error.text);
    return STATUS_READ;
}

/* Are there as many frames as there are packets? The last one, and nothing behind it. */
static bool ends_with(VideoReader *reader, unsigned long long count)
{
    enum { LUMA = 1, ALIGNMENT = 64 };
    if (video_reader_prepare(reader, LUMA, reader->format.bit_depth, ALIGNMENT) ||
        video_reader_skip_to(reader, (unsigned)(count - 1)) <= 0 ||
        video_reader_pass_over(reader) <= 0)
        return false;
    return !video_reader_pass_over(reader);
}

static int count_media(const Run *run, VideoReader *reader, unsigned long long most,
                       ShardVideo *video)
{
    const double duration = run->options->input.duration;
    const unsigned long long count = duration > 0 ? 0 : video_reader_count(reader);
    if (count && count <= UINT_MAX && ends_with(reader, count)) {
        video->frames = count > video->base ? count - video->base : 0;
        return video_reader_rewind(reader) ? STATUS_READ : STATUS_OK;
    }
    reader->duration = duration;
    const int status = count_by_reading(reader, video->base, most, video);
    reader->duration = 0;
    return status;
}

static int count_file(VideoReader *reader, unsigned long long most, ShardVideo *video)
{
    unsigned long long rest = 0;
    const unsigned long long frames = video_reader_plain_frames(reader, &rest);
    video->is_plain = frames && (reader->raw || !rest);
    if (!video->is_plain)
        return count_by_reading(reader, video->base, most, video);
    video->frames = frames > video->base ? frames - video->base : 0;
    video->is_broken = rest != 0;
    return STATUS_OK;
}

/* Where the user wants to begin. Returns the exit status. */
static int find_base(const Run *run, VideoReader *reader, unsigned skip, ShardVideo *video)
{
    const StartOption *start = &run->options->input.start;
    *video = (ShardVideo){.base = skip};
    if (!start->is_time)
        video->base += start->frame;
    if (!start->is_time || !reader->media)
        return STATUS_OK;
    if (video_reader_skip_to_time(reader, start->seconds) < 0) {
        print_error("%s: %s", reader->input.path, reader->error.text);
        return STATUS_READ;
    }
    video->base += reader->went_to;
    return STATUS_OK;
}

static int reject_pipe(const VideoReader *reader)
{
    print_error("%s is a pipe: a part of it cannot be scored; --shard and --resume need files",
                reader->input.path);
    return STATUS_USAGE;
}

static bool is_pipe(const VideoReader *reader)
{
    return !reader->is_pattern && !reader->input.source.is_file;
}

static int count_video(const Run *run, VideoReader *reader, unsigned skip, ShardVideo *video)
{
    const unsigned count = run->options->frame_count;
    const unsigned long long most = count ? count : UINT_MAX;
    if (is_pipe(reader))
        return reject_pipe(reader);
    const int status = find_base(run, reader, skip, video);
    if (status)
        return status;
    return reader->media ? count_media(run, reader, most, video) : count_file(reader, most, video);
}

/* Would a single run read what is broken? */
static bool is_broken(const ShardVideo *video, const ShardRange *range, unsigned frame_count)
{
    return video->is_broken && video->frames == range->pairs &&
           (!frame_count || range->pairs < frame_count);
}

static int take_part(const Run *run, ShardRange *range)
{
    const Options *options = run->options;
    const ShardVideo *reference = &range->reference, *distorted = &range->distorted;
    const unsigned most = options->frame_count ? options->frame_count : UINT_MAX;
    unsigned long long pairs = reference->frames;
    if (distorted->frames < pairs)
        pairs = distorted->frames;
    range->pairs = pairs < most ? (unsigned)pairs : most;
    if (range->pairs < most && reference->frames != distorted->frames)
        range->ended_first = reference->frames < distorted->frames ? "reference" : "distorted";
    if (is_broken(reference, range, options->frame_count) ||
        is_broken(distorted, range, options->frame_count)) {
        print_error("%s: frame %llu cannot be read",
                    reference->is_broken ? options->reference : options->distorted,
                    range->pairs + (reference->is_broken ? reference->base : distorted->base));
        return STATUS_READ;
    }
    if (!range->pairs) {
        print_error("there are no frames to score%s",
                    options->input.start.is_given
                        ? ": both videos need some at --start and behind it"
                        : "");
        return STATUS_READ;
    }
    shard_range_cut(range->pairs, options->shard.index, options->shard.count, &range->begin,
                    &range->end);
    return STATUS_OK;
}

static int find_lead_in(const Run *run, ShardRange *range)
{
    unsigned wanted;
    const int err = vmaf_lead_in(run->vmaf, &wanted);
    if (err) {
        print_error("problem with the frames before the shard: error %d", err);
        return STATUS_FAILURE;
    }
    range->lead_in = wanted < range->begin ? wanted : range->begin;
    return STATUS_OK;
}

int shard_range_find(Run *run, ShardRange *range)
{
    const Options *options = run->options;
    *range = (ShardRange){.begin = 0};
    int status =
        count_video(run, &run->reference->reader, options->skip_reference, &range->reference);
    if (!status)
        status = count_video(run, &run->distorted, options->skip_distorted, &range->distorted);
    if (!status)
        status = take_part(run, range);
    return status ? status : find_lead_in(run, range);
}

int shard_range_rest(Run *run, unsigned done, ShardRange *range)
{
    const Options *options = run->options;
    VideoReader *reference = &run->reference->reader, *distorted = &run->distorted;
    unsigned long long rest;
    *range = (ShardRange){.begin = done, .end = UINT_MAX};
    if (is_pipe(reference) || is_pipe(distorted))
        return reject_pipe(is_pipe(reference) ? reference : distorted);
    int status = find_base(run, reference, options->skip_reference + run->line_up_skip.reference,
                           &range->reference);
    if (!status)
        status = find_base(run, distorted, options->skip_distorted + run->line_up_skip.distorted,
                           &range->distorted);
    range->reference.is_plain = reference->raw && video_reader_plain_frames(reference, &rest);
    range->distorted.is_plain = distorted->raw && video_reader_plain_frames(distorted, &rest);
    return status ? status : find_lead_in(run, range);
}

/* -- going there -- */

int shard_range_go(const ShardRange *range, const ShardVideo *video, VideoReader *reader,
                   unsigned *skip, unsigned *limit)
{
    const unsigned long long first = video->base + range->begin - range->lead_in;
    *skip = 0;
    *limit = range->end == UINT_MAX ? 0 : range->end - range->begin + range->lead_in;
    if (video->is_plain) {
        video_reader_go_to_plain(reader, first);
    } else if (!reader->media) {
        *skip = (unsigned)first;
    } else if (first && video_reader_skip_to(reader, (unsigned)first) < 0) {
        print_error("%s: %s", reader->input.path, reader->error.text);
        return STATUS_READ;
    }
    return STATUS_OK;
}

int shard_range_check_end(const ShardRange *range, const ShardVideo *video,
                          const VideoReader *reader)
{
    if (!video->is_plain || range->end == UINT_MAX ||
        video_reader_is_at_plain(reader, video->base + range->end))
        return STATUS_OK;
    print_error("%s: its frames have headers of different sizes: it cannot be scored in parts",
                reader->input.path);
    return STATUS_READ;
}
