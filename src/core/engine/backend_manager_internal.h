/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_BACKEND_MANAGER_INTERNAL_H
#define CORE_ENGINE_BACKEND_MANAGER_INTERNAL_H

/*
 * The state behind backend_manager.h, for the files that share it.
 *
 * Under "auto" one thread brings devices up, one after the other. While it does so it may hang in a
 * driver: then it is left behind with a reference to the manager, and touches nothing else of the
 * run. Each device that takes part has a thread that watches over its workers, and retires it when
 * it fails or the manager is closed.
 */

#include "backend/selection.h"
#include "engine/backend_manager.h"
#include "engine/device_workers.h"
#include "platform/thread.h"
#include "report/report.h"

typedef struct ManagerText {
    struct ManagerText *next;
    char text[];
} ManagerText;

/* A device that takes part in the run, or was chosen by name, or has taken part. Its place in the
 * list, and what does not change, may be used without the lock. */
typedef struct ManagerDevice {
    struct ManagerDevice *next; /* in the order in which they joined */
    BackendManager *manager;
    unsigned number;       /* from 0; that of the queue */
    BackendDevice *device; /* held; NULL after its end */
    const char *backend;   /* its name */
    const char *name;      /* of the device; NULL: one that the application opened */
    int index;             /* in the backend's enumeration, or -1 */
    /* What it computes, by request; NULL: it has no session, since there is nothing for it. */
    BackendCoverage *coverage;
    BackendSession *session; /* until its workers takes it over */
    DeviceWorkers *workers;
    enum VmafBackendPhase phase;
    RequestMask taken; /* requests that it computes */
    unsigned slots;
    bool reads_frame_memory;
    uint64_t frames;                 /* that it has computed */
    uint64_t computed[REQUESTS_MAX]; /* of them, those with this request */
    const char *reason;              /* of its failure, or NULL */
} ManagerDevice;

typedef struct ManagerEvent {
    ReportBackendEvent event;
    const ManagerDevice *device;
    unsigned pictures_kept;
} ManagerEvent;

/* Where a request is computed, by the backends that have been active. */
typedef struct ManagerPlacement {
    BackendCoverage coverage;
    const char *backend; /* NULL: none was active */
} ManagerPlacement;

enum { ANY_DEVICE = -1, ALL_DEVICES = -2, DESCRIBED_DEVICE = -3, AVOIDED_DEVICES_MAX = 128 };

struct BackendManager {
    atomic_uint references; /* of the owner, and of each thread */
    VmafMutex lock;
    VmafCondition changed;
    Logger logger;
    TraceContext *trace; /* for the threads */
    bool masked;         /* gpumask: only what is pinned may go to a backend */

    /* The choice, by the caller's thread, before the first pair. */
    bool asked;         /* by vmaf_backend_select */
    const char *chosen; /* "cpu", "auto", a backend; NULL: nothing */
    bool choice_failed; /* what vmaf_backend_select was asked for last is not there */
    bool strict;        /* a backend is chosen by name, and its devices are in the list */
    int device_wanted;  /* ANY_DEVICE and so on, or a number */
    VmafBackendTuning tuning;
    unsigned opening_limit; /* ms, for a session */
    SelectionHint *hints;
    unsigned n_hints;
    SharedUploads *uploads; /* NULL: the context is in no group */
    atomic_int engaged_by;  /* process that has opened a device, or is about to; 0: none */

    /* From the first pair on. */
    Workload *workload;
    ManagerPlacement *placements; /* by request */

    /* The run; not touched while a backend is brought up. */
    FrameQueue *queue;
    const WorkList *work;
    CpuClient *cpu;
    unsigned queue_base; /* frames in work without a backend */
    unsigned n_threads;  /* workers; 0: the caller works */

    ManagerDevice *devices;
    unsigned n_devices;
    unsigned n_watched; /* devices with a thread, which uses what belongs to the run */
    bool supervised;    /* the thread that brings devices up was started */
    bool finished;      /* it will touch nothing any more */
    bool closing;
    bool hangs; /* a call into a device has not returned in time */
    /* Hardware that is used, has failed, or has no memory left: "auto" does not try it with another
     * backend. */
    const BackendDeviceDescription *avoided[AVOIDED_DEVICES_MAX];
    unsigned n_avoided;
    SpotCheck *spot_check;      /* from the first active backend on; NULL: there are none */
    unsigned spot_every;        /* see SpotSchedule; of the first active backend on */
    atomic_bool scores_invalid; /* a check has found wrong records */
    atomic_int *run_error;      /* of the owner: ends the run */

    VmafBackendStatus status; /* struct_size aside */
    uint64_t frames_by_cpu;
    ManagerEvent *events;
    unsigned n_events;
    ManagerText *texts;
};

/* A copy that lives as long as the manager; NULL for an empty text and for lack of memory. Locked.
 */
const char *manager_text(BackendManager *manager, const char *text);

/* ---- devices ---- */

/* Adds a device, which is taken over. NULL for lack of memory, or of a number. Locked. */
ManagerDevice *manager_add_device(BackendManager *manager, BackendDevice *device);
/* The device of that number; NULL: there is none. Locked. */
ManagerDevice *manager_find_device(const BackendManager *manager, unsigned number);
/* Releases those that are held, with their sessions, and forgets them all. Locked, or alone. */
void manager_forget_devices(BackendManager *manager);
/* What active devices compute. Locked. */
RequestMask manager_taken(const BackendManager *manager);
unsigned manager_count_active(const BackendManager *manager);
/* Starts the workers of a device with a session, and the thread that watches over it. 0, -ENOMEM.
 * Locked. */
int manager_activate(ManagerDevice *device);

/* ---- the choice ---- */

/* Opens the sessions of the devices of a backend that was chosen by name, and notes which requests
 * are the CPU's. 0, or the error, logged. */
int manager_start_chosen(BackendManager *manager, WorkList *work, RequestMask *for_cpu);

/* If nothing is chosen, what VMAF_BACKEND says: 0 or -ENODEV, logged. Locked. */
int manager_choose_by_environment(BackendManager *manager);

/* The status reports that no backend is used, or that devices are still to be brought up. */
void manager_set_idle(BackendManager *manager, bool automatic);
/* Notes in the status that a backend is not there. Locked. */
void manager_note_availability(BackendManager *manager, const char *name,
                               const BackendAvailability *availability);
/* Opens a session on a device, which receives what it computes, of "auto" or of a backend that was
 * chosen by name. 0, or the error; -ENOTSUP if there is nothing for it to compute. */
int manager_open_session(const BackendManager *manager, BackendDevice *device, bool automatic,
                         BackendSession **session, BackendCoverage **coverage,
                         BackendAvailability *availability);
/* Says which features that it should have computed a backend has got wrong. */
void manager_warn_of_self_test(const BackendManager *manager, const char *backend,
                               const BackendCoverage coverage[]);

/* Notes what a backend computes that becomes active. Locked. */
void manager_place(BackendManager *manager, const char *backend, const BackendCoverage coverage[]);
/* Notes that no device is open any more, nor being opened, if that is so. Locked. */
void manager_disengage(BackendManager *manager);

/* Opens sessions on all devices of "auto" that work, and lets them take part. May take long; ends
 * early if the manager is closed. By its own thread, not locked. */
void manager_bring_up(BackendManager *manager);

#endif
