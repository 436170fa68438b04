/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_SESSION_STATE_H
#define CORE_BACKEND_SESSION_SESSION_STATE_H

/* An open session, for the session itself and for the self-test that precedes it. */

#include "backend/session/backend_plan.h"

/*
 * Opens a session of a plan, which it takes over on success only. Not limited in time. 0, or an
 * error with a reason.
 */
int session_start(BackendSession **session, BackendDevice *device, BackendPlan *plan, Reason *why);
/* Makes it one for backend_session_close: takes a reference to the workload. */
void session_keep(BackendSession *session, unsigned time_limit);
/* Cancels and closes it, waiting as long as it takes. */
void session_end(BackendSession *session);

#endif
