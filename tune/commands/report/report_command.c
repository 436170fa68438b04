/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/report/report_command.h"

#include "platform/text.h"
#include "tune/commands/report/report_input.h"
#include "tune/commands/report/report_print.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum Format { FORMAT_HTML, FORMAT_MARKDOWN };

typedef struct Settings {
    const char *title, *output;
    TextList inputs;
    double target;
    int format;
} Settings;

#define OPTION(option_type, option_name, option_argument, option_help, member, ...)                \
    {                                                                                              \
        .name = (option_name), .argument = (option_argument), .help = (option_help),               \
        .type = (option_type), .target = offsetof(Settings, member), __VA_ARGS__                   \
    }

static const TuneOption rows[] = {
    OPTION(TUNE_TEXTS, "input", "FILE", "the same as FILE behind the options", inputs,
           .file = TUNE_FILE_READ),
    OPTION(TUNE_TEXT, "title", "TEXT", "what the report is called", title),
    OPTION(TUNE_NUMBER, "target-vmaf", "X", "the score to be reached (of a corpus, 92)", target),
    OPTION(TUNE_CHOICE, "format", NULL, "how to print it (html)", format,
           .values = "html|markdown"),
    OPTION(TUNE_TEXT, "output", "FILE", "write the result to a file", output,
           .file = TUNE_FILE_TEXT),
};

static int print(const TuneCommand *command, const Settings *settings, const Report *report)
{
    char *text = NULL;
    size_t size;
    VmafCLocaleScope locale;
    FILE *out = open_memstream(&text, &size);
    int err = vmaf_c_locale_enter(&locale);
    if (out && !err && settings->format == FORMAT_HTML)
        err = report_print_html(report, out);
    else if (out && !err)
        report_print_markdown(report, out);
    vmaf_c_locale_leave(&locale);
    const int status = !out || fclose(out) || err
                           ? command_fail(command, TUNE_NO_RESULT, "out of memory")
                           : command_print(command, settings->output, text);
    free(text);
    return status;
}

static int add_files(Report *report, const Settings *settings, const OptionWords *words,
                     Message *why)
{
    const ReportTargets targets = {.rows = isnan(settings->target) ? 92 : settings->target,
                                   .documents = settings->target};
    int err = 0;
    for (size_t i = 0; i < settings->inputs.n && !err; i++)
        err = report_add_file(report, settings->inputs.text[i], &targets, why);
    for (size_t i = 0; i < words->n && !err; i++)
        err = report_add_file(report, words->word[i], &targets, why);
    if (!err && !report_is_whole(report))
        err = message_set(why, -ENOMEM, "out of memory");
    return err;
}

static int make(const TuneCommand *command, const Settings *settings, const OptionWords *words)
{
    if (!settings->inputs.n && !words->n)
        return command_fail(command, TUNE_USAGE, "a FILE is needed");
    Report report = {.title = settings->title};
    Message why;
    const int err = add_files(&report, settings, words, &why);
    const int status =
        err ? command_fail(command, err == -ENOMEM ? TUNE_NO_RESULT : TUNE_USAGE, "%s", why.text)
            : print(command, settings, &report);
    report_free(&report);
    return status;
}

static int run(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.target = NAN};
    const OptionGroup group = {"Options", rows, sizeof(rows) / sizeof(rows[0]), &settings};
    OptionWords words;
    int status;
    if (command_parse(command, &group, 1, argc, argv, &words, &status))
        status = make(command, &settings, &words);
    tune_options_free(&group, 1);
    return status;
}

const TuneCommand report_command = {
    .name = "report",
    .operands = "FILE...",
    .summary = "results of other subcommands as a page with plots",
    .examples = "  vmaf-tune report corpus.jsonl --output report.html\n"
                "  vmaf-tune report ladder.json compare.json --format markdown\n",
    .run = run,
};
