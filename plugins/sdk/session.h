/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_SESSION_H
#define VMAF_SDK_SESSION_H

#include <libvmaf/backend_profile.h>

#include "plan.h"

/* The functions of backend.h with the same names. The plan must outlive its sessions. */

int32_t vmaf_session_open(struct VmafBackendPlan *plan, struct VmafBackendSession **session,
                          VmafBackendReason *why);
void vmaf_session_close(struct VmafBackendSession *session);
int32_t vmaf_session_reset(struct VmafBackendSession *session);
int32_t vmaf_session_submit(struct VmafBackendSession *session, const VmafBackendFrame *frame);
int32_t vmaf_session_collect(struct VmafBackendSession *session, uint32_t timeout_ms,
                             VmafBackendResult *result);
int32_t vmaf_session_flush(struct VmafBackendSession *session);
void vmaf_session_cancel(struct VmafBackendSession *session);
VmafDevice *vmaf_session_device(const struct VmafBackendSession *session);
/* The function `entry` of VmafSdkProfile. */
int32_t vmaf_session_profile(const struct VmafBackendSession *session, uint32_t index,
                             VmafSdkProfileEntry *entry);

#endif
