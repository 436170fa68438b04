/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model_spec.h"

#include "catalogue.h"
#include "common/messages.h"
#include "feature_spec.h"

#include "libvmaf/model.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/path.h"

static const struct {
    const char *name;
    enum VmafModelFlags flag;
} flag_names[] = {
    {"disable_clip", VMAF_MODEL_FLAG_DISABLE_CLIP},
    {"enable_transform", VMAF_MODEL_FLAG_ENABLE_TRANSFORM},
};
enum { N_FLAGS = sizeof(flag_names) / sizeof(flag_names[0]) };

/* Switches a flag on; with a value other than "true" nothing happens. False if not a flag. */
static bool take_flag(ModelSpec *spec, const char *key, const char *value)
{
    for (int i = 0; i < N_FLAGS; i++) {
        if (strcmp(flag_names[i].name, key))
            continue;
        if (!value || !strcmp(value, "true"))
            spec->flags |= flag_names[i].flag;
        return true;
    }
    return false;
}

static int take_overload(ModelSpec *spec, char *key, char *dot, const char *value, Message *why)
{
    if (spec->n_overloads == MODEL_MAX_OVERLOADS) {
        return message_set(why, -EINVAL, "at most %d feature overloads per model",
                           MODEL_MAX_OVERLOADS);
    }
    *dot = '\0';
    spec->overloads[spec->n_overloads++] = (ModelOverload){key, dot + 1, value};
    return 0;
}

static int unknown_key(const char *key, Message *why)
{
    Suggestion suggestion = {.wanted = key};
    static const char *const keys[] = {"version", "path", "name"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        suggestion_offer(&suggestion, keys[i]);
    for (int i = 0; i < N_FLAGS; i++)
        suggestion_offer(&suggestion, flag_names[i].name);
    const char *nearest = suggestion_result(&suggestion);
    if (nearest) {
        return message_set(why, -EINVAL,
                           "Problem parsing model: unknown key \"%s\"; did you mean \"%s\"?", key,
                           nearest);
    }
    return message_set(why, -EINVAL, "Problem parsing model: unknown key \"%s\"", key);
}

/* Reports take names as they are: these letters would break XML, JSON or their lines. */
static int take_name(ModelSpec *spec, const char *name, Message *why)
{
    if (!name[0])
        return message_set(why, -EINVAL, "Problem parsing model: a name cannot be empty");
    for (const char *c = name; *c; c++) {
        if (strchr("\"\\<>&", *c) || (unsigned char)*c < ' ')
            return message_set(why, -EINVAL,
                               "Problem parsing model: a name cannot contain \" \\ < > & or "
                               "control characters");
    }
    spec->name = name;
    return 0;
}

/* Not key=value: the name of a model or of its file alone, most likely. */
static int bad_item(const char *item, Message *why)
{
    const char *nearest = catalogue_suggest_model(item);
    VmafFileStatus status;
    const bool is_file = !nearest && !vmaf_file_status_at(item, &status);
    return message_set(
        why, -EINVAL,
        "Problem parsing model: bad option string \"%s\", should be key=value%s%s%s%s", item,
        nearest || is_file ? "; did you mean \"" : "",
        nearest   ? "version="
        : is_file ? "path="
                  : "",
        nearest   ? nearest
        : is_file ? item
                  : "",
        nearest || is_file ? "\"?" : "");
}

static int take_item(ModelSpec *spec, char *item, Message *why)
{
    char *value = strchr(item, '=');
    if (value)
        *value++ = '\0';
    if (take_flag(spec, item, value))
        return 0;
    if (!value && !strcmp(item, "auto")) {
        spec->is_auto = true;
        return 0;
    }
    if (!value)
        return bad_item(item, why);
    if (!strcmp(item, "version")) {
        spec->version = value;
    } else if (!strcmp(item, "path")) {
        spec->path = value;
    } else if (!strcmp(item, "name")) {
        return take_name(spec, value, why);
    } else {
        char *dot = strchr(item, '.');
        return dot ? take_overload(spec, item, dot, value, why) : unknown_key(item, why);
    }
    return 0;
}

/* A model comes from one place. */
static int check_source(const ModelSpec *spec, const char *text, Message *why)
{
    if (!spec->version && !spec->path && !spec->is_auto) {
        return message_set(why, -EINVAL,
                           "Problem parsing model: \"%s\" has no version= and no path=", text);
    }
    if (spec->version && spec->path) {
        return message_set(why, -EINVAL,
                           "Problem parsing model: \"%s\" has both version= and path=; a model is "
                           "either built in or a file",
                           text);
    }
    if (spec->is_auto && (spec->version || spec->path)) {
        return message_set(why, -EINVAL,
                           "Problem parsing model: \"%s\" has both auto and %s; auto chooses among "
                           "the built-in models",
                           text, spec->version ? "version=" : "path=");
    }
    return 0;
}

int model_spec_parse(ModelSpec *spec, const char *text, Message *why)
{
    *spec = (ModelSpec){.name = "vmaf", .text = strdup(text)};
    if (!spec->text)
        return message_set(why, -ENOMEM, "out of memory");

    int err = 0;
    char *rest = spec->text;
    for (char *item; !err && (item = vmaf_path_next_part(&rest));) {
        if (item[0])
            err = take_item(spec, item, why);
    }
    if (!err)
        err = check_source(spec, text, why);
    if (err)
        model_spec_free(spec);
    return err;
}

void model_spec_free(ModelSpec *spec)
{
    free(spec->text);
    free(spec->content);
    *spec = (ModelSpec){0};
}

void model_spec_read_file(ModelSpec *spec)
{
    enum { LARGEST_FILE = 16 << 20 }; /* that the library reads */
    if (spec->path)
        (void)vmaf_file_load(spec->path, LARGEST_FILE, &spec->content, &spec->content_size);
}

int model_spec_check(const ModelSpec *spec, Message *why)
{
    for (unsigned i = 0; i < spec->n_overloads; i++) {
        const ModelOverload *overload = &spec->overloads[i];
        if (!catalogue_has_extractor(overload->extractor)) {
            const char *nearest = catalogue_suggest_extractor(overload->extractor);
            return message_set(why, -EINVAL, "Problem parsing model: no feature \"%s\"%s%s%s",
                               overload->extractor, nearest ? "; did you mean \"" : "",
                               nearest ? nearest : "", nearest ? "\"?" : "");
        }
        int err = feature_option_check(overload->extractor, overload->option, why);
        if (err)
            return err;
    }
    return 0;
}

const char *model_spec_label(const ModelSpec *spec)
{
    if (spec->version)
        return spec->version;
    return spec->path ? spec->path : "auto";
}
