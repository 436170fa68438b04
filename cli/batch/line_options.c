/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "batch/line_options.h"

#include "command_table.h"
#include "common/messages.h"
#include "exit_status.h"
#include "platform/file.h"
#include "standard_output.h"

#include <errno.h>
#include <string.h>

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
    *status = err == -ENOMEM ? STATUS_FAILURE : command_say_usage("batch");
    say("%s", why.text);
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

static int take_words(Options *options, const BatchLine *line, Message *why)
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
        err = take_words(options, line, why);
    if (!err)
        err = command_line_check(options, why);
    return err ? err : check_streams(options, why);
}
