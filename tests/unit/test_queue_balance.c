/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Who waits at the queue because a frame is left to another, or there is no room, and what ends
 * that. Where something is missing the test takes for ever. */

#include "engine/frame_queue.h"
#include "platform/thread.h"
#include "support/cases.h"

enum { SHORT_NS = 50 * 1000 * 1000 }; /* after which the other thread is likely to wait */

static const RequestMask request = {{1}}, none = {{0}};
static WorkUnit unit = {
    .extractor = &(const FeatureExtractor){.name = "whole"}, .n_requests = 1, .requests = {{1}}};
static WorkRequest only = {.record_size = sizeof(uint64_t)};
static const WorkList work = {
    .format = {.h = {64}},
    .units = &unit,
    .n_units = 1,
    .requests = &only,
    .n_requests = 1,
    .records_size = sizeof(uint64_t),
};
static const atomic_bool stays;

typedef struct Fixture {
    FrameQueue *queue;
    unsigned n_retired;
    void (*later)(struct Fixture *f);
} Fixture;

static void retire(void *cookie, const Frame *frame)
{
    Fixture *f = cookie;
    f->n_retired++;
}

static int setup(void **state)
{
    static Fixture f;
    static const RowWorkers workers = {&request, 1, 1, 1};
    f = (Fixture){0};
    assert_int_equal(frame_queue_create(&f.queue, &work, 4, retire, &f), 0);
    assert_int_equal(frame_queue_set_row_workers(f.queue, &workers), 0);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    frame_queue_destroy(((Fixture *)*state)->queue);
    return 0;
}

#define TEST(function) CASE_WITH(function, setup, teardown)

static void submit(const Fixture *f)
{
    const Frame frame = {.wanted = request};
    frame_queue_submit(f->queue, &frame);
}

static Frame *claim_whole(const Fixture *f)
{
    Frame *frame;
    RequestMask claimed;
    assert_true(frame_queue_claim_whole(f->queue, 0, &request, &stays, 0, &frame, &claimed));
    return frame;
}

static bool claim(const Fixture *f)
{
    Frame *frame;
    RequestMask claimed;
    return frame_queue_try_claim(f->queue, &request, 1, &frame, &claimed);
}

/* From now on the stream ends, the backend answers at once, and the CPU takes so long. */
static void balance(const Fixture *f, int64_t cpu_us)
{
    frame_queue_set_device(f->queue, 0, &request);
    submit(f);
    frame_queue_complete_whole(f->queue, claim_whole(f), &request, "backend");
    frame_queue_note_work(f->queue, 0, cpu_us);
    frame_queue_balance(f->queue, &request);
    frame_queue_end(f->queue);
}

static void *do_later(void *argument)
{
    Fixture *f = argument;
    vmaf_sleep_ns(SHORT_NS);
    f->later(f);
    return NULL;
}

static VmafThread begin(Fixture *f, void (*later)(Fixture *f))
{
    VmafThread thread;
    f->later = later;
    assert_int_equal(vmaf_thread_start(&thread, do_later, f), 0);
    return thread;
}

static void raise_limit(Fixture *f)
{
    frame_queue_set_limit(f->queue, 2);
}

TEST(given_a_producer_that_waits_when_the_limit_rises_then_it_goes_on)
{
    Fixture *f = *state;
    frame_queue_set_limit(f->queue, 1);
    submit(f);
    const VmafThread thread = begin(f, raise_limit);
    submit(f);
    vmaf_thread_join(thread);
}

static void grow(Fixture *f)
{
    assert_int_equal(frame_queue_grow(f->queue, 5), 0);
}

TEST(given_a_producer_that_waits_when_the_queue_grows_then_it_goes_on)
{
    Fixture *f = *state;
    frame_queue_set_limit(f->queue, 9);
    for (unsigned i = 0; i < 4; i++)
        submit(f);
    const VmafThread thread = begin(f, grow);
    submit(f);
    vmaf_thread_join(thread);
}

static void end_balance(Fixture *f)
{
    frame_queue_set_device(f->queue, 0, &none);
}

/* The executor is gone, and had nothing. */
TEST(given_a_frame_left_to_an_executor_that_ends_then_a_worker_takes_it)
{
    Fixture *f = *state;
    WorkItem item;
    balance(f, INT64_C(60) * 1000 * 1000);
    submit(f);
    assert_false(claim(f));
    const VmafThread thread = begin(f, end_balance);
    assert_true(frame_queue_wait_for_unit(f->queue, 0, &item));
    assert_int_equal(item.frame->position, 1);
    vmaf_thread_join(thread);
}

static Frame *held;

static void answer_late(Fixture *f)
{
    frame_queue_complete_whole(f->queue, held, &request, "backend");
}

TEST(given_a_frame_left_to_an_executor_that_turns_slow_then_a_worker_takes_it)
{
    Fixture *f = *state;
    WorkItem item;
    balance(f, 5000);
    submit(f);
    submit(f);
    held = claim_whole(f);
    const VmafThread thread = begin(f, answer_late);
    assert_true(frame_queue_wait_for_unit(f->queue, 0, &item));
    assert_int_equal(item.frame->position, 2);
    vmaf_thread_join(thread);
}

/* Else the executor would seem to be busy, and the worker would take what it had better leave. */
TEST(given_frames_that_were_given_back_then_the_executor_has_none)
{
    Fixture *f = *state;
    frame_queue_set_device(f->queue, 0, &request);
    submit(f);
    Frame *frame = claim_whole(f);
    vmaf_sleep_ns(2 * 1000 * 1000); /* what a frame takes at least */
    frame_queue_complete_whole(f->queue, frame, &request, "backend");
    frame_queue_note_work(f->queue, 0, 10 * 1000 * 1000);
    frame_queue_balance(f->queue, &request);
    frame_queue_end(f->queue);
    submit(f);
    for (unsigned i = 0; i < 10000; i++)
        frame_queue_give_back(f->queue, claim_whole(f), &request);
    assert_false(claim(f));
}
