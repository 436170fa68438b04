/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the dynamic linker of macOS says about what is loaded. */
#include <dlfcn.h>
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <mach/vm_prot.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "platform/module.h"
#include "platform/posix/system.h"

static const struct load_command *next_command(const struct load_command *command)
{
    return (const void *)((const unsigned char *)command + command->cmdsize);
}

static const struct load_command *first_command(const struct mach_header_64 *header)
{
    return (const void *)(header + 1);
}

static bool has_code(const struct mach_header_64 *header, uintptr_t place)
{
    const struct load_command *command = first_command(header);
    uintptr_t slide = 0; /* segments are where the file says, and this much further */
    for (uint32_t i = 0; i < header->ncmds; i++, command = next_command(command)) {
        const struct segment_command_64 *segment = (const void *)command;
        if (command->cmd == LC_SEGMENT_64 && strcmp(segment->segname, SEG_TEXT) == 0)
            slide =
                (uintptr_t)header - (uintptr_t)segment->vmaddr; /* the header is its beginning */
    }
    command = first_command(header);
    for (uint32_t i = 0; i < header->ncmds; i++, command = next_command(command)) {
        const struct segment_command_64 *segment = (const void *)command;
        if (command->cmd == LC_SEGMENT_64 && (segment->initprot & VM_PROT_EXECUTE) &&
            place - ((uintptr_t)segment->vmaddr + slide) < segment->vmsize)
            return true;
    }
    return false;
}

bool vmaf_module_has_code(VmafCodeAddress address)
{
    const uintptr_t place = (uintptr_t)address;
    Dl_info info;
    return dladdr((const void *)place, &info) && info.dli_fbase && has_code(info.dli_fbase, place);
}

bool vmaf_system_is_of_file(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) != 0;
}

bool vmaf_module_can_load(void)
{
    return true;
}

bool vmaf_module_list(void (*name)(void *cookie, const char *path), void *cookie)
{
    const uint32_t count = _dyld_image_count();
    for (uint32_t i = 0; i < count; i++) {
        const char *path = _dyld_get_image_name(i); /* NULL if others have been unloaded since */
        if (path && path[0] == '/')
            name(cookie, path);
    }
    return true;
}

const char *vmaf_module_index(void)
{
    return "";
}
