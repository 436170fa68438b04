/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Workers that divide frames when those are scarce: by hand at the queue, and with threads. */

#include "support/cases.h"

#include <errno.h>
#include <stdatomic.h>
#ifndef _WIN32
#include <sys/resource.h>
#endif

#include "engine/cpu_workers.h"
#include "engine/frame_queue.h"
#include "picture/picture.h"
#include "platform/thread.h"

enum { HEIGHT = 300, WORKERS = 2 };

/* Of the rows 0 to HEIGHT - 1, counted from 1. */
static const uint64_t whole_sum = (uint64_t)HEIGHT * (HEIGHT + 1) / 2;

/* -- extractors whose record is the sum of the numbers of the rows -- */

/* What happens in the calls of `sum`; the fake extractors have no other way to tell. */
static struct {
    VmafMutex lock;
    VmafCondition arrived;
    unsigned n_calls, n_whole;
    unsigned meet;     /* so many calls wait for each other */
    unsigned n_inside; /* that have come */
    unsigned fails_at; /* first row of the band that fails; HEIGHT: none */
} calls = {.lock = VMAF_MUTEX_INITIALIZER};

static void note_call(RowBand band)
{
    vmaf_mutex_lock(&calls.lock);
    calls.n_calls++;
    calls.n_whole += band.begin == 0 && band.end == HEIGHT;
    calls.n_inside++;
    vmaf_condition_broadcast(&calls.arrived);
    while (calls.n_inside < calls.meet)
        vmaf_condition_wait(&calls.arrived, &calls.lock);
    vmaf_mutex_unlock(&calls.lock);
}

static int sum(const void *plan, void *scratch, const FrameInput *input, RowBand band,
               void *const records[])
{
    note_call(band);
    uint64_t *record = records[0];
    for (unsigned y = band.begin; y < band.end; y++)
        *record += y + 1;
    return band.begin == calls.fails_at ? -EIO : 0;
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    return 0;
}

static const FeatureOutput outputs[] = {{"sum", OUTPUT_PROVIDED}, {0}};

#define SUM_EXTRACTOR(extractor_name, merge_function)                                              \
    {                                                                                              \
        .name = extractor_name, .outputs = outputs, .options = no_options,                         \
        .needs = {.planes = PLANE_Y}, .record = {.size = sizeof(uint64_t)}, .accumulate = sum,     \
        .merge = merge_function, .finish = finish,                                                 \
    }

static const FeatureExtractor merging = SUM_EXTRACTOR("merging", record_merge_sums);
static const FeatureExtractor unmerging = SUM_EXTRACTOR("unmerging", NULL);

/* -- fixture -- */

enum { MAX_FRAMES = 64, MANY_FRAMES = 256 };

typedef struct Fixture {
    Logger logger;
    FeatureSet features;
    WorkList work;
    FrameQueue *queue;
    RequestMask all, groups[2];
    unsigned n_taken, n_retired;
    uint64_t sums[MANY_FRAMES];
    int statuses[MANY_FRAMES];
} Fixture;

static void retire(void *cookie, const Frame *frame)
{
    Fixture *f = cookie;
    for (unsigned r = 0; r < f->work.n_requests; r++) {
        f->sums[f->n_retired] += *(uint64_t *)frame_record(f->queue, frame, r);
        if (frame->status[r])
            f->statuses[f->n_retired] = frame->status[r];
    }
    f->n_retired++;
}

static Fixture *start(const FeatureExtractor *first, const FeatureExtractor *second)
{
    static Fixture f;
    f = (Fixture){.logger.level = VMAF_LOG_LEVEL_NONE};
    calls.n_calls = calls.n_whole = calls.meet = calls.n_inside = 0;
    calls.fails_at = HEIGHT;
    feature_set_init(&f.features, &f.logger);
    Reason why;
    assert_int_equal(feature_set_add(&f.features, first, NULL, true, &why), 0);
    if (second)
        assert_int_equal(feature_set_add(&f.features, second, NULL, true, &why), 0);
    PictureFormat format;
    const char *failed;
    assert_int_equal(picture_format_init(&format, VMAF_PIX_FMT_YUV400P, 8, 4, HEIGHT), 0);
    assert_int_equal(work_list_create(&f.work, &f.features, &format, 0, &failed, &why), 0);
    assert_int_equal(frame_queue_create(&f.queue, &f.work, WORKERS + 2, retire, &f), 0);
    f.all = mask_or(f.work.every_frame, &f.work.sampled);
    return &f;
}

static void stop(Fixture *f)
{
    frame_queue_destroy(f->queue);
    work_list_destroy(&f->work);
    feature_set_destroy(&f->features);
}

static void submit(Fixture *f)
{
    Frame frame = {.wanted = f->all};
    assert_int_equal(picture_alloc(&frame.ref, VMAF_PIX_FMT_YUV400P, 8, 4, HEIGHT), 0);
    assert_int_equal(picture_alloc(&frame.dist, VMAF_PIX_FMT_YUV400P, 8, 4, HEIGHT), 0);
    frame_queue_submit(f->queue, &frame);
}

/* -- by hand -- */

/* A worker each time, twice as many as processors, since pictures come from a device. */
static void take(Fixture *f, WorkItem *item)
{
    if (!f->n_taken) {
        for (unsigned u = 0; u < f->work.n_units; u++)
            f->groups[u] = f->work.units[u].requests;
        const RowWorkers workers = {f->groups, f->work.n_units, 2 * WORKERS, WORKERS};
        assert_int_equal(frame_queue_set_row_workers(f->queue, &workers), 0);
        frame_queue_note_downloads(f->queue, 1);
    }
    assert_true(frame_queue_wait_for_unit(f->queue, f->n_taken++, item));
}

static uint64_t sum_of(RowBand band)
{
    uint64_t total = 0;
    for (unsigned y = band.begin; y < band.end; y++)
        total += y + 1;
    return total;
}

CASE(given_a_frame_behind_then_units_are_whole_and_those_of_the_last_divided)
{
    Fixture *f = start(&merging, NULL);
    submit(f);
    submit(f);
    WorkItem first, second, third;
    take(f, &first);
    assert_false(first.divided);
    assert_int_equal(first.rows.end, HEIGHT);
    take(f, &second);
    assert_int_equal(second.frame->position, 1);
    assert_true(second.divided);
    assert_in_range(second.rows.end, 1, HEIGHT - 1);
    take(f, &third); /* nothing else is there: joins */
    assert_ptr_equal(third.frame, second.frame);
    assert_int_equal(third.rows.begin, second.rows.end);
    stop(f);
}

CASE(given_no_more_frames_to_come_then_there_must_be_one_for_each_worker)
{
    Fixture *f = start(&merging, NULL);
    submit(f);
    submit(f);
    submit(f);
    frame_queue_end(f->queue);
    WorkItem item;
    take(f, &item);
    assert_false(item.divided);
    take(f, &item);
    assert_true(item.divided);
    assert_int_equal(item.frame->position, 1);
    stop(f);
}

CASE(given_units_that_are_quickly_done_then_they_are_not_divided)
{
    Fixture *f = start(&merging, NULL);
    frame_queue_note_work(f->queue, 0, 20);
    submit(f);
    WorkItem item;
    take(f, &item);
    assert_false(item.divided);
    stop(f);
}

CASE(given_two_at_a_unit_then_the_last_to_hand_in_completes_it)
{
    Fixture *f = start(&merging, NULL);
    submit(f);
    WorkItem items[2];
    uint64_t records[2] = {0, 0};
    for (unsigned i = 0; i < 2; i++) {
        take(f, &items[i]);
        assert_true(items[i].divided);
    }
    assert_in_range(items[0].rows.end, HEIGHT / WORKERS, HEIGHT - 1); /* not for all workers */
    for (unsigned i = 2; i-- > 0;) {
        do
            records[i] += sum_of(items[i].rows);
        while (frame_queue_take_rows(f->queue, 0, &items[i]));
    }
    assert_true(frame_queue_band_count(f->queue) > 2);
    frame_queue_return_rows(f->queue, &items[0], (unsigned char *)&records[0], 10);
    assert_int_equal(f->n_retired, 0);
    assert_non_null(items[0].frame->ref.ref);
    frame_queue_return_rows(f->queue, &items[1], (unsigned char *)&records[1], 10);
    assert_int_equal(f->n_retired, 1);
    assert_null(items[0].frame->ref.ref);
    assert_int_equal(f->sums[0], whole_sum);
    stop(f);
}

typedef struct Late {
    FrameQueue *queue;
    unsigned number;
    atomic_bool found;
} Late;

static void *take_late(void *argument)
{
    Late *late = argument;
    WorkItem item;
    atomic_store(&late->found, frame_queue_wait_for_unit(late->queue, late->number, &item));
    return NULL;
}

/* There is a processor for two, who are awake already. */
CASE(given_more_work_than_processors_then_further_workers_stay_asleep)
{
    Fixture *f = start(&unmerging, NULL);
    const RowWorkers workers = {&f->all, 1, 3, 2};
    assert_int_equal(frame_queue_set_row_workers(f->queue, &workers), 0);
    Late late = {.queue = f->queue, .number = 2};
    VmafThread thread;
    WorkItem items[2];
    for (unsigned i = 0; i < 3; i++)
        submit(f);
    for (unsigned i = 0; i < 2; i++)
        assert_true(frame_queue_wait_for_unit(f->queue, i, &items[i]));
    assert_int_equal(vmaf_thread_start(&thread, take_late, &late), 0);
    vmaf_sleep_ns(50 * 1000 * 1000);
    frame_queue_complete(f->queue, items[0].frame, &items[0].requests, 0);
    assert_true(frame_queue_wait_for_unit(f->queue, 0, &items[0])); /* the third frame is left */
    assert_int_equal(items[0].frame->position, 2);
    frame_queue_stop(f->queue);
    vmaf_thread_join(thread);
    assert_false(atomic_load(&late.found));
    stop(f);
}

CASE(given_pictures_on_a_device_then_further_workers_are_awake)
{
    Fixture *f = start(&unmerging, NULL);
    const RowWorkers workers = {&f->all, 1, 3, 2};
    WorkItem items[3];
    assert_int_equal(frame_queue_set_row_workers(f->queue, &workers), 0);
    for (unsigned i = 0; i < 3; i++)
        submit(f);
    frame_queue_note_downloads(f->queue, 1);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(frame_queue_wait_for_unit(f->queue, i, &items[i]));
        assert_int_equal(items[i].frame->position, i);
    }
    for (unsigned i = 0; i < 3; i++)
        frame_queue_complete(f->queue, items[i].frame, &items[i].requests, 0);
    stop(f);
}

CASE(given_a_band_that_fails_then_the_frame_fails_once_all_have_left)
{
    Fixture *f = start(&merging, NULL);
    submit(f);
    WorkItem items[2];
    const uint64_t record = 0;
    for (unsigned i = 0; i < 2; i++)
        take(f, &items[i]);
    assert_false(frame_queue_take_rows(f->queue, -EIO, &items[1]));
    frame_queue_return_rows(f->queue, &items[1], (const unsigned char *)&record, 10);
    assert_int_equal(f->n_retired, 0);
    assert_false(frame_queue_take_rows(f->queue, 0, &items[0]));
    frame_queue_return_rows(f->queue, &items[0], (const unsigned char *)&record, 10);
    assert_int_equal(f->n_retired, 1);
    assert_int_equal(f->statuses[0], -EIO);
    stop(f);
}

/* -- with threads -- */

/* Frames one at a time, as in live use. */
static void run(Fixture *f, unsigned n_threads, unsigned n_frames)
{
    CpuClient *executor;
    assert_int_equal(cpu_client_create(&executor, &f->work, f->queue, &f->all, n_threads), 0);
    for (unsigned i = 0; i < n_frames; i++) {
        submit(f);
        frame_queue_wait(f->queue, i);
    }
    cpu_client_destroy(executor);
    assert_int_equal(f->n_retired, n_frames);
}

/* The first two bands are done at the same time, or the test takes long and fails. */
CASE(given_one_frame_then_two_threads_are_at_it)
{
    Fixture *f = start(&merging, NULL);
    calls.meet = 2;
    run(f, WORKERS, 1);
    assert_int_equal(calls.n_whole, 0);
    assert_int_equal(calls.n_calls, frame_queue_band_count(f->queue));
    assert_int_equal(f->sums[0], whole_sum);
    stop(f);
}

/* The same when both are asleep: the one that is woken for the frame wakes the other. */
CASE(given_threads_that_sleep_then_two_wake_for_one_frame)
{
    Fixture *f = start(&merging, NULL);
    CpuClient *executor;
    assert_int_equal(cpu_client_create(&executor, &f->work, f->queue, &f->all, WORKERS), 0);
    for (unsigned i = 0; i < 3; i++) {
        vmaf_sleep_ns(20 * 1000 * 1000);
        frame_queue_note_work(f->queue, 0, INT64_C(1) << 50); /* worth dividing */
        calls.n_inside = 0;
        calls.meet = 2;
        submit(f);
        frame_queue_wait(f->queue, i);
    }
    cpu_client_destroy(executor);
    stop(f);
}

CASE(given_records_that_do_not_merge_then_frames_are_whole_and_begun_with_first)
{
    Fixture *f = start(&merging, &unmerging);
    calls.meet = 2; /* one is at each unit; who is done with the whole one joins the other */
    run(f, WORKERS, 1);
    assert_int_equal(calls.n_whole, 1);
    assert_int_equal(calls.n_calls, 1 + frame_queue_band_count(f->queue));
    assert_int_equal(f->sums[0], 2 * whole_sum);
    stop(f);
}

CASE(given_one_thread_then_nothing_is_divided)
{
    Fixture *f = start(&merging, &unmerging);
    run(f, 1, 5);
    assert_int_equal(calls.n_calls, 10);
    assert_int_equal(frame_queue_band_count(f->queue), 0);
    stop(f);
}

CASE(given_any_number_of_threads_then_sums_are_those_of_whole_frames)
{
    for (unsigned n_threads = 1; n_threads < 9; n_threads++) {
        Fixture *f = start(&merging, &unmerging);
        frame_queue_note_work(f->queue, 0, INT64_C(1) << 50); /* for ever worth dividing */
        run(f, n_threads, MAX_FRAMES);
        assert_true(n_threads == 1 || frame_queue_band_count(f->queue) >= 2 * MAX_FRAMES);
        for (unsigned i = 0; i < MAX_FRAMES; i++) {
            assert_int_equal(f->sums[i], 2 * whole_sum);
            assert_int_equal(f->statuses[i], 0);
        }
        stop(f);
    }
}

CASE(given_an_error_in_one_band_then_each_frame_fails_and_none_is_stuck)
{
    for (unsigned n_threads = 2; n_threads < 6; n_threads++) {
        Fixture *f = start(&merging, NULL);
        calls.fails_at = 0;
        run(f, n_threads, 8);
        for (unsigned i = 0; i < 8; i++)
            assert_int_equal(f->statuses[i], -EIO);
        stop(f);
    }
}

#ifndef _WIN32 /* which counts no switches */
static long voluntary_switches(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_nvcsw;
}

/* Frames that are soon done, one at a time: all threads wait all the time, and those for whom there
 * is nothing go on waiting. */
CASE(given_many_threads_then_few_are_woken_for_a_frame)
{
    enum { THREADS = 64, SWITCHES = 15 };
    Fixture *f = start(&merging, &unmerging);
    const long before = voluntary_switches();
    run(f, THREADS, MANY_FRAMES);
    const long switches = voluntary_switches() - before;
    assert_true(switches <= SWITCHES * MANY_FRAMES);
    stop(f);
}
#endif

int main(int argc, char **argv)
{
    vmaf_condition_init(&calls.arrived);
    return run_cases(argc, argv);
}
