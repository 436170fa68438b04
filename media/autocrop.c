/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/autocrop.h"

#include "media/match.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOLERANCE = 6,       /* of 8 bits: what coding does to a constant */
    SMALL_SIDE = 160,    /* frames are kept in small for comparing, no longer than twice that */
    BLOCKS_ACROSS = 32,  /* of a part that is compared */
    BLOCKS_DOWN = 18,    /* the same */
    LEAST_SHARE = 4,     /* a picture has at least a quarter of each side */
    LEAST_SAMPLES = 32,  /* and as many samples */
    RINGING_SHARE = 64,  /* of the height: where coding has blurred an edge */
    RINGING_SAMPLES = 4, /* but as many samples */
};
static const double MOST_OUTSIDERS = 0.05; /* in a line of a border: coding, a station's logo */
static const double LEAST_EDGE = 0.5;      /* of an edge has to have something inside of it */

struct Borders {
    unsigned width, height;
    uint8_t *least, *most; /* luma of each place in all frames, in 8 bits */
    unsigned n_frames;
    unsigned step; /* samples of a side that are one in the small frames */
    unsigned small_width, small_height;
    uint8_t *small[BORDERS_MOST_FRAMES]; /* NULL: that frame was not there */
};

Borders *borders_create(unsigned width, unsigned height)
{
    Borders *borders = calloc(1, sizeof(*borders));
    if (!borders)
        return NULL;
    const unsigned shorter = width < height ? width : height;
    borders->width = width;
    borders->height = height;
    borders->step = shorter > SMALL_SIDE ? shorter / SMALL_SIDE : 1;
    borders->small_width = width / borders->step;
    borders->small_height = height / borders->step;
    borders->least = malloc((size_t)width * height);
    borders->most = malloc((size_t)width * height);
    if (borders->least && borders->most)
        return borders;
    borders_destroy(borders);
    return NULL;
}

void borders_destroy(Borders *borders)
{
    if (!borders)
        return;
    for (unsigned i = 0; i < BORDERS_MOST_FRAMES; i++)
        free(borders->small[i]);
    free(borders->least);
    free(borders->most);
    free(borders);
}

/* -- frames -- */

static void read_row(const VmafPicture *frame, unsigned y, uint8_t *row)
{
    const uint8_t *bytes = (const uint8_t *)frame->data[0] + (ptrdiff_t)y * frame->stride[0];
    if (frame->bpc == 8) {
        memcpy(row, bytes, frame->w[0]);
        return;
    }
    const uint16_t *words = (const void *)bytes;
    for (unsigned x = 0; x < frame->w[0]; x++)
        row[x] = (uint8_t)(words[x] >> (frame->bpc - 8));
}

/* Extends the range of each place of the row by its samples. */
static void widen(Borders *borders, unsigned y, const uint8_t *row)
{
    uint8_t *least = borders->least + (size_t)y * borders->width;
    uint8_t *most = borders->most + (size_t)y * borders->width;
    if (!borders->n_frames) {
        memcpy(least, row, borders->width);
        memcpy(most, row, borders->width);
    }
    for (unsigned x = 0; x < borders->width; x++) {
        least[x] = row[x] < least[x] ? row[x] : least[x];
        most[x] = row[x] > most[x] ? row[x] : most[x];
    }
}

/* Adds a row to the sums of a row of the small frame. */
static void sum_row(const Borders *borders, const uint8_t *row, unsigned *sums)
{
    for (unsigned x = 0; x < borders->small_width; x++) {
        for (unsigned i = 0; i < borders->step; i++)
            sums[x] += row[x * borders->step + i];
    }
}

static void end_sums(const Borders *borders, unsigned *sums, uint8_t *small)
{
    const unsigned area = borders->step * borders->step;
    for (unsigned x = 0; x < borders->small_width; x++) {
        small[x] = (uint8_t)((sums[x] + area / 2) / area);
        sums[x] = 0;
    }
}

int borders_add(Borders *borders, unsigned index, const VmafPicture *frame)
{
    uint8_t *row = malloc(borders->width);
    unsigned *sums = calloc(borders->small_width, sizeof(*sums));
    uint8_t *small = malloc((size_t)borders->small_width * borders->small_height);
    if (!row || !sums || !small) {
        free(row);
        free(sums);
        free(small);
        return -ENOMEM;
    }
    for (unsigned y = 0; y < borders->height; y++) {
        const unsigned small_y = y / borders->step;
        read_row(frame, y, row);
        widen(borders, y, row);
        if (small_y >= borders->small_height)
            continue;
        sum_row(borders, row, sums);
        if (y % borders->step == borders->step - 1)
            end_sums(borders, sums, small + (size_t)small_y * borders->small_width);
    }
    free(row);
    free(sums);
    free(borders->small[index]);
    borders->small[index] = small;
    borders->n_frames++;
    return 0;
}

/* -- borders -- */

typedef enum Side {
    TOP,
    BOTTOM,
    LEFT,
    RIGHT,
    N_SIDES,
} Side;

/* Samples of borders, by side. */
typedef struct Thickness {
    unsigned of[N_SIDES];
} Thickness;

/* A row or column: where it begins, how far apart its samples are, and how many it has. */
typedef struct Line {
    size_t begin, step;
    unsigned count;
} Line;

/* The line that is `depth` lines inside of the side, without what is beyond the borders at its
 * ends. */
static Line line_of(const Borders *borders, Side side, unsigned depth, const Thickness *ends)
{
    const size_t width = borders->width, height = borders->height;
    const bool is_row = side == TOP || side == BOTTOM;
    const unsigned before = ends->of[is_row ? LEFT : TOP],
                   after = ends->of[is_row ? RIGHT : BOTTOM];
    if (is_row) {
        const size_t y = side == TOP ? depth : height - 1 - depth;
        return (Line){y * width + before, 1, (unsigned)width - before - after};
    }
    const size_t x = side == LEFT ? depth : width - 1 - depth;
    return (Line){before * width + x, width, (unsigned)height - before - after};
}

/* The median of what the samples of a line were. */
static unsigned line_level(const Borders *borders, Line line)
{
    unsigned histogram[256] = {0}, level = 0, seen = 0;
    for (unsigned i = 0; i < line.count; i++) {
        const size_t at = line.begin + i * line.step;
        histogram[(borders->least[at] + borders->most[at]) / 2]++;
    }
    for (; level < 255; level++) {
        seen += histogram[level];
        if (2 * seen >= line.count)
            break;
    }
    return level;
}

/* The share of a line that is not always at this level. */
static double outsiders(const Borders *borders, Line line, unsigned level)
{
    unsigned n = 0;
    for (unsigned i = 0; i < line.count; i++) {
        const size_t at = line.begin + i * line.step;
        const int least = borders->least[at], most = borders->most[at];
        n += least < (int)level - TOLERANCE || most > (int)level + TOLERANCE;
    }
    return line.count ? (double)n / line.count : 0;
}

/* Lines from the side that are a border, if what they end at is an edge. */
static unsigned lines_alike(const Borders *borders, Side side, const Thickness *ends)
{
    const unsigned all = side == TOP || side == BOTTOM ? borders->height : borders->width;
    const unsigned level = line_level(borders, line_of(borders, side, 0, ends));
    unsigned n = 0;
    while (n < all && outsiders(borders, line_of(borders, side, n, ends), level) <= MOST_OUTSIDERS)
        n++;
    return n;
}

/* Is there something along the edge soon behind it? */
static bool has_edge(const Borders *borders, Side side, const Thickness *found)
{
    const unsigned all = side == TOP || side == BOTTOM ? borders->height : borders->width;
    const unsigned level = line_level(borders, line_of(borders, side, 0, found));
    unsigned reach = borders->height / RINGING_SHARE;
    reach = reach > RINGING_SAMPLES ? reach : RINGING_SAMPLES;
    for (unsigned n = found->of[side]; n < all && n < found->of[side] + reach; n++) {
        if (outsiders(borders, line_of(borders, side, n, found), level) >= LEAST_EDGE)
            return true;
    }
    return false;
}

/* Borders of at least a sample that leave a picture. */
static bool leaves_picture(unsigned all, unsigned before, unsigned after)
{
    return before < all && after < all - before && all - before - after >= LEAST_SAMPLES &&
           all - before - after >= all / LEAST_SHARE;
}

static Thickness find_thickness(const Borders *borders)
{
    Thickness found = {{0}};
    const Thickness none = {{0}};
    found.of[TOP] = lines_alike(borders, TOP, &none);
    found.of[BOTTOM] = lines_alike(borders, BOTTOM, &none);
    if (!leaves_picture(borders->height, found.of[TOP], found.of[BOTTOM]))
        return none;
    found.of[LEFT] = lines_alike(borders, LEFT, &found);
    found.of[RIGHT] = lines_alike(borders, RIGHT, &found);
    if (!leaves_picture(borders->width, found.of[LEFT], found.of[RIGHT]))
        return none;
    Thickness result = found;
    for (Side side = TOP; side < N_SIDES; side++) {
        if (!has_edge(borders, side, &found))
            result.of[side] = 0;
    }
    return result;
}

static unsigned up_to_multiple(unsigned value, unsigned of)
{
    return (value + of - 1) / of * of;
}

/* The part inside of the borders, which are taken for multiples of `across` and `down` samples.
 * Width 0: there are none. */
static MediaCrop borders_find(const Borders *borders, unsigned across, unsigned down)
{
    MediaCrop inside = {0};
    if (!borders->n_frames)
        return inside;
    const Thickness found = find_thickness(borders);
    inside.x = up_to_multiple(found.of[LEFT], across);
    inside.y = up_to_multiple(found.of[TOP], down);
    inside.width = borders->width - inside.x - up_to_multiple(found.of[RIGHT], across);
    inside.height = borders->height - inside.y - up_to_multiple(found.of[BOTTOM], down);
    const bool is_all = inside.width == borders->width && inside.height == borders->height;
    return is_all ? (MediaCrop){0} : inside;
}

/* -- likeness -- */

typedef struct Blocks {
    double mean[BLOCKS_DOWN * BLOCKS_ACROSS * BORDERS_MOST_FRAMES];
    unsigned count;
} Blocks;

/* Samples of the small frame that belong to a block of a side. */
static void block_range(unsigned begin, unsigned size, unsigned all, unsigned small, unsigned block,
                        unsigned blocks, unsigned range[2])
{
    const double scale = (double)small / all;
    const double first = begin + (double)size * block / blocks;
    const double last = begin + (double)size * (block + 1) / blocks;
    range[0] = (unsigned)(first * scale + 0.5);
    range[1] = (unsigned)(last * scale + 0.5);
    range[0] = range[0] < small ? range[0] : small - 1;
    range[1] = range[1] <= range[0] ? range[0] + 1 : range[1] < small ? range[1] : small;
}

static double block_mean(const Borders *borders, const uint8_t *small, const unsigned x[2],
                         const unsigned y[2])
{
    double sum = 0;
    for (unsigned v = y[0]; v < y[1]; v++) {
        for (unsigned u = x[0]; u < x[1]; u++)
            sum += small[(size_t)v * borders->small_width + u];
    }
    return sum / ((x[1] - x[0]) * (y[1] - y[0]));
}

static void add_blocks(const Borders *borders, unsigned index, MediaCrop part, Blocks *blocks)
{
    for (unsigned j = 0; j < BLOCKS_DOWN; j++) {
        unsigned y[2];
        block_range(part.y, part.height, borders->height, borders->small_height, j, BLOCKS_DOWN, y);
        for (unsigned i = 0; i < BLOCKS_ACROSS; i++) {
            unsigned x[2];
            block_range(part.x, part.width, borders->width, borders->small_width, i, BLOCKS_ACROSS,
                        x);
            blocks->mean[blocks->count++] = block_mean(borders, borders->small[index], x, y);
        }
    }
}

/* Gives the means of blocks a mean of 0 and a standard deviation of 1, or 0. */
static void normalise(Blocks *blocks)
{
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < blocks->count; i++)
        sum += blocks->mean[i];
    for (unsigned i = 0; i < blocks->count; i++) {
        blocks->mean[i] -= sum / blocks->count;
        squares += blocks->mean[i] * blocks->mean[i];
    }
    const double deviation = blocks->count ? sqrt(squares / blocks->count) : 0;
    for (unsigned i = 0; i < blocks->count; i++)
        blocks->mean[i] = deviation > 0.5 ? blocks->mean[i] / deviation : 0; /* less is noise */
}

static MediaCrop all_of(const Borders *borders, MediaCrop part)
{
    return part.width ? part : (MediaCrop){borders->width, borders->height, 0, 0};
}

double borders_distance(const Borders *reference, MediaCrop reference_part,
                        const Borders *distorted, MediaCrop distorted_part)
{
    Blocks *blocks = calloc(2, sizeof(*blocks));
    double sum = 0;
    if (!blocks)
        return 0;
    for (unsigned i = 0; i < BORDERS_MOST_FRAMES; i++) {
        if (!reference->small[i] || !distorted->small[i])
            continue;
        add_blocks(reference, i, all_of(reference, reference_part), &blocks[0]);
        add_blocks(distorted, i, all_of(distorted, distorted_part), &blocks[1]);
    }
    normalise(&blocks[0]);
    normalise(&blocks[1]);
    const unsigned count = blocks->count;
    for (unsigned i = 0; i < count; i++)
        sum += fabs(blocks[0].mean[i] - blocks[1].mean[i]);
    free(blocks);
    return count ? sum / count : 0;
}

/* -- borders of two files -- */

struct Autocrop {
    Borders *borders;
    MediaCrop inside; /* of the borders of the reference */
    unsigned width, height;
    AutocropRange range; /* with its length */
};

/* The frame that is looked at in place `index`. 1; 0: there is none; negative errno. */
static int go_to(VideoReader *reader, const AutocropRange *range, unsigned index)
{
    const double place = range->begin + range->length * (index + 0.5) / BORDERS_MOST_FRAMES;
    return range->by_time ? video_reader_skip_to_time(reader, place)
                          : video_reader_skip_to(reader, (unsigned)place);
}

/* Looks at the next frame. 0; -ENOMEM; other negative errno: it cannot be read. */
static int look(VideoReader *reader, Borders *borders, unsigned index)
{
    FrameBuffer frame = {.held = NULL};
    if (video_reader_next(reader) <= 0)
        return -EIO;
    const int err = video_reader_take(reader, &frame);
    const VmafPicture luma = {
        .pix_fmt = VMAF_PIX_FMT_YUV400P,
        .bpc = reader->output_depth,
        .w = {reader->format.width},
        .h = {reader->format.height},
        .data = {frame.planes[0]},
        .stride = {frame.stride[0]},
    };
    const int result = err ? err : borders_add(borders, index, &luma);
    frame.let_go(frame.held);
    return result;
}

/* What cannot be read is reported when it is read for scoring. */
static int look_at_all(VideoReader *reader, const AutocropRange *range, Borders *borders)
{
    int err = 0;
    for (unsigned i = 0; i < BORDERS_MOST_FRAMES && !err; i++) {
        if (go_to(reader, range, i) > 0)
            err = look(reader, borders, i) == -ENOMEM ? -ENOMEM : 0;
    }
    return err;
}

static int measure(VideoReader *reader, const AutocropRange *range, Borders **borders, Message *why)
{
    enum { LUMA = 1, ALIGNMENT = 64 };
    const VideoFormat *format = &reader->format;
    if (!reader->is_pattern && !reader->input.source.is_file)
        return message_set(why, -ESPIPE, "--autocrop looks at all of it before, but it is a pipe");
    *borders = borders_create(format->width, format->height);
    int err = *borders ? 0 : -ENOMEM;
    if (!err)
        err = video_reader_prepare(reader, LUMA, format->bit_depth, ALIGNMENT);
    if (err)
        return message_set(why, err, "%s", err == -ENOMEM ? "out of memory" : reader->error.text);
    err = look_at_all(reader, range, *borders);
    if (err)
        return message_set(why, err, "out of memory");
    err = video_reader_rewind(reader);
    if (err)
        *why = reader->error;
    return err;
}

static MediaCrop find(const VideoReader *reader, const Borders *borders)
{
    unsigned across, down;
    match_chroma_steps(video_reader_properties(reader), &across, &down);
    return borders_find(borders, across, down);
}

static void set_length(AutocropRange *range, VideoReader *reader)
{
    if (range->length > 0)
        return;
    const double all = range->by_time ? video_reader_properties(reader)->duration
                                      : (double)video_reader_count(reader);
    range->length = all > range->begin ? all - range->begin : 0;
}

int autocrop_reference(Autocrop **autocrop, VideoReader *reference, const AutocropRange *range,
                       Message *why)
{
    Autocrop *created = calloc(1, sizeof(*created));
    if (!created)
        return message_set(why, -ENOMEM, "out of memory");
    created->range = *range;
    created->width = reference->format.width;
    created->height = reference->format.height;
    set_length(&created->range, reference);
    const int err = measure(reference, &created->range, &created->borders, why);
    if (err) {
        autocrop_destroy(created);
        return err;
    }
    created->inside = find(reference, created->borders);
    reference->borders = (FoundBorders){.was_sought = true, .inside = created->inside};
    *autocrop = created;
    return 0;
}

/* The part of a video of another size that shows the same as this part of the reference. */
static MediaCrop same_part(const Autocrop *autocrop, const VideoReader *distorted)
{
    const MediaCrop *part = &autocrop->inside;
    if (!part->width)
        return *part;
    const double across = (double)distorted->format.width / autocrop->width;
    const double down = (double)distorted->format.height / autocrop->height;
    return (MediaCrop){
        .width = (unsigned)(part->width * across + 0.5),
        .height = (unsigned)(part->height * down + 0.5),
        .x = (unsigned)(part->x * across + 0.5),
        .y = (unsigned)(part->y * down + 0.5),
    };
}

/*
 * Coding blurs borders, or makes some of what is dark, so borders that are not quite the same count
 * as the same, unless the video shows its reference much better without its own ones.
 */
int autocrop_distorted(const Autocrop *autocrop, VideoReader *distorted, double later, Message *why)
{
    static const double like = 0.05, much_better = 0.5;
    Borders *borders = NULL;
    AutocropRange range = autocrop->range;
    range.begin += range.by_time ? 0 : later;
    const int err = measure(distorted, &range, &borders, why);
    if (!err) {
        const MediaCrop own = find(distorted, borders);
        const double shared = borders_distance(autocrop->borders, autocrop->inside, borders,
                                               same_part(autocrop, distorted));
        const double alone = borders_distance(autocrop->borders, autocrop->inside, borders, own);
        distorted->borders = (FoundBorders){
            .was_sought = true,
            .inside = own,
            .is_shared = shared < like || alone > much_better * shared,
        };
    }
    borders_destroy(borders);
    return err;
}

void autocrop_destroy(Autocrop *autocrop)
{
    if (!autocrop)
        return;
    borders_destroy(autocrop->borders);
    free(autocrop);
}
