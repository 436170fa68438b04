/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "find_kernels.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/thread.h"

enum { THREADS_MAX = 8 };

/* What the threads share. */
typedef struct Search {
    VmafDevice *device;
    const char *const *names;
    const VmafDeviceKernel **kernels;
    uint32_t count;
    atomic_uint next;
    atomic_int error;
} Search;

/* Where binary32 is exact, the kernel's native variant if there is one. */
static int find(VmafDevice *device, const VmafDeviceKernel **kernel, const char *name)
{
    char native[128];
    snprintf(native, sizeof(native), "%s_native", name);
    const bool is_native =
        device->info.caps.exact_float32 && vmaf_kernel_set_find(device->kernels, native);
    return device->layer->kernel_find(device, kernel, is_native ? native : name);
}

static bool was_named_before(const char *const *names, uint32_t i)
{
    uint32_t before = 0;
    while (strcmp(names[before], names[i]) != 0)
        before++;
    return before < i;
}

static void *search(void *argument)
{
    Search *shared = argument;
    VmafDevice *device = shared->device;
    uint32_t i;
    while (!atomic_load(&shared->error) &&
           (i = atomic_fetch_add(&shared->next, 1)) < shared->count) {
        if (was_named_before(shared->names, i))
            continue;
        const int err = find(device, &shared->kernels[i], shared->names[i]);
        if (err)
            atomic_store(&shared->error, err);
    }
    return NULL;
}

static uint32_t count_different(const char *const *names, uint32_t count)
{
    uint32_t different = 0;
    for (uint32_t i = 0; i < count; i++)
        different += !was_named_before(names, i);
    return different;
}

int vmaf_find_kernels(VmafDevice *device, const char *const *names,
                      const VmafDeviceKernel **kernels, uint32_t count)
{
    Search shared = {.device = device, .names = names, .kernels = kernels, .count = count};
    VmafThread threads[THREADS_MAX];
    const uint32_t different = count_different(names, count);
    uint32_t n_threads = 0;
    /* This thread is one of them, and does it alone where there can be no others. */
    while (n_threads + 1 < different && n_threads + 1 < THREADS_MAX &&
           !vmaf_thread_start(&threads[n_threads], search, &shared))
        n_threads++;
    search(&shared);
    for (uint32_t i = 0; i < n_threads; i++)
        vmaf_thread_join(threads[i]);
    int err = atomic_load(&shared.error);
    for (uint32_t i = 0; i < count && !err; i++) {
        if (was_named_before(names, i))
            err = find(device, &kernels[i], names[i]);
    }
    return err;
}
