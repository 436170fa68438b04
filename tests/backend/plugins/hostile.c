/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * A backend that breaks one rule while frames are scored. The environment variable
 * VMAF_TEST_HOSTILE says which: "behaviour" or "behaviour@frame", where frames are those of one
 * session, counted from 0 and without context frames, or "behaviour+bytes", where it writes so many
 * bytes too many. The names are those of the table below. With VMAF_TEST_HOSTILE_EXIT it does not
 * survive an exit of the program in the middle of a call.
 */
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inner.h"

enum { EVER = 1 << 30, SLOW_MICROSECONDS = 20000, MAX_REQUESTS = 256 };

typedef enum Behaviour {
    HARMLESS,
    PLAN_FAILS,
    PLAN_HANGS,
    PLAN_DECLINES,
    PLAN_LIES_ABOUT_SIZE,
    PLAN_LIES_ABOUT_COUNT,
    PLAN_HAS_NO_SLOTS,
    PLAN_HAS_BILLIONS_OF_SLOTS,
    PLAN_READS_UNKNOWN_PLANES,
    PLAN_OVERRUNS_REASON,
    PLAN_OVERRUNS_INFO,
    PLAN_OVERRUNS_ANSWER,
    OPEN_OVERRUNS_REASON,
    OPEN_OVERRUNS_REASON_OF_FAILURE,
    OPEN_FAILS,
    OPEN_RUNS_OUT_OF_MEMORY,
    OPEN_GIVES_NULL,
    OPEN_HANGS,
    SUBMIT_FAILS,
    SUBMIT_IS_INVALID,
    SUBMIT_LOSES_DEVICE,
    SUBMIT_LOSES_DEVICE_BY_CHANCE,
    SUBMIT_HANGS,
    COLLECT_FAILS,
    COLLECT_LOSES_DEVICE,
    COLLECT_LOSES_DEVICE_BY_CHANCE,
    COLLECT_RUNS_OUT_OF_MEMORY,
    COLLECT_HANGS,
    COLLECT_NEVER_ANSWERS,
    COLLECT_HAS_NOTHING,
    COLLECT_RETURNS_NONSENSE,
    COLLECT_SWAPS_FRAMES,
    COLLECT_ANSWERS_TWICE,
    COLLECT_STATES_FAILURE,
    COLLECT_LEAVES_STATUS,
    COLLECT_OVERRUNS_RECORD,
    COLLECT_OVERRUNS_RESULT,
    COLLECT_OVERRUNS_STATUS,
    ERROR_OVERRUNS_TEXT,
    RECORD_OUT_OF_BOUNDS,
    RECORD_SLIGHTLY_WRONG,
    RECORD_WRONG_ONCE,
    SCORE_NOT_FINITE,
    WAITS_FOR_FLUSH, /* as it may: it collects frames to work on several at once */
    FLUSH_FAILS,     /* and it waits for it */
    CANCEL_HANGS,
    CLOSE_HANGS,
    CLOSE_LEAKS,
    ROUNDS_UPWARD,
    CHANGES_ERRNO,
    ERROR_IS_NOT_TEXT,
    IS_SLOW,
    N_BEHAVIOURS,
} Behaviour;

static const char *const names[N_BEHAVIOURS] = {
    [HARMLESS] = "harmless",
    [PLAN_FAILS] = "plan-fails",
    [PLAN_HANGS] = "plan-hangs",
    [PLAN_DECLINES] = "plan-declines",
    [PLAN_LIES_ABOUT_SIZE] = "plan-lies-about-size",
    [PLAN_LIES_ABOUT_COUNT] = "plan-lies-about-count",
    [PLAN_HAS_NO_SLOTS] = "plan-has-no-slots",
    [PLAN_HAS_BILLIONS_OF_SLOTS] = "plan-has-billions-of-slots",
    [PLAN_READS_UNKNOWN_PLANES] = "plan-reads-unknown-planes",
    [PLAN_OVERRUNS_REASON] = "plan-overruns-reason",
    [PLAN_OVERRUNS_INFO] = "plan-overruns-info",
    [PLAN_OVERRUNS_ANSWER] = "plan-overruns-answer",
    [OPEN_OVERRUNS_REASON] = "open-overruns-reason",
    [OPEN_OVERRUNS_REASON_OF_FAILURE] = "open-overruns-reason-of-failure",
    [OPEN_FAILS] = "open-fails",
    [OPEN_RUNS_OUT_OF_MEMORY] = "open-runs-out-of-memory",
    [OPEN_GIVES_NULL] = "open-gives-null",
    [OPEN_HANGS] = "open-hangs",
    [SUBMIT_FAILS] = "submit-fails",
    [SUBMIT_IS_INVALID] = "submit-is-invalid",
    [SUBMIT_LOSES_DEVICE] = "submit-loses-device",
    [SUBMIT_LOSES_DEVICE_BY_CHANCE] = "submit-loses-device-by-chance",
    [SUBMIT_HANGS] = "submit-hangs",
    [COLLECT_FAILS] = "collect-fails",
    [COLLECT_LOSES_DEVICE] = "collect-loses-device",
    [COLLECT_LOSES_DEVICE_BY_CHANCE] = "collect-loses-device-by-chance",
    [COLLECT_RUNS_OUT_OF_MEMORY] = "collect-runs-out-of-memory",
    [COLLECT_HANGS] = "collect-hangs",
    [COLLECT_NEVER_ANSWERS] = "collect-never-answers",
    [COLLECT_HAS_NOTHING] = "collect-has-nothing",
    [COLLECT_RETURNS_NONSENSE] = "collect-returns-nonsense",
    [COLLECT_SWAPS_FRAMES] = "collect-swaps-frames",
    [COLLECT_ANSWERS_TWICE] = "collect-answers-twice",
    [COLLECT_STATES_FAILURE] = "collect-states-failure",
    [COLLECT_LEAVES_STATUS] = "collect-leaves-status",
    [COLLECT_OVERRUNS_RECORD] = "collect-overruns-record",
    [COLLECT_OVERRUNS_RESULT] = "collect-overruns-result",
    [COLLECT_OVERRUNS_STATUS] = "collect-overruns-status",
    [ERROR_OVERRUNS_TEXT] = "error-overruns-text",
    [RECORD_OUT_OF_BOUNDS] = "record-out-of-bounds",
    [RECORD_SLIGHTLY_WRONG] = "record-slightly-wrong",
    [RECORD_WRONG_ONCE] = "record-wrong-once", /* of that frame only */
    [SCORE_NOT_FINITE] = "score-not-finite",
    [WAITS_FOR_FLUSH] = "waits-for-flush",
    [FLUSH_FAILS] = "flush-fails",
    [CANCEL_HANGS] = "cancel-hangs",
    [CLOSE_HANGS] = "close-hangs",
    [CLOSE_LEAKS] = "close-leaks",
    [ROUNDS_UPWARD] = "rounds-upward",
    [CHANGES_ERRNO] = "changes-errno",
    [ERROR_IS_NOT_TEXT] = "error-is-not-text",
    [IS_SLOW] = "is-slow",
};

typedef struct Session {
    VmafBackendSession *inner;
    Behaviour behaviour;
    unsigned frame; /* 0 unless stated; of behaviours by chance: one in so many */
    atomic_uint submitted, collected;
    atomic_bool flushed, cancelled;
    unsigned slots;
    uint64_t last_sequence;
    atomic_uint random;
} Session;

static const VmafBackend *inner; /* set once, before anything else is called */

/* `number` is what follows the name: a frame, or a count of bytes. */
static Behaviour behaviour_now(unsigned *number)
{
    const char *text = getenv("VMAF_TEST_HOSTILE");
    *number = 0;
    if (!text)
        return HARMLESS;
    const size_t length = strcspn(text, "@+");
    for (int i = 0; i < N_BEHAVIOURS; i++) {
        if (strlen(names[i]) == length && !strncmp(names[i], text, length)) {
            if (text[length])
                *number = (unsigned)strtoul(text + length + 1, NULL, 10);
            return (Behaviour)i;
        }
    }
    fprintf(stderr, "unknown behaviour of a hostile backend: %s\n", text);
    abort();
}

static Behaviour behaviour_of_plan(void)
{
    unsigned number;
    return behaviour_now(&number);
}

/* Writes as many bytes behind something as the test says, if that is what it is to do. */
static void overrun(Behaviour behaviour, void *end)
{
    unsigned size;
    if (behaviour_now(&size) == behaviour)
        memset(end, 0x3c, size);
}

static atomic_bool hanging;

/* As drivers do whose threads find their library gone. */
__attribute__((destructor)) static void notice_exit(void)
{
    if (atomic_load(&hanging) && getenv("VMAF_TEST_HOSTILE_EXIT"))
        abort();
}

static void hang(void)
{
    atomic_store(&hanging, true);
    for (;;)
        sleep(EVER);
}

static int32_t fail_with(VmafBackendReason *why, const char *text, int32_t result)
{
    if (why)
        snprintf(why->text, sizeof(why->text), "%s", text);
    return result;
}

/* What a session does in every call. */
static void misbehave(const Session *session)
{
    if (session->behaviour == ROUNDS_UPWARD)
        fesetround(FE_UPWARD);
    if (session->behaviour == CHANGES_ERRNO)
        errno = EDOM;
}

/* One in session->frame. */
static bool by_chance(Session *session)
{
    const unsigned random = atomic_load(&session->random) * 1664525u + 1013904223u;
    atomic_store(&session->random, random);
    return session->frame && (random >> 8) % session->frame == 0;
}

/* ---- Plans ---- */

static int32_t plan_create(VmafBackendDevice *device, const VmafBackendPlanParams *params,
                           VmafBackendPlan **plan, VmafBackendReason *why)
{
    const Behaviour behaviour = behaviour_of_plan();
    if (behaviour == PLAN_FAILS)
        return fail_with(why, "no plan can be made today", VMAF_BACKEND_FAILED);
    if (behaviour == PLAN_HANGS)
        hang();
    overrun(PLAN_OVERRUNS_REASON, why + 1);
    return inner->plan_create(device, params, plan, why);
}

static int32_t plan_info(const VmafBackendPlan *plan, VmafBackendPlanInfo *info)
{
    const int32_t result = inner->plan_info(plan, info);
    const Behaviour behaviour = behaviour_of_plan();
    if (behaviour == PLAN_HAS_NO_SLOTS)
        info->slots = 0;
    if (behaviour == PLAN_HAS_BILLIONS_OF_SLOTS)
        info->slots = UINT32_MAX;
    if (behaviour == PLAN_READS_UNKNOWN_PLANES)
        info->planes |= 1u << 31;
    overrun(PLAN_OVERRUNS_INFO, info + 1);
    return result;
}

static int32_t plan_answer(const VmafBackendPlan *plan, uint32_t request, VmafBackendAnswer *answer)
{
    const int32_t result = inner->plan_answer(plan, request, answer);
    const Behaviour behaviour = behaviour_of_plan();
    if (behaviour == PLAN_DECLINES) {
        answer->accepted = 0;
        snprintf(answer->reason, sizeof(answer->reason), "not in the mood");
    }
    if (behaviour == PLAN_LIES_ABOUT_SIZE)
        answer->record_size = (uint64_t)1 << 40;
    if (behaviour == PLAN_LIES_ABOUT_COUNT)
        answer->count = UINT32_MAX;
    overrun(PLAN_OVERRUNS_ANSWER, answer + 1);
    return result;
}

/* ---- Sessions ---- */

static int32_t session_open(VmafBackendPlan *plan, VmafBackendSession **session,
                            VmafBackendReason *why)
{
    static atomic_uint seed;
    Session *s = calloc(1, sizeof(*s));
    if (!s)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    s->behaviour = behaviour_now(&s->frame);
    if (s->behaviour == ERROR_OVERRUNS_TEXT) /* the number is no frame */
        s->frame = 0;
    VmafBackendPlanInfo info = {.struct_size = sizeof(info)};
    inner->plan_info(plan, &info);
    s->slots = info.slots;
    atomic_store(&s->random, atomic_fetch_add(&seed, 7919u));
    overrun(OPEN_OVERRUNS_REASON, why + 1);
    overrun(OPEN_OVERRUNS_REASON_OF_FAILURE, why + 1);
    int32_t result;
    switch (s->behaviour) {
    case OPEN_OVERRUNS_REASON_OF_FAILURE:
    case OPEN_FAILS:
        result = fail_with(why, "no session can be opened today", VMAF_BACKEND_FAILED);
        break;
    case OPEN_RUNS_OUT_OF_MEMORY:
        result = fail_with(why, "the device is full", VMAF_BACKEND_OUT_OF_MEMORY);
        break;
    case OPEN_GIVES_NULL:
        free(s);
        *session = NULL;
        return VMAF_BACKEND_OK;
    case OPEN_HANGS:
        hang();
        /* fall through */
    default:
        result = inner->session_open(plan, &s->inner, why);
        break;
    }
    if (result) {
        free(s);
        return result;
    }
    *session = (VmafBackendSession *)s;
    return VMAF_BACKEND_OK;
}

static void session_close(VmafBackendSession *session)
{
    Session *s = (Session *)session;
    if (s->behaviour == CLOSE_HANGS && s->collected >= s->frame)
        hang();
    if (s->behaviour == CLOSE_LEAKS && s->collected >= s->frame)
        return;
    inner->session_close(s->inner);
    free(s);
}

static int32_t reset(VmafBackendSession *session)
{
    Session *s = (Session *)session;
    s->submitted = s->collected = 0;
    return inner->reset(s->inner);
}

static int32_t submit(VmafBackendSession *session, const VmafBackendFrame *frame)
{
    Session *s = (Session *)session;
    misbehave(s);
    if (frame->flags & VMAF_BACKEND_SUBMIT_CONTEXT)
        return inner->submit(s->inner, frame);
    if (s->behaviour == SUBMIT_LOSES_DEVICE_BY_CHANCE && by_chance(s))
        return VMAF_BACKEND_DEVICE_LOST;
    s->flushed = false;
    if (s->submitted++ >= s->frame) {
        if (s->behaviour == SUBMIT_FAILS)
            return VMAF_BACKEND_FAILED;
        if (s->behaviour == SUBMIT_IS_INVALID)
            return VMAF_BACKEND_INVALID;
        if (s->behaviour == SUBMIT_LOSES_DEVICE)
            return VMAF_BACKEND_DEVICE_LOST;
        if (s->behaviour == SUBMIT_HANGS)
            hang();
    }
    return inner->submit(s->inner, frame);
}

/* Frames are answered once all slots are taken, or after a flush. */
static int32_t wait_for_flush(Session *s, uint32_t timeout_ms)
{
    uint32_t waited = 0;
    while (!s->flushed && !s->cancelled && s->submitted - s->collected < s->slots) {
        if (waited++ >= timeout_ms)
            return VMAF_BACKEND_TIMED_OUT;
        usleep(1000);
    }
    return VMAF_BACKEND_OK;
}

/* Instead of an answer; OK if there is to be one. */
static int32_t collect_refusal(Session *s, uint32_t timeout_ms)
{
    if (s->behaviour == COLLECT_LOSES_DEVICE_BY_CHANCE && by_chance(s))
        return VMAF_BACKEND_DEVICE_LOST;
    if (s->collected < s->frame)
        return VMAF_BACKEND_OK;
    switch (s->behaviour) {
    case WAITS_FOR_FLUSH:
    case FLUSH_FAILS:
        return wait_for_flush(s, timeout_ms);
    case ERROR_OVERRUNS_TEXT:
    case COLLECT_FAILS:
        return VMAF_BACKEND_FAILED;
    case COLLECT_LOSES_DEVICE:
        return VMAF_BACKEND_DEVICE_LOST;
    case COLLECT_RUNS_OUT_OF_MEMORY:
        return VMAF_BACKEND_OUT_OF_MEMORY;
    case COLLECT_HAS_NOTHING:
        return VMAF_BACKEND_NOTHING;
    case COLLECT_RETURNS_NONSENSE:
        return -77;
    case COLLECT_NEVER_ANSWERS:
        usleep(timeout_ms * 1000);
        return VMAF_BACKEND_TIMED_OUT;
    case COLLECT_HANGS:
        hang();
        return VMAF_BACKEND_FAILED;
    default:
        return VMAF_BACKEND_OK;
    }
}

static void spoil(Session *s, VmafBackendResult *result)
{
    for (uint32_t i = 0; i < result->n_requests; i++) {
        uint64_t *record = result->records[i];
        if (!record)
            continue;
        switch (s->behaviour) {
        case COLLECT_STATES_FAILURE:
            result->status[i] = VMAF_BACKEND_FAILED;
            break;
        case COLLECT_LEAVES_STATUS:
            result->status[i] = 12345;
            break;
        case RECORD_OUT_OF_BOUNDS:
            record[0] = UINT64_MAX;
            break;
        case RECORD_SLIGHTLY_WRONG:
            record[0]++;
            break;
        case RECORD_WRONG_ONCE:
            record[0] += s->collected == s->frame;
            break;
        case COLLECT_OVERRUNS_RECORD: /* the largest record here has three sums */
            for (unsigned k = 0; k < 4; k++)
                record[k] ^= UINT64_MAX;
            break;
        case SCORE_NOT_FINITE: {
            const double nan = NAN;
            memcpy(record, &nan, sizeof(nan));
            break;
        }
        default:
            break;
        }
    }
    if (s->behaviour == COLLECT_SWAPS_FRAMES)
        result->sequence += s->collected % 2 ? (uint64_t)-1 : 1;
}

static int32_t collect(VmafBackendSession *session, uint32_t timeout_ms, VmafBackendResult *result)
{
    Session *s = (Session *)session;
    misbehave(s);
    if (s->behaviour == IS_SLOW)
        usleep(SLOW_MICROSECONDS);
    int32_t outcome = collect_refusal(s, timeout_ms);
    if (outcome)
        return outcome;
    if (s->behaviour == COLLECT_ANSWERS_TWICE && s->collected > s->frame) {
        result->sequence = s->last_sequence;
        for (uint32_t i = 0; i < result->n_requests; i++)
            result->status[i] = VMAF_BACKEND_OK;
        return VMAF_BACKEND_OK;
    }
    outcome = inner->collect(s->inner, timeout_ms, result);
    if (!outcome) {
        if (s->collected >= s->frame)
            spoil(s, result);
        overrun(COLLECT_OVERRUNS_RESULT, result + 1);
        overrun(COLLECT_OVERRUNS_STATUS, result->status + result->n_requests);
        s->collected++;
        s->last_sequence = result->sequence;
    }
    misbehave(s);
    return outcome;
}

static int32_t flush(VmafBackendSession *session)
{
    Session *s = (Session *)session;
    misbehave(s);
    if (s->behaviour == FLUSH_FAILS && s->submitted >= s->frame)
        return VMAF_BACKEND_FAILED;
    s->flushed = true;
    return inner->flush(s->inner);
}

static void cancel(VmafBackendSession *session)
{
    Session *s = (Session *)session;
    if (s->behaviour == CANCEL_HANGS && s->collected >= s->frame)
        hang();
    s->cancelled = true;
    inner->cancel(s->inner);
}

static void last_error(uint32_t object_kind, const void *object, char *text, uint32_t size)
{
    if (!size)
        return;
    overrun(ERROR_OVERRUNS_TEXT, text + size);
    if (behaviour_of_plan() == ERROR_IS_NOT_TEXT)
        memset(text, 0xff, size); /* neither UTF-8 nor terminated */
    else if (object_kind == VMAF_BACKEND_OBJECT_SESSION)
        snprintf(text, size, "it is a hostile backend");
    else
        inner->last_error(object_kind, object, text, size);
}

static VmafBackend backend;

static void wrap(void)
{
    inner = inner_backend_entry();
    backend = *inner;
    backend.name = BACKEND_NAME;
    backend.plan_create = plan_create;
    backend.plan_info = plan_info;
    backend.plan_answer = plan_answer;
    backend.session_open = session_open;
    backend.session_close = session_close;
    backend.reset = reset;
    backend.submit = submit;
    backend.collect = collect;
    backend.flush = flush;
    backend.cancel = cancel;
    backend.last_error = last_error;
}

VMAF_BACKEND_EXPORT const VmafBackend *vmaf_backend_entry(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, wrap);
    return &backend;
}
