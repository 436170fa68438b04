/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "c_kernel.h"

enum { OPERATIONS = 100 }; /* of an invocation, for simulated time */

extern const VmafKernelSet vmaf_kernels_emulator, test_kernels_emulator;

const VmafKernel *c_kernel_find(const char *name)
{
    const VmafKernel *found = vmaf_kernel_set_find(&vmaf_kernels_emulator, name);
    return found ? found : vmaf_kernel_set_find(&test_kernels_emulator, name);
}

/* In which order lanes, and groups, run. */
typedef struct Walk {
    uint16_t lanes[VMAF_KERNEL_MAX_LANES];
    uint32_t n_lanes;
    uint64_t n_groups, begin, stride; /* of the walk over groups at random */
} Walk;

static void order_lanes(Walk *walk, bool is_backwards)
{
    for (uint32_t i = 0; i < walk->n_lanes; i++)
        walk->lanes[i] = (uint16_t)(is_backwards ? walk->n_lanes - 1 - i : i);
    for (uint32_t i = walk->n_lanes - 1; machine_order == MACHINE_RANDOM && i > 0; i--) {
        const uint32_t other = (uint32_t)machine_random(i + 1);
        const uint16_t lane = walk->lanes[i];
        walk->lanes[i] = walk->lanes[other];
        walk->lanes[other] = lane;
    }
}

static uint64_t group_at(const Walk *walk, uint64_t i, bool is_backwards)
{
    if (machine_order == MACHINE_RANDOM)
        return (walk->begin + i * walk->stride) % walk->n_groups;
    return is_backwards ? walk->n_groups - 1 - i : i;
}

bool c_kernel_run(const CKernelLaunch *launch, Work *work, char fault[EMULATOR_FAULT_SIZE])
{
    const VmafKernel *kernel = launch->kernel;
    const uint32_t *groups = launch->groups;
    const uint64_t n = (uint64_t)groups[0] * groups[1] * groups[2];
    Walk walk = {.n_lanes = kernel->lanes[0] * kernel->lanes[1], .n_groups = n};
    EmulatorGroup group = {.kernel = kernel,
                           .bindings = launch->bindings,
                           .args = launch->args,
                           .groups = {(int32_t)groups[0], (int32_t)groups[1], (int32_t)groups[2]},
                           .order = walk.lanes,
                           .fault = fault};
    fault[0] = '\0';
    if (machine_order == MACHINE_RANDOM) {
        walk.begin = machine_random(n);
        walk.stride = emulator_stride(n > 2 ? 1 + machine_random(n - 1) : 1, n);
    }
    for (uint64_t i = 0; i < n && fault[0] == '\0'; i++) {
        const uint64_t k = group_at(&walk, i, launch->is_backwards);
        group.group[0] = (int32_t)(k % groups[0]);
        group.group[1] = (int32_t)(k / groups[0] % groups[1]);
        group.group[2] = (int32_t)(k / groups[0] / groups[1]);
        group.noise = (uint32_t)machine_random(UINT32_MAX);
        if (i % 16 == 0)
            order_lanes(&walk, launch->is_backwards);
        kernel->run(&group);
    }
    work->is_kernel = true;
    work->operations = n * walk.n_lanes * OPERATIONS;
    if (fault[0] != '\0')
        machine_complain("%s", fault);
    return fault[0] == '\0';
}
