/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * The end of a program: its sums, in one step or two.
 *
 * One work-group makes a sum, and its lanes load the partial sums one after the other. Where that
 * takes long, other groups first add up slices of the partial sums, and the last step adds the
 * slices. The slices of all sums whose partial sums are complete after a stage are one step of the
 * next stage: beside its kernels, so that they cost neither a barrier nor time at the end.
 */
#include <errno.h>
#include <stdlib.h>

#include "program.h"
#include "rounding.h"

enum {
    LANES = 256,       /* of sum_partials */
    LOADS_AT_ONCE = 8, /* columns that it loads together */
    LOADS_MAX = 4,     /* of a lane, one after the other, in one step */
};

static uint32_t loads_of_row(const partial_sum *sum)
{
    return ceil_div(sum->columns, LOADS_AT_ONCE);
}

static bool is_sliced(const partial_sum *sum)
{
    return sum->columns && ceil_div(sum->rows, LANES) * loads_of_row(sum) > LOADS_MAX;
}

static uint32_t rows_of_slice(const partial_sum *sum)
{
    const uint32_t per_lane = LOADS_MAX / loads_of_row(sum);
    return LANES * (per_lane ? per_lane : 1);
}

/* -- order of the partial sums -- */

/* Where a kernel of a stage leaves partial sums. */
typedef struct Region {
    VmafBufferName *buffer;
    uint32_t stage, first, end, moved_to;
} Region;

typedef struct Regions {
    Region *list;
    uint32_t count;
} Regions;

static int list_regions(VmafProgram *program, Regions *regions)
{
    regions->list =
        calloc((size_t)program->n_steps * VMAF_KERNEL_MAX_BUFFERS + 1, sizeof(*regions->list));
    if (!regions->list)
        return -ENOMEM;
    for (uint32_t i = 0; i < program->n_steps; i++) {
        VmafProgramStep *step = &program->steps[i];
        for (uint32_t slot = 0; slot < VMAF_KERNEL_MAX_BUFFERS; slot++) {
            VmafBufferName *buffer = &step->run.buffers[slot];
            const uint32_t first = (uint32_t)(buffer->offset / sizeof(uint64_t));
            if (buffer->kind == VMAF_BUFFER_PARTIALS)
                regions->list[regions->count++] = (Region){
                    .buffer = buffer,
                    .stage = step->stage,
                    .first = first,
                    .end = first + (uint32_t)(buffer->size / sizeof(uint64_t)),
                };
        }
    }
    return 0;
}

static const Region *find_region(const Regions *regions, const partial_sum *sum)
{
    for (uint32_t i = 0; i < regions->count; i++) {
        if (sum->first >= regions->list[i].first && sum->first < regions->list[i].end)
            return &regions->list[i];
    }
    return NULL;
}

/* Moves what is left in one stage together, so that one step can bind it; ends[s] is where that of
 * stages up to s ends. */
static void sort_regions(VmafProgram *program, Regions *regions,
                         uint32_t ends[VMAF_PROGRAM_MAX_STAGES])
{
    program->n_partials = 0;
    for (uint32_t stage = 0; stage < VMAF_PROGRAM_MAX_STAGES; stage++) {
        for (uint32_t i = 0; i < regions->count; i++) {
            Region *region = &regions->list[i];
            if (region->stage != stage)
                continue;
            const VmafBufferName moved =
                vmaf_program_partials(program, region->end - region->first, &region->moved_to);
            *region->buffer = moved;
        }
        ends[stage] = program->n_partials;
    }
}

/* -- slices -- */

/* Makes the sum one of slices, which it appends to the list if there is one; returns their number.
 * `begin` is where the partial sums of the stage begin, `slices` where slices go. */
static uint32_t slice(partial_sum *sum, uint32_t begin, uint32_t slices, uint32_t n,
                      partial_sum *list)
{
    const uint32_t step = rows_of_slice(sum), count = ceil_div(sum->rows, step);
    for (uint32_t i = 0; list && i < count; i++) {
        list[n + i] = *sum;
        list[n + i].first = sum->first - begin + i * step * sum->row_stride;
        list[n + i].rows = i + 1 < count ? step : sum->rows - i * step;
        list[n + i].result = n + i;
    }
    if (list)
        *sum = (partial_sum){.first = slices + n,
                             .rows = count,
                             .row_stride = 1,
                             .columns = 1,
                             .is_unsigned = 1,
                             .result = sum->result};
    return count;
}

static bool wants(const VmafProgramRequest *request, uint32_t sum)
{
    for (uint32_t i = 0; i < request->n_results; i++) {
        if (request->results[i] == sum)
            return true;
    }
    return false;
}

/* Widens the range of requests to those with this sum. */
static void add_owners(const VmafProgram *program, uint32_t sum, uint32_t *first, uint32_t *end)
{
    for (uint32_t r = 0; r < program->n_requests; r++) {
        if (!wants(&program->requests[r], sum))
            continue;
        *first = r < *first ? r : *first;
        *end = r >= *end ? r + 1 : *end;
    }
}

/* Adds the step that makes the slices of partial sums from `begin` to `end`, which are complete
 * after the stage, if there are sums that need them. */
static int add_slices(VmafProgram *program, uint32_t stage, uint32_t begin, uint32_t end)
{
    uint32_t n = 0, first_request = UINT32_MAX, end_request = 0, slices;
    bool *chosen = calloc((size_t)program->n_sums + 1, sizeof(*chosen));
    if (!chosen)
        return -ENOMEM;
    for (uint32_t i = 0; i < program->n_sums; i++) {
        const partial_sum *sum = &program->sums[i];
        chosen[i] = is_sliced(sum) && sum->first >= begin && sum->first < end;
        if (chosen[i]) {
            n += slice(&program->sums[i], begin, 0, n, NULL);
            add_owners(program, i, &first_request, &end_request);
        }
    }
    partial_sum *list = n ? calloc(n, sizeof(*list)) : NULL;
    if (list) {
        const VmafBufferName to = vmaf_program_partials(program, n, &slices);
        n = 0;
        for (uint32_t i = 0; i < program->n_sums; i++) {
            if (chosen[i])
                n += slice(&program->sums[i], begin, slices, n, list);
        }
        const sum_partials_args args = {.first_sum = 0};
        const VmafProgramRun run = {
            .kernel = "sum_partials",
            .buffers = {vmaf_program_table(program, list, n * sizeof(*list)),
                        {.kind = VMAF_BUFFER_PARTIALS,
                         .offset = begin * (uint64_t)sizeof(uint64_t),
                         .size = (end - begin) * (uint64_t)sizeof(uint64_t)},
                        to},
            .args = &args,
            .args_size = sizeof(args),
            .groups = {n, 1, 1},
        };
        vmaf_program_run(program, stage + 1, &run);
        if (!program->status) {
            program->steps[program->n_steps - 1].first_request = first_request;
            program->steps[program->n_steps - 1].end_request = end_request;
        }
    }
    const int error = n && !list ? -ENOMEM : 0;
    free(list);
    free(chosen);
    return error;
}

void vmaf_program_finish(VmafProgram *program)
{
    Regions regions = {0};
    uint32_t ends[VMAF_PROGRAM_MAX_STAGES], begin = 0;
    int error = program->status ? 0 : list_regions(program, &regions);
    if (!error && !program->status) {
        sort_regions(program, &regions, ends);
        for (uint32_t i = 0; i < program->n_sums; i++) {
            const Region *region = find_region(&regions, &program->sums[i]);
            if (region && program->sums[i].rows)
                program->sums[i].first += region->moved_to - region->first;
        }
        for (uint32_t stage = 0; stage + 1 < VMAF_PROGRAM_MAX_STAGES && !error; stage++) {
            error = add_slices(program, stage, begin, ends[stage]);
            begin = ends[stage];
        }
    }
    if (error && !program->status)
        program->status = error;
    free(regions.list);
}
