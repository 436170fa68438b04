/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_PROCESS_H
#define VMAF_PLATFORM_PROCESS_H

/* The process that calls. */

/* Its number; a child that a fork made has another one. Never 0. */
int vmaf_process_id(void);

#endif
