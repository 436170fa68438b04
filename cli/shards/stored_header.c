/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Headers of files of stored records as they are read. Nothing in them is trusted. */
#include "shards_internal.h"

#include "common/json.h"
#include "common/messages.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number from 0 to `most`. False: it is none. */
static bool get_number(const json_t *object, const char *key, unsigned most, unsigned *number)
{
    const json_t *value = json_object_get(object, key);
    const json_int_t integer = json_integer_value(value);
    *number = (unsigned)integer;
    return json_is_integer(value) && integer >= 0 && (unsigned long long)integer <= most;
}

/* The text that a function prints of an object, to be freed. NULL: it cannot, or without memory. */
static char *text_of(bool (*put)(FILE *out, const json_t *object), const json_t *object)
{
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    if (!out)
        return NULL;
    const bool made = put(out, object);
    return text_end(&buffer, made ? 0 : -EBADMSG);
}

static int wrong(const char *path, Message *why, const char *what)
{
    return message_set(why, -EBADMSG, "%s: its header is wrong: %s", path, what);
}

/* -- where it belongs -- */

static int take_place(const json_t *header, const json_t *end, uint64_t rows, ShardAbout *about)
{
    const json_t *range = json_object_get(header, "range");
    about->is_whole = json_is_null(json_object_get(range, "end"));
    if (!get_number(range, "begin", UINT_MAX, &about->begin) ||
        !get_number(end, "pairs", UINT_MAX, &about->pairs))
        return -1;
    about->end = about->begin + (unsigned)rows;
    if (about->is_whole)
        return about->begin || rows != about->pairs ? -1 : 0;
    unsigned finish, pairs;
    if (!get_number(range, "end", UINT_MAX, &finish) ||
        !get_number(json_object_get(header, "run"), "pairs", UINT_MAX, &pairs) ||
        !get_number(range, "shards", UINT_MAX, &about->n_shards) ||
        !get_number(range, "shard", UINT_MAX, &about->shard))
        return -1;
    return finish < about->begin || finish - about->begin != rows || pairs != about->pairs ||
                   finish > pairs
               ? -1
               : 0;
}

int shard_header_about(const json_t *header, const json_t *end, uint64_t rows, const char *path,
                       ShardAbout *about, Message *why)
{
    *about = (ShardAbout){.begin = 0};
    return rows > UINT_MAX || take_place(header, end, rows, about)
               ? message_set(why, -EBADMSG, "%s: it has other frames than it says", path)
               : 0;
}

int shard_header_check_version(const json_t *header, const char *path, Message *why)
{
    const char *version = json_text_of(header, "libvmaf");
    if (version && !strcmp(version, vmaf_version()))
        return 0;
    return message_set(why, -EINVAL, "%s: libvmaf %s has made it, this is %s", path,
                       version ? version : "of unknown version", vmaf_version());
}

static bool names_files(const json_t *record)
{
    const char *key, *feature = json_text_of(record, "feature");
    json_t *value;
    json_object_foreach(json_object_get(record, "options"), key, value)
    {
        if (feature && !json_is_null(value) && catalogue_option_names_files(feature, key))
            return true;
    }
    return false;
}

int shard_header_check_layout(const json_t *header, const char *path, Message *why)
{
    const json_t *records = json_object_get(json_object_get(header, "layout"), "records");
    for (size_t i = 0; i < json_array_size(records); i++) {
        if (names_files(json_array_get(records, i)))
            return wrong(path, why, "an option names files");
    }
    return 0;
}

/* -- what it belongs to -- */

/* The name of the first member that differs; NULL: none does. `names`: those that may. */
static const char *difference(const json_t *a, const json_t *b, const char *may_differ)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)a, key, value)
    {
        if (strcmp(key, may_differ) != 0 && !json_equal(value, json_object_get(b, key)))
            return key;
    }
    json_object_foreach((json_t *)b, key, value)
    {
        if (!json_object_get(a, key))
            return key;
    }
    return NULL;
}

static const char *video_difference(const json_t *first, const json_t *other, const char *role)
{
    const json_t *a = json_object_get(json_object_get(first, "input"), role);
    const json_t *b = json_object_get(json_object_get(other, "input"), role);
    return difference(a, b, "name");
}

int shard_header_compare(const json_t *first, const char *first_path, const json_t *other,
                         const char *path, Message *why)
{
    const char *key = difference(json_object_get(first, "run"), json_object_get(other, "run"), "");
    if (key)
        return message_set(why, -EINVAL, "%s belongs to another run than %s: other %s", path,
                           first_path, key);
    static const char *const roles[] = {"reference", "distorted"};
    for (int i = 0; i < 2; i++) {
        key = video_difference(first, other, roles[i]);
        if (key)
            return message_set(why, -EINVAL, "%s is about another %s video than %s: other %s", path,
                               roles[i], first_path, key);
    }
    if (json_equal(json_object_get(first, "clock_passed_over"),
                   json_object_get(other, "clock_passed_over")))
        return 0;
    return message_set(why, -EINVAL, "%s belongs to another run than %s: other start", path,
                       first_path);
}

/* -- models and features -- */

static bool put_overloads(FILE *out, const json_t *overloads)
{
    for (size_t i = 0; i < json_array_size(overloads); i++) {
        const json_t *change = json_array_get(overloads, i);
        const char *extractor = json_string_value(json_array_get(change, 0));
        const char *option = json_string_value(json_array_get(change, 1));
        const char *value = json_string_value(json_array_get(change, 2));
        if (!extractor || !option || !value)
            return false;
        fprintf(out, ":%s.%s=%s", extractor, option, value);
    }
    return true;
}

/* As -m takes it. */
static bool put_model(FILE *out, const json_t *model)
{
    const char *version = json_text_of(model, "version"), *path = json_text_of(model, "path");
    const char *name = json_text_of(model, "name");
    if ((!version && !path) || !name)
        return false;
    fprintf(out, "%s=%s:name=%s", version ? "version" : "path", version ? version : path, name);
    return put_overloads(out, json_object_get(model, "overloads"));
}

/* As --feature takes it. */
static bool put_feature(FILE *out, const json_t *feature)
{
    const char *name = json_text_of(feature, "name");
    const json_t *options = json_object_get(feature, "options");
    if (!name)
        return false;
    fputs(name, out);
    for (size_t i = 0; i < json_array_size(options); i++) {
        const json_t *option = json_array_get(options, i);
        const char *key = json_string_value(json_array_get(option, 0));
        const char *value = json_string_value(json_array_get(option, 1));
        if (!key || !value)
            return false;
        fprintf(out, "%c%s=%s", i ? ':' : '=', key, value);
    }
    return true;
}

static bool take_content(ModelSpec *spec, const json_t *model)
{
    const json_t *file = json_object_get(model, "file");
    if (spec->version)
        return true;
    if (!json_is_string(file))
        return false;
    spec->content_size = json_string_length(file);
    spec->content = malloc(spec->content_size + 1);
    if (spec->content)
        memcpy(spec->content, json_string_value(file), spec->content_size + 1);
    return spec->content != NULL;
}

static bool is_text(const json_t *value, const char *text)
{
    return json_is_string(value) && !strcmp(json_string_value(value), text);
}

/* Is the option what the header says, and none that names files? */
static bool is_option(const json_t *pair, size_t at, const char *extractor, const char *option,
                      const char *value)
{
    return is_text(json_array_get(pair, at), option) &&
           is_text(json_array_get(pair, at + 1), value) &&
           !catalogue_option_names_files(extractor, option);
}

/* A text of the header that has a separator in it would be taken apart as something else. */
static bool is_that_model(const ModelSpec *spec, const json_t *model)
{
    const json_t *overloads = json_object_get(model, "overloads");
    bool is_that =
        is_text(json_object_get(model, "name"), spec->name) && !spec->is_auto && !spec->flags &&
        json_array_size(overloads) == spec->n_overloads &&
        is_text(json_object_get(model, spec->version ? "version" : "path"), model_spec_label(spec));
    for (unsigned i = 0; i < spec->n_overloads && is_that; i++) {
        const ModelOverload *change = &spec->overloads[i];
        const json_t *triple = json_array_get(overloads, i);
        is_that = is_text(json_array_get(triple, 0), change->extractor) &&
                  is_option(triple, 1, change->extractor, change->option, change->value);
    }
    return is_that;
}

static bool is_that_feature(const FeatureSpec *spec, const json_t *feature)
{
    const json_t *options = json_object_get(feature, "options");
    bool is_that = is_text(json_object_get(feature, "name"), spec->name) &&
                   json_array_size(options) == spec->n_options;
    for (unsigned i = 0; i < spec->n_options && is_that; i++)
        is_that = is_option(json_array_get(options, i), 0, spec->name, spec->options[i].name,
                            spec->options[i].value);
    return is_that;
}

static int take_model(Options *options, const json_t *model, Message *why)
{
    enum { FLAGS = VMAF_MODEL_FLAG_DISABLE_CLIP | VMAF_MODEL_FLAG_ENABLE_TRANSFORM };
    ModelSpec *spec = &options->models[options->n_models];
    unsigned flags;
    char *text = options->n_models < MAX_MODELS ? text_of(put_model, model) : NULL;
    int err = text ? model_spec_parse(spec, text, why) : -EBADMSG;
    free(text);
    if (err)
        return err;
    options->n_models++;
    if (!is_that_model(spec, model) || !get_number(model, "flags", FLAGS, &flags) ||
        !take_content(spec, model))
        return -EBADMSG;
    spec->flags = flags;
    return 0;
}

static int take_feature(Options *options, const json_t *feature, Message *why)
{
    FeatureSpec *spec = &options->features[options->n_features];
    char *text = options->n_features < MAX_FEATURES ? text_of(put_feature, feature) : NULL;
    const int err = text ? feature_spec_parse(spec, text, why) : -EBADMSG;
    free(text);
    if (err)
        return err;
    options->n_features++;
    return is_that_feature(spec, feature) ? 0 : -EBADMSG;
}

int shard_header_take_choice(const json_t *header, Options *options, const char *path, Message *why)
{
    const json_t *run = json_object_get(header, "run");
    const json_t *models = json_object_get(run, "models");
    const json_t *features = json_object_get(run, "features");
    int err = 0;
    if (!json_is_array(models) || !json_is_array(features))
        err = -EBADMSG;
    for (size_t i = 0; i < json_array_size(models) && !err; i++)
        err = take_model(options, json_array_get(models, i), why);
    for (size_t i = 0; i < json_array_size(features) && !err; i++)
        err = take_feature(options, json_array_get(features, i), why);
    if (!err)
        err = command_line_check_defaults(options, why);
    options->no_prediction = json_is_true(json_object_get(run, "no_prediction"));
    return err ? wrong(path, why, "models or features") : 0;
}

int shard_header_take_frames(const json_t *header, Options *options, unsigned *passed_over,
                             const char *path, Message *why)
{
    const json_t *run = json_object_get(header, "run");
    return get_number(run, "subsample", UINT_MAX, &options->subsample) && options->subsample &&
                   get_number(run, "skip_reference", UINT_MAX, &options->skip_reference) &&
                   get_number(run, "skip_distorted", UINT_MAX, &options->skip_distorted) &&
                   get_number(header, "clock_passed_over", UINT_MAX, passed_over)
               ? 0
               : wrong(path, why, "its frames");
}

/* -- the videos -- */

typedef enum Type { TEXT, INTEGER, SECONDS, FLAG, TWO_NUMBERS, OBJECT } Type;

typedef struct Member {
    const char *key;
    Type type;
    const struct Member *members; /* of an object; ends with a NULL key */
} Member;

static const Member display_members[] = {
    {"red", TWO_NUMBERS, NULL},   {"green", TWO_NUMBERS, NULL},     {"blue", TWO_NUMBERS, NULL},
    {"white", TWO_NUMBERS, NULL}, {"luminance", TWO_NUMBERS, NULL}, {NULL, TEXT, NULL},
};

static const Member light_members[] = {
    {"max", INTEGER, NULL},
    {"max_frame_average", INTEGER, NULL},
    {NULL, TEXT, NULL},
};

/* The members that input_print_json prints, in its order and with its formats. */
static const Member report_members[] = {
    {"width", INTEGER, NULL},
    {"height", INTEGER, NULL},
    {"pixel_format", TEXT, NULL},
    {"bit_depth", INTEGER, NULL},
    {"range", TEXT, NULL},
    {"matrix", TEXT, NULL},
    {"primaries", TEXT, NULL},
    {"transfer", TEXT, NULL},
    {"container", TEXT, NULL},
    {"codec", TEXT, NULL},
    {"profile", TEXT, NULL},
    {"level", INTEGER, NULL},
    {"frame_rate", TEXT, NULL},
    {"sample_aspect_ratio", TEXT, NULL},
    {"duration", SECONDS, NULL},
    {"rotation", INTEGER, NULL},
    {"interlaced", FLAG, NULL},
    {"mastering_display", OBJECT, display_members},
    {"content_light", OBJECT, light_members},
    {"decoder", TEXT, NULL},
    {"crop", TEXT, NULL},
    {NULL, TEXT, NULL},
};

static bool put_members(FILE *out, const json_t *object, const Member *members);

static bool put_two(FILE *out, const json_t *pair)
{
    const json_t *first = json_array_get(pair, 0), *second = json_array_get(pair, 1);
    fprintf(out, "[%.9g, %.9g]", json_number_value(first), json_number_value(second));
    return json_array_size(pair) == 2 && json_is_number(first) && json_is_number(second);
}

static bool put_value(FILE *out, const json_t *value, const Member *member)
{
    switch (member->type) {
    case TEXT:
        json_string_print(out, json_is_string(value) ? json_string_value(value) : "");
        return json_is_string(value);
    case INTEGER:
        fprintf(out, "%lld", (long long)json_integer_value(value));
        return json_is_integer(value);
    case SECONDS:
        fprintf(out, "%.6f", json_number_value(value));
        return json_is_number(value);
    case FLAG:
        fputs(json_is_true(value) ? "true" : "false", out);
        return json_is_boolean(value);
    case TWO_NUMBERS:
        return put_two(out, value);
    case OBJECT:
        break;
    }
    fputc('{', out);
    const bool is_right = put_members(out, value, member->members);
    fputc('}', out);
    return is_right;
}

/* Writes the members of an object. False if one of them is unknown, or not what it has to be. */
static bool put_members(FILE *out, const json_t *object, const Member *members)
{
    size_t count = 0;
    bool is_right = json_is_object(object);
    for (const Member *member = members; member->key && is_right; member++) {
        const json_t *value = json_object_get(object, member->key);
        if (!value)
            continue;
        fprintf(out, "%s\"%s\": ", count || members == report_members ? ", " : "", member->key);
        is_right = put_value(out, value, member);
        count++;
    }
    return is_right && count == json_object_size(object);
}

/* What reports say of a video behind its name, made of the object in a header, as input_print_json
 * printed it in the run. False for anything that it does not print. */
static bool put_report(FILE *out, const json_t *report)
{
    return put_members(out, report, report_members);
}

static bool take_pixel_format(const json_t *run, VideoFormat *format)
{
    const char *name = json_text_of(run, "pixel_format");
    for (unsigned i = VMAF_PIX_FMT_YUV420P; name && i <= VMAF_PIX_FMT_YUV400P; i++) {
        format->pixel_format = (enum VmafPixelFormat)i;
        if (!strcmp(video_format_name(format->pixel_format), name))
            return true;
    }
    return false;
}

int shard_header_take_video(const json_t *header, const char *role, StoredVideo *video,
                            const char *path, Message *why)
{
    const json_t *run = json_object_get(header, "run");
    const json_t *stored = json_object_get(json_object_get(header, "input"), role);
    const char *kind = json_text_of(stored, "kind");
    VideoFormat *format = &video->format;
    *video = (StoredVideo){.name = json_text_of(stored, "name")};
    if (!video->name || !kind || !take_pixel_format(run, format) ||
        !get_number(run, "width", VIDEO_MAX_SIDE, &format->width) ||
        !get_number(run, "height", VIDEO_MAX_SIDE, &format->height) ||
        !get_number(stored, "bit_depth", 16, &format->bit_depth) ||
        !get_number(stored, "rate_num", UINT_MAX, &format->rate_num) ||
        !get_number(stored, "rate_den", UINT_MAX, &format->rate_den))
        return wrong(path, why, "its videos");
    video->is_media = !strcmp(kind, "media");
    video->report = text_of(put_report, json_object_get(stored, "report"));
    return video->report ? 0 : wrong(path, why, "its videos");
}

void shard_header_take_notes(const json_t *object, const char *key, Notes *notes)
{
    const json_t *list = json_object_get(object, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text)
            notes_add(notes, "%s", text);
    }
}

enum AlignMode shard_header_align(const json_t *header, bool *can_apply)
{
    const json_t *run = json_object_get(header, "run");
    const char *mode = json_text_of(run, "align");
    *can_apply = json_is_true(json_object_get(run, "align_can_apply"));
    if (!mode || !strcmp(mode, "off"))
        return ALIGN_OFF;
    return strcmp(mode, "strict") ? ALIGN_CHECK : ALIGN_STRICT;
}

const char *shard_end_ended_first(const json_t *end)
{
    const char *role = json_text_of(end, "ended_first");
    if (!role)
        return NULL;
    return strcmp(role, "reference") ? "distorted" : "reference";
}
