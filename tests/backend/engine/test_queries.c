/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Threads that ask a context while another one reads pictures. What is wrong with that, the thread
 * sanitizer sees. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backend/engine/harness.h"
#include "support/cases.h"

enum { N_FRAMES = 120, N_ASKERS = 2 };

static Outcome truth;

typedef struct Asker {
    pthread_t thread;
    VmafContext *vmaf;
    atomic_bool *done;
    unsigned seed, n_known, n_wrong;
} Asker;

static void ask_for_scores(Asker *asker)
{
    const unsigned k = rand_r(&asker->seed) % 6, i = rand_r(&asker->seed) % (N_FRAMES + 5);
    double score;
    if (!vmaf_feature_score_at_index(asker->vmaf, clip_keys[k], &score, i)) {
        asker->n_known++;
        asker->n_wrong += i >= N_FRAMES || score != truth.scores[k][i];
    }
    if (!vmaf_feature_score_pooled(asker->vmaf, "psnr_y", VMAF_POOL_METHOD_MIN, &score, i, i))
        asker->n_wrong += i >= N_FRAMES || score != truth.scores[0][i];
}

static void ask_about_backends(Asker *asker)
{
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    VmafFeaturePlacement placement = {.struct_size = sizeof(placement)};
    VmafBackendEvent event = {.struct_size = sizeof(event)};
    unsigned planes;
    asker->n_wrong += vmaf_backend_status(asker->vmaf, &status) != 0 || status.spot_check_failed;
    asker->n_wrong += vmaf_feature_placement(asker->vmaf, 0, &placement) != 0;
    asker->n_wrong += vmaf_backend_event(asker->vmaf, 0, &event) != -ERANGE;
    asker->n_wrong += vmaf_planes_needed(asker->vmaf, VMAF_PIX_FMT_YUV420P, &planes) != 0;
}

static void *ask(void *argument)
{
    Asker *asker = argument;
    for (unsigned n = 0; !atomic_load(asker->done); n++) {
        ask_for_scores(asker);
        ask_about_backends(asker);
        if (n % 16 == 0)
            asker->n_wrong +=
                vmaf_write_output(asker->vmaf, "/dev/null", VMAF_OUTPUT_FORMAT_JSON) != 0;
    }
    return NULL;
}

static void score(const Clip *clip)
{
    fake_reset("fakeone");
    VmafContext *vmaf = clip_open(clip);
    atomic_bool done = false;
    Asker askers[N_ASKERS];
    for (unsigned a = 0; a < N_ASKERS; a++) {
        askers[a] = (Asker){.vmaf = vmaf, .done = &done, .seed = a};
        assert_int_equal(pthread_create(&askers[a].thread, NULL, ask, &askers[a]), 0);
    }
    int err = 0;
    for (unsigned i = 0; i < N_FRAMES && !err; i++)
        err = clip_read(vmaf, clip, i);
    if (!err)
        err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
    double last;
    if (!err)
        err = vmaf_feature_score_at_index(vmaf, "psnr_y", &last, N_FRAMES - 1);
    atomic_store(&done, true);
    for (unsigned a = 0; a < N_ASKERS; a++) {
        pthread_join(askers[a].thread, NULL);
        assert_int_equal(askers[a].n_wrong, 0);
    }
    assert_int_equal(err, 0);
    assert_true(last == truth.scores[0][N_FRAMES - 1]);
    assert_int_equal(vmaf_close(vmaf), 0);
}

CASE(given_threads_that_ask_then_answers_are_right_and_nothing_races)
{
    static const char *const choices[] = {"cpu", "auto", "fakeone"};
    for (unsigned n_threads = 0; n_threads < 3; n_threads += 2) {
        for (size_t c = 0; c < sizeof(choices) / sizeof(choices[0]); c++) {
            const Clip clip = {.backend = choices[c],
                               .n_frames = N_FRAMES,
                               .n_threads = n_threads,
                               .no_vif = true,
                               .spot_check = n_threads ? 1 : 0};
            truth = *clip_truth(&clip);
            score(&clip);
        }
    }
}
