/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_BACKEND_PLAN_H
#define CORE_BACKEND_SESSION_BACKEND_PLAN_H

/* The requests of a workload that a backend takes over: those that it is asked for, and its
 * answers. */

#include "backend/session/backend_session.h"

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

typedef struct BackendPlan {
    const Plugin *plugin;
    const BackendDevice *device;
    Workload *workload;
    PictureFormat format;
    VmafBackendPlan *handle;
    unsigned slots;
    unsigned planes; /* PLANE_* */
    unsigned n_requests, n_accepted;
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

#endif
