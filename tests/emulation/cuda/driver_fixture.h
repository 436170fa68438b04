/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_FIXTURE_H
#define TESTS_EMULATION_CUDA_DRIVER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver_api.h"
#include "machine_control.h"
#include "machine_fixture.h"

/* What the tests of the emulated driver share. */
MACHINE_CONTROL(cuda)

#define OK(call) assert_int_equal(call, CUDA_SUCCESS)

/* Each test has a machine of its own, and a context on its first device that is current. */
void fixture_start(const char *machine, const char *order);
int fixture_set_up(void **state); /* the default machine, late */
int fixture_tear_down(void **state);

extern CudaContext fixture_context;

/* fill(address, value): each lane of a group of 64 writes the value behind the last one's. */
CudaFunction fixture_fill_kernel(void);
/* Puts fill on a stream: the value, `groups` times 64 times. */
CudaResult fixture_fill(CudaFunction fill, CudaAddress to, uint32_t value, unsigned groups,
                        CudaStream stream);

CudaAddress fixture_device_memory(size_t bytes);
/* A word of device memory, now. */
uint32_t fixture_read(CudaAddress from);
void *fixture_pinned(size_t bytes);
CudaStream fixture_stream(unsigned flags);
CudaEvent fixture_event(unsigned flags);

#endif
