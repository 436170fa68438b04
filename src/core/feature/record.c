/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/extractor.h"

void record_merge_sums(void *into, const void *from, size_t record_size)
{
    uint64_t *sums = into;
    const uint64_t *parts = from;
    for (size_t i = 0; i < record_size / sizeof(*sums); i++)
        sums[i] += parts[i];
}
