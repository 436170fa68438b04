/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/posix/descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool describe(VmafDescriptor *descriptor, int number)
{
    struct stat status;
    *descriptor = (VmafDescriptor){.number = number};
    if (fstat(number, &status) < 0)
        return false;
    descriptor->device = status.st_dev;
    descriptor->file = status.st_ino;
    descriptor->flags = fcntl(number, F_GETFD);
    descriptor->status_flags = fcntl(number, F_GETFL);
    return true;
}

static bool is_same_file(const VmafDescriptor *a, const VmafDescriptor *b)
{
    return a->device == b->device && a->file == b->file;
}

static int add_descriptor(VmafDescriptors *state, int number)
{
    VmafDescriptor descriptor;
    if (!describe(&descriptor, number))
        return 0;
    VmafDescriptor *grown = realloc(state->list, (state->count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    state->list = grown;
    grown[state->count++] = descriptor;
    return 0;
}

static int add_streams(VmafDescriptors *state)
{
    int err = 0;
    for (int i = 0; i < VMAF_STREAMS && !err; i++) {
        err = add_descriptor(state, i);
        if (!err)
            state->spares[i] = fcntl(i, F_DUPFD_CLOEXEC, VMAF_STREAMS);
    }
    return err;
}

/* Adds the descriptors behind the standard streams; none where the system does not list them. */
static int add_others(VmafDescriptors *state)
{
    DIR *listing = opendir("/dev/fd");
    if (!listing)
        return 0;
    int err = 0;
    for (const struct dirent *entry; !err && (entry = readdir(listing));) {
        int number = atoi(entry->d_name); /* of "." and "..": 0 */
        if (number >= VMAF_STREAMS && number != dirfd(listing))
            err = add_descriptor(state, number);
    }
    closedir(listing);
    return err;
}

/* The copy of a standard stream; -1 if there is none, or its number stands for something else. */
static int spare_of(const VmafDescriptors *state, const VmafDescriptor *stream)
{
    VmafDescriptor spare;
    int copy = state->spares[stream->number];
    return copy >= 0 && describe(&spare, copy) && is_same_file(&spare, stream) ? copy : -1;
}

static void reopen_stream(const VmafDescriptors *state, const VmafDescriptor *before)
{
    int copy = spare_of(state, before);
    if (copy < 0 || dup2(copy, before->number) < 0)
        return;
    fcntl(before->number, F_SETFD, before->flags);
    fcntl(before->number, F_SETFL, before->status_flags);
}

static bool restore_descriptor(const VmafDescriptors *state, const VmafDescriptor *before,
                               const VmafWhy *why)
{
    VmafDescriptor now;
    if (!describe(&now, before->number) || !is_same_file(&now, before)) {
        if (before->number < VMAF_STREAMS)
            reopen_stream(state, before);
        vmaf_why_set(why, "closed file descriptor %d, which is not its own", before->number);
        return false;
    }
    if (now.flags == before->flags && now.status_flags == before->status_flags)
        return true;
    fcntl(before->number, F_SETFD, before->flags);
    fcntl(before->number, F_SETFL, before->status_flags);
    vmaf_why_set(why, "changed the flags of file descriptor %d, which is not its own",
                 before->number);
    return false;
}

int vmaf_descriptors_capture(VmafDescriptors *state, bool others)
{
    *state = (VmafDescriptors){.spares = {-1, -1, -1}};
    int err = add_streams(state);
    if (!err && others)
        err = add_others(state);
    if (err < 0)
        vmaf_descriptors_release(state);
    return err;
}

bool vmaf_descriptors_restore(const VmafDescriptors *state, const VmafWhy *why)
{
    bool same = true;
    for (unsigned i = 0; i < state->count; i++)
        if (!restore_descriptor(state, &state->list[i], same ? why : NULL))
            same = false;
    return same;
}

void vmaf_descriptors_release(VmafDescriptors *state)
{
    for (unsigned i = 0; i < state->count; i++) {
        const VmafDescriptor *descriptor = &state->list[i];
        const int copy = descriptor->number < VMAF_STREAMS ? spare_of(state, descriptor) : -1;
        if (copy >= 0)
            close(copy);
    }
    free(state->list);
    *state = (VmafDescriptors){.spares = {-1, -1, -1}};
}
