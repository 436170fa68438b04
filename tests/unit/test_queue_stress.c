/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* All who have to do with the queue at once, at random: nothing is lost, done twice or waited for
 * in vain. A wake-up that is missing shows as a test that takes for ever. Meant for the thread
 * sanitizer as well. */

#include "support/cases.h"

#include <errno.h>
#include <string.h>

#include "engine/frame_queue.h"
#include "platform/thread.h"

enum {
    HEIGHT = 300,
    N_UNITS = 3,
    N_REQUESTS = 4,
    RECORD_STEP = 64,
    N_FRAMES = 600,
    N_WORKERS = 6,
    N_EXECUTORS = 2,
    N_WAITERS = 2,
    CAPACITY = 5,
    HELD_MAX = 3,
    REFUSED = -ENODEV,
};

/* Of the rows 0 to HEIGHT - 1, counted from 1: what every record has to hold. */
static const uint64_t whole_sum = (uint64_t)HEIGHT * (HEIGHT + 1) / 2;

static const FeatureExtractor merging = {.name = "merging", .merge = record_merge_sums};
static const FeatureExtractor unmerging = {.name = "unmerging"};

static WorkUnit units[N_UNITS] = {
    {.extractor = &merging, .first_request = 0, .n_requests = 2, .requests = {{3}}},
    {.extractor = &merging, .first_request = 2, .n_requests = 1, .requests = {{4}}},
    {.extractor = &unmerging, .first_request = 3, .n_requests = 1, .requests = {{8}}},
};
static WorkRequest requests[N_REQUESTS] = {
    {.unit = 0, .record_offset = 0 * RECORD_STEP, .record_size = sizeof(uint64_t)},
    {.unit = 0, .record_offset = 1 * RECORD_STEP, .record_size = sizeof(uint64_t)},
    {.unit = 1, .record_offset = 2 * RECORD_STEP, .record_size = sizeof(uint64_t)},
    {.unit = 2, .record_offset = 3 * RECORD_STEP, .record_size = sizeof(uint64_t)},
};
static const WorkList work = {
    .format = {.h = {HEIGHT}},
    .units = units,
    .n_units = N_UNITS,
    .requests = requests,
    .n_requests = N_REQUESTS,
    .records_size = N_REQUESTS * RECORD_STEP,
};
static const RequestMask groups[N_UNITS] = {{{8}}, {{3}}, {{4}}};
static const RequestMask of_device = {{7}}, none = {{0}}, everything = {{15}};

typedef struct Stress {
    FrameQueue *queue;
    uint64_t n_retired; /* by the queue, one at a time */
    uint64_t n_refused;
    _Atomic uint64_t n_submitted;
    atomic_bool finished;
    atomic_uint failures;                     /* cmocka's assertions belong to the main thread */
    atomic_uint owners[N_FRAMES][N_REQUESTS]; /* who is at it, or has done it */
    atomic_bool leave[N_EXECUTORS];
    bool balances, rejects;
} Stress;

typedef struct Actor {
    Stress *stress;
    unsigned number;
    uint64_t random;
    VmafThread thread;
} Actor;

static void expect(Stress *stress, bool holds)
{
    if (!holds)
        atomic_fetch_add(&stress->failures, 1);
}

/* splitmix64 (Steele, Lea and Flood, 2014). */
static unsigned draw(uint64_t *random, unsigned n)
{
    uint64_t z = *random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z ^ z >> 31) % n);
}

static void pause_at_times(uint64_t *random)
{
    if (!draw(random, 8))
        vmaf_sleep_ns(draw(random, 50) * 1000);
}

/* Of requests that nobody else may have. */
static void own(Stress *stress, const Frame *frame, const RequestMask *claimed, unsigned owners)
{
    for (unsigned r = 0; r < N_REQUESTS; r++) {
        if (mask_has(claimed, r))
            expect(stress, atomic_exchange(&stress->owners[frame->position][r], owners) != owners);
    }
}

static void fill_in(Stress *stress, const Frame *frame, const RequestMask *claimed)
{
    for (unsigned r = 0; r < N_REQUESTS; r++) {
        if (mask_has(claimed, r))
            *(uint64_t *)frame_record(stress->queue, frame, r) += whole_sum;
    }
}

static void retire(void *cookie, const Frame *frame)
{
    Stress *stress = cookie;
    expect(stress, frame->position == stress->n_retired);
    for (unsigned r = 0; r < N_REQUESTS; r++) {
        if (!mask_has(&frame->wanted, r))
            continue;
        if (frame->status[r])
            stress->n_refused++;
        expect(stress, frame->status[r]
                           ? stress->rejects && frame->status[r] == REFUSED
                           : *(uint64_t *)frame_record(stress->queue, frame, r) == whole_sum);
    }
    stress->n_retired++;
}

/* -- row workers -- */

static void do_bands(Actor *self, WorkItem *item)
{
    unsigned char records[2 * RECORD_STEP] = {0};
    const WorkUnit *unit = &units[item->unit];
    do {
        for (unsigned i = 0; i < unit->n_requests; i++) {
            for (unsigned y = item->rows.begin; y < item->rows.end; y++)
                *(uint64_t *)(void *)(records + i * RECORD_STEP) += y + 1;
        }
        pause_at_times(&self->random);
    } while (frame_queue_take_rows(self->stress->queue, 0, item));
    frame_queue_return_rows(self->stress->queue, item, records, 1000);
}

static void *work_on_rows(void *argument)
{
    Actor *self = argument;
    Stress *stress = self->stress;
    WorkItem item;
    while (frame_queue_wait_for_unit(stress->queue, self->number, &item)) {
        pause_at_times(&self->random);
        if (item.divided) {
            do_bands(self, &item);
            continue;
        }
        own(stress, item.frame, &item.requests, 1);
        fill_in(stress, item.frame, &item.requests);
        frame_queue_note_work(stress->queue, item.unit, draw(&self->random, 1000));
        frame_queue_complete(stress->queue, item.frame, &item.requests, 0);
    }
    expect(stress, atomic_load(&stress->finished));
    return NULL;
}

/* -- executors of whole frames -- */

typedef struct Held {
    Frame *frame;
    RequestMask claimed;
} Held;

static void let_go(Actor *self, const Held *held, bool done)
{
    FrameQueue *queue = self->stress->queue;
    own(self->stress, held->frame, &held->claimed, done ? 1 : 0);
    if (done) {
        fill_in(self->stress, held->frame, &held->claimed);
        frame_queue_complete_whole(queue, held->frame, &held->claimed, "somebody");
    } else {
        frame_queue_give_back(queue, held->frame, &held->claimed);
    }
}

/* Has a few frames at a time, gives some back, leaves when told to, and comes again. */
static void *execute(void *argument)
{
    Actor *self = argument;
    Stress *stress = self->stress;
    atomic_bool *leave = &stress->leave[self->number];
    Held held[HELD_MAX];
    unsigned n = 0;
    frame_queue_set_device(stress->queue, self->number, &of_device);
    while (!atomic_load(&stress->finished)) {
        const int patience = n || draw(&self->random, 2) ? (int)draw(&self->random, 2) : -1;
        if (n < HELD_MAX && frame_queue_claim_whole(stress->queue, self->number, &of_device, leave,
                                                    patience, &held[n].frame, &held[n].claimed)) {
            own(stress, held[n].frame, &held[n].claimed, 2 + self->number);
            n++;
        }
        pause_at_times(&self->random);
        const bool leaves = atomic_exchange(leave, false);
        while (n && (leaves || n == HELD_MAX || !draw(&self->random, 3)))
            let_go(self, &held[--n], !leaves && draw(&self->random, 4));
    }
    while (n)
        let_go(self, &held[--n], false);
    return NULL;
}

/* -- callers -- */

static void *await_frames(void *argument)
{
    Actor *self = argument;
    while (!atomic_load(&self->stress->finished)) {
        const uint64_t n = atomic_load(&self->stress->n_submitted);
        if (n)
            frame_queue_wait(self->stress->queue, n - 1 - draw(&self->random, n < 8 ? 1 : 8));
        vmaf_sleep_ns(20000);
    }
    return NULL;
}

/* What a caller without workers does while it waits. */
static bool help(void *cookie)
{
    Stress *stress = cookie;
    Frame *frame;
    RequestMask claimed;
    if (!frame_queue_try_claim(stress->queue, &everything, 1, &frame, &claimed))
        return false;
    own(stress, frame, &claimed, 1);
    fill_in(stress, frame, &claimed);
    frame_queue_complete(stress->queue, frame, &claimed, 0);
    return true;
}

static void disturb(Stress *stress, uint64_t *random)
{
    const unsigned number = draw(random, N_EXECUTORS);
    switch (draw(random, 12)) {
    case 0:
        atomic_store(&stress->leave[number], true);
        frame_queue_wake(stress->queue);
        break;
    case 1:
        frame_queue_set_limit(stress->queue, 1 + draw(random, CAPACITY));
        break;
    case 2:
        frame_queue_balance(stress->queue,
                            stress->balances && draw(random, 2) ? &of_device : &none);
        break;
    case 3:
        frame_queue_wait(stress->queue, atomic_load(&stress->n_submitted) - 1);
        break;
    case 4:
        vmaf_sleep_ns(draw(random, 300) * 1000);
        break;
    case 6:
        frame_queue_set_device(stress->queue, number, draw(random, 3) ? &of_device : &none);
        break;
    case 5: {
        const RunProgress progress = frame_queue_progress(stress->queue);
        expect(stress, progress.n_retired <= progress.n_submitted);
        break;
    }
    default:
        break;
    }
}

static void produce(Stress *stress, uint64_t *random)
{
    for (unsigned i = 0; i < N_FRAMES; i++) {
        const Frame frame = {.index = i, .wanted = {{draw(random, 4) ? 15 : draw(random, 16)}}};
        frame_queue_submit(stress->queue, &frame);
        atomic_fetch_add(&stress->n_submitted, 1);
        disturb(stress, random);
        if (i == N_FRAMES / 4)
            assert_int_equal(frame_queue_grow(stress->queue, 2 * CAPACITY), 0);
        if (i == N_FRAMES / 2 && stress->rejects)
            frame_queue_reject(stress->queue, &groups[2], REFUSED);
    }
    frame_queue_end(stress->queue);
    frame_queue_wait(stress->queue, N_FRAMES - 1);
}

static void begin(Actor *actors, unsigned n, void *(*body)(void *), Stress *stress, uint64_t seed)
{
    for (unsigned i = 0; i < n; i++) {
        actors[i] = (Actor){.stress = stress, .number = i, .random = seed + 97 * i};
        assert_int_equal(vmaf_thread_start(&actors[i].thread, body, &actors[i]), 0);
    }
}

static void join(const Actor *actors, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        vmaf_thread_join(actors[i].thread);
}

static void run(unsigned n_workers, unsigned n_executors, unsigned n_processors, bool balances,
                bool rejects, uint64_t seed)
{
    static Stress stress;
    Actor workers[N_WORKERS], executors[N_EXECUTORS], waiters[N_WAITERS];
    memset(&stress, 0, sizeof(stress));
    stress.balances = balances;
    stress.rejects = rejects;
    assert_int_equal(frame_queue_create(&stress.queue, &work, CAPACITY, retire, &stress), 0);
    const RowWorkers row = {groups, N_UNITS, n_workers, n_processors};
    if (n_workers)
        assert_int_equal(frame_queue_set_row_workers(stress.queue, &row), 0);
    else
        frame_queue_set_help(stress.queue, help, &stress);
    begin(workers, n_workers, work_on_rows, &stress, seed);
    begin(executors, n_executors, execute, &stress, seed + 1000);
    begin(waiters, N_WAITERS, await_frames, &stress, seed + 2000);
    produce(&stress, &seed);
    atomic_store(&stress.finished, true);
    frame_queue_stop(stress.queue);
    join(workers, n_workers);
    join(executors, n_executors);
    join(waiters, N_WAITERS);
    frame_queue_destroy(stress.queue);
    assert_int_equal(atomic_load(&stress.failures), 0);
    assert_int_equal(stress.n_retired, N_FRAMES);
    assert_true(!stress.rejects || n_workers || stress.n_refused);
}

CASE(given_workers_alone_then_nothing_is_lost)
{
    for (unsigned n = 1; n <= N_WORKERS; n++) {
        run(n, 0, 1, false, false, n);
        run(n, 0, 4, false, false, 10 + n);
    }
}

CASE(given_executors_that_come_and_go_then_nothing_is_lost)
{
    for (unsigned seed = 0; seed < 4; seed++) {
        run(N_WORKERS, N_EXECUTORS, 1 + seed, false, false, 100 + seed);
        run(2, N_EXECUTORS, 1 + seed, true, false, 200 + seed);
    }
}

CASE(given_callers_that_work_themselves_then_nothing_is_lost)
{
    for (unsigned seed = 0; seed < 4; seed++)
        run(0, seed % 3, 1, seed > 1, false, 300 + seed);
}

CASE(given_requests_that_are_refused_then_frames_still_retire)
{
    for (unsigned seed = 0; seed < 4; seed++)
        run(seed ? N_WORKERS : 0, N_EXECUTORS, 2, true, true, 400 + seed);
}
