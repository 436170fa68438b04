/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_MODULE_H
#define VMAF_PLATFORM_MODULE_H

/* Modules: files of code that are loaded into the process. All may be called from any thread. */

#include <stdbool.h>
#include <stddef.h>

/* What names of modules end with that are loaded by their path. */
#ifdef _WIN32
#define VMAF_MODULE_SUFFIX ".dll"
#else
#define VMAF_MODULE_SUFFIX ".so"
#endif

/* False in a program that is linked statically as a whole with a C library that then loads nothing.
 */
bool vmaf_module_can_load(void);

/*
 * Loads a module for good and binds all that it uses. 0; -ENOMEM; -ENODEV if another module that it
 * needs is missing, -ENOEXEC if anything else is wrong: `why` receives the system's words, cut to
 * `size`, in whatever encoding they are.
 */
int vmaf_module_load(const char *path, char *why, size_t size);

typedef void (*VmafCodeAddress)(void);

/* The same, and finds a function in it; -ENOENT if there is none of that name. */
int vmaf_module_find(const char *path, const char *name, VmafCodeAddress *address, char *why,
                     size_t size);

/*
 * Finds a function of a module that the process has loaded already, under the name that it goes by
 * ("libva.so.2"), or else in whatever the process sees. 0; -ENOENT. Loads nothing.
 */
int vmaf_module_find_loaded(const char *module, const char *name, VmafCodeAddress *address);

/*
 * True if a function pointer points into code that was loaded from a file. A descriptor that lies
 * about its size makes the host read what lies behind it, which hardly ever passes.
 */
bool vmaf_module_has_code(VmafCodeAddress address);

/* The real path of the folder of the module, or program, that holds the address; to be freed. 0;
 * negative errno. */
int vmaf_module_folder_of(const void *address, char **folder);

/* Names the file of each module that is loaded. False: the system does not tell. */
bool vmaf_module_list(void (*name)(void *cookie, const char *path), void *cookie);

/*
 * The path of a module that is loaded, for functions that are not of this layer; to be freed. 0;
 * -ENOMEM; -EILSEQ if they have no way to name it.
 */
int vmaf_module_foreign_path(const char *path, char **foreign);

/* A file that changes when the modules that can be found change; "": there is none. */
const char *vmaf_module_index(void);

#endif
