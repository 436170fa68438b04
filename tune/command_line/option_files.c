/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/command_line/options.h"

#include "common/output_guard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Files {
    OutputGuard guard;
    bool overwrites;
    Message *why;
} Files;

static const void *value_of(const TuneOption *option, const OptionGroup *group)
{
    return (const char *)group->target + option->target;
}

/* A model may be path=FILE:OPTION=VALUE. */
static int read_text(Files *files, const char *text, const char *label)
{
    static const char prefix[] = "path=";
    if (!text || strncmp(text, prefix, strlen(prefix)) != 0)
        return output_guard_read(&files->guard, text, label, files->why);
    char *path = strdup(text + strlen(prefix));
    if (!path)
        return message_set(files->why, -ENOMEM, "out of memory");
    path[strcspn(path, ":")] = '\0';
    const int err = output_guard_read(&files->guard, path, label, files->why);
    free(path);
    return err;
}

static int take_read(Files *files, const TuneOption *option, const OptionGroup *group)
{
    char label[64];
    int err = 0;
    snprintf(label, sizeof label, "the file of --%s", option->name);
    if (option->file != TUNE_FILE_READ)
        return 0;
    if (option->type == TUNE_TEXT)
        return read_text(files, *(const char *const *)value_of(option, group), label);
    const TextList *list = value_of(option, group);
    for (size_t i = 0; i < list->n && !err; i++)
        err = read_text(files, list->text[i], label);
    return err;
}

static int take_written(Files *files, const TuneOption *option, const OptionGroup *group)
{
    char name[64];
    snprintf(name, sizeof name, "--%s", option->name);
    if (option->file != TUNE_FILE_TEXT && option->file != TUNE_FILE_WRITTEN)
        return 0;
    const GuardedOutput output = {
        .path = *(const char *const *)value_of(option, group),
        .name = name,
        .overwrites = files->overwrites || option->file == TUNE_FILE_WRITTEN,
    };
    return output_guard_write(&files->guard, &output, files->why);
}

static int look_for_overwrite(Files *files, const TuneOption *option, const OptionGroup *group)
{
    if (!strcmp(option->name, "overwrite"))
        files->overwrites = *(const bool *)value_of(option, group);
    return 0;
}

static int for_all(Files *files, const OptionGroup *groups, size_t n_groups,
                   int (*take)(Files *, const TuneOption *, const OptionGroup *))
{
    int err = 0;
    for (size_t g = 0; g < n_groups; g++)
        for (size_t i = 0; i < groups[g].n && !err; i++)
            err = take(files, &groups[g].options[i], &groups[g]);
    return err;
}

int tune_options_check_files(const OptionGroup *groups, size_t n_groups, const OptionWords *words,
                             Message *why)
{
    Files files = {.why = why};
    int err = for_all(&files, groups, n_groups, look_for_overwrite);
    if (!err)
        err = for_all(&files, groups, n_groups, take_read);
    for (size_t i = 0; i < words->n && !err; i++)
        err = output_guard_read(&files.guard, words->word[i], "a file that is read", why);
    if (!err)
        err = for_all(&files, groups, n_groups, take_written);
    if (!err)
        err = output_guard_trace(&files.guard, why);
    output_guard_free(&files.guard);
    return err;
}
