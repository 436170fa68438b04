/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_COPY_POOL_H
#define VMAF_SDK_COPY_POOL_H

#include <stddef.h>
#include <stdint.h>

/* Copies pictures with several threads: one core alone does not keep up with a fast device. */

enum { VMAF_COPY_POOL_MAX_COPIES = 8 };

/* Rows to copy; source and target do not overlap. */
typedef struct VmafRowCopy {
    unsigned char *to;
    const unsigned char *from;
    int64_t to_stride, from_stride;
    size_t bytes; /* of a row */
    uint32_t rows;
} VmafRowCopy;

typedef struct VmafCopyPool VmafCopyPool;

/* Starts up to `threads` threads, which have the caller's blocked signals; NULL if not even one can
 * be. */
VmafCopyPool *vmaf_copy_pool_create(unsigned threads);
/* Joins the threads. NULL allowed. */
void vmaf_copy_pool_destroy(VmafCopyPool *pool);

/* Copies, at most VMAF_COPY_POOL_MAX_COPIES; the caller takes part. NULL: the caller alone. One
 * thread at a time. */
void vmaf_copy_pool_run(VmafCopyPool *pool, const VmafRowCopy *copies, unsigned count);

#endif
