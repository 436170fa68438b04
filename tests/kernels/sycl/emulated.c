/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "emulated.h"
#include "support/cases.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_SKIPPED = 77 };

static void leave_out(const char *why)
{
    fprintf(stderr, "skipped: %s\n", why);
    exit(EXIT_SKIPPED);
}

static void find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    if (!found)
        leave_out("ZE_ENABLE_ALT_DRIVERS is not the emulated driver");
    memcpy(function, &found, sizeof(found));
}

const Emulated *emulated_load(void)
{
    static Emulated emulated;
    const char *(*unavailable)(void);
    if (emulated.layer)
        return &emulated;
    const char *path = getenv("ZE_ENABLE_ALT_DRIVERS");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library)
        leave_out("there is no emulated driver");
    find(library, "emulated_level_zero_unavailable", &unavailable);
    if (unavailable())
        leave_out(unavailable());
    find(library, "emulated_level_zero_configure", &emulated.configure);
    find(library, "emulated_level_zero_count", &emulated.count);
    emulated.layer = fixture_load("sycl")->layer;
    return &emulated;
}

ze_driver_handle_t emulated_driver(void)
{
    ze_driver_handle_t driver = NULL;
    uint32_t count = 1;
    assert_int_equal(zeInit(0), ZE_RESULT_SUCCESS);
    assert_int_equal(zeDriverGet(&count, &driver), ZE_RESULT_SUCCESS);
    return driver;
}

ze_device_handle_t emulated_device(void)
{
    ze_device_handle_t device = NULL;
    uint32_t count = 1;
    assert_int_equal(zeDeviceGet(emulated_driver(), &count, &device), ZE_RESULT_SUCCESS);
    return device;
}
