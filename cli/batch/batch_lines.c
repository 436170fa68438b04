/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Lines of a list of pairs: read, taken apart, and made options of a run. */
#include "batch.h"

#include "common/messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"

enum { READ_SIZE = 1 << 16, BUFFER_SIZE = BATCH_LINE_MAX + READ_SIZE };

int batch_list_open(BatchList *list, const char *path)
{
    *list = (BatchList){.buffer = malloc(BUFFER_SIZE)};
    const int err = vmaf_input_open(&list->input, strcmp(path, "-") ? path : NULL);
    list->position = list->input.begin;
    return !err && !list->buffer ? -ENOMEM : err;
}

void batch_list_close(BatchList *list)
{
    vmaf_input_close(&list->input);
    free(list->buffer);
    list->buffer = NULL;
}

static int read_more(BatchList *list)
{
    size_t got;
    memmove(list->buffer, list->buffer + list->begin, list->end - list->begin);
    list->looked -= list->begin;
    list->end -= list->begin;
    list->begin = 0;
    const int err =
        vmaf_input_read(&list->input, list->buffer + list->end, READ_SIZE, list->position, &got);
    if (err)
        return err;
    list->position += (int64_t)got;
    list->end += got;
    list->ended = !got;
    return 0;
}

/* Where the first line ends, after reading more if need be; NULL: nowhere yet. */
static char *find_end(BatchList *list)
{
    char *end = memchr(list->buffer + list->looked, '\n', list->end - list->looked);
    list->looked = list->end;
    return end ? end : list->ended ? list->buffer + list->end : NULL;
}

/* A line, blank or not. As batch_list_next. */
static int next_line(BatchList *list, const char **text, size_t *length)
{
    bool is_long = false;
    char *end;
    while (!(end = find_end(list))) {
        if (list->end - list->begin > BATCH_LINE_MAX) {
            is_long = true;
            list->begin = list->end;
        }
        const int err = read_more(list);
        if (err)
            return err;
    }
    const size_t at = (size_t)(end - list->buffer);
    *text = list->buffer + list->begin;
    *length = at - list->begin;
    if (list->ended && at == list->end && !*length && !is_long)
        return 0;
    list->line++;
    list->begin = list->looked = at < list->end ? at + 1 : at;
    return is_long || *length > BATCH_LINE_MAX ? -EMSGSIZE : 1;
}

static bool is_blank(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && strchr(" \t\r", text[i]) && text[i])
        i++;
    return i == length;
}

int batch_list_next(BatchList *list, const char **text, size_t *length)
{
    int status;
    do {
        status = next_line(list, text, length);
    } while (status > 0 && is_blank(*text, *length));
    return status;
}

/* -- a line taken apart -- */

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

static int take_options(BatchLine *line, Message *why)
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
    return err ? err : take_options(line, why);
}

void batch_line_free(BatchLine *line)
{
    free(line->words);
    json_decref(line->json);
    *line = (BatchLine){0};
}

/* -- options -- */

static int take_batch(Options *options, const BatchOptions *batch, OptionScanner *scanner,
                      Message *why)
{
    *options = (Options){.format = VMAF_OUTPUT_FORMAT_XML, .jobs = 1};
    *scanner = (OptionScanner){.argc = batch->argc, .argv = batch->argv};
    return command_line_take(options, scanner, IN_BATCH, why);
}

static int find_list(BatchOptions *batch, const OptionScanner *scanner, Message *why)
{
    batch->list = scanner->words[0];
    if (scanner->n_words == 1)
        return 0;
    return scanner->n_words ? message_set(why, -EINVAL, "there are two lists: '%s' and '%s'",
                                          scanner->words[0], scanner->words[1])
                            : message_set(why, -EINVAL, "a list of pairs is required");
}

bool batch_options_parse(BatchOptions *batch, int argc, char **argv, int *status)
{
    *batch = (BatchOptions){.argc = argc, .argv = argv};
    Options options;
    OptionScanner scanner;
    Message why = {""};
    int err = take_batch(&options, batch, &scanner, &why);
    const bool is_answered = err > 0;
    if (!err)
        err = find_list(batch, &scanner, &why);
    if (!err && !options.jobs)
        err = message_set(&why, -EINVAL, "--jobs has to be at least 1");
    if (!err)
        err = command_line_check_defaults(&options, &why);
    batch->jobs = options.jobs;
    command_line_free(&options);
    if (!err)
        return true;
    if (is_answered) {
        *status = standard_output_finish();
        return false;
    }
    *status = err == -ENOMEM ? STATUS_FAILURE : command_print_usage("batch");
    print_error("%s", why.text);
    return false;
}

/* -- a line -- */

static int take_files(Options *options, const BatchLine *line, Message *why)
{
    char reference[] = "-r", distorted[] = "-d", output[] = "-o";
    char *argv[] = {reference, (char *)line->reference, distorted, (char *)line->distorted,
                    output,    (char *)line->output};
    OptionScanner scanner = {.argc = line->output ? 6 : 4, .argv = argv};
    return command_line_take(options, &scanner, IN_RUN, why);
}

static int take_own_options(Options *options, const BatchLine *line, Message *why)
{
    OptionScanner scanner = {.argc = line->n_words, .argv = (char **)line->words};
    const int err = command_line_take(options, &scanner, IN_LINE, why);
    if (err || !scanner.n_words)
        return err;
    return message_set(why, -EINVAL, "unexpected word '%s' among the options", scanner.words[0]);
}

/* Does the path lead to where the results go? */
static bool is_standard_output(const char *path)
{
    VmafFileStatus results, status;
    if (!strcmp(path, "/dev/stdout"))
        return true;
    return !vmaf_file_status_at("/dev/stdout", &results) && results.kind != VMAF_FILE_OTHER &&
           !vmaf_file_status_at(path, &status) && vmaf_file_is_same(&results, &status);
}

/* Standard input may have the list, and there is only one; standard output has the results. */
static int check_streams(const Options *options, Message *why)
{
    if (!strcmp(options->reference, "-") || !strcmp(options->distorted, "-"))
        return message_set(why, -EINVAL, "standard input cannot be a video of a batch");
    for (unsigned i = 0; i < options->n_outputs; i++) {
        if (is_standard_output(options->outputs[i].path))
            return message_set(why, -EINVAL,
                               "standard output has the results of the batch: a report needs a "
                               "file");
    }
    return 0;
}

int line_options_make(Options *options, const BatchOptions *batch, const BatchLine *line,
                      Message *why)
{
    OptionScanner scanner;
    int err = take_batch(options, batch, &scanner, why);
    if (!err)
        err = take_files(options, line, why);
    if (!err)
        err = take_own_options(options, line, why);
    if (!err)
        err = command_line_check(options, why);
    return err ? err : check_streams(options, why);
}
