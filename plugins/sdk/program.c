/* SPDX-License-Identifier: BSD-2-Clause-Patent */
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

static void refuse(VmafProgram *program)
{
    if (!program->status)
        program->status = -EINVAL;
}

void vmaf_program_begin_pass(VmafProgram *program, uint32_t n_requests)
{
    if (!n_requests || n_requests > VMAF_PROGRAM_MAX_REQUESTS - program->n_requests) {
        refuse(program);
        return;
    }
    program->pass_request = program->n_requests;
    program->pass_sum = program->n_sums;
    program->n_requests += n_requests;
}

VmafBufferName vmaf_program_plane(VmafProgram *program, enum VmafBufferKind side, uint32_t plane,
                                  uint32_t earlier)
{
    bool is_plane = side == VMAF_BUFFER_REF || side == VMAF_BUFFER_DIST;
    if (!is_plane || plane > 2 || earlier > VMAF_PROGRAM_MAX_EARLIER ||
        !program->geometry->w[plane] || !program->n_requests) {
        refuse(program);
        return (VmafBufferName){.kind = side};
    }
    for (uint32_t r = program->pass_request; r < program->n_requests; r++) {
        if (earlier > program->requests[r].earlier)
            program->requests[r].earlier = earlier;
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
        refuse(program);
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
        refuse(program);
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
        refuse(program);
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
        refuse(program);
    else
        program->bytes_size += (size + BINDING_ALIGNMENT - 1) / BINDING_ALIGNMENT * BINDING_ALIGNMENT;
    return name;
}

void vmaf_program_run(VmafProgram *program, uint32_t stage, const VmafProgramRun *run)
{
    program->steps = reserve(program, program->steps, program->n_steps, &program->steps_capacity,
                             sizeof(*program->steps));
    if (run->args_size > VMAF_KERNEL_MAX_ARGS_SIZE || stage >= VMAF_PROGRAM_MAX_STAGES ||
        !program->n_requests)
        refuse(program);
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
        program->requests[number].n_results == VMAF_PROGRAM_MAX_RESULTS)
        refuse(program);
    if (program->status)
        return;
    VmafProgramRequest *owner = &program->requests[number];
    owner->results[owner->n_results++] = number_of_sum(program, sum);
}

void vmaf_program_result_bytes(VmafProgram *program, uint32_t request, const VmafBufferName *bytes)
{
    const uint32_t number = program->pass_request + request;
    if (number >= program->n_requests || bytes->kind != VMAF_BUFFER_BYTES ||
        program->requests[number].n_bytes == VMAF_PROGRAM_MAX_BYTES)
        refuse(program);
    if (program->status)
        return;
    VmafProgramRequest *owner = &program->requests[number];
    owner->bytes[owner->n_bytes++] = bytes->offset;
}
