/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/limited_call.h"
#include "backend/session/session_internal.h"
#include "picture/picture_pool.h"
#include "support/memory.h"
#include "trace/trace.h"

enum { POSITIONS_MAX = 10, SCORED_MAX = 5 };

typedef struct Sequence {
    unsigned width, height;
    unsigned n_positions, n_scored;
    unsigned scored[SCORED_MAX];
    void (*draw)(VmafPicture *ref, VmafPicture *dist, unsigned position);
} Sequence;

/*
 * The first sequence has all kinds of cells, and neighbours: positions 0, 1, 2, then a jump to 8
 * and 9, whose neighbours 6 and 7 are context. Each of the others is large in one direction, for
 * errors that only occur there, at a fraction of the cost of a large picture. The last one is
 * smooth, which the cells are not.
 */
static const Sequence sequences[] = {
    {144, 112, 10, 5, {0, 1, 2, 8, 9}, test_pattern_draw},
    {1272, 112, 3, 3, {0, 1, 2}, test_pattern_draw},
    {144, 1272, 3, 3, {0, 1, 2}, test_pattern_draw},
    {232, 72, 2, 2, {0, 1}, test_pattern_draw_bands},
};
enum { N_SEQUENCES = sizeof(sequences) / sizeof(sequences[0]) };

typedef struct SelfTest {
    const Sequence *sequence;
    BackendDevice *device;
    const BackendSessionParams *params;
    BackendCoverage *coverage;  /* the caller's */
    BackendCoverage *attempted; /* of the plan for the sequence */
    PictureFormat format;
    VmafPicture ref[POSITIONS_MAX], dist[POSITIONS_MAX];
    uint64_t wanted[4];
    unsigned ref_before, dist_before;
    void **records; /* of one frame, by request; NULL where nothing is tested */
    void *block;    /* all records */
    BackendSession *session;
} SelfTest;

static bool takes_part(const BackendCoverage *coverage)
{
    return coverage->placement == VMAF_PLACEMENT_BACKEND && coverage->exact;
}

/* ---- the sequence ---- */

static unsigned within(unsigned value, unsigned least, unsigned greatest)
{
    if (value < least)
        return least;
    return greatest && value > greatest ? greatest : value;
}

/* Some pictures are in memory that is registered with devices, and some are not: devices read the
 * two in different ways. */
static int make_picture(const SelfTest *test, VmafPicture *pic, unsigned position)
{
    const PictureFormat *format = &test->format;
    return position % 2
               ? picture_alloc(pic, format->pix_fmt, format->bpc, format->w[0], format->h[0])
               : picture_alloc_in_block(pic, format);
}

static bool is_accepted(const SelfTest *test)
{
    const Workload *workload = test->params->workload;
    for (unsigned r = 0; r < workload->n_requests; r++) {
        const WorkloadRequest *request = &workload->requests[r];
        if (takes_part(&test->coverage[r]) &&
            extractor_check_format(request->extractor, request->options, &test->format, NULL))
            return false;
    }
    return true;
}

/* About twice as much, and as odd. */
static unsigned doubled(unsigned size)
{
    return size + (size > 1 ? size / 2 * 2 : 2);
}

/* Sets the format, with the smaller side doubled until all that is tested accepts it. Odd sizes
 * remain odd. What no such size suits gets pictures like the frames to come, which it accepts. */
static int choose_format(SelfTest *test, unsigned w, unsigned h)
{
    const PictureFormat *frames = &test->params->workload->format;
    int err = picture_format_init(&test->format, frames->pix_fmt, frames->bpc, w, h);
    while (!err && !is_accepted(test) && (w < frames->w[0] || h < frames->h[0])) {
        if (h <= w)
            h = doubled(h);
        else
            w = doubled(w);
        err = picture_format_init(&test->format, frames->pix_fmt, frames->bpc, w, h);
    }
    if (!err && !is_accepted(test))
        err = picture_format_init(&test->format, frames->pix_fmt, frames->bpc, frames->w[0],
                                  frames->h[0]);
    return err;
}

static int make_sequence(SelfTest *test)
{
    const Workload *workload = test->params->workload;
    const Plugin *plugin = backend_device_plugin(test->device);
    /* Odd if the frames to come are: the arithmetic of borders differs. */
    unsigned w = test->sequence->width | (workload->format.w[0] & 1);
    unsigned h = test->sequence->height | (workload->format.h[0] & 1);
    for (unsigned r = 0; r < workload->n_requests; r++) {
        const PluginFeature *feature =
            takes_part(&test->coverage[r])
                ? plugin_find_feature(plugin, workload->requests[r].extractor->name)
                : NULL;
        if (!feature)
            continue;
        w = within(w, feature->spec.width_min, feature->spec.width_max);
        h = within(h, feature->spec.height_min, feature->spec.height_max);
    }
    int err = choose_format(test, w, h);
    for (unsigned i = 0; i < test->sequence->n_positions && !err; i++) {
        err = make_picture(test, &test->ref[i], i);
        if (!err)
            err = make_picture(test, &test->dist[i], i);
        if (!err)
            test->sequence->draw(&test->ref[i], &test->dist[i], i);
    }
    return err;
}

/* ---- what the backend computes ---- */

static int submit(SelfTest *test, unsigned position, bool context, Reason *why)
{
    const BackendSessionFrame frame = {
        .sequence = position,
        .context = context,
        .wanted = context ? NULL : test->wanted,
        .ref = &test->ref[position],
        .dist = context && !test->dist_before ? NULL : &test->dist[position],
    };
    return backend_session_submit(test->session, &frame, why);
}

static int submit_with_context(SelfTest *test, unsigned place, Reason *why)
{
    const unsigned *scored = test->sequence->scored;
    unsigned position = scored[place];
    int err = 0;
    if (place && scored[place - 1] + 1 != position) {
        unsigned before =
            test->ref_before > test->dist_before ? test->ref_before : test->dist_before;
        for (unsigned d = before; d > 0 && !err; d--)
            err = submit(test, position - d, true, why);
    }
    return err ? err : submit(test, position, false, why);
}

/* The size for pictures of the test: records of kind BYTES are larger or smaller than those to
 * come. */
static size_t record_size(const SelfTest *test, const WorkloadRequest *request)
{
    return extractor_record_size(request->extractor, request->options, &test->format);
}

/* The CPU's record of a request for one of the scored frames. */
static int accumulate(const SelfTest *test, const WorkloadRequest *request, void *plan,
                      void *scratch, unsigned place, void *record)
{
    const unsigned position = test->sequence->scored[place];
    FrameInput input = {.ref = &test->ref[position], .dist = &test->dist[position]};
    for (unsigned d = 0; d < FEATURE_MAX_HISTORY; d++) {
        if (position <= d)
            continue;
        input.earlier_ref[d] = &test->ref[position - d - 1];
        input.earlier_dist[d] = &test->dist[position - d - 1];
    }
    const RowBand whole = {0, test->format.h[0]};
    memset(record, 0, record_size(test, request));
    return request->extractor->accumulate(plan, scratch, &input, whole, &record);
}

static size_t record_stride(const SelfTest *test, const WorkloadRequest *request)
{
    return size_round_up(record_size(test, request), MEMORY_ALIGNMENT);
}

static unsigned char *record_of(const SelfTest *test, unsigned request, unsigned place)
{
    return (unsigned char *)test->records[request] +
           place * record_stride(test, &test->params->workload->requests[request]);
}

static int compare(SelfTest *test, unsigned r)
{
    const WorkloadRequest *request = &test->params->workload->requests[r];
    const FeatureExtractor *extractor = request->extractor;
    const size_t size = record_size(test, request);
    void *plan = NULL, *scratch = NULL, *truth = memory_alloc_zeroed(1, size);
    int err = truth ? 0 : -ENOMEM;
    if (!err)
        err = extractor_params_create(extractor, &plan, &test->format, &request->options, 1,
                                      test->params->workload->cpu_flags);
    if (!err)
        err = extractor_scratch_create(extractor, &scratch, plan);
    for (unsigned place = 0; place < test->sequence->n_scored && !err; place++) {
        err = accumulate(test, request, plan, scratch, place, truth);
        if (err || !memcmp(truth, record_of(test, r, place), size))
            continue;
        test->coverage[r].placement = VMAF_PLACEMENT_SELF_TEST;
        reason_set(&test->coverage[r].why, 0,
                   "its record of frame %u of the self-test differs from the CPU's, at %ux%u",
                   test->sequence->scored[place], test->format.w[0], test->format.h[0]);
        break;
    }
    extractor_scratch_destroy(extractor, scratch);
    extractor_params_destroy(extractor, plan);
    memory_free(truth);
    return err;
}

/* Some drivers compile a kernel when it runs for the first time. */
static unsigned limit_of_answer(const BackendSessionParams *params)
{
    unsigned generous = 3 * params->time_limit;
    return generous < params->opening_limit ? generous : params->opening_limit;
}

static int collect(SelfTest *test, unsigned place, Reason *why)
{
    const Workload *workload = test->params->workload;
    void *targets[256] = {0};
    for (unsigned r = 0; r < workload->n_requests; r++) {
        if (test->records[r])
            targets[r] = record_of(test, r, place);
    }
    CallLimit limit;
    int err = -ETIMEDOUT;
    call_limit_begin(&limit, vmaf_thread_self(), vmaf_thread_self(), limit_of_answer(test->params));
    while (err == -ETIMEDOUT && call_limit_left(&limit) > 0)
        err = backend_session_collect(test->session, test->sequence->scored[place], targets,
                                      call_limit_pause(&limit), why);
    return err == -ETIMEDOUT ? reason_set(why, err, "no answer in the self-test") : err;
}

static int run_sequence(SelfTest *test, Reason *why)
{
    const unsigned slots = backend_session_slots(test->session);
    const unsigned n_scored = test->sequence->n_scored;
    unsigned n_submitted = 0, n_collected = 0;
    int err = 0;
    while (n_collected < n_scored && !err) {
        if (n_submitted < n_scored && n_submitted - n_collected < slots) {
            err = submit_with_context(test, n_submitted++, why);
            if (!err && n_submitted == n_scored)
                err = backend_session_flush(test->session, why);
        } else {
            err = collect(test, n_collected++, why);
        }
    }
    return err;
}

/* ---- */

static int make_records(SelfTest *test)
{
    const Workload *workload = test->params->workload;
    size_t size = 0;
    for (unsigned r = 0; r < workload->n_requests; r++) {
        if (takes_part(&test->attempted[r]))
            size += test->sequence->n_scored * record_stride(test, &workload->requests[r]);
    }
    test->records = calloc(workload->n_requests + 1, sizeof(*test->records));
    test->block = memory_alloc_zeroed(1, size);
    if (!test->records || !test->block)
        return -ENOMEM;
    unsigned char *next = test->block;
    for (unsigned r = 0; r < workload->n_requests; r++) {
        const BackendCoverage *coverage = &test->attempted[r];
        if (!takes_part(coverage))
            continue;
        test->records[r] = next;
        next += test->sequence->n_scored * record_stride(test, &workload->requests[r]);
        test->wanted[r / 64] |= UINT64_C(1) << r % 64;
        if (coverage->ref_before > test->ref_before)
            test->ref_before = coverage->ref_before;
        if (coverage->dist_before > test->dist_before)
            test->dist_before = coverage->dist_before;
    }
    return 0;
}

/* A request that the backend declines for the test sequence cannot be tested, so it is not
 * trusted. */
static unsigned note_declined(SelfTest *test)
{
    unsigned remaining = 0;
    for (unsigned r = 0; r < test->params->workload->n_requests; r++) {
        if (!takes_part(&test->coverage[r]))
            continue;
        if (takes_part(&test->attempted[r])) {
            remaining++;
            continue;
        }
        test->coverage[r].placement = VMAF_PLACEMENT_SELF_TEST;
        reason_set(&test->coverage[r].why, 0, "it declines the self-test: %.200s",
                   test->attempted[r].why.text);
    }
    return remaining;
}

static int attempt(SelfTest *test, BackendAvailability *availability)
{
    const Workload *workload = test->params->workload;
    BackendPlan plan;
    int err = backend_plan_create(&plan, test->device, test->params, &test->format, test->attempted,
                                  availability);
    if (err)
        return err;
    if (!note_declined(test)) {
        backend_plan_destroy(&plan);
        return 0;
    }
    err = make_records(test);
    if (!err)
        err = session_start(&test->session, test->device, &plan, &availability->why);
    if (err) {
        backend_plan_destroy(&plan);
        return err;
    }
    err = run_sequence(test, &availability->why);
    for (unsigned r = 0; r < workload->n_requests && !err; r++)
        err = test->records[r] ? compare(test, r) : 0;
    session_end(test->session);
    return err;
}

static int run_one(SelfTest *test, BackendAvailability *availability)
{
    const unsigned n = test->params->workload->n_requests;
    unsigned n_tested = 0;
    test->attempted = calloc(n + 1, sizeof(*test->attempted));
    if (!test->attempted)
        return -ENOMEM;
    for (unsigned r = 0; r < n; r++) {
        test->attempted[r] = test->coverage[r];
        if (takes_part(&test->coverage[r]))
            n_tested++;
        else
            test->attempted[r].placement = VMAF_PLACEMENT_DECLINED;
    }
    int err = n_tested ? make_sequence(test) : 0;
    return err || !n_tested ? err : attempt(test, availability);
}

static void release(SelfTest *test)
{
    for (unsigned i = 0; i < POSITIONS_MAX; i++) {
        picture_unref(&test->ref[i]);
        picture_unref(&test->dist[i]);
    }
    free(test->attempted);
    free(test->records);
    memory_free(test->block);
}

int self_test_run(BackendDevice *device, const BackendSessionParams *params,
                  BackendCoverage coverage[], BackendAvailability *availability)
{
    int err = 0;
    TRACE_SCOPE(TRACE_BACKEND, "self-test");
    for (unsigned s = 0; s < N_SEQUENCES && !err; s++) {
        SelfTest test = {
            .sequence = &sequences[s], .device = device, .params = params, .coverage = coverage};
        err = run_one(&test, availability);
        release(&test);
    }
    return err ? backend_availability_fail(availability, err) : 0;
}
