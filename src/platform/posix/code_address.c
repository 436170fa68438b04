/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/code_address.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __linux__
#include <link.h>

static int covers(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    uintptr_t address = *(const uintptr_t *)data;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) &&
            address - (object->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
            return 1;
    }
    return 0;
}

bool vmaf_code_address_is_valid(VmafCodeAddress address)
{
    uintptr_t place = (uintptr_t)address;
    return dl_iterate_phdr(covers, &place) != 0;
}
#else
bool vmaf_code_address_is_valid(VmafCodeAddress address)
{
    Dl_info info;
    return dladdr((void *)(uintptr_t)address, &info) != 0;
}
#endif
