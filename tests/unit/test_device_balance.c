/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Devices and workers of different speeds at one queue, on a clock that is made up: how long they
 * take together, compared with what they could do if frames had no size. */

#include "engine/frame_queue.h"
#include "support/cases.h"

enum { N_FRAMES = 2000, CAPACITY = 8, SLOTS = 4, MOST = 8 };

/* One request, of one unit. */
static WorkRequest requests[1] = {{.unit = 0}};
static WorkUnit units[1] = {{.first_request = 0, .n_requests = 1, .requests = {{1}}}};
static const RequestMask request = {{1}}, none = {{0}};
static WorkList work = {
    .n_units = 1,
    .n_requests = 1,
    .units = units,
    .requests = requests,
    .sampled = {{1}},
};
static atomic_bool stays;

static int64_t now;

static int64_t made_up_clock(void)
{
    return now;
}

/* Who works: a device with several frames in flight, or a worker with one. */
typedef struct Server {
    int64_t us; /* for a frame */
    bool is_worker;
    Frame *frames[SLOTS];
    unsigned n_frames;
    int64_t ready_at; /* the first of them */
    unsigned n_done;
    bool left; /* it was lost */
} Server;

typedef struct Simulation {
    FrameQueue *queue;
    Server servers[MOST];
    unsigned n_servers, n_workers, capacity, n_retired, n_submitted, n_done, n_frames;
} Simulation;

static Simulation simulation;

static void retire(void *cookie, const Frame *frame)
{
    ((Simulation *)cookie)->n_retired++;
}

static bool claim(Simulation *s, unsigned i)
{
    Server *server = &s->servers[i];
    Frame *frame;
    RequestMask claimed;
    const bool found =
        server->is_worker
            ? frame_queue_try_claim(s->queue, &request, 1, &frame, &claimed)
            : frame_queue_claim_whole(s->queue, i, &request, &stays, 0, &frame, &claimed);
    if (!found)
        return false;
    if (!server->n_frames)
        server->ready_at = now + server->us;
    server->frames[server->n_frames++] = frame;
    return true;
}

static bool has_room(const Simulation *s)
{
    return s->n_submitted - s->n_done < s->capacity &&
           s->n_submitted - s->n_retired < s->capacity + QUEUE_GROWTH;
}

/* Everybody takes what there is, and the producer submits what fits. */
static void settle(Simulation *s)
{
    for (bool moved = true; moved;) {
        moved = false;
        while (s->n_submitted < s->n_frames && has_room(s)) {
            const Frame frame = {.wanted = request};
            frame_queue_submit(s->queue, &frame);
            moved = true;
            if (++s->n_submitted == s->n_frames)
                frame_queue_end(s->queue);
        }
        for (unsigned i = 0; i < s->n_servers; i++) {
            const unsigned slots = s->servers[i].is_worker ? 1 : SLOTS;
            if (!s->servers[i].left && s->servers[i].n_frames < slots)
                moved |= claim(s, i);
        }
    }
}

static void answer(Simulation *s, Server *server)
{
    Frame *frame = server->frames[0];
    for (unsigned i = 1; i < server->n_frames; i++)
        server->frames[i - 1] = server->frames[i];
    server->n_frames--;
    server->n_done++;
    s->n_done++;
    server->ready_at = now + server->us;
    if (server->is_worker) {
        frame_queue_note_work(s->queue, 0, server->us);
        frame_queue_complete(s->queue, frame, &request, 0);
    } else {
        frame_queue_complete_whole(s->queue, frame, &request, "device");
    }
}

static void lose(Simulation *s, Server *server)
{
    server->left = true;
    frame_queue_set_device(s->queue, (unsigned)(server - s->servers), &none);
    for (unsigned i = 0; i < server->n_frames; i++)
        frame_queue_give_back(s->queue, server->frames[i], &request);
    server->n_frames = 0;
}

static Server *next_to_answer(Simulation *s)
{
    Server *next = NULL;
    for (unsigned i = 0; i < s->n_servers; i++) {
        Server *server = &s->servers[i];
        if (server->n_frames && (!next || server->ready_at < next->ready_at))
            next = server;
    }
    return next;
}

/* Speeds end with 0: of devices, and of workers. */
static void begin(Simulation *s, const int64_t devices[], const int64_t workers[],
                  unsigned n_frames)
{
    *s = (Simulation){.n_frames = n_frames};
    now = 1000000;
    for (; s->n_servers < MOST && devices[s->n_servers]; s->n_servers++)
        s->servers[s->n_servers].us = devices[s->n_servers];
    const unsigned n_devices = s->n_servers;
    for (; s->n_servers < MOST && workers[s->n_workers]; s->n_workers++) {
        s->servers[s->n_servers].us = workers[s->n_workers];
        s->servers[s->n_servers++].is_worker = true;
    }
    s->capacity = CAPACITY + SLOTS * n_devices;
    assert_int_equal(frame_queue_create(&s->queue, &work, s->capacity, retire, s), 0);
    assert_int_equal(frame_queue_grow(s->queue, s->capacity + QUEUE_GROWTH), 0);
    frame_queue_set_clock(s->queue, made_up_clock);
    const RowWorkers row = {&request, 1, s->n_workers, s->n_workers};
    assert_int_equal(frame_queue_set_row_workers(s->queue, &row), 0);
    for (unsigned i = 0; i < n_devices; i++)
        frame_queue_set_device(s->queue, i, &request);
    if (s->n_workers)
        frame_queue_balance(s->queue, &request);
}

/* Scores everything; `lost` fails after so many frames. How long that took. */
static int64_t run(Simulation *s, int lost, unsigned after)
{
    const int64_t began = now;
    settle(s);
    for (Server *server; (server = next_to_answer(s)) != NULL; settle(s)) {
        now = server->ready_at;
        answer(s, server);
        if (lost >= 0 && s->servers[lost].n_done == after && !s->servers[lost].left)
            lose(s, &s->servers[lost]);
    }
    assert_int_equal(s->n_retired, s->n_frames);
    frame_queue_destroy(s->queue);
    return now - began;
}

static double ideal(const Simulation *s)
{
    double rate = 0;
    for (unsigned i = 0; i < s->n_servers; i++)
        rate += 1.0 / (double)s->servers[i].us;
    return s->n_frames / rate;
}

static const int64_t no_workers[] = {0}, no_devices[] = {0};

static const struct {
    int64_t devices[MOST], workers[MOST];
} mixtures[] = {
    {{100}, {0}},
    {{100, 100}, {0}},
    {{100, 200, 400}, {0}},
    {{700, 100}, {0}},
    {{100, 1000}, {0}},
    {{3000, 100}, {0}},
    {{100, 5000}, {0}},
    {{200, 9000, 7000, 250}, {0}},
    {{100, 130, 170, 230, 310, 500}, {0}},
    {{100, 400}, {1000, 1000}},
    {{400, 100, 900}, {900, 900, 900, 900}},
    {{2000}, {300, 300}},
    {{100, 100}, {5000}},
};
enum { N_MIXTURES = sizeof(mixtures) / sizeof(mixtures[0]) };

CASE(given_any_speeds_then_2000_frames_take_at_most_a_twentieth_longer_than_they_could)
{
    for (unsigned m = 0; m < N_MIXTURES; m++) {
        begin(&simulation, mixtures[m].devices, mixtures[m].workers, N_FRAMES);
        const double took = (double)run(&simulation, -1, 0), best = ideal(&simulation);
        if (took > 1.05 * best)
            fail_msg("mixture %u took %.0f instead of %.0f", m, took, best);
        assert_true(took > 0.99 * best);
    }
}

/* What matters at the end is who takes the last frames: with few frames there is not much else. */
CASE(given_few_frames_then_the_slow_device_leaves_the_last_ones)
{
    static const int64_t devices[] = {100, 5000, 0};
    begin(&simulation, devices, no_workers, 60);
    const int64_t first = run(&simulation, -1, 0);
    /* Once the slow one has answered it takes no more: 4 frames of it and what the other does. */
    assert_in_range(simulation.servers[1].n_done, 1, 4);
    assert_true(first <= 4 * 5000);

    static const int64_t even[] = {1000, 1001, 0};
    begin(&simulation, even, no_workers, 11);
    assert_true(run(&simulation, -1, 0) <= 6 * 1001);
}

CASE(given_a_device_that_is_lost_then_the_others_do_its_frames)
{
    static const unsigned moments[] = {1, 7, 100, 650};
    static const int64_t devices[] = {100, 200, 300, 0};
    for (unsigned k = 0; k < 4; k++) {
        for (int lost = 0; lost < 3; lost++) {
            begin(&simulation, devices, no_workers, N_FRAMES);
            run(&simulation, lost, moments[k]);
            unsigned n = 0;
            for (unsigned i = 0; i < 3; i++)
                n += simulation.servers[i].n_done;
            assert_int_equal(n, N_FRAMES);
        }
    }
}

CASE(given_the_last_frames_are_left_to_a_device_that_is_lost_then_they_are_done)
{
    static const int64_t devices[] = {100, 5000, 0}, workers[] = {5000, 0};
    for (unsigned after = 1; after < 60; after++) {
        begin(&simulation, devices, no_workers, 60);
        run(&simulation, 0, after);
        begin(&simulation, devices, workers, 60);
        run(&simulation, 0, after);
    }
}

CASE(given_workers_alone_then_they_do_everything)
{
    static const int64_t workers[] = {100, 100, 0};
    begin(&simulation, no_devices, workers, 100);
    assert_int_equal(run(&simulation, -1, 0), 5000);
}
