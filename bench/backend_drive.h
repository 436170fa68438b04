/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_BACKEND_DRIVE_H
#define BENCH_BACKEND_DRIVE_H

/* Drives a plugin without the library: through backend.h, with frames from memory. */

#include <libvmaf/backend.h>
#include <stdbool.h>

#include "clips.h"

enum { DRIVE_MAX_FEATURES = 16, DRIVE_MAX_OPTIONS = 8 };

/* A feature with options. */
typedef struct DriveRequest {
    char text[128]; /* NAME=OPTION=VALUE:OPTION=VALUE, cut into its parts */
    VmafBackendRequest request;
    VmafBackendOption options[DRIVE_MAX_OPTIONS];
    const VmafBackendOption *list[DRIVE_MAX_OPTIONS];
} DriveRequest;

typedef struct Drive {
    void *library;
    const VmafBackend *backend;
    VmafBackendDeviceInfo info;
    VmafBackendDevice *device;
    VmafBackendPlan *plan;
    VmafBackendSession *session;
    VmafBackendPlanInfo plan_info;
    VmafBackendHost host;
    unsigned n_features;
    DriveRequest requests[DRIVE_MAX_FEATURES];
    void *records[DRIVE_MAX_FEATURES];
    bool accepted[DRIVE_MAX_FEATURES];
    double opening; /* seconds from the plan to the session: kernels are compiled */
    VmafBackendBuffer *pictures[2][BENCH_DISTINCT_FRAMES]; /* on the device, or NULL */
} Drive;

/* Frames to run. */
typedef struct DriveRun {
    unsigned first, end; /* numbers of the frames, without the last */
    double limit;        /* seconds after which no more frames are handed over; 0: none */
    double *latency;     /* NULL, or for each frame the seconds from handing over to its records */
    unsigned done;       /* out: frames that were run */
} DriveRun;

/* Loads the plugin. 0, or -1 with a message on stderr; then there is nothing to close. */
int drive_load(Drive *drive, const char *path);
/* Asks for the description of a device. 0, or -1 with a message. */
int drive_describe(Drive *drive, int device);
/* Opens a device and a session for these features, each NAME or NAME=OPTION=VALUE:OPTION=VALUE,
 * except those that are declined; n 0: all features of the backend. 0, or -1 with a message. */
int drive_open(Drive *drive, int device, bool profiling, const BenchClips *clips,
               unsigned in_flight, const char *const features[], unsigned n);
/* Copies the pictures to memory of the device, from which frames are then run. 0; 1 with the reason
 * if the backend does not offer it; or -1 with a message. */
int drive_upload(Drive *drive, const BenchClips *clips, char reason[VMAF_BACKEND_TEXT_SIZE]);
/* Runs frames. 0, or -1 with a message. */
int drive_run(Drive *drive, const BenchClips *clips, DriveRun *run);
/* Closes the session and the device. */
void drive_close(Drive *drive);

double drive_now(void); /* seconds */

#endif
