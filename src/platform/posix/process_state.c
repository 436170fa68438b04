/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a module must leave as it was. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/internal.h"
#include "platform/posix/internal.h"
#include "platform/process.h"

/* ---- File descriptors ---- */

enum { STREAMS = 3 };

typedef struct Descriptor {
    int number;
    dev_t device;
    ino_t file;
    int flags;        /* F_GETFD */
    int status_flags; /* F_GETFL */
} Descriptor;

typedef struct Descriptors {
    unsigned count;
    Descriptor *list;
    int spares[STREAMS]; /* copies of the standard streams; -1: none */
} Descriptors;

static bool describe(Descriptor *descriptor, int number)
{
    struct stat status;
    *descriptor = (Descriptor){.number = number};
    if (fstat(number, &status) < 0)
        return false;
    descriptor->device = status.st_dev;
    descriptor->file = status.st_ino;
    descriptor->flags = fcntl(number, F_GETFD);
    descriptor->status_flags = fcntl(number, F_GETFL);
    return true;
}

static bool is_same_file(const Descriptor *a, const Descriptor *b)
{
    return a->device == b->device && a->file == b->file;
}

static int add_descriptor(Descriptors *state, int number)
{
    Descriptor descriptor;
    if (!describe(&descriptor, number))
        return 0;
    Descriptor *grown = realloc(state->list, (state->count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    state->list = grown;
    grown[state->count++] = descriptor;
    return 0;
}

static int add_streams(Descriptors *state)
{
    int err = 0;
    for (int i = 0; i < STREAMS && !err; i++) {
        err = add_descriptor(state, i);
        if (!err)
            state->spares[i] = fcntl(i, F_DUPFD_CLOEXEC, STREAMS);
    }
    return err;
}

/* Adds the descriptors behind the standard streams; none where the system does not list them. */
static int add_others(Descriptors *state)
{
    DIR *listing = opendir("/dev/fd");
    if (!listing)
        return 0;
    int err = 0;
    for (const struct dirent *entry; !err && (entry = readdir(listing));) {
        int number = atoi(entry->d_name); /* of "." and "..": 0 */
        if (number >= STREAMS && number != dirfd(listing))
            err = add_descriptor(state, number);
    }
    closedir(listing);
    return err;
}

/* The copy of a standard stream; -1 if there is none, or its number stands for something else. */
static int spare_of(const Descriptors *state, const Descriptor *stream)
{
    Descriptor spare;
    int copy = state->spares[stream->number];
    return copy >= 0 && describe(&spare, copy) && is_same_file(&spare, stream) ? copy : -1;
}

static void reopen_stream(const Descriptors *state, const Descriptor *before)
{
    int copy = spare_of(state, before);
    if (copy < 0 || dup2(copy, before->number) < 0)
        return;
    fcntl(before->number, F_SETFD, before->flags);
    fcntl(before->number, F_SETFL, before->status_flags);
}

static bool restore_descriptor(const Descriptors *state, const Descriptor *before,
                               const VmafWhy *why)
{
    Descriptor now;
    if (!describe(&now, before->number) || !is_same_file(&now, before)) {
        if (before->number < STREAMS)
            reopen_stream(state, before);
        vmaf_error_set(why, 0, "closed file descriptor %d, which is not its own", before->number);
        return false;
    }
    if (now.flags == before->flags && now.status_flags == before->status_flags)
        return true;
    fcntl(before->number, F_SETFD, before->flags);
    fcntl(before->number, F_SETFL, before->status_flags);
    vmaf_error_set(why, 0, "changed the flags of file descriptor %d, which is not its own",
                   before->number);
    return false;
}

static void descriptors_release(Descriptors *state)
{
    for (unsigned i = 0; i < state->count; i++) {
        const Descriptor *descriptor = &state->list[i];
        const int copy = descriptor->number < STREAMS ? spare_of(state, descriptor) : -1;
        if (copy >= 0)
            close(copy);
    }
    free(state->list);
    *state = (Descriptors){.spares = {-1, -1, -1}};
}

/* Captures the standard streams, and all other descriptors if `others`. 0; -ENOMEM. */
static int descriptors_capture(Descriptors *state, bool others)
{
    *state = (Descriptors){.spares = {-1, -1, -1}};
    int err = add_streams(state);
    if (!err && others)
        err = add_others(state);
    if (err < 0)
        descriptors_release(state);
    return err;
}

/* ---- What is captured ---- */

enum { SIGNALS_MAX = 128 };

static const struct {
    int resource;
    const char *name;
} limits[] = {
    {RLIMIT_AS, "RLIMIT_AS"},
    {RLIMIT_CORE, "RLIMIT_CORE"},
    {RLIMIT_CPU, "RLIMIT_CPU"},
    {RLIMIT_DATA, "RLIMIT_DATA"},
    {RLIMIT_FSIZE, "RLIMIT_FSIZE"},
    {RLIMIT_MEMLOCK, "RLIMIT_MEMLOCK"},
    {RLIMIT_NOFILE, "RLIMIT_NOFILE"},
    {RLIMIT_NPROC, "RLIMIT_NPROC"},
    {RLIMIT_RSS, "RLIMIT_RSS"},
    {RLIMIT_STACK, "RLIMIT_STACK"},
#ifdef RLIMIT_MSGQUEUE /* of Linux, as those below */
    {RLIMIT_MSGQUEUE, "RLIMIT_MSGQUEUE"},
    {RLIMIT_NICE, "RLIMIT_NICE"},
    {RLIMIT_RTPRIO, "RLIMIT_RTPRIO"},
    {RLIMIT_RTTIME, "RLIMIT_RTTIME"},
    {RLIMIT_SIGPENDING, "RLIMIT_SIGPENDING"},
#endif
};
enum { N_LIMITS = sizeof(limits) / sizeof(limits[0]) };

struct VmafProcessState {
    VmafProcessScope scope;
    bool handler_known[SIGNALS_MAX];
    struct sigaction handlers[SIGNALS_MAX];
    locale_t thread_locale;
    char *locale;    /* of the process; NULL if unknown */
    char *directory; /* NULL if unknown */

    /* Not of VMAF_PROCESS_OWN. */
    bool mask_known;
    mode_t mask;
    bool limit_known[N_LIMITS];
    struct rlimit limits[N_LIMITS];
    Descriptors descriptors;
};

/* ---- Handlers, locale, directory ---- */

static uintptr_t handler_address(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO ? (uintptr_t)action->sa_sigaction
                                         : (uintptr_t)action->sa_handler;
}

static bool lies_in(uintptr_t address, const char *path)
{
    Dl_info info;
    return dladdr((const void *)address, &info) != 0 && info.dli_fname &&
           strcmp(info.dli_fname, path) == 0;
}

static bool restore_handlers(const VmafProcessState *state, const char *module, const VmafWhy *why)
{
    bool same = true;
    for (int i = 1; i < SIGNALS_MAX; i++) {
        struct sigaction now;
        if (!state->handler_known[i] || sigaction(i, NULL, &now) < 0)
            continue;
        const struct sigaction *before = &state->handlers[i];
        if (handler_address(&now) == handler_address(before) &&
            (now.sa_flags & SA_SIGINFO) == (before->sa_flags & SA_SIGINFO))
            continue;
        if (state->scope == VMAF_PROCESS_OWN && !lies_in(handler_address(&now), module))
            continue;
        sigaction(i, before, NULL);
        vmaf_error_set(why, 0, "changed the handler of signal %d (%s)", i, strsignal(i));
        same = false;
    }
    return same;
}

static bool restore_locale(const VmafProcessState *state, const VmafWhy *why)
{
    bool same = true;
    if (uselocale((locale_t)0) != state->thread_locale) {
        uselocale(state->thread_locale);
        same = false;
    }
    const char *now = setlocale(LC_ALL, NULL);
    if (state->locale && (!now || strcmp(now, state->locale) != 0)) {
        setlocale(LC_ALL, state->locale);
        same = false;
    }
    if (!same)
        vmaf_error_set(why, 0, "changed the locale");
    return same;
}

static bool restore_directory(const VmafProcessState *state, const VmafWhy *why)
{
    char now[PATH_MAX]; /* no memory is wanted: if there is none, that is not the plugin's doing */
    if (!state->directory || (getcwd(now, sizeof(now)) && strcmp(now, state->directory) == 0))
        return true;
    vmaf_error_set(why, 0, "changed the current directory");
    if (chdir(state->directory) < 0)
        vmaf_error_set(why, 0, "changed the current directory, and there is no way back");
    return false;
}

/* ---- The file mode mask ---- */

/* From the kernel, because asking umask means changing it, which other threads would notice. */
static bool read_mask(mode_t *mask)
{
    static const char word[] = "\nUmask:";
    char text[4096];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, sizeof(text) - 1);
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *line = strstr(text, word);
    if (!line)
        return false;
    *mask = (mode_t)strtoul(line + sizeof(word) - 1, NULL, 8);
    return true;
}

static bool get_mask(mode_t *mask, bool alone)
{
    if (read_mask(mask))
        return true;
    if (!alone)
        return false;
    *mask = umask(0);
    umask(*mask);
    return true;
}

static bool restore_mask(const VmafProcessState *state, const VmafWhy *why)
{
    mode_t mask;
    if (!state->mask_known || !get_mask(&mask, state->scope == VMAF_PROCESS_ALONE) ||
        mask == state->mask)
        return true;
    umask(state->mask);
    vmaf_error_set(why, 0, "changed the file mode mask (umask)");
    return false;
}

/* ---- Limits ---- */

static bool restore_limits(const VmafProcessState *state, const VmafWhy *why)
{
    bool same = true;
    for (size_t i = 0; i < N_LIMITS; i++) {
        const struct rlimit *before = &state->limits[i];
        struct rlimit now;
        if (!state->limit_known[i] || getrlimit(limits[i].resource, &now) < 0 ||
            (now.rlim_cur == before->rlim_cur && now.rlim_max == before->rlim_max))
            continue;
        if (setrlimit(limits[i].resource, before) < 0) {
            /* Only privileged programs can raise the upper one again. */
            now.rlim_cur = before->rlim_cur < now.rlim_max ? before->rlim_cur : now.rlim_max;
            setrlimit(limits[i].resource, &now);
        }
        vmaf_error_set(same ? why : NULL, 0, "changed the resource limit %s", limits[i].name);
        same = false;
    }
    return same;
}

/* ---- Descriptors ---- */

static bool restore_descriptors(const VmafProcessState *state, const VmafWhy *why)
{
    const Descriptors *before = &state->descriptors;
    bool same = true;
    for (unsigned i = 0; i < before->count; i++)
        if (!restore_descriptor(before, &before->list[i], same ? why : NULL))
            same = false;
    return same;
}

/* ---- All of it ---- */

int vmaf_process_state_capture(VmafProcessState **state_out, VmafProcessScope scope)
{
    VmafProcessState *state = calloc(1, sizeof(*state));
    *state_out = NULL;
    if (!state)
        return -ENOMEM;
    state->scope = scope;
    if (scope != VMAF_PROCESS_OWN) {
        const bool alone = scope == VMAF_PROCESS_ALONE;
        state->mask_known = get_mask(&state->mask, alone);
        for (size_t i = 0; i < N_LIMITS; i++)
            state->limit_known[i] = getrlimit(limits[i].resource, &state->limits[i]) == 0;
        if (descriptors_capture(&state->descriptors, alone) < 0) {
            free(state);
            return -ENOMEM;
        }
    }
    state->thread_locale = uselocale((locale_t)0);
    const char *locale = setlocale(LC_ALL, NULL);
    state->locale = locale ? strdup(locale) : NULL;
    state->directory = getcwd(NULL, 0);
    for (int i = 1; i < SIGNALS_MAX; i++)
        state->handler_known[i] = sigaction(i, NULL, &state->handlers[i]) == 0;
    *state_out = state;
    return 0;
}

void vmaf_process_state_free(VmafProcessState *state)
{
    if (!state)
        return;
    if (state->scope != VMAF_PROCESS_OWN)
        descriptors_release(&state->descriptors);
    free(state->locale);
    free(state->directory);
    free(state);
}

bool vmaf_process_state_restore(const VmafProcessState *state, const char *module, char *text,
                                size_t size)
{
    const VmafWhy why = {text, size};
    bool same = restore_handlers(state, module, &why);
    if (state->scope == VMAF_PROCESS_OWN)
        return same;
    bool (*const others[])(const VmafProcessState *, const VmafWhy *) = {
        restore_locale, restore_directory, restore_mask, restore_limits, restore_descriptors,
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (!others[i](state, same ? &why : NULL))
            same = false;
    return same;
}
