/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_BACKEND_ENGINE_FAKE_H
#define TESTS_BACKEND_ENGINE_FAKE_H

/*
 * A backend that computes psnr and motion exactly, and one score of its own, and goes wrong where a
 * test wants it to. Tests reach its settings through get_extension.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define FAKE_EXTENSION "fake_settings"

/* What the device says of each frame, if it says anything. */
enum { FAKE_UPLOAD_NS = 2000, FAKE_KERNEL_NS = 30000 };
#define FAKE_KERNEL "kernel \"a\\b\""

enum { FAKE_DEVICES_MAX = 4 };

typedef enum FakeFault {
    FAULT_NONE,
    FAULT_SUBMIT_LOST,
    FAULT_COLLECT_LOST,
    FAULT_COLLECT_OUT_OF_MEMORY,
    FAULT_COLLECT_FAILED,
    FAULT_STATUS,
    FAULT_OUT_OF_BOUNDS,
    FAULT_OUT_OF_ORDER,
    FAULT_TWICE, /* the frame before is answered again */
    FAULT_OVERWRITE,
    FAULT_NOTHING_OUTSTANDING,
    FAULT_NEVER, /* collect times out as it was told to */
    FAULT_HANG_SUBMIT,
    FAULT_HANG_COLLECT,
    FAULT_NEVER_AND_HANG_CLOSE,
    N_FAULTS,
} FakeFault;

/* Frames are counted per session; those of the self-test do not count. */
typedef struct FakeSettings {
    int device_kind; /* VMAF_BACKEND_DEVICE_* */
    int plan_result, session_result;
    bool decline_motion, hang_open;
    bool wrong_psnr, wrong_motion_after_jump; /* always, so that the self-test sees it */
    /* Records that respect all bounds, from a frame on that comes after the self-test. */
    bool psnr_turns_wrong, motion_turns_wrong;
    unsigned wrong_from;
    unsigned right_requests; /* the first ones stay right */
    FakeFault fault;
    unsigned fault_frame;
    unsigned fault_session; /* only this one, from 1 on; 0: all */
    /* Of a backend with several devices, sets of them, from bit 0 on. */
    unsigned fault_devices;              /* those with the fault; 0: all */
    unsigned wrong_devices;              /* those whose records turn wrong; 0: all */
    unsigned decline_devices;            /* those that decline motion */
    unsigned dead_devices;               /* those that make no plan */
    unsigned frame_us[FAKE_DEVICES_MAX]; /* what a frame takes on each, one after the other */
    unsigned share[FAKE_DEVICES_MAX];    /* frames that each is given before others answer */
    unsigned slots;
    unsigned memory_for; /* so many frames in flight; 0: any number */
    bool batches;        /* begins when all slots are full, or at a flush */
    unsigned delay_us;   /* of each frame, when it is submitted */
    unsigned answer_us;  /* when it is collected */
    bool has_times;      /* offers those of backend_profile.h, FAKE_*_NS for each frame */
    atomic_bool release; /* what hangs goes on */
    /* Of backends that have buffers for uploads. */
    bool refuse_buffers, hang_upload, lose_device_in_upload;
    unsigned n_good_uploads; /* then they fail; 0: none does */
    /* What it has seen. */
    atomic_uint n_probes, n_opened, n_sessions, n_open_sessions, n_frames, n_contexts, n_flushes;
    atomic_uint n_frames_of[FAKE_DEVICES_MAX], n_sessions_of[FAKE_DEVICES_MAX];
    atomic_uint n_given_to[FAKE_DEVICES_MAX];
    atomic_uint most_in_flight, n_devices_open, n_refused;
    atomic_uint n_uploads, n_planes_uploaded, n_buffers, n_buffers_made;
    atomic_uint n_buffers_misused; /* filled or released while they were still to be read */
    atomic_uint n_refs_on_host, n_refs_uploaded; /* of frames that were handed over */
    atomic_uint n_hanging;
    atomic_bool profiled; /* the last device was opened with the flag PROFILING */
} FakeSettings;

#endif
