/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Kernels are found by several threads at once, each of them once, and errors come back. */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "find_kernels.h"
#include "platform/thread.h"
#include "support/cases.h"

enum { MOST = 40 };

/* A device whose kernels load only while another one does. */
typedef struct Device {
    VmafDevice head;
    VmafMutex lock;
    VmafCondition changed;
    unsigned loading, most_loading, wanted;
    unsigned times[MOST]; /* of each kernel, named by a letter */
    const char *broken;
    VmafDeviceKernel kernels[MOST];
} Device;

static int find(VmafDevice *base, const VmafDeviceKernel **found, const char *name)
{
    Device *device = (Device *)base;
    const unsigned number = (unsigned)(name[0] - 'a');
    vmaf_mutex_lock(&device->lock);
    if (device->times[number]++ == 0) {
        device->loading++;
        if (device->loading > device->most_loading)
            device->most_loading = device->loading;
        vmaf_condition_broadcast(&device->changed);
        while (device->most_loading < device->wanted)
            vmaf_condition_wait(&device->changed, &device->lock);
        device->loading--;
    }
    vmaf_mutex_unlock(&device->lock);
    *found = &device->kernels[number];
    return device->broken && strcmp(device->broken, name) == 0 ? -ENOTSUP : 0;
}

static const VmafDeviceLayer layer = {.kernel_find = find};

static void begin(Device *device, unsigned wanted)
{
    *device = (Device){.head = {.layer = &layer}, .wanted = wanted};
    vmaf_mutex_init(&device->lock);
    vmaf_condition_init(&device->changed);
}

static void end(Device *device)
{
    vmaf_condition_destroy(&device->changed);
    vmaf_mutex_destroy(&device->lock);
}

static void given_many_kernels_several_load_at_once_and_each_once(void **state)
{
    static const char *const names[] = {"a", "b", "a", "c", "d", "e", "f", "g", "c", "h",
                                        "i", "j", "k", "a", "l", "m", "n", "o", "p", "q"};
    enum { N = sizeof(names) / sizeof(names[0]) };
    const VmafDeviceKernel *kernels[N] = {0};
    Device device;
    begin(&device, 8);
    assert_int_equal(vmaf_find_kernels(&device.head, names, kernels, N), 0);
    assert_int_equal(device.most_loading, 8);
    for (unsigned i = 0; i < N; i++)
        assert_ptr_equal(kernels[i], &device.kernels[names[i][0] - 'a']);
    end(&device);
}

static void given_one_kernel_this_thread_loads_it(void **state)
{
    static const char *const names[] = {"a", "a"};
    const VmafDeviceKernel *kernels[2];
    Device device;
    begin(&device, 1);
    assert_int_equal(vmaf_find_kernels(&device.head, names, kernels, 2), 0);
    assert_int_equal(device.times[0], 2);
    end(&device);
}

static void given_a_kernel_that_does_not_load_its_error_comes_back(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    const VmafDeviceKernel *kernels[5];
    for (unsigned i = 0; i < 5; i++) {
        Device device;
        begin(&device, 1);
        device.broken = names[i];
        assert_int_equal(vmaf_find_kernels(&device.head, names, kernels, 5), -ENOTSUP);
        end(&device);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_many_kernels_several_load_at_once_and_each_once),
        cmocka_unit_test(given_one_kernel_this_thread_loads_it),
        cmocka_unit_test(given_a_kernel_that_does_not_load_its_error_comes_back),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
