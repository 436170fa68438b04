/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "batch/batch_line.h"

#include "common/messages.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *const members[] = {"reference", "distorted", "output", "options"};
enum { N_MEMBERS = sizeof(members) / sizeof(members[0]) };

static bool is_member(const char *key)
{
    for (int i = 0; i < N_MEMBERS; i++) {
        if (!strcmp(members[i], key))
            return true;
    }
    return false;
}

static int check_keys(const json_t *json, Message *why)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)json, key, value)
    {
        Suggestion suggestion = {.wanted = key};
        if (is_member(key))
            continue;
        for (int i = 0; i < N_MEMBERS; i++)
            suggestion_offer(&suggestion, members[i]);
        const char *nearest = suggestion_result(&suggestion);
        return message_set(why, -EINVAL, "there is no member \"%s\"%s%s%s", key,
                           nearest ? "; did you mean \""
                                   : "; there are reference, distorted, "
                                     "output and options",
                           nearest ? nearest : "", nearest ? "\"?" : "");
    }
    return 0;
}

/* `null` is as good as no member. */
static int take_text(const json_t *json, const char *key, bool is_needed, const char **text,
                     Message *why)
{
    const json_t *value = json_object_get(json, key);
    *text = json_string_value(value);
    if (*text && !**text)
        return message_set(why, -EINVAL, "\"%s\" is empty", key);
    if (*text || (!is_needed && (!value || json_is_null(value))))
        return 0;
    return value ? message_set(why, -EINVAL, "\"%s\" has to be a string", key)
                 : message_set(why, -EINVAL, "\"%s\" is missing", key);
}

static int take_words(BatchLine *line, Message *why)
{
    const json_t *options = json_object_get(line->json, "options");
    if (!options || json_is_null(options))
        return 0;
    if (!json_is_array(options))
        return message_set(why, -EINVAL, "\"options\" has to be an array of words");
    line->words = calloc(json_array_size(options) + 1, sizeof(*line->words));
    if (!line->words)
        return message_set(why, -ENOMEM, "out of memory");
    size_t i;
    json_t *word;
    json_array_foreach((json_t *)options, i, word)
    {
        if (!json_is_string(word))
            return message_set(why, -EINVAL,
                               "\"options\" has to be an array of words, as on the command line: "
                               "number %zu is no string",
                               i + 1);
        line->words[line->n_words++] = json_string_value(word);
    }
    return 0;
}

int batch_line_parse(BatchLine *line, const char *text, size_t length, Message *why)
{
    json_error_t error;
    *line = (BatchLine){.json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error)};
    if (!line->json)
        return message_set(why, -EINVAL, "this is no JSON: %s (column %d)", error.text,
                           error.column);
    if (!json_is_object(line->json))
        return message_set(why, -EINVAL, "this is no JSON object");
    int err = take_text(line->json, "output", false, &line->output, why);
    if (!err)
        err = check_keys(line->json, why);
    if (!err)
        err = take_text(line->json, "reference", true, &line->reference, why);
    if (!err)
        err = take_text(line->json, "distorted", true, &line->distorted, why);
    return err ? err : take_words(line, why);
}

void batch_line_free(BatchLine *line)
{
    free(line->words);
    json_decref(line->json);
    *line = (BatchLine){0};
}
