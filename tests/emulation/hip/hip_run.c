/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Runs kernels as C, group by group. */
#include <inttypes.h>
#include <string.h>

#include "driver_memory.h"
#include "driver_module.h"
#include "emulator_kernel.h"
#include "hip_code.h"

enum { OPERATIONS_OF_LANE = 100 }; /* for simulated time */

enum Direction { FORWARDS, BACKWARDS, SHUFFLED };

typedef struct Run {
    const VmafKernel *source;
    enum Direction direction;
    uint16_t order[VMAF_KERNEL_MAX_LANES]; /* of lanes */
    uint32_t groups[3];
    uint64_t n_groups, begin, stride; /* of the walk over groups that are shuffled */
} Run;

/* What kernels see where there is no memory: no element is valid, and the first one harmless. */
static uint64_t nothing[2];

/* Finds the buffers that the arguments name. */
static CudaResult bind(CudaContext context, const Launch *launch, const VmafKernel *source,
                       EmulatorBinding *bindings)
{
    for (uint32_t i = 0; i < source->n_buffers; i++) {
        uint64_t address;
        memcpy(&address, launch->params + launch->function->kernel.params[i].offset,
               sizeof(address));
        const Allocation *found = driver_find_memory(address);
        bindings[i] = (EmulatorBinding){nothing, 0};
        if (!found || !driver_can_access(context, found))
            continue;
        /* Elements may be structs, of three words for instance. */
        const uint32_t alignment = source->element_size[i] & -source->element_size[i];
        if (address % alignment != 0) {
            machine_complain("kernel %s: buffer %u is at an address that is no multiple of %u",
                             source->name, i, alignment);
            return CUDA_ERROR_MISALIGNED_ADDRESS;
        }
        bindings[i].data = found->storage + (address - found->address);
        bindings[i].size = found->address + found->size - address;
    }
    return CUDA_SUCCESS;
}

static void order_lanes(Run *run)
{
    const uint32_t lanes = run->source->lanes[0] * run->source->lanes[1];
    for (uint32_t i = 0; i < lanes; i++)
        run->order[i] = (uint16_t)(run->direction == BACKWARDS ? lanes - 1 - i : i);
    for (uint32_t i = lanes - 1; run->direction == SHUFFLED && i > 0; i--) {
        const uint32_t other = (uint32_t)machine_random(i + 1);
        const uint16_t lane = run->order[i];
        run->order[i] = run->order[other];
        run->order[other] = lane;
    }
}

/* A random order decides for itself; with another one, runs take turns. */
static void choose_order(Run *run)
{
    const uint64_t n = run->n_groups;
    run->direction = machine_order == MACHINE_RANDOM ? SHUFFLED
                     : driver.runs % 2 == 0          ? BACKWARDS
                                                     : FORWARDS;
    if (run->direction != SHUFFLED)
        return;
    run->begin = machine_random(n);
    run->stride = emulator_stride(n > 2 ? 1 + machine_random(n - 1) : 1, n);
}

static uint64_t group_at(const Run *run, uint64_t i)
{
    switch (run->direction) {
    case FORWARDS:
        return i;
    case BACKWARDS:
        return run->n_groups - 1 - i;
    default:
        return (run->begin + i * run->stride) % run->n_groups;
    }
}

static void run_groups(Run *run, EmulatorGroup *group)
{
    for (uint64_t i = 0; i < run->n_groups && group->fault[0] == '\0'; i++) {
        const uint64_t k = group_at(run, i);
        group->group[0] = (int32_t)(k % run->groups[0]);
        group->group[1] = (int32_t)(k / run->groups[0] % run->groups[1]);
        group->group[2] = (int32_t)(k / run->groups[0] / run->groups[1]);
        group->noise = (uint32_t)driver.runs * 2654435761u + (uint32_t)k;
        if (i % 16 == 0)
            order_lanes(run);
        run->source->run(group);
    }
}

CudaResult driver_run_kernel(CudaContext context, const Launch *launch, Work *work)
{
    const HipKernel *kernel = launch->function->kernel.entry;
    EmulatorBinding bindings[VMAF_KERNEL_MAX_BUFFERS];
    uint64_t args[VMAF_KERNEL_MAX_ARGS_SIZE / 8];
    char fault[EMULATOR_FAULT_SIZE] = "";
    Run run = {.source = kernel->source,
               .groups = {launch->groups[0], launch->groups[1], launch->groups[2]},
               .n_groups = (uint64_t)launch->groups[0] * launch->groups[1] * launch->groups[2]};
    EmulatorGroup group = {
        .kernel = run.source,
        .bindings = bindings,
        .args = args,
        .groups = {(int32_t)run.groups[0], (int32_t)run.groups[1], (int32_t)run.groups[2]},
        .order = run.order,
        .fault = fault,
    };
    const CudaResult result = bind(context, launch, run.source, bindings);
    if (result != CUDA_SUCCESS)
        return result;
    const uint32_t n = run.source->n_buffers;
    memcpy(args, launch->params + launch->function->kernel.params[n].offset, run.source->args_size);
    choose_order(&run);
    run_groups(&run, &group);
    work->instructions =
        run.n_groups * run.source->lanes[0] * run.source->lanes[1] * OPERATIONS_OF_LANE;
    if (fault[0] == '\0')
        return CUDA_SUCCESS;
    machine_complain("%s", fault);
    return CUDA_ERROR_ILLEGAL_ADDRESS;
}
