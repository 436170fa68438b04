/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The order in which the queue wakes those who wait: looks inside, since who gets a frame is a
 * race, which the first one to wake usually wins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/queue/queue_state.h"
#include "feature/registry.h"
#include "picture/picture.h"

static void retire(void *cookie, const Frame *frame)
{
    (void)cookie;
    (void)frame;
}

static void
given_an_executor_of_whole_frames_that_waits_then_it_is_woken_before_workers(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            given_an_executor_of_whole_frames_that_waits_then_it_is_woken_before_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
