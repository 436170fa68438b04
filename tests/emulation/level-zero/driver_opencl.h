/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_DRIVER_OPENCL_H
#define TESTS_EMULATION_LEVEL_ZERO_DRIVER_OPENCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SPIR-V on the processor: pocl, an implementation of OpenCL, runs it. */

typedef struct OpenclProgram OpenclProgram;
typedef struct _cl_kernel OpenclKernel; /* of OpenCL */

typedef struct OpenclArgument {
    bool is_memory; /* then the value is an address in this process, and may be 0 */
    size_t size;    /* of the value; of memory of the group, which has no value */
    const void *value;
    size_t memory_size; /* bytes that may be accessed behind the address */
} OpenclArgument;

/* Finds pocl and a translator; false, and why not. Also when it was called before. */
bool opencl_start(char *reason, size_t reason_size);
/* Programs of the same code are the same, and stay. NULL, and a text that has to be given back. */
OpenclProgram *opencl_build(const void *spirv, size_t size, char **log);
OpenclKernel *opencl_create_kernel(OpenclProgram *program, const char *name);
void opencl_destroy_kernel(OpenclKernel *kernel);
/* Runs it to its end. False, and a text. */
bool opencl_run(OpenclKernel *kernel, const OpenclArgument *arguments, uint32_t n_arguments,
                const uint32_t group_size[3], const uint32_t group_count[3], char error[128]);

/* -- driver_translate.c -- */

/* SPIR-V to LLVM's bitcode, by the translator that builds use the other way round. */

/* Whether there is a translator. */
bool translator_start(void);
/* The bitcode, which has to be given back, or NULL; *log gets what the translator says. What was
 * translated before is in POCL_CACHE_DIR, beside what pocl keeps there. */
unsigned char *translator_run(const void *spirv, size_t size, size_t *bitcode_size, char **log);

#endif
