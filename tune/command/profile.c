/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/command/profile.h"

#include "common/json.h"
#include "platform/file.h"
#include "tune/measure/row_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PROFILE = 64 << 20 };

/* -- the document -- */

/* Rows of a corpus, as a list. */
static json_t *parse_rows(const char *text, size_t size, Message *why)
{
    RowTable table;
    json_t *list = rows_parse(&table, text, size, why) ? NULL : json_array();
    for (size_t i = 0; list && i < table.n; i++)
        json_array_append(list, table.rows[i].json);
    row_table_free(&table);
    return list;
}

/* Results of encode, search and sample, what was asked for and the answer, as others are. NULL: it
 * is none of these. */
static json_t *flat_answer(const json_t *document)
{
    json_t *answer = json_object_get(document, "answer");
    json_t *request = json_object_get(document, "request");
    json_t *flat = json_is_object(answer) && json_is_object(request) ? json_object() : NULL;
    if (!flat)
        return NULL;
    json_object_update(flat, json_object_get(document, "source"));
    json_object_update(flat, request);
    json_object_set(flat, "crf", json_object_get(answer, "quality"));
    json_object_set(flat, "ok", json_object_get(answer, "reached"));
    json_object_set(flat, "vmaf_model", json_object_get(request, "model"));
    json_object_set(flat, "src_sha256", json_object_get(flat, "sha256"));
    if (json_is_true(json_object_get(request, "two_pass")))
        json_object_set_new(flat, "rate_control", json_string("2pass"));
    return flat;
}

/* -- entries -- */

/* Sets a key to the first value of one of these keys that is a number, or a text that is not empty.
 */
static void set_first(json_t *entry, const char *key, const char *const *keys)
{
    for (; *keys; keys++) {
        json_t *value = json_object_get(entry, *keys);
        const char *text = json_string_value(value);
        if (json_is_number(value) || (text && *text)) {
            json_object_set(entry, key, value);
            return;
        }
    }
    json_object_del(entry, key);
}

/* What is said of an entry, by itself or by the document around it, under one name each: see
 * profile_load. */
static json_t *make_entry(const json_t *document, json_t *own)
{
    static const char predicate[] = "target_vmaf>=";
    json_t *entry = json_is_object(document) ? json_copy((json_t *)document) : json_object(),
           *value;
    const char *key;
    json_object_foreach(own, key, value)
    {
        if (!json_is_null(value))
            json_object_set(entry, key, value);
    }
    set_first(entry, "encoder", (const char *const[]){"encoder", "codec", NULL});
    set_first(entry, "src", (const char *const[]){"src", "source", NULL});
    set_first(entry, "quality",
              (const char *const[]){"best_crf", "recommended_crf", "crf", "q", "cq", NULL});
    const char *text = json_text_of(entry, "predicate");
    if (text && !strncmp(text, predicate, sizeof predicate - 1))
        json_object_set_new(entry, "target_vmaf",
                            json_real(strtod(text + sizeof predicate - 1, NULL)));
    const char *control = json_text_of(entry, "rate_control");
    json_object_set_new(entry, "two_pass", json_boolean(control && strstr(control, "2pass")));
    return entry;
}

static bool is_text(const json_t *entry, const char *key, const char *wanted)
{
    const char *text = json_text_of(entry, key);
    return !wanted || (text && !strcmp(wanted, text));
}

/* True if the entry was found for another target than this. */
static bool has_other_target(const json_t *entry, double target)
{
    const double own = json_number_of(entry, "target_vmaf");
    return !isnan(own) && !isnan(target) && own != target;
}

/* It says how to encode, does not say that this was no success, and is what the user names. */
static bool is_meant(const json_t *entry, const ProfileChoice *choice)
{
    const double q = json_number_of(entry, "quality"),
                 status = json_number_of(entry, "exit_status");
    const char *word = json_text_of(entry, "status");
    return json_text_of(entry, "encoder") && q >= 0 && q <= 255 &&
           !json_is_false(json_object_get(entry, "ok")) && (isnan(status) || status == 0) &&
           !(word && !strcmp(word, "UNMET")) && is_text(entry, "encoder", choice->encoder) &&
           is_text(entry, "preset", choice->preset) &&
           (!json_text_of(entry, "src") || is_text(entry, "src", choice->source)) &&
           (choice->q < 0 || choice->q == q) && !has_other_target(entry, choice->target);
}

/* 0; -ENODATA; -EINVAL: several are meant; and why. */
static int choose(const json_t *document, const ProfileChoice *choice, json_t **chosen,
                  Message *why)
{
    json_t *rows = json_object_get(document, "rows"), *flat = flat_answer(document), *own;
    const bool is_comparison = json_is_array(rows);
    json_t *entries = is_comparison             ? json_incref(rows)
                      : json_is_array(document) ? json_incref((json_t *)document)
                                                : json_pack("[O]", flat ? flat : document);
    size_t i, n = 0, n_others = 0;
    json_array_foreach(entries, i, own)
    {
        json_t *entry = make_entry(document, own);
        if (is_meant(entry, choice)) {
            n++;
            n_others += has_other_target(entry, json_number_of(*chosen, "target_vmaf"));
            if (!*chosen ||
                json_number_of(entry, "bitrate_kbps") < json_number_of(*chosen, "bitrate_kbps")) {
                json_decref(*chosen);
                *chosen = json_incref(entry);
            }
        }
        json_decref(entry);
    }
    json_decref(entries);
    json_decref(flat);
    if (!*chosen)
        return message_set(why, -ENODATA, "nothing in it that is meant says how to encode");
    if (n > 1 && (!is_comparison || n_others))
        return message_set(why, -EINVAL,
                           "%zu of its results are meant: choose one with --encoder, --preset, "
                           "--crf, --target-vmaf or --source",
                           n);
    return 0;
}

int profile_load(json_t **profile, const char *path, const ProfileChoice *choice, Message *why)
{
    char *text;
    size_t size;
    Message whole;
    *profile = NULL;
    int err = vmaf_file_load(path, MAX_PROFILE, &text, &size);
    if (err)
        return message_set(why, err, "%.300s: %s", path, strerror(-err));
    json_t *document = json_document_parse(text, size, &whole, &err);
    if (!document)
        document = parse_rows(text, size, why);
    free(text);
    err = document ? choose(document, choice, profile, why) : -EINVAL;
    if (err == -ENODATA) { /* or one for another source and target */
        ProfileChoice other = *choice;
        other.source = NULL;
        other.target = NAN;
        err = choose(document, &other, profile, why);
    }
    json_decref(document);
    return err ? message_about_file(why, err, path) : 0;
}
