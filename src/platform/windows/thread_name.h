/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_WINDOWS_THREAD_NAME_H
#define VMAF_PLATFORM_WINDOWS_THREAD_NAME_H

/* The calling thread ends: vmaf_thread_set_name has named it, or not. */
void vmaf_thread_name_forget(void);

#endif
