/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "batch/batch_outputs.h"

#include "platform/file.h"
#include "platform/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Devices and pipes can have several reports; the others are files, or will be. */
static bool is_file(const char *path, VmafFileStatus *status)
{
    return vmaf_file_status_at(path, status) || status->kind == VMAF_FILE_REGULAR;
}

/* The folder as it is without links, and the name in it. NULL without memory. */
static char *join_real(const char *path)
{
    const char *name = vmaf_path_name(path);
    char *folder = name > path ? strndup(path, (size_t)(name - path)) : strdup(".");
    char *real = NULL, *joined = NULL;
    if (folder && vmaf_path_real(folder, &real)) /* there is none: the run will say so */
        real = strdup(folder);
    if (folder && real && asprintf(&joined, "%s/%s", real, name) < 0)
        joined = NULL;
    free(folder);
    free(real);
    return joined;
}

/* One text for all ways to write the path of a file. NULL without memory. */
static char *one_path(const char *path)
{
    char *target;
    if (vmaf_path_behind_links(path, &target))
        return join_real(path);
    char *joined = join_real(target);
    free(target);
    return joined;
}

static int out_of_memory(Message *why)
{
    return message_set(why, -ENOMEM, "out of memory");
}

static bool is_list(const char *list, const VmafFileStatus *status)
{
    VmafFileStatus of_list;
    return strcmp(list, "-") != 0 && !vmaf_file_status_at(list, &of_list) &&
           vmaf_file_is_same(&of_list, status);
}

/* Adds to `mine` what is not in `others`. */
static int add_path(const json_t *others, json_t *mine, const char *path, const char *list,
                    unsigned long long line, Message *why)
{
    VmafFileStatus status = {.kind = VMAF_FILE_OTHER};
    if (!is_file(path, &status))
        return 0;
    if (is_list(list, &status))
        return message_set(why, -EINVAL, "the report would replace the list: %s", path);
    char *key = one_path(path);
    if (!key)
        return out_of_memory(why);
    const json_t *known = json_object_get(others, key);
    int err = 0;
    if (!known)
        known = json_object_get(mine, key);
    if (known)
        err = message_set(why, -EINVAL, "line %lld has the same report: %s",
                          (long long)json_integer_value(known), path);
    else if (json_object_set_new_nocheck(mine, key, json_integer((json_int_t)line)))
        err = out_of_memory(why);
    free(key);
    return err;
}

int batch_outputs_add(BatchOutputs *outputs, const Options *options, const char *list,
                      unsigned long long line, Message *why)
{
    if (!outputs->lines)
        outputs->lines = json_object();
    json_t *mine = json_object();
    int err = outputs->lines && mine ? 0 : out_of_memory(why);
    for (unsigned i = 0; i < options->n_outputs && !err; i++)
        err = add_path(outputs->lines, mine, options->outputs[i].path, list, line, why);
    if (!err && json_object_update(outputs->lines, mine))
        err = out_of_memory(why);
    json_decref(mine);
    return err;
}

void batch_outputs_free(BatchOutputs *outputs)
{
    json_decref(outputs->lines);
    outputs->lines = NULL;
}
