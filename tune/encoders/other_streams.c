/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encoders/other_streams.h"

#include "platform/path.h"
#include "platform/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CODECS = 6 };

/* Containers that have their own idea of text, or room for attachments. */
static const struct {
    const char *extension, *text; /* the encoder of subtitles that are none of these: */
    const char *texts[MOST_CODECS];
    bool has_attachments;
} containers[] = {
    {"mkv", "srt", {"subrip", "ass", "ssa", "text", "webvtt", "hdmv_text_subtitle"}, true},
    {"webm", "webvtt", {"webvtt"}, false},
    {"mp4", "mov_text", {"mov_text"}, false},
    {"m4v", "mov_text", {"mov_text"}, false},
    {"mov", "mov_text", {"mov_text"}, false},
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

static size_t count_conversions(const OtherStreams *others, size_t container)
{
    size_t n = 0;
    for (size_t i = 0; i < others->n; i++)
        n += conversion(&others->stream[i], container) != NULL;
    return n;
}

static void add_subtitles(const OtherStreams *others, size_t container, ArgumentList *list)
{
    size_t n = 0;
    if (!count_conversions(others, container)) {
        arguments_add(list, "-c:s");
        arguments_add(list, "copy");
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
    bool has[N_OTHER_KINDS] = {false};
    for (size_t i = 0; i < others->n; i++)
        has[others->stream[i].kind] = true;
    const bool attaches = has[OTHER_ATTACHMENT] && has_attachments(container);
    for (const char *kind = attaches ? "ast" : "as"; *kind; kind++) {
        arguments_add(list, "-map");
        arguments_print(list, "%d:%c?", input, *kind);
    }
    arguments_add(list, "-c:a");
    arguments_add(list, "copy");
    add_subtitles(others, container, list);
    if (attaches) {
        arguments_add(list, "-c:t");
        arguments_add(list, "copy");
    }
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
