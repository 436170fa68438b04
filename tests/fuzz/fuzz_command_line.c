/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Input: arguments of the program, one per line. They are parsed and checked, nothing is run. */
#include "fuzz.h"
#include "options/options.h"
#include "quiet.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_INPUT = 4096, MAX_ARGUMENTS = 128 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Checks what the rest of the program relies on. */
static void check_accepted(const Options *options)
{
    require(options->n_models <= MAX_MODELS && options->n_features <= MAX_FEATURES);
    require(options->backends.count <= MAX_BACKEND_WORDS);
    require(!options->score_format[0] || !report_check_score_format(options->score_format));
    if (options->task != TASK_SCORE)
        return;
    require(options->reference && options->distorted);
    require(!options->raw || (options->width && options->height && options->bit_depth >= 8));
    for (unsigned i = 0; i < options->n_models; i++) {
        const ModelSpec *model = &options->models[i];
        require(!model->version != !model->path && model->name[0]);
        require(model->n_overloads <= MODEL_MAX_OVERLOADS);
    }
    for (unsigned i = 0; i < options->n_features; i++)
        require(options->features[i].name[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MAX_INPUT)
        return 0;
    /* No plugin may be found, let alone loaded. */
    static bool prepared;
    if (!prepared)
        setenv("VMAF_BACKEND_PATH", "/nonexistent", 1);
    prepared = true;

    char text[MAX_INPUT + 1];
    memcpy(text, data, size);
    text[size] = '\0';
    char program[] = "vmaf";
    char *argv[MAX_ARGUMENTS + 1] = {program};
    int argc = 1;
    for (char *rest = text, *line; argc < MAX_ARGUMENTS && (line = strsep(&rest, "\n"));)
        argv[argc++] = line;

    static Options options;
    int status = -1;
    quiet_begin();
    const bool go_on = command_line_parse(&options, argc, argv, &status);
    quiet_end();
    if (go_on)
        check_accepted(&options);
    else
        require(status == STATUS_OK || status == STATUS_USAGE || status == STATUS_FAILURE);
    command_line_free(&options);
    return 0;
}
