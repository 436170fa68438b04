/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Programs: what metrics write, and the sums at the end. */
#include "program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BINDING_ALIGNMENT = 256 }; /* bytes: where bindings may begin */

/* Makes room for one more element, or sets the sticky error. */
static void *reserve(VmafProgram *program, void *array, uint32_t count, uint32_t *capacity,
                     size_t element_size)
{
    if (program->status || count < *capacity)
        return array;
    uint32_t wanted = *capacity ? 2 * *capacity : 16;
    void *grown = realloc(array, wanted * element_size);
    if (!grown) {
        program->status = -ENOMEM;
        return array;
    }
    *capacity = wanted;
    return grown;
}

VmafProgram *vmaf_program_create(const VmafGeometry *geometry)
{
    VmafProgram *program = calloc(1, sizeof(*program));
    if (program)
        program->geometry = geometry;
    return program;
}

void vmaf_program_destroy(VmafProgram *program)
{
    if (!program)
        return;
    for (uint32_t i = 0; i < program->n_tables; i++)
        free(program->tables[i].data);
    free(program->tables);
    free(program->scratch);
    free(program->steps);
    free(program->sums);
    free(program);
}

int vmaf_program_status(const VmafProgram *program)
{
    return program->status;
}

static void set_invalid(VmafProgram *program)
{
    if (!program->status)
        program->status = -EINVAL;
}

void vmaf_program_begin_pass(VmafProgram *program, VmafRequest *const *requests,
                             uint32_t n_requests)
{
    if (!n_requests || n_requests > VMAF_PROGRAM_MAX_REQUESTS - program->n_requests) {
        set_invalid(program);
        return;
    }
    program->pass_request = program->n_requests;
    program->pass_sum = program->n_sums;
    for (uint32_t i = 0; i < n_requests; i++) {
        requests[i]->number = program->n_requests;
        requests[i]->n_results = requests[i]->n_bytes = requests[i]->earlier = 0;
        program->requests[program->n_requests++] = requests[i];
    }
}

VmafBufferName vmaf_program_plane(VmafProgram *program, enum VmafBufferKind side, uint32_t plane,
                                  uint32_t earlier)
{
    bool is_plane = side == VMAF_BUFFER_REF || side == VMAF_BUFFER_DIST;
    if (!is_plane || plane > 2 || earlier > VMAF_PROGRAM_MAX_EARLIER ||
        !program->geometry->w[plane] || !program->n_requests) {
        set_invalid(program);
        return (VmafBufferName){.kind = side};
    }
    for (uint32_t r = program->pass_request; r < program->n_requests; r++) {
        if (earlier > program->requests[r]->earlier)
            program->requests[r]->earlier = earlier;
    }
    if (earlier > program->earlier)
        program->earlier = earlier;
    program->planes |= 1u << plane;
    return (VmafBufferName){.kind = side, .index = plane, .earlier = earlier};
}

VmafBufferName vmaf_program_scratch(VmafProgram *program, uint64_t size)
{
    program->scratch = reserve(program, program->scratch, program->n_scratch,
                               &program->scratch_capacity, sizeof(*program->scratch));
    VmafBufferName name = {.kind = VMAF_BUFFER_SCRATCH, .index = program->n_scratch};
    if (!size)
        set_invalid(program);
    if (!program->status)
        program->scratch[program->n_scratch++] = size;
    return name;
}

static bool find_table(const VmafProgram *program, const void *data, uint64_t size, uint32_t *index)
{
    for (uint32_t i = 0; i < program->n_tables; i++) {
        if (program->tables[i].size == size && !memcmp(program->tables[i].data, data, size)) {
            *index = i;
            return true;
        }
    }
    return false;
}

VmafBufferName vmaf_program_table(VmafProgram *program, const void *data, uint64_t size)
{
    VmafBufferName name = {.kind = VMAF_BUFFER_TABLE, .index = program->n_tables};
    if (!size || size % 4) {
        set_invalid(program);
        return name;
    }
    if (find_table(program, data, size, &name.index))
        return name;
    program->tables = reserve(program, program->tables, program->n_tables,
                              &program->tables_capacity, sizeof(*program->tables));
    void *copy = program->status ? NULL : malloc(size);
    if (!copy) {
        if (!program->status)
            program->status = -ENOMEM;
        return name;
    }
    memcpy(copy, data, size);
    program->tables[program->n_tables++] = (VmafProgramTable){copy, size};
    return name;
}

VmafBufferName vmaf_program_partials(VmafProgram *program, uint32_t count, uint32_t *first)
{
    const uint32_t alignment = BINDING_ALIGNMENT / sizeof(uint64_t);
    *first = program->n_partials;
    if (!count || count > UINT32_MAX / 2 - program->n_partials) {
        set_invalid(program);
        return (VmafBufferName){.kind = VMAF_BUFFER_PARTIALS};
    }
    program->n_partials += (count + alignment - 1) / alignment * alignment;
    return (VmafBufferName){.kind = VMAF_BUFFER_PARTIALS,
                            .offset = *first * (uint64_t)sizeof(uint64_t),
                            .size = count * (uint64_t)sizeof(uint64_t)};
}

VmafBufferName vmaf_program_bytes(VmafProgram *program, uint64_t size)
{
    const VmafBufferName name = {
        .kind = VMAF_BUFFER_BYTES, .offset = program->bytes_size, .size = size};
    if (!size || size > UINT32_MAX / 2 - program->bytes_size)
        set_invalid(program);
    else
        program->bytes_size +=
            (size + BINDING_ALIGNMENT - 1) / BINDING_ALIGNMENT * BINDING_ALIGNMENT;
    return name;
}

void vmaf_program_run(VmafProgram *program, uint32_t stage, const VmafProgramRun *run)
{
    program->steps = reserve(program, program->steps, program->n_steps, &program->steps_capacity,
                             sizeof(*program->steps));
    if (run->args_size > VMAF_KERNEL_MAX_ARGS_SIZE || stage >= VMAF_PROGRAM_MAX_STAGES ||
        !program->n_requests)
        set_invalid(program);
    if (program->status)
        return;
    VmafProgramStep *step = &program->steps[program->n_steps++];
    *step = (VmafProgramStep){.first_request = program->pass_request,
                              .end_request = program->n_requests,
                              .stage = stage,
                              .run = *run};
    memcpy(step->args, run->args, run->args_size);
    step->run.args = NULL; /* steps move when the list grows */
}

/* The number of the sum; a new one unless the pass has an equal sum. */
static uint32_t number_of_sum(VmafProgram *program, const partial_sum *sum)
{
    partial_sum wanted = *sum;
    for (wanted.result = program->pass_sum; wanted.result < program->n_sums; wanted.result++) {
        if (!memcmp(&program->sums[wanted.result], &wanted, sizeof(wanted)))
            return wanted.result;
    }
    program->sums[program->n_sums++] = wanted;
    return wanted.result;
}

void vmaf_program_result(VmafProgram *program, uint32_t request, const partial_sum *sum)
{
    program->sums = reserve(program, program->sums, program->n_sums, &program->sums_capacity,
                            sizeof(*program->sums));
    const uint32_t number = program->pass_request + request;
    if (number >= program->n_requests ||
        program->requests[number]->n_results == VMAF_PROGRAM_MAX_RESULTS)
        set_invalid(program);
    if (program->status)
        return;
    VmafRequest *owner = program->requests[number];
    owner->results[owner->n_results++] = number_of_sum(program, sum);
}

void vmaf_program_result_bytes(VmafProgram *program, uint32_t request, const VmafBufferName *bytes)
{
    const uint32_t number = program->pass_request + request;
    if (number >= program->n_requests || bytes->kind != VMAF_BUFFER_BYTES ||
        program->requests[number]->n_bytes == VMAF_PROGRAM_MAX_BYTES)
        set_invalid(program);
    if (program->status)
        return;
    VmafRequest *owner = program->requests[number];
    owner->bytes[owner->n_bytes++] = bytes->offset;
}

/*
 * The end of a program: its sums, in one step or two.
 *
 * One work-group makes a sum, and its lanes load the partial sums one after the other. Where that
 * takes long, other groups first add up slices of the partial sums, and the last step adds the
 * slices. The slices of all sums whose partial sums are complete after a stage are one step of the
 * next stage: beside its kernels, so that they cost neither a barrier nor time at the end.
 */

enum {
    LANES = 256,       /* of sum_partials */
    LOADS_AT_ONCE = 8, /* columns that it loads together */
    LOADS_MAX = 4,     /* of a lane, one after the other, in one step */
};

static bool is_sliced(const partial_sum *sum)
{
    return sum->columns &&
           ceil_div(sum->rows, LANES) * ceil_div(sum->columns, LOADS_AT_ONCE) > LOADS_MAX;
}

static uint32_t rows_of_slice(const partial_sum *sum)
{
    const uint32_t per_lane = LOADS_MAX / ceil_div(sum->columns, LOADS_AT_ONCE);
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

static bool wants(const VmafRequest *request, uint32_t sum)
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
        if (!wants(program->requests[r], sum))
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
