/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_BACKENDS_BACKEND_MANAGER_H
#define CORE_ENGINE_BACKENDS_BACKEND_MANAGER_H

/*
 * The backends of a context: which one was chosen, where it stands, what it computes and what has
 * become of it. Structures are filled in completely (struct_size included); their texts are valid
 * until the context is closed.
 */

#include "backend/backend_device.h"
#include "engine/context.h"
#include "report/report.h"

typedef struct BackendManager BackendManager;

/* See vmaf_backend_select; `name` is not NULL, `device` -1 or more. */
int context_backend_select(VmafContext *context, const char *name, int device);
/* The same for a device that is described in full, such as one that the application opened. */
int context_backend_select_device(VmafContext *context, const char *name,
                                  const BackendDeviceRequest *request);
int context_backend_consider(VmafContext *context, const char *name, int device);
int context_backend_exclude(VmafContext *context, const char *name);
int context_backend_tune(VmafContext *context, const VmafBackendTuning *tuning);

void context_backend_status(VmafContext *context, VmafBackendStatus *status);
/* -ERANGE past the last one. */
int context_backend_placement(VmafContext *context, unsigned index,
                              VmafFeaturePlacement *placement);
int context_backend_event(VmafContext *context, unsigned index, VmafBackendEvent *event);

/*
 * For a name that is no extractor's: an extractor pinned to a backend ("vif_<backend>"), or a
 * backend's own feature ("<backend>_<feature>"); selects the backend if none is chosen. Returns 0;
 * -EINVAL if no such feature exists; -ENODEV if the backend cannot be used or another one is
 * chosen; all logged.
 */
int context_use_pinned(VmafContext *context, const char *name, const Dictionary *dict);

/* Frames that a backend is asked to take at a time, as vmaf_backend_tune sets it. */
void context_backend_set_in_flight(VmafContext *context, unsigned frames);

/* ---- for the context itself ---- */

/* `run_error` of the context is set if scores turn out to be wrong. */
int backend_manager_create(BackendManager **manager, const VmafConfiguration *cfg,
                           atomic_int *run_error);
/* Ends everything that works for the context, within the time limit. */
void backend_manager_close(BackendManager *manager);
/* After that, and when no frame is retired any more. */
void backend_manager_destroy(BackendManager *manager);
/* A backend was engaged by the process that this one was forked from: the manager can only be left
 * alone. */
bool backend_manager_is_foreign(const BackendManager *manager);

/*
 * Before the queue is made: opens the session of a backend that was chosen by name, and tells which
 * requests are the CPU's. 0, or the error, logged.
 */
int backend_manager_start(BackendManager *manager, WorkList *work, unsigned cpu_flags,
                          RequestMask *for_cpu);
/* With queue and CPU executor in place: begins. `queue_base` is the frames that may be in work
 * without a backend. */
int backend_manager_join(BackendManager *manager, FrameQueue *queue, CpuExecutor *cpu,
                         unsigned queue_base, unsigned n_threads);
/* A further frame was submitted, the n-th: may begin to bring a backend up. */
void backend_manager_frame_submitted(BackendManager *manager, uint64_t n_frames);
/* Requests that an active backend computes, so that a thread that has better things to do leaves
 * them alone. */
RequestMask backend_manager_takes(BackendManager *manager);
/* It is the device of the backend that was chosen by name. */
bool backend_manager_has_device(const BackendManager *manager, const void *device);
/* All frames are retired: waits for what is still found out about them, within limits. */
void backend_manager_settle(BackendManager *manager);
/* Records of a backend have turned out to be wrong, so that no score can be trusted. */
bool backend_manager_scores_invalid(const BackendManager *manager);
/* A frame was retired. */
void backend_manager_count_frame(BackendManager *manager, const Frame *frame);

/* Reports: what computed the features; allocates `members` (free). 0, -ENOMEM. */
int backend_manager_report(BackendManager *manager, const FeatureSet *features, Report *report,
                           void **members);

#endif
