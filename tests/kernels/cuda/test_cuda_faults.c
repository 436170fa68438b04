/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The CUDA layer when the driver fails. */
#include <errno.h>

#include "emulated.h"
#include "layer_faults.h"
#include "support/cases.h"

static const Emulated *driver;

static void use_machine(const char *machine)
{
    assert_int_equal(driver->configure(machine, NULL), 0);
}

static void leave_machine(const char *machine)
{
    (void)machine;
    assert_int_equal(driver->count("memory"), 0);
    assert_true(driver->count("cuStreamDestroy_v2") <= driver->count("cuStreamCreate"));
}

int main(int argc, char **argv)
{
    driver = emulated_load();
    const bool graphs = driver->has_graphs;
    const LayerFaults faults = {
        .layer = "cuda",
        .use_machine = use_machine,
        .leave_machine = leave_machine,
        .count = driver->count,
        .functions = {"cuDevicePrimaryCtxRetain", "cuMemAlloc_v2", "cuMemHostAlloc",
                      "cuModuleLoadData", "cuModuleGetFunction", "cuStreamCreate", "cuEventCreate",
                      "cuEventRecord", "cuStreamWaitEvent", "cuMemcpyAsync", "cuEventQuery",
                      graphs ? "cuGraphCreate" : "cuLaunchKernel",
                      graphs ? "cuGraphAddKernelNode" : NULL, "cuGraphAddMemcpyNode",
                      "cuGraphInstantiateWithFlags", "cuGraphLaunch"},
        .query = "cuEventQuery",
        .mapping = "cuMemHostGetDevicePointer_v2",
        .errors = {{"CUDA_ERROR_OUT_OF_MEMORY", -ENOMEM}, {"CUDA_ERROR_NOT_PERMITTED", -EIO}},
        .failing_submission = graphs ? "fail cuGraphLaunch 1 CUDA_ERROR_OUT_OF_MEMORY"
                                     : "fail cuLaunchKernel 1 CUDA_ERROR_OUT_OF_MEMORY",
        .hanging = "run", /* copy, event, two kernels, copy, event */
        .n_hanging = 6,
        .hang_limit = "0.05",
    };
    select_cases(argc, argv);
    return end_cases(layer_faults_run(&faults));
}
