/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What Linux and FreeBSD do alike and macOS in another way: conditions and processor times with the
 * clocks of POSIX, and what dynamic linkers of systems with ELF report about what is loaded. */
#include <dlfcn.h>
#include <link.h>
#include <time.h>

#include "platform/module.h"
#include "platform/posix/internal.h"

/* ---- Clocks ---- */

enum { NS_PER_S = 1000000000 };

static int64_t time_of(clockid_t clock)
{
    struct timespec time;
    return clock_gettime(clock, &time) ? 0 : (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec;
}

int vmaf_system_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    int failed = pthread_condattr_init(&attributes);
    if (failed)
        return failed;
    failed = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (!failed)
        failed = pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return failed;
}

int vmaf_system_condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t ns)
{
    const struct timespec time = {.tv_sec = (time_t)(ns / NS_PER_S),
                                  .tv_nsec = (long)(ns % NS_PER_S)};
    return pthread_cond_timedwait(condition, mutex, &time);
}

int64_t vmaf_system_thread_time_ns(pthread_t thread)
{
    clockid_t clock;
    return pthread_getcpuclockid(thread, &clock) ? 0 : time_of(clock);
}

int64_t vmaf_system_process_time_ns(pid_t process)
{
    clockid_t clock;
    return clock_getcpuclockid(process, &clock) ? 0 : time_of(clock);
}

/* ---- Modules ---- */

#ifndef ElfW /* of GNU; FreeBSD's <link.h> has the name that follows in any case */
#define ElfW(type) Elf_##type
#endif

/* What is looked for: a place in segments that have all of these rights. */
typedef struct Place {
    uintptr_t address;
    ElfW(Word) rights;
} Place;

static int covers(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    const Place *place = data;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & place->rights) == place->rights &&
            place->address - (object->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
            return 1;
    }
    return 0;
}

bool vmaf_module_has_code(VmafCodeAddress address)
{
    Place place = {(uintptr_t)address, PF_X};
    return dl_iterate_phdr(covers, &place) != 0;
}

bool vmaf_system_is_of_file(const void *address)
{
    Place place = {(uintptr_t)address, 0};
    return dl_iterate_phdr(covers, &place) != 0;
}

/* Looks at the program, which comes first: 2 if a dynamic linker has started it, else 1. */
static int names_linker(struct dl_phdr_info *program, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (size_t i = 0; i < program->dlpi_phnum; i++) {
        if (program->dlpi_phdr[i].p_type == PT_INTERP)
            return 2;
    }
    return 1;
}

bool vmaf_module_can_load(void)
{
    /* Without one, that of musl loads nothing; others can. */
    return dl_iterate_phdr(names_linker, NULL) == 2 || dlopen(NULL, RTLD_LAZY);
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
