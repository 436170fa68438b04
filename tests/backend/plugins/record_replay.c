/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Two backends from one source. `recorder` computes as the example does and appends every record to
 * the file named by VMAF_TEST_RECORDS. `replayer` (REPLAY defined) looks at no pixel: it answers
 * with the records of that file. If scores are equal, everything after the record is the host's.
 *
 * The file has a line "session frame sequence request: bytes in hex" per record. Sessions are
 * counted as they are opened, so both runs have to do the same, one context at a time.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inner.h"

enum { MAX_RECORD = 64, MAX_REQUESTS = 256, MAX_SLOTS = 64 };

typedef struct Session {
    VmafBackendSession *inner; /* of the recorder */
    FILE *file;
    unsigned number;
    uint32_t n_requests;
    size_t record_size[MAX_REQUESTS]; /* 0: not accepted */
    unsigned collected;
    /* Of the replayer: frames that were submitted. */
    pthread_mutex_t lock;
    bool cancelled;
    unsigned submitted;
    uint64_t sequence[MAX_SLOTS];
} Session;

static const VmafBackend *inner; /* set once, before anything else is called */

static int32_t session_open(VmafBackendPlan *plan, VmafBackendSession **session,
                            VmafBackendReason *why)
{
    static atomic_uint n_sessions;
    const char *path = getenv("VMAF_TEST_RECORDS");
    Session *s = calloc(1, sizeof(*s));
    if (!s)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    s->number = atomic_fetch_add(&n_sessions, 1);
    pthread_mutex_init(&s->lock, NULL);
    VmafBackendAnswer answer = {.struct_size = sizeof(answer)};
    while (s->n_requests < MAX_REQUESTS && !inner->plan_answer(plan, s->n_requests, &answer))
        s->record_size[s->n_requests++] = answer.accepted ? (size_t)answer.record_size : 0;
#ifdef REPLAY
    s->file = path ? fopen(path, "r") : NULL;
#else
    s->file = path ? fopen(path, s->number ? "a" : "w") : NULL;
    if (s->file && inner->session_open(plan, &s->inner, why)) {
        fclose(s->file);
        s->file = NULL;
    }
#endif
    if (!s->file) {
        if (why)
            snprintf(why->text, sizeof(why->text), "VMAF_TEST_RECORDS names no usable file");
        free(s);
        return VMAF_BACKEND_FAILED;
    }
    *session = (VmafBackendSession *)s;
    return VMAF_BACKEND_OK;
}

static void session_close(VmafBackendSession *session)
{
    Session *s = (Session *)session;
    if (s->inner)
        inner->session_close(s->inner);
    fclose(s->file);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

#ifdef REPLAY

/* The record of a request of the frame to be collected; false if there is none in the file. */
static bool find_record(Session *s, uint64_t sequence, uint32_t request, unsigned char *record)
{
    char line[2 * MAX_RECORD + 128], hex[2 * MAX_RECORD + 1];
    rewind(s->file);
    while (fgets(line, sizeof(line), s->file)) {
        unsigned session, frame, at;
        uint64_t number;
        if (sscanf(line, "%u %u %" SCNu64 " %u: %128s", &session, &frame, &number, &at, hex) != 5 ||
            session != s->number || frame != s->collected || number != sequence || at != request)
            continue;
        for (size_t i = 0; i < s->record_size[request]; i++) {
            unsigned byte;
            if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
                return false;
            record[i] = (unsigned char)byte;
        }
        return true;
    }
    return false;
}

static int32_t reset(VmafBackendSession *session)
{
    (void)session;
    return VMAF_BACKEND_OK;
}

static int32_t submit(VmafBackendSession *session, const VmafBackendFrame *frame)
{
    Session *s = (Session *)session;
    pthread_mutex_lock(&s->lock);
    if (!(frame->flags & VMAF_BACKEND_SUBMIT_CONTEXT))
        s->sequence[s->submitted++ % MAX_SLOTS] = frame->sequence;
    const bool cancelled = s->cancelled;
    pthread_mutex_unlock(&s->lock);
    return cancelled ? VMAF_BACKEND_CANCELLED : VMAF_BACKEND_OK;
}

static int32_t collect(VmafBackendSession *session, uint32_t timeout_ms, VmafBackendResult *result)
{
    Session *s = (Session *)session;
    (void)timeout_ms;
    pthread_mutex_lock(&s->lock);
    int32_t outcome = s->cancelled                   ? VMAF_BACKEND_CANCELLED
                      : s->submitted == s->collected ? VMAF_BACKEND_NOTHING
                                                     : VMAF_BACKEND_OK;
    if (!outcome) {
        result->sequence = s->sequence[s->collected % MAX_SLOTS];
        for (uint32_t i = 0; i < s->n_requests; i++) {
            if (result->records[i]) {
                const bool found = find_record(s, result->sequence, i, result->records[i]);
                result->status[i] = found ? VMAF_BACKEND_OK : VMAF_BACKEND_FAILED;
            }
        }
        s->collected++;
    }
    pthread_mutex_unlock(&s->lock);
    return outcome;
}

static int32_t flush(VmafBackendSession *session)
{
    (void)session;
    return VMAF_BACKEND_OK;
}

static void cancel(VmafBackendSession *session)
{
    Session *s = (Session *)session;
    pthread_mutex_lock(&s->lock);
    s->cancelled = true;
    pthread_mutex_unlock(&s->lock);
}

#else

static int32_t reset(VmafBackendSession *session)
{
    return inner->reset(((Session *)session)->inner);
}

static int32_t submit(VmafBackendSession *session, const VmafBackendFrame *frame)
{
    return inner->submit(((Session *)session)->inner, frame);
}

static int32_t collect(VmafBackendSession *session, uint32_t timeout_ms, VmafBackendResult *result)
{
    Session *s = (Session *)session;
    const int32_t outcome = inner->collect(s->inner, timeout_ms, result);
    if (outcome)
        return outcome;
    for (uint32_t i = 0; i < s->n_requests; i++) {
        const unsigned char *record = result->records[i];
        if (!record || result->status[i])
            continue;
        fprintf(s->file, "%u %u %" PRIu64 " %u: ", s->number, s->collected, result->sequence, i);
        for (size_t k = 0; k < s->record_size[i]; k++)
            fprintf(s->file, "%02x", record[k]);
        fputc('\n', s->file);
    }
    fflush(s->file);
    s->collected++;
    return VMAF_BACKEND_OK;
}

static int32_t flush(VmafBackendSession *session)
{
    return inner->flush(((Session *)session)->inner);
}

static void cancel(VmafBackendSession *session)
{
    inner->cancel(((Session *)session)->inner);
}

#endif

static void last_error(uint32_t object_kind, const void *object, char *text, uint32_t size)
{
    if (object_kind == VMAF_BACKEND_OBJECT_DEVICE)
        inner->last_error(object_kind, object, text, size);
    else if (size)
        snprintf(text, size, "there is no such record");
}

static VmafBackend backend;

static void wrap(void)
{
    inner = inner_backend_entry();
    backend = *inner;
    backend.name = BACKEND_NAME;
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
