/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/path.h"
#include "platform/text.h"
#include "tune/encoders/encode_request.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What a source has beside its video ---- */

enum { MOST_CODECS = 6 };

/* Containers that have their own idea of text, or room for attachments. */
static const struct {
    const char *extension, *text; /* the encoder of subtitles that are none of these: */
    const char *texts[MOST_CODECS];
    bool has_attachments;
    bool has_metadata; /* of streams */
    bool is_mp4;
} containers[] = {
    {"mkv",
     "srt",
     {"subrip", "ass", "ssa", "text", "webvtt", "hdmv_text_subtitle"},
     .has_attachments = true,
     .has_metadata = true},
    {"webm", "webvtt", {"webvtt"}, .has_metadata = true},
    {"mp4", "mov_text", {"mov_text"}, .is_mp4 = true},
    {"m4v", "mov_text", {"mov_text"}, .is_mp4 = true},
    {"mov", "mov_text", {"mov_text"}, .is_mp4 = true},
};

enum { N_CONTAINERS = sizeof(containers) / sizeof(containers[0]) };

static size_t container_of(const char *output)
{
    const char *dot = strrchr(vmaf_path_name(output), '.');
    size_t i = 0;
    while (i < N_CONTAINERS && !(dot && vmaf_ascii_alike(dot + 1, containers[i].extension)))
        i++;
    return i;
}

/* The encoder of a subtitle; NULL: it is copied. */
static const char *conversion(const OtherStream *stream, size_t container)
{
    if (stream->kind != OTHER_TEXT || container == N_CONTAINERS)
        return NULL;
    for (size_t i = 0; i < MOST_CODECS && containers[container].texts[i]; i++)
        if (!strcmp(stream->codec, containers[container].texts[i]))
            return NULL;
    return containers[container].text;
}

static bool are_copied(const char *wish)
{
    return !wish || !strcmp(wish, "copy");
}

static size_t count_conversions(const OtherStreams *others, size_t container)
{
    size_t n = 0;
    for (size_t i = 0; i < others->n && are_copied(others->subs); i++)
        n += conversion(&others->stream[i], container) != NULL;
    return n;
}

/* The words of a wish; quotes join words with spaces. */
static void add_words(const char *wish, ArgumentList *list)
{
    while (*wish) {
        char quote = 0, word[512];
        size_t n = 0;
        for (; *wish && (quote || *wish != ' '); wish++) {
            const bool is_quote = quote ? *wish == quote : *wish == '\'' || *wish == '"';
            if (is_quote)
                quote = quote ? 0 : *wish;
            else if (n < sizeof word - 1)
                word[n++] = *wish;
        }
        word[n] = '\0';
        if (n)
            arguments_add(list, word);
        wish += *wish == ' ';
    }
}

/* Is it for streams of that kind only, "a" or "s", and not which of them, or how much? */
static bool is_of_kind(const char *name, char kind)
{
    const size_t length = strcspn(name, ":");
    const char *stream = name + length;
    const bool selects = !strncmp(name, "map", length) || !strncmp(name, "frames", length);
    return !selects && stream[0] == ':' && stream[1] == kind && (!stream[2] || stream[2] == ':');
}

/* Would it change the video, or which streams and frames an output has? */
static bool is_of_video(const char *name, char kind)
{
    static const char *const shared[] = {"q", "qscale", "crf", "qp", "profile", "level", "tune"};
    const char *stream = strchr(name, ':');
    bool is_video = encode_option_is_ours(name);
    for (size_t i = 0; i < sizeof shared / sizeof *shared && !stream; i++)
        is_video |= !strcmp(name, shared[i]);
    if (stream)
        is_video |= stream[1] == 'v' || stream[1] == 'V';
    return is_video && !is_of_kind(name, kind);
}

static int check_wish(const char *option, const char *wish, Message *why)
{
    ArgumentList words = {0};
    int err = 0;
    if (are_copied(wish) || !strcmp(wish, "none"))
        return 0;
    add_words(wish, &words);
    if (words.error)
        err = message_set(why, words.error, "out of memory");
    else if (!words.n || words.items[0][0] != '-')
        err =
            message_set(why, -EINVAL,
                        "%s is to be copy, none, or arguments of ffmpeg such as \"-c:%c ...\", not "
                        "\"%s\"",
                        option, option[2], wish);
    for (size_t i = 0; i < words.n && !err; i++)
        if (words.items[i][0] == '-' && is_of_video(words.items[i] + 1, option[2]))
            err = message_set(why, -EINVAL, "%s: %s chooses streams, frames or video", option,
                              words.items[i]);
    arguments_free(&words);
    return err;
}

int other_streams_check(const OtherStreams *others, Message *why)
{
    const int err = check_wish("--audio", others->audio, why);
    return err ? err : check_wish("--subs", others->subs, why);
}

static void add_subtitles(const OtherStreams *others, size_t container, ArgumentList *list)
{
    size_t n = 0;
    if (!are_copied(others->subs)) {
        add_words(others->subs, list);
        return;
    }
    if (!count_conversions(others, container)) {
        arguments_option(list, "-c:s", "copy");
        return;
    }
    for (size_t i = 0; i < others->n; i++) {
        const OtherStream *stream = &others->stream[i];
        if (stream->kind != OTHER_TEXT && stream->kind != OTHER_BITMAP)
            continue;
        const char *encoder = conversion(stream, container);
        arguments_print(list, "-c:s:%zu", n++);
        arguments_add(list, encoder ? encoder : "copy");
    }
}

static bool has_attachments(size_t container)
{
    return container < N_CONTAINERS && containers[container].has_attachments;
}

void other_streams_keep(const OtherStreams *others, int input, const char *output,
                        ArgumentList *list)
{
    const size_t container = container_of(output);
    size_t counts[N_OTHER_KINDS] = {0};
    for (size_t i = 0; i < others->n; i++)
        counts[others->stream[i].kind]++;
    const bool attaches = counts[OTHER_ATTACHMENT] && has_attachments(container);
    const size_t n_subs = counts[OTHER_TEXT] + counts[OTHER_BITMAP];
    const bool has_audio = !others->audio || strcmp(others->audio, "none") != 0;
    const bool has_subs = !others->subs || strcmp(others->subs, "none") != 0;
    const char kinds[] = {'a', 's', 't'};
    const bool are_kept[] = {has_audio, has_subs, attaches};
    for (size_t i = 0; i < sizeof kinds; i++)
        if (are_kept[i])
            arguments_option(list, "-map", "%d:%c?", input, kinds[i]);
    if (has_audio && are_copied(others->audio))
        arguments_option(list, "-c:a", "copy");
    else if (has_audio)
        add_words(others->audio, list);
    if (has_subs)
        add_subtitles(others, container, list);
    if (has_subs && n_subs > 1) /* else ffmpeg makes the first of them the one that is shown */
        arguments_option(list, "-disposition:v:0", "default");
    if (attaches)
        arguments_option(list, "-c:t", "copy");
}

void output_add_tags(const char *output, const char *codec, const char *settings,
                     ArgumentList *list)
{
    const size_t container = container_of(output);
    if (container == N_CONTAINERS)
        return;
    if (containers[container].is_mp4 && !strcmp(codec, "hevc")) /* as players of Apple's want it */
        arguments_option(list, "-tag:v", "hvc1");
    if (containers[container].has_metadata && settings)
        arguments_option(list, "-metadata:s:v:0", "ENCODER_SETTINGS=%s", settings);
}

void other_streams_explain(const OtherStreams *others, const char *output, Message *text)
{
    static const char *const names[N_OTHER_KINDS] = {
        [OTHER_ATTACHMENT] = "attachments, such as fonts",
        [OTHER_COVER] = "cover art",
        [OTHER_VIDEO] = "further video streams",
        [OTHER_DATA] = "data streams",
    };
    const size_t container = container_of(output), converted = count_conversions(others, container);
    size_t counts[N_OTHER_KINDS] = {0}, used = 0;
    text->text[0] = '\0';
    for (size_t i = 0; i < others->n; i++)
        counts[others->stream[i].kind]++;
    if (has_attachments(container))
        counts[OTHER_ATTACHMENT] = 0;
    for (size_t kind = 0; kind < N_OTHER_KINDS; kind++)
        if (names[kind] && counts[kind])
            used += (size_t)snprintf(text->text + used, sizeof(text->text) - used, "%s%s (%zu)",
                                     used ? ", " : "left out: ", names[kind], counts[kind]);
    if (converted)
        snprintf(text->text + used, sizeof(text->text) - used,
                 "%ssubtitles that are converted to %s: %zu", used ? "; " : "",
                 containers[container].text, converted);
}

/* ---- Which frames ---- */

typedef enum Access {
    WHOLE,   /* all frames */
    ONE,     /* one window, found by its place */
    SEVERAL, /* windows found by their places, each an input of its own */
    COUNTED, /* windows found by counting frames from the start */
} Access;

static int64_t frame_bytes(const EncodeSource *source)
{
    return raw_frame_bytes(source->pixel_format, source->width, source->height);
}

static Access access_of(const EncodeRequest *request)
{
    const EncodeSource *source = &request->source;
    if (request->n_windows == 0)
        return WHOLE;
    if (source->filters && source->filters->reach == FILTER_ALL)
        return COUNTED;
    if (source->is_raw ? frame_bytes(source) == 0 : source->count_frames)
        return COUNTED;
    return request->n_windows == 1 ? ONE : SEVERAL;
}

bool encode_keeps_times(const EncodeRequest *request)
{
    return !request->source.is_raw && request->source.tick_den > 0;
}

double encode_shift(const EncodeRequest *request)
{
    const bool is_shifted = request->streams == ENCODE_WITH_ALL_STREAMS &&
                            !request->source.is_raw && !encode_keeps_times(request) &&
                            request->source.first_frame_time >= 1e-6;
    return is_shifted ? request->source.first_frame_time : 0;
}

/* -- what is read of the source for frames that its filters make -- */

static FrameRate stored_rate(const EncodeSource *source)
{
    return source->stored_rate.numerator ? source->stored_rate : source->rate;
}

static bool has_memory(const EncodeSource *source)
{
    return source->filters && source->filters->encode && source->filters->reach != FILTER_EACH;
}

/* The frame of the source that is read first for that one, with neighbours. *dropped: frames that
 * the filters make before it. */
static size_t first_read(const EncodeSource *source, size_t frame, size_t *dropped)
{
    enum { LEAD = 8 };
    *dropped = 0;
    if (!has_memory(source))
        return frame;
    const size_t stored = frame / source->filters->per_frame;
    const size_t first = stored > LEAD ? stored - LEAD : 0;
    *dropped = frame - first * source->filters->per_frame;
    return first;
}

/*
 * A quarter of a frame early: behind the frame before, even where times are rounded. Half a frame
 * would be wrong where a tick is a whole frame: ffmpeg rounds the time to ticks, up or down. Whole
 * milliseconds where times are kept, so that they are rounded as if nothing had been sought.
 */
static double seek_seconds(const EncodeRequest *request, size_t frame)
{
    const EncodeSource *source = &request->source;
    const double seconds = source->first_frame_time + ((double)frame - 0.25) *
                                                          stored_rate(source).denominator /
                                                          stored_rate(source).numerator;
    return encode_keeps_times(request) ? floor(seconds * 1000) / 1000 : seconds;
}

void encode_add_input_options(const EncodeSource *source, ArgumentList *list)
{
    for (size_t i = 0; i < source->n_input_options; i++)
        arguments_add_setting(list, source->input_options[i]);
}

void encode_add_source(const EncodeSource *source, ArgumentList *list)
{
    if (source->is_sequence)
        arguments_option(list, "-framerate", "%d/%d", stored_rate(source).numerator,
                         stored_rate(source).denominator);
    if (source->is_sequence && source->first_picture > 0)
        arguments_option(list, "-start_number", "%u", source->first_picture);
    encode_add_input_options(source, list);
    if (source->ignores_errors)
        arguments_option(list, "-threads", "1");
    arguments_add(list, "-i");
    arguments_add_path(list, source->path);
}

static void add_input(const EncodeRequest *request, size_t frame, ArgumentList *list)
{
    const EncodeSource *source = &request->source;
    size_t dropped;
    const size_t first = first_read(source, frame, &dropped);
    if (source->is_raw) {
        arguments_option(list, "-f", "rawvideo");
        arguments_option(list, "-pix_fmt", "%s", source->pixel_format);
        arguments_option(list, "-s", "%dx%d", source->width, source->height);
        arguments_option(list, "-r", "%d/%d", stored_rate(source).numerator,
                         stored_rate(source).denominator);
        if (first > 0)
            arguments_option(list, "-skip_initial_bytes", "%" PRId64,
                             (int64_t)first * frame_bytes(source));
    } else if (first > 0) {
        arguments_add(list, "-ss");
        arguments_seconds(list, seek_seconds(request, first));
    }
    encode_add_source(source, list);
}

void encode_add_inputs(const EncodeRequest *request, ArgumentList *list)
{
    static const char *const start[] = {"-y",         "-nostdin", "-hide_banner", "-loglevel",
                                        "level+info", "-nostats", "-progress",    "pipe:1"};
    const Access access = access_of(request);
    arguments_add(list, request->ffmpeg);
    for (size_t i = 0; i < sizeof(start) / sizeof(start[0]) && !request->is_plain; i++)
        arguments_add(list, start[i]);
    if (request->source.ignores_errors)
        arguments_option(list, "-max_error_rate", "1");
    if (access == WHOLE || access == COUNTED)
        add_input(request, 0, list);
    else
        for (size_t i = 0; i < request->n_windows; i++)
            add_input(request, request->windows[i].first, list);
    if (encode_shift(request) > 0) {
        arguments_add(list, "-itsoffset");
        arguments_seconds(list, -encode_shift(request));
        add_input(request, 0, list);
    }
}

/* ---- Filters ---- */

/* The user's filters. What they remember is to be the same as of the reference, which begins at
 * time 0 as well. */
static void add_user_filters(const EncodeRequest *request, ArgumentList *chain)
{
    const EncodeSource *source = &request->source;
    if (!source->filters || !source->filters->encode)
        return;
    if (has_memory(source) && source->stored_varies)
        arguments_add(chain, "setpts=PTS-STARTPTS");
    else if (has_memory(source))
        arguments_print(chain, "settb=%d/%d,setpts=N", stored_rate(source).denominator,
                        stored_rate(source).numerator);
    arguments_add(chain, source->filters->encode);
}

/* Back to where the file has its first frame. */
static void add_begin(const EncodeRequest *request, ArgumentList *chain)
{
    const EncodeSource *source = &request->source;
    if (!has_memory(source) || source->first_frame_time < 1e-6 || !encode_keeps_times(request))
        return;
    arguments_print(chain, "setpts=PTS+%lld/(1000000*TB)", llround(source->first_frame_time * 1e6));
}

/* One window of what was sought, where filters need frames before it. */
static void add_trimming(const EncodeRequest *request, const SampleWindow *window,
                         ArgumentList *chain)
{
    size_t dropped;
    (void)first_read(&request->source, window->first, &dropped);
    if (dropped)
        arguments_print(chain, "trim=start_frame=%zu:end_frame=%zu", dropped,
                        dropped + window->frames);
    else
        arguments_print(chain, "trim=end_frame=%zu", window->frames);
}

/* The windows alone, by number of frame. */
static void add_selection(const EncodeRequest *request, ArgumentList *chain)
{
    ArgumentList terms = {0}, quoted = {0};
    for (size_t i = 0; i < request->n_windows; i++) {
        const SampleWindow *window = &request->windows[i];
        arguments_print(&terms, "between(n,%zu,%zu)", window->first,
                        window->first + window->frames - 1);
    }
    const int err = arguments_add_joined(&quoted, &terms, "+");
    if (err)
        chain->error = err;
    else
        arguments_print(chain, "select='%s'", quoted.items[0]);
    arguments_free(&terms);
    arguments_free(&quoted);
}

static void add_scaling(const EncodeRequest *request, ArgumentList *chain)
{
    if (request->width > 0)
        arguments_print(chain, "scale=%d:%d:flags=lanczos,setsar=1", request->width,
                        request->height);
}

/* Matroska, which holds encodes of windows, counts milliseconds. */
static const char window_clock[] = "1/1000";

/* Windows follow each other at a frame's distance, and begin at 0. */
static void add_own_times(const EncodeRequest *request, Access access, ArgumentList *chain)
{
    const FrameRate *rate = &request->source.rate;
    ArgumentList starts = {0}, all = {0};
    size_t frames = 0;
    if (access == WHOLE)
        return;
    arguments_print(chain, "settb=%s", window_clock);
    if (access == SEVERAL) /* which are joined so */
        return;
    if (request->n_windows == 1) {
        arguments_add(chain, "setpts=PTS-STARTPTS");
        return;
    }
    for (size_t i = 0; i + 1 < request->n_windows; i++) {
        frames += request->windows[i].frames;
        arguments_print(&starts, "eq(N,%zu)", frames);
    }
    if (arguments_add_joined(&all, &starts, "+"))
        chain->error = -ENOMEM;
    else
        arguments_print(chain, "setpts='if(N,PREV_OUTPTS+if(%s,%lld,PTS-PREV_INPTS),0)'",
                        all.items[0], llround(fmax(1, 1e3 * rate->denominator / rate->numerator)));
    arguments_free(&starts);
    arguments_free(&all);
}

/*
 * Frames are counted at the exact rate, so that none is dropped or repeated, where their times are
 * those of the rate, but for rounding, or the user says so. Frames without a header have such times
 * already.
 */
static void add_times(const EncodeRequest *request, Access access, ArgumentList *chain)
{
    const FrameRate *rate = &request->source.rate;
    if (encode_keeps_times(request))
        add_own_times(request, access, chain);
    else if (!request->source.is_raw || access == SEVERAL || access == COUNTED ||
             has_memory(&request->source))
        arguments_print(chain, "settb=%d/%d,setpts=N", rate->denominator, rate->numerator);
}

static void add_clock(const EncodeRequest *request, Access access, ArgumentList *list)
{
    const EncodeSource *source = &request->source;
    if (source->is_raw && !has_memory(source))
        return;
    if (!encode_keeps_times(request)) {
        arguments_option(list, "-r", "%d/%d", source->rate.numerator, source->rate.denominator);
        return;
    }
    arguments_option(list, "-fps_mode", "passthrough");
    arguments_add(list, "-enc_time_base");
    if (access == WHOLE)
        arguments_print(list, "%d/%d", source->tick_num, source->tick_den);
    else
        arguments_add(list, window_clock);
}

/* [0:0]trim=end_frame=24[w0];[1:0]trim=end_frame=24[w1];[w0][w1]concat=n=2:v=1:a=0 */
static int add_concatenation(const EncodeRequest *request, ArgumentList *chain)
{
    const char *const start = encode_keeps_times(request) ? ",setpts=PTS-STARTPTS" : "";
    ArgumentList parts = {0}, names = {0};
    int err = 0;
    for (size_t i = 0; i < request->n_windows && !err; i++) {
        ArgumentList filters = {0}, joined = {0};
        add_user_filters(request, &filters);
        add_trimming(request, &request->windows[i], &filters);
        err = arguments_add_joined(&joined, &filters, ",");
        if (!err)
            arguments_print(&parts, "[%zu:%u]%s%s[w%zu];", i, request->source.index,
                            joined.items[0], start, i);
        arguments_print(&names, "[w%zu]", i);
        arguments_free(&filters);
        arguments_free(&joined);
    }
    arguments_add_list(&parts, &names);
    arguments_print(&parts, "concat=n=%zu:v=1:a=0", request->n_windows);
    if (!err)
        err = arguments_add_joined(chain, &parts, "");
    arguments_free(&parts);
    arguments_free(&names);
    return err;
}

static int add_chain(ArgumentList *list, ArgumentList *chain, Access access)
{
    if (access == SEVERAL && chain->n > 0) { /* the output of the last filter gets a name */
        ArgumentList whole = {0}, named = {0};
        int err = arguments_add_joined(&whole, chain, ",");
        if (!err)
            arguments_print(&named, "%s[v]", whole.items[0]);
        if (!err)
            err = named.error;
        arguments_add(list, "-filter_complex");
        if (!err)
            arguments_add_list(list, &named);
        arguments_free(&whole);
        arguments_free(&named);
        return err;
    }
    if (chain->n == 0)
        return chain->error;
    arguments_add(list, "-vf");
    return arguments_add_joined(list, chain, ",");
}

/* The last of all: what is behind it is not in memory. */
static void add_upload(const EncodeRequest *request, ArgumentList *chain)
{
    const char *formats = request->encoder->upload_formats;
    if (formats)
        arguments_print(chain, "format=%s,hwupload",
                        request->pixel_format ? request->pixel_format : formats);
}

int encode_add_filters(const EncodeRequest *request, ArgumentList *list)
{
    const Access access = access_of(request);
    ArgumentList chain = {0};
    int err = 0;
    if (access == SEVERAL)
        err = add_concatenation(request, &chain);
    else
        add_user_filters(request, &chain);
    if (access == COUNTED)
        add_selection(request, &chain);
    else if (access == ONE && has_memory(&request->source))
        add_trimming(request, request->windows, &chain);
    else if (access == WHOLE)
        add_begin(request, &chain);
    add_scaling(request, &chain);
    add_times(request, access, &chain);
    add_upload(request, &chain);
    if (!err)
        err = add_chain(list, &chain, access);
    arguments_free(&chain);
    arguments_add(list, "-map");
    if (access == SEVERAL)
        arguments_add(list, "[v]");
    else
        arguments_print(list, "0:%u", request->source.index);
    if (access != WHOLE)
        arguments_option(list, "-frames:v", "%zu", encode_frames(request));
    add_clock(request, access, list);
    return err ? err : list->error;
}
