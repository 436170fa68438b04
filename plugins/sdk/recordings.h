/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_RECORDINGS_H
#define VMAF_SDK_RECORDINGS_H

#include "memory.h"
#include "stopwatch.h"

/*
 * The recordings of a session: one for each position of the ring and each set of requests that
 * frames want. The usual sets are made when the session opens; others, which sub-sampling brings,
 * when a frame first wants them.
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

/* VmafDeviceRecording with what it does. */
typedef struct VmafMadeRecording {
    VmafRequestSet wanted;
    VmafDeviceRecording *recording;
    VmafLaps laps;
} VmafMadeRecording;

typedef struct VmafRecordings {
    const struct VmafBackendPlan *plan;
    const VmafSessionMemory *memory;
    const VmafDeviceKernel **kernels; /* by step of the program */
    const VmafDeviceKernel *sum_partials;
    struct VmafPositionRecordings {
        uint32_t count, capacity;
        VmafMadeRecording *made;
    } * positions;
    uint32_t n_made; /* in all, for tests */
} VmafRecordings;

/* Compiles the kernels. 0 or a negative errno; then there is nothing to destroy. */
int vmaf_recordings_create(VmafRecordings *recordings, const struct VmafBackendPlan *plan,
                           const VmafSessionMemory *memory);
void vmaf_recordings_destroy(VmafRecordings *recordings);
/* The recording for a frame at a position that wants these requests (none: only the upload). */
int vmaf_recordings_get(VmafRecordings *recordings, uint32_t position, const VmafRequestSet *wanted,
                        VmafMadeRecording *recording);

#endif
