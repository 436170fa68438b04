/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Input: a list of pairs, as vmaf batch gets it. Its lines are taken apart and understood; nothing
 * is run, and no report is written. */
#include "batch/batch.h"
#include "fuzz.h"
#include "reports/reports.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_accepted(const Options *options)
{
    require(options->task == TASK_SCORE && options->n_distorted == 1);
    require(strcmp(options->reference, "-") && strcmp(options->distorted, "-"));
    for (unsigned i = 0; i < options->n_outputs; i++)
        require(strcmp(options->outputs[i].path, "/dev/stdout"));
}

static void understand(OutputGuard *guard, const char *text, size_t length)
{
    static const BatchOptions defaults = {.list = "-"};
    static Options options;
    BatchLine line;
    Message why = {""};
    int err = batch_line_parse(&line, text, length, &why);
    options = (Options){.quiet = true};
    if (!err)
        err = line_options_make(&options, &defaults, &line, &why);
    if (!err) {
        check_accepted(&options);
        err = outputs_guard(guard, &options, "a line", &why);
    }
    require(!err || *why.text);
    command_line_free(&options);
    batch_line_free(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool prepared;
    if (!prepared) /* no plugin may be found, let alone loaded */
        setenv("VMAF_BACKEND_PATH", "/nonexistent", 1);
    prepared = true;
    BatchList list;
    OutputGuard guard = {.count = 0};
    const char *text;
    size_t length;
    int status;
    MemoryFile file;
    memory_file_open(&file, data, size);
    require(!batch_list_open(&list, file.path));
    while ((status = batch_list_next(&list, &text, &length)) == 1 || status == -EMSGSIZE) {
        if (status > 0)
            understand(&guard, text, length);
    }
    require(!status);
    output_guard_free(&guard);
    batch_list_close(&list);
    memory_file_close(&file);
    return 0;
}
