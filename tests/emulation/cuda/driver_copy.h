/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_COPY_H
#define TESTS_EMULATION_CUDA_DRIVER_COPY_H

#include "driver.h"

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

typedef struct Fill {
    Place dst;
    uint64_t size;
    unsigned char value;
} Fill;

/* What a description means, with everything checked that a driver checks. */
CudaResult driver_resolve_copy(const CudaCopy3D *description, Copy *copy);

CudaResult driver_run_copy(const Copy *copy, Work *work);
CudaResult driver_run_fill(const Fill *fill, Work *work);
void driver_free_copy(Copy *copy);

#endif
