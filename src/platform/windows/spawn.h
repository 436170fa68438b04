/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_WINDOWS_SPAWN_H
#define VMAF_PLATFORM_WINDOWS_SPAWN_H

/* Another program, alone in a job: what it starts ends with the job, and the job with this process.
 */

#include "platform/windows/native.h"

typedef struct VmafSpawn {
    HANDLE process, job;
} VmafSpawn;

/*
 * The program, if it is a path with a separator that can be run, also if ".exe" has to be added;
 * else that of the name in PATH. To be freed. 0; -ENOENT; -EACCES: it is no program; -ENOMEM.
 */
int vmaf_spawn_find(const char *program, wchar_t **path);

/* A command line that is taken apart into the arguments again; NULL: no memory. */
wchar_t *vmaf_command_line(const char *const *arguments);

/*
 * Starts it with nothing as standard input; it inherits these two handles and no other. `folder`
 * may be NULL. 0; negative errno.
 */
int vmaf_spawn(VmafSpawn *spawn, const wchar_t *program, wchar_t *command_line,
               const wchar_t *folder, HANDLE output, HANDLE errors);
/* Handles to the device that takes all and gives nothing; inherited. */
HANDLE vmaf_null_device(void);

/* Ends whatever of it still runs. */
void vmaf_spawn_kill(const VmafSpawn *spawn);
/* Closes the handles, which kills as well. */
void vmaf_spawn_close(VmafSpawn *spawn);

#endif
