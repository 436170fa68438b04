/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "emulated.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_SKIPPED = 77 };

static void find(void *driver, const char *name, void *function)
{
    void *found = dlsym(driver, name);
    if (!found) {
        fprintf(stderr, "skipped: libcuda.so.1 is not the emulated one: no %s\n", name);
        exit(EXIT_SKIPPED);
    }
    memcpy(function, &found, sizeof(found));
}

const Emulated *emulated_load(void)
{
    static Emulated emulated;
    if (emulated.layer)
        return &emulated;
    emulated.layer = fixture_load("cuda")->layer;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    find(driver, "emulated_cuda_configure", &emulated.configure);
    find(driver, "emulated_cuda_count", &emulated.count);
    find(driver, "cuInit", &emulated.init);
    find(driver, "cuCtxCreate_v2", &emulated.create_context);
    find(driver, "cuCtxDestroy_v2", &emulated.destroy_context);
    find(driver, "cuCtxGetCurrent", &emulated.get_current);
    find(driver, "cuCtxPushCurrent_v2", &emulated.push);
    find(driver, "cuCtxPopCurrent_v2", &emulated.pop);
    find(driver, "cuDevicePrimaryCtxRetain", &emulated.retain_primary);
    find(driver, "cuDevicePrimaryCtxRelease", &emulated.release_primary);
    find(driver, "cuMemAlloc_v2", &emulated.allocate);
    find(driver, "cuMemFree_v2", &emulated.free);
    find(driver, "cuMemsetD8Async", &emulated.fill);
    find(driver, "cuMemcpyDtoH_v2", &emulated.fetch);
    find(driver, "cuStreamCreate", &emulated.create_stream);
    find(driver, "cuStreamDestroy_v2", &emulated.destroy_stream);
    find(driver, "cuEventCreate", &emulated.create_event);
    find(driver, "cuEventDestroy_v2", &emulated.destroy_event);
    find(driver, "cuEventRecord", &emulated.record);
    find(driver, "cuEventSynchronize", &emulated.synchronize_event);
    emulated.has_graphs = dlsym(driver, "cuGraphInstantiateWithFlags") != NULL;
    return &emulated;
}
