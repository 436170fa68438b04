/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_BACKEND_ENGINE_HARNESS_H
#define TESTS_BACKEND_ENGINE_HARNESS_H

/* Runs over a made-up clip with the fake backends, through the public interface. */

#include <stdbool.h>
#include <stddef.h>

#include "backend/engine/fake.h"
#include "libvmaf/libvmaf_ext.h"

/* Sanitizers make the self-test of each run slow. Of 16 combinations of four choices they take these:
 * none, all, and each half. */
#ifdef VMAF_SANITIZED
enum { COMBINATION_STEP = 5 };
#else
enum { COMBINATION_STEP = 1 };
#endif

enum { CLIP_WIDTH = 96, CLIP_HEIGHT = 64, CLIP_MAX_FRAMES = 512, CLIP_KEYS = 9 };

/* Keys of all features of a clip: psnr, motion, and vif, which the fake backends do not compute. */
extern const char *const clip_keys[CLIP_KEYS];

typedef struct Clip {
    const char *backend;           /* for vmaf_backend_select; NULL: nothing */
    bool all_devices;              /* of that backend */
    const char *const *considered; /* for vmaf_backend_consider; ends with NULL; or NULL */
    unsigned n_frames, n_threads, n_subsample;
    unsigned join_after, in_flight, time_limit; /* 0: 1, 4, 10000 */
    bool by_time;                               /* join_after 0: by the time that is left */
    unsigned spot_check;                        /* as in VmafBackendTuning */
    bool close_at_once;                         /* no flush, no questions */
    unsigned n_pictures;                        /* of the pool; 0: no pool */
    unsigned wait_for;       /* so many devices are active before the second frame; 0: not needed */
    bool wait_until_started; /* before the second frame: "auto" brings up no further device */
    unsigned wait_at; /* before this frame waits until a backend is active or none is left; 0: no */
    bool never_starts; /* a backend hangs while it is brought up */
    bool backwards;    /* indices fall */
    bool live;         /* asks for psnr_y of each frame after it was read */
    bool five_frames;  /* option of motion */
    bool no_vif;
    unsigned gpumask;
    unsigned feed_us; /* pause after each frame */
} Clip;

typedef struct Outcome {
    int error;       /* the first */
    unsigned n_read; /* pairs that were taken */
    VmafBackendStatus status;
    char reason[256], device[64]; /* of the status, which ends with the context */
    unsigned n_events, event_frame, pictures_kept;
    int event_device;
    unsigned n_devices;
    VmafBackendDeviceUse devices[8]; /* without texts */
    char event_reason[256];
    double scores[CLIP_KEYS][CLIP_MAX_FRAMES];
    char report[256 * 1024]; /* JSON; empty if it was not written */
} Outcome;

/* A fake backend's settings, which are reset. */
FakeSettings *fake_reset(const char *name);
/* No session of it is open, and no device. */
void fake_expect_closed(const FakeSettings *settings);
/* What hangs in it goes on; waits until it does. */
void fake_release(FakeSettings *settings);

VmafContext *clip_open(const Clip *clip);
int clip_read(VmafContext *vmaf, const Clip *clip, unsigned position);
/* Waits until so many devices are active. */
void clip_wait_for_devices(VmafContext *vmaf, unsigned n);
/* Waits until no more will be brought up. */
void clip_wait_until_started(VmafContext *vmaf);
/* Waits until a backend is active, or will not be. */
enum VmafBackendPhase clip_wait(VmafContext *vmaf);
/* A picture in host memory with the content of a frame. */
VmafPicture clip_picture(unsigned frame, bool distorted);
/* After the last frame: flushes unless there was an error, asks for everything, and closes. */
void clip_end(VmafContext *vmaf, const Clip *clip, Outcome *outcome);
/* Everything, from vmaf_init to vmaf_close. */
void clip_run(const Clip *clip, Outcome *outcome);
/* The same; fails the test after an error, or if scores are not those of the CPU. */
void clip_run_true(const Clip *clip, Outcome *outcome);
/* All scores that the clip has, bit for bit; says what differs. */
bool clip_equal(const Clip *clip, const Outcome *a, const Outcome *b);
/* The scores of the CPU alone. */
const Outcome *clip_truth(const Clip *clip);
/* The report without what it says of backends and of time. */
void report_strip(char *report);

#endif
