/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_DRIVER_MEMORY_H
#define TESTS_EMULATION_LEVEL_ZERO_DRIVER_MEMORY_H

#include "driver.h"
#include "guarded_memory.h"

/* Whether work of the context on the device can use it. */
static inline bool driver_can_use(const Context *context, const Device *device,
                                  const Memory *memory)
{
    return memory->owner == context && (!memory->device || memory->device == device->state);
}

#endif
