/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/test_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

int test_folder_enter(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/vmaf-test-XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

int test_folder_remove(void **state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof(command), "chmod -R u+rwx %s && rm -r %s", folder, folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

const char *test_folder_path(void)
{
    return folder;
}
