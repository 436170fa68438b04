/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What surrounds every call, beyond what all emulated runtimes have. */
#include "driver.h"

Driver driver;

void driver_forget(void)
{
    driver_forget_contexts();
    driver.is_initialized = false;
    driver.runs = 0;
}

void driver_set_up(void)
{
    for (int i = 0; i < emulated_machine.n_devices; i++)
        driver.devices[i] = (Device){.machine = &emulated_machine.devices[i], .ordinal = i};
}

int driver_lose_current(int error)
{
    CudaContext current = driver_current();
    return driver_lose(current ? current->device : &driver.devices[0], error);
}

static CudaResult check_needs(enum DriverNeeds needs, CudaContext *context)
{
    if (needs >= DRIVER_NEEDS_INIT && !driver.is_initialized)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (needs < DRIVER_NEEDS_CURRENT)
        return CUDA_SUCCESS;
    *context = driver_current();
    if (!*context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if ((*context)->magic != DRIVER_ALIVE)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return needs == DRIVER_NEEDS_CONTEXT ? driver_context_state(*context) : CUDA_SUCCESS;
}

CudaResult driver_begin(const char *function, enum DriverNeeds needs, CudaContext *context)
{
    const CudaResult result = machine_begin(function);
    return result == CUDA_SUCCESS ? check_needs(needs, context) : result;
}
