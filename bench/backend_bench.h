/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_BACKEND_BENCH_H
#define BENCH_BACKEND_BENCH_H

/* The parts of vmaf-backend-bench. */

#include <jansson.h>
#include <libvmaf/backend.h>
#include <stdbool.h>
#include <stdio.h>

#include "bench.h"

/* ---- What the command line says ---- */

/* Tables, as bits of a set. */
enum {
    TABLE_LIBRARY = 1,
    TABLE_BACKEND = 2,
    TABLE_STAGES = 4,
    TABLE_OPENING = 8,
    TABLE_AUTO = 16,
    TABLE_SELF_TEST = 32,
};

/* Where pictures for the backend on its own are, as bits of a set. */
enum { SOURCE_HOST = 1, SOURCE_DEVICE = 2 };

/* What is computed. */
typedef struct BackendSubject {
    ArgumentList features, models;
    bool is_known; /* the features are those of the models */
} BackendSubject;

enum { SUBJECTS_MAX = 8 };

/* What the command line says. */
typedef struct BackendSettings {
    BackendSubject subjects[SUBJECTS_MAX];
    unsigned n_subjects;
    const BackendSubject *subject; /* that is being measured */
    const char *plugin, *size, *json, *operations;
    unsigned width, height, depth, frames, in_flight, threads, tables;
    int device;
    unsigned sources;
    bool from_device; /* that is being measured */
    double limit;     /* seconds for the frames of a result; 0: none */
    double clock;     /* of the device's units in Hz; 0: unknown */
} BackendSettings;

/* The name of what the models or features compute: "vmaf_v0.6.1 + vmaf_v0.6.1neg". */
const char *backend_settings_label(const ArgumentList *list, char *label, unsigned size);

/* Drives a plugin without the library: through backend.h, with frames from memory. */

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
    double limit;        /* seconds after which no more frames are submitted; 0: none */
    double *latency; /* NULL, or for each frame the seconds from its submission to its records */
    unsigned done;   /* out: frames that were run */
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

/* ---- Rows ---- */

/* What vmaf-backend-bench finds out, as lines of JSON (README.md lists their keys). */
typedef struct BackendRows {
    FILE *file; /* NULL: none are wanted */
    const BackendSettings *settings;
    const Drive *drive;
} BackendRows;

/* A line: its kind, the backend, the device and the pictures, and then these members, to which the
 * reference is taken over. */
void backend_row(const BackendRows *rows, const char *kind, json_t *members);

/* A span of time: on the clock, and of the processor for this process, in seconds. */
typedef struct BackendSpan {
    double wall, cpu;
} BackendSpan;
BackendSpan backend_span_begin(void);
BackendSpan backend_span_end(BackendSpan begin);
/* Prints a span, and returns the members of a line that say the same. */
json_t *backend_span_print(const char *what, BackendSpan span, unsigned frames);

/* ---- Tables ---- */

/* Each prints what it finds and adds it to the rows. 0; -1 with a
 * message on stderr. */

/* Frames per second through the library: of the backend, or of the CPU alone and of "auto". */
int backend_library_speed(const BackendRows *rows, const BenchClips *clips);
int backend_library_auto(const BackendRows *rows, const BenchClips *clips);

/* The self-test of the library, for every feature of the backend. 1: it rejects some. */
int backend_library_self_test(const BackendRows *rows, const BenchClips *clips);

/* Frames per second of the backend on its own, and the latency of frames. */
int backend_direct_speed(const BackendRows *rows, const BenchClips *clips, Drive *drive);

/* What the device spends its time on. */
int backend_direct_stages(const BackendRows *rows, const BenchClips *clips, Drive *drive);

#endif
