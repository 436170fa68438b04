/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_PTX_H
#define TESTS_EMULATION_CUDA_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx_ops.h"

/*
 * PTX, decoded: instructions name what they do by a number and their operands by the places of
 * registers. A register is an array with an element for each of the PTX_WIDTH lanes of a chunk;
 * registers that are never in use at the same time share a place.
 */
enum { PTX_WIDTH = 64 };

enum PtxSpecial { /* three of each: x, y, z */
                  PTX_TID = 0,
                  PTX_NTID = 3,
                  PTX_CTAID = 6,
                  PTX_NCTAID = 9,
                  PTX_SPECIALS = 12,
};

enum PtxOp {
#define X(id, name, ...) PTX_OP_##id,
    PTX_VALUES(X) PTX_DIVISIONS(X) PTX_FOURS(X)
#undef X
        PTX_OP_ATOMIC_ADD,
    PTX_OP_LD,
    PTX_OP_ST,
    PTX_OP_BAR,
    PTX_OP_BRA,
    PTX_OP_RET,
    PTX_OP_NOTHING,
};

enum PtxSpace { PTX_GLOBAL = 1, PTX_PARAM, PTX_SHARED };

#define PTX_NONE UINT32_MAX /* no register */

/* While a kernel is decoded, registers are numbers; then the offsets of their arrays in bytes. */
typedef struct PtxInstruction {
    uint16_t op;
    uint8_t space;              /* of memory: enum PtxSpace */
    uint8_t size;               /* of one element, in bytes */
    bool is_signed;             /* loads extend the sign */
    bool is_wide;               /* loads are to registers of 64 bits, stores from such */
    bool guard_is_not;          /* it runs where the guard does not hold */
    uint8_t count;              /* elements, up to 4 */
    uint32_t guard;             /* predicate; PTX_NONE: it always runs */
    uint32_t dst;               /* register, or the index of the instruction to branch to */
    uint32_t a, b, c, d;        /* registers; memory: a is the address */
    uint32_t data[4];           /* registers of the elements */
    int64_t offset;             /* that is added to the address */
    uint32_t text, text_length; /* in the module's text */
} PtxInstruction;

typedef struct PtxParam {
    uint32_t offset, size; /* bytes */
} PtxParam;

/* A register that never changes. */
typedef struct PtxConstant {
    uint32_t at;
    bool is_wide;
    uint64_t value;
} PtxConstant;

/* A variable of the module. Its address is that of the process. */
typedef struct PtxVariable {
    char *name;
    unsigned char *data;
    size_t size;
    bool is_read_only;
} PtxVariable;

typedef struct PtxEntry {
    char *name;
    const struct PtxModule *module;
    PtxParam *params;
    uint32_t n_params, params_size;
    uint32_t shared_size; /* bytes */
    uint32_t max_lanes;   /* of a group; 0: any number */
    PtxInstruction *code;
    uint32_t n_code;
    PtxConstant *constants;
    uint32_t n_constants;
    uint32_t specials[PTX_SPECIALS]; /* registers of 32 bits; PTX_NONE: not used */
    uint32_t registers_size;         /* bytes of all places, for a chunk */
} PtxEntry;

typedef struct PtxModule {
    char *text;
    PtxEntry *entries;
    uint32_t n_entries;
    PtxVariable *variables;
    uint32_t n_variables;
    int version, target; /* ten times the version of PTX; the number behind sm_ */
    bool is_target_only; /* it runs on no newer target */
} PtxModule;

/* Addresses of group and lane memory begin here, so that 0 is none; those of group memory whose
 * size a launch says, further behind. */
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

/* Memory that kernels may access. */
typedef struct PtxAllocation {
    void *data;
    size_t size; /* bytes */
    bool is_read_only;
    uint64_t address; /* by which kernels know it; 0: that of the data */
} PtxAllocation;

/* Why a kernel did not come to its end. */
enum PtxFault {
    PTX_FAULT_NONE,
    PTX_FAULT_ADDRESS,
    PTX_FAULT_ALIGNMENT,
    PTX_FAULT_DIVISION,
    PTX_FAULT_BARRIER,
    PTX_FAULT_ENDLESS,
};

typedef struct PtxLaunch {
    const PtxEntry *entry;
    const void *params; /* params_size bytes of the entry */
    uint32_t lanes[3];  /* of a group */
    uint32_t groups[3];
    const PtxAllocation *allocations;
    size_t n_allocations;
    bool backwards;            /* lanes run from the last to the first */
    uint64_t max_instructions; /* of one group, as a limit for loops without end; 0: none */
    uint32_t noise;            /* what registers and memory of groups begin with */
    enum PtxFault *fault;      /* if not NULL: set when it fails */
    uint64_t *instructions;    /* if not NULL: those that ptx_run has run are added */
} PtxLaunch;

typedef struct PtxRunner PtxRunner;

/* NULL, and a text, if the groups do not fit the kernel. The launch has to outlive it. */
PtxRunner *ptx_runner_create(const PtxLaunch *launch, char error[PTX_ERROR_SIZE]);
void ptx_runner_destroy(PtxRunner *runner);

/*
 * Runs one group: each lane up to its next barrier or end, then the next lane. 0, or -1 and a text
 * that names kernel, instruction and lane: an access to what no allocation holds, that is not
 * aligned or that writes what is read only; a division by 0; lanes that wait at different barriers,
 * or at one that others never reach; a group that takes too long.
 */
int ptx_runner_group(PtxRunner *runner, const uint32_t group[3], char error[PTX_ERROR_SIZE]);

/* Instructions that ran so far. */
uint64_t ptx_runner_instructions(const PtxRunner *runner);

/* Runs all groups of a launch, one after the other. As ptx_runner_group. */
int ptx_run(const PtxLaunch *launch, char error[PTX_ERROR_SIZE]);

#endif
