/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_SESSION_INTERNAL_H
#define CORE_BACKEND_SESSION_SESSION_INTERNAL_H

/* What opening a session consists of: a plan, the self-test, and the session itself. */

#include "backend/session/session.h"

/* A request that the backend has accepted. */
typedef struct PlannedRequest {
    unsigned request; /* of the workload; the backend knows it by its place in the plan */
    const PluginFeature *feature;
    bool accepted;
    size_t size; /* of the record that the backend writes */
    /* Scores: output of the extractor of each of them, -1: none. */
    int *outputs;
    unsigned n_outputs; /* of the extractor */
} PlannedRequest;

/* The requests of a workload that a backend takes over: those that it is asked for, and its
 * answers. */
typedef struct BackendPlan {
    const Plugin *plugin;
    const BackendDevice *device;
    Workload *workload;
    PictureFormat format;
    VmafBackendPlan *handle;
    unsigned slots;
    unsigned planes; /* PLANE_* */
    unsigned n_requests;
    PlannedRequest *requests;
} BackendPlan;

/*
 * Fills in the coverage from the plugin's description, without calling it: requests that are left
 * for the plugin have the placement VMAF_PLACEMENT_BACKEND.
 */
void backend_plan_screen(const Plugin *plugin, const BackendSessionParams *params,
                         BackendCoverage coverage[]);
/*
 * Asks the backend for what is left in the coverage, at the given format, and notes there what it
 * declines. 0, also if it declines all; else an error with an availability.
 */
int backend_plan_create(BackendPlan *plan, BackendDevice *device,
                        const BackendSessionParams *params, const PictureFormat *format,
                        BackendCoverage coverage[], BackendAvailability *availability);
void backend_plan_destroy(BackendPlan *plan);

/*
 * Opens a session of a plan, which it takes over on success only. Not limited in time. 0, or an
 * error with a reason.
 */
int session_start(BackendSession **session, BackendDevice *device, BackendPlan *plan, Reason *why);
/* Cancels and closes it, waiting as long as it takes. */
void session_end(BackendSession *session);

/*
 * Has built-in sequences accumulated by the backend and by the CPU, for each request that the
 * coverage accepts and promises to be exact, with the options, depth and format of the workload:
 * consecutive frames, a jump with context frames, several frames in flight, wide frames and high
 * ones. Requests whose records differ become VMAF_PLACEMENT_SELF_TEST. 0; or an error with an
 * availability if the backend could not do it at all.
 */
int self_test_run(BackendDevice *device, const BackendSessionParams *params,
                  BackendCoverage coverage[], BackendAvailability *availability);

/*
 * The pictures of the self-test: cells of different kinds, chosen for what arithmetic of metrics
 * can get wrong.
 *
 *   a moving slope under noise, of which the distorted picture is a coarser or a stronger version
 *   thin lines, and dots, on flat ground, whose height is a power of two times the ground's unit:
 *     they lead filters to results that lie exactly between two integers, from both sides, in the
 *     vertical pass, in the horizontal one, and in products
 *   checks and areas of the two extremes, opposite in both pictures: the largest sums
 *   noise over the whole range, unrelated in both pictures
 *   noise of a few steps, whose variance is about that which metrics take for flat
 *
 * Depends on the position only; every position differs from its neighbours.
 */
void test_pattern_draw(VmafPicture *ref, VmafPicture *dist, unsigned position);

/* Steps of a few codes at 10 bits, from black on: everything is flat but for their edges and for
 * single samples. Steps of the reference are wider. */
void test_pattern_draw_bands(VmafPicture *ref, VmafPicture *dist, unsigned position);

#endif
