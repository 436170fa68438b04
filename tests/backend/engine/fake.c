/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/engine/fake_buffers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libvmaf/backend_profile.h"

#include "example.h" /* the arithmetic of the example backend */

enum { MAX_SLOTS = 64, SELF_TEST_WIDTH = 144 };
enum { FEATURE_PSNR, FEATURE_MOTION, FEATURE_LEVEL, N_FEATURES };

#ifndef FAKE_KIND
#define FAKE_KIND VMAF_BACKEND_DEVICE_DISCRETE
#endif
#ifndef FAKE_PCI
#define FAKE_PCI ""
#endif
#ifndef FAKE_DEVICES
#define FAKE_DEVICES 1
#endif
/* Of the first device's address, if there are several; the next have the next. */
#ifndef FAKE_BUS
#define FAKE_BUS 0
#endif
/* Whether devices say where they are. */
enum { FAKE_IS_PCI = FAKE_BUS != 0 ? 1 : sizeof(FAKE_PCI) > 1 };
#ifndef FAKE_UPLOADS
#define FAKE_UPLOADS 0 /* 1: has buffers for uploads */
#endif
#ifndef FAKE_BOUNDED
#define FAKE_BOUNDED 0 /* 1: psnr is only within a bound */
#endif

static FakeSettings settings = {.device_kind = FAKE_KIND, .slots = 4};

typedef struct FakeRequest {
    int feature;
    bool chroma, accepted;
    unsigned lag;
    double offset;
} FakeRequest;

typedef struct FakePlan {
    unsigned device;
    VmafBackendPlanParams params;
    FakeRequest requests[256];
} FakePlan;

typedef union FakeRecord {
    VmafRecordPsnr psnr;
    VmafRecordMotion motion;
    double level;
} FakeRecord;

typedef struct FakeAnswer {
    uint64_t sequence;
    FakeRecord records[8];
    int64_t ready_at;       /* microseconds */
    VmafBackendBuffer *ref; /* is not to change until it is collected; NULL: host memory */
} FakeAnswer;

typedef struct FakeSession {
    const FakePlan *plan;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    FakeAnswer answers[MAX_SLOTS];
    unsigned first, n_answers;
    unsigned n_submitted, n_collected;
    bool flushed, cancelled;
    uint64_t next; /* sequence that would be consecutive */
    bool known[2]; /* whether the pictures one and two before it are remembered */
    uint16_t *earlier[2];
    bool is_test;
    unsigned number; /* from 1 on; 0: of a test */
    int64_t busy_until;
} FakeSession;

/* ---- descriptions ---- */

#define ALL_FORMATS (1u << 1 | 1u << 2 | 1u << 3 | 1u << 4)

static int32_t feature_get(uint32_t index, VmafBackendFeature *feature)
{
    VmafBackendFeature f = {
        .struct_size = sizeof(f),
        .record_kind = VMAF_BACKEND_RECORD_SUMS,
        .record_version = 1,
        .pixel_formats = ALL_FORMATS,
        .depth_min = 8,
        .depth_max = 16,
        .width_min = 3,
        .height_min = 3,
        .planes = 7,
    };
    switch (index) {
    case FEATURE_PSNR:
        f.name = VMAF_RECORD_PSNR;
        f.record = VMAF_RECORD_PSNR;
        f.exactness = FAKE_BOUNDED ? VMAF_BACKEND_BOUNDED : VMAF_BACKEND_EXACT;
        f.bound = 1e-6;
        f.bound_reason = "a test says so";
        f.n_options = 1;
        break;
    case FEATURE_MOTION:
        f.name = VMAF_RECORD_MOTION;
        f.record = VMAF_RECORD_MOTION;
        f.planes = VMAF_BACKEND_PLANE_Y;
        f.ref_before = 2;
        f.n_options = 1;
        break;
    case FEATURE_LEVEL:
        f.name = "level";
        f.help = "mean luma of the distorted picture";
        f.flags = VMAF_BACKEND_FEATURE_OWN;
        f.record_kind = VMAF_BACKEND_RECORD_SCORES;
        f.planes = VMAF_BACKEND_PLANE_Y;
        f.exactness = VMAF_BACKEND_BOUNDED;
        f.bound_reason = "nothing else computes it";
        f.n_options = 1;
        f.n_outputs = 1;
        break;
    default:
        return VMAF_BACKEND_INVALID;
    }
    *feature = f;
    return VMAF_BACKEND_OK;
}

static int32_t feature_option(uint32_t index, uint32_t option, VmafBackendOptionSpec *spec)
{
    static const char *const names[N_FEATURES] = {"enable_chroma", "motion_five_frame_window",
                                                  "offset"};
    if (index >= N_FEATURES || option)
        return VMAF_BACKEND_INVALID;
    *spec = (VmafBackendOptionSpec){.struct_size = sizeof(*spec), .name = names[index]};
    if (index == FEATURE_LEVEL) {
        spec->type = VMAF_BACKEND_TYPE_DOUBLE;
        spec->help = "is added";
        spec->max = 1000;
    }
    return VMAF_BACKEND_OK;
}

static int32_t feature_output(uint32_t index, uint32_t output, VmafBackendOutput *out)
{
    if (index != FEATURE_LEVEL || output)
        return VMAF_BACKEND_INVALID;
    *out = (VmafBackendOutput){.struct_size = sizeof(*out), .name = "level"};
    return VMAF_BACKEND_OK;
}

static int32_t probe(VmafBackendProbe *result)
{
    atomic_fetch_add(&settings.n_probes, 1);
    *result = (VmafBackendProbe){.struct_size = sizeof(*result), .n_devices = FAKE_DEVICES};
    return VMAF_BACKEND_OK;
}

static int32_t device_get(uint32_t index, VmafBackendDeviceInfo *info)
{
    if (index >= FAKE_DEVICES)
        return VMAF_BACKEND_INVALID;
    *info = (VmafBackendDeviceInfo){
        .struct_size = sizeof(*info),
        .kind = (uint32_t)settings.device_kind,
        .name = "Fake device",
        .identities = FAKE_IS_PCI ? VMAF_BACKEND_IDENTITY_PCI : 0,
        .pci = FAKE_PCI,
        .buffers = FAKE_UPLOADS << VMAF_BACKEND_BUFFER_UPLOADED,
    };
    snprintf(info->id, sizeof(info->id), "fake-%u", index);
    if (FAKE_DEVICES > 1)
        snprintf(info->name, sizeof(info->name), "Fake device %u", index);
    if (FAKE_BUS)
        snprintf(info->pci, sizeof(info->pci), "0000:%02x:00.0", FAKE_BUS + index);
    return VMAF_BACKEND_OK;
}

static char the_devices[FAKE_DEVICES];

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

FakeSettings *fake_settings(void)
{
    return &settings;
}

static int32_t device_open(const VmafBackendDeviceParams *params, VmafBackendDevice **device,
                           VmafBackendReason *why)
{
    (void)why;
    atomic_store(&settings.profiled, params->flags & VMAF_BACKEND_DEVICE_FLAG_PROFILING);
    atomic_fetch_add(&settings.n_opened, 1);
    atomic_fetch_add(&settings.n_devices_open, 1);
    const unsigned index = params->id ? (unsigned)(params->id[5] - '0') : 0;
    *device = (VmafBackendDevice *)&the_devices[index];
    return VMAF_BACKEND_OK;
}

static void device_close(VmafBackendDevice *device)
{
    (void)device;
    atomic_fetch_sub(&settings.n_devices_open, 1);
}

/* ---- plans ---- */

/* Hosts list every option that changes a record, whatever its value. */
static bool lists(const VmafBackendRequest *request, const char *name)
{
    for (uint32_t i = 0; i < request->n_options; i++) {
        if (!strcmp(request->options[i]->name, name))
            return true;
    }
    return false;
}

static bool lists_all(const VmafBackendRequest *request)
{
    if (!strcmp(request->feature, "psnr"))
        return lists(request, "enable_chroma");
    if (!strcmp(request->feature, "motion"))
        return lists(request, "motion_five_frame_window") && lists(request, "motion_force_zero");
    return request->n_options == 1;
}

static int64_t option_of(const VmafBackendRequest *request, const char *name)
{
    for (uint32_t i = 0; i < request->n_options; i++) {
        if (!strcmp(request->options[i]->name, name))
            return request->options[i]->integer;
    }
    return 0;
}

static int32_t plan_create(VmafBackendDevice *device, const VmafBackendPlanParams *params,
                           VmafBackendPlan **plan, VmafBackendReason *why)
{
    const unsigned index = (unsigned)((char *)device - the_devices);
    if (settings.dead_devices >> index & 1) {
        snprintf(why->text, sizeof(why->text), "device %u makes no plans", index);
        return VMAF_BACKEND_FAILED;
    }
    if (settings.plan_result) {
        snprintf(why->text, sizeof(why->text), "no plan today");
        return settings.plan_result;
    }
    for (uint32_t i = 0; i < params->n_requests; i++) {
        if (!lists_all(params->requests[i])) {
            snprintf(why->text, sizeof(why->text), "an option is missing");
            return VMAF_BACKEND_INVALID;
        }
    }
    FakePlan *made = calloc(1, sizeof(*made));
    if (!made)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    made->device = index;
    made->params = *params;
    for (uint32_t i = 0; i < params->n_requests; i++) {
        const VmafBackendRequest *request = params->requests[i];
        FakeRequest *mine = &made->requests[i];
        mine->feature = !strcmp(request->feature, "psnr")     ? FEATURE_PSNR
                        : !strcmp(request->feature, "motion") ? FEATURE_MOTION
                                                              : FEATURE_LEVEL;
        mine->chroma =
            option_of(request, "enable_chroma") && params->pixel_format != VMAF_BACKEND_PIXEL_400;
        for (uint32_t o = 0; o < request->n_options; o++)
            mine->offset += request->options[o]->number;
        mine->lag = option_of(request, "motion_five_frame_window") ? 2 : 1;
        mine->accepted = mine->feature != FEATURE_MOTION ||
                         (!settings.decline_motion && !(settings.decline_devices >> index & 1));
    }
    *plan = (VmafBackendPlan *)made;
    return VMAF_BACKEND_OK;
}

static int32_t plan_info(const VmafBackendPlan *plan, VmafBackendPlanInfo *info)
{
    const FakePlan *mine = (const FakePlan *)plan;
    *info = (VmafBackendPlanInfo){.struct_size = sizeof(*info), .planes = 1};
    info->slots = settings.slots;
    for (uint32_t i = 0; i < mine->params.n_requests; i++) {
        if (mine->requests[i].feature == FEATURE_PSNR && mine->requests[i].chroma)
            info->planes = 7;
    }
    return VMAF_BACKEND_OK;
}

static int32_t plan_answer(const VmafBackendPlan *plan, uint32_t request, VmafBackendAnswer *answer)
{
    static const uint64_t sizes[N_FEATURES] = {sizeof(VmafRecordPsnr), sizeof(VmafRecordMotion),
                                               sizeof(double)};
    const FakeRequest *mine = &((const FakePlan *)plan)->requests[request];
    *answer = (VmafBackendAnswer){
        .struct_size = sizeof(*answer),
        .accepted = mine->accepted,
        .record_kind =
            mine->feature == FEATURE_LEVEL ? VMAF_BACKEND_RECORD_SCORES : VMAF_BACKEND_RECORD_SUMS,
        .record_version = 1,
        .record_size = sizes[mine->feature],
        .count = 1,
        .reason = "motion is too fast",
    };
    return VMAF_BACKEND_OK;
}

static void plan_destroy(VmafBackendPlan *plan)
{
    free(plan);
}

/* ---- sessions ---- */

static bool is_meant(unsigned devices, const FakeSession *session)
{
    return !devices || (devices >> session->plan->device & 1);
}

static int32_t fake_session_open(VmafBackendPlan *plan, VmafBackendSession **session,
                                 VmafBackendReason *why)
{
    const FakePlan *mine = (const FakePlan *)plan;
    const bool is_test = mine->params.width >= SELF_TEST_WIDTH;
    if (settings.hang_open && !is_test)
        fake_wait_for_release();
    if (settings.memory_for && mine->params.frames_in_flight > settings.memory_for) {
        snprintf(why->text, sizeof(why->text), "no memory for %u frames",
                 mine->params.frames_in_flight);
        atomic_fetch_add(&settings.n_refused, 1);
        return VMAF_BACKEND_OUT_OF_MEMORY;
    }
    if (settings.session_result && !is_test) {
        snprintf(why->text, sizeof(why->text), "no session today");
        return settings.session_result;
    }
    FakeSession *made = calloc(1, sizeof(*made));
    if (!made)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    pthread_mutex_init(&made->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&made->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    made->plan = mine;
    made->is_test = is_test;
    for (int i = 0; i < 2; i++)
        made->earlier[i] = calloc((size_t)mine->params.width * mine->params.height, 2);
    if (!is_test)
        atomic_fetch_add(&settings.n_sessions_of[mine->device], 1);
    if (!is_test)
        made->number = atomic_fetch_add(&settings.n_sessions, 1) + 1;
    atomic_fetch_add(&settings.n_open_sessions, 1);
    *session = (VmafBackendSession *)made;
    return VMAF_BACKEND_OK;
}

static void fake_session_close(VmafBackendSession *session)
{
    FakeSession *mine = (FakeSession *)session;
    if (settings.fault == FAULT_NEVER_AND_HANG_CLOSE && !mine->is_test &&
        is_meant(settings.fault_devices, mine))
        fake_wait_for_release();
    for (; mine->n_answers; mine->n_answers--, mine->first = (mine->first + 1) % MAX_SLOTS)
        fake_buffer_leave(mine->answers[mine->first].ref);
    pthread_cond_destroy(&mine->changed);
    pthread_mutex_destroy(&mine->lock);
    free(mine->earlier[0]);
    free(mine->earlier[1]);
    free(mine);
    atomic_fetch_sub(&settings.n_open_sessions, 1);
}

static Plane plane_of(const FakeSession *session, const VmafBackendPicture *pic, unsigned p)
{
    const VmafBackendPlanParams *params = &session->plan->params;
    const bool narrow = p && params->pixel_format != VMAF_BACKEND_PIXEL_444;
    const bool low = p && params->pixel_format == VMAF_BACKEND_PIXEL_420;
    return (Plane){pic->data[p], pic->stride[p], params->width >> narrow, params->height >> low,
                   params->depth > 8};
}

static Plane earlier_plane(const FakeSession *session, unsigned distance)
{
    const VmafBackendPlanParams *params = &session->plan->params;
    return (Plane){(const uint8_t *)session->earlier[distance - 1], 2 * (int64_t)params->width,
                   params->width, params->height, true};
}

static uint32_t sample_of(const Plane *plane, uint32_t x, uint32_t y)
{
    const uint8_t *row = plane->data + y * plane->stride;
    return plane->deep ? ((const uint16_t *)(const void *)row)[x] : row[x];
}

/* Reads some of every row, which the thread sanitizer sees here, but not in the example's metrics. */
static void touch(const Plane *plane)
{
    volatile uint32_t sum = 0;
    for (uint32_t y = 0; y < plane->h; y++) {
        for (uint32_t x = 0; x < plane->w; x += 8)
            sum += sample_of(plane, x, y);
    }
}

static void accumulate(FakeSession *session, const FakeRequest *request,
                       const VmafBackendFrame *frame, FakeRecord *record)
{
    memset(record, 0, sizeof(*record));
    if (request->feature == FEATURE_PSNR) {
        for (unsigned p = 0; p < (request->chroma ? 3 : 1); p++) {
            const Plane a = plane_of(session, frame->ref, p), b = plane_of(session, frame->dist, p);
            touch(&a);
            touch(&b);
            record->psnr.sse[p] = sum_of_squared_differences(&a, &b) + settings.wrong_psnr;
        }
    } else if (request->feature == FEATURE_MOTION) {
        const Plane current = plane_of(session, frame->ref, 0);
        int32_t *row = malloc((current.w + 2 * MOTION_RADIUS) * sizeof(*row));
        if (session->known[request->lag - 1]) {
            const Plane earlier = earlier_plane(session, request->lag);
            record->motion.sad = motion_sad(&earlier, &current, session->plan->params.depth, row);
        }
        free(row);
    } else {
        const Plane luma = plane_of(session, frame->dist, 0);
        uint64_t sum = 0;
        for (uint32_t y = 0; y < luma.h; y++) {
            for (uint32_t x = 0; x < luma.w; x++)
                sum += sample_of(&luma, x, y);
        }
        record->level = (double)sum / luma.w / luma.h + request->offset;
    }
}

static void remember(FakeSession *session, const VmafBackendFrame *frame)
{
    const Plane luma = plane_of(session, frame->ref, 0);
    uint16_t *oldest = session->earlier[1];
    session->earlier[1] = session->earlier[0];
    session->earlier[0] = oldest;
    session->known[1] = session->known[0];
    session->known[0] = true;
    for (uint32_t y = 0; y < luma.h; y++) {
        for (uint32_t x = 0; x < luma.w; x++)
            oldest[y * luma.w + x] = (uint16_t)sample_of(&luma, x, y);
    }
    session->next = frame->sequence + 1;
}

static bool faulty(const FakeSession *session, FakeFault fault, unsigned frame)
{
    return !session->is_test && settings.fault == fault && frame >= settings.fault_frame &&
           is_meant(settings.fault_devices, session) &&
           (!settings.fault_session || settings.fault_session == session->number);
}

static void spoil(const FakeSession *session, FakeAnswer *answer)
{
    const unsigned n = session->n_submitted;
    if (session->is_test || n < settings.wrong_from || !is_meant(settings.wrong_devices, session))
        return;
    for (uint32_t i = settings.right_requests; i < session->plan->params.n_requests && i < 8; i++) {
        const int feature = session->plan->requests[i].feature;
        if (feature == FEATURE_PSNR && settings.psnr_turns_wrong)
            answer->records[i].psnr.sse[2] ^= 1; /* the last member */
        if (feature == FEATURE_MOTION && settings.motion_turns_wrong)
            answer->records[i].motion.sad ^= 1;
    }
}

static int32_t submit_pixels(VmafBackendSession *session, const VmafBackendFrame *frame,
                             VmafBackendBuffer *ref)
{
    FakeSession *mine = (FakeSession *)session;
    const bool lost = faulty(mine, FAULT_SUBMIT_LOST, mine->n_submitted);
    if (!mine->is_test && (lost || !(frame->flags & VMAF_BACKEND_SUBMIT_CONTEXT)))
        atomic_fetch_add(&settings.n_given_to[mine->plan->device], 1);
    if (lost)
        return VMAF_BACKEND_DEVICE_LOST;
    if (faulty(mine, FAULT_HANG_SUBMIT, mine->n_submitted))
        fake_wait_for_release();
    if (settings.delay_us && !mine->is_test)
        usleep(settings.delay_us);
    if (frame->sequence != mine->next)
        mine->known[0] = mine->known[1] = false;
    if (frame->flags & VMAF_BACKEND_SUBMIT_CONTEXT) {
        atomic_fetch_add(&settings.n_contexts, !mine->is_test);
        remember(mine, frame);
        mine->known[0] = !settings.wrong_motion_after_jump;
        return VMAF_BACKEND_OK;
    }
    FakeAnswer answer = {.sequence = frame->sequence, .ref = ref};
    for (uint32_t i = 0; i < mine->plan->params.n_requests && i < 8; i++) {
        if (frame->wanted[0] >> i & 1)
            accumulate(mine, &mine->plan->requests[i], frame, &answer.records[i]);
    }
    remember(mine, frame);
    spoil(mine, &answer);
    if (!mine->is_test)
        atomic_fetch_add(ref ? &settings.n_refs_uploaded : &settings.n_refs_on_host, 1);
    fake_buffer_enter(ref);
    pthread_mutex_lock(&mine->lock);
    const int64_t now = now_us();
    if (!mine->is_test)
        mine->busy_until = (mine->busy_until > now ? mine->busy_until : now) +
                           settings.frame_us[mine->plan->device];
    answer.ready_at = mine->busy_until;
    mine->answers[(mine->first + mine->n_answers++) % MAX_SLOTS] = answer;
    mine->n_submitted++;
    mine->flushed = false;
    if (!mine->is_test && mine->n_answers > atomic_load(&settings.most_in_flight))
        atomic_store(&settings.most_in_flight, mine->n_answers);
    pthread_cond_broadcast(&mine->changed);
    pthread_mutex_unlock(&mine->lock);
    return VMAF_BACKEND_OK;
}

static int32_t submit(VmafBackendSession *session, const VmafBackendFrame *frame)
{
    VmafBackendFrame on_host = *frame;
    VmafBackendPicture ref = fake_buffer_picture(frame->ref);
    on_host.ref = &ref;
    return submit_pixels(session, &on_host, frame->ref->buffer);
}

static bool others_have_their_share(const FakeSession *session)
{
    for (unsigned i = 0; i < FAKE_DEVICES && !session->is_test; i++) {
        if (i != session->plan->device && atomic_load(&settings.n_given_to[i]) < settings.share[i])
            return false;
    }
    return true;
}

static bool ready(const FakeSession *session)
{
    if (!others_have_their_share(session))
        return false;
    if (faulty(session, FAULT_NEVER, session->n_collected) ||
        faulty(session, FAULT_NEVER_AND_HANG_CLOSE, session->n_collected))
        return false;
    if (session->n_answers && session->answers[session->first].ready_at > now_us())
        return false;
    return session->n_answers && (!settings.batches || session->is_test || session->flushed ||
                                  session->n_answers >= settings.slots);
}

static int32_t answer(FakeSession *session, VmafBackendResult *result)
{
    const FakeAnswer *oldest = &session->answers[session->first];
    unsigned n = session->n_collected;
    if (faulty(session, FAULT_NOTHING_OUTSTANDING, n))
        return VMAF_BACKEND_NOTHING;
    result->sequence =
        oldest->sequence + faulty(session, FAULT_OUT_OF_ORDER, n) - faulty(session, FAULT_TWICE, n);
    static const size_t sizes[N_FEATURES] = {sizeof(VmafRecordPsnr), sizeof(VmafRecordMotion),
                                             sizeof(double)};
    for (uint32_t i = 0; i < result->n_requests; i++) {
        if (!result->records[i])
            continue;
        size_t size = sizes[session->plan->requests[i].feature];
        memcpy(result->records[i], &oldest->records[i], size);
        result->status[i] =
            faulty(session, FAULT_STATUS, n) ? VMAF_BACKEND_OUT_OF_MEMORY : VMAF_BACKEND_OK;
        if (faulty(session, FAULT_OVERWRITE, n))
            ((unsigned char *)result->records[i])[size] = 0;
        if (faulty(session, FAULT_OUT_OF_BOUNDS, n))
            memset(result->records[i], 0xff, sizeof(uint64_t)); /* as a score, no number */
    }
    fake_buffer_leave(oldest->ref);
    session->first = (session->first + 1) % MAX_SLOTS;
    session->n_answers--;
    session->n_collected++;
    atomic_fetch_add(&settings.n_frames, !session->is_test);
    atomic_fetch_add(&settings.n_frames_of[session->plan->device], !session->is_test);
    return VMAF_BACKEND_OK;
}

static int32_t collect(VmafBackendSession *session, uint32_t timeout_ms, VmafBackendResult *result)
{
    FakeSession *mine = (FakeSession *)session;
    if (faulty(mine, FAULT_COLLECT_LOST, mine->n_collected))
        return VMAF_BACKEND_DEVICE_LOST;
    if (faulty(mine, FAULT_COLLECT_OUT_OF_MEMORY, mine->n_collected))
        return VMAF_BACKEND_OUT_OF_MEMORY;
    if (faulty(mine, FAULT_COLLECT_FAILED, mine->n_collected))
        return VMAF_BACKEND_FAILED;
    if (faulty(mine, FAULT_HANG_COLLECT, mine->n_collected)) {
        fake_wait_for_release();
        return VMAF_BACKEND_FAILED;
    }
    if (settings.answer_us && !mine->is_test)
        usleep(settings.answer_us);
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += timeout_ms / 1000;
    deadline.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_sec++;
        deadline.tv_nsec -= 1000000000;
    }
    int32_t outcome = VMAF_BACKEND_OK;
    pthread_mutex_lock(&mine->lock);
    while (!mine->cancelled && !ready(mine)) {
        struct timespec until = deadline;
        const int64_t ready_at = !others_have_their_share(mine) ? now_us() + 1000
                                 : mine->n_answers ? mine->answers[mine->first].ready_at
                                                   : 0;
        const struct timespec at = {ready_at / 1000000, (long)(ready_at % 1000000) * 1000};
        const bool waits =
            ready_at > now_us() &&
            (at.tv_sec < until.tv_sec || (at.tv_sec == until.tv_sec && at.tv_nsec < until.tv_nsec));
        if (waits)
            until = at;
        if (pthread_cond_timedwait(&mine->changed, &mine->lock, &until) && !waits)
            break;
    }
    if (mine->cancelled)
        outcome = VMAF_BACKEND_CANCELLED;
    else if (!ready(mine))
        outcome = VMAF_BACKEND_TIMED_OUT;
    else
        outcome = answer(mine, result);
    pthread_mutex_unlock(&mine->lock);
    return outcome;
}

static int32_t flush(VmafBackendSession *session)
{
    FakeSession *mine = (FakeSession *)session;
    atomic_fetch_add(&settings.n_flushes, !mine->is_test);
    pthread_mutex_lock(&mine->lock);
    mine->flushed = true;
    pthread_cond_broadcast(&mine->changed);
    pthread_mutex_unlock(&mine->lock);
    return VMAF_BACKEND_OK;
}

static void cancel(VmafBackendSession *session)
{
    FakeSession *mine = (FakeSession *)session;
    pthread_mutex_lock(&mine->lock);
    mine->cancelled = true;
    pthread_cond_broadcast(&mine->changed);
    pthread_mutex_unlock(&mine->lock);
}

static void last_error(uint32_t object_kind, const void *object, char *text, uint32_t size)
{
    (void)object_kind;
    (void)object;
    snprintf(text, size, "as \"the test\" wants it");
}

static int32_t profile_entry(const VmafBackendSession *session, uint32_t index,
                             VmafSdkProfileEntry *entry)
{
    static const struct {
        const char *name;
        uint64_t nanoseconds;
    } works[] = {{"upload", FAKE_UPLOAD_NS}, {FAKE_KERNEL, FAKE_KERNEL_NS}};
    const uint64_t n = ((const FakeSession *)session)->n_collected;
    if (index >= sizeof(works) / sizeof(works[0]))
        return VMAF_BACKEND_INVALID;
    entry->runs = n;
    entry->nanoseconds = n * works[index].nanoseconds;
    snprintf(entry->name, sizeof(entry->name), "%s", works[index].name);
    return VMAF_BACKEND_OK;
}

static const void *get_extension(const char *name, uint32_t version)
{
    static const VmafSdkProfile profile = {.struct_size = sizeof(profile), .entry = profile_entry};
    if (settings.has_times && version == VMAF_SDK_PROFILE_VERSION &&
        !strcmp(name, VMAF_SDK_PROFILE_EXTENSION))
        return &profile;
    return version == 1 && !strcmp(name, FAKE_EXTENSION) ? &settings : NULL;
}

static const VmafBackend backend = {
    .struct_size = sizeof(VmafBackend),
    .abi_major = VMAF_BACKEND_ABI_MAJOR,
    .abi_minor = VMAF_BACKEND_ABI_MINOR,
    .backend_class = VMAF_BACKEND_CLASS_NATIVE,
    .name = BACKEND_NAME,
    .version = "1",
    .description = "a backend for tests of the engine",
    .n_features = N_FEATURES,
    .feature_get = feature_get,
    .feature_option = feature_option,
    .feature_output = feature_output,
    .probe = probe,
    .device_get = device_get,
    .device_open = device_open,
    .device_close = device_close,
    .plan_create = plan_create,
    .plan_info = plan_info,
    .plan_answer = plan_answer,
    .plan_destroy = plan_destroy,
    .session_open = fake_session_open,
    .session_close = fake_session_close,
    .submit = submit,
    .collect = collect,
    .flush = flush,
    .cancel = cancel,
    .last_error = last_error,
    .get_extension = get_extension,
#if FAKE_UPLOADS
    .buffer_create = fake_buffer_create,
    .buffer_info = fake_buffer_info,
    .buffer_download = fake_buffer_download,
    .buffer_upload = fake_buffer_upload,
    .buffer_release = fake_buffer_release,
#endif
};

VMAF_BACKEND_EXPORT const VmafBackend *vmaf_backend_entry(void)
{
    return &backend;
}
