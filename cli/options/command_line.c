/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The command line as a whole: commands, and the options of a run. */
#include "options_internal.h"

#include "batch/batch.h"
#include "common/messages.h"
#include "input/input.h"
#include "shards/shards.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- commands -- */

static const Command commands[] = {
    {"probe", "FILE [--json]", "print what is in a file", .flag = "json",
     .flag_help = "print it as JSON", .run = probe},
    {"merge", "PART... -o REPORT [options], or merge PART... --info",
     "make the reports of a run of its shards", .takes_options = true, .flag = "info",
     .flag_help = "print what is in the files", .run = merge},
    {"rescore", "RECORDS... -o REPORT [options]", "score stored records with other models",
     .takes_options = true, .flag = "all", .flag_help = "every feature that is stored",
     .run = rescore},
    {"batch", "LIST [--jobs N] [options]", "score the pairs of a list", .takes_options = true,
     .run = batch},
};
enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

const Command *command_row(unsigned index)
{
    return index < N_COMMANDS ? &commands[index] : NULL;
}

const Command *command_find(const char *word)
{
    for (int i = 0; i < N_COMMANDS; i++) {
        if (!strcmp(commands[i].name, word))
            return &commands[i];
    }
    return NULL;
}

int command_print_usage(const char *name)
{
    print_error("Usage: vmaf %s %s", name, command_find(name)->arguments);
    return STATUS_USAGE;
}

/* -- options -- */

/* Help on what stands behind the option, if something does. */
static int answer_help(const OptionScanner *scanner, const OptionMatch *match,
                       enum OptionPlace place, Message *why)
{
    const char *topic = match->value;
    if (!topic && scanner->next < scanner->argc && scanner->argv[scanner->next][0] != '-')
        topic = scanner->argv[scanner->next];
    if (!topic && (place == IN_MERGE || place == IN_RESCORE))
        topic = "parts";
    if (!topic && place == IN_BATCH)
        topic = "batch";
    if (topic && *topic)
        return help_print_topic(topic, why);
    help_print();
    return 0;
}

/* Options that print something and end the program, whatever stands after them. 1; 0: it is none of
 * them; -EINVAL. */
static int answer(const OptionScanner *scanner, const OptionMatch *match, enum OptionPlace place,
                  Message *why)
{
    int err = 0;
    switch (match->info->kind) {
    case OPTION_HELP:
        err = answer_help(scanner, match, place, why);
        break;
    case OPTION_VERSION:
        print_error("%s", vmaf_version());
        break;
    case OPTION_LIST_MODELS:
        catalogue_print_models();
        break;
    case OPTION_LIST_FEATURES:
        catalogue_print_features();
        catalogue_print_plugin_features();
        break;
    case OPTION_COMPLETION:
        if (completion_print(match->value))
            err = option_invalid_argument(match, "bash, zsh or fish", why);
        break;
    default:
        return 0;
    }
    return err ? err : 1;
}

/* Rejects an option that does not belong there. */
static int check_place(const OptionInfo *info, enum OptionPlace place, Message *why)
{
    static const char *const reasons[] = {
        [IN_BATCH] = "is not for the command line of vmaf batch, whose options are for all pairs",
        [IN_LINE] = "is not for a line of a batch",
        [IN_MERGE] = "is not for vmaf merge",
        [IN_RESCORE] = "is not for vmaf rescore",
    };
    char label[64];
    const char *reason = reasons[place];
    if (place >= IN_MERGE ? info->also_in & place : !(info->not_in & place))
        return 0;
    if (place == IN_RUN)
        reason = info->also_in & IN_MERGE     ? "is for vmaf merge"
                 : info->also_in & IN_RESCORE ? "is for vmaf rescore"
                                              : "is for vmaf batch";
    return message_set(why, -EINVAL, "option %s %s", option_label(info, label, sizeof(label)),
                       reason);
}

int command_line_take(Options *options, OptionScanner *scanner, enum OptionPlace place,
                      Message *why)
{
    OptionMatch match;
    int found;
    while ((found = option_scan(scanner, &match, why)) > 0) {
        int err = check_place(match.info, place, why);
        if (!err)
            err = answer(scanner, &match, place, why);
        if (!err)
            err = option_take(options, &match, why);
        if (err)
            return err;
    }
    return found;
}

/* Two plain words are the videos, if no option names one. */
static int take_words(Options *options, const OptionScanner *scanner, Message *why)
{
    if (!scanner->n_words)
        return 0;
    if (scanner->n_words != 2 || options->reference || options->distorted)
        return option_stray_word(scanner->words[0], why);
    options->reference = scanner->words[0];
    return option_add_distorted(options, scanner->words[1], why);
}

int standard_output_finish(void)
{
    if (!fflush(stdout) && !ferror(stdout))
        return STATUS_OK;
    print_error("could not write to standard output");
    return STATUS_FAILURE;
}

/* What became of it: false, unless there is something to run. */
static bool conclude(int found, const Message *why, int *status)
{
    if (!found)
        return true;
    *status = found > 0 ? standard_output_finish() : STATUS_USAGE;
    if (found > 0)
        return false;
    if (found == -ENOMEM)
        *status = STATUS_FAILURE;
    else
        help_print_usage();
    print_error("%s", why->text);
    return false;
}

bool command_line_parse(Options *options, int argc, char **argv, int *status)
{
    *options = (Options){.format = VMAF_OUTPUT_FORMAT_XML};
    OptionScanner scanner = {.argc = argc, .argv = argv, .next = 1};
    Message why = {""};
    int found = command_line_take(options, &scanner, IN_RUN, &why);
    if (!found)
        found = take_words(options, &scanner, &why);
    if (!found)
        found = command_line_check(options, &why);
    return conclude(found, &why, status);
}

bool command_line_parse_parts(Options *options, enum OptionPlace place, int argc, char **argv,
                              int *status)
{
    *options = (Options){.format = VMAF_OUTPUT_FORMAT_XML};
    options->parts = calloc((size_t)argc + 1, sizeof(*options->parts));
    OptionScanner scanner = {.argc = argc, .argv = argv, .list = options->parts};
    Message why = {"out of memory"};
    int found = options->parts ? command_line_take(options, &scanner, place, &why) : -ENOMEM;
    options->n_parts = scanner.n_words;
    if (!found)
        found = command_line_check_parts(options, place, &why);
    return conclude(found, &why, status);
}

void command_line_free(Options *options)
{
    for (unsigned i = 0; i < options->n_models; i++)
        model_spec_free(&options->models[i]);
    for (unsigned i = 0; i < options->n_features; i++)
        feature_spec_free(&options->features[i]);
    free(options->parts);
}
