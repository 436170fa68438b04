/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "emulated.h"
#include "support/cases.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { EXIT_SKIPPED = 77 };

static Emulated emulated;

static void find(void *runtime, const char *name, void *function)
{
    void *found = dlsym(runtime, name);
    if (!found) {
        fprintf(stderr, "skipped: the HIP runtime is not the emulated one: no %s\n", name);
        exit(EXIT_SKIPPED);
    }
    memcpy(function, &found, sizeof(found));
}

static void *open_runtime(void)
{
    static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        void *runtime = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (runtime)
            return runtime;
    }
    fprintf(stderr, "skipped: there is no HIP runtime: %s\n", dlerror());
    exit(EXIT_SKIPPED);
}

const Emulated *emulated_load(void)
{
    if (emulated.layer)
        return &emulated;
    void *runtime = open_runtime();
    find(runtime, "emulated_hip_configure", &emulated.configure);
    find(runtime, "emulated_hip_count", &emulated.count);
    find(runtime, "emulated_hip_topology", &emulated.write_topology);
    find(runtime, "hipInit", &emulated.init);
    find(runtime, "hipGetDevice", &emulated.get_device);
    find(runtime, "hipSetDevice", &emulated.set_device);
    find(runtime, "hipPeekAtLastError", &emulated.peek_error);
    find(runtime, "hipCtxCreate", &emulated.create_context);
    find(runtime, "hipCtxDestroy", &emulated.destroy_context);
    find(runtime, "hipMalloc", &emulated.allocate);
    find(runtime, "hipFree", &emulated.free);
    find(runtime, "hipMemsetAsync", &emulated.fill);
    find(runtime, "hipMemcpy", &emulated.fetch);
    find(runtime, "hipStreamCreate", &emulated.create_stream);
    find(runtime, "hipStreamDestroy", &emulated.destroy_stream);
    find(runtime, "hipEventCreateWithFlags", &emulated.create_event);
    find(runtime, "hipEventDestroy", &emulated.destroy_event);
    find(runtime, "hipEventRecord", &emulated.record);
    find(runtime, "hipEventSynchronize", &emulated.synchronize_event);
    char folder[] = "/tmp/hip-topology-XXXXXX";
    assert_non_null(mkdtemp(folder));
    snprintf(emulated.topology, sizeof(emulated.topology), "%s/nodes", folder);
    assert_int_equal(setenv("VMAF_TEST_HIP_TOPOLOGY", emulated.topology, 1), 0);
    emulated.layer = fixture_load("hip")->layer;
    return &emulated;
}

static void remove_folder(const char *folder)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

void emulated_use(const char *machine, bool has_topology)
{
    remove_folder(emulated.topology);
    assert_int_equal(emulated.configure(machine, NULL), 0);
    if (has_topology) {
        assert_int_equal(mkdir(emulated.topology, 0700), 0);
        assert_int_equal(emulated.write_topology(emulated.topology), 0);
    }
    assert_int_equal(emulated.init(0), hipSuccess);
}

void emulated_say_version(const char *version, const char *other)
{
    char command[256];
    snprintf(command, sizeof(command),
             "sed -i 's/^gfx_target_version %s$/gfx_target_version %s/' '%s'/*/properties", version,
             other, emulated.topology);
    assert_int_equal(system(command), 0);
}

void emulated_unload(void)
{
    *strrchr(emulated.topology, '/') = '\0';
    remove_folder(emulated.topology);
}
