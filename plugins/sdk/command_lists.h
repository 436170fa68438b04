/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_COMMAND_LISTS_H
#define VMAF_SDK_COMMAND_LISTS_H

#include "memory.h"
#include "stopwatch.h"
#include "unpack.h"

/*
 * The command lists of a session: one for each position of the ring and each key. Those for all
 * requests of pictures that need no unpacking are made when the session opens; others, which
 * sub-sampling causes, when a frame first needs them.
 */

enum { VMAF_MASK_WORDS = VMAF_PROGRAM_MAX_REQUESTS / 64 };

/* A set of requests, by their number in the program. */
typedef struct VmafRequestSet {
    uint64_t word[VMAF_MASK_WORDS];
} VmafRequestSet;

static inline bool vmaf_request_set_has(const VmafRequestSet *set, uint32_t request)
{
    return set->word[request / 64] >> request % 64 & 1;
}

static inline void vmaf_request_set_add(VmafRequestSet *set, uint32_t request)
{
    set->word[request / 64] |= UINT64_C(1) << request % 64;
}

static inline bool vmaf_request_set_is_empty(const VmafRequestSet *set)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < VMAF_MASK_WORDS; i++)
        all |= set->word[i];
    return all == 0;
}

/* What a command list does: the lane that it is for, what it computes, and how the pictures are
 * unpacked before that. */
typedef struct VmafListKey {
    uint64_t lane;
    VmafRequestSet wanted;
    VmafPacking packing[2]; /* of the reference and the distorted picture */
} VmafListKey;

typedef struct VmafMadeCommandList {
    VmafListKey key;
    uint32_t n_parts;
    VmafDeviceCommandList **parts; /* to submit before `list`, in this order: see split_above */
    VmafDeviceCommandList *list;
    VmafLaps laps;
} VmafMadeCommandList;

typedef struct VmafCommandLists {
    const struct VmafBackendPlan *plan;
    const VmafSessionMemory *memory;
    const VmafDeviceKernel **kernels; /* by step of the program; then the next two */
    const VmafDeviceKernel *sum_partials;
    const VmafDeviceKernel *unpack; /* NULL where nothing can be imported */
    struct VmafPositionCommandLists {
        uint32_t count, capacity;
        VmafMadeCommandList *made;
    } * positions;
    uint32_t n_made; /* in all, for tests */
} VmafCommandLists;

/* Compiles the kernels. 0 or a negative errno; then there is nothing to destroy. */
int vmaf_command_lists_create(VmafCommandLists *lists, const struct VmafBackendPlan *plan,
                              const VmafSessionMemory *memory);
void vmaf_command_lists_destroy(VmafCommandLists *lists);
/* The command list for a frame at a position; it does something. */
int vmaf_command_lists_get(VmafCommandLists *lists, uint32_t position, const VmafListKey *key,
                           VmafMadeCommandList *list);

#endif
