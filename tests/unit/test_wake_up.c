/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The order in which the queue wakes those who wait: looks inside, since who gets a frame is a
 * race, which the first one to wake usually wins. */

#include "engine/frame_queue_internal.h"
#include "metrics/framework/extractor.h"
#include "picture/picture.h"
#include "support/cases.h"

static void retire(void *cookie, const Frame *frame)
{
}

/* A queue of psnr, which is one unit. */
typedef struct Fixture {
    FeatureSet features;
    Logger logger;
    WorkList work;
    FrameQueue *queue;
    RequestMask all;
} Fixture;

static void submit(Fixture *f)
{
    Frame frame = {.wanted = f->all};
    assert_int_equal(picture_alloc(&frame.ref, VMAF_PIX_FMT_YUV420P, 8, 16, 16), 0);
    assert_int_equal(picture_alloc(&frame.dist, VMAF_PIX_FMT_YUV420P, 8, 16, 16), 0);
    frame_queue_submit(f->queue, &frame);
}

static void start(Fixture *f, unsigned capacity, unsigned n_workers)
{
    Reason why;
    PictureFormat format;
    const char *failed;
    *f = (Fixture){.logger.level = VMAF_LOG_LEVEL_NONE};
    feature_set_init(&f->features, &f->logger);
    assert_int_equal(feature_set_add(&f->features, registry_find("psnr"), NULL, true, &why), 0);
    assert_int_equal(picture_format_init(&format, VMAF_PIX_FMT_YUV420P, 8, 16, 16), 0);
    assert_int_equal(work_list_create(&f->work, &f->features, &format, 0, &failed, &why), 0);
    assert_int_equal(frame_queue_create(&f->queue, &f->work, capacity, retire, NULL), 0);
    f->all = mask_or(f->work.every_frame, &f->work.sampled);
    const RowWorkers workers = {&f->all, 1, n_workers, n_workers};
    assert_int_equal(frame_queue_set_row_workers(f->queue, &workers), 0);
}

static void stop(Fixture *f)
{
    frame_queue_destroy(f->queue);
    work_list_destroy(&f->work);
    feature_set_destroy(&f->features);
}

/* Workers that are woken for what is in the queue, all of them being asleep. */
static unsigned count_woken(Fixture *f, unsigned n_workers)
{
    FrameQueue *queue = f->queue;
    vmaf_mutex_lock(&queue->lock);
    queue->n_asleep = queue->n_woken = 0;
    for (unsigned i = 0; i < n_workers; i++) {
        queue->workers[i].asleep = true;
        queue->asleep[queue->n_asleep++] = i;
    }
    queue_offer(queue);
    const unsigned n = queue->n_woken;
    queue_unlock(queue);
    return n;
}

CASE(given_short_units_then_one_worker_is_woken_for_several)
{
    enum { WORKERS = 8 };
    Fixture f;
    start(&f, 6, WORKERS);
    for (int i = 0; i < 6; i++)
        submit(&f);
    assert_int_equal(count_woken(&f, WORKERS), 6); /* not measured yet */
    frame_queue_note_work(f.queue, 0, 40);
    assert_int_equal(count_woken(&f, WORKERS), 3);
    for (int i = 0; i < 50; i++)
        frame_queue_note_work(f.queue, 0, 1);
    assert_int_equal(count_woken(&f, WORKERS), 1);
    for (int i = 0; i < 50; i++)
        frame_queue_note_work(f.queue, 0, 5000);
    assert_int_equal(count_woken(&f, WORKERS), 6);
    stop(&f);
}

/* Is the producer, who waits, called when a frame is complete? */
static bool wakes_producer(Fixture *f)
{
    Frame *frame;
    RequestMask claimed;
    assert_true(frame_queue_try_claim(f->queue, &f->all, 1, &frame, &claimed));
    vmaf_mutex_lock(&f->queue->lock);
    f->queue->incoming = &f->all;
    queue_complete(f->queue, frame, &claimed, 0);
    bool is_called = false;
    for (unsigned i = 0; i < f->queue->n_calls; i++)
        is_called |= f->queue->calls[i] == &f->queue->room;
    f->queue->incoming = NULL;
    queue_unlock(f->queue);
    return is_called;
}

static void check_room(unsigned together, unsigned limit, unsigned wakes_after)
{
    Fixture f;
    start(&f, 6, 1);
    frame_queue_set_together(f.queue, together);
    frame_queue_set_limit(f.queue, limit);
    for (unsigned i = 0; i < limit; i++)
        submit(&f);
    for (unsigned n = 1; n <= limit; n++)
        assert_int_equal(wakes_producer(&f), n >= wakes_after);
    stop(&f);
}

CASE(given_frames_that_come_together_then_the_producer_is_woken_for_as_many)
{
    check_room(1, 6, 1);
    check_room(3, 6, 3);
    check_room(6, 6, 6);
    check_room(6, 2, 2); /* more than there will ever be room for */
}

CASE(given_an_executor_of_whole_frames_that_waits_then_it_is_woken_before_workers)
{
    FeatureSet features;
    Logger logger = {.level = VMAF_LOG_LEVEL_NONE};
    feature_set_init(&features, &logger);
    Reason why;
    assert_int_equal(feature_set_add(&features, registry_find("psnr"), NULL, true, &why), 0);
    PictureFormat format;
    const char *failed;
    WorkList work;
    FrameQueue *queue;
    assert_int_equal(picture_format_init(&format, VMAF_PIX_FMT_YUV420P, 8, 16, 16), 0);
    assert_int_equal(work_list_create(&work, &features, &format, 0, &failed, &why), 0);
    assert_int_equal(frame_queue_create(&queue, &work, 2, retire, NULL), 0);
    const RequestMask all = mask_or(work.every_frame, &work.sampled);
    const RowWorkers workers = {&all, 1, 1, 1};
    assert_int_equal(frame_queue_set_row_workers(queue, &workers), 0);
    Frame frame = {.wanted = all};
    assert_int_equal(picture_alloc(&frame.ref, VMAF_PIX_FMT_YUV420P, 8, 16, 16), 0);
    assert_int_equal(picture_alloc(&frame.dist, VMAF_PIX_FMT_YUV420P, 8, 16, 16), 0);
    frame_queue_submit(queue, &frame);

    vmaf_mutex_lock(&queue->lock);
    queue->n_whole = 1;
    queue->workers[0].asleep = true;
    queue->asleep[queue->n_asleep++] = 0;
    queue_offer(queue);
    assert_int_equal(queue->n_calls, 2);
    assert_ptr_equal(queue->calls[0], &queue->whole);
    assert_ptr_equal(queue->calls[1], &queue->workers[0].condition);
    queue->n_whole = 0;
    queue_unlock(queue);

    frame_queue_destroy(queue);
    work_list_destroy(&work);
    feature_set_destroy(&features);
}
