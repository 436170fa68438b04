/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_PTX_MODULE_H
#define TESTS_EMULATION_CUDA_PTX_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx_ops.h"

/*
 * PTX, decoded: instructions name what they do by a number and their operands by slots, the indexes
 * into one array of 64-bit values that each lane has. Special registers come first in it, then the
 * registers of the kernel, then its constants.
 */
enum PtxSpecial { /* three of each: x, y, z */
                  PTX_TID = 0,
                  PTX_NTID = 3,
                  PTX_CTAID = 6,
                  PTX_NCTAID = 9,
                  PTX_SPECIALS = 12,
};

enum PtxOp {
#define X(id, name, sources, value) PTX_OP_##id,
    PTX_VALUES(X)
#undef X
#define X(id, name, type, value) PTX_OP_##id,
        PTX_DIVISIONS(X)
#undef X
#define X(id, name, value) PTX_OP_##id,
            PTX_ATOMICS(X)
#undef X
                PTX_OP_LD,
    PTX_OP_ST,
    PTX_OP_BAR,
    PTX_OP_BRA,
    PTX_OP_SKIP_IF,     /* the next instruction, if a holds */
    PTX_OP_SKIP_UNLESS, /* ... does not hold */
    PTX_OP_RET,
};

enum PtxSpace { PTX_GENERIC, PTX_GLOBAL, PTX_PARAM, PTX_SHARED, PTX_LOCAL };

typedef struct PtxInstruction {
    uint16_t op;
    uint8_t space;              /* of memory: enum PtxSpace */
    uint8_t size;               /* of one element, in bytes */
    uint8_t is_signed;          /* loads extend the sign */
    uint8_t count;              /* elements, up to 4 */
    uint32_t dst;               /* slot, or the index of the instruction to branch to */
    uint32_t a, b, c;           /* slots; memory: a is the address */
    uint32_t data[4];           /* slots of the elements */
    int64_t offset;             /* that is added to the address */
    uint32_t text, text_length; /* in the module's text */
} PtxInstruction;

typedef struct PtxParam {
    uint32_t offset, size; /* bytes */
} PtxParam;

typedef struct PtxEntry {
    char *name;
    const char *text; /* of the module */
    PtxParam *params;
    uint32_t n_params, params_size;
    uint32_t shared_size, local_size; /* bytes */
    uint32_t max_lanes;               /* of a group; 0: any number */
    PtxInstruction *code;
    uint32_t n_code;
    uint64_t *constants; /* in the last slots */
    uint32_t n_constants;
    uint32_t n_slots; /* of a lane */
} PtxEntry;

typedef struct PtxModule {
    char *text;
    PtxEntry *entries;
    uint32_t n_entries;
    int version, target; /* ten times the version of PTX; the number behind sm_ */
    bool is_target_only; /* it runs on no newer target */
} PtxModule;

/* Addresses of group and lane memory begin here, so that 0 is none. */
enum { PTX_MEMORY_BASE = 4096, PTX_ERROR_SIZE = 320 };

/*
 * Decodes PTX as text. NULL for what is not understood, with a text that names it: instructions,
 * directives, operands, labels. Free with ptx_module_free.
 */
PtxModule *ptx_module_load(const char *text, char error[PTX_ERROR_SIZE]);
/* Version and target only, of text that need not be understood otherwise. */
bool ptx_module_read_header(const char *text, PtxModule *module);
void ptx_module_free(PtxModule *module);

/* The kernel of that name, or NULL. */
const PtxEntry *ptx_module_find(const PtxModule *module, const char *name);

#endif
