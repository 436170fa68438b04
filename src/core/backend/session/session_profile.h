/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_SESSION_PROFILE_H
#define CORE_BACKEND_SESSION_SESSION_PROFILE_H

/*
 * What the device did for each frame, for traces and for programs that ask: asked of backends that
 * offer the extension of libvmaf/backend_profile.h, whichever they are.
 */

#include "backend/backend_device.h"

typedef struct SessionProfile SessionProfile;

/* To be called by the thread that opens the session. NULL: times are not wanted, or there is no
 * memory. */
SessionProfile *session_profile_create(const BackendDevice *device);
void session_profile_destroy(SessionProfile *profile); /* NULL allowed */
/* True if the backend of a device offers times at all. */
bool session_profile_is_offered(const BackendDevice *device);
/* To be called by the thread that collects, after each call, with its result. NULL allowed. */
void session_profile_note(SessionProfile *profile, const Plugin *plugin,
                          const VmafBackendSession *session, int32_t result);

#endif
