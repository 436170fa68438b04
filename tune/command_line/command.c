/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/command_line/command.h"

#include "common/messages.h"
#include "common/output_guard.h"
#include "platform/path.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void print_help(const TuneCommand *command, const OptionGroup *groups, size_t n_groups)
{
    printf("vmaf-tune %s: %s\n\n", command->name, command->summary);
    printf("Usage: vmaf-tune %s [options]%s%s\n", command->name, *command->operands ? " " : "",
           command->operands);
    if (command->examples)
        printf("\nExamples:\n%s", command->examples);
    tune_options_print(groups, n_groups);
}

/* Has it no option of this name of its own? */
static bool lacks(const OptionGroup *groups, size_t n_groups, const char *name)
{
    for (size_t g = 0; g < n_groups; g++)
        for (size_t i = 0; i < groups[g].n; i++)
            if (!strcmp(groups[g].options[i].name, name))
                return false;
    return true;
}

bool command_parse(const TuneCommand *command, const OptionGroup *groups, size_t n_groups, int argc,
                   char **argv, OptionWords *words, int *status)
{
    enum { MOST = 16 };
    static const TuneOption overwrite = {.name = "overwrite",
                                         .type = TUNE_FLAG,
                                         .help = "outputs replace files of any kind that exist, "
                                                 "but never what is read"};
    bool overwrites = false;
    OptionGroup all[MOST + 1] = {{0}};
    Message why;
    memcpy(all, groups, n_groups * sizeof *groups);
    if (lacks(groups, n_groups, overwrite.name))
        all[n_groups++] = (OptionGroup){"Outputs", &overwrite, 1, &overwrites};
    int parsed = tune_options_parse(all, n_groups, argc, argv, words, &why);
    if (!parsed)
        parsed = tune_options_check_files(all, n_groups, words, &why);
    *status = TUNE_OK;
    if (parsed == 1)
        print_help(command, all, n_groups);
    else if (parsed < 0)
        *status = command_fail(command, TUNE_USAGE, "%s", why.text);
    return !parsed;
}

bool command_parse_options(const TuneCommand *command, const OptionGroup *groups, size_t n_groups,
                           int argc, char **argv, int *status)
{
    OptionWords words;
    if (!command_parse(command, groups, n_groups, argc, argv, &words, status))
        return false;
    if (words.n)
        *status =
            command_fail(command, TUNE_USAGE, "\"%s\" is no option (see --help)", words.word[0]);
    return !words.n;
}

int command_fail(const TuneCommand *command, int status, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_error("vmaf-tune %s: %s", command->name, text);
    return status;
}

bool command_check_output(const TuneCommand *command, const char *path)
{
    const int err = path && strcmp(path, "-") ? vmaf_path_check_output(path) : 0;
    if (err)
        command_fail(command, TUNE_USAGE, "cannot write %s: %s", path, strerror(-err));
    return !err;
}

bool command_check_video(const TuneCommand *command, const char *source, const char *path,
                         bool overwrites)
{
    OutputGuard guard = {0};
    Message why;
    const GuardedOutput output = {
        .path = path, .name = "the video", .content = OUTPUT_VIDEO, .overwrites = overwrites};
    int err = output_guard_read(&guard, source, "its source", &why);
    if (!err)
        err = output_guard_write(&guard, &output, &why);
    output_guard_free(&guard);
    if (err)
        command_fail(command, TUNE_USAGE, "%s", why.text);
    return !err;
}

static int print_to_stdout(const char *text)
{
    errno = 0;
    if (fputs(text, stdout) < 0 || fflush(stdout))
        return errno ? -errno : -EIO;
    return 0;
}

int command_print(const TuneCommand *command, const char *path, const char *text)
{
    bool to_stdout = !path || !strcmp(path, "-");
    int error = to_stdout ? print_to_stdout(text) : text_write(path, text);
    if (!error)
        return TUNE_OK;
    return command_fail(command, TUNE_NO_RESULT, "cannot write %s: %s",
                        to_stdout ? "the result" : path, strerror(-error));
}
