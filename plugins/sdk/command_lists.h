/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_COMMAND_LISTS_H
#define VMAF_SDK_COMMAND_LISTS_H

#include "device.h"
#include "gpu_timer.h"
#include "memory.h"
#include "unpack.h"

/*
 * Finds `count` kernels by name; names may repeat. A device whose binary32 is exact (exact_float32)
 * gets the kernel <name>_native instead, where its set of kernels has one. Drivers take a tenth of
 * a second or more to compile a kernel, so several threads do it. Returns 0, or the error of a
 * kernel that failed.
 */
int vmaf_find_kernels(VmafDevice *device, const char *const *names,
                      const VmafDeviceKernel **kernels, uint32_t count);

/*
 * The command lists of a session: one for each position of the ring and each key. Lists for all
 * requests and pictures that need no unpacking are made when the session opens; others, such as
 * sub-sampling needs, are made when a frame first needs them.
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

/* The properties that distinguish command lists: the stream of the queue, the requests, and how the
 * pictures are unpacked before they are computed. */
typedef struct VmafListKey {
    uint64_t stream; /* stream of the queue */
    VmafRequestSet wanted;
    VmafPacking packing[2]; /* of the reference and the distorted picture */
} VmafListKey;

typedef struct VmafMadeCommandList {
    VmafListKey key;
    uint32_t n_parts;
    VmafDeviceCommandList **parts; /* to be submitted before `list`, in this order; see split_above
                                      of VmafDeviceState */
    VmafDeviceCommandList *list;
    VmafTimestamps timestamps;
} VmafMadeCommandList;

typedef struct VmafCommandLists {
    const struct VmafBackendPlan *plan;
    const VmafSessionMemory *memory;
    const VmafDeviceKernel **kernels; /* by step of the program, followed by the next two */
    const VmafDeviceKernel *sum_partials;
    const VmafDeviceKernel *unpack; /* NULL where nothing can be imported */
    struct VmafPositionCommandLists {
        uint32_t count, capacity;
        VmafMadeCommandList *made;
    } * positions;
    uint32_t n_made; /* number of lists made in all, for tests */
} VmafCommandLists;

/* Compiles the kernels. Returns 0, or a negative errno, and then there is nothing to destroy. */
int vmaf_command_lists_create(VmafCommandLists *lists, const struct VmafBackendPlan *plan,
                              const VmafSessionMemory *memory);
void vmaf_command_lists_destroy(VmafCommandLists *lists);
/* Returns the command list for a frame at a position, whose key names some work. */
int vmaf_command_lists_get(VmafCommandLists *lists, uint32_t position, const VmafListKey *key,
                           VmafMadeCommandList *list);

#endif
