/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/profile.h"

#include "common/json.h"
#include "platform/file.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PROFILE = 64 << 20 };

/* -- entries of any kind -- */

static const char *text_of(const json_t *entry, const char *key, const char *other)
{
    const char *text = json_text_of(entry, key);
    if (!text && other)
        text = json_text_of(entry, other);
    return text && *text ? text : NULL;
}

static double quality_of(const json_t *entry)
{
    static const char *const keys[] = {"best_crf", "recommended_crf", "crf", "q", "cq"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const double q = json_number_of(entry, keys[i]);
        if (!isnan(q))
            return q;
    }
    return NAN;
}

/* "target_vmaf>=93" of recommend, or a number. */
static double target_of(const json_t *entry)
{
    static const char predicate[] = "target_vmaf>=";
    const char *text = json_text_of(entry, "predicate");
    if (text && !strncmp(text, predicate, sizeof predicate - 1))
        return strtod(text + sizeof predicate - 1, NULL);
    return json_number_of(entry, "target_vmaf");
}

static double score_of(const json_t *entry)
{
    static const char *const keys[] = {"measured_vmaf", "verify_vmaf", "vmaf_score", "vmaf"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const double score = json_number_of(entry, keys[i]);
        if (!isnan(score))
            return score;
    }
    return NAN;
}

/* It says how to encode, and does not say that this was no success. */
static bool is_usable(const json_t *entry)
{
    const double q = quality_of(entry), status = json_number_of(entry, "exit_status");
    const char *word = json_text_of(entry, "status");
    return text_of(entry, "encoder", "codec") && q >= 0 && q <= 255 &&
           !json_is_false(json_object_get(entry, "ok")) && (isnan(status) || status == 0) &&
           !(word && !strcmp(word, "UNMET"));
}

/* -- the document -- */

/* Rows of a corpus, a line each. */
static json_t *parse_lines(const char *text, size_t size, Message *why, int *err)
{
    json_t *list = json_array();
    size_t number = 1;
    for (const char *end = text + size; list && text < end; number++) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        const size_t length = (size_t)((line_end ? line_end : end) - text);
        Message what;
        json_t *row = length ? json_document_parse(text, length, &what, err) : NULL;
        if (length && !row) {
            const char *reason = strncmp(what.text, "line 1: ", 8) ? what.text : what.text + 8;
            *err = message_set(why, *err, "line %zu: %.200s", number, reason);
            json_decref(list);
            return NULL;
        }
        if (row)
            json_array_append_new(list, row);
        text += length + (line_end != NULL);
    }
    *err = list ? 0 : message_set(why, -ENOMEM, "out of memory");
    return list;
}

static json_t *parse(const char *text, size_t size, Message *why)
{
    int err;
    Message whole;
    json_t *document = json_document_parse(text, size, &whole, &err);
    return document ? document : parse_lines(text, size, why, &err);
}

/* Results of encode, search and sample: what was asked for, and the answer. It lives in the
 * document. NULL: it is none of these. */
static json_t *answer_entry(json_t *document)
{
    const json_t *answer = json_object_get(document, "answer");
    const json_t *request = json_object_get(document, "request");
    json_t *entry = json_is_object(answer) && json_is_object(request) ? json_object() : NULL;
    if (!entry)
        return NULL;
    json_object_update(entry, json_object_get(document, "source"));
    json_object_update(entry, (json_t *)request);
    json_object_set(entry, "crf", json_object_get(answer, "quality"));
    json_object_set(entry, "ok", json_object_get(answer, "reached"));
    json_object_set(entry, "vmaf_model", json_object_get(request, "model"));
    if (json_is_true(json_object_get(request, "two_pass")))
        json_object_set_new(entry, "rate_control", json_string("2pass"));
    json_object_set_new(document, "entry", entry);
    return entry;
}

/* Entries: those of a list, of a comparison, or the document itself. */
static json_t *entries_of(json_t *document, bool *is_comparison)
{
    json_t *rows = json_object_get(document, "rows"), *answer = answer_entry(document);
    if (answer)
        document = answer;
    *is_comparison = json_is_array(rows);
    if (*is_comparison)
        return json_incref(rows);
    if (json_is_array(document))
        return json_incref(document);
    return json_pack("[O]", document);
}

/* -- which -- */

static bool is_text(const char *wanted, const char *text)
{
    return !wanted || (text && !strcmp(wanted, text));
}

static bool is_meant(const json_t *entry, const json_t *document, const ProfileChoice *choice)
{
    const char *source = text_of(entry, "src", "source");
    double target = target_of(entry);
    if (isnan(target))
        target = target_of(document);
    return is_usable(entry) && is_text(choice->encoder, text_of(entry, "encoder", "codec")) &&
           is_text(choice->preset, text_of(entry, "preset", NULL)) &&
           (!choice->source || !source || !strcmp(choice->source, source)) &&
           (choice->q < 0 || choice->q == quality_of(entry)) &&
           (isnan(choice->target) || isnan(target) || choice->target == target);
}

static bool is_cheaper(const json_t *a, const json_t *b)
{
    return json_number_of(a, "bitrate_kbps") < json_number_of(b, "bitrate_kbps");
}

static bool has_other_target(const json_t *a, const json_t *b)
{
    const double x = target_of(a), y = target_of(b);
    return !isnan(x) && !isnan(y) && x != y;
}

/* 0; -ENODATA; -EINVAL: several are meant; and why. */
static int choose(const json_t *entries, const json_t *document, bool is_comparison,
                  const ProfileChoice *choice, const json_t **chosen, Message *why)
{
    bool is_clear = true;
    size_t n = 0;
    *chosen = NULL;
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        if (!is_meant(entry, document, choice))
            continue;
        n++;
        if (*chosen)
            is_clear = is_clear && is_comparison && !has_other_target(entry, *chosen);
        if (!*chosen || is_cheaper(entry, *chosen))
            *chosen = entry;
    }
    if (!*chosen)
        return message_set(why, -ENODATA, "nothing in it that is meant says how to encode");
    if (!is_clear)
        return message_set(why, -EINVAL,
                           "%zu of its results are meant: choose one with --encoder, --preset, "
                           "--crf, --target-vmaf or --source",
                           n);
    return 0;
}

/* -- taking it -- */

static int take_extra(Profile *profile, const json_t *list)
{
    const size_t n = json_array_size(list);
    profile->extra = calloc(n + 1, sizeof *profile->extra);
    if (!profile->extra)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text)
            return -EINVAL;
        profile->extra[profile->n_extra++] = text;
    }
    return 0;
}

/* What stands in the entry, else in the document around it. */
static const char *common_text(const json_t *entry, const json_t *document, const char *key)
{
    const char *text = text_of(entry, key, NULL);
    return text ? text : text_of(document, key, NULL);
}

static int common_number(const json_t *entry, const json_t *document, const char *key, int other)
{
    double number = json_number_of(entry, key);
    if (isnan(number))
        number = json_number_of(document, key);
    return number >= 0 && number <= INT_MAX ? (int)number : other;
}

static void take_source(Profile *profile, const json_t *entry)
{
    const json_t *document = profile->document;
    const char *errors = common_text(entry, document, "errors");
    profile->source = common_text(entry, document, "src");
    profile->sha256 = common_text(entry, document, "src_sha256");
    profile->stream = common_number(entry, document, "stream", -1);
    profile->first_picture = common_number(entry, document, "start_number", 0);
    profile->ignores_errors = errors && !strcmp(errors, "ignore");
}

static int take(Profile *profile, const json_t *entry, Message *why)
{
    const json_t *document = profile->document;
    const char *control = text_of(entry, "rate_control", NULL);
    const json_t *extra = json_object_get(entry, "extra_params");
    if (!extra)
        extra = json_object_get(document, "extra_params");
    profile->encoder = text_of(entry, "encoder", "codec");
    profile->preset = common_text(entry, document, "preset");
    profile->q = quality_of(entry);
    profile->two_pass = control && strstr(control, "2pass");
    profile->threads = common_number(entry, document, "threads", 0);
    take_source(profile, entry);
    profile->model = common_text(entry, document, "vmaf_model");
    profile->pool = common_text(entry, document, "pool");
    profile->has_hdr_arguments = text_of(entry, "hdr_transfer", NULL) != NULL;
    profile->target = target_of(entry);
    if (isnan(profile->target))
        profile->target = target_of(document);
    profile->score = score_of(entry);
    const int err = take_extra(profile, extra);
    return err ? message_set(why, err, "extra_params is no list of texts") : 0;
}

static int find(Profile *profile, const ProfileChoice *choice, Message *why)
{
    bool is_comparison;
    const json_t *entry = NULL;
    json_t *entries = entries_of(profile->document, &is_comparison);
    int err = entries ? choose(entries, profile->document, is_comparison, choice, &entry, why)
                      : message_set(why, -ENOMEM, "out of memory");
    if (!err)
        err = take(profile, entry, why);
    json_decref(entries); /* what was taken lives in the document */
    return err;
}

int profile_load(Profile *profile, const char *path, const ProfileChoice *choice, Message *why)
{
    char *text;
    size_t size;
    *profile = (Profile){.target = NAN, .score = NAN};
    int err = vmaf_file_load(path, MAX_PROFILE, &text, &size);
    if (err)
        return message_set(why, err, "%.300s: %s", path, strerror(-err));
    profile->document = parse(text, size, why);
    free(text);
    err = profile->document ? find(profile, choice, why) : -EINVAL;
    return err ? message_about_file(why, err, path) : 0;
}

void profile_free(Profile *profile)
{
    json_decref(profile->document);
    free(profile->extra);
    *profile = (Profile){0};
}
