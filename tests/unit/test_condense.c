/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Records that are condensed before they are finished, with a backend played by the test. */

#include "engine/cpu_workers.h"
#include "engine/frame_queue.h"
#include "engine/frame_queue_internal.h"
#include "picture/picture.h"
#include "platform/time.h"
#include "support/cases.h"

/* A record is 100, condensed to 100 + 10 `bonus`, and finished to that + `shift`. */
enum { ACCUMULATED = 100, FRAMES = 40 };

typedef struct FakeOptions {
    int count, bonus, shift;
} FakeOptions;

static const OptionSpec fake_options[] = {
    {.name = "count",
     .type = OPTION_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(FakeOptions, count),
     .max = 9},
    {.name = "bonus",
     .type = OPTION_INT,
     .flags = OPTION_NAMED | OPTION_CONDENSE,
     .offset = offsetof(FakeOptions, bonus),
     .max = 9},
    {.name = "shift",
     .type = OPTION_INT,
     .flags = OPTION_NAMED,
     .offset = offsetof(FakeOptions, shift),
     .max = 9},
    {0},
};

static const FeatureOutput fake_outputs[] = {{"fake", OUTPUT_PROVIDED}, {0}};

typedef struct FakePlan {
    unsigned n;
    const FakeOptions *variants[REQUESTS_MAX];
} FakePlan;

static int fake_plan_create(void **created, const PictureFormat *format,
                            const void *const variants[], unsigned n, unsigned cpu_flags)
{
    static FakePlan params;
    params.n = n;
    for (unsigned i = 0; i < n; i++)
        params.variants[i] = variants[i];
    *created = &params;
    return 0;
}

static void fake_plan_destroy(void *params)
{
}

static int fake_accumulate(const void *params, void *scratch, const FrameInput *input, RowBand band,
                           void *const records[])
{
    const FakePlan *fake = params;
    assert_non_null(input->ref->data[0]);
    for (unsigned i = 0; i < fake->n; i++) {
        if (records[i])
            *(uint64_t *)records[i] += ACCUMULATED;
    }
    return 0;
}

static void fake_condense(const void *params, void *scratch, void *const records[])
{
    const FakePlan *fake = params;
    for (unsigned i = 0; i < fake->n; i++) {
        uint64_t *record = records[i];
        if (!record)
            continue;
        assert_int_equal(*record, ACCUMULATED); /* once, and of nothing else */
        *record += 10 * (uint64_t)fake->variants[i]->bonus;
    }
}

static int fake_finish(const FinishInput *input, FeatureSink *sink)
{
    return 0;
}

static const FeatureExtractor condensing = {
    .name = "condensing",
    .outputs = fake_outputs,
    .options = fake_options,
    .options_size = sizeof(FakeOptions),
    .needs = {.planes = PLANE_Y},
    .record = {.size = sizeof(uint64_t)},
    .params_create = fake_plan_create,
    .params_destroy = fake_plan_destroy,
    .accumulate = fake_accumulate,
    .condense = fake_condense,
    .finish = fake_finish,
};

typedef struct Fixture {
    Logger logger;
    FeatureSet features;
    WorkList work;
    FrameQueue *queue;
    RequestMask all;
    unsigned n_retired;
} Fixture;

static const atomic_bool stays;

static void retire(void *cookie, const Frame *frame)
{
    Fixture *f = cookie;
    for (unsigned r = 0; r < f->work.n_requests; r++) {
        const FakeOptions *options = f->work.requests[r].options;
        const bool scores = f->work.requests[r].scores;
        assert_int_equal(frame->status[r], 0);
        assert_int_equal(*(uint64_t *)frame_record(f->queue, frame, r),
                         ACCUMULATED + (scores ? 0 : 10 * options->bonus));
    }
    assert_null(frame->ref.ref);
    f->n_retired++;
}

static void add(Fixture *f, const char *count, const char *bonus, const char *shift)
{
    Dictionary *dict = dictionary_create();
    Reason why;
    assert_int_equal(dictionary_set(dict, "count", count), 0);
    assert_int_equal(dictionary_set(dict, "bonus", bonus), 0);
    assert_int_equal(dictionary_set(dict, "shift", shift), 0);
    assert_int_equal(feature_set_add(&f->features, &condensing, dict, true, &why), 0);
    dictionary_destroy(dict);
}

static int setup(void **state)
{
    static Fixture f;
    f = (Fixture){.logger.level = VMAF_LOG_LEVEL_NONE};
    feature_set_init(&f.features, &f.logger);
    add(&f, "1", "0", "0");
    add(&f, "1", "3", "0");
    add(&f, "1", "3", "5");
    add(&f, "2", "3", "0");
    PictureFormat format;
    const char *failed = NULL;
    Reason why;
    assert_int_equal(picture_format_init(&format, VMAF_PIX_FMT_YUV400P, 8, 4, 4), 0);
    assert_int_equal(work_list_create(&f.work, &f.features, &format, 0, &failed, &why), 0);
    assert_int_equal(frame_queue_create(&f.queue, &f.work, 4, retire, &f), 0);
    f.all = f.work.sampled;
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    Fixture *f = *state;
    frame_queue_destroy(f->queue);
    work_list_destroy(&f->work);
    feature_set_destroy(&f->features);
    return 0;
}

#define TEST(function) CASE_WITH(function, setup, teardown)

static void submit(Fixture *f)
{
    Frame frame = {.wanted = f->all};
    assert_int_equal(picture_alloc(&frame.ref, VMAF_PIX_FMT_YUV400P, 8, 4, 4), 0);
    assert_int_equal(picture_alloc(&frame.dist, VMAF_PIX_FMT_YUV400P, 8, 4, 4), 0);
    frame_queue_submit(f->queue, &frame);
}

/* The backend computes some requests of a frame; false: nobody has left it one. */
static bool compute(Fixture *f, const RequestMask *requests, Frame **frame)
{
    RequestMask claimed;
    if (!frame_queue_claim_whole(f->queue, 0, requests, &stays, 0, frame, &claimed))
        return false;
    for (unsigned r = 0; r < f->work.n_requests; r++) {
        if (mask_has(&claimed, r))
            *(uint64_t *)frame_record(f->queue, *frame, r) = ACCUMULATED;
    }
    frame_queue_complete_whole(f->queue, *frame, &claimed, "played");
    return true;
}

static CpuClient *start_workers(Fixture *f, const RequestMask *requests, unsigned n_threads)
{
    CpuClient *cpu;
    assert_int_equal(cpu_client_create(&cpu, &f->work, f->queue, requests, n_threads), 0);
    return cpu;
}

TEST(given_options_that_condense_in_another_way_then_requests_are_of_their_own)
{
    Fixture *f = *state;
    assert_int_equal(f->work.n_requests, 3);
    assert_int_equal(f->features.instances[1]->request, f->features.instances[2]->request);
    assert_true(mask_equal(&f->work.condensed, &f->all));
}

TEST(given_records_of_a_backend_then_frames_wait_to_be_condensed_without_pictures)
{
    Fixture *f = *state;
    Frame *frame, *arrived, *again;
    RequestMask taken;
    submit(f);
    assert_false(frame_queue_try_claim_arrived(f->queue, &arrived, &taken));
    assert_true(compute(f, &f->all, &frame));
    assert_int_equal(f->n_retired, 0);
    assert_null(frame->ref.ref); /* while the frame is not complete */
    /* Neither a backend nor a worker computes it again. */
    assert_false(compute(f, &f->all, &again));
    assert_false(frame_queue_try_claim(f->queue, &f->all, 1, &again, &taken));
    assert_true(frame_queue_try_claim_arrived(f->queue, &arrived, &taken));
    assert_ptr_equal(arrived, frame);
    assert_true(mask_equal(&taken, &f->all));
    assert_false(frame_queue_try_claim_arrived(f->queue, &again, &taken));
    for (unsigned r = 0; r < f->work.n_requests; r++)
        *(uint64_t *)frame_record(f->queue, frame, r) +=
            10 * (uint64_t)((const FakeOptions *)f->work.requests[r].options)->bonus;
    frame_queue_complete(f->queue, frame, &f->all, 0);
    assert_int_equal(f->n_retired, 1);
}

TEST(given_a_part_of_a_frame_then_its_pictures_stay_until_the_rest_is_computed)
{
    Fixture *f = *state;
    RequestMask first = {{0}}, rest, claimed;
    Frame *frame, *other;
    CpuClient *cpu = start_workers(f, &f->all, 0);
    mask_add(&first, 0);
    rest = mask_without(f->all, &first);
    submit(f);
    assert_true(compute(f, &rest, &frame));
    assert_non_null(frame->ref.ref);
    assert_true(frame_queue_try_claim(f->queue, &f->all, 1, &other, &claimed));
    assert_true(mask_equal(&claimed, &first));
    assert_true(cpu_client_help(cpu)); /* condenses the rest meanwhile */
    assert_non_null(frame->ref.ref);
    *(uint64_t *)frame_record(f->queue, frame, 0) = ACCUMULATED;
    frame_queue_complete(f->queue, frame, &first, 0);
    assert_int_equal(f->n_retired, 1);
    cpu_client_destroy(cpu);
}

TEST(given_scores_of_a_backend_then_they_are_not_condensed)
{
    Fixture *f = *state;
    Frame *frame, *arrived;
    RequestMask taken;
    for (unsigned r = 0; r < f->work.n_requests; r++)
        f->work.requests[r].scores = true;
    submit(f);
    assert_true(compute(f, &f->all, &frame));
    assert_int_equal(f->n_retired, 1);
    assert_int_equal(f->queue->n_arrived, 0); /* frames to be looked through */
    assert_false(frame_queue_try_claim_arrived(f->queue, &arrived, &taken));
}

TEST(given_workers_without_requests_of_their_own_then_they_condense)
{
    Fixture *f = *state;
    const RequestMask none = {{0}};
    Frame *frame;
    CpuClient *cpu = start_workers(f, &none, 2);
    for (unsigned i = 0; i < FRAMES; i++) {
        submit(f);
        assert_true(compute(f, &f->all, &frame));
    }
    frame_queue_wait(f->queue, FRAMES - 1);
    assert_int_equal(f->n_retired, FRAMES);
    cpu_client_destroy(cpu);
}

TEST(given_workers_and_a_backend_then_each_record_is_condensed_once)
{
    Fixture *f = *state;
    Frame *frame;
    CpuClient *cpu = start_workers(f, &f->all, 2);
    for (unsigned i = 0; i < FRAMES; i++) {
        submit(f);
        compute(f, &f->all, &frame);
    }
    frame_queue_wait(f->queue, FRAMES - 1);
    assert_int_equal(f->n_retired, FRAMES);
    cpu_client_destroy(cpu);
}

static bool help(void *cookie)
{
    return cpu_client_help(cookie);
}

TEST(given_no_workers_then_who_waits_condenses)
{
    Fixture *f = *state;
    const RequestMask none = {{0}};
    Frame *frame;
    CpuClient *cpu = start_workers(f, &none, 0);
    frame_queue_set_help(f->queue, help, cpu);
    for (unsigned i = 0; i < FRAMES; i++) {
        submit(f); /* waits for room, which is made by condensing */
        assert_true(compute(f, &f->all, &frame));
    }
    frame_queue_wait(f->queue, FRAMES - 1);
    assert_int_equal(f->n_retired, FRAMES);
    submit(f);
    assert_true(compute(f, &f->all, &frame));
    cpu_client_run(cpu, &f->all);
    assert_int_equal(f->n_retired, FRAMES + 1);
    cpu_client_destroy(cpu);
}
