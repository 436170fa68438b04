/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_PTX_FIXTURE_H
#define TESTS_EMULATION_CUDA_PTX_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ptx_run.h"

/* What the tests of the interpreter share: kernels from a few lines, and what they do. */

enum { WORDS = 64 }; /* of 64 bits, in a buffer */

extern char ptx_error[PTX_ERROR_SIZE];
extern bool ptx_backwards; /* lanes run from the last to the first */

/* A kernel "k" of two buffers, with this body; %rd1 is the first, %rd2 the second. */
PtxModule *ptx_load(const char *body);

/* Runs one group of n lanes; the first buffer can be written, the second only read. */
int ptx_run_body(const char *body, uint32_t n, void *written, const void *read);

typedef struct PtxCase {
    const char *name;
    uint64_t a, b, c, expected;
} PtxCase;

/* What "name" makes of a, b, c in 64-bit registers, of which types take what they need. */
void ptx_check_case(const PtxCase *test, const char *sources);

#define MINUS(n) (UINT64_C(0) - (n))
#define LOW(n)   ((UINT64_C(0) - (n)) & 0xffffffff)

#endif
