/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/alignment/signature.h"

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

/* `stride` is 0 where there are no other rows. */
static void take(const SignatureRows *rows, ptrdiff_t stride, Signature *signature)
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
    take(&rows, picture->stride[0], signature);
}

void signature_take_rows(const SignatureRows *rows, Signature *signature)
{
    take(rows, 0, signature);
}
