/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef EXAMPLE_H
#define EXAMPLE_H

/*
 * A complete backend for libvmaf in three files: backend.c describes the backend and negotiates
 * with the host, session.c moves frames, metrics.c does the arithmetic. Its device is a few
 * threads.
 */

#include <stdbool.h>

#include <libvmaf/backend.h>
#include <libvmaf/backend_records.h>

/* ---- metrics.c ---- */

/* One plane of a picture in memory: bytes, or 16-bit words of any alignment where `deep`. */
typedef struct Plane {
    const uint8_t *data;
    int64_t stride; /* bytes, may be negative */
    uint32_t w, h;  /* samples */
    bool deep;
} Plane;

uint64_t sum_of_squared_differences(const Plane *a, const Plane *b);
uint64_t sum_of_absolute_differences(const Plane *a, const Plane *b);

/* The filter of motion reads MOTION_RADIUS samples to every side. `row` of motion_sad has to hold
 * width + 2 * MOTION_RADIUS values, and pictures are at least MOTION_MIN_SIZE wide and high. */
enum { MOTION_RADIUS = 2, MOTION_MIN_SIZE = 3, MOTION_MAX_LAG = 2 };
uint64_t motion_sad(const Plane *earlier, const Plane *current, uint32_t depth, int32_t *row);

/* ---- backend.c ---- */

typedef enum Metric { METRIC_PSNR, METRIC_MOTION, METRIC_MEAN_ABS_DIFFERENCE, N_METRICS } Metric;

/* A request of the host, interpreted. */
typedef struct Request {
    bool accepted;
    Metric metric;
    uint32_t planes; /* set of VMAF_BACKEND_PLANE_* that it reads */
    uint32_t lag;    /* motion: compares with the picture so many frames back; 0: reads nothing */
    const char *why; /* why it was declined; NULL: it was accepted */
} Request;

struct VmafBackendDevice {
    const VmafBackendHost *host;
};

struct VmafBackendPlan {
    uint32_t width, height, depth, pixel_format;
    uint32_t planes; /* set of the planes that any request reads */
    uint32_t slots;
    uint32_t lag; /* the largest lag of all requests */
    uint32_t n_requests;
    Request requests[];
};

/* Size of plane 0, 1 or 2: chroma rounds down where it is subsampled. */
uint32_t plane_width(const VmafBackendPlan *plan, unsigned plane);
uint32_t plane_height(const VmafBackendPlan *plan, unsigned plane);

size_t record_size(Metric metric);

/* Fills in a readable reason; `why` may be NULL. */
void explain(VmafBackendReason *why, const char *text);

/* ---- session.c: the functions of the same names in VmafBackend ---- */

int32_t session_open(VmafBackendPlan *plan, VmafBackendSession **session, VmafBackendReason *why);
void session_close(VmafBackendSession *session);
int32_t session_reset(VmafBackendSession *session);
int32_t session_submit(VmafBackendSession *session, const VmafBackendFrame *frame);
int32_t session_collect(VmafBackendSession *session, uint32_t timeout_ms,
                        VmafBackendResult *result);
int32_t session_flush(VmafBackendSession *session);
void session_cancel(VmafBackendSession *session);
const char *session_last_error(const VmafBackendSession *session);

#endif
