/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_HIP_HIP_FIXTURE_H
#define TESTS_EMULATION_HIP_HIP_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hip_api.h"
#include "hip_control.h"
#include "kernel_set.h"
#include "machine_fixture.h"

/* What the tests of the emulated runtime share. */

#define OK(call) assert_int_equal(call, hipSuccess)

/* Each test has a machine of its own. */
void fixture_start(const char *machine, const char *order);
int fixture_set_up(void **state); /* the default machine, late */
int fixture_tear_down(void **state);

/* Kernels for gfx1030 and gfx906. */
extern const VmafKernelSet emulation_kernels_hip;

/* A copy of a kernel's code object, to be changed; free it. */
unsigned char *fixture_code(const char *kernel, const char *chip, size_t *size);
/* Where a text stands in it. */
unsigned char *fixture_find(unsigned char *code, size_t size, const char *text);
/* The descriptor of a kernel, by the bytes of group memory that it takes, up to 65535. */
unsigned char *fixture_descriptor(unsigned char *code, size_t size, unsigned group_size);
/* The function of a kernel for gfx1030. */
CudaFunction fixture_kernel(const char *name);

/* reads_outside: each of 8 lanes of a group copies the word that is `distance` words away. */
HipResult fixture_copy(CudaFunction reads_outside, void *from, void *to, int32_t distance,
                       unsigned groups, CudaStream stream);

void *fixture_device_memory(size_t bytes);

#endif
