/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/test_folder.h on Windows: a folder whose name is not of one code page. */
#include "support/test_folder.h"

#include <direct.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/path.h"
#include "platform/process.h"
#include "platform/windows/internal.h"

static char folder[600], before[600];
static wchar_t *wide_folder;

static bool is_entry(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Also one that is protected. */
static void remove_file(const char *path)
{
    wchar_t *wide = vmaf_wide_text(path);
    SetFileAttributesW(wide, FILE_ATTRIBUTE_NORMAL);
    free(wide);
    remove(path);
}

static void empty(const char *path)
{
    char **names, inside[1200];
    unsigned count;
    VmafFileStatus status;
    if (vmaf_folder_list(path, is_entry, &names, &count))
        return;
    for (unsigned i = 0; i < count; i++) {
        snprintf(inside, sizeof(inside), "%s/%s", path, names[i]);
        if (!vmaf_file_status_at(inside, &status) && status.kind == VMAF_FILE_FOLDER)
            empty(inside);
        else
            remove_file(inside);
    }
    vmaf_folder_list_free(names, count);
    if (strcmp(path, folder))
        remove(path);
}

int test_folder_enter(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "%s/vmaf test \xc3\xbc\xe6\xbc\xa2 %d",
             vmaf_folder_temporary(), vmaf_process_id());
    if (!_getcwd(before, sizeof(before)) || vmaf_folder_make(folder))
        return -1;
    empty(folder); /* another process of that number may have been killed */
    wide_folder = vmaf_wide_text(folder);
    return wide_folder && SetCurrentDirectoryW(wide_folder) ? 0 : -1;
}

int test_folder_remove(void **state)
{
    (void)state;
    empty(folder);
    free(wide_folder);
    return _chdir(before) || remove(folder) ? -1 : 0;
}

const char *test_folder_path(void)
{
    return folder;
}
