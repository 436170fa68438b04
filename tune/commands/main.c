/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The vmaf-tune program: drives encoders and measures what they make. See docs/tune.md. */
#include "tune/commands/commands.h"

#include "common/messages.h"
#include "platform/process.h"

#include "libvmaf/libvmaf.h"

#include <stdio.h>
#include <string.h>

/* All but those of aliases.c. */
static const TuneCommand *const commands[] = {
    &compare_command, &corpus_command,   &recommend_command,
    &ladder_command,  &per_shot_command, &auto_command,
    &bd_rate_command, &report_command,   &capabilities_command,
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

/* In the order of help; NULL behind the last one. */
static const TuneCommand *command_at(size_t index)
{
    return index < N_COMMANDS ? commands[index] : alias_command(index - N_COMMANDS);
}

static void print_help(void)
{
    printf("vmaf-tune: which quality, which encoder, which ladder? Encodes, measures with VMAF and "
           "answers\n\nUsage: vmaf-tune SUBCOMMAND [options]\n\n");
    const TuneCommand *command;
    for (size_t i = 0; (command = command_at(i)); i++)
        printf("  %-16s %s\n", command->name, command->summary);
    printf("\nvmaf-tune SUBCOMMAND --help explains each. Exit status: 0 a result, 1 no result,\n"
           "2 wrong usage or unreadable input, 3 an estimate was refuted (fast), 100 the score\n"
           "backend that was asked for is not available.\n");
}

static int is_called(const TuneCommand *command, const char *name)
{
    return !strcmp(command->name, name) ||
           (command->other_name && !strcmp(command->other_name, name));
}

static int unknown(const char *name)
{
    Suggestion suggestion = {.wanted = name};
    const TuneCommand *command;
    for (size_t i = 0; (command = command_at(i)); i++)
        suggestion_offer(&suggestion, command->name);
    const char *meant = suggestion_result(&suggestion);
    if (meant)
        print_error("vmaf-tune: there is no subcommand \"%s\"; did you mean %s?", name, meant);
    else
        print_error("vmaf-tune: there is no subcommand \"%s\" (see vmaf-tune --help)", name);
    return TUNE_USAGE;
}

int main(int argc, char **argv)
{
    if (vmaf_process_prepare())
        return TUNE_NO_RESULT;
    if (argc < 2) {
        print_help();
        return TUNE_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        print_help();
        return TUNE_OK;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("vmaf-tune %s\n", vmaf_version());
        return TUNE_OK;
    }
    const TuneCommand *command;
    for (size_t i = 0; (command = command_at(i)); i++)
        if (is_called(command, argv[1]))
            return command->run(command, argc - 2, argv + 2);
    return unknown(argv[1]);
}
