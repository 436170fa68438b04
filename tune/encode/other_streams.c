/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/path.h"
#include "platform/text.h"
#include "tune/encode/encode_request.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A container that has its own idea of text, or room for attachments. */
typedef struct Container {
    const char *extension, *text; /* the encoder of subtitles that are none of these: */
    const char *texts[7];
    bool has_attachments;
    bool has_metadata; /* of streams */
    bool is_mp4;
} Container;

static const Container containers[] = {
    {"mkv",
     "srt",
     {"subrip", "ass", "ssa", "text", "webvtt", "hdmv_text_subtitle"},
     .has_attachments = true,
     .has_metadata = true},
    {"webm", "webvtt", {"webvtt"}, .has_metadata = true},
    {"mp4", "mov_text", {"mov_text"}, .is_mp4 = true},
    {"m4v", "mov_text", {"mov_text"}, .is_mp4 = true},
    {"mov", "mov_text", {"mov_text"}, .is_mp4 = true},
    {NULL}, /* any other */
};

static const Container *container_of(const char *output)
{
    const char *dot = strrchr(vmaf_path_name(output), '.');
    const Container *container = containers;
    while (container->extension && !(dot && vmaf_ascii_alike(dot + 1, container->extension)))
        container++;
    return container;
}

/* The encoder of a subtitle; NULL: it is copied. */
static const char *conversion(const OtherStream *stream, const Container *container)
{
    if (stream->kind != MEDIA_TEXT)
        return NULL;
    for (const char *const *text = container->texts; *text; text++)
        if (!strcmp(stream->codec, *text))
            return NULL;
    return container->text;
}

static bool are_copied(const char *wish)
{
    return !wish || !strcmp(wish, "copy");
}

static bool are_kept(const char *wish)
{
    return !wish || strcmp(wish, "none") != 0;
}

/* Streams of each kind, and how many texts are converted. */
typedef struct Counts {
    size_t of[MEDIA_DATA + 1], converted;
} Counts;

static Counts count_streams(const OtherStreams *others, const Container *container)
{
    Counts counts = {.converted = 0};
    for (size_t i = 0; i < others->n; i++) {
        counts.of[others->stream[i].kind]++;
        counts.converted += are_copied(others->subs) && conversion(&others->stream[i], container);
    }
    return counts;
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
    return !word_is_among("map frames", name, length) && stream[0] == ':' && stream[1] == kind &&
           (!stream[2] || stream[2] == ':');
}

/* Would it change the video, or which streams and frames an output has? */
static bool is_of_video(const char *name, char kind)
{
    const char *stream = strchr(name, ':');
    const bool is_video =
        encode_option_is_ours(name) ||
        (stream ? stream[1] == 'v' || stream[1] == 'V'
                : word_is_among("q qscale crf qp profile level tune", name, strlen(name)));
    return is_video && !is_of_kind(name, kind);
}

static int check_wish(const char *option, const char *wish, Message *why)
{
    ArgumentList words = {0};
    int err = 0;
    if (are_copied(wish) || !are_kept(wish))
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

static void add_subtitles(const OtherStreams *others, const Container *container,
                          bool are_converted, ArgumentList *list)
{
    size_t n = 0;
    if (!are_copied(others->subs)) {
        add_words(others->subs, list);
        return;
    }
    if (!are_converted) {
        arguments_option(list, "-c:s", "copy");
        return;
    }
    for (size_t i = 0; i < others->n; i++) {
        const OtherStream *stream = &others->stream[i];
        if (stream->kind != MEDIA_TEXT && stream->kind != MEDIA_BITMAP)
            continue;
        const char *encoder = conversion(stream, container);
        arguments_print(list, "-c:s:%zu", n++);
        arguments_add(list, encoder ? encoder : "copy");
    }
}

void other_streams_keep(const OtherStreams *others, int input, const char *output,
                        ArgumentList *list)
{
    const Container *container = container_of(output);
    const Counts counts = count_streams(others, container);
    const bool attaches = counts.of[MEDIA_ATTACHMENT] && container->has_attachments;
    const bool has_audio = are_kept(others->audio), has_subs = are_kept(others->subs);
    if (has_audio)
        arguments_option(list, "-map", "%d:a?", input);
    if (has_subs)
        arguments_option(list, "-map", "%d:s?", input);
    if (attaches)
        arguments_option(list, "-map", "%d:t?", input);
    if (has_audio && are_copied(others->audio))
        arguments_option(list, "-c:a", "copy");
    else if (has_audio)
        add_words(others->audio, list);
    if (has_subs)
        add_subtitles(others, container, counts.converted > 0, list);
    /* Else ffmpeg makes the first of them the one that is shown. */
    if (has_subs && counts.of[MEDIA_TEXT] + counts.of[MEDIA_BITMAP] > 1)
        arguments_option(list, "-disposition:v:0", "default");
    if (attaches)
        arguments_option(list, "-c:t", "copy");
}

void output_add_tags(const char *output, const char *codec, const char *settings,
                     ArgumentList *list)
{
    const Container *container = container_of(output);
    if (container->is_mp4 && !strcmp(codec, "hevc")) /* as players of Apple's want it */
        arguments_option(list, "-tag:v", "hvc1");
    if (container->has_metadata && settings)
        arguments_option(list, "-metadata:s:v:0", "ENCODER_SETTINGS=%s", settings);
}

void other_streams_explain(const OtherStreams *others, const char *output, Message *text)
{
    static const char *const names[MEDIA_DATA + 1] = {
        [MEDIA_ATTACHMENT] = "attachments, such as fonts",
        [MEDIA_COVER] = "cover art",
        [MEDIA_VIDEO] = "further video streams",
        [MEDIA_DATA] = "data streams",
    };
    const Container *container = container_of(output);
    const Counts counts = count_streams(others, container);
    size_t used = 0;
    text->text[0] = '\0';
    for (size_t kind = 0; kind <= MEDIA_DATA; kind++)
        if (names[kind] && counts.of[kind] &&
            !(kind == MEDIA_ATTACHMENT && container->has_attachments))
            used += (size_t)snprintf(text->text + used, sizeof(text->text) - used, "%s%s (%zu)",
                                     used ? ", " : "left out: ", names[kind], counts.of[kind]);
    if (counts.converted)
        snprintf(text->text + used, sizeof(text->text) - used,
                 "%ssubtitles that are converted to %s: %zu", used ? "; " : "", container->text,
                 counts.converted);
}
