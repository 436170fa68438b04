/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Headers of files of stored records as they are written. A member that could not be made, since
 * there is no memory, is left out: Jansson takes no NULL. */
#include "shards_internal.h"

#include "common/hash.h"
#include "common/json.h"
#include "common/messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const align_names[] = {
    [ALIGN_OFF] = "off",
    [ALIGN_CHECK] = "check",
    [ALIGN_AUTO] = "check", /* what is found is applied, and then it checks */
    [ALIGN_STRICT] = "strict",
};

/* -- the run: options that name files are not kept with it -- */

static json_t *overloads_of(const ModelSpec *spec)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < spec->n_overloads; i++) {
        const ModelOverload *change = &spec->overloads[i];
        if (catalogue_option_names_files(change->extractor, change->option))
            continue;
        json_array_append_new(list, json_pack("[o,o,o]", json_text_or_null(change->extractor),
                                              json_text_or_null(change->option),
                                              json_text_or_null(change->value)));
    }
    return list;
}

/* As it was resolved: never auto. A file goes in whole, since it may be another one tomorrow. */
static json_t *model_of(const ModelSpec *spec)
{
    json_t *model = json_object();
    json_put_text(model, "name", spec->name);
    if (spec->version) {
        json_put_text(model, "version", spec->version);
    } else {
        json_put_text(model, "path", spec->path);
        json_object_set_new(model, "file", json_stringn(spec->content, spec->content_size));
    }
    json_put_integer(model, "flags", (json_int_t)spec->flags);
    json_object_set_new(model, "overloads", overloads_of(spec));
    return model;
}

static json_t *models_of(const Run *run)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < run->n_models; i++)
        json_array_append_new(list, model_of(run->models[i].spec));
    return list;
}

static json_t *feature_of(const FeatureSpec *spec)
{
    json_t *options = json_array();
    for (unsigned i = 0; i < spec->n_options; i++) {
        const FeatureOption *option = &spec->options[i];
        if (!catalogue_option_names_files(spec->name, option->name))
            json_array_append_new(options, json_pack("[o,o]", json_text_or_null(option->name),
                                                     json_text_or_null(option->value)));
    }
    json_t *feature = json_object();
    json_put_text(feature, "name", spec->name);
    json_object_set_new(feature, "options", options);
    return feature;
}

static json_t *features_of(const Options *options)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < options->n_features; i++)
        json_array_append_new(list, feature_of(&options->features[i]));
    return list;
}

static json_t *crop_of(const MediaCrop *crop)
{
    return json_pack("[i,i,i,i]", (int)crop->width, (int)crop->height, (int)crop->x, (int)crop->y);
}

/* How frames become pictures, as far as the pictures do not tell. */
static json_t *reading_of(const Run *run)
{
    const InputOptions *input = &run->options->input;
    json_t *reading = json_object();
    json_put_integer(reading, "scaler", input->match.scaler);
    json_object_set_new(reading, "crop_reference",
                        crop_of(&run->reference->reader.conversion.crop));
    json_object_set_new(reading, "crop_distorted", crop_of(&run->distorted.conversion.crop));
    json_put_integer(reading, "stream_reference", input_options_stream(input, false));
    json_put_integer(reading, "stream_distorted", input_options_stream(input, true));
    json_put_flag(reading, "pairs_by_time", input->pairs_by_time);
    return reading;
}

static json_t *run_of(const Run *run, const ShardRange *range)
{
    const Options *options = run->options;
    const VideoFormat *format = &run->reference->reader.format;
    json_t *object = json_object();
    json_object_set_new(object, "models", models_of(run));
    json_object_set_new(object, "features", features_of(options));
    json_put_flag(object, "no_prediction", options->no_prediction);
    json_put_integer(object, "subsample", options->subsample > 1 ? options->subsample : 1);
    json_put_integer(object, "width", format->width);
    json_put_integer(object, "height", format->height);
    json_put_text(object, "pixel_format", video_format_name(format->pixel_format));
    json_put_integer(object, "bit_depth", run_depth(run));
    json_object_set_new(object, "pairs", range ? json_integer(range->pairs) : json_null());
    json_object_set_new(object, "frames", range ? json_null() : json_integer(options->frame_count));
    json_put_integer(object, "skip_reference", options->skip_reference);
    json_put_integer(object, "skip_distorted", options->skip_distorted);
    json_object_set_new(object, "first_reference",
                        range ? json_integer((json_int_t)range->reference.base) : json_null());
    json_object_set_new(object, "first_distorted",
                        range ? json_integer((json_int_t)range->distorted.base) : json_null());
    json_put_text(object, "align", align_names[line_up_mode(options, input_is_media(run), false)]);
    json_put_flag(object, "align_can_apply", run->line_up.can_apply);
    json_object_set_new(object, "reading", reading_of(run));
    return object;
}

/* -- the inputs -- */

/* What reports say of a video, as an object. */
static json_t *report_members(const VideoReader *reader)
{
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    if (!out)
        return NULL;
    input_print_json(out, reader);
    char *text = text_end(&buffer, 0);
    json_t *members = text ? json_loads(text, 0, NULL) : NULL;
    (void)json_object_del(members, "file");
    free(text);
    return members;
}

/* What tells videos apart that are alike in all else. */
static int add_hash(json_t *input, const char *role, const VideoReader *reader, Message *why)
{
    char text[SHA256_TEXT_SIZE];
    const char *path = reader->input.path;
    if (!reader->input.source.is_file)
        return message_set(why, -EINVAL, "--sha256 needs a file: %s is none", path);
    const int err = file_sha256(path, text);
    if (err)
        return message_set(why, err, "could not read %s: %s", path, strerror(-err));
    json_object_set_new(json_object_get(input, role), "sha256", json_string(text));
    return 0;
}

static json_t *video_of(const VideoReader *reader, const ShardVideo *counted)
{
    const VideoFormat *format = &reader->format;
    const bool is_file = reader->input.source.is_file;
    json_t *video = json_object();
    json_put_text(video, "name", reader->input.path);
    json_object_set_new(video, "bytes",
                        is_file ? json_integer(reader->input.source.status.size) : json_null());
    json_object_set_new(video, "frames",
                        counted ? json_integer((json_int_t)counted->frames) : json_null());
    json_put_text(video, "kind", reader->media ? "media" : reader->raw ? "raw" : "y4m");
    json_put_integer(video, "bit_depth", format->bit_depth);
    json_put_integer(video, "rate_num", format->rate_num);
    json_put_integer(video, "rate_den", format->rate_den);
    json_object_set_new(video, "report", report_members(reader));
    return video;
}

static int input_of(const Run *run, const ShardRange *range, json_t **input, Message *why)
{
    const VideoReader *reference = &run->reference->reader;
    *input = json_object();
    json_object_set_new(*input, "reference", video_of(reference, range ? &range->reference : NULL));
    json_object_set_new(*input, "distorted",
                        video_of(&run->distorted, range ? &range->distorted : NULL));
    if (!run->options->sha256)
        return 0;
    const int err = add_hash(*input, "reference", reference, why);
    return err ? err : add_hash(*input, "distorted", &run->distorted, why);
}

static json_t *notes_from(const Notes *notes, unsigned first)
{
    json_t *list = json_array();
    for (unsigned i = first; i < notes->count; i++)
        json_array_append_new(list, json_text_or_null(notes->text[i]));
    return list;
}

/* -- the whole -- */

static json_t *range_of(const Run *run, const ShardRange *range)
{
    json_t *object = json_object();
    json_put_integer(object, "begin", range ? range->begin : 0);
    json_object_set_new(object, "end", range ? json_integer(range->end) : json_null());
    json_object_set_new(object, "shard",
                        range ? json_integer(run->options->shard.index) : json_null());
    json_object_set_new(object, "shards",
                        range ? json_integer(run->options->shard.count) : json_null());
    return object;
}

static json_t *row_of(const Run *run, const json_t *layout, ShardShape *shape)
{
    json_t *row = json_object();
    *shape = (ShardShape){
        .record_bytes = (size_t)json_integer_value(json_object_get(layout, "bytes")),
        .has_signatures = line_up_mode(run->options, input_is_media(run), false) != ALIGN_OFF,
    };
    json_put_integer(row, "bytes",
                     (json_int_t)shard_row_bytes(shape->record_bytes, shape->has_signatures));
    json_put_integer(row, "record", (json_int_t)shape->record_bytes);
    json_put_flag(row, "signatures", shape->has_signatures);
    return row;
}

static int layout_of(const Run *run, json_t **layout, Message *why)
{
    char *text = NULL;
    const int err = vmaf_records_layout(run->vmaf, &text);
    *layout = err ? NULL : json_loads(text, 0, NULL);
    free(text);
    if (!err && *layout)
        return 0;
    return message_set(why, err ? err : -ENOMEM, "records cannot be kept: %s",
                       strerror(err ? -err : ENOMEM));
}

/* A file that cannot be read twice, or is no text, cannot go into a header. */
static int check_models(const Run *run, Message *why)
{
    for (unsigned i = 0; i < run->n_models; i++) {
        const ModelSpec *spec = run->models[i].spec;
        json_t *text = spec->content ? json_stringn(spec->content, spec->content_size) : NULL;
        json_decref(text);
        if (!spec->version && !text)
            return message_set(why, -EINVAL,
                               "%s cannot be kept with the records: it is no file of text",
                               spec->path);
    }
    return 0;
}

int shard_header_make(const Run *run, const ShardRange *range, char **text, ShardShape *shape,
                      Message *why)
{
    json_t *layout = NULL, *input = NULL;
    *text = NULL;
    int err = check_models(run, why);
    if (!err)
        err = layout_of(run, &layout, why);
    if (!err)
        err = input_of(run, range, &input, why);
    if (err) {
        json_decref(layout);
        json_decref(input);
        return err;
    }
    json_t *header = json_object();
    json_put_text(header, "libvmaf", vmaf_version());
    json_object_set_new(header, "range", range_of(run, range));
    json_object_set_new(header, "row", row_of(run, layout, shape));
    json_object_set_new(header, "layout", layout);
    json_object_set_new(header, "run", run_of(run, range));
    json_object_set_new(header, "input", input);
    json_put_integer(header, "clock_passed_over", run->reference->clock.passed_over);
    json_object_set_new(header, "notes_reference", notes_from(&run->reference->notes, 0));
    json_object_set_new(header, "notes", notes_from(&run->notes, 0));
    /* A member that could not be made is missing. */
    if (json_object_size(header) == 9)
        *text = json_dumps(header, JSON_COMPACT);
    json_decref(header);
    return *text ? 0 : message_set(why, -ENOMEM, "records cannot be kept: out of memory");
}

char *shard_end_make(const Run *run, unsigned pairs, unsigned first_note)
{
    json_t *end = json_object();
    json_put_integer(end, "pairs", pairs);
    json_put_text(end, "ended_first", run->ended_first);
    json_put_text(end, "computed_by", backend_choice_where(run->vmaf, run->n_threads).text);
    json_object_set_new(end, "notes", notes_from(&run->notes, first_note));
    char *text = json_object_size(end) == 4 ? json_dumps(end, JSON_COMPACT) : NULL;
    json_decref(end);
    return text;
}
