/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the dynamic linkers of systems with ELF say about what is loaded. */
#include <link.h>

#include "platform/module.h"

#ifndef ElfW /* of GNU; FreeBSD's <link.h> has the name that follows in any case */
#define ElfW(type) Elf_##type
#endif

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

bool vmaf_module_has_code(VmafCodeAddress address)
{
    uintptr_t place = (uintptr_t)address;
    return dl_iterate_phdr(covers, &place) != 0;
}

typedef struct Listener {
    void (*name)(void *cookie, const char *path);
    void *cookie;
} Listener;

static int name_object(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    const Listener *listener = data;
    if (object->dlpi_name && object->dlpi_name[0] == '/')
        listener->name(listener->cookie, object->dlpi_name);
    return 0;
}

bool vmaf_module_list(void (*name)(void *cookie, const char *path), void *cookie)
{
    Listener listener = {name, cookie};
    dl_iterate_phdr(name_object, &listener);
    return true;
}
