/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_SPIRV_H
#define TESTS_EMULATION_LEVEL_ZERO_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the driver has to know of a SPIR-V module: its kernels and their arguments. */

enum { SPIRV_MAX_ARGUMENTS = 32 };

enum SpirvArgumentKind {
    SPIRV_VALUE,
    SPIRV_POINTER, /* to global or constant memory */
};

typedef struct SpirvArgument {
    enum SpirvArgumentKind kind;
    size_t size;   /* bytes of the value */
    size_t offset; /* in the values of a kernel */
} SpirvArgument;

typedef struct SpirvKernel {
    const char *name;
    uint32_t group_size[3]; /* that it demands; 0: any */
    SpirvArgument arguments[SPIRV_MAX_ARGUMENTS];
    uint32_t n_arguments;
    size_t values_size;
} SpirvKernel;

typedef struct Spirv {
    uint32_t *words;
    size_t n_words;
    uint32_t version; /* major << 16 | minor << 8 */
    bool uses_fp64;
    SpirvKernel *kernels;
    size_t n_kernels;
} Spirv;

/* A module from a copy of the code; NULL, and a text: it is not understood. */
Spirv *spirv_read(const void *code, size_t size, char error[256]);
void spirv_free(Spirv *spirv);
/*
 * Tells compilers not to unroll loops, which changes no result: it is compiled in half the time,
 * and then runs a few times only. Returns the number of loops.
 */
size_t spirv_stop_unrolling(Spirv *spirv);

#endif
