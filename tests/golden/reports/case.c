/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "golden/reports/case.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/synth_json.h"

int case_folder_make(CaseFolder *folder)
{
    strcpy(folder->path, "/tmp/vmaf-report-XXXXXX");
    if (!mkdtemp(folder->path))
        return -errno;
    snprintf(folder->ref, sizeof folder->ref, "%.40s/ref", folder->path);
    snprintf(folder->dis, sizeof folder->dis, "%.40s/dis", folder->path);
    snprintf(folder->out, sizeof folder->out, "%.40s/out", folder->path);
    snprintf(folder->dir, sizeof folder->dir, "%.40s/dir", folder->path);
    return 0;
}

/* Removes a folder that a run may have made, and the files in it. */
static void remove_files(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return;
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
    rmdir(path);
}

void case_folder_remove(CaseFolder *folder)
{
    remove_files(folder->dir);
    unlink(folder->ref);
    unlink(folder->dis);
    unlink(folder->out);
    rmdir(folder->path);
}

/* Write a file with some occurrences of a text replaced: the first one, or all. */
static int write_replaced(FILE *file, const char *data, size_t size, const json_t *edit)
{
    const char *find = json_string_value(json_object_get(edit, "find"));
    const char *replace = json_string_value(json_object_get(edit, "replace"));
    const int all = json_is_true(json_object_get(edit, "all"));
    const size_t n = strlen(find);
    const char *end = data + size;
    int found = 0;
    while (all || !found) {
        const char *at = memmem(data, (size_t)(end - data), find, n);
        if (!at)
            break;
        found = 1;
        fwrite(data, 1, (size_t)(at - data), file);
        fputs(replace, file);
        data = at + n;
    }
    fwrite(data, 1, (size_t)(end - data), file);
    return found ? 0 : -EINVAL;
}

static int write_edited(FILE *file, const char *data, size_t size, const json_t *edit)
{
    const json_t *keep = json_object_get(edit, "keep");
    if (keep) { /* number of bytes to keep; if negative, number to cut off */
        const json_int_t n = json_integer_value(keep);
        fwrite(data, 1, n < 0 ? size - (size_t)-n : (size_t)n, file);
        return 0;
    }
    if (edit)
        return write_replaced(file, data, size, edit);
    fwrite(data, 1, size, file);
    return 0;
}

int case_make_input(const json_t *description, const char *path)
{
    if (json_object_get(description, "file"))
        return 0;
    SynthClip clip;
    unsigned char *data = NULL;
    size_t size = 0;
    int err = synth_from_json(&clip, json_object_get(description, "synth"));
    const int raw = json_is_true(json_object_get(description, "raw"));
    if (!err)
        err = synth_write_memory(&clip, raw ? SYNTH_RAW : SYNTH_Y4M, &data, &size);
    if (err)
        return err;
    FILE *file = fopen(path, "wb");
    if (!file)
        err = -errno;
    else
        err = write_edited(file, (const char *)data, size, json_object_get(description, "edit"));
    if (file && fclose(file) && !err)
        err = -EIO;
    free(data);
    return err;
}

static const char *argument_of(const char *text, const CaseFolder *folder)
{
    if (!strcmp(text, "{ref}"))
        return folder->ref;
    if (!strcmp(text, "{dis}"))
        return folder->dis;
    if (!strcmp(text, "{out}"))
        return folder->out;
    return text;
}

static void become(const char *program, const char **arguments)
{
    const int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0) {
        dup2(nowhere, STDIN_FILENO);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    execv(program, (char *const *)arguments);
    _exit(127);
}

int case_run(const char *program, const json_t *arguments, char *const *more,
             const CaseFolder *folder)
{
    enum { MAX_ARGUMENTS = 64 };
    const char *list[MAX_ARGUMENTS] = {program};
    char with_folder[256];
    size_t n = 1, i;
    json_t *argument;
    json_array_foreach((json_t *)arguments, i, argument)
    {
        const char *text = argument_of(json_string_value(argument), folder);
        const char *placeholder = strstr(text, "{dir}"); /* in one argument at most */
        if (placeholder) {
            snprintf(with_folder, sizeof with_folder, "%.*s%s%s", (int)(placeholder - text), text,
                     folder->dir, placeholder + strlen("{dir}"));
            text = with_folder;
        }
        if (n < MAX_ARGUMENTS - 1)
            list[n++] = text;
    }
    for (; *more && n < MAX_ARGUMENTS - 1; ++more)
        list[n++] = *more;
    list[n] = NULL;

    int status;
    const pid_t child = fork();
    if (child < 0)
        return -errno;
    if (child == 0)
        become(program, list);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

char *case_read_file(const char *path, size_t *size)
{
    char *data = NULL, block[4096];
    size_t n;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    FILE *memory = open_memstream(&data, size);
    while (memory && (n = fread(block, 1, sizeof block, file)) > 0)
        fwrite(block, 1, n, memory);
    fclose(file);
    if (memory)
        fclose(memory);
    return data;
}
