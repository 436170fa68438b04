/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/process_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* ---- Limits ---- */

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
#ifdef __linux__
    {RLIMIT_MSGQUEUE, "RLIMIT_MSGQUEUE"},
    {RLIMIT_NICE, "RLIMIT_NICE"},
    {RLIMIT_RTPRIO, "RLIMIT_RTPRIO"},
    {RLIMIT_RTTIME, "RLIMIT_RTTIME"},
    {RLIMIT_SIGPENDING, "RLIMIT_SIGPENDING"},
#endif
};
enum { N_LIMITS = sizeof(limits) / sizeof(limits[0]) };
_Static_assert((int)N_LIMITS <= (int)PROCESS_LIMITS_MAX, "there is room for every limit");

static bool restore_limits(const ProcessState *state, Reason *why)
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
        refuse(same ? why : NULL, 0, "changed the resource limit %s", limits[i].name);
        same = false;
    }
    return same;
}

/* ---- Descriptors ---- */

static bool describe(ProcessDescriptor *descriptor, int number)
{
    struct stat status;
    *descriptor = (ProcessDescriptor){.number = number};
    if (fstat(number, &status) < 0)
        return false;
    descriptor->device = status.st_dev;
    descriptor->file = status.st_ino;
    descriptor->flags = fcntl(number, F_GETFD);
    descriptor->status_flags = fcntl(number, F_GETFL);
    return true;
}

static bool is_same_file(const ProcessDescriptor *a, const ProcessDescriptor *b)
{
    return a->device == b->device && a->file == b->file;
}

static int add_descriptor(ProcessState *state, int number)
{
    ProcessDescriptor descriptor;
    if (!describe(&descriptor, number))
        return 0;
    ProcessDescriptor *grown =
        realloc(state->descriptors, (state->n_descriptors + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    state->descriptors = grown;
    grown[state->n_descriptors++] = descriptor;
    return 0;
}

static int add_streams(ProcessState *state)
{
    int err = 0;
    for (int i = 0; i < PROCESS_STREAMS && !err; i++) {
        err = add_descriptor(state, i);
        if (!err)
            state->spares[i] = fcntl(i, F_DUPFD_CLOEXEC, PROCESS_STREAMS);
    }
    return err;
}

/* Those behind the standard streams; none where the system does not list them. */
static int add_others(ProcessState *state)
{
    DIR *listing = opendir("/dev/fd");
    if (!listing)
        return 0;
    int err = 0;
    for (const struct dirent *entry; !err && (entry = readdir(listing));) {
        int number = atoi(entry->d_name); /* of "." and "..": 0 */
        if (number >= PROCESS_STREAMS && number != dirfd(listing))
            err = add_descriptor(state, number);
    }
    closedir(listing);
    return err;
}

/* The copy of a standard stream; -1 if there is none, or its number stands for something else. */
static int spare_of(const ProcessState *state, const ProcessDescriptor *stream)
{
    ProcessDescriptor spare;
    int copy = state->spares[stream->number];
    return copy >= 0 && describe(&spare, copy) && is_same_file(&spare, stream) ? copy : -1;
}

static void reopen_stream(const ProcessState *state, const ProcessDescriptor *before)
{
    int copy = spare_of(state, before);
    if (copy < 0 || dup2(copy, before->number) < 0)
        return;
    fcntl(before->number, F_SETFD, before->flags);
    fcntl(before->number, F_SETFL, before->status_flags);
}

static bool restore_descriptor(const ProcessState *state, const ProcessDescriptor *before,
                               Reason *why)
{
    ProcessDescriptor now;
    if (!describe(&now, before->number) || !is_same_file(&now, before)) {
        if (before->number < PROCESS_STREAMS)
            reopen_stream(state, before);
        refuse(why, 0, "closed file descriptor %d, which is not its own", before->number);
        return false;
    }
    if (now.flags == before->flags && now.status_flags == before->status_flags)
        return true;
    fcntl(before->number, F_SETFD, before->flags);
    fcntl(before->number, F_SETFL, before->status_flags);
    refuse(why, 0, "changed the flags of file descriptor %d, which is not its own", before->number);
    return false;
}

/* ---- All of it ---- */

int process_state_capture(ProcessState *state, bool alone)
{
    *state = (ProcessState){.alone = alone, .spares = {-1, -1, -1}};
    state->mask_known = get_mask(&state->mask, alone);
    for (size_t i = 0; i < N_LIMITS; i++)
        state->limit_known[i] = getrlimit(limits[i].resource, &state->limits[i]) == 0;
    int err = add_streams(state);
    if (!err && alone)
        err = add_others(state);
    if (err < 0)
        process_state_release(state);
    return err;
}

bool process_state_restore(const ProcessState *state, Reason *why)
{
    bool same = true;
    mode_t mask;
    if (state->mask_known && get_mask(&mask, state->alone) && mask != state->mask) {
        umask(state->mask);
        refuse(why, 0, "changed the file mode mask (umask)");
        same = false;
    }
    if (!restore_limits(state, same ? why : NULL))
        same = false;
    for (unsigned i = 0; i < state->n_descriptors; i++)
        if (!restore_descriptor(state, &state->descriptors[i], same ? why : NULL))
            same = false;
    return same;
}

void process_state_release(ProcessState *state)
{
    for (unsigned i = 0; i < state->n_descriptors; i++) {
        const ProcessDescriptor *descriptor = &state->descriptors[i];
        int copy = descriptor->number < PROCESS_STREAMS ? spare_of(state, descriptor) : -1;
        if (copy >= 0)
            close(copy);
    }
    free(state->descriptors);
    *state = (ProcessState){.spares = {-1, -1, -1}};
}
