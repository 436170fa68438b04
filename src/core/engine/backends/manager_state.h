/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_BACKENDS_MANAGER_STATE_H
#define CORE_ENGINE_BACKENDS_MANAGER_STATE_H

/*
 * The state behind backend_manager.h, for the files that share it.
 *
 * One thread, the supervisor, brings a backend up, watches over its executor, and retires it when
 * it fails or the manager is closed. While it brings a backend up it may hang in a driver: then it
 * is left behind with a reference to the manager, and touches nothing else of the run.
 */

#include "backend/selection.h"
#include "engine/backends/backend_manager.h"
#include "engine/executors/backend_executor.h"
#include "platform/thread.h"
#include "report/report.h"

typedef struct ManagerText {
    struct ManagerText *next;
    char text[];
} ManagerText;

/* Frames that a backend has scored. */
typedef struct BackendTally {
    const char *backend;
    uint64_t frames;
} BackendTally;

typedef struct ManagerEvent {
    ReportBackendEvent event;
    unsigned pictures_kept;
} ManagerEvent;

/* Where a request is computed, by the last backend that was active. */
typedef struct ManagerPlacement {
    BackendCoverage coverage;
    const char *backend;  /* NULL: none was active */
    const char *computed; /* by this backend for at least one frame; NULL: by the CPU alone */
} ManagerPlacement;

enum { FAILED_DEVICES_MAX = 8 };

struct BackendManager {
    atomic_uint references; /* of the owner, and of the supervisor */
    VmafMutex lock;
    VmafCondition changed;
    Logger logger;
    TraceContext *trace; /* for the supervisor */
    bool masked;         /* gpumask: only what is pinned may go to a backend */

    /* The choice, by the caller's thread, before the first pair. */
    bool asked;            /* by vmaf_backend_select */
    const char *chosen;    /* "cpu", "auto", a backend; NULL: nothing */
    bool choice_failed;    /* what vmaf_backend_select was asked for last is not there */
    BackendDevice *device; /* of a backend that was chosen by name */
    int device_wanted;     /* -1: any */
    VmafBackendTuning tuning;
    unsigned opening_limit; /* ms, for a session */
    SelectionHint *hints;
    unsigned n_hints;
    SharedUploads *uploads; /* NULL: the context is in no group */
    atomic_int engaged_by;  /* process that has opened a device, or is about to; 0: none */

    /* From the first pair on. */
    Workload *workload;
    ManagerPlacement *placements; /* by request */
    BackendSession *session; /* of a backend chosen by name, until its executor takes it over */

    /* The run; not touched while a backend is brought up. */
    FrameQueue *queue;
    const WorkList *work;
    CpuExecutor *cpu;
    unsigned queue_base; /* frames in work without a backend */
    unsigned n_threads;  /* workers; 0: the caller works */

    bool supervised; /* the supervisor was started */
    bool attached;   /* it may use what belongs to the run */
    bool finished;   /* it will touch nothing any more */
    bool closing;
    BackendExecutor *executor;
    BackendDevice *active_device; /* of "auto" */
    /* Hardware that has failed or has no memory left: "auto" does not try it with another backend.
     * Of the supervisor. */
    BackendDeviceDescription failed_devices[FAILED_DEVICES_MAX];
    unsigned n_failed_devices;
    RequestMask taken;          /* requests that an active backend computes */
    SpotCheck *spot_check;      /* from the first active backend on; NULL: there are none */
    unsigned spot_every;        /* spot_schedule.h; of the first active backend on */
    atomic_bool scores_invalid; /* a check has found wrong records */
    atomic_int *run_error;      /* of the owner: ends the run */

    VmafBackendStatus status; /* struct_size aside */
    BackendTally *tallies;
    unsigned n_tallies;
    uint64_t frames_by_cpu;
    ManagerEvent *events;
    unsigned n_events;
    ManagerText *texts;
};

/* A copy that lives as long as the manager; NULL for an empty text and for lack of memory. Locked.
 */
const char *manager_text(BackendManager *manager, const char *text);
void manager_unref(BackendManager *manager);

/* A backend was chosen by name. */
static inline bool manager_is_strict(const BackendManager *manager)
{
    return manager->device != NULL;
}

/* What was said of a backend, made if there is nothing; NULL for lack of memory. Locked. */
SelectionHint *manager_hint(BackendManager *manager, const char *name);
/* Chooses a backend for a feature that is pinned to it, unless another one is chosen: 0 or -ENODEV.
 * The second takes that back. Locked. */
int manager_choose_pinned(BackendManager *manager, const char *name);
void manager_unchoose(BackendManager *manager);
/* If nothing is chosen, what VMAF_BACKEND says: 0 or -ENODEV, logged. Locked. */
int manager_choose_by_environment(BackendManager *manager);

/* Notes in the status that a backend is not there. Locked. */
void manager_note_availability(BackendManager *manager, const char *name,
                               const BackendAvailability *availability);
/* Says which features that it should have computed a backend has got wrong. */
void manager_warn_of_self_test(const BackendManager *manager, const char *backend,
                               const BackendCoverage coverage[]);

/* Makes a backend the one that requests are placed by. Locked. */
void manager_place(BackendManager *manager, const char *backend, const BackendCoverage coverage[]);
/* Notes that no device is open any more, nor being opened. Locked. */
void manager_disengage(BackendManager *manager);

/* manager_spot_check.c: lets frames of a backend be checked, if that is wanted. 0, -ENOMEM. Locked.
 */
int manager_begin_checks(BackendManager *manager);

/* Notes the loss of a backend for reports. Locked. */
void manager_record_event(BackendManager *manager, const char *backend,
                          const BackendFailure *failure);

/* Remembers hardware that "auto" is to leave alone; NULL allowed. By the supervisor. */
void manager_avoid_device(BackendManager *manager, const BackendDevice *device);

/* Body of the supervisor. */
void *manager_supervise(void *manager);

/* An opened device and session, as a candidate of "auto" that works. */
typedef struct BroughtUp {
    BackendDevice *device;
    BackendSession *session;
    BackendCoverage *coverage;
} BroughtUp;

/* Chooses among the candidates of "auto" and opens a session. False if there is none; then
 * everything is NULL. May take long. Not locked. */
bool manager_bring_up(BackendManager *manager, BroughtUp *result);
void brought_up_discard(BroughtUp *result);

#endif
