/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* encode --from: how to encode, from what other commands have found. */
#include "tune/command/quality_command.h"

#include "common/json.h"
#include "platform/file.h"
#include "tune/measure/row_file.h"

#include <errno.h>
#include <limits.h>
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
 * profile_follow. */
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
static bool is_meant(const json_t *entry, const QualityChoice *wanted, const char *source,
                     double target)
{
    const double q = json_number_of(entry, "quality"),
                 status = json_number_of(entry, "exit_status");
    const char *word = json_text_of(entry, "status");
    return json_text_of(entry, "encoder") && q >= 0 && q <= 255 &&
           !json_is_false(json_object_get(entry, "ok")) && (isnan(status) || status == 0) &&
           !(word && !strcmp(word, "UNMET")) && is_text(entry, "encoder", wanted->search.encoder) &&
           is_text(entry, "preset", wanted->search.preset) &&
           (!json_text_of(entry, "src") || is_text(entry, "src", source)) &&
           (wanted->quality < 0 || wanted->quality == q) && !has_other_target(entry, target);
}

/*
 * Takes the result that the options name. In a comparison of encoders that is the one with the
 * lowest bitrate; otherwise only one may be meant. `source` NULL, `target` NAN: any. 0; -ENODATA;
 * -EINVAL: several are meant; and why.
 */
static int choose(const json_t *document, const QualityChoice *wanted, const char *source,
                  double target, json_t **chosen, Message *why)
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
        if (is_meant(entry, wanted, source, target)) {
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

/* Reads JSON of recommend, bisect, compare, fast, encode and search, or rows of a corpus. A status.
 */
static int load(const TuneCommand *command, QualitySettings *settings, const char *source)
{
    const QualityChoice *quality = &settings->quality;
    char *text;
    size_t size;
    Message whole, why;
    int err = vmaf_file_load(settings->from, MAX_PROFILE, &text, &size);
    if (err)
        return command_fail(command, TUNE_USAGE, "%s: %s", settings->from, strerror(-err));
    json_t *document = json_document_parse(text, size, &whole, &err);
    if (!document)
        document = parse_rows(text, size, &why);
    free(text);
    err = !document
              ? -EINVAL
              : choose(document, quality, source, quality->min_vmaf, &settings->profile, &why);
    if (err == -ENODATA) /* or one for another source and target */
        err = choose(document, quality, NULL, NAN, &settings->profile, &why);
    json_decref(document);
    return err ? command_fail(command, err == -ENODATA ? TUNE_NO_RESULT : TUNE_USAGE, "%s: %s",
                              settings->from, why.text)
               : 0;
}

/* -- what follows from it -- */

/* A number of the profile that fits an option; -1: none. */
static int number_of(const json_t *profile, const char *key)
{
    const double number = json_number_of(profile, key);
    return number >= 0 && number <= INT_MAX ? (int)number : -1;
}

/* Its source, unless another is given, and what was said of that. 0; -ENOMEM. */
static int follow_source(const json_t *profile, SessionOptions *options)
{
    const char *source = json_text_of(profile, "src"), *errors = json_text_of(profile, "errors");
    const int picture = number_of(profile, "start_number");
    if (!options->sources.n && source && text_list_add(&options->sources, "%s", source))
        return -ENOMEM;
    if (!source || !options->sources.n || strcmp(options->sources.text[0], source) != 0)
        return 0;
    if (options->source.stream < 0)
        options->source.stream = number_of(profile, "stream");
    if (!options->source.first_picture && picture > 0)
        options->source.first_picture = (unsigned)picture;
    if (errors && !strcmp(errors, "ignore"))
        options->errors = ERRORS_IGNORE;
    if (!(options->source.start > 0) && !(options->source.length > 0)) {
        options->source.start = fmax(0, json_number_of(profile, "start")); /* of NAN, too */
        options->source.length = fmax(0, json_number_of(profile, "length"));
    }
    return 0;
}

int profile_follow(const TuneCommand *command, QualitySettings *settings, SessionOptions *options)
{
    const int status =
        load(command, settings, options->sources.n ? options->sources.text[0] : NULL);
    const json_t *profile = settings->profile, *extra = json_object_get(profile, "extra_params");
    QualityChoice *quality = &settings->quality;
    const int threads = number_of(profile, "threads");
    const char *pool_name = json_text_of(profile, "pool");
    ScorePool pool;
    if (status)
        return status;
    quality->search.encoder = json_text_of(profile, "encoder");
    quality->search.preset = json_text_of(profile, "preset");
    quality->quality = json_number_of(profile, "quality");
    if (!quality->targets.n && isnan(quality->min_vmaf))
        quality->min_vmaf = json_number_of(profile, "target_vmaf");
    options->two_pass |= json_is_true(json_object_get(profile, "two_pass"));
    if (!options->ffmpeg_threads && threads > 0)
        options->ffmpeg_threads = threads;
    quality->any_threads |= threads <= 0; /* as those commands have it */
    if (!options->model)
        options->model = json_text_of(profile, "vmaf_model");
    if (pool_name && !options->pool && score_pool_named(pool_name, &pool))
        options->pool = (int)pool;
    int err = follow_source(profile, options);
    for (size_t i = 0; i < json_array_size(extra) && !err; i++) {
        const char *text = json_string_value(json_array_get(extra, i));
        if (!text)
            return command_fail(command, TUNE_USAGE, "%s: extra_params is no list of texts",
                                settings->from);
        err = text_list_add(&options->extra, "%s", text);
    }
    if (err)
        return command_fail(command, TUNE_NO_RESULT, "out of memory");
    return options->sources.n
               ? 0
               : command_fail(command, TUNE_USAGE, "the profile names no video: give SOURCE");
}

static bool is_same_file(const char *a, const char *b)
{
    VmafFileStatus of_a, of_b;
    return !strcmp(a, b) || (!vmaf_file_status_at(a, &of_a) && !vmaf_file_status_at(b, &of_b) &&
                             vmaf_file_is_same(&of_a, &of_b));
}

void profile_compare(const Session *session, const TuneSource *source,
                     const QualitySettings *settings)
{
    const json_t *profile = settings->profile;
    const char *sha256 = json_text_of(profile, "src_sha256"), *src = json_text_of(profile, "src");
    const bool is_known = sha256 && *sha256 && *source->sha256;
    if (is_known ? strcmp(sha256, source->sha256) != 0 : src && !is_same_file(src, source->path))
        progress_print(
            session->progress,
            "vmaf-tune: %s %s another film than %s, which %s is about: what this quality is worth "
            "there is unverified until the encode is scored",
            source->path, is_known ? "is" : "may be", src ? src : "the one", settings->from);
}
