/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Arguments that say several things: features, models and conditions, taken apart. */
#include "options_internal.h"

#include "common/messages.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/path.h"

/* -- features -- */

static size_t count_of(const char *text, char wanted)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == wanted;
    return count;
}

int feature_spec_parse(FeatureSpec *spec, const char *text, Message *why)
{
    *spec = (FeatureSpec){.text = strdup(text)};
    if (!spec->text)
        return message_set(why, -ENOMEM, "out of memory");

    spec->name = spec->text;
    char *rest = strchr(spec->text, '=');
    if (rest)
        *rest++ = '\0';
    if (!spec->name[0]) {
        message_set(why, 0, "no feature name in \"%s\"", text);
        goto fail;
    }
    if (!rest)
        return 0;

    spec->options = calloc(count_of(rest, ':') + 1, sizeof(*spec->options));
    if (!spec->options) {
        feature_spec_free(spec);
        return message_set(why, -ENOMEM, "out of memory");
    }
    for (char *item; (item = vmaf_path_next_part(&rest));) {
        if (!item[0])
            continue;
        char *value = strchr(item, '=');
        if (!value || value == item) {
            message_set(why, 0,
                        "Problem parsing feature \"%s\": bad option string \"%s\", "
                        "should be option=value",
                        text, item);
            goto fail;
        }
        *value++ = '\0';
        spec->options[spec->n_options++] = (FeatureOption){item, value};
    }
    return 0;

fail:
    feature_spec_free(spec);
    return -EINVAL;
}

void feature_spec_free(FeatureSpec *spec)
{
    free(spec->options);
    free(spec->text);
    *spec = (FeatureSpec){0};
}

/* One option; for --feature and for overloads in models alike. */
static int check_option(const char *extractor, const char *option, Message *why)
{
    VmafOptionInfo info;
    if (catalogue_find_option(extractor, option, &info))
        return 0;
    const char *nearest = catalogue_suggest_option(extractor, option);
    if (nearest) {
        return message_set(why, -EINVAL,
                           "feature \"%s\" has no option \"%s\"; did you mean \"%s\"?", extractor,
                           option, nearest);
    }
    return message_set(why, -EINVAL,
                       "feature \"%s\" has no option \"%s\"; --list-features shows what it has",
                       extractor, option);
}

int feature_spec_check(const FeatureSpec *spec, Message *why)
{
    char stem[64];
    const char *extractor = spec->name;
    if (!catalogue_has_extractor(extractor) &&
        backend_of_pinned_name(extractor, stem, sizeof(stem)))
        extractor = stem;
    if (!catalogue_has_extractor(extractor))
        return 0;
    for (unsigned i = 0; i < spec->n_options; i++) {
        int err = check_option(extractor, spec->options[i].name, why);
        if (err)
            return err;
    }
    return 0;
}

/* Does one of its options appear in the keys of scores? */
static bool shows(const FeatureSpec *spec)
{
    VmafOptionInfo info;
    for (unsigned i = 0; i < spec->n_options; i++) {
        if (catalogue_find_option(spec->name, spec->options[i].name, &info) && info.alias)
            return true;
    }
    return false;
}

bool feature_spec_same_keys(const FeatureSpec *a, const FeatureSpec *b)
{
    return !strcmp(a->name, b->name) && !shows(a) && !shows(b);
}

int feature_spec_dictionary(const FeatureSpec *spec, VmafFeatureDictionary **dictionary)
{
    *dictionary = NULL;
    for (unsigned i = 0; i < spec->n_options; i++) {
        int err =
            vmaf_feature_dictionary_set(dictionary, spec->options[i].name, spec->options[i].value);
        if (err) {
            vmaf_feature_dictionary_free(dictionary);
            return err;
        }
    }
    return 0;
}

/* -- models -- */

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
    return message_set(why, -EINVAL, "Problem parsing model: unknown key \"%s\"%s%s%s", key,
                       nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                       nearest ? "\"?" : "");
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
        int err = check_option(overload->extractor, overload->option, why);
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

/* -- conditions -- */

/* Longer ones first. */
static const struct {
    const char *sign;
    enum GateRelation relation;
} relations[] = {
    {">=", GATE_AT_LEAST},
    {"<=", GATE_AT_MOST},
    {">", GATE_ABOVE},
    {"<", GATE_BELOW},
};

static const char *const methods[] = {
    [VMAF_POOL_METHOD_MIN] = "min",
    [VMAF_POOL_METHOD_MAX] = "max",
    [VMAF_POOL_METHOD_MEAN] = "mean",
    [VMAF_POOL_METHOD_HARMONIC_MEAN] = "harmonic_mean",
};
enum { N_METHODS = sizeof(methods) / sizeof(methods[0]) };

static enum VmafPoolingMethod method_of(const char *pool)
{
    for (unsigned i = VMAF_POOL_METHOD_MIN; i < N_METHODS; i++) {
        if (!strcmp(methods[i], pool))
            return (enum VmafPoolingMethod)i;
    }
    return VMAF_POOL_METHOD_UNKNOWN;
}

/* The rest of a gate: a relation and a number. False: it is none. */
static bool parse_limit(Gate *gate, const char *text)
{
    char *end;
    size_t i = 0;
    while (i < 4 && strncmp(text, relations[i].sign, strlen(relations[i].sign)))
        i++;
    if (i == 4)
        return false;
    gate->relation = relations[i].relation;
    const char *number = text + strlen(relations[i].sign);
    if (*number != '-' && *number != '+' && *number != '.' && (*number < '0' || *number > '9'))
        return false;
    gate->limit = strtod(number, &end);
    return end == gate->text + gate->length && isfinite(gate->limit);
}

/* NAME.POOL: names may contain points. */
static bool parse_pool(Gate *gate, const char *end)
{
    const char *point = end;
    while (point > gate->text && *point != '.')
        point--;
    const size_t length = (size_t)(end - point);
    if (point == gate->text || length < 2 || length > GATE_POOL_SIZE)
        return false;
    gate->name_length = (size_t)(point - gate->text);
    memcpy(gate->pool, point + 1, length - 1);
    gate->pool[length - 1] = '\0';
    gate->method = method_of(gate->pool);
    return gate->method || !vmaf_report_statistics(NULL, gate->pool);
}

int gates_parse(GateList *gates, const char *text, Message *why)
{
    for (bool more = true; more; text++) {
        Gate gate = {.text = text, .length = strcspn(text, ",")};
        const char *sign = text + strcspn(text, ",<>");
        if (!parse_pool(&gate, sign) || !parse_limit(&gate, sign)) {
            return message_set(why, -EINVAL,
                               "--require: \"%.*s\" is no NAME.POOL>=NUMBER, with a pool of min, "
                               "max, mean, harmonic_mean, median, stddev, p0 to p100, and one of "
                               ">=, >, <=, <",
                               (int)gate.length, gate.text);
        }
        if (gates->count == MAX_GATES)
            return message_set(why, -EINVAL, "--require: at most %d conditions", MAX_GATES);
        gates->items[gates->count++] = gate;
        text += gate.length;
        more = *text != '\0';
    }
    return 0;
}
