/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/engine/harness.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libvmaf/backend.h"
#include "support/cases.h"

const char *const clip_keys[CLIP_KEYS] = {
    "psnr_y",
    "psnr_cb",
    "psnr_cr",
    "VMAF_integer_feature_motion_sad_score",
    "VMAF_integer_feature_motion2_score",
    "VMAF_integer_feature_motion3_score",
    "VMAF_integer_feature_vif_scale0_score",
    "VMAF_integer_feature_vif_scale2_score",
    "VMAF_integer_feature_vif_scale3_score",
};

static void require(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "the test itself fails: %s\n", what);
    abort();
}

FakeSettings *fake_reset(const char *name)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/libvmaf-backend-%s.so", getenv("VMAF_BACKEND_PATH"), name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    require(library != NULL, path);
    VmafBackendEntry entry;
    *(void **)&entry = dlsym(library, VMAF_BACKEND_ENTRY_SYMBOL);
    require(entry != NULL, "entry");
    FakeSettings *settings = (FakeSettings *)entry()->get_extension(FAKE_EXTENSION, 1);
    unsigned sessions = atomic_load(&settings->n_open_sessions);
    unsigned devices = atomic_load(&settings->n_devices_open);
    unsigned buffers = atomic_load(&settings->n_buffers);
    memset(settings, 0, sizeof(*settings));
    settings->device_kind = VMAF_BACKEND_DEVICE_DISCRETE;
    settings->slots = 4;
    atomic_store(&settings->n_open_sessions, sessions);
    atomic_store(&settings->n_devices_open, devices);
    atomic_store(&settings->n_buffers, buffers);
    return settings;
}

void fake_expect_closed(const FakeSettings *settings)
{
    assert_int_equal(atomic_load(&settings->n_open_sessions), 0);
    assert_int_equal(atomic_load(&settings->n_devices_open), 0);
}

void fake_release(FakeSettings *settings)
{
    atomic_store(&settings->release, true);
    while (atomic_load(&settings->n_hanging))
        usleep(1000);
}

static void draw(VmafPicture *pic, unsigned frame, bool distorted)
{
    for (unsigned p = 0; p < 3; p++) {
        for (unsigned y = 0; y < pic->h[p]; y++) {
            uint8_t *row = (uint8_t *)pic->data[p] + (ptrdiff_t)y * pic->stride[p];
            for (unsigned x = 0; x < pic->w[p]; x++) {
                uint32_t h = x * 374761393u + y * 668265263u + frame * 2246822519u + p * 97u;
                h = (h ^ h >> 13) * 1274126177u;
                unsigned v = (x * (3 + frame % 5) + y * 2 + frame * 3 + (h >> 28)) & 255;
                row[x] = (uint8_t)(distorted ? (v & 0xf8) | (frame & 3) : v);
            }
        }
    }
}

VmafPicture clip_picture(unsigned frame, bool distorted)
{
    VmafPicture pic;
    require(!vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 8, CLIP_WIDTH, CLIP_HEIGHT), "picture");
    draw(&pic, frame, distorted);
    return pic;
}

static void pair(VmafContext *vmaf, const Clip *clip, unsigned frame, VmafPicture pics[2])
{
    for (int i = 0; i < 2; i++) {
        int err = clip->n_pictures ? vmaf_fetch_preallocated_picture(vmaf, &pics[i])
                                   : vmaf_picture_alloc(&pics[i], VMAF_PIX_FMT_YUV420P, 8,
                                                        CLIP_WIDTH, CLIP_HEIGHT);
        require(!err, "picture");
        draw(&pics[i], frame, i == 1);
    }
}

static unsigned index_of(const Clip *clip, unsigned position)
{
    return clip->backwards ? clip->n_frames - 1 - position : position;
}

static void use(VmafContext *vmaf, const char *feature, const char *option, const char *value)
{
    VmafFeatureDictionary *dict = NULL;
    if (option)
        require(!vmaf_feature_dictionary_set(&dict, option, value), "option");
    require(!vmaf_use_feature(vmaf, feature, dict), feature);
}

VmafContext *clip_open(const Clip *clip)
{
    VmafContext *vmaf;
    VmafConfiguration cfg = {
        .log_level = getenv("VMAF_TEST_LOG") ? VMAF_LOG_LEVEL_DEBUG : VMAF_LOG_LEVEL_NONE,
        .n_threads = clip->n_threads,
        .n_subsample = clip->n_subsample,
        .gpumask = clip->gpumask,
    };
    const VmafBackendTuning tuning = {
        .struct_size = sizeof(tuning),
        .join_after = clip->by_time || clip->join_after ? clip->join_after : 1,
        .frames_in_flight = clip->in_flight,
        .time_limit = clip->time_limit,
        .spot_check = clip->spot_check,
    };
    require(!vmaf_init(&vmaf, cfg), "vmaf_init");
    require(!vmaf_backend_tune(vmaf, &tuning), "tune");
    for (int i = 0; clip->considered && clip->considered[i]; i++)
        require(!vmaf_backend_consider(vmaf, clip->considered[i], -1), "consider");
    if (clip->backend)
        require(!vmaf_backend_select(vmaf, clip->backend, clip->all_devices ? -2 : -1),
                clip->backend);
    if (clip->n_pictures) {
        VmafPictureConfiguration pool = {.pic_cnt = clip->n_pictures};
        pool.pic_params.w = CLIP_WIDTH;
        pool.pic_params.h = CLIP_HEIGHT;
        pool.pic_params.bpc = 8;
        pool.pic_params.pix_fmt = VMAF_PIX_FMT_YUV420P;
        require(!vmaf_preallocate_pictures(vmaf, pool), "pool");
    }
    use(vmaf, "psnr", NULL, NULL);
    use(vmaf, "motion", clip->five_frames ? "motion_five_frame_window" : NULL, "true");
    if (!clip->no_vif)
        use(vmaf, "vif", NULL, NULL);
    return vmaf;
}

int clip_read(VmafContext *vmaf, const Clip *clip, unsigned position)
{
    VmafPicture pics[2];
    pair(vmaf, clip, position, pics);
    int err = vmaf_read_pictures(vmaf, &pics[0], &pics[1], index_of(clip, position));
    if (err) {
        vmaf_picture_unref(&pics[0]);
        vmaf_picture_unref(&pics[1]);
    }
    return err;
}

static VmafBackendStatus status_of(VmafContext *vmaf)
{
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    require(!vmaf_backend_status(vmaf, &status), "status");
    return status;
}

enum VmafBackendPhase clip_wait(VmafContext *vmaf)
{
    for (;; usleep(1000)) {
        const VmafBackendStatus status = status_of(vmaf);
        if (status.phase != VMAF_BACKEND_PHASE_STARTING &&
            status.phase != VMAF_BACKEND_PHASE_WAITING)
            return status.phase;
    }
}

void clip_wait_for_devices(VmafContext *vmaf, unsigned n)
{
    for (unsigned n_active = 0; n_active < n; usleep(1000)) {
        VmafBackendDeviceUse use = {.struct_size = sizeof(use)};
        n_active = 0;
        for (unsigned i = 0; !vmaf_backend_device_use(vmaf, i, &use); i++)
            n_active += use.phase == VMAF_BACKEND_PHASE_ACTIVE;
    }
}

void clip_wait_until_started(VmafContext *vmaf)
{
    while (status_of(vmaf).starting)
        usleep(1000);
}

static void read_report(VmafContext *vmaf, Outcome *outcome)
{
    char path[] = "/tmp/vmaf-engine-XXXXXX";
    int file = mkstemp(path);
    require(file >= 0, "mkstemp");
    close(file);
    if (!vmaf_write_output(vmaf, path, VMAF_OUTPUT_FORMAT_JSON)) {
        FILE *in = fopen(path, "r");
        size_t n = fread(outcome->report, 1, sizeof(outcome->report) - 1, in);
        outcome->report[n] = '\0';
        fclose(in);
    }
    unlink(path);
}

static void ask(VmafContext *vmaf, const Clip *clip, Outcome *outcome)
{
    for (unsigned k = 0; k < CLIP_KEYS; k++) {
        for (unsigned i = 0; i < clip->n_frames; i++) {
            outcome->scores[k][i] = -1;
            vmaf_feature_score_at_index(vmaf, clip_keys[k], &outcome->scores[k][i], i);
        }
    }
    VmafBackendEvent event = {.struct_size = sizeof(event)};
    while (!vmaf_backend_event(vmaf, outcome->n_events, &event)) {
        outcome->event_frame = event.frame;
        outcome->event_device = event.device_index;
        outcome->pictures_kept = event.pictures_kept;
        snprintf(outcome->event_reason, sizeof(outcome->event_reason), "%s", event.reason);
        outcome->n_events++;
    }
    VmafBackendDeviceUse use = {.struct_size = sizeof(use)};
    while (outcome->n_devices < 8 && !vmaf_backend_device_use(vmaf, outcome->n_devices, &use)) {
        use.backend = use.device = use.reason = NULL; /* which end with the context */
        outcome->devices[outcome->n_devices++] = use;
    }
    /* What comes after a backend that failed is looked for in the background. */
    outcome->status = status_of(vmaf);
    while (!clip->never_starts && outcome->status.phase == VMAF_BACKEND_PHASE_STARTING) {
        usleep(1000);
        outcome->status = status_of(vmaf);
    }
    snprintf(outcome->reason, sizeof(outcome->reason), "%s",
             outcome->status.reason ? outcome->status.reason : "");
    snprintf(outcome->device, sizeof(outcome->device), "%s",
             outcome->status.device ? outcome->status.device : "");
}

void clip_end(VmafContext *vmaf, const Clip *clip, Outcome *outcome)
{
    if (!outcome->error)
        outcome->error = vmaf_read_pictures(vmaf, NULL, NULL, 0);
    ask(vmaf, clip, outcome);
    read_report(vmaf, outcome);
    require(!vmaf_close(vmaf), "vmaf_close");
}

void clip_run(const Clip *clip, Outcome *outcome)
{
    memset(outcome, 0, sizeof(*outcome));
    VmafContext *vmaf = clip_open(clip);
    for (unsigned i = 0; i < clip->n_frames && !outcome->error; i++) {
        if (clip->wait_at && i == clip->wait_at)
            clip_wait(vmaf);
        if (clip->wait_for && i == 1)
            clip_wait_for_devices(vmaf, clip->wait_for);
        if (clip->wait_until_started && i == 1)
            clip_wait_until_started(vmaf);
        outcome->error = clip_read(vmaf, clip, i);
        outcome->n_read += !outcome->error;
        double score;
        if (clip->live && !outcome->error && i % (clip->n_subsample ? clip->n_subsample : 1) == 0)
            outcome->error = vmaf_feature_score_at_index(vmaf, "psnr_y", &score, index_of(clip, i));
        if (clip->feed_us)
            usleep(clip->feed_us);
    }
    if (clip->close_at_once) {
        require(!vmaf_close(vmaf), "vmaf_close");
        return;
    }
    clip_end(vmaf, clip, outcome);
}

void clip_run_true(const Clip *clip, Outcome *outcome)
{
    clip_run(clip, outcome);
    assert_int_equal(outcome->error, 0);
    assert_true(clip_equal(clip, outcome, clip_truth(clip)));
}

bool clip_equal(const Clip *clip, const Outcome *a, const Outcome *b)
{
    for (unsigned k = 0; k < CLIP_KEYS; k++) {
        for (unsigned i = 0; i < clip->n_frames; i++) {
            if (!memcmp(&a->scores[k][i], &b->scores[k][i], sizeof(double)))
                continue;
            fprintf(stderr, "%s of frame %u: %.17g and %.17g\n", clip_keys[k], i, a->scores[k][i],
                    b->scores[k][i]);
            return false;
        }
    }
    return true;
}

const Outcome *clip_truth(const Clip *clip)
{
    /* Scores of the CPU do not change, and tests ask for the same ones many times. */
    enum { REMEMBERED = 16 };
    static struct {
        Clip clip;
        Outcome *outcome;
    } known[REMEMBERED];
    static unsigned n_known;
    const Clip cpu = {
        .backend = "cpu",
        .n_frames = clip->n_frames,
        .n_subsample = clip->n_subsample,
        .backwards = clip->backwards,
        .five_frames = clip->five_frames,
        .no_vif = clip->no_vif,
    };
    for (unsigned i = 0; i < n_known && i < REMEMBERED; i++) {
        const Clip *other = &known[i].clip;
        if (other->n_frames == cpu.n_frames && other->n_subsample == cpu.n_subsample &&
            other->backwards == cpu.backwards && other->five_frames == cpu.five_frames &&
            other->no_vif == cpu.no_vif)
            return known[i].outcome;
    }
    const unsigned place = n_known++ % REMEMBERED;
    Outcome *truth = known[place].outcome ? known[place].outcome : malloc(sizeof(*truth));
    require(truth != NULL, "memory");
    clip_run(&cpu, truth);
    require(!truth->error, "a run of the CPU");
    known[place].clip = cpu;
    known[place].outcome = truth;
    return truth;
}

void report_strip(char *report)
{
    char *fps = strstr(report, "  \"fps\":"),
         *backends = strstr(report, ",\n  \"feature_backends\"");
    if (backends)
        strcpy(backends, "\n}\n");
    char *end = fps ? strchr(fps, '\n') : NULL;
    if (end)
        memmove(fps, end, strlen(end) + 1);
}
