/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The scenes of the synthetic video. Values are 16-bit; the clip's depth takes the top bits. */

#include "support/synth_internal.h"

static uint32_t mix(uint32_t v)
{
    v ^= v >> 16;
    v *= 0x7feb352dU;
    v ^= v >> 15;
    v *= 0x846ca68bU;
    v ^= v >> 16;
    return v;
}

uint32_t synth_hash(uint32_t seed, uint32_t tag, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t golden = 0x9e3779b9U;
    uint32_t h = mix(seed + golden);
    h = mix(h + tag + golden);
    h = mix(h + a + golden);
    h = mix(h + b + golden);
    return mix(h + c + golden);
}

int synth_bell(uint32_t random)
{
    return (int)((random & 255) + (random >> 8 & 255) + (random >> 16 & 255) + (random >> 24)) -
           510;
}

/* Triangle wave of period 2 * m and range 0 to m - 1. */
static int64_t triangle(int64_t u, int64_t m)
{
    const int64_t q = synth_mod(u, 2 * m);
    return q < m ? q : 2 * m - 1 - q;
}

/*
 * Value noise: random values on a lattice of spacing 2^k, bilinear between them. Rows are read
 * from left to right, so the corners of the current cell are kept.
 */
typedef struct Noise {
    uint32_t seed, tag, k;
    int64_t row, column; /* cell whose corners are in `corner` */
    int64_t corner[2][2];
    int valid;
} Noise;

static Noise noise_of(uint32_t seed, uint32_t tag, uint32_t k)
{
    return (Noise){.seed = seed, .tag = tag, .k = k};
}

static int64_t lattice(const Noise *n, int64_t column, int64_t row)
{
    return synth_hash(n->seed, n->tag, n->k, (uint32_t)column, (uint32_t)row) >> 16;
}

static int64_t noise_at(Noise *n, int64_t x, int64_t y)
{
    const int64_t period = INT64_C(1) << n->k;
    const int64_t column = synth_div(x, period), fx = synth_mod(x, period);
    const int64_t row = synth_div(y, period), fy = synth_mod(y, period);
    if (!n->valid || column != n->column || row != n->row) {
        for (int j = 0; j < 2; ++j)
            for (int i = 0; i < 2; ++i)
                n->corner[j][i] = lattice(n, column + i, row + j);
        n->column = column;
        n->row = row;
        n->valid = 1;
    }
    return (n->corner[0][0] * (period - fx) * (period - fy) + n->corner[0][1] * fx * (period - fy) +
            n->corner[1][0] * (period - fx) * fy + n->corner[1][1] * fx * fy) >>
           (2 * n->k);
}

/* Five octaves of noise with the contrast doubled: natural-looking texture. */
typedef struct Texture {
    Noise octave[5];
} Texture;

static Texture texture_of(uint32_t seed)
{
    Texture t;
    for (uint32_t i = 0; i < 5; ++i)
        t.octave[i] = noise_of(seed, 32 + i, 5 - i);
    return t;
}

static int64_t texture_at(Texture *t, int64_t x, int64_t y)
{
    static const int weight[5] = {6, 4, 3, 2, 1};
    int64_t sum = 0;
    for (int i = 0; i < 5; ++i)
        sum += weight[i] * noise_at(&t->octave[i], x, y);
    return synth_clamp(2 * (sum >> 4) - 32768, 0, 65535);
}

/* Low-contrast moving noise, the usual chroma. */
typedef struct Soft {
    Noise coarse, fine;
} Soft;

static Soft soft_of(uint32_t seed, unsigned plane)
{
    return (Soft){noise_of(seed, 16 + plane, 5), noise_of(seed, 18 + plane, 2)};
}

static int64_t soft_at(Soft *s, int64_t x, int64_t y, int64_t t)
{
    const int64_t coarse = noise_at(&s->coarse, x + 2 * t, y + t);
    const int64_t fine = noise_at(&s->fine, x + 2 * t, y + t);
    return 32768 + ((((3 * coarse + fine) >> 2) - 32768) >> 1);
}

enum { RECTANGLES = 10 };

typedef struct Rectangle {
    int64_t x0, y0, width, height, value;
} Rectangle;

static Rectangle rectangle_of(const SynthClip *clip, uint32_t k, unsigned plane, int64_t t)
{
    uint32_t r[9];
    for (uint32_t j = 0; j < 9; ++j)
        r[j] = synth_hash(clip->seed, 48, k, j, 0);
    const uint32_t half_width = clip->width / 2 > 1 ? clip->width / 2 : 1;
    const uint32_t half_height = clip->height / 2 > 1 ? clip->height / 2 : 1;
    return (Rectangle){
        .x0 = (int64_t)(r[4] % clip->width) + t * ((int64_t)(r[2] % 9) - 4),
        .y0 = (int64_t)(r[5] % clip->height) + t * ((int64_t)(r[3] % 7) - 3),
        .width = 1 + (int64_t)(r[0] % half_width),
        .height = 1 + (int64_t)(r[1] % half_height),
        .value = r[6 + plane] >> 16,
    };
}

/* Everything needed to paint a plane; seeds [0] of the clip and [1] of the other scene. */
typedef struct Painter {
    const SynthClip *clip;
    unsigned plane;
    int64_t t;
    Texture texture[2];
    Soft soft[2];
    Noise large, medium;
    Rectangle rectangle[RECTANGLES];
} Painter;

static void painter_init(Painter *p, const SynthClip *clip, int frame, unsigned plane)
{
    p->clip = clip;
    p->plane = plane;
    p->t = frame;
    for (uint32_t i = 0; i < 2; ++i) {
        p->texture[i] = texture_of(clip->seed + i);
        p->soft[i] = soft_of(clip->seed + i, plane);
    }
    p->large = noise_of(clip->seed, clip->scene == SYNTH_GRAIN ? 64 : 112, 6);
    p->medium = noise_of(clip->seed, 113, 4);
    for (uint32_t k = 0; k < RECTANGLES; ++k)
        p->rectangle[k] = rectangle_of(clip, k, plane, frame);
}

static uint32_t random_at(const Painter *p, uint32_t tag, uint32_t a, int64_t b, int64_t c)
{
    return synth_hash(p->clip->seed, tag, a, (uint32_t)b, (uint32_t)c);
}

/* Luma at (x, y) and chroma at luma position (x, y), for scenes with the same rule for both. */
static int64_t edges_at(const Painter *p, int64_t x, int64_t y)
{
    int64_t value = 16384;
    for (int k = 0; k < RECTANGLES; ++k) {
        const Rectangle *r = &p->rectangle[k];
        if (synth_mod(x - r->x0, p->clip->width) < r->width &&
            synth_mod(y - r->y0, p->clip->height) < r->height)
            value = r->value;
    }
    return value;
}

static int64_t extreme_at(const Painter *p, int64_t x, int64_t y)
{
    const int c = (int)(p->t % 4);
    return ((x >> c) + (y >> c) + p->t / 4 + p->plane) & 1 ? 65535 : 0;
}

static int64_t cut_at(Painter *p, int64_t x, int64_t y)
{
    const int64_t t = p->t;
    const int other = (t / 3) % 2 != 0;
    const int64_t value = p->plane ? soft_at(&p->soft[other], x, y, t)
                                   : texture_at(&p->texture[other], x + 3 * t, y + t);
    return other ? 65535 - value : value;
}

static int64_t luma_at(Painter *p, int64_t x, int64_t y)
{
    const SynthClip *clip = p->clip;
    const int64_t t = p->t;
    switch (clip->scene) {
    case SYNTH_GRADIENT:
        return 6144 +
               triangle((random_at(p, 2, 0, 0, 0) & 65535) + 24 * x + 10 * y + 96 * t, 49152);
    case SYNTH_TEXTURE:
        return texture_at(&p->texture[0], x + 3 * t, y + t);
    case SYNTH_STATIC:
        return texture_at(&p->texture[0], x, y);
    case SYNTH_GRAIN:
        return synth_clamp(16384 + (noise_at(&p->large, x + t, y) >> 1) +
                               12 * synth_bell(random_at(p, 65, (uint32_t)t, x, y)),
                           0, 65535);
    case SYNTH_DARK:
        return 4096 + 256 * ((x / 24 + 2 * (y / 16) + t / 2) % 6);
    case SYNTH_CHIRP: {
        const int64_t dx = x - clip->width / 2, dy = y - clip->height / 2;
        return triangle(331 * (dx * dx + dy * dy) + 2048 * t + (random_at(p, 96, 0, 0, 0) & 65535),
                        65536);
    }
    default: /* SYNTH_CHROMA */
        return 32768 + ((noise_at(&p->large, x, y) - 32768) >> 3);
    }
}

/* (x, y) in the plane, (lx, ly) the same position on the luma grid. */
static int64_t chroma_at(Painter *p, int64_t x, int64_t y, int64_t lx, int64_t ly)
{
    const int64_t t = p->t;
    switch (p->clip->scene) {
    case SYNTH_STATIC:
        return soft_at(&p->soft[0], lx, ly, 0);
    case SYNTH_GRAIN:
        return synth_clamp(soft_at(&p->soft[0], lx, ly, t) +
                               6 * synth_bell(random_at(p, 65 + p->plane, (uint32_t)t, x, y)),
                           0, 65535);
    case SYNTH_CHROMA:
        if (p->plane == 1)
            return triangle(257 * lx + 129 * ly + 1024 * t, 65536);
        return synth_clamp(2 * noise_at(&p->medium, lx - 2 * t, ly) - 32768, 0, 65535);
    default:
        return soft_at(&p->soft[0], lx, ly, t);
    }
}

static int64_t value_at(Painter *p, int64_t x, int64_t y, int64_t lx, int64_t ly)
{
    switch (p->clip->scene) {
    case SYNTH_FLAT:
        return random_at(p, 1, p->plane, 0, 0) >> 16;
    case SYNTH_EDGES:
        return edges_at(p, lx, ly);
    case SYNTH_CUT:
        return cut_at(p, lx, ly);
    case SYNTH_EXTREME:
        return extreme_at(p, x, y);
    case SYNTH_NOISE:
        return random_at(p, 80 + p->plane, (uint32_t)p->t, x, y) >> 16;
    default:
        return p->plane ? chroma_at(p, x, y, lx, ly) : luma_at(p, x, y);
    }
}

void synth_scene(const SynthClip *clip, int frame, unsigned plane, uint16_t *samples)
{
    const unsigned width = synth_plane_width(clip, plane);
    const unsigned height = synth_plane_height(clip, plane);
    const unsigned shift_x = synth_shift_x(clip, plane), shift_y = synth_shift_y(clip, plane);
    Painter painter;
    painter_init(&painter, clip, frame, plane);
    for (unsigned y = 0; y < height; ++y)
        for (unsigned x = 0; x < width; ++x) {
            const int64_t value =
                value_at(&painter, x, y, (int64_t)x << shift_x, (int64_t)y << shift_y);
            *samples++ = (uint16_t)(value >> (16 - clip->depth));
        }
}
