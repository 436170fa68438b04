/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_ROW_COPY_H
#define VMAF_SDK_ROW_COPY_H

#include <stddef.h>
#include <stdint.h>

/* Rows of pixels that the processor copies, if need be with several threads: one core alone does
 * not keep up with a fast device. */

enum { VMAF_COPY_POOL_MAX_COPIES = 8 };

/* Rows to copy; source and target do not overlap. */
typedef struct VmafRowCopy {
    unsigned char *to;
    const unsigned char *from;
    int64_t to_stride, from_stride;
    size_t bytes; /* bytes of a row */
    uint32_t rows;
} VmafRowCopy;

void vmaf_copy_rows(const VmafRowCopy *copy);

typedef struct VmafCopyPool VmafCopyPool;

/* Starts up to `threads` threads, which block the same signals as the caller. NULL if no thread can
 * be started. */
VmafCopyPool *vmaf_copy_pool_create(unsigned threads);
/* Joins the threads. NULL is allowed. */
void vmaf_copy_pool_destroy(VmafCopyPool *pool);

/* Makes at most VMAF_COPY_POOL_MAX_COPIES copies and returns when they are done; the calling thread
 * takes part. `pool` NULL: the calling thread copies alone. One thread at a time may call it. */
void vmaf_copy_pool_run(VmafCopyPool *pool, const VmafRowCopy *copies, unsigned count);

#endif
