/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encode/arguments.h"
#include "tune/encode/encode_request.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which filters there are ---- */

typedef enum FilterKind {
    KIND_UNKNOWN,
    KIND_GEOMETRY,    /* of the pixels of the source: not behind something that scales */
    KIND_SHAPE,       /* by itself, of any size */
    KIND_DEINTERLACE, /* with neighbours; has to see the source's own lines */
    KIND_TIME,        /* decides which frames there are */
    KIND_TONE,        /* to another dynamic range */
    KIND_FORMAT,      /* of samples: only between those that map tones does the reference have it */
    KIND_SCALE,       /* the reference keeps its size */
    KIND_PICTURE,     /* another picture, by itself */
} FilterKind;

static const struct {
    FilterKind kind;
    const char *names;
} known[] = {
    {KIND_GEOMETRY, "crop rotate"},
    {KIND_SHAPE, "transpose hflip vflip null setdar setsar setfield setparams"},
    {KIND_DEINTERLACE, "yadif bwdif estdif w3fdif"},
    {KIND_TIME, "fps decimate fieldmatch"},
    {KIND_TONE, "tonemap zscale"},
    {KIND_FORMAT, "format"},
    {KIND_SCALE, "scale"},
    {KIND_PICTURE, "avgblur bilateral cas colorspace deband delogo drawbox eq gblur lut3d nlmeans "
                   "pad unsharp"},
};

enum { N_KNOWN = sizeof known / sizeof *known };

/* One of a chain. */
typedef struct Filter {
    const char *text; /* which begins with its name */
    size_t length, n_name;
    const char *values; /* behind its name; empty if there are none */
    size_t n_values;
} Filter;

/* To the next of these characters that is neither quoted nor escaped; to the end. */
static size_t span(const char *text, size_t length, const char *ends)
{
    bool is_quoted = false;
    size_t i = 0;
    for (; i < length; i++) {
        if (text[i] == '\'')
            is_quoted = !is_quoted;
        else if (text[i] == '\\' && !is_quoted && i + 1 < length)
            i++;
        else if (!is_quoted && strchr(ends, text[i]))
            break;
    }
    return i;
}

/* The value number `place`, or that of this name; its length in *length. NULL: it is not given. */
static const char *find_value(const Filter *filter, const char *name, int place, size_t *length)
{
    const char *text = filter->values, *end = text + filter->n_values;
    const size_t n_name = strlen(name);
    for (int i = 0; text < end; i++) {
        *length = span(text, (size_t)(end - text), ":");
        const size_t key = span(text, *length, "=");
        if (key < *length && key == n_name && !strncmp(text, name, key)) {
            *length -= key + 1;
            return text + key + 1;
        }
        if (key == *length && i == place)
            return text;
        text += *length + 1;
    }
    return NULL;
}

/* Does an expression change from frame to frame? */
static bool depends_on_time(const Filter *filter)
{
    const char *text = filter->values, *end = text + filter->n_values;
    while (text < end) {
        const char *word = text;
        while (text < end && (isalnum((unsigned char)*text) || *text == '_'))
            text++;
        const size_t length = (size_t)(text - word);
        const bool is_key = text < end && *text == '=';
        if (word_is_among(is_key ? "enable" : "enable n t pos", word, length))
            return true;
        text += !length;
    }
    return false;
}

/* A quarter of a turn, or several. */
static bool is_right_angle(const Filter *filter)
{
    size_t length;
    const char *angle = find_value(filter, "angle", 0, &length);
    if (!angle)
        angle = find_value(filter, "a", -1, &length);
    return angle && word_is_among("PI PI/2 -PI/2 3*PI/2 -PI 0", angle, length);
}

static bool has_size(const Filter *filter)
{
    static const char *const names[] = {"w", "width", "h", "height", "size", "s"};
    size_t length;
    bool has = find_value(filter, "", 0, &length) != NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        has |= find_value(filter, names[i], -1, &length) != NULL;
    return has;
}

static FilterKind kind_of(const Filter *filter)
{
    if ((word_is_among("rotate", filter->text, filter->n_name) && !is_right_angle(filter)) ||
        (word_is_among("zscale", filter->text, filter->n_name) && has_size(filter)))
        return KIND_UNKNOWN;
    for (int i = 0; i < N_KNOWN; i++)
        if (word_is_among(known[i].names, filter->text, filter->n_name))
            return known[i].kind;
    return KIND_UNKNOWN;
}

/* Frames that a deinterlacer makes of one; 0: that depends on the frame. */
static unsigned frames_of_deinterlacer(const Filter *filter)
{
    const int place = word_is_among("w3fdif", filter->text, filter->n_name); /* of its mode */
    size_t length;
    const char *which = find_value(filter, "deint", place + 2, &length);
    if (which && !word_is_among("0 all", which, length))
        return 0;
    const char *mode = find_value(filter, "mode", place, &length);
    if (!mode)
        return word_is_among("yadif", filter->text, filter->n_name) ? 1 : 2;
    return word_is_among("1 3 field send_field send_field_nospatial", mode, length) ? 2 : 1;
}

/* ---- A chain ---- */

static int read_filter(Filter *filter, const char *text, size_t length, const char *chain,
                       Message *why)
{
    for (; length && strchr(" \t\n", *text); text++)
        length--;
    while (length && strchr(" \t\n", text[length - 1]))
        length--;
    const size_t head = span(text, length, "="), name = span(text, head, "@");
    if (!name || span(text, length, "[];") < length)
        return message_set(why, -EINVAL,
                           "\"%s\" is no chain of filters: it is to be names with values, "
                           "separated by commas",
                           chain);
    const size_t behind = head < length ? head + 1 : length;
    *filter = (Filter){text, length, name, text + behind, length - behind};
    return 0;
}

/* " T.C name  V->V  Deinterlace ...", or with other flags. */
static bool is_listed(const Filter *filter, const char *list)
{
    char name[64];
    for (const char *line = list; line; line = strchr(line + 1, '\n'))
        if (sscanf(line, "%*s %63s %*s", name) == 1 && strlen(name) == filter->n_name &&
            !strncmp(name, filter->text, filter->n_name))
            return true;
    return false;
}

int filter_chain_check(const char *chain, const char *list, Message *why)
{
    const char *text = chain, *end = chain + strlen(chain);
    while (text <= end) {
        const size_t length = span(text, (size_t)(end - text), ",");
        Filter filter = {.text = NULL};
        const int err = read_filter(&filter, text, length, chain, why);
        if (err)
            return err;
        if (!is_listed(&filter, list))
            return message_set(why, -EINVAL,
                               "--vfilter: this ffmpeg has no filter \"%.*s\" (ffmpeg -filters "
                               "lists those that it has)",
                               (int)filter.n_name, filter.text);
        text += length + 1;
    }
    return 0;
}

/* What a chain is as a whole, while it is read. */
typedef struct Reading {
    VideoFilters *filters;
    bool maps_tones, scales;
    ArgumentList kept; /* of the reference */
    bool is_reference; /* nothing of it is left out */
} Reading;

static void widen_reach(VideoFilters *filters, MediaReach reach)
{
    if (reach > filters->reach)
        filters->reach = reach;
}

static void note_reach(Reading *reading, const Filter *filter, FilterKind kind)
{
    VideoFilters *filters = reading->filters;
    if (kind == KIND_UNKNOWN || kind == KIND_TIME || depends_on_time(filter))
        widen_reach(filters, MEDIA_REACH_ALL);
    filters->is_unsteady |= kind == KIND_UNKNOWN;
    if (kind != KIND_DEINTERLACE)
        return;
    const unsigned frames = frames_of_deinterlacer(filter);
    widen_reach(filters, frames ? MEDIA_REACH_NEAR : MEDIA_REACH_ALL);
    filters->is_unsteady |= frames == 0;
    filters->per_frame *= frames ? frames : 1;
}

/* Is it one that the reference gets? *is_kept. */
static int judge(Reading *reading, const Filter *filter, FilterKind kind, bool *is_kept,
                 Message *why)
{
    *is_kept = kind != KIND_SCALE && (kind != KIND_FORMAT || reading->maps_tones);
    if (reading->is_reference) {
        *is_kept = true;
        return 0;
    }
    if (kind == KIND_UNKNOWN || kind == KIND_PICTURE)
        return message_set(why, -EINVAL,
                           "--vfilter: whether the reference of scores is to be filtered by "
                           "\"%.*s\" as well is not known: give --reference-vfilter CHAIN (null: "
                           "not at all)",
                           (int)filter->length, filter->text);
    if (reading->scales && (kind == KIND_GEOMETRY || kind == KIND_DEINTERLACE))
        return message_set(why, -EINVAL,
                           "--vfilter: \"%.*s\" stands behind something that scales, which the "
                           "reference of scores is not: put it before that, or give "
                           "--reference-vfilter CHAIN",
                           (int)filter->length, filter->text);
    return 0;
}

static int read_chain(Reading *reading, const char *chain, Message *why)
{
    const char *text = chain, *end = chain + strlen(chain);
    int err = 0;
    while (text <= end && !err) {
        const size_t length = span(text, (size_t)(end - text), ",");
        Filter filter = {.text = NULL};
        bool is_kept = false;
        err = read_filter(&filter, text, length, chain, why);
        text += length + 1;
        if (err)
            break;
        const FilterKind kind = kind_of(&filter);
        reading->maps_tones |= kind == KIND_TONE;
        err = judge(reading, &filter, kind, &is_kept, why);
        reading->scales |= kind == KIND_SCALE;
        note_reach(reading, &filter, kind);
        if (!err && is_kept)
            arguments_print(&reading->kept, "%.*s", (int)filter.length, filter.text);
    }
    return err ? err : reading->kept.error;
}

static int read_reference(VideoFilters *filters, const char *chain, Message *why)
{
    VideoFilters own = {.per_frame = 1};
    Reading reading = {.filters = &own, .is_reference = true};
    const int err = read_chain(&reading, chain, why);
    arguments_free(&reading.kept);
    filters->is_unsteady |= own.is_unsteady;
    widen_reach(filters, own.per_frame == filters->per_frame ? own.reach : MEDIA_REACH_ALL);
    if (err || !strcmp(chain, "null"))
        return err;
    filters->reference = strdup(chain);
    return filters->reference ? 0 : -ENOMEM;
}

static int read_encode(VideoFilters *filters, const char *chain, bool has_reference, Message *why)
{
    Reading reading = {.filters = filters, .is_reference = has_reference};
    const int err = read_chain(&reading, chain, why);
    filters->encode = strdup(chain);
    const bool has_own = !err && !has_reference && reading.kept.n;
    if (has_own)
        filters->reference = arguments_line(&reading.kept, ",", QUOTES_NEVER);
    arguments_free(&reading.kept);
    return err ? err : filters->encode && (filters->reference || !has_own) ? 0 : -ENOMEM;
}

int video_filters_open(VideoFilters *filters, const char *encode, const char *reference,
                       Message *why)
{
    *filters = (VideoFilters){.per_frame = 1};
    int err = encode ? read_encode(filters, encode, reference != NULL, why) : 0;
    if (!err && reference)
        err = read_reference(filters, reference, why);
    return err == -ENOMEM ? message_set(why, err, "out of memory") : err;
}

void video_filters_close(VideoFilters *filters)
{
    free(filters->encode);
    free(filters->reference);
    *filters = (VideoFilters){0};
}

void video_filters_explain(const VideoFilters *filters, Message *text)
{
    text->text[0] = '\0';
    if (!filters->encode && !filters->reference)
        return;
    if (!filters->reference)
        message_set(text, 0, "the reference of scores is not filtered");
    else if (filters->encode && !strcmp(filters->encode, filters->reference))
        message_set(text, 0, "the reference of scores is filtered as encodes are: %s",
                    filters->reference);
    else
        message_set(text, 0, "the reference of scores is filtered by %s, encodes by %s",
                    filters->reference, filters->encode ? filters->encode : "nothing");
}
