/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/session/session_internal.h"

enum { CELL_WIDTH = 36, CELL_HEIGHT = 28 };
enum { LINE_PITCH = 6, DOT_PITCH = 9, GROUND = 64 };

typedef enum CellKind {
    CELL_SLOPE,
    CELL_COLUMNS,
    CELL_CHECKS,
    CELL_NOISE,
    CELL_FAINT,
    CELL_ROWS,
    CELL_DOTS,
    CELL_SOLID,
} CellKind;

/* Where a sample of both pictures lies, and chance for it. */
typedef struct Point {
    unsigned x, y, position;
    unsigned noise[2]; /* 24 bits each */
    unsigned peak;     /* of the depth */
} Point;

typedef struct Pair {
    unsigned ref, dist;
} Pair;

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223; /* Numerical Recipes' quick generator */
    return *state >> 8;
}

static unsigned hash(unsigned a, unsigned b)
{
    uint32_t h = a * 374761393u + b * 668265263u;
    h = (h ^ h >> 13) * 1274126177u;
    return h ^ h >> 16;
}

static unsigned at_most(unsigned value, unsigned peak)
{
    return value < peak ? value : peak;
}

/* Scales a value from 8 bits to those of the picture. */
static unsigned scaled(const Point *p, unsigned value)
{
    return value * ((p->peak + 1) / 256);
}

static Pair slope(const Point *p)
{
    unsigned along = (p->x * 5 + p->y * 3 + p->position * 7) % 192 * p->peak / 255;
    unsigned value = along + p->noise[0] % (p->peak / 4 + 1);
    unsigned coarse = value / 8 * 8 + p->noise[1] % (p->peak / 64 + 1);
    unsigned stronger = value + value / 4;
    return (Pair){value, at_most(p->position % 2 ? stronger : coarse, p->peak)};
}

/*
 * Flat ground, and where `there` is true something on it, 8 to 128 high, at every other position of
 * the sequence. Some of it is only a shadow in the reference, so that the distorted picture is a
 * gain of more than 100.
 */
static Pair relief(const Point *p, bool there, unsigned number)
{
    const unsigned height = 8u << hash(number, 1) % 5;
    const bool is_up = (number + p->position) % 2;
    Pair pair = {GROUND, GROUND};
    if (there && number % 7 == 5)
        pair.ref += 1;
    else if (there && is_up)
        pair.ref += height;
    if (there && hash(number, p->position) % 4)
        pair.dist += number % 7 == 5 ? 128 : number % 3 ? height : height / 2;
    return (Pair){scaled(p, pair.ref), scaled(p, pair.dist)};
}

static Pair columns(const Point *p)
{
    return relief(p, p->x % LINE_PITCH == 2, p->x / LINE_PITCH);
}

static Pair rows(const Point *p)
{
    return relief(p, p->y % LINE_PITCH == 2, p->y / LINE_PITCH);
}

static Pair dots(const Point *p)
{
    const bool there = p->x % DOT_PITCH == 4 && p->y % DOT_PITCH == 4;
    return relief(p, there, p->x / DOT_PITCH * 5 + p->y / DOT_PITCH);
}

static Pair checks(const Point *p)
{
    const bool white = (p->x / 3 + p->y / 3 + p->position) % 2;
    return (Pair){white ? p->peak : 0, white && p->position % 3 ? 0 : p->peak};
}

static Pair solid(const Point *p)
{
    const bool white = p->position % 2;
    return (Pair){white ? p->peak : 0, white ? 0 : p->peak};
}

static Pair noise(const Point *p)
{
    return (Pair){p->noise[0] % (p->peak + 1), p->noise[1] % (p->peak + 1)};
}

static Pair faint(const Point *p)
{
    const unsigned ground = (p->peak + 1) / 2, steps = 2 + (p->x + p->position) % 8;
    const unsigned unit = (p->peak + 1) / 256;
    return (Pair){ground + p->noise[0] % (steps * unit), ground + p->noise[1] % (steps * unit)};
}

static CellKind kind_of(unsigned x, unsigned y)
{
    static const CellKind kinds[2][4] = {{CELL_SLOPE, CELL_COLUMNS, CELL_CHECKS, CELL_NOISE},
                                         {CELL_FAINT, CELL_ROWS, CELL_DOTS, CELL_SOLID}};
    const unsigned row = y / CELL_HEIGHT;
    return kinds[row % 2][(x / CELL_WIDTH + 2 * (row / 2)) % 4];
}

static Pair draw_point(const Point *p)
{
    switch (kind_of(p->x, p->y)) {
    case CELL_COLUMNS:
        return columns(p);
    case CELL_CHECKS:
        return checks(p);
    case CELL_NOISE:
        return noise(p);
    case CELL_FAINT:
        return faint(p);
    case CELL_ROWS:
        return rows(p);
    case CELL_DOTS:
        return dots(p);
    case CELL_SOLID:
        return solid(p);
    default:
        return slope(p);
    }
}

static void store_sample(VmafPicture *pic, unsigned plane, unsigned x, unsigned y, unsigned value)
{
    char *row = (char *)pic->data[plane] + (ptrdiff_t)y * pic->stride[plane];
    if (pic->bpc > 8)
        ((uint16_t *)(void *)row)[x] = (uint16_t)value;
    else
        ((uint8_t *)row)[x] = (uint8_t)value;
}

/* The sample of the number-th step, at the depth of the picture, with noise that rounding to 10
 * bits removes. */
static unsigned step(const Point *p, unsigned number, unsigned noise)
{
    const unsigned code = 2 * number + number % 3;
    if (p->peak < 1023)
        return number * ((p->peak + 1) / 256);
    const unsigned unit = (p->peak + 1) / 1024;
    return at_most(code * unit + (code ? noise % unit - unit / 2 : 0), p->peak);
}

static Pair draw_bands_point(const Point *p)
{
    const unsigned along = p->x + p->y / 2 + 5 * p->position;
    const unsigned sparkle = p->noise[1] % 64 == 0;
    return (Pair){step(p, along / 18, p->noise[0]), step(p, along / 12 + sparkle, p->noise[0])};
}

static void draw(VmafPicture *ref, VmafPicture *dist, unsigned position, uint32_t random,
                 Pair (*pair_at)(const Point *p))
{
    Point point = {.position = position, .peak = (1u << ref->bpc) - 1};
    for (unsigned plane = 0; plane < 3; plane++) {
        for (point.y = 0; point.y < ref->h[plane]; point.y++) {
            for (point.x = 0; point.x < ref->w[plane]; point.x++) {
                point.noise[0] = next_random(&random);
                point.noise[1] = next_random(&random);
                const Pair pair = pair_at(&point);
                store_sample(ref, plane, point.x, point.y, at_most(pair.ref, point.peak));
                store_sample(dist, plane, point.x, point.y, pair.dist);
            }
        }
    }
}

void test_pattern_draw(VmafPicture *ref, VmafPicture *dist, unsigned position)
{
    draw(ref, dist, position, 99 + position, draw_point);
}

void test_pattern_draw_bands(VmafPicture *ref, VmafPicture *dist, unsigned position)
{
    draw(ref, dist, position, 7 + position, draw_bands_point);
}
