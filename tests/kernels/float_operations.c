/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * What an operation of floating point costs: PTX instructions that kernels/float_cost.c executes
 * for each, the difference of nine and one, for normal operands of either sign. Prints a line for
 * each operation: name, instructions in integers, and natively (0: there is no such kernel). No
 * test.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_set.h"
#include "kernels/float_cost_args.h"
#include "ptx.h"

extern const VmafKernelSet cost_kernels_ptx;

enum { LANES = 64, GROUPS = 100, N = LANES * GROUPS, MORE_STEPS = 8 };

static float first[N], second[N];
static uint64_t results[N];

/* -2 to 2, with bits from everywhere. */
static float operand(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)((double)(int64_t)*state / 0x1p62);
}

static uint64_t count(const VmafKernel *kernel)
{
    char error[PTX_ERROR_SIZE];
    uint64_t instructions = 0;
    PtxModule *module = ptx_module_load(kernel->codes[0].code, error);
    const PtxEntry *entry = module ? ptx_module_find(module, kernel->name) : NULL;
    if (!entry) {
        fprintf(stderr, "%s: %s\n", kernel->name, error);
        exit(1);
    }
    const PtxAllocation memory[] = {{.data = first, .size = sizeof(first)},
                                    {.data = second, .size = sizeof(second)},
                                    {.data = results, .size = sizeof(results)}};
    const float_cost_args args = {.n = N};
    unsigned char params[4 * 8];
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t address = (uintptr_t)memory[i].data;
        memcpy(params + entry->params[i].offset, &address, sizeof(address));
    }
    memcpy(params + entry->params[3].offset, &args, sizeof(args));
    const PtxLaunch launch = {.entry = entry,
                              .params = params,
                              .lanes = {LANES, 1, 1},
                              .groups = {GROUPS, 1, 1},
                              .allocations = memory,
                              .n_allocations = 3,
                              .instructions = &instructions};
    if (ptx_run(&launch, error)) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    ptx_module_free(module);
    return instructions;
}

/* Of the kernel whose name is prefix, operation, steps and suffix, nine steps less one. */
static double cost(const char *operation, const char *suffix)
{
    uint64_t counted[2];
    for (unsigned i = 0; i < 2; i++) {
        char name[96];
        snprintf(name, sizeof(name), "float_cost_%s_%u%s", operation, i ? 1 + MORE_STEPS : 1,
                 suffix);
        const VmafKernel *kernel = vmaf_kernel_set_find(&cost_kernels_ptx, name);
        if (!kernel)
            return 0;
        counted[i] = count(kernel);
    }
    return (double)(counted[1] - counted[0]) / MORE_STEPS / N;
}

int main(void)
{
    static const char *const operations[] = {"add_f32",  "mul_f32",  "div_f32",
                                             "sqrt_f32", "add_f64",  "mul_f64",
                                             "div_f64",  "sqrt_f64", "f32_of_f64_and_back"};
    uint64_t state = 1;
    for (unsigned i = 0; i < N; i++) {
        first[i] = operand(&state);
        second[i] = operand(&state);
    }
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
        printf("%s %.1f %.1f\n", operations[i], cost(operations[i], ""),
               cost(operations[i], "_native"));
    return 0;
}
