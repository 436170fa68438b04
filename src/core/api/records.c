/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Exported functions: runs in parts. */
#include <errno.h>

#include "api/export.h"
#include "engine/parts.h"
#include "libvmaf/libvmaf_ext.h"

VMAF_API int vmaf_lead_in(VmafContext *vmaf, unsigned *n_pairs)
{
    if (!vmaf || !n_pairs)
        return -EINVAL;
    *n_pairs = context_lead_in(vmaf);
    return 0;
}

VMAF_API int vmaf_read_context(VmafContext *vmaf, VmafPicture *ref, VmafPicture *dist)
{
    return vmaf && ref && dist ? context_read_context(vmaf, ref, dist) : -EINVAL;
}

VMAF_API int vmaf_keep_records(VmafContext *vmaf,
                               int (*keep)(void *cookie, const VmafStoredFrame *frame),
                               void *cookie, int only)
{
    return vmaf && keep ? context_keep_records(vmaf, keep, cookie, only != 0) : -EINVAL;
}

VMAF_API int vmaf_records_format(VmafContext *vmaf, enum VmafPixelFormat pix_fmt, unsigned bpc,
                                 unsigned w, unsigned h)
{
    PictureFormat format;
    if (!vmaf || picture_format_init(&format, pix_fmt, bpc, w, h))
        return -EINVAL;
    return context_records_format(vmaf, &format);
}

VMAF_API int vmaf_records_layout(VmafContext *vmaf, char **json)
{
    if (!vmaf || !json)
        return -EINVAL;
    *json = NULL;
    return context_records_layout(vmaf, json);
}

VMAF_API int vmaf_read_records_from(VmafContext *vmaf, const char *layout, char **missing)
{
    if (missing)
        *missing = NULL;
    return vmaf && layout ? context_read_records_from(vmaf, layout, missing) : -EINVAL;
}

VMAF_API int vmaf_read_record(VmafContext *vmaf, const VmafStoredFrame *frame)
{
    if (!vmaf || !frame || frame->struct_size < sizeof(*frame))
        return -EINVAL;
    return context_read_record(vmaf, frame);
}
