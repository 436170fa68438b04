/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_PTX_RUN_H
#define TESTS_EMULATION_CUDA_PTX_RUN_H

#include "ptx_module.h"

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
