/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_FIXTURE_H
#define TESTS_EMULATION_LEVEL_ZERO_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <level_zero/ze_api.h>

#include "machine_fixture.h"

/* What the tests of the emulated driver share. They run under the real loader. */

#define OK(call) assert_int_equal(call, ZE_RESULT_SUCCESS)

enum { WORDS = 256 };

/* Finds the driver; false, and says why: tests cannot run here. To be called first in main. */
bool fixture_can_run(void);

/* Each test has a machine of its own; what is below belongs to its first device. */
void fixture_start(const char *machine, const char *order);
int fixture_set_up(void **state); /* the default machine, late */
int fixture_tear_down(void **state);

extern ze_driver_handle_t fixture_driver;
extern ze_device_handle_t fixture_device;
extern ze_context_handle_t fixture_context;

int fixture_configure(const char *machine, const char *order);
uint64_t fixture_count(const char *what);
/* What was done wrong since the machine was configured. */
unsigned fixture_complaints(void);

ze_device_handle_t fixture_find_device(uint32_t index);

/* Immediate, asynchronous; of the queue group for all work, unless it says another. */
ze_command_list_handle_t fixture_immediate(void);
ze_command_list_handle_t fixture_immediate_of(uint32_t ordinal, ze_command_queue_mode_t mode);

ze_event_pool_handle_t fixture_pool(ze_event_pool_flags_t flags, uint32_t count);
/* From a pool of its own, visible to the host. */
ze_event_handle_t fixture_event(void);
ze_event_handle_t fixture_event_of(ze_event_pool_handle_t pool, uint32_t index);

uint32_t *fixture_device_memory(size_t bytes);
uint32_t *fixture_host_memory(size_t bytes);
/* The first word of device memory, by a copy that is waited for. */
uint32_t fixture_read(const uint32_t *from);

ze_module_handle_t fixture_module(void);
ze_kernel_handle_t fixture_kernel(const char *name);
/* Sets the arguments of fill; 64 lanes a group. */
void fixture_set_fill(ze_kernel_handle_t fill, uint32_t *to, uint32_t value, int32_t offset);
ze_result_t fixture_launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                           uint32_t groups);
/* All of a file; free it. */
uint8_t *fixture_read_file(const char *path, size_t *size);

#endif
