/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_HIP_CODE_OBJECT_H
#define TESTS_EMULATION_HIP_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* AMD's chips, as code objects name them. */

/* What the kernel's topology says of it, also if it is not known: 100300 for gfx1030. 0: this is no
 * name of a chip. */
unsigned chip_target_version(const char *chip);

enum ChipMatch {
    CHIP_MATCHES,
    CHIP_DIFFERS,       /* the code is for another one */
    CHIP_CONTRADICTION, /* the flags of the code do not say what the target does */
};

/* Whether code runs there that has these flags (of its ELF header) and this target (of its notes,
 * behind "amdgcn-amd-amdhsa--"). A text says why it does not. */
enum ChipMatch chip_match(const char *chip, uint32_t flags, const char *target, char *error,
                          size_t size);

/*
 * AMD's code objects: an ELF file with machine code, a descriptor of each kernel (which the
 * hardware's queue reads), and notes about them in MessagePack (which the runtime reads).
 */

enum {
    CODE_OBJECT_MAX_ARGS = 16,
    CODE_OBJECT_NAME_SIZE = 128,
    CODE_OBJECT_ERROR_SIZE = 320,
};

typedef struct CodeObjectArg {
    uint32_t offset, size; /* bytes */
    bool is_buffer;        /* an address of global memory; otherwise a value */
    bool is_write_only;    /* as far as the compiler knows: a variant may leave one alone */
} CodeObjectArg;

typedef struct CodeObjectKernel {
    char name[CODE_OBJECT_NAME_SIZE];
    char symbol[CODE_OBJECT_NAME_SIZE];       /* of its descriptor */
    CodeObjectArg args[CODE_OBJECT_MAX_ARGS]; /* without those that the runtime adds */
    uint32_t n_args;
    uint32_t args_size; /* where the last one ends */
    uint32_t kernarg_size, group_size, private_size;
    uint32_t max_lanes;
} CodeObjectKernel;

typedef struct CodeObject {
    uint32_t flags;
    int version;     /* of the format: 4 and later */
    char target[64]; /* "gfx1030", "gfx906:sramecc+:xnack-" */
    CodeObjectKernel *kernels;
    uint32_t n_kernels;
} CodeObject;

/* Reads and checks an image, which is as long as its own header says. NULL, and a text; free with
 * code_object_free. */
CodeObject *code_object_read(const void *image, char error[CODE_OBJECT_ERROR_SIZE]);
void code_object_free(CodeObject *object);

#endif
