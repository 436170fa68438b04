/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Small pictures, and which frames have them: the worst of a run. */
#include "reports_internal.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- small pictures -- */

ThumbnailSize thumbnail_size(unsigned width, unsigned height, unsigned longest)
{
    const unsigned side = width > height ? width : height;
    if (side <= longest)
        return (ThumbnailSize){width, height};
    const unsigned w = (unsigned)((width * 1ull * longest + side / 2) / side);
    const unsigned h = (unsigned)((height * 1ull * longest + side / 2) / side);
    return (ThumbnailSize){w ? w : 1, h ? h : 1};
}

/* The samples of a plane that a place of the thumbnail stands for: at least one. */
typedef struct Range {
    unsigned first, end;
} Range;

static Range range_of(unsigned place, unsigned places, unsigned samples)
{
    const unsigned first = (unsigned)(place * 1ull * samples / places);
    const unsigned end = (unsigned)((place + 1ull) * samples / places);
    return (Range){first, end > first ? end : first + 1};
}

static const void *row_of(const VmafPicture *picture, unsigned plane, unsigned y)
{
    return (const char *)picture->data[plane] + (ptrdiff_t)y * picture->stride[plane];
}

/* The columns of a row of the thumbnail, and of the picture below them. */
typedef struct Columns {
    Range *ranges;  /* by place */
    float *lengths; /* of the ranges */
    /* For some rows of the picture: the sum of all columns before a column, modulo 2^32. The sum of
     * one place fits, since it covers fewer than 2^16 samples. */
    uint32_t *sums;
} Columns;

static int columns_create(Columns *columns, unsigned places, unsigned samples)
{
    columns->ranges = malloc(places * sizeof(*columns->ranges));
    columns->lengths = malloc(places * sizeof(*columns->lengths));
    columns->sums = malloc((samples + 1ull) * sizeof(*columns->sums));
    if (!columns->ranges || !columns->lengths || !columns->sums)
        return -ENOMEM;
    for (unsigned x = 0; x < places; x++) {
        columns->ranges[x] = range_of(x, places, samples);
        columns->lengths[x] = (float)(columns->ranges[x].end - columns->ranges[x].first);
    }
    return 0;
}

static void columns_free(Columns *columns)
{
    free(columns->ranges);
    free(columns->lengths);
    free(columns->sums);
}

/* Loops of their own, of which compilers make vectors. */
#define ADD_ROW(name, type)                                                                        \
    static void name(uint32_t *restrict sums, const type *restrict row, unsigned n)                \
    {                                                                                              \
        for (unsigned x = 0; x < n; x++)                                                           \
            sums[x] += row[x];                                                                     \
    }
ADD_ROW(add_bytes, uint8_t)
ADD_ROW(add_words, uint16_t)

#define ADD_DIFFERENCE(name, type)                                                                 \
    static void name(uint32_t *restrict sums, const type *restrict a, const type *restrict b,      \
                     unsigned n)                                                                   \
    {                                                                                              \
        for (unsigned x = 0; x < n; x++)                                                           \
            sums[x] += (uint32_t)(a[x] > b[x] ? a[x] - b[x] : b[x] - a[x]);                        \
    }
ADD_DIFFERENCE(add_byte_differences, uint8_t)
ADD_DIFFERENCE(add_word_differences, uint16_t)

/* Makes sums of columns the sums of those before. */
static void add_up(Columns *columns, unsigned width)
{
    uint32_t sum = columns->sums[0] = 0;
    for (unsigned x = 1; x <= width; x++)
        columns->sums[x] = sum += columns->sums[x];
}

static void sum_rows(Columns *columns, const VmafPicture *picture, unsigned plane, Range rows)
{
    const unsigned width = picture->w[plane];
    memset(columns->sums, 0, (width + 1ull) * sizeof(*columns->sums));
    for (unsigned y = rows.first; y < rows.end; y++) {
        const void *row = row_of(picture, plane, y);
        if (picture->bpc > 8)
            add_words(columns->sums + 1, row, width);
        else
            add_bytes(columns->sums + 1, row, width);
    }
    add_up(columns, width);
}

/* The sum is not converted as an unsigned number, which few processors can do in one step. */
static float sum_of_place(const Columns *columns, unsigned x)
{
    const Range range = columns->ranges[x];
    return (float)(int64_t)(columns->sums[range.end] - columns->sums[range.first]);
}

/* Means of the areas of a row of the thumbnail, in values of 8 bits. */
static void put_means(float *means, Columns *columns, const VmafPicture *picture, unsigned plane,
                      ThumbnailSize size, unsigned y)
{
    const Range rows = range_of(y, size.height, picture->h[plane]);
    const float scale = 1.0f / (float)(1u << (picture->bpc - 8)) / (float)(rows.end - rows.first);
    sum_rows(columns, picture, plane, rows);
    for (unsigned x = 0; x < size.width; x++)
        means[x] = sum_of_place(columns, x) * scale / columns->lengths[x];
}

static uint8_t clamp(float value)
{
    value = value > 0 ? value : 0;
    value = value < 255 ? value : 255;
    return (uint8_t)(int)(value + 0.5f);
}

/* Rec. ITU-R BT.709-6, item 3: Kr 0.2126, Kb 0.0722; limited range. The planes of `means` follow
 * each other; red, green and blue take their places. */
static void convert_row(float *means, unsigned width)
{
    float *restrict first = means, *restrict second = means + width,
                    *restrict third = means + 2 * width;
    for (unsigned x = 0; x < width; x++) {
        const float luma = (first[x] - 16) * (255.0f / 219);
        const float b = (second[x] - 128) * (255.0f / 224), r = (third[x] - 128) * (255.0f / 224);
        first[x] = luma + 1.5748f * r;
        second[x] = luma - 0.1873f * b - 0.4681f * r;
        third[x] = luma + 1.8556f * b;
    }
}

static void put_row(uint8_t *restrict rgb, const float *restrict planes, unsigned width)
{
    for (unsigned x = 0; x < width; x++) {
        rgb[3 * x] = clamp(planes[x]);
        rgb[3 * x + 1] = clamp(planes[width + x]);
        rgb[3 * x + 2] = clamp(planes[2 * width + x]);
    }
}

int thumbnail_make(uint8_t *rgb, ThumbnailSize size, const VmafPicture *picture)
{
    const bool has_chroma = picture->pix_fmt != VMAF_PIX_FMT_YUV400P && picture->data[1] &&
                            picture->data[2] && picture->w[1] && picture->h[1];
    Columns luma = {0}, chroma = {0};
    float *means = malloc(3 * size.width * sizeof(*means));
    int err = means ? columns_create(&luma, size.width, picture->w[0]) : -ENOMEM;
    if (!err && has_chroma)
        err = columns_create(&chroma, size.width, picture->w[1]);
    for (unsigned y = 0; !err && y < size.height; y++) {
        for (unsigned i = size.width; !has_chroma && i < 3 * size.width; i++)
            means[i] = 128; /* no colour */
        for (unsigned p = 0; p < (has_chroma ? 3 : 1); p++)
            put_means(means + p * size.width, p ? &chroma : &luma, picture, p, size, y);
        convert_row(means, size.width);
        put_row(rgb + 3 * size.width * y, means, size.width);
    }
    columns_free(&luma);
    columns_free(&chroma);
    free(means);
    return err;
}

/* -- small pictures of differences -- */

/* Colours from 0 to 255, and between them. */
static void put_heat(uint8_t rgb[3], float value)
{
    static const float stops[][3] = {{0, 0, 0},     {66, 10, 104},  {147, 38, 103},
                                     {221, 81, 58}, {252, 165, 10}, {252, 255, 164}};
    enum { LAST = sizeof(stops) / sizeof(stops[0]) - 1 };
    const float place = (value >= 255 ? 255 : value) * LAST / 255;
    const unsigned below = place >= LAST ? LAST - 1 : (unsigned)place;
    for (unsigned c = 0; c < 3; c++)
        rgb[c] = clamp(stops[below][c] +
                       (stops[below + 1][c] - stops[below][c]) * (place - (float)below));
}

int thumbnail_of_difference(uint8_t *rgb, ThumbnailSize size, const VmafPicture *reference,
                            const VmafPicture *distorted)
{
    const unsigned width = reference->w[0];
    Columns columns = {0};
    const int err = columns_create(&columns, size.width, width);
    for (unsigned y = 0; !err && y < size.height; y++) {
        const Range rows = range_of(y, size.height, reference->h[0]);
        memset(columns.sums, 0, (width + 1ull) * sizeof(*columns.sums));
        for (unsigned row = rows.first; row < rows.end; row++) {
            const void *a = row_of(reference, 0, row), *b = row_of(distorted, 0, row);
            if (reference->bpc > 8)
                add_word_differences(columns.sums + 1, a, b, width);
            else
                add_byte_differences(columns.sums + 1, a, b, width);
        }
        add_up(&columns, width);
        for (unsigned x = 0; x < size.width; x++, rgb += 3) {
            const float area = (float)(rows.end - rows.first) * columns.lengths[x];
            put_heat(rgb, DIFFERENCE_GAIN * sum_of_place(&columns, x) / area /
                              (float)(1u << (reference->bpc - 8)));
        }
    }
    columns_free(&columns);
    return err;
}

/* -- the worst frames -- */

/* A frame and its pictures; frame and score alone say nothing without `is_full`. */
typedef struct Held {
    bool is_full;
    unsigned frame;
    double score;
    VmafPicture reference, distorted;
} Held;

/* The worst frame of a piece, in small. */
typedef struct Kept {
    unsigned frame;
    double score;
    ThumbnailSize size;
    uint8_t *pictures; /* three: reference, distorted, difference */
} Kept;

struct WorstFrames {
    WorstFramesConfig config;
    unsigned first, n_held; /* in the ring of config.held entries, oldest first */
    Held *held;
    Held worst;    /* of the present piece */
    unsigned room; /* enough that frames of neighbouring pieces can be left out in the end */
    unsigned n_kept;
    Kept *kept; /* worst first */
};

int worst_frames_create(WorstFrames **worst, const WorstFramesConfig *config)
{
    WorstFrames *made = calloc(1, sizeof(*made));
    *worst = NULL;
    if (!made)
        return -ENOMEM;
    made->config = *config;
    /* A frame that is shown can leave out one of the piece before its own and one of the next. */
    made->room = 3 * config->wanted;
    made->held = calloc(config->held, sizeof(*made->held));
    made->kept = calloc(made->room, sizeof(*made->kept));
    if (!made->held || !made->kept) {
        worst_frames_destroy(made);
        return -ENOMEM;
    }
    *worst = made;
    return 0;
}

unsigned worst_frames_capacity(const WorstFrames *worst)
{
    return worst ? worst->config.held + 1 : 0;
}

static void release(Held *held)
{
    if (!held->is_full)
        return;
    vmaf_picture_unref(&held->reference);
    vmaf_picture_unref(&held->distorted);
    held->is_full = false;
}

static bool is_worse(const WorstFrames *worst, double score, double than)
{
    return worst->config.high_is_bad ? score > than : score < than;
}

/* -- pieces -- */

static int make_pictures(const WorstFrames *worst, Kept *kept, const Held *held)
{
    kept->size = thumbnail_size(held->reference.w[0], held->reference.h[0], worst->config.longest);
    const size_t bytes = (size_t)kept->size.width * kept->size.height * 3;
    kept->pictures = malloc(3 * bytes);
    if (!kept->pictures)
        return -ENOMEM;
    int err = thumbnail_make(kept->pictures, kept->size, &held->reference);
    if (!err)
        err = thumbnail_make(kept->pictures + bytes, kept->size, &held->distorted);
    if (err)
        return err;
    return thumbnail_of_difference(kept->pictures + 2 * bytes, kept->size, &held->reference,
                                   &held->distorted);
}

/* The frame is among the worst so far: it takes its place. */
static void keep(WorstFrames *worst, const Held *held)
{
    unsigned place = worst->n_kept;
    while (place && is_worse(worst, held->score, worst->kept[place - 1].score))
        place--;
    if (place == worst->room)
        return;
    Kept kept = {.frame = held->frame, .score = held->score};
    if (make_pictures(worst, &kept, held)) {
        free(kept.pictures);
        return;
    }
    if (worst->n_kept == worst->room)
        free(worst->kept[--worst->n_kept].pictures);
    memmove(&worst->kept[place + 1], &worst->kept[place],
            (worst->n_kept - place) * sizeof(*worst->kept));
    worst->kept[place] = kept;
    worst->n_kept++;
}

static void end_piece(WorstFrames *worst)
{
    if (worst->worst.is_full)
        keep(worst, &worst->worst);
    release(&worst->worst);
}

/* -- frames -- */

/* Finds out what became of the oldest frame. */
static void settle(WorstFrames *worst)
{
    Held held = worst->held[worst->first];
    const unsigned piece = worst->config.piece;
    worst->held[worst->first].is_full = false;
    worst->first = (worst->first + 1) % worst->config.held;
    worst->n_held--;
    if (worst->worst.is_full && held.frame / piece != worst->worst.frame / piece)
        end_piece(worst);
    const bool is_known = !worst->config.score(worst->config.cookie, held.frame, &held.score);
    if (is_known && !isnan(held.score) &&
        (!worst->worst.is_full || is_worse(worst, held.score, worst->worst.score))) {
        release(&worst->worst);
        worst->worst = held;
    } else {
        release(&held);
    }
}

void worst_frames_add(WorstFrames *worst, const VmafPicture *reference,
                      const VmafPicture *distorted, unsigned frame)
{
    Held held = {.is_full = true, .frame = frame};
    if (!worst)
        return;
    if (worst->n_held == worst->config.held)
        settle(worst);
    if (vmaf_picture_share(&held.reference, reference))
        return;
    if (vmaf_picture_share(&held.distorted, distorted)) {
        vmaf_picture_unref(&held.reference);
        return;
    }
    worst->held[(worst->first + worst->n_held++) % worst->config.held] = held;
}

void worst_frames_finish(WorstFrames *worst)
{
    while (worst && worst->n_held)
        settle(worst);
    if (worst)
        end_piece(worst);
}

/* -- results -- */

static bool is_near(const WorstFrames *worst, const HtmlFrame *frames, unsigned n, unsigned frame)
{
    for (unsigned i = 0; i < n; i++) {
        const unsigned distance =
            frame > frames[i].frame ? frame - frames[i].frame : frames[i].frame - frame;
        if (2 * distance < worst->config.piece)
            return true;
    }
    return false;
}

static HtmlImage image_of(const Kept *kept, unsigned index)
{
    const size_t bytes = (size_t)kept->size.width * kept->size.height * 3;
    return (HtmlImage){kept->size.width, kept->size.height, kept->pictures + index * bytes};
}

unsigned worst_frames_get(const WorstFrames *worst, HtmlFrame *frames)
{
    unsigned n = 0;
    for (unsigned i = 0; worst && i < worst->n_kept && n < worst->config.wanted; i++) {
        const Kept *kept = &worst->kept[i];
        if (is_near(worst, frames, n, kept->frame))
            continue;
        frames[n++] = (HtmlFrame){.frame = kept->frame,
                                  .score = kept->score,
                                  .reference = image_of(kept, 0),
                                  .distorted = image_of(kept, 1),
                                  .difference = image_of(kept, 2)};
    }
    return n;
}

void worst_frames_destroy(WorstFrames *worst)
{
    if (!worst)
        return;
    for (; worst->n_held; worst->n_held--) {
        release(&worst->held[worst->first]);
        worst->first = (worst->first + 1) % worst->config.held;
    }
    release(&worst->worst);
    for (unsigned i = 0; i < worst->n_kept; i++)
        free(worst->kept[i].pictures);
    free(worst->held);
    free(worst->kept);
    free(worst);
}
