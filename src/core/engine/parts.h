/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_PARTS_H
#define CORE_ENGINE_PARTS_H

/* Runs in parts: what a context hands out of its frames, and frames that come with their records.
 * See the functions of libvmaf_ext.h. */

#include "engine/context.h"

unsigned context_lead_in(const VmafContext *context);
int context_keep_records(VmafContext *context, RecordKeep keep, void *cookie, bool only);
int context_records_format(VmafContext *context, const PictureFormat *format);
int context_records_layout(VmafContext *context, char **json);
int context_read_records_from(VmafContext *context, const char *layout, char **missing);
/* `frame` has all members. */
int context_read_record(VmafContext *context, const VmafStoredFrame *frame);

#endif
