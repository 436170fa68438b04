/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_MACHINE_H
#define VMAF_PLATFORM_MACHINE_H

#include <stddef.h>

/* A text that is another one each time the machine was started; "" if the system has none. */
void vmaf_machine_boot_id(char *id, size_t size);

#endif
