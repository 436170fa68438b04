/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_GROUP_H
#define CORE_ENGINE_GROUP_H

/*
 * Contexts that score distorted videos of the same reference together. Each keeps all that it has
 * alone: queue, backend, scores, errors. They share the workers of the CPU, which find the same
 * work on the same reference (cpu_team.h), and what is uploaded of it to a device that several of
 * them use (shared_upload.h).
 */

#include "engine/context.h"

typedef struct VmafGroup VmafGroup;

/* See libvmaf_ext.h. */
int group_create(VmafGroup **group, unsigned n_threads);
int group_add(VmafGroup *group, VmafContext *context);
int group_read(VmafGroup *group, VmafPicture *ref, VmafPicture dist[], int status[],
               unsigned index);
void group_destroy(VmafGroup *group);

/* A member is closed. True: the group still needs its memory, and ends it when it is closed
 * itself. */
bool group_keeps(VmafContext *context);

#endif
