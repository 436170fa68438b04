/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_BACKEND_MANAGER_H
#define CORE_ENGINE_BACKEND_MANAGER_H

/*
 * The backends of a run: which one was chosen, where it stands, what it computes and what has
 * become of it. Structures are filled in completely (struct_size included); their texts live as
 * long as the manager. Unless it says otherwise, a function may be called by any thread.
 */

#include <stdatomic.h>

#include "backend/device.h"
#include "backend/session/session.h"
#include "engine/cpu_workers.h"
#include "report/report.h"

typedef struct BackendManager BackendManager;

/* Messages go where `logger` says, of which a copy is made. `masked`: only what is pinned may go to
 * a backend. `run_error` is set if scores turn out to be wrong. 0, -ENOMEM. */
int backend_manager_create(BackendManager **manager, const Logger *logger, bool masked,
                           atomic_int *run_error);
/* Ends everything that works for the run, within the time limit. */
void backend_manager_close(BackendManager *manager);
/* Drops a reference: the owner does after that, and when no frame is retired any more. */
void backend_manager_unref(BackendManager *manager);
/* A device was opened by the process that this one was forked from: the manager can only be left
 * alone. */
bool backend_manager_is_foreign(const BackendManager *manager);

/* ---- before the first pair, by the caller's thread: see the functions of libvmaf_ext.h ---- */

/* `name` is not NULL. The device is any (-1), all (-2), a number, or one that is described in full,
 * such as one that the application opened. */
int backend_manager_select(BackendManager *manager, const char *name,
                           const BackendDeviceRequest *request);
/* Considers a device of a backend, or excludes the backend. */
int backend_manager_hint(BackendManager *manager, const char *name, bool excluded, int device);
void backend_manager_tune(BackendManager *manager, const VmafBackendTuning *tuning);
/* References that others read, too, are uploaded there: takes a reference. */
void backend_manager_share_uploads(BackendManager *manager, SharedUploads *uploads);
/* Frames that a backend is asked to take at a time, as tuning sets it. */
void backend_manager_set_in_flight(BackendManager *manager, unsigned frames);

/* The name is that of an extractor pinned to a backend ("vif_<backend>"), or of a backend's own
 * feature ("<backend>_<feature>"), as far as can be known without a device. */
bool backend_manager_is_pinned_name(const char *name);
/*
 * Finds the extractor of such a feature; chooses the backend if none is chosen, which is noted in
 * `newly_chosen` and can be taken back. 0; or with a reason, and nothing chosen, -EINVAL if the
 * backend has no such feature, -ENODEV if it cannot be used or another one is chosen.
 */
int backend_manager_find_pinned(BackendManager *manager, const char *name,
                                const FeatureExtractor **extractor, bool *newly_chosen,
                                Reason *why);
void backend_manager_unchoose(BackendManager *manager);

/* ---- while it runs ---- */

/*
 * Before the queue is made: opens the session of a backend that was chosen by name, and notes which
 * requests are the CPU's. 0, or the error, logged.
 */
int backend_manager_start(BackendManager *manager, WorkList *work, unsigned cpu_flags,
                          RequestMask *for_cpu);
/* With queue and CPU workers in place: begins. `queue_base` is the frames that may be in work
 * without a backend. */
int backend_manager_join(BackendManager *manager, FrameQueue *queue, CpuClient *cpu,
                         unsigned queue_base, unsigned n_threads);
/* A further frame was submitted, the n-th: may begin to bring a backend up. */
void backend_manager_frame_submitted(BackendManager *manager, uint64_t n_frames);
/* Requests that an active backend computes, so that a thread that has better things to do leaves
 * them alone. */
RequestMask backend_manager_takes(BackendManager *manager);
/* It is a device of the backend that was chosen by name. */
bool backend_manager_has_device(const BackendManager *manager, const void *device);
/* A frame was retired. */
void backend_manager_count_frame(BackendManager *manager, const Frame *frame);
/* All frames are retired: waits for what is still found out about them, within limits. */
void backend_manager_settle(BackendManager *manager);
/* Records of a backend have turned out to be wrong, so that no score can be trusted. */
bool backend_manager_scores_invalid(const BackendManager *manager);

/* The device of a backend that was chosen by name, the first of several; NULL: there is none. */
BackendDevice *backend_manager_device(const BackendManager *manager);
/* Something about pictures on the device was rejected: the status has the reason. */
void backend_manager_note_reason(BackendManager *manager, const char *why);

/* ---- answers ---- */

void backend_manager_status(BackendManager *manager, VmafBackendStatus *status);
/* 0, -ENODEV in another process. */
int backend_manager_placement(BackendManager *manager, const FeatureInstance *instance,
                              VmafFeaturePlacement *placement);
/* 0; -ERANGE past the last one, -ENODEV in another process; both. */
int backend_manager_device_use(BackendManager *manager, unsigned index, VmafBackendDeviceUse *use);
int backend_manager_event(BackendManager *manager, unsigned index, VmafBackendEvent *event);
/* What computed the features; allocates `members` (free). 0, -ENOMEM. */
int backend_manager_report(BackendManager *manager, const FeatureSet *features, Report *report,
                           void **members);

#endif
