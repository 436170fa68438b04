/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/session/condition_features.h"

#include "tune/rows/json_document.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *without_prefix(const char *name)
{
    return strncmp(name, "integer_", 8) ? name : name + 8;
}

/* Reports know a score by its alias if it has one. */
static bool has_score(const json_t *feature, const char *name)
{
    const json_t *aliases = json_object_get(feature, "aliases"), *key;
    size_t i;
    json_array_foreach(json_object_get(feature, "keys"), i, key)
    {
        const char *alias = json_text_of(aliases, json_string_value(key));
        const char *reported = alias ? alias : json_string_value(key);
        if (reported && !strcmp(without_prefix(reported), without_prefix(name)))
            return true;
    }
    return false;
}

/* The last one: those in integers, which models use, follow those in floating point. */
static const char *feature_with(const json_t *catalogue, const char *score)
{
    const char *found = NULL;
    const json_t *feature;
    size_t i;
    json_array_foreach(json_object_get(catalogue, "features"), i, feature)
    {
        if (has_score(feature, score))
            found = json_text_of(feature, "name");
    }
    return found;
}

static bool is_known(const Session *session, const char *feature)
{
    const TextList *said = &session->options->features;
    const size_t length = strlen(feature);
    for (size_t i = 0; i < said->n; i++)
        if (!strncmp(said->text[i], feature, length) &&
            (!said->text[i][length] || said->text[i][length] == '='))
            return true;
    for (size_t i = 0; i < session->n_features; i++)
        if (!strcmp(session->features[i], feature))
            return true;
    return false;
}

/* Options of features and other programs may make scores that nobody knows here. */
static bool may_have_others(const SessionOptions *options)
{
    bool has_options = options->vmaf != NULL;
    for (size_t i = 0; i < options->features.n; i++)
        has_options |= strchr(options->features.text[i], '=') != NULL;
    return has_options;
}

static int add_feature_with(Session *session, const json_t *catalogue, const char *score,
                            Message *why)
{
    const char *feature = feature_with(catalogue, score);
    if (!feature && !may_have_others(session->options))
        return message_set(why, -EINVAL, "--require: no feature has a score \"%s\"", score);
    if (feature && !is_known(session, feature))
        snprintf(session->features[session->n_features++], GATE_NAME_SIZE, "%s", feature);
    return 0;
}

int session_find_features(Session *session, Message *why)
{
    char *text;
    if (session->gates.n == 1)
        return 0;
    int err = vmaf_capabilities_json(&text, VMAF_CAPABILITIES_NO_PROBE);
    if (err)
        return message_set(why, err, "%s", strerror(-err));
    json_t *catalogue = json_document_parse(text, strlen(text), why, &err);
    free(text);
    for (size_t i = 1; catalogue && i < session->gates.n && !err; i++) {
        const char *score = session->gates.gate[i].name;
        if (strncmp(score, "vmaf", 4)) /* else it is the model's */
            err = add_feature_with(session, catalogue, score, why);
    }
    json_decref(catalogue);
    return err;
}
