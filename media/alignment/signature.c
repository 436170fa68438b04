/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/alignment/signature.h"

#include <math.h>
#include <stdlib.h>

/* Rows that are read of each block. Those of large pictures have enough samples. */
static unsigned rows_that_count(unsigned height)
{
    enum { LARGE = 480 };
    return height > LARGE ? 2 : 4;
}

static uint32_t sum_bytes(const uint8_t *samples, unsigned count)
{
    uint32_t sum = 0;
    for (unsigned x = 0; x < count; x++)
        sum += samples[x];
    return sum;
}

/* The sum fits: there are at most 2^16 samples. */
static uint32_t sum_words(const uint16_t *samples, unsigned count)
{
    uint32_t sum = 0;
    for (unsigned x = 0; x < count; x++)
        sum += samples[x];
    return sum;
}

/* Where part `i` of `n` begins; none is empty if there is anything. */
static unsigned part(unsigned size, unsigned i, unsigned n)
{
    return (unsigned)((uint64_t)size * i / n);
}

unsigned signature_row_count(unsigned height)
{
    return SIGNATURE_ROWS * rows_that_count(height);
}

/* The middle of each half or quarter of a block. */
unsigned signature_row(unsigned height, unsigned n)
{
    return part(height, 2 * n + 1, 2 * signature_row_count(height));
}

unsigned signature_row_period(unsigned height)
{
    const unsigned count = signature_row_count(height);
    unsigned a = count, b = height;
    while (b) { /* the greatest common divisor */
        const unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return count / a;
}

static void add_row(const SignatureRows *rows, const unsigned char *row,
                    uint64_t sums[SIGNATURE_COLUMNS])
{
    for (unsigned i = 0; i < SIGNATURE_COLUMNS; i++) {
        const unsigned begin = part(rows->width, i, SIGNATURE_COLUMNS);
        const unsigned end = part(rows->width, i + 1, SIGNATURE_COLUMNS);
        const unsigned count = end > begin ? end - begin : 1;
        if (rows->bpc == 8)
            sums[i] += sum_bytes(row + begin, count);
        else
            sums[i] += sum_words((const uint16_t *)(const void *)row + begin, count);
    }
}

/* Computes the means of a row of blocks. */
static void take_means(const SignatureRows *rows, const uint64_t sums[SIGNATURE_COLUMNS],
                       uint16_t mean[SIGNATURE_COLUMNS])
{
    for (unsigned i = 0; i < SIGNATURE_COLUMNS; i++) {
        const unsigned begin = part(rows->width, i, SIGNATURE_COLUMNS);
        const unsigned end = part(rows->width, i + 1, SIGNATURE_COLUMNS);
        const uint64_t samples =
            rows_that_count(rows->height) * (uint64_t)(end > begin ? end - begin : 1);
        const uint64_t scaled = (sums[i] << 16) >> rows->bpc; /* a level is 256 */
        mean[i] = (uint16_t)(scaled / samples);
    }
}

void signature_take_rows(const SignatureRows *rows, ptrdiff_t stride, Signature *signature)
{
    const unsigned n_rows = rows_that_count(rows->height);
    for (unsigned j = 0; j < SIGNATURE_ROWS; j++) {
        uint64_t sums[SIGNATURE_COLUMNS] = {0};
        for (unsigned k = 0; k < n_rows; k++) {
            const unsigned n = j * n_rows + k;
            const ptrdiff_t place = stride ? (ptrdiff_t)signature_row(rows->height, n) * stride
                                           : (ptrdiff_t)(n * rows->row_bytes);
            add_row(rows, (const unsigned char *)rows->data + place, sums);
        }
        take_means(rows, sums, signature->mean + (size_t)j * SIGNATURE_COLUMNS);
    }
}

void signature_take(const VmafPicture *picture, Signature *signature)
{
    const SignatureRows rows = {
        .width = picture->w[0],
        .height = picture->h[0],
        .bpc = picture->bpc,
        .data = picture->data[0],
    };
    signature_take_rows(&rows, picture->stride[0], signature);
}

/*
 * Distances here are mean squares, because these add up: coding and motion have nothing to do with
 * each other, so the distance of the videos at an offset is what coding has done, and how far the
 * reference moves from there to the right offset. The latter is known from the reference itself.
 * If the offset is right, then the distance without it is larger by as much as the reference moves
 * over the offset: the gain is 1. If none is right, it is smaller by that: -1. A decoder that
 * shows things late by a part of a frame, as after very heavy compression, is in between.
 */
static const double least_change = 24 * 24; /* of the reference over the offset, (1/256 level)^2 */
static const double least_gain = 0.6;       /* of an offset over none */
static const double least_lead = 0.2;       /* the same, of an offset over those beside it */
static const double largest_noise = 36;     /* what coding has done, in changes */
static const double largest_share = 0.25;   /* the same, in variances of the reference */
static const double share_of_frames = 0.8;  /* of the frames that can tell, at least that agree */
enum { LEAST_VOTES = 6 };

enum { N_BLOCKS = SIGNATURE_ROWS * SIGNATURE_COLUMNS };

double signature_distance(const Signature *a, const Signature *b)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < N_BLOCKS; i++)
        sum += (uint32_t)abs(a->mean[i] - b->mean[i]);
    return (double)sum / N_BLOCKS;
}

/* A change of range or contrast that lies over a whole video: distorted = gain * reference + lift.
 */
typedef struct Grading {
    double gain, lift;
} Grading;

static const Grading ungraded = {1, 0};

typedef struct Level {
    double mean, deviation;
} Level;

static Level level_of(const SignatureTrack *track, unsigned long long begin, unsigned long long end)
{
    double sum = 0, squares = 0, count = 0;
    for (unsigned long long frame = begin; frame < end; frame++) {
        uint64_t frame_sum = 0, frame_squares = 0;
        for (unsigned i = 0; i < N_BLOCKS; i++) {
            const uint64_t value = track_at(track, frame)->mean[i];
            frame_sum += value;
            frame_squares += value * value;
        }
        sum += (double)frame_sum;
        squares += (double)frame_squares;
        count += N_BLOCKS;
    }
    const double mean = sum / count;
    return (Level){mean, sqrt(fmax(squares / count - mean * mean, 0))};
}

/* What brings the distorted video to the levels of the reference, if both have contrast. */
static Grading grading_of(Level reference, Level distorted)
{
    enum { FLAT = 256 }; /* a level */
    const double gain = reference.deviation / distorted.deviation;
    if (reference.deviation < FLAT || distorted.deviation < FLAT || gain < 0.6 || gain > 1.7)
        return (Grading){1, 0};
    return (Grading){gain, reference.mean - gain * distorted.mean};
}

static double graded_distance(const Signature *reference, const Signature *distorted,
                              Grading grading)
{
    const float gain = (float)grading.gain, lift = (float)grading.lift;
    enum { LANES = 16 };
    float sums[LANES] = {0}, sum = 0;
    for (unsigned i = 0; i < N_BLOCKS; i += LANES) {
        for (unsigned k = 0; k < LANES; k++) {
            const float graded = gain * (float)distorted->mean[i + k] + lift;
            const float difference = (float)reference->mean[i + k] - graded;
            sums[k] += difference * difference;
        }
    }
    for (unsigned k = 0; k < LANES; k++)
        sum += sums[k];
    return (double)sum / N_BLOCKS;
}

static unsigned long long later(unsigned long long a, unsigned long long b)
{
    return a > b ? a : b;
}

static unsigned long long earlier(unsigned long long a, unsigned long long b)
{
    return a < b ? a : b;
}

/* Frames of the reference that have a partner `offset` frames later in the other track. */
typedef struct Overlap {
    unsigned long long begin, end;
} Overlap;

static Overlap overlap_of(const SignatureTrack *track, Overlap frames, int offset)
{
    const unsigned late = offset > 0 ? (unsigned)offset : 0;
    const unsigned early = offset < 0 ? (unsigned)-offset : 0;
    const unsigned long long begin = track->begin + early > late ? track->begin + early - late : 0;
    const unsigned long long end = track->end + early > late ? track->end + early - late : 0;
    Overlap overlap = {later(frames.begin, begin), earlier(frames.end, end)};
    if (overlap.end < overlap.begin)
        overlap.end = overlap.begin;
    return overlap;
}

static const Signature *partner(const SignatureTrack *track, unsigned long long frame, int offset)
{
    return track_at(track, (unsigned long long)((long long)frame + offset));
}

/* What is compared in a window. */
typedef struct Comparison {
    const SignatureTrack *reference, *distorted;
    Overlap frames;
    Grading grading;
    double variance; /* of the reference */
} Comparison;

/* Mean distance of the reference and `other` at an offset; negative if fewer than `least` frames
 * overlap. */
static double distance_at(const Comparison *window, const SignatureTrack *other, int offset,
                          unsigned least, Grading grading)
{
    const Overlap overlap = overlap_of(other, window->frames, offset);
    if (overlap.end - overlap.begin < least)
        return -1;
    double sum = 0;
    for (unsigned long long frame = overlap.begin; frame < overlap.end; frame++) {
        sum += graded_distance(track_at(window->reference, frame), partner(other, frame, offset),
                               grading);
    }
    return sum / (double)(overlap.end - overlap.begin);
}

/* How much the reference changes over so many frames. */
static double own_change(const Comparison *window, int offset)
{
    return distance_at(window, window->reference, offset, ALIGNMENT_LEAST / 2, ungraded);
}

/* Do the frames, one by one, prefer the offset? Those that cannot tell do not count. */
static bool frames_agree(const Comparison *window, int offset)
{
    const Overlap with = overlap_of(window->distorted, window->frames, offset);
    const Overlap both = overlap_of(window->distorted, with, 0);
    const Overlap itself = overlap_of(window->reference, both, offset);
    unsigned votes = 0, in_favour = 0;
    for (unsigned long long frame = itself.begin; frame < itself.end; frame++) {
        const Signature *here = track_at(window->reference, frame);
        const double plain =
            graded_distance(here, partner(window->distorted, frame, 0), window->grading);
        const double moved =
            graded_distance(here, partner(window->distorted, frame, offset), window->grading);
        const double change =
            graded_distance(here, partner(window->reference, frame, offset), ungraded);
        const bool is_clear = change > least_change / 4 && change * largest_noise > moved;
        votes += is_clear;
        in_favour += is_clear && moved < plain;
    }
    return votes >= LEAST_VOTES && in_favour >= share_of_frames * votes;
}

/* Is the distance at an offset clearly below those beside it? */
static bool leads(const Comparison *window, int offset, double least)
{
    for (int step = -1; step <= 1; step += 2) {
        const double beside = distance_at(window, window->distorted, offset + step,
                                          ALIGNMENT_LEAST / 2, window->grading);
        if (beside < 0 || beside - least < least_lead * own_change(window, step))
            return false;
    }
    return true;
}

static WindowVerdict judge(const Comparison *window)
{
    const double plain =
        distance_at(window, window->distorted, 0, ALIGNMENT_LEAST, window->grading);
    WindowVerdict verdict = {.offset = 0};
    double least = plain;
    for (int offset = -ALIGNMENT_REACH; offset <= ALIGNMENT_REACH; offset++) {
        const double distance =
            distance_at(window, window->distorted, offset, ALIGNMENT_LEAST, window->grading);
        if (distance >= 0 && distance < least) {
            least = distance;
            verdict.offset = offset;
        }
    }
    const int offset = verdict.offset;
    const double change = own_change(window, offset ? offset : 1);
    verdict.certain = change >= least_change && change * largest_noise >= least &&
                      least <= largest_share * window->variance && leads(window, offset, least);
    if (offset && verdict.certain)
        verdict.certain = plain - least >= least_gain * change && frames_agree(window, offset);
    return verdict;
}

WindowVerdict window_judge(const SignatureTrack *reference, const SignatureTrack *distorted,
                           unsigned long long begin, unsigned long long end)
{
    const Overlap frames = {begin, earlier(end, reference->end)};
    const Overlap there = overlap_of(distorted, frames, 0);
    if (there.end - there.begin < ALIGNMENT_LEAST)
        return (WindowVerdict){.certain = false};
    const Level level = level_of(reference, there.begin, there.end);
    const Comparison window = {
        .reference = reference,
        .distorted = distorted,
        .frames = frames,
        .variance = level.deviation * level.deviation,
        .grading = grading_of(level, level_of(distorted, there.begin, there.end)),
    };
    return judge(&window);
}

unsigned long long window_change(const SignatureTrack *reference, const SignatureTrack *distorted,
                                 unsigned long long begin, unsigned long long end, int before,
                                 int after)
{
    const Overlap frames = {later(begin, reference->begin), earlier(end, reference->end)};
    const Overlap first = overlap_of(distorted, frames, before);
    const Overlap both = overlap_of(distorted, first, after);
    double sum = 0, least = 0;
    unsigned long long change = both.begin;
    for (unsigned long long frame = both.begin; frame < both.end; frame++) {
        const Signature *here = track_at(reference, frame);
        sum += graded_distance(here, partner(distorted, frame, before), ungraded) -
               graded_distance(here, partner(distorted, frame, after), ungraded);
        if (sum < least) {
            least = sum;
            change = frame + 1;
        }
    }
    return change;
}
