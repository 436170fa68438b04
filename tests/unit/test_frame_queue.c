/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The queue between the caller and executors, with executors played by the test. */

#include "support/cases.h"

#include <errno.h>
#include <pthread.h>

#include "engine/frame_queue.h"
#include "picture/picture.h"
#include "platform/time.h"

typedef struct FakeOptions {
    int count; /* accumulate */
    int shift; /* finish */
} FakeOptions;

static const atomic_bool not_lost = false;

static const OptionSpec fake_options[] = {
    {.name = "count",
     .type = VMAF_OPTION_TYPE_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(FakeOptions, count),
     .max = 100},
    {.name = "shift",
     .type = VMAF_OPTION_TYPE_INT,
     .flags = OPTION_NAMED,
     .offset = offsetof(FakeOptions, shift),
     .max = 100},
    {0},
};

static const FeatureOutput fake_outputs[] = {{"fake", OUTPUT_PROVIDED}, {0}};

static FeatureNeeds fake_needs(const void *options)
{
    return (FeatureNeeds){.planes = PLANE_Y,
                          .ref_history = (unsigned)((const FakeOptions *)options)->count % 3};
}

static int fake_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                           void *const records[])
{
    return 0;
}

static int fake_finish(const FinishInput *input, FeatureSink *sink)
{
    return 0;
}

#define FAKE_EXTRACTOR(extractor_name, extractor_flags)                                            \
    {                                                                                              \
        .name = extractor_name, .flags = extractor_flags, .outputs = fake_outputs,                 \
        .options = fake_options, .options_size = sizeof(FakeOptions), .needs_of = fake_needs,      \
        .record = {.size = sizeof(uint64_t)}, .accumulate = fake_accumulate,                       \
        .finish = fake_finish,                                                                     \
    }

static const FeatureExtractor sampled = FAKE_EXTRACTOR("sampled", 0);
static const FeatureExtractor always = FAKE_EXTRACTOR("always", EXTRACTOR_EVERY_FRAME);

static void add(FeatureSet *features, const FeatureExtractor *extractor, const char *name,
                const char *value)
{
    Dictionary *dict = dictionary_create();
    assert_int_equal(dictionary_set(dict, name, value), 0);
    Reason why;
    assert_int_equal(feature_set_add(features, extractor, dict, true, &why), 0);
    dictionary_destroy(dict);
}

/* Four instances: two of `sampled` that share a request, one more of it, one of `always`. */
typedef struct Fixture {
    Logger logger;
    FeatureSet features;
    WorkList work;
    FrameQueue *queue;
    uint64_t retired[64];
    int statuses[64];
    const char *backends[64];
    unsigned n_retired;
    Frame *held;
    RequestMask held_requests;
    atomic_bool leave;
} Fixture;

static void retire(void *cookie, const Frame *frame)
{
    Fixture *f = cookie;
    uint64_t sum = 0;
    f->statuses[f->n_retired] = 0;
    for (unsigned r = 0; r < f->work.n_requests; r++) {
        if (!mask_has(&frame->wanted, r))
            continue;
        sum += *(uint64_t *)frame_record(f->queue, frame, r);
        if (frame->status[r])
            f->statuses[f->n_retired] = frame->status[r];
    }
    f->backends[f->n_retired] = mask_empty(&frame->by_backend) ? NULL
                                : frame->backend               ? frame->backend
                                                               : "nobody";
    assert_int_equal(frame->position, f->n_retired);
    f->retired[f->n_retired++] = sum;
}

static int setup(void **state)
{
    static Fixture f;
    f = (Fixture){.logger.level = VMAF_LOG_LEVEL_NONE};
    feature_set_init(&f.features, &f.logger);
    add(&f.features, &sampled, "count", "1");
    add(&f.features, &always, "count", "2");
    add(&f.features, &sampled, "count", "4");
    Dictionary *dict = dictionary_create();
    dictionary_set(dict, "count", "1");
    dictionary_set(dict, "shift", "3");
    Reason why;
    assert_int_equal(feature_set_add(&f.features, &sampled, dict, true, &why), 0);
    dictionary_destroy(dict);

    PictureFormat format;
    const char *failed = NULL;
    assert_int_equal(picture_format_init(&format, VMAF_PIX_FMT_YUV400P, 8, 4, 4), 0);
    assert_int_equal(work_list_create(&f.work, &f.features, &format, 0, &failed, &why), 0);
    assert_int_equal(frame_queue_create(&f.queue, &f.work, 4, retire, &f), 0);
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

static void submit(Fixture *f, bool all)
{
    Frame frame = {.wanted = f->work.every_frame};
    if (all)
        frame.wanted = mask_or(frame.wanted, &f->work.sampled);
    assert_int_equal(picture_alloc(&frame.ref, VMAF_PIX_FMT_YUV400P, 8, 4, 4), 0);
    assert_int_equal(picture_alloc(&frame.dist, VMAF_PIX_FMT_YUV400P, 8, 4, 4), 0);
    frame_queue_submit(f->queue, &frame);
}

/* Claims with the given groups and writes `value` into each record. */
static bool claim(Fixture *f, const RequestMask *groups, unsigned n_groups, uint64_t value,
                  Frame **frame, RequestMask *claimed)
{
    if (!frame_queue_try_claim(f->queue, groups, n_groups, frame, claimed))
        return false;
    for (unsigned r = 0; r < f->work.n_requests; r++) {
        if (!mask_has(claimed, r))
            continue;
        uint64_t *record = frame_record(f->queue, *frame, r);
        assert_int_equal(*record, 0);
        *record += value;
    }
    return true;
}

static RequestMask everything(const Fixture *f)
{
    return mask_or(f->work.every_frame, &f->work.sampled);
}

TEST(given_instances_when_planned_then_equal_accumulations_are_shared)
{
    Fixture *f = *state;
    assert_int_equal(f->work.n_units, 2);
    assert_int_equal(f->work.n_requests, 3);
    assert_int_equal(f->features.instances[0]->request, f->features.instances[3]->request);
    assert_int_not_equal(f->features.instances[0]->request, f->features.instances[2]->request);
    assert_int_equal(f->work.units[0].n_requests, 2);
    assert_int_equal(f->work.needs.ref_history, 2);
    assert_true(mask_has(&f->work.every_frame, (unsigned)f->features.instances[1]->request));
    assert_false(mask_has(&f->work.sampled, (unsigned)f->features.instances[1]->request));
}

TEST(given_completion_out_of_order_then_retirement_is_in_order)
{
    Fixture *f = *state;
    RequestMask all = everything(f);
    Frame *frames[3];
    RequestMask claimed[3];
    for (int i = 0; i < 3; i++)
        submit(f, true);
    for (int i = 0; i < 3; i++)
        assert_true(claim(f, &all, 1, (uint64_t)i + 1, &frames[i], &claimed[i]));
    Frame *none;
    RequestMask nothing;
    assert_false(claim(f, &all, 1, 1, &none, &nothing));

    frame_queue_complete(f->queue, frames[2], &claimed[2], 0);
    assert_null(frames[2]->ref.ref); /* pixels go although older frames are in work */
    frame_queue_complete(f->queue, frames[1], &claimed[1], -EIO);
    assert_int_equal(f->n_retired, 0);
    assert_non_null(frames[0]->ref.ref);
    frame_queue_complete(f->queue, frames[0], &claimed[0], 0);
    assert_int_equal(f->n_retired, 3);
    assert_int_equal(f->retired[0], 3);
    assert_int_equal(f->retired[1], 6);
    assert_int_equal(f->retired[2], 9);
    assert_int_equal(f->statuses[1], -EIO);
    frame_queue_wait(f->queue, 2);
}

TEST(given_subsampling_then_only_wanted_requests_are_offered)
{
    Fixture *f = *state;
    submit(f, false);
    Frame *frame;
    RequestMask claimed;
    assert_false(claim(f, &f->work.sampled, 1, 1, &frame, &claimed));
    assert_true(claim(f, &f->work.every_frame, 1, 7, &frame, &claimed));
    assert_true(mask_equal(&claimed, &f->work.every_frame));
    frame_queue_complete(f->queue, frame, &claimed, 0);
    assert_int_equal(f->n_retired, 1);
    assert_int_equal(f->retired[0], 7);

    Frame unwanted = {0};
    assert_int_equal(picture_alloc(&unwanted.ref, VMAF_PIX_FMT_YUV400P, 8, 4, 4), 0);
    assert_int_equal(picture_alloc(&unwanted.dist, VMAF_PIX_FMT_YUV400P, 8, 4, 4), 0);
    frame_queue_submit(f->queue, &unwanted);
    assert_int_equal(f->n_retired, 2);
}

static void submit_repetition(Fixture *f)
{
    Frame frame = {.wanted = everything(f), .repeats = true};
    assert_int_equal(picture_alloc(&frame.ref, VMAF_PIX_FMT_YUV400P, 8, 4, 4), 0);
    assert_int_equal(picture_alloc(&frame.dist, VMAF_PIX_FMT_YUV400P, 8, 4, 4), 0);
    frame_queue_submit(f->queue, &frame);
}

TEST(given_frames_that_repeat_then_nobody_computes_them)
{
    Fixture *f = *state;
    const RequestMask all = everything(f);
    Frame *frame, *other;
    RequestMask claimed;
    submit(f, true);
    submit_repetition(f);
    submit_repetition(f);
    assert_true(claim(f, &all, 1, 4, &frame, &claimed));
    assert_int_equal(frame->position, 0);
    assert_false(claim(f, &all, 1, 9, &other, &claimed));
    assert_false(frame_queue_claim_whole(f->queue, 0, &all, &not_lost, 0, &other, &claimed));
    assert_int_equal(f->n_retired, 0);
    frame_queue_complete(f->queue, frame, &all, 0);
    assert_int_equal(f->n_retired, 3);

    /* Its memory has been used again meanwhile. */
    for (int i = 0; i < 6; i++)
        submit_repetition(f);
    submit(f, true);
    assert_true(claim(f, &all, 1, 5, &frame, &claimed));
    submit_repetition(f);
    frame_queue_complete(f->queue, frame, &all, -EIO);
    assert_int_equal(f->n_retired, 11);
    for (int i = 0; i < 9; i++) {
        assert_int_equal(f->retired[i], 12);
        assert_int_equal(f->statuses[i], 0);
    }
    assert_int_equal(f->retired[10], 15);
    assert_int_equal(f->statuses[10], -EIO);
}

/* The report names the backend for them, too. */
TEST(given_a_repetition_of_what_a_backend_computed_then_it_has_computed_both)
{
    Fixture *f = *state;
    const RequestMask all = everything(f);
    Frame *frame;
    RequestMask claimed;
    submit(f, true);
    submit_repetition(f);
    assert_true(frame_queue_claim_whole(f->queue, 0, &all, &not_lost, 0, &frame, &claimed));
    frame_queue_complete_whole(f->queue, frame, &claimed, "device");
    assert_int_equal(f->n_retired, 2);
    assert_string_equal(f->backends[1], "device");
    submit(f, true);
    assert_true(claim(f, &all, 1, 1, &frame, &claimed));
    submit_repetition(f);
    frame_queue_complete(f->queue, frame, &claimed, 0);
    assert_null(f->backends[3]);
}

/* A device that can do a part of the features joins at the second frame, takes two frames at once,
 * answers one and is lost: the CPU does what it left. */
TEST(given_an_executor_that_joins_late_and_leaves_early_then_nothing_is_lost)
{
    Fixture *f = *state;
    const RequestMask cpu[2] = {f->work.units[0].requests, f->work.units[1].requests};
    const RequestMask device = f->work.units[0].requests;
    Frame *frame, *held[2];
    RequestMask claimed, taken[2];

    submit(f, true);
    submit(f, true);
    submit(f, true);
    while (claim(f, cpu, 2, 1, &frame, &claimed) && frame->position == 0)
        frame_queue_complete(f->queue, frame, &claimed, 0);
    assert_int_equal(f->n_retired, 1);
    frame_queue_give_back(f->queue, frame, &claimed);

    assert_true(claim(f, &device, 1, 1, &held[0], &taken[0]));
    assert_true(claim(f, &device, 1, 100, &held[1], &taken[1]));
    assert_int_equal(held[0]->position, 1);
    assert_int_equal(held[1]->position, 2);
    frame_queue_complete(f->queue, held[0], &taken[0], 0);
    frame_queue_give_back(f->queue, held[1], &taken[1]);

    while (claim(f, cpu, 2, 1, &frame, &claimed))
        frame_queue_complete(f->queue, frame, &claimed, 0);
    assert_int_equal(f->n_retired, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(f->retired[i], 3);
}

static const atomic_bool stays;

TEST(given_frames_in_work_when_stopped_then_claims_end_and_pixels_are_released)
{
    Fixture *f = *state;
    submit(f, true);
    frame_queue_stop(f->queue);
    Frame *frame;
    RequestMask claimed, all = everything(f);
    assert_false(frame_queue_try_claim(f->queue, &all, 1, &frame, &claimed));
    const RowWorkers workers = {&all, 1, 1, 1};
    assert_int_equal(frame_queue_set_row_workers(f->queue, &workers), 0);
    WorkItem item;
    assert_false(frame_queue_wait_for_unit(f->queue, 0, &item));
    assert_false(frame_queue_claim_whole(f->queue, 0, &all, &stays, -1, &frame, &claimed));
    assert_int_equal(f->n_retired, 0);
}

static void *complete_slowly(void *argument)
{
    Fixture *f = argument;
    WorkItem item;
    for (int i = 0; i < 40 * 2; i++) { /* units */
        assert_true(frame_queue_wait_for_unit(f->queue, 0, &item));
        frame_queue_complete(f->queue, item.frame, &item.requests, 0);
    }
    return NULL;
}

TEST(given_more_frames_than_slots_when_submitting_then_it_waits)
{
    Fixture *f = *state;
    const RequestMask groups[2] = {f->work.units[0].requests, f->work.units[1].requests};
    const RowWorkers workers = {groups, 2, 1, 1};
    assert_int_equal(frame_queue_set_row_workers(f->queue, &workers), 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, complete_slowly, f), 0);
    for (int i = 0; i < 40; i++)
        submit(f, true);
    frame_queue_wait(f->queue, 39);
    pthread_join(thread, NULL);
    assert_int_equal(f->n_retired, 40);
}

TEST(given_a_backend_then_it_claims_only_frames_that_nobody_has_begun_with)
{
    Fixture *f = *state;
    const RequestMask unit = f->work.units[0].requests;
    Frame *begun, *whole;
    RequestMask part, claimed;
    submit(f, true);
    submit(f, true);
    RequestMask one = {{0}};
    mask_add(&one, f->work.units[0].first_request);
    assert_true(claim(f, &one, 1, 1, &begun, &part));
    assert_true(frame_queue_claim_whole(f->queue, 0, &unit, &stays, 0, &whole, &claimed));
    assert_int_equal(whole->position, 1);
    assert_true(mask_equal(&claimed, &unit));
    Frame *none;
    RequestMask nothing;
    assert_false(frame_queue_claim_whole(f->queue, 0, &unit, &stays, 1, &none, &nothing));
    frame_queue_complete_whole(f->queue, whole, &claimed, "somebody");
    assert_string_equal(whole->backend, "somebody");
    assert_true(mask_equal(&whole->by_backend, &unit));
}

/* One device is noted for each frame, also if another one would do something else. */
TEST(given_devices_that_compute_different_things_then_a_frame_has_one_of_them)
{
    Fixture *f = *state;
    const RequestMask all = everything(f);
    RequestMask first = {{0}}, claimed, nothing;
    Frame *frame, *none;
    mask_add(&first, 0);
    const RequestMask others = mask_without(all, &first);
    frame_queue_set_device(f->queue, 0, &first);
    frame_queue_set_device(f->queue, 1, &others);
    submit(f, true);
    assert_true(frame_queue_claim_whole(f->queue, 0, &first, &stays, 0, &frame, &claimed));
    assert_true(mask_equal(&claimed, &first));
    assert_false(frame_queue_claim_whole(f->queue, 1, &others, &stays, 0, &none, &nothing));
    frame_queue_complete_whole(f->queue, frame, &claimed, "first");
    assert_false(frame_queue_claim_whole(f->queue, 1, &others, &stays, 0, &none, &nothing));
    assert_true(claim(f, &all, 1, 1, &frame, &claimed)); /* the CPU does the rest */
    assert_true(mask_equal(&claimed, &others));
    assert_int_equal(frame->device, 0);
    frame_queue_complete(f->queue, frame, &claimed, 0);
    assert_int_equal(f->n_retired, 1);
    submit(f, true); /* a frame that was given back is anybody's */
    assert_true(frame_queue_claim_whole(f->queue, 0, &first, &stays, 0, &frame, &claimed));
    frame_queue_give_back(f->queue, frame, &claimed);
    assert_true(frame_queue_claim_whole(f->queue, 1, &others, &stays, 0, &frame, &claimed));
    assert_int_equal(frame->device, 1);
}

TEST(given_requests_that_are_refused_then_frames_retire_with_the_error)
{
    Fixture *f = *state;
    const RequestMask rejected = f->work.units[0].requests, other = f->work.units[1].requests;
    Frame *frame, *held;
    RequestMask claimed, taken;
    submit(f, true);
    submit(f, true);
    assert_true(claim(f, &rejected, 1, 1, &held, &taken)); /* by who will give it back */
    frame_queue_reject(f->queue, &rejected, -ENODEV);
    submit(f, true);
    while (claim(f, &other, 1, 1, &frame, &claimed))
        frame_queue_complete(f->queue, frame, &claimed, 0);
    assert_int_equal(f->n_retired, 0);
    frame_queue_give_back(f->queue, held, &taken);
    assert_int_equal(f->n_retired, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(f->statuses[i], -ENODEV);
}

TEST(given_the_last_frame_when_it_is_refused_then_it_retires_at_once)
{
    Fixture *f = *state;
    const RequestMask all = everything(f);
    submit(f, true);
    frame_queue_reject(f->queue, &all, -ENODEV);
    assert_int_equal(f->n_retired, 1);
    assert_int_equal(f->statuses[0], -ENODEV);
}

static bool help(void *cookie)
{
    Fixture *f = cookie;
    Frame *frame;
    RequestMask claimed, all = everything(f);
    if (!frame_queue_try_claim(f->queue, &all, 1, &frame, &claimed))
        return false;
    frame_queue_complete(f->queue, frame, &claimed, 0);
    return true;
}

TEST(given_nobody_else_then_who_waits_does_the_work_and_the_limit_holds)
{
    Fixture *f = *state;
    frame_queue_set_help(f->queue, help, f);
    assert_int_equal(frame_queue_grow(f->queue, 20), 0);
    frame_queue_set_limit(f->queue, 6);
    for (unsigned i = 0; i < 20; i++) {
        submit(f, true);
        assert_int_equal(f->n_retired, i < 6 ? 0 : i - 5);
    }
    frame_queue_wait(f->queue, 19);
    assert_int_equal(f->n_retired, 20);
}

/* An executor that gives its frame back while the caller looks for work in vain, and for good. */
static bool help_late(void *cookie)
{
    Fixture *f = cookie;
    if (!f->held)
        return help(f);
    frame_queue_give_back(f->queue, f->held, &f->held_requests);
    f->held = NULL;
    return false;
}

TEST(given_work_that_comes_while_a_caller_looks_then_it_looks_again)
{
    Fixture *f = *state;
    const RequestMask all = everything(f);
    frame_queue_set_help(f->queue, help_late, f);
    submit(f, true);
    assert_true(frame_queue_claim_whole(f->queue, 0, &all, &stays, 0, &f->held, &f->held_requests));
    frame_queue_wait(f->queue, 0);
    assert_int_equal(f->n_retired, 1);
}

/* What another thread does while the main one waits, which it has time for to begin with. */
static void *give_back_later(void *argument)
{
    Fixture *f = argument;
    vmaf_sleep_ns(50 * 1000 * 1000);
    frame_queue_give_back(f->queue, f->held, &f->held_requests);
    return NULL;
}

TEST(given_a_caller_that_waits_when_a_frame_is_given_back_then_it_does_the_work)
{
    Fixture *f = *state;
    const RequestMask all = everything(f);
    pthread_t thread;
    frame_queue_set_help(f->queue, help, f);
    submit(f, true);
    assert_true(frame_queue_claim_whole(f->queue, 0, &all, &stays, 0, &f->held, &f->held_requests));
    assert_int_equal(pthread_create(&thread, NULL, give_back_later, f), 0);
    frame_queue_wait(f->queue, 0);
    assert_int_equal(f->n_retired, 1);
    pthread_join(thread, NULL);
}

typedef struct Waiter {
    FrameQueue *queue;
    uint64_t position;
} Waiter;

static void *wait_for(void *argument)
{
    const Waiter *waiter = argument;
    frame_queue_wait(waiter->queue, waiter->position);
    return NULL;
}

TEST(given_callers_that_wait_for_different_frames_then_each_wakes_for_its_own)
{
    Fixture *f = *state;
    const RequestMask all = everything(f);
    Waiter waiters[2] = {{f->queue, 0}, {f->queue, 1}};
    pthread_t threads[2];
    submit(f, true);
    submit(f, true);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, wait_for, &waiters[i]), 0);
        vmaf_sleep_ns(30 * 1000 * 1000);
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_true(claim(f, &all, 1, 1, &f->held, &f->held_requests));
        frame_queue_complete(f->queue, f->held, &f->held_requests, 0);
        pthread_join(threads[i], NULL);
    }
}

static void *leave_later(void *argument)
{
    Fixture *f = argument;
    vmaf_sleep_ns(50 * 1000 * 1000);
    atomic_store(&f->leave, true);
    frame_queue_wake(f->queue);
    return NULL;
}

TEST(given_an_executor_that_waits_when_it_is_to_leave_then_it_does)
{
    Fixture *f = *state;
    const RequestMask all = everything(f);
    pthread_t thread;
    Frame *frame;
    RequestMask claimed;
    assert_int_equal(pthread_create(&thread, NULL, leave_later, f), 0);
    assert_false(frame_queue_claim_whole(f->queue, 0, &all, &f->leave, -1, &frame, &claimed));
    pthread_join(thread, NULL);
}
