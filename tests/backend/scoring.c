/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/scoring.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backend/discovery/plugin_file.h"

enum { WAIT_STEP_US = 2000 };

/* Moving texture with noise; a distorted picture loses its low bits. Nothing depends on chance. */
static void fill(VmafPicture *pic, unsigned frame, bool distorted)
{
    for (unsigned p = 0; p < 3; p++) {
        for (unsigned y = 0; y < pic->h[p]; y++) {
            uint8_t *row = (uint8_t *)pic->data[p] + (ptrdiff_t)y * pic->stride[p];
            for (unsigned x = 0; x < pic->w[p]; x++) {
                uint32_t h = x * 374761393u + y * 668265263u + frame * 2246822519u + p * 97u;
                h = (h ^ h >> 13) * 1274126177u;
                h ^= h >> 16;
                const uint32_t largest = (1u << pic->bpc) - 1;
                uint32_t v = (3 * x + 5 * y + 11 * frame + 60 * p) << (pic->bpc - 8);
                v = (v & largest) ^ (h & (largest >> 4));
                if (distorted)
                    v &= ~(largest >> 5) | (frame % 3 ? 0 : 1);
                if (pic->bpc == 8)
                    row[x] = (uint8_t)v;
                else
                    ((uint16_t *)(void *)row)[x] = (uint16_t)v;
            }
        }
    }
}

static bool note(ScoringResult *result, int error, const char *what)
{
    if (error && !result->error) {
        result->error = error;
        result->failing = what;
    }
    return error != 0;
}

static VmafBackendStatus status_of(VmafContext *vmaf)
{
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    vmaf_backend_status(vmaf, &status);
    return status;
}

static bool use_features(const ScoringRun *run, VmafContext *vmaf, ScoringResult *result)
{
    for (unsigned i = 0; i < SCORING_MAX_FEATURES && run->features[i].name; i++) {
        const ScoringFeature *feature = &run->features[i];
        VmafFeatureDictionary *options = NULL;
        if (feature->option &&
            note(result, vmaf_feature_dictionary_set(&options, feature->option, feature->value),
                 "vmaf_feature_dictionary_set"))
            return false;
        if (run->method &&
            note(result,
                 vmaf_feature_dictionary_set(&options, "speed_prescale_method", run->method),
                 "vmaf_feature_dictionary_set"))
            return false;
        if (note(result, vmaf_use_feature(vmaf, feature->name, options), "vmaf_use_feature"))
            return false;
    }
    return true;
}

static void wait_for_backend(VmafContext *vmaf, ScoringResult *result)
{
    VmafBackendStatus status = status_of(vmaf);
    while (status.phase == VMAF_BACKEND_PHASE_WAITING ||
           status.phase == VMAF_BACKEND_PHASE_STARTING) {
        usleep(WAIT_STEP_US);
        status = status_of(vmaf);
    }
    result->was_active = status.phase == VMAF_BACKEND_PHASE_ACTIVE;
}

static bool read_frames(const ScoringRun *run, VmafContext *vmaf, ScoringResult *result)
{
    for (unsigned f = 0; f < run->n_frames; f++) {
        VmafPicture ref, dist;
        if (run->wait_at && f == run->wait_at)
            wait_for_backend(vmaf, result);
        if (run->pace && f > run->wait_at)
            usleep(run->pace);
        if (note(result,
                 vmaf_picture_alloc(&ref, run->pixel_format, run->depth, run->width, run->height),
                 "vmaf_picture_alloc"))
            return false;
        if (note(result,
                 vmaf_picture_alloc(&dist, run->pixel_format, run->depth, run->width, run->height),
                 "vmaf_picture_alloc")) {
            vmaf_picture_unref(&ref);
            return false;
        }
        fill(&ref, f, false);
        fill(&dist, f, true);
        if (note(result, vmaf_read_pictures(vmaf, &ref, &dist, f), "vmaf_read_pictures")) {
            vmaf_picture_unref(&ref);
            vmaf_picture_unref(&dist);
            return false;
        }
    }
    return !note(result, vmaf_read_pictures(vmaf, NULL, NULL, 0), "the flush");
}

static void inspect(const ScoringRun *run, VmafContext *vmaf, ScoringResult *result)
{
    const VmafBackendStatus status = status_of(vmaf);
    result->phase = status.phase;
    result->failing_frame = status.frame;
    snprintf(result->name, sizeof(result->name), "%s", status.name ? status.name : "");
    snprintf(result->reason, sizeof(result->reason), "%s", status.reason ? status.reason : "");
    VmafBackendEvent event = {.struct_size = sizeof(event)};
    while (!vmaf_backend_event(vmaf, result->n_events, &event)) {
        if (!result->n_events++)
            snprintf(result->event_reason, sizeof(result->event_reason), "%s", event.reason);
    }
    for (unsigned i = 0; i < SCORING_MAX_FEATURES && run->features[i].name; i++) {
        VmafFeaturePlacement placement = {.struct_size = sizeof(placement)};
        if (vmaf_feature_placement(vmaf, i, &placement))
            continue;
        result->placement[i] = placement.placement;
        result->on_backend[i] = placement.backend && strcmp(placement.backend, "cpu");
    }
}

void scoring_prepare(void)
{
    install_path_set_helper(HELPER);
}

void scoring_run(const ScoringRun *run, ScoringResult *result)
{
    *result = (ScoringResult){0};
    const VmafConfiguration configuration = {.log_level = VMAF_LOG_LEVEL_NONE,
                                             .n_threads = run->n_threads,
                                             .n_subsample =
                                                 run->n_subsample ? run->n_subsample : 1};
    scoring_prepare();
    VmafContext *vmaf = NULL;
    if (note(result, vmaf_init(&vmaf, configuration), "vmaf_init"))
        return;
    const VmafBackendTuning tuning = {.struct_size = sizeof(tuning),
                                      .join_after = run->join_after ? run->join_after : 32,
                                      .frames_in_flight = run->frames_in_flight,
                                      .time_limit = run->time_limit};
    note(result, vmaf_backend_tune(vmaf, &tuning), "vmaf_backend_tune");
    if (run->backend)
        note(result, vmaf_backend_select(vmaf, run->backend, -1), "vmaf_backend_select");
    if (!result->error && use_features(run, vmaf, result) && read_frames(run, vmaf, result)) {
        const unsigned step = configuration.n_subsample;
        for (unsigned k = 0; k < SCORING_MAX_KEYS && run->keys[k]; k++) {
            for (unsigned f = 0; f < run->n_frames; f += step)
                note(result,
                     vmaf_feature_score_at_index(vmaf, run->keys[k], &result->scores[k][f], f),
                     "vmaf_feature_score_at_index");
        }
    }
    inspect(run, vmaf, result);
    note(result, vmaf_close(vmaf), "vmaf_close");
}

bool scoring_equal(const ScoringRun *run, const ScoringResult *a, const ScoringResult *b)
{
    for (unsigned k = 0; k < SCORING_MAX_KEYS && run->keys[k]; k++) {
        for (unsigned f = 0; f < run->n_frames; f++) {
            if (memcmp(&a->scores[k][f], &b->scores[k][f], sizeof(double))) {
                fprintf(stderr, "%s of frame %u: %.17g and %.17g\n", run->keys[k], f,
                        a->scores[k][f], b->scores[k][f]);
                return false;
            }
        }
    }
    return true;
}
