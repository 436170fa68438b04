/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_WINDOWS_MODULE_NEEDS_H
#define VMAF_PLATFORM_WINDOWS_MODULE_NEEDS_H

#include "platform/windows/native.h"

/*
 * The first library that a module needs and that is not to be found, which the system does not tell
 * when it cannot load the module; "" if there is none, or what is missing is needed by another
 * library. None of their code is run. `path` has backslashes alone.
 */
void vmaf_module_missing_library(const wchar_t *path, char *name, size_t size);

#endif
