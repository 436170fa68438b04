/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/allocation.h"

#include "tune/engine/hull.h"

#include <errno.h>
#include <stdlib.h>

/* What the next point of a shot's hull brings, for each bit. */
typedef struct Step {
    double slope;
    size_t shot;
    size_t to; /* point of its hull */
} Step;

/* A binary heap, the steepest step first; of equally steep ones the earlier shot. */
typedef struct Heap {
    Step *steps;
    size_t n;
} Heap;

static bool is_before(const Step *a, const Step *b)
{
    return a->slope != b->slope ? a->slope > b->slope : a->shot < b->shot;
}

static void exchange(Step *a, Step *b)
{
    const Step kept = *a;
    *a = *b;
    *b = kept;
}

static void heap_put(Heap *heap, Step step)
{
    size_t i = heap->n++;
    heap->steps[i] = step;
    for (; i && is_before(&heap->steps[i], &heap->steps[(i - 1) / 2]); i = (i - 1) / 2)
        exchange(&heap->steps[i], &heap->steps[(i - 1) / 2]);
}

static Step heap_take(Heap *heap)
{
    const Step first = heap->steps[0];
    heap->steps[0] = heap->steps[--heap->n];
    for (size_t i = 0;;) {
        size_t best = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < heap->n; child++)
            if (is_before(&heap->steps[child], &heap->steps[best]))
                best = child;
        if (best == i)
            return first;
        exchange(&heap->steps[i], &heap->steps[best]);
        i = best;
    }
}

/* Both score and bits of a shot grow with its frames, so the slope does not depend on them. */
static void put_step(Heap *heap, const ShotChoices *shots, size_t shot, size_t to)
{
    if (to >= shots[shot].n)
        return;
    const EncodePoint *a = &shots[shot].points[to - 1], *b = &shots[shot].points[to];
    heap_put(heap,
             (Step){.slope = (b->score - a->score) / (b->kbps - a->kbps), .shot = shot, .to = to});
}

/* Sum over shots of frames * score; and of frames * kbps. */
static void sum_up(const ShotChoices *shots, size_t n, double *score, double *kbps, double *frames)
{
    *score = *kbps = *frames = 0;
    for (size_t i = 0; i < n; i++) {
        *score += shots[i].chosen.score * (double)shots[i].frames;
        *kbps += shots[i].chosen.kbps * (double)shots[i].frames;
        *frames += (double)shots[i].frames;
    }
}

/* The steepest steps, until they bring `missing` in sum. */
static void take_steps(Heap *heap, ShotChoices *shots, double missing)
{
    while (missing > 0 && heap->n) {
        const Step step = heap_take(heap);
        ShotChoices *shot = &shots[step.shot];
        const EncodePoint *next = &shot->points[step.to];
        missing -= (next->score - shot->chosen.score) * (double)shot->frames;
        shot->chosen = *next;
        put_step(heap, shots, step.shot, step.to + 1);
    }
}

int allocate_bits(ShotChoices *shots, size_t n, double target, Allocation *allocation)
{
    if (!n)
        return -EINVAL;
    Heap heap = {.steps = calloc(n, sizeof(*heap.steps))};
    if (!heap.steps)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        shots[i].n = convex_hull(shots[i].points, shots[i].n, HULL_LINEAR);
        if (!shots[i].n || !shots[i].frames) {
            free(heap.steps);
            return -EINVAL;
        }
        shots[i].chosen = shots[i].points[0];
        put_step(&heap, shots, i, 1);
    }
    double score, kbps, frames;
    sum_up(shots, n, &score, &kbps, &frames);
    while (score < target * frames && heap.n) {
        take_steps(&heap, shots, target * frames - score);
        /* Not what was added up step by step: that has gathered rounding errors. */
        sum_up(shots, n, &score, &kbps, &frames);
    }
    *allocation = (Allocation){
        .score = score / frames, .kbps = kbps / frames, .reached = score >= target * frames};
    free(heap.steps);
    return 0;
}
