/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Groups of contexts: what their members read together, and how they end. */
#include <errno.h>
#include <stdlib.h>

#include "engine/backend_manager.h"
#include "engine/context.h"
#include "picture/picture.h"
#include "platform/process.h"

typedef struct GroupMember {
    VmafContext *context;
    bool closed;   /* by the caller */
    bool accepted; /* the pair in work */
} GroupMember;

struct VmafGroup {
    unsigned n_threads;
    int process; /* that has the threads */
    bool started;
    CpuPool *workers;
    SharedUploads *uploads; /* of references, to devices of several members */
    GroupMember *members;
    unsigned n_members;
};

int group_create(VmafGroup **created, unsigned n_threads)
{
    VmafGroup *group = calloc(1, sizeof(*group));
    if (!group)
        return -ENOMEM;
    group->n_threads = n_threads < CONTEXT_THREADS_MAX ? n_threads : CONTEXT_THREADS_MAX;
    group->process = vmaf_process_id();
    int err = shared_uploads_create(&group->uploads);
    if (!err)
        err = cpu_pool_create(&group->workers, group->n_threads);
    if (err) {
        shared_uploads_unref(group->uploads);
        free(group);
    } else {
        *created = group;
    }
    return err;
}

int group_add(VmafGroup *group, VmafContext *context)
{
    if (context->group || context->started || context->flushed || group->started)
        return -EBUSY;
    GroupMember *moved =
        reallocarray(group->members, group->n_members + 1, sizeof(*group->members));
    if (!moved)
        return -ENOMEM;
    group->members = moved;
    group->members[group->n_members++] = (GroupMember){.context = context};
    context->group = group;
    context->group_workers = group->workers;
    backend_manager_share_uploads(context->manager, group->uploads);
    context->cfg.n_threads = group->n_threads;
    return 0;
}

/* True if another member was given the same structure. */
static bool is_copy(const VmafPicture dist[], unsigned member)
{
    unsigned other = 0;
    while (other < member && !picture_is_copy(&dist[other], &dist[member]))
        other++;
    return other < member;
}

/* Checks the pair of each member, and makes room for it. */
static void accept_pairs(VmafGroup *group, const VmafPicture *ref, VmafPicture dist[], int status[],
                         unsigned index)
{
    for (unsigned i = 0; i < group->n_members; i++)
        status[i] = dist[i].ref && is_copy(dist, i) ? -EINVAL : 0;
    for (unsigned i = 0; i < group->n_members; i++) {
        GroupMember *member = &group->members[i];
        member->accepted = false;
        if (!dist[i].ref || status[i])
            continue;
        TRACE_CALL(member->context->trace, "read pictures", TRACE_INDEX(index));
        status[i] =
            member->closed ? -EINVAL : context_accept(member->context, ref, &dist[i], index);
        if (!status[i])
            context_wait_for_room(member->context, index);
        member->accepted = !status[i];
    }
}

/* All at once, so that workers find them together. */
static void submit_pairs(VmafGroup *group, const VmafPicture *ref, VmafPicture dist[],
                         unsigned index)
{
    unsigned n_accepted = 0;
    for (unsigned i = 0; i < group->n_members; i++)
        n_accepted += group->members[i].accepted;
    PictureAttachment *upload = n_accepted > 1 ? shared_upload_create(group->uploads) : NULL;
    cpu_pool_hold(group->workers);
    for (unsigned i = 0; i < group->n_members; i++) {
        VmafContext *context = group->members[i].context;
        TRACE_CALL(context->trace, "submit", TRACE_INDEX(index));
        if (group->members[i].accepted)
            context_submit(context, ref, &dist[i], index, upload);
    }
    cpu_pool_resume(group->workers);
    picture_attachment_unref(upload);
}

/* Computes what no backend does, where there are no threads. */
static void serve(const VmafGroup *group)
{
    VmafContext *last = NULL;
    RequestMask taken = {{0}};
    for (unsigned i = 0; i < group->n_members; i++) {
        if (!group->members[i].accepted)
            continue;
        last = group->members[i].context;
        taken = backend_manager_takes(last->manager);
        cpu_client_leave_alone(last->cpu, &taken);
    }
    if (last)
        cpu_client_run(last->cpu, &taken);
}

int group_read(VmafGroup *group, VmafPicture *ref, VmafPicture dist[], int status[], unsigned index)
{
    if (group->process != vmaf_process_id())
        return -ENODEV;
    group->started = true;
    accept_pairs(group, ref, dist, status, index);
    submit_pairs(group, ref, dist, index);
    if (!group->n_threads)
        serve(group);
    for (unsigned i = 0; i < group->n_members; i++) {
        const GroupMember *member = &group->members[i];
        if (!member->accepted)
            continue;
        /* The frame is done by now; its failure leaves the picture to the caller. */
        if (!group->n_threads)
            status[i] = atomic_load(&member->context->error);
        if (!status[i])
            picture_unref(&dist[i]);
    }
    picture_unref(ref);
    return 0;
}

void group_keep(VmafContext *context)
{
    VmafGroup *group = context->group;
    for (unsigned i = 0; i < group->n_members; i++) {
        if (group->members[i].context == context)
            group->members[i].closed = true;
    }
    context_end_reading(context);
}

void group_destroy(VmafGroup *group)
{
    if (group->process != vmaf_process_id())
        return;
    for (unsigned i = 0; i < group->n_members; i++)
        context_wait(group->members[i].context);
    cpu_pool_release(group->workers);
    for (unsigned i = 0; i < group->n_members; i++) {
        VmafContext *context = group->members[i].context;
        context->group = NULL;
        if (group->members[i].closed)
            context_destroy(context);
    }
    shared_uploads_unref(group->uploads);
    free(group->members);
    free(group);
}
