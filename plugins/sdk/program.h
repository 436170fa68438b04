/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_PROGRAM_H
#define VMAF_SDK_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "device.h"
#include "reduce/reduce_args.h"

/* Returns a / b rounded up; a + b must fit 32 bits. */
static inline uint32_t ceil_div(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* Returns the smallest multiple that is not below the size. */
static inline uint64_t round_up(uint64_t size, uint64_t multiple)
{
    return (size + multiple - 1) / multiple * multiple;
}

/*
 * The computation of a frame as data: buffers, kernels and the resulting sums. Metrics write
 * programs (metric.h), the session turns them into command lists (session.h).
 *
 * A program consists of stages. Kernels of one stage run in any order or at once; a stage sees all
 * that earlier stages wrote. Kernels belong to a pass, which serves one or more requests of a plan;
 * a command list holds the kernels of the passes that a frame wants any request of.
 *
 * Results are 64-bit sums. Kernels write partial sums, and after the last stage one kernel adds
 * them up (reduce/sum_partials.c). Where there are many partial sums, it has added slices of them
 * in a stage before. A sum that several requests share is computed once. Results that are not sums,
 * such as a number for each row, are written to memory of their own, which is read back as it is.
 *
 * Errors are sticky: calls need not be checked one by one, and vmaf_program_status returns the
 * first error in the end.
 */

enum {
    VMAF_PROGRAM_MAX_EARLIER = 2,
    VMAF_PROGRAM_MAX_STAGES = 32,
    VMAF_PROGRAM_MAX_REQUESTS = 256,
    VMAF_PROGRAM_MAX_RESULTS = 64, /* sums of a request */
    VMAF_PROGRAM_MAX_BYTES = 8,    /* ranges of bytes of a request */
};

typedef struct VmafProgram VmafProgram;

/* Size and format of pictures. */
typedef struct VmafGeometry {
    uint32_t w[3], h[3];       /* size of the planes in samples; 0 for absent ones */
    uint32_t depth;            /* bits per sample */
    uint32_t bytes_per_sample; /* 1 or 2 */
    uint32_t pixel_format;     /* VMAF_BACKEND_PIXEL_* */
    uint32_t stride[3];        /* bytes from row to row on the device; multiples of 4 */
} VmafGeometry;

enum VmafBufferKind {
    VMAF_BUFFER_REF,      /* a plane of the reference picture */
    VMAF_BUFFER_DIST,     /* a plane of the distorted picture */
    VMAF_BUFFER_SCRATCH,  /* intermediate results for later kernels of the same frame */
    VMAF_BUFFER_TABLE,    /* constants */
    VMAF_BUFFER_PARTIALS, /* partial sums */
    VMAF_BUFFER_BYTES,    /* results that the host reads as they are */
};

/* A buffer as a metric names it; each exists several times when frames are in flight. */
typedef struct VmafBufferName {
    enum VmafBufferKind kind;
    uint32_t index;        /* plane, or number of the scratch buffer or table */
    uint32_t earlier;      /* for planes: number of frames back, 0 to 2 */
    uint64_t offset, size; /* in bytes; size 0: to the end */
} VmafBufferName;

/* A plane, which counts as read by the requests of the pass. */
VmafBufferName vmaf_program_plane(VmafProgram *program, enum VmafBufferKind side, uint32_t plane,
                                  uint32_t earlier);
/* `size` bytes of memory, undefined when a frame begins. */
VmafBufferName vmaf_program_scratch(VmafProgram *program, uint64_t size);
/* Constants, which are copied. Equal tables are kept once. `size` is a multiple of 4. */
VmafBufferName vmaf_program_table(VmafProgram *program, const void *data, uint64_t size);
/* Memory for `count` partial sums, to bind to a kernel. *first receives the number of its first
 * element, for partial_sum. */
VmafBufferName vmaf_program_partials(VmafProgram *program, uint32_t count, uint32_t *first);

/* `size` bytes that the host reads back, to bind to kernels that write all of them. */
VmafBufferName vmaf_program_bytes(VmafProgram *program, uint64_t size);

/* A kernel of the pass to run in a stage. Everything is copied except the name. */
typedef struct VmafProgramRun {
    const char *kernel;
    VmafBufferName buffers[VMAF_KERNEL_MAX_BUFFERS]; /* by slot */
    const void *args;
    size_t args_size;
    uint32_t groups[3];
} VmafProgramRun;
void vmaf_program_run(VmafProgram *program, uint32_t stage, const VmafProgramRun *run);
/* Adds a result to a request, given by its number in the pass: the sum of the partial sums that
 * `sum` describes (its `result` is filled in here). */
void vmaf_program_result(VmafProgram *program, uint32_t request, const partial_sum *sum);
/* Adds bytes to the results of a request; several requests may share them. */
void vmaf_program_result_bytes(VmafProgram *program, uint32_t request, const VmafBufferName *bytes);

/* ---- For the session ---- */

typedef struct VmafProgramStep {
    uint32_t first_request, end_request; /* requests of its pass; the second is excluded */
    uint32_t stage;
    VmafProgramRun run; /* its args are in the next member */
    _Alignas(8) unsigned char args[VMAF_KERNEL_MAX_ARGS_SIZE];
} VmafProgramStep;

typedef struct VmafProgramTable {
    void *data;
    uint64_t size;
} VmafProgramTable;

/* A request of the host: what a plan makes of it, and what the program leaves for it. */
typedef struct VmafRequest {
    const struct VmafMetric *metric; /* NULL: the request was declined */
    void *options;                   /* the metric's option struct */
    uint64_t record_size;
    VmafBackendReason why; /* why it was declined */

    uint32_t number; /* in the program; VMAF_REQUEST_NO_NUMBER: it is not there */
    uint32_t n_results;
    uint32_t results[VMAF_PROGRAM_MAX_RESULTS]; /* numbers of sums */
    uint32_t n_bytes;
    uint64_t bytes[VMAF_PROGRAM_MAX_BYTES]; /* offset of each range in the results */
    uint32_t earlier;                       /* number of frames back that it reads */
} VmafRequest;
#define VMAF_REQUEST_NO_NUMBER UINT32_MAX

struct VmafProgram {
    int status;
    const VmafGeometry *geometry;
    uint32_t planes;                 /* set of the planes that are read */
    uint32_t earlier;                /* largest number of frames back that is read */
    uint32_t pass_request, pass_sum; /* first request and first sum of the current pass */
    uint32_t n_requests;
    VmafRequest *requests[VMAF_PROGRAM_MAX_REQUESTS]; /* by number; the plan's */
    uint32_t n_steps, steps_capacity;
    VmafProgramStep *steps;
    uint32_t n_scratch, scratch_capacity;
    uint64_t *scratch; /* sizes in bytes */
    uint32_t n_tables, tables_capacity;
    VmafProgramTable *tables;
    uint32_t n_sums, sums_capacity;
    partial_sum *sums; /* by result */
    uint32_t n_partials;
    uint64_t bytes_size; /* size of all ranges of bytes; the sums follow them in the results */
};

/* Number of bytes that the host reads back for a frame. */
static inline uint64_t vmaf_program_results_size(const VmafProgram *program)
{
    return program->bytes_size + program->n_sums * (uint64_t)sizeof(uint64_t);
}

/* Creates an empty program, or returns NULL. The geometry must outlive the program. */
VmafProgram *vmaf_program_create(const VmafGeometry *geometry);
void vmaf_program_destroy(VmafProgram *program); /* NULL is allowed */
/* Begins a new pass, for these requests, which get their numbers and must outlive the program. */
void vmaf_program_begin_pass(VmafProgram *program, VmafRequest *const *requests,
                             uint32_t n_requests);
/* Orders the partial sums, and adds steps for sums that have many of them. Called once, after the
 * last pass. */
void vmaf_program_finish(VmafProgram *program);
/* Returns 0, or the first error: -ENOMEM; -EINVAL for an error in the metric. */
int vmaf_program_status(const VmafProgram *program);

#endif
