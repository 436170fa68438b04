/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_POSIX_INTERNAL_H
#define VMAF_PLATFORM_POSIX_INTERNAL_H

/*
 * What the systems with POSIX do each in their own way: src/platform/linux, macos and freebsd have
 * one definition of it each, and src/platform/posix is the same for all. Beside these functions
 * they define what is the system's own of the headers of this component: vmaf_process_environment,
 * vmaf_privilege_is_borrowed, vmaf_thread_number, vmaf_thread_set_name, vmaf_thread_times_now and
 * -_since, vmaf_machine_boot_id, vmaf_random_bytes, vmaf_module_index.
 */

#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#ifdef __APPLE__
#include <xlocale.h> /* newlocale and what goes with it, elsewhere in <locale.h> */

#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif

#include "platform/file.h"

/* ---- Files ---- */

/* pipe() with O_CLOEXEC and those of `flags`, of which O_NONBLOCK may be one. 0; -1 and errno. */
int vmaf_system_pipe(int ends[2], int flags);
/* Closes all descriptors from `first` on in one go. False if the system cannot. */
bool vmaf_system_close_from(int first);

/* ---- The process ---- */

/* The path of the program that runs, to be freed. 0; negative errno. */
int vmaf_system_program_path(char **path);
unsigned vmaf_system_usable_processors(void);

/* ---- Children ---- */

/* Has this process killed when its parent ends, where the system can. Signal handlers may call it.
 */
void vmaf_system_end_with_parent(void);
/* Processor time of all threads of another process of the user; 0 if it is not known. */
int64_t vmaf_system_process_time_ns(pid_t process);

/* ---- Modules ---- */

/* True if the address is in something that was loaded from a file, the program or a module. */
bool vmaf_system_is_of_file(const void *address);

/* ---- Threads ---- */

int vmaf_system_condition_init(pthread_cond_t *condition);
/* pthread_cond_timedwait until CLOCK_MONOTONIC is at `ns`. Of a condition that the above has made.
 */
int vmaf_system_condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t ns);
/* Processor time of a thread; 0 if it is not known. */
int64_t vmaf_system_thread_time_ns(pthread_t thread);

/* ---- Descriptors: the same for all of them ---- */

VmafFileStatus vmaf_file_status_from(const struct stat *native);

/* One call, again if a signal came first. Bytes; negative errno. */
int64_t vmaf_descriptor_read(int fd, void *buffer, size_t size);
/* All bytes. 0; negative errno. */
int vmaf_descriptor_write(int fd, const void *data, size_t size);

#endif
