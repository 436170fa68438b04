/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The HIP layer when the runtime fails. */
#include <errno.h>
#include <string.h>

#include "emulated.h"
#include "layer_faults.h"
#include "support/cases.h"

static const Emulated *runtime;

static void use_machine(const char *machine)
{
    assert_int_equal(runtime->configure(machine, NULL), 0);
}

static void assert_caller_untouched(void)
{
    assert_int_equal(runtime->peek_error(), hipSuccess);
}

static bool has(const char *machine, const char *word)
{
    return machine && strstr(machine, word);
}

/* A lost device answers every call with an error, also those that give back. */
static void leave_machine(const char *machine)
{
    if (has(machine, "illegal-address") || has(machine, "lose"))
        return;
    const uint64_t rejected = has(machine, "fail hipModuleLoadData");
    assert_int_equal(runtime->count("memory"), 0);
    assert_int_equal(runtime->count("hipModuleUnload"),
                     runtime->count("hipModuleLoadData") - rejected);
    assert_caller_untouched();
}

int main(int argc, char **argv)
{
    runtime = emulated_load();
    emulated_use(NULL, true);
    const LayerFaults faults = {
        .layer = "hip",
        .use_machine = use_machine,
        .leave_machine = leave_machine,
        .assert_caller_untouched = assert_caller_untouched,
        .count = runtime->count,
        .functions = {"hipMalloc", "hipHostMalloc", "hipModuleLoadData", "hipModuleGetFunction",
                      "hipStreamCreateWithFlags", "hipEventCreateWithFlags", "hipEventRecord",
                      "hipStreamWaitEvent", "hipMemcpyAsync", "hipModuleLaunchKernel",
                      "hipEventQuery"},
        .query = "hipEventQuery",
        .mapping = "hipHostGetDevicePointer",
        .errors = {{"hipErrorOutOfMemory", -ENOMEM}, {"hipErrorOperatingSystem", -EIO}},
        .failing_submission = "fail hipModuleLaunchKernel 2 hipErrorOutOfMemory",
        .hanging = "run", /* copy, event, two kernels, copy, event */
        .n_hanging = 6,
        .hang_limit = "0.05",
    };
    select_cases(argc, argv);
    const int failed = layer_faults_run(&faults);
    emulated_unload();
    return end_cases(failed);
}
