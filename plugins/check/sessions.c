/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Groups about frames and their records. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "check.h"

typedef struct Pair {
    TestPicture ref, dist;
} Pair;

static Pair pair_of(const Format *format, unsigned frame, Layout layout)
{
    return (Pair){test_picture(format, frame, false, false, layout),
                  test_picture(format, frame, true, false, layout)};
}

static void pair_forbid(Pair *pair)
{
    test_picture_forbid(&pair->ref);
    test_picture_forbid(&pair->dist);
}

static void pair_free(Pair *pair)
{
    test_picture_free(&pair->ref);
    test_picture_free(&pair->dist);
}

/* Runs `check` for the first formats, with the records of a plain run to compare with. */
static void for_formats(const Subject *subject, unsigned n_formats,
                        void (*check)(Stream *stream, const Records *plain))
{
    VmafBackendDevice *device = open_device(subject);
    Format format;
    for (unsigned n = 0; n < n_formats && format_to_try(subject, n, &format); n++) {
        Records *plain = calloc(1, sizeof(*plain));
        Stream stream = stream_open(subject, device, &format, 1);
        stream_score(&stream, plain);
        stream_close(&stream);
        stream = stream_open(subject, device, &format, 4);
        check(&stream, plain);
        stream_close(&stream);
        records_free(plain);
        free(plain);
    }
    subject->api->device_close(device);
}

/* ---- order: several frames in flight, collected by another thread ---- */

typedef struct Collector {
    Stream *stream;
    Records *records;
    Pair *pairs;
    unsigned every;
    atomic_uint collected;
} Collector;

static void *collect_all(void *argument)
{
    Collector *c = argument;
    for (unsigned f = 0; f < N_FRAMES; f++) {
        int32_t outcome;
        do { /* repeat until the other thread has submitted the frame */
            outcome = stream_collect(c->stream, f, f, c->every, c->records);
            if (outcome == VMAF_BACKEND_NOTHING)
                sched_yield();
        } while (outcome == VMAF_BACKEND_NOTHING);
        require(!outcome, 24, "collect returns %d", outcome);
        pair_forbid(&c->pairs[f]); /* from here on the pixels belong to the host */
        atomic_store(&c->collected, f + 1);
    }
    return NULL;
}

static void run_in_flight(Stream *stream, Records *records, unsigned every, Layout layout)
{
    Pair pairs[N_FRAMES];
    for (unsigned f = 0; f < N_FRAMES; f++)
        pairs[f] = pair_of(&stream->format, f, layout);
    Collector collector = {.stream = stream, .records = records, .pairs = pairs, .every = every};
    pthread_t thread;
    require(!pthread_create(&thread, NULL, collect_all, &collector), 30, "no thread");
    for (unsigned f = 0; f < N_FRAMES; f++) {
        while (f - atomic_load(&collector.collected) >= stream->slots)
            sched_yield();
        const int32_t outcome =
            stream_submit(stream, f, &pairs[f].ref, &pairs[f].dist, false, every);
        require(!outcome, 20, "submit returns %d with %u of %u slots taken", outcome,
                f - atomic_load(&collector.collected), stream->slots);
    }
    expect(!stream->subject->api->flush(stream->session), 26, "flush fails");
    pthread_join(thread, NULL);
    for (unsigned f = 0; f < N_FRAMES; f++)
        pair_free(&pairs[f]);
}

static void expect_all_equal(const Records *records, const Records *plain, unsigned requirement,
                             const char *what)
{
    for (unsigned f = 0; f < N_FRAMES; f++)
        expect_equal(records, plain, f, requirement, what);
}

static void check_order(Stream *stream, const Records *plain)
{
    const ProcessState before = process_state_now();
    Records *records = calloc(1, sizeof(*records));
    run_in_flight(stream, records, 1, LAYOUT_TIGHT);
    expect_all_equal(records, plain, 24, "several frames in flight");
    expect(stream_collect(stream, 0, 0, 1, NULL) == VMAF_BACKEND_NOTHING, 24,
           "collect with nothing outstanding is not NOTHING");
    expect(count_interruptible_threads() == 0, 34, "its threads do not block all signals");
    records_free(records);

    if (stream->subject->api->reset) {
        expect(!stream->subject->api->reset(stream->session), 29, "reset fails");
        run_in_flight(stream, records, 2, LAYOUT_TIGHT);
        expect_all_equal(records, plain, 29, "after a reset, half of the requests");
        records_free(records);
    }
    free(records);
    expect_process_state(&before, "scoring");
}

static void run_order(const Subject *subject)
{
    for_formats(subject, SOME_FORMATS, check_order);
}

const Group order_group = {"order", run_order};

/* ---- context: jumps, and neighbours that are only remembered ---- */

static void jump(Stream *stream, const Records *plain, unsigned to, unsigned n_context,
                 uint64_t offset, const char *what)
{
    Records *records = calloc(1, sizeof(*records));
    Pair pairs[N_FRAMES];
    const unsigned first = to - n_context;
    for (unsigned f = first; f < N_FRAMES; f++) {
        const bool context = f < to;
        pairs[f] = pair_of(&stream->format, f, LAYOUT_TIGHT);
        TestPicture *dist = context && f % 2 ? NULL : &pairs[f].dist; /* optional with CONTEXT */
        require(!stream_submit(stream, offset + f, &pairs[f].ref, dist, context, 1), 23,
                "%s: submit of a %s fails", what, context ? "context frame" : "frame");
        if (context)
            continue;
        require(!stream_collect(stream, offset + f, f, 1, records), 24, "collect fails");
        expect_equal(records, plain, f, 23, what);
        for (unsigned k = first; k <= f; k++)
            pair_forbid(&pairs[k]);
    }
    for (unsigned f = first; f < N_FRAMES; f++)
        pair_free(&pairs[f]);
    records_free(records);
    free(records);
}

static void check_context(Stream *stream, const Records *plain)
{
    const Subject *subject = stream->subject;
    unsigned n_context = 0;
    for (uint32_t i = 0; i < subject->api->n_features; i++) {
        const VmafBackendFeature f = get_feature(subject, i);
        n_context = f.ref_before > n_context ? f.ref_before : n_context;
        n_context = f.dist_before > n_context ? f.dist_before : n_context;
    }
    jump(stream, plain, 5, n_context, 1000, "after a jump forwards");
    jump(stream, plain, 3, n_context, 0, "after a jump backwards");
}

/* Checks that records which compare frames are zero where no neighbours were submitted. */
static void check_start(const Subject *subject)
{
    VmafBackendDevice *device = open_device(subject);
    Format format;
    format_to_try(subject, 0, &format);
    Stream stream = stream_open(subject, device, &format, 1);
    Records *records = calloc(1, sizeof(*records));
    Pair pair = pair_of(&format, 3, LAYOUT_TIGHT);
    require(!stream_submit(&stream, 7, &pair.ref, &pair.dist, false, 1), 20, "submit fails");
    require(!stream_collect(&stream, 7, 0, 1, records), 24, "collect fails");
    for (uint32_t i = 0; i < stream.n_requests; i++) {
        const VmafBackendFeature f = get_feature(subject, stream.feature[i]);
        if (f.record_kind == VMAF_BACKEND_RECORD_SCORES || !(f.ref_before || f.dist_before))
            continue;
        for (size_t k = 0; records->data[0][i] && k < records->size[i]; k++)
            require(records->data[0][i][k] == 0, 23,
                    "%s: the record of a frame without its neighbours is not zero", f.name);
    }
    pair_free(&pair);
    records_free(records);
    free(records);
    stream_close(&stream);
    subject->api->device_close(device);
}

static void run_context(const Subject *subject)
{
    for_formats(subject, SOME_FORMATS, check_context);
    check_start(subject);
}

const Group context_group = {"context", run_context};

/* ---- pixels: any layout in memory ---- */

static void check_pixels(Stream *stream, const Records *plain)
{
    Records *records = calloc(1, sizeof(*records));
    run_in_flight(stream, records, 1, LAYOUT_BOTTOM_UP);
    expect_all_equal(records, plain, 21, "negative strides, rows that are not aligned");
    records_free(records);
    free(records);
}

static void run_pixels(const Subject *subject)
{
    for_formats(subject, N_FORMATS, check_pixels);
}

const Group pixels_group = {"pixels", run_pixels};

/* ---- noise: samples beyond the bit depth ---- */

static void run_noise(const Subject *subject)
{
    VmafBackendDevice *device = open_device(subject);
    Format format;
    for (unsigned n = 0; format_to_try(subject, n, &format); n++) {
        Stream stream = stream_open(subject, device, &format, 1);
        for (unsigned f = 0; f < N_FRAMES; f++) {
            TestPicture ref = test_picture(&format, 2 * f, false, true, LAYOUT_TIGHT);
            TestPicture dist = test_picture(&format, 2 * f + 1, true, true, LAYOUT_TIGHT);
            require(!stream_submit(&stream, f, &ref, &dist, false, 1), 22, "submit fails");
            require(!stream_collect(&stream, f, 0, 1, NULL), 22, "collect fails");
            test_picture_free(&ref);
            test_picture_free(&dist);
        }
        stream_close(&stream);
    }
    subject->api->device_close(device);
}

const Group noise_group = {"noise", run_noise};

/* ---- cancel, close ---- */

static void *wait_for_cancelled(void *argument)
{
    Stream *stream = argument;
    int32_t outcome = VMAF_BACKEND_OK;
    for (unsigned f = 0; !outcome; f++) { /* finished frames can still be collected */
        outcome = stream_collect(stream, f, 0, 1, NULL);
        while (outcome == VMAF_BACKEND_NOTHING) {
            sched_yield();
            outcome = stream_collect(stream, f, 0, 1, NULL);
        }
    }
    expect(outcome == VMAF_BACKEND_CANCELLED, 27, "collect returns %d after cancel", outcome);
    return NULL;
}

static void run_cancel(const Subject *subject)
{
    VmafBackendDevice *device = open_device(subject);
    Format format;
    format_to_try(subject, 0, &format);
    for (unsigned round = 0; round < 8; round++) {
        Stream stream = stream_open(subject, device, &format, 4);
        Pair pairs[4] = {0};
        pthread_t thread;
        require(!pthread_create(&thread, NULL, wait_for_cancelled, &stream), 30, "no thread");
        for (unsigned f = 0; f < 4 && f < stream.slots && f < round; f++) {
            pairs[f] = pair_of(&format, f, LAYOUT_TIGHT);
            require(!stream_submit(&stream, f, &pairs[f].ref, &pairs[f].dist, false, 1), 20,
                    "submit fails");
        }
        subject->api->cancel(stream.session);
        pthread_join(thread, NULL);
        Pair late = pair_of(&format, 9, LAYOUT_TIGHT);
        expect(stream_submit(&stream, 9, &late.ref, &late.dist, false, 1) == VMAF_BACKEND_CANCELLED,
               27, "submit after cancel is not CANCELLED");
        stream_close(&stream);
        for (unsigned f = 0; f < 4; f++)
            pair_free(&pairs[f]);
        pair_free(&late);
    }
    subject->api->device_close(device);
}

const Group cancel_group = {"cancel", run_cancel};

static void close_with_frames_outstanding(const Subject *subject, VmafBackendDevice *device,
                                          unsigned n_frames)
{
    Format format;
    format_to_try(subject, 1, &format);
    Stream stream = stream_open(subject, device, &format, 4);
    Pair pairs[4] = {0};
    for (unsigned f = 0; f < n_frames && f < stream.slots; f++) {
        pairs[f] = pair_of(&format, f, LAYOUT_TIGHT);
        require(!stream_submit(&stream, f, &pairs[f].ref, &pairs[f].dist, false, 1), 20,
                "submit fails");
    }
    stream_close(&stream);
    for (unsigned f = 0; f < 4; f++) /* nothing reads the pictures after the session */
        pair_free(&pairs[f]);
}

static void run_close(const Subject *subject)
{
    VmafBackendDevice *device = open_device(subject);
    for (unsigned n = 0; n < 5; n++)
        close_with_frames_outstanding(subject, device, n);
    /* Drivers keep threads and files of their own; sessions must not add to them. */
    const unsigned threads = count_threads(), files = count_files();
    for (unsigned n = 0; n < 10; n++)
        close_with_frames_outstanding(subject, device, n % 5);
    expect(count_threads() <= threads, 28, "closing a session leaves threads behind");
    expect(count_files() <= files, 28, "closing a session leaves files open");
    subject->api->device_close(device);
}

const Group close_group = {"close", run_close};

/* ---- parallel: sessions are independent ---- */

typedef struct Runner {
    const Subject *subject;
    VmafBackendDevice *device;
    const Records *plain;
    Format format;
} Runner;

static void *score_alone(void *argument)
{
    Runner *runner = argument;
    Stream stream = stream_open(runner->subject, runner->device, &runner->format, 2);
    Records *records = calloc(1, sizeof(*records));
    stream_score(&stream, records);
    expect_all_equal(records, runner->plain, 30, "beside other sessions");
    records_free(records);
    free(records);
    stream_close(&stream);
    return NULL;
}

static void run_parallel(const Subject *subject)
{
    enum { N_RUNNERS = 4 };
    VmafBackendDevice *device = open_device(subject);
    Runner runner = {.subject = subject, .device = device};
    format_to_try(subject, 0, &runner.format);
    Records *plain = calloc(1, sizeof(*plain));
    Stream stream = stream_open(subject, device, &runner.format, 1);
    stream_score(&stream, plain);
    stream_close(&stream);
    runner.plain = plain;
    pthread_t threads[N_RUNNERS];
    for (unsigned i = 0; i < N_RUNNERS; i++)
        require(!pthread_create(&threads[i], NULL, score_alone, &runner), 30, "no thread");
    for (unsigned i = 0; i < N_RUNNERS; i++)
        pthread_join(threads[i], NULL);
    records_free(plain);
    free(plain);
    subject->api->device_close(device);
}

const Group parallel_group = {"parallel", run_parallel};

/* ---- ending: the process ends with the plugin in it ---- */

static void run_ending(const Subject *subject)
{
    VmafBackendProbe probe = {.struct_size = sizeof(probe)};
    if (subject->api->probe(&probe) || probe.n_devices <= subject->device)
        return; /* the other groups report it */
    VmafBackendDevice *device = open_device(subject);
    for (unsigned n = 0; n < 2; n++)
        close_with_frames_outstanding(subject, device, n);
    subject->api->device_close(device);
}

const Group ending_group = {"ending", run_ending};
