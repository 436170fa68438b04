/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/privilege.h"

#include <stdlib.h>

#include "backend/discovery/install_paths.h"
#include "platform/process.h"

int privilege_resolve_file(char **resolved, const char *path, Reason *why)
{
    char *own = install_path_own_folder();
    const int err = vmaf_privilege_resolve_file(resolved, path, own, why->text, sizeof(why->text));
    free(own);
    return err;
}
