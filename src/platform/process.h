/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_PROCESS_H
#define VMAF_PLATFORM_PROCESS_H

/* The process that calls. */

/*
 * What a program does first: standard streams that it was started without lead nowhere from now on,
 * so that no file takes their place and receives messages; and a file that exceeds a limit on the
 * size of files is an error of the call that writes, not the end of the program. 0; negative errno.
 */
int vmaf_process_prepare(void);

/* From now on writing to a pipe that nobody reads is an error of the call, not the end of the
 * program. */
void vmaf_process_outlive_readers(void);

/* Its environment: texts NAME=VALUE, NULL at the end; NULL if there is none. */
char *const *vmaf_process_environment(void);

/* The most memory that it has used so far, in KiB; 0 if the system does not tell. */
long vmaf_process_peak_memory_kib(void);

/* Its number; a child that a fork made has another one. Never 0. */
int vmaf_process_id(void);

#endif
