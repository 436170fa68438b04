/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_BACKEND_PLUGINS_MEMBUF_MEMORY_H
#define TESTS_BACKEND_PLUGINS_MEMBUF_MEMORY_H

#include <stdint.h>

/* The memory of the device. All functions are thread-safe. */

uint64_t device_allocate(uint64_t size); /* address, or 0 */
void device_release(uint64_t address);   /* 0 allowed */
/* The content behind an address, if all of [address, address + size) lies in one allocation. */
uint8_t *device_content(uint64_t address, uint64_t size);
uint32_t device_n_allocations(void);

#endif
