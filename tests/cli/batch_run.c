/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "batch_run.h"
#include "support/cases.h"

#include <stdio.h>
#include <string.h>

BatchRun batch_run(const char *list, ...)
{
    enum { MOST = 64 };
    const char *arguments[MOST + 3] = {"batch", "list.ndjson"};
    va_list more;
    va_start(more, list);
    for (unsigned n = 2; n < MOST && (arguments[n] = va_arg(more, const char *)); n++)
        continue;
    va_end(more);
    file_put_text("list.ndjson", list);
    BatchRun batch = {.run = program_run_fed("true", arguments)};
    batch.results = batch_results(batch.run.out);
    remove("list.ndjson");
    return batch;
}

void batch_run_free(BatchRun *batch)
{
    json_decref(batch->results);
    run_free(&batch->run);
}

static void check_members(const json_t *result, const char *line)
{
    static const char *const members[] = {"line", "status", "output", "pooled_metrics", "error"};
    if (json_object_size(result) != 5)
        fail_msg("other members: %s", line);
    for (int i = 0; i < 5; i++) {
        if (!json_object_get(result, members[i]))
            fail_msg("%s is missing: %s", members[i], line);
    }
}

json_t *batch_results(const char *out)
{
    json_t *results = json_array();
    for (const char *line = out, *end; line && *line; line = end + 1) {
        json_error_t error;
        end = strchr(line, '\n');
        if (!end)
            fail_msg("the last line has no end: %s", line);
        json_t *result = json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES, &error);
        if (!result)
            fail_msg("%s: %.*s", error.text, (int)(end - line), line);
        check_members(result, line);
        json_array_append_new(results, result);
    }
    return results;
}

const json_t *batch_result_of(const BatchRun *batch, unsigned line)
{
    const json_t *found = NULL;
    for (size_t i = 0; i < json_array_size(batch->results); i++) {
        const json_t *result = json_array_get(batch->results, i);
        if (json_integer_value(json_object_get(result, "line")) != line)
            continue;
        if (found)
            fail_msg("line %u has two results:\n%s", line, batch->run.out);
        found = result;
    }
    if (!found)
        fail_msg("line %u has no result:\n%s%s", line, batch->run.out, batch->run.err);
    return found;
}

void batch_expect(const BatchRun *batch, unsigned line, int status, const char *error)
{
    const json_t *result = batch_result_of(batch, line);
    const char *said = json_string_value(json_object_get(result, "error"));
    char words[600];
    if (json_integer_value(json_object_get(result, "status")) != status ||
        !strstr(said ? said : "", error) || !said != !status)
        fail_msg("line %u: expected %d and \"%s\":\n%s%s", line, status, error, batch->run.out,
                 batch->run.err);
    snprintf(words, sizeof(words), "line %u: ", line);
    if (status && !strstr(batch->run.err, words))
        fail_msg("nothing is said of line %u:\n%s", line, batch->run.err);
    if (!status && json_is_null(json_object_get(result, "pooled_metrics")))
        fail_msg("line %u has no pooled metrics:\n%s", line, batch->run.out);
}
