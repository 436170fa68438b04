/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encoders/scratch_folder.h"

#include "platform/path.h"
#include "platform/process.h"
#include "platform/time.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int scratch_folder_make(const char *beside, char **path)
{
    static atomic_uint counter;
    /* One that another process left may have the number of this one: the time tells them apart. */
    const unsigned moment = (unsigned)(vmaf_time_of_day_ns() / 1000000);
    *path = NULL;
    if (asprintf(path, "%s.%d-%x-%u.part", beside, vmaf_process_id(), moment,
                 atomic_fetch_add(&counter, 1)) < 0) {
        *path = NULL;
        return -ENOMEM;
    }
    const int err = vmaf_folder_make(*path);
    if (err) {
        free(*path);
        *path = NULL;
    }
    return err;
}

static bool is_file(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

void scratch_folder_remove(char *path)
{
    char **names = NULL;
    unsigned count = 0;
    if (!path)
        return;
    if (vmaf_folder_list(path, is_file, &names, &count) == 0) {
        for (unsigned i = 0; i < count; i++) {
            char *file = NULL;
            if (asprintf(&file, "%s/%s", path, names[i]) >= 0) {
                remove(file);
                free(file);
            }
        }
        vmaf_folder_list_free(names, count);
    }
    remove(path);
    free(path);
}
