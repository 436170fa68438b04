/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/options/command.h"

#include "common/messages.h"
#include "common/output_guard.h"
#include "platform/path.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* -- help -- */

/* Topics are written small. */
static bool is_topic(const char *title, const char *topic)
{
    const size_t length = strcspn(title, ":");
    return tolower((unsigned char)*title) == *topic && strlen(topic) == length &&
           !strncmp(title + 1, topic + 1, length - 1);
}

static void print_shared(const TuneCommand *command, const OptionGroup *groups, size_t n_groups)
{
    bool begun = false;
    for (size_t i = 0; i < n_groups; i++) {
        const char *title = groups[i].title, *summary = strchr(title, ':');
        if (!summary)
            continue;
        if (!begun)
            printf("\nMore, by vmaf-tune %s --help GROUP:\n", command->name);
        begun = true;
        printf("  %c%-9.*s %s\n", tolower((unsigned char)*title), (int)(summary - title) - 1,
               title + 1, summary + 2);
    }
    if (begun)
        printf("  %-10s %s\n", "all", "all options");
}

/* `topic`: a group, "all", or what is neither. */
static void print_help(const TuneCommand *command, const OptionGroup *groups, size_t n_groups,
                       const char *topic)
{
    const bool all = !strcmp(topic, "all");
    bool one = false;
    for (size_t i = 0; i < n_groups; i++)
        one |= is_topic(groups[i].title, topic);
    if (!one) {
        printf("vmaf-tune %s: %s\n\n", command->name, command->summary);
        printf("Usage: vmaf-tune %s [options]%s%s\n", command->name, *command->operands ? " " : "",
               command->operands);
        if (command->examples)
            printf("\nExamples:\n%s", command->examples);
    }
    for (size_t i = 0; i < n_groups; i++)
        if (one ? is_topic(groups[i].title, topic) : all || !strchr(groups[i].title, ':'))
            tune_options_print(&groups[i], 1);
    if (!one && !all)
        print_shared(command, groups, n_groups);
}

/* -- other commands -- */

/* Shows the visitor a command and all of its options. */
static void command_visit(const TuneCommand *command, const OptionVisitor *visitor)
{
    TuneCommand visited = *command;
    visited.visitor = visitor;
    visitor->visit(visitor->cookie, command, NULL);
    visited.run(&visited, 0, NULL);
}

bool command_is_called(const TuneCommand *command, const char *name)
{
    return names_fit(command->name, command->other_name, name, strlen(name)) == 2;
}

/* The commands that have an option. */
typedef struct Owners {
    const char *name;
    size_t length;
    char text[256];
    unsigned n;
} Owners;

static void look_for_option(void *cookie, const TuneCommand *command, const OptionPlace *place)
{
    enum { MOST = 6 };
    Owners *owners = cookie;
    if (!place || names_fit(place->option->name, place->option->other_name, owners->name,
                            owners->length) != 2)
        return;
    const size_t end = strlen(owners->text);
    if (owners->n++ < MOST)
        snprintf(owners->text + end, sizeof owners->text - end, "%s%s", end ? ", " : "",
                 command->name);
}

/* What other programs call it. */
static const char *foreign_option(const char *name, size_t length)
{
    static const struct {
        const char *name, *meant;
    } options[] = {
        {"target-quality", "--target vmaf=SCORE"},
        {"target-metric", "--target METRIC=SCORE"},
        {"video-params", "--enc NAME=VALUE"},
        {"audio-params", "--audio ARGUMENTS"},
        {"min-q", "--quality-range LOW:HIGH"},
        {"max-q", "--quality-range LOW:HIGH"},
        {"probes", "--max-iterations N; a search ends by itself"},
        {"scenes", "shots; they are found anew each time"},
        {"vmaf-path", "--model path=FILE"},
        {"vmaf-threads", "--threads N"},
        {"min-samples", "--samples N"},
        {"temp-dir", "--work-dir FOLDER"},
        {"temp", "--work-dir FOLDER"},
        {"downmix-to-stereo", "--audio \"-c:a libopus -ac 2\""},
        {"passes", "--two-pass"},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strlen(options[i].name) == length && !strncmp(options[i].name, name, length))
            return options[i].meant;
    return NULL;
}

/* Says more of an option that the command has not, if more is known. */
static void explain_unknown(const TuneCommand *command, const char *name, Message *why)
{
    Owners owners = {.name = name, .length = strcspn(name, "=")};
    const OptionVisitor visitor = {look_for_option, &owners};
    const TuneCommand *other;
    const char *meant = foreign_option(name, owners.length);
    for (size_t i = 0; command->all && (other = command->all(i)); i++)
        command_visit(other, &visitor);
    if (owners.n)
        message_set(why, -EINVAL, "--%.*s is an option of %s%s, not of %s", (int)owners.length,
                    name, owners.text, owners.n > 6 ? " and others" : "", command->name);
    else if (meant)
        message_set(why, -EINVAL, "there is no --%.*s; here it is %s", (int)owners.length, name,
                    meant);
}

static void print_row(void *cookie, const TuneCommand *command, const OptionPlace *place)
{
    const TuneOption *row = place ? place->option : NULL;
    char help[OPTION_HELP_SIZE];
    (void)cookie;
    if (!row)
        printf("%s\t\t\t%s\t%s\t\t%s\n", command->name,
               command->other_name ? command->other_name : "", command->operands, command->summary);
    if (!row || !row->help)
        return;
    tune_option_help(place, help);
    printf("%s\t%.*s\t%.1s\t%s%s%s\t%s\t%s\t%s\n", command->name,
           (int)strcspn(place->group->title, ":"), place->group->title, &row->short_name, row->name,
           row->other_name ? "|" : "", row->other_name ? row->other_name : "",
           row->values     ? row->values
           : row->argument ? row->argument
                           : "",
           row->values ? "words"
           : row->file ? "file"
                       : "",
           help);
}

void commands_print_options(const TuneCommand *(*all)(size_t index), const char *name)
{
    const OptionVisitor visitor = {print_row, NULL};
    const TuneCommand *command;
    for (size_t i = 0; (command = all(i)); i++)
        if (!name || command_is_called(command, name))
            command_visit(command, &visitor);
}

/* -- arguments -- */

bool command_parse(const TuneCommand *command, const OptionGroup *groups, size_t n_groups, int argc,
                   char **argv, OptionWords *words, int *status)
{
    enum { MOST = 16 };
    static const TuneOption overwrite = {.name = "overwrite",
                                         .type = TUNE_FLAG,
                                         .help = "outputs replace files of any kind that exist, "
                                                 "but never what is read"};
    bool overwrites = false, has_own = false;
    OptionPlace place;
    OptionGroup all[MOST + 1] = {{0}};
    Message why;
    memcpy(all, groups, n_groups * sizeof *groups);
    for (size_t i = 0; option_at(groups, n_groups, i, &place); i++)
        has_own |= !strcmp(place.option->name, overwrite.name);
    if (!has_own)
        all[n_groups++] = (OptionGroup){"Outputs", &overwrite, 1, &overwrites};
    *status = TUNE_OK;
    for (size_t i = 0; command->visitor && option_at(all, n_groups, i, &place); i++)
        command->visitor->visit(command->visitor->cookie, command, &place);
    if (command->visitor)
        return false;
    int parsed = tune_options_parse(all, n_groups, argc, argv, words, &why);
    if (parsed < 0 && words->unknown)
        explain_unknown(command, words->unknown, &why);
    if (!parsed)
        parsed = tune_options_check_files(all, n_groups, words, &why);
    if (parsed == 1)
        print_help(command, all, n_groups, words->topic);
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
