/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_PTX_LANES_H
#define TESTS_EMULATION_CUDA_PTX_LANES_H

#include "ptx_run.h"

/*
 * A chunk of a group: lanes that run the same instruction at the same time, each in its element of
 * the registers. Where they take different branches, those that are furthest behind run until they
 * meet the others.
 */
typedef struct PtxChunk {
    uint32_t n_lanes;
    uint16_t lanes[PTX_WIDTH]; /* their numbers in the group, growing */
    unsigned char *registers;
    uint32_t at[PTX_WIDTH]; /* the next instruction of those that do not run */
    uint64_t running;       /* a bit for each lane; the others wait or have ended */
    uint64_t waiting;
} PtxChunk;

struct PtxRunner {
    const PtxLaunch *launch;
    const PtxEntry *entry;
    PtxChunk *chunks;
    uint32_t n_chunks, n_lanes;
    unsigned char *shared;
    PtxAllocation *allocations; /* those of the launch, and the variables of the module */
    size_t n_allocations;
    size_t last;       /* allocation that was accessed */
    uint32_t group[3]; /* the one that runs */
    uint64_t instructions;
    uint64_t limit;
    char *error;
};

/* Stores the text of a failure at an instruction of one lane. */
__attribute__((format(printf, 6, 7))) void ptx_lane_fail(PtxRunner *runner, const PtxChunk *chunk,
                                                         unsigned lane, const PtxInstruction *at,
                                                         enum PtxFault fault, const char *format,
                                                         ...);

/* Where the memory is that a lane accesses there; NULL and a text if it may not. */
unsigned char *ptx_locate(PtxRunner *runner, const PtxChunk *chunk, unsigned lane,
                          const PtxInstruction *at, uint64_t address, bool write);

/*
 * Where address 0 of a space would be, if all addresses from low to high (and a size behind) lie in
 * the same part of it and may be accessed so. False: look at each.
 */
bool ptx_locate_all(PtxRunner *runner, const PtxInstruction *at, uint64_t low, uint64_t high,
                    bool write, unsigned char **base);

/* Runs a chunk until each of its lanes waits or has ended. False: it failed. */
bool ptx_run_chunk(PtxRunner *runner, PtxChunk *chunk);
bool ptx_run_chunk_avx2(PtxRunner *runner, PtxChunk *chunk);

#endif
