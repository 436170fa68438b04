/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Exported functions: groups of contexts. */
#include "engine/group.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "api/export.h"
#include "libvmaf/libvmaf_ext.h"

VMAF_API int vmaf_group_create(VmafGroup **group, const VmafGroupConfiguration *cfg)
{
    if (!group)
        return -EINVAL;
    *group = NULL;
    if (!cfg || cfg->struct_size < sizeof(VmafGroupConfiguration))
        return -EINVAL;
    return group_create(group, cfg->n_threads);
}

VMAF_API int vmaf_group_add(VmafGroup *group, VmafContext *vmaf)
{
    if (!group || !vmaf)
        return -EINVAL;
    return group_add(group, vmaf);
}

VMAF_API int vmaf_group_read_pictures(VmafGroup *group, VmafPicture *ref, VmafPicture *dist,
                                      int *status, unsigned index)
{
    if (!group || !ref || !ref->ref || !dist || !status)
        return -EINVAL;
    return group_read(group, ref, dist, status, index);
}

VMAF_API int vmaf_group_close(VmafGroup *group)
{
    if (!group)
        return -EINVAL;
    group_destroy(group);
    return 0;
}
