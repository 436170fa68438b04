/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What posix/internal.h lists, for macOS. */
#include "platform/posix/internal.h"

#include <crt_externs.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libproc.h>
#include <limits.h>
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <mach/mach.h>
#include <mach/mach_time.h>
#include <mach/vm_prot.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sysctl.h>
#include <time.h>
#include <unistd.h>

#include "platform/machine.h"
#include "platform/module.h"
#include "platform/path.h"
#include "platform/process.h"
#include "platform/thread.h"
#include "platform/time.h"

enum { NS_PER_S = 1000000000, NS_PER_US = 1000 };

/* ---- Files ---- */

/* Between the calls another thread may start a program that inherits the pipe: there is no pipe2.
 */
int vmaf_system_pipe(int ends[2], int flags)
{
    if (pipe(ends) < 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) < 0 || fcntl(ends[i], F_SETFL, flags) < 0) {
            const int error = errno;
            close(ends[0]);
            close(ends[1]);
            errno = error;
            return -1;
        }
    }
    return 0;
}

bool vmaf_system_close_from(int first)
{
    (void)first;
    return false;
}

/* ---- The process ---- */

char *const *vmaf_process_environment(void)
{
    return *_NSGetEnviron(); /* libraries cannot name `environ` here */
}

bool vmaf_privilege_is_borrowed(void)
{
    return issetugid() != 0;
}

char *vmaf_secure_getenv(const char *name)
{
    return issetugid() ? NULL : getenv(name);
}

int vmaf_system_program_path(char **path)
{
    char text[PATH_MAX];
    uint32_t size = sizeof(text);
    return _NSGetExecutablePath(text, &size) ? -ENAMETOOLONG : vmaf_path_real(text, path);
}

unsigned vmaf_system_usable_processors(void)
{
    return vmaf_processors_online(); /* threads cannot be bound to processors */
}

/* ---- Children ---- */

/* The system cannot. A child that works for us has an alarm set, too. */
void vmaf_system_end_with_parent(void)
{
}

int64_t vmaf_system_process_time_ns(pid_t process)
{
    struct proc_taskinfo info;
    mach_timebase_info_data_t base;
    if (proc_pidinfo(process, PROC_PIDTASKINFO, 0, &info, sizeof(info)) != (int)sizeof(info) ||
        mach_timebase_info(&base) != KERN_SUCCESS || !base.denom)
        return 0;
    /* In ticks, which are nanoseconds on Intel's processors only. */
    const double ticks = (double)info.pti_total_user + (double)info.pti_total_system;
    return (int64_t)(ticks * base.numer / base.denom);
}

/* ---- Threads ---- */

int vmaf_system_condition_init(pthread_cond_t *condition)
{
    return pthread_cond_init(condition, NULL);
}

/* Conditions know the time of day only, which may be set; a duration may not. */
int vmaf_system_condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t ns)
{
    const int64_t left = ns - vmaf_steady_ns();
    const struct timespec time = {.tv_sec = left > 0 ? (time_t)(left / NS_PER_S) : 0,
                                  .tv_nsec = left > 0 ? (long)(left % NS_PER_S) : 0};
    return pthread_cond_timedwait_relative_np(condition, mutex, &time);
}

int64_t vmaf_system_thread_time_ns(pthread_t thread)
{
    thread_basic_info_data_t info;
    mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;
    if (thread_info(pthread_mach_thread_np(thread), THREAD_BASIC_INFO, (thread_info_t)&info,
                    &count) != KERN_SUCCESS)
        return 0;
    const int64_t seconds = (int64_t)info.user_time.seconds + info.system_time.seconds;
    const int64_t us = (int64_t)info.user_time.microseconds + info.system_time.microseconds;
    return seconds * NS_PER_S + us * NS_PER_US;
}

uint32_t vmaf_thread_number(void)
{
    uint64_t number = 0;
    pthread_threadid_np(NULL, &number);
    return (uint32_t)number;
}

void vmaf_thread_set_name(const char *name)
{
    pthread_setname_np(name);
}

/* Nothing is asked of the system about threads of others. */
int64_t vmaf_thread_times_now(void)
{
    return INT64_MAX;
}

int64_t vmaf_thread_times_since(int64_t moment, const char *except)
{
    (void)moment;
    (void)except;
    return 0;
}

/* ---- The machine ---- */

void vmaf_machine_boot_id(char *id, size_t size)
{
    size_t length = size;
    if (sysctlbyname("kern.bootsessionuuid", id, &length, NULL, 0) < 0)
        length = 0;
    id[length < size ? length : size - 1] = '\0';
}

bool vmaf_random_bytes(void *bytes, size_t size)
{
    enum { AT_ONCE = 256 };
    unsigned char *next = bytes;
    for (size_t left = size; left;) {
        const size_t part = left < AT_ONCE ? left : AT_ONCE;
        if (getentropy(next, part) < 0)
            return false;
        next += part;
        left -= part;
    }
    return true;
}

/* What the dynamic linker of macOS says about what is loaded. */

/* ---- Modules ---- */

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
