/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The vmaf-tune program: drives encoders and measures what they make. See docs/tune.md. */
#include "tune/command/commands.h"

#include "common/messages.h"
#include "platform/process.h"

#include "libvmaf/libvmaf.h"

#include <stdio.h>
#include <string.h>

/* All but those of aliases.c. */
static const TuneCommand *const commands[] = {
    &compare_command,  &corpus_command,  &ladder_command, &shots_command,
    &per_shot_command, &bd_rate_command, &report_command, &capabilities_command,
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

/* In the order of help; NULL behind the last one. */
static const TuneCommand *command_at(size_t index)
{
    return index < N_COMMANDS ? commands[index] : alias_command(index - N_COMMANDS);
}

static const TuneCommand *find(const char *name)
{
    const TuneCommand *command;
    for (size_t i = 0; (command = command_at(i)); i++)
        if (command_is_called(command, name))
            return command;
    return NULL;
}

/* The rest are other names of these, and older ones. */
static const char *const asked[] = {"encode", "search", "sample",  "compare", "shots",
                                    "ladder", "corpus", "bd-rate", "report",  "capabilities"};

enum { N_ASKED = sizeof asked / sizeof *asked };

static void print_help(void)
{
    const TuneCommand *command;
    printf("vmaf-tune: which quality, which encoder, which ladder? Encodes, measures with VMAF and "
           "answers\n\nUsage: vmaf-tune COMMAND [options] SOURCE\n\n");
    for (size_t i = 0; i < N_ASKED; i++)
        printf("  %-14s %s\n", asked[i], find(asked[i])->summary);
    printf("\nOther names:");
    for (size_t i = 0; (command = command_at(i)); i++) {
        bool is_other = true;
        for (size_t k = 0; k < N_ASKED; k++)
            is_other &= !command_is_called(command, asked[k]);
        if (is_other)
            printf(" %s", command->name);
    }
    printf("\n\nvmaf-tune COMMAND --help explains each. Exit status: 0 a result, 1 no result,\n"
           "2 wrong usage or unreadable input, 3 an estimate was refuted (fast), 100 the score\n"
           "backend that was asked for is not available.\n");
}

/* What was meant by the name of a command of other programs; NULL: it is none. */
static const char *foreign_command(const char *name)
{
    static const struct {
        const char *name, *meant;
    } commands_of_others[] = {
        {"vmaf", "the program vmaf computes scores"},
        {"xpsnr", "vmaf --feature xpsnr computes it"},
        {"print-completions", "packages of vmaf-tune bring completions for bash, zsh and fish"},
        {"av1an", "vmaf-tune shots SOURCE encodes shot by shot"},
    };
    for (size_t i = 0; i < sizeof commands_of_others / sizeof *commands_of_others; i++)
        if (!strcmp(commands_of_others[i].name, name))
            return commands_of_others[i].meant;
    return NULL;
}

static int unknown(const char *name)
{
    Suggestion suggestion = {.wanted = name};
    const TuneCommand *command;
    for (size_t i = 0; (command = command_at(i)); i++)
        suggestion_offer(&suggestion, command->name);
    const char *meant = suggestion_result(&suggestion), *foreign = foreign_command(name);
    if (foreign)
        print_error("vmaf-tune: there is no command \"%s\"; %s", name, foreign);
    else if (meant)
        print_error("vmaf-tune: there is no command \"%s\"; did you mean %s?", name, meant);
    else
        print_error("vmaf-tune: there is no command \"%s\" (see vmaf-tune --help)", name);
    return TUNE_USAGE;
}

/* What is asked of the program itself; -1: nothing. */
static int answer(int argc, char **argv)
{
    if (argc < 2) {
        print_help();
        return TUNE_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        print_help();
    else if (!strcmp(name, "--version"))
        printf("vmaf-tune %s\n", vmaf_version());
    else if (!strcmp(name, "--options"))
        commands_print_options(command_at, argc > 2 ? argv[2] : NULL);
    else
        return -1;
    return TUNE_OK;
}

int main(int argc, char **argv)
{
    if (vmaf_process_prepare())
        return TUNE_NO_RESULT;
    const int status = answer(argc, argv);
    if (status >= 0)
        return status;
    const TuneCommand *command = find(argv[1]);
    if (!command)
        return unknown(argv[1]);
    TuneCommand running = *command;
    running.all = command_at;
    return running.run(&running, argc - 2, argv + 2);
}
