/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/alignment/signature.h"

/* Of a block. Rows of large pictures have enough samples. */
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

/* At most 2^16 samples. */
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

static void add_row(const VmafPicture *picture, unsigned y, uint64_t sums[SIGNATURE_COLUMNS])
{
    const unsigned char *row =
        (const unsigned char *)picture->data[0] + (ptrdiff_t)y * picture->stride[0];
    for (unsigned i = 0; i < SIGNATURE_COLUMNS; i++) {
        const unsigned begin = part(picture->w[0], i, SIGNATURE_COLUMNS);
        const unsigned end = part(picture->w[0], i + 1, SIGNATURE_COLUMNS);
        const unsigned count = end > begin ? end - begin : 1;
        if (picture->bpc == 8)
            sums[i] += sum_bytes(row + begin, count);
        else
            sums[i] += sum_words((const uint16_t *)(const void *)row + begin, count);
    }
}

void signature_take(const VmafPicture *picture, Signature *signature)
{
    const unsigned rows = rows_that_count(picture->h[0]);
    for (unsigned j = 0; j < SIGNATURE_ROWS; j++) {
        uint64_t sums[SIGNATURE_COLUMNS] = {0};
        for (unsigned k = 0; k < rows; k++) {
            /* The middle of each half or quarter of the block. */
            const unsigned nth = 2 * (j * rows + k) + 1;
            add_row(picture, part(picture->h[0], nth, 2 * SIGNATURE_ROWS * rows), sums);
        }
        for (unsigned i = 0; i < SIGNATURE_COLUMNS; i++) {
            const unsigned begin = part(picture->w[0], i, SIGNATURE_COLUMNS);
            const unsigned end = part(picture->w[0], i + 1, SIGNATURE_COLUMNS);
            const uint64_t samples = rows * (uint64_t)(end > begin ? end - begin : 1);
            const uint64_t scaled = (sums[i] << 16) >> picture->bpc; /* a level is 256 */
            signature->mean[j * SIGNATURE_COLUMNS + i] = (uint16_t)(scaled / samples);
        }
    }
}
