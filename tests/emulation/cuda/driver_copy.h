/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_COPY_H
#define TESTS_EMULATION_CUDA_DRIVER_COPY_H

#include "driver.h"

/* What a command did, for simulated time. */
typedef struct Work {
    uint64_t instructions, bus_bytes, memory_bytes;
    bool is_download;
} Work;

enum PlaceKind {
    PLACE_DEVICE,
    PLACE_PINNED, /* of the host, known to the driver: read when the copy runs */
    PLACE_PAGEABLE,
    PLACE_STAGED, /* pageable memory, as it was when the copy was asked for */
};

/* Rows in memory. */
typedef struct Place {
    enum PlaceKind kind;
    uint64_t address;
    uint64_t pitch;
    uint64_t id; /* of the allocation, which has to be the same when the copy runs */
} Place;

typedef struct Copy {
    Place dst, src;
    uint64_t width, height;
} Copy;

/* Rows of elements of 1, 2 or 4 bytes. */
typedef struct Fill {
    Place dst;
    uint64_t width, height; /* width in bytes */
    uint32_t value;
    unsigned element_size;
} Fill;

/* What a description means, with everything checked that a driver checks. */
CudaResult driver_resolve_copy(const CudaCopy3D *description, Copy *copy);
CudaResult driver_resolve_fill(const CudaMemsetNode *description, Fill *fill);

CudaResult driver_run_copy(const Copy *copy, Work *work);
CudaResult driver_run_fill(const Fill *fill, Work *work);
void driver_free_copy(Copy *copy);

#endif
