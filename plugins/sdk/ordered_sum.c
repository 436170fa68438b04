/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sums whose order is part of a metric, as kernels of a program. */
#include "ordered_sum.h"

#include "program.h"
#include "reduce/reduce_args.h"

/* The least n with 2^n >= count. */
static int32_t log_of(uint32_t count)
{
    int32_t n = 0;
    while (UINT32_C(1) << n < count)
        n++;
    return n;
}

enum { MOST_BYTES = 1 << 27 }; /* that a kernel can bind */

/* The terms in parts that kernels can bind, whole numbers of blocks, and what kernels leave for
 * each other: elements for each chunk or block of all parts. */
typedef struct Cut {
    const VmafOrderedSum *sum;
    uint32_t part; /* terms, but for the last one */
    uint32_t n_parts;
    VmafBufferName chunk_estimates, block_estimates, chunk_runs, block_runs;
} Cut;

/* One part of them. */
typedef struct Part {
    ordered_sum_args args;
    uint32_t blocks;
    VmafBufferName terms, chunk_estimates, block_estimates, chunk_runs, block_runs;
} Part;

static uint32_t size_of_term(const VmafOrderedSum *sum)
{
    return sum->is_f64 ? sizeof(uint64_t) : sizeof(uint32_t);
}

static Cut cut(VmafProgram *program, const VmafOrderedSum *sum, uint32_t part)
{
    const uint64_t blocks = ceil_div(sum->count, ORDERED_SUM_BLOCK);
    const uint64_t chunks = blocks * ORDERED_SUM_CHUNKS;
    return (Cut){
        .sum = sum,
        .part = part,
        .n_parts = ceil_div(sum->count, part),
        .chunk_estimates = vmaf_program_scratch(program, chunks * sizeof(int64_t)),
        .block_estimates = vmaf_program_scratch(program, blocks * sizeof(int64_t)),
        .chunk_runs = vmaf_program_scratch(program, chunks * sizeof(ordered_run)),
        .block_runs = vmaf_program_scratch(program, blocks * sizeof(ordered_run)),
    };
}

static VmafBufferName elements(VmafBufferName buffer, uint64_t first, uint64_t count, uint64_t size)
{
    buffer.offset += first * size;
    buffer.size = count * size;
    return buffer;
}

static Part part_of(const Cut *all, uint32_t number)
{
    const VmafOrderedSum *sum = all->sum;
    const int32_t spare = 62 - log_of(sum->count); /* bits of an estimated term */
    const uint32_t first = number * all->part, left = sum->count - first;
    const uint32_t count = left < all->part ? left : all->part;
    const uint32_t blocks = ceil_div(count, ORDERED_SUM_BLOCK);
    const uint32_t first_block = first / ORDERED_SUM_BLOCK;
    const uint64_t first_chunk = (uint64_t)first_block * ORDERED_SUM_CHUNKS;
    const uint64_t chunks = (uint64_t)blocks * ORDERED_SUM_CHUNKS;
    return (Part){
        .args = {.count = count, .first_block = first_block, .scale = spare - sum->magnitude},
        .blocks = blocks,
        .terms = elements(sum->terms, first, count, size_of_term(sum)),
        .chunk_estimates = elements(all->chunk_estimates, first_chunk, chunks, sizeof(int64_t)),
        .block_estimates = elements(all->block_estimates, first_block, blocks, sizeof(int64_t)),
        .chunk_runs = elements(all->chunk_runs, first_chunk, chunks, sizeof(ordered_run)),
        .block_runs = elements(all->block_runs, first_block, blocks, sizeof(ordered_run)),
    };
}

static void add_kernel(VmafProgram *program, uint32_t stage, const VmafProgramRun *run,
                       const Part *part, uint32_t groups)
{
    VmafProgramRun whole = *run;
    whole.args = &part->args;
    whole.args_size = sizeof(part->args);
    whole.groups[0] = groups;
    whole.groups[1] = whole.groups[2] = 1;
    vmaf_program_run(program, stage, &whole);
}

static void add_estimates(VmafProgram *program, uint32_t stage, const Cut *all, const Part *part)
{
    const VmafProgramRun run = {
        .kernel = all->sum->is_f64 ? "ordered_estimates_64" : "ordered_estimates_32",
        .buffers = {part->terms, part->chunk_estimates, part->block_estimates},
    };
    add_kernel(program, stage, &run, part, part->blocks);
}

static void add_runs(VmafProgram *program, uint32_t stage, const Cut *all, const Part *part)
{
    const VmafProgramRun run = {
        .kernel = all->sum->is_f64 ? "ordered_runs_64" : "ordered_runs_32",
        .buffers = {part->terms, part->chunk_estimates, all->block_estimates, part->chunk_runs,
                    part->block_runs},
    };
    add_kernel(program, stage, &run, part, part->blocks);
}

static void add_walk(VmafProgram *program, uint32_t stage, const Cut *all, const Part *part,
                     VmafBufferName earlier, VmafBufferName result)
{
    const VmafProgramRun run = {
        .kernel = all->sum->is_f64 ? "ordered_walk_64" : "ordered_walk_32",
        .buffers = {part->terms, part->chunk_runs, part->block_runs, earlier, result},
    };
    add_kernel(program, stage, &run, part, 1);
}

static partial_sum single(uint32_t first)
{
    return (partial_sum){
        .first = first, .rows = 1, .row_stride = 1, .columns = 1, .is_unsigned = 1};
}

partial_sum vmaf_program_ordered_sum_in_parts(VmafProgram *program, uint32_t *stage,
                                              const VmafOrderedSum *sum, uint32_t size_of_part)
{
    uint32_t first;
    if (!sum->count)
        return (partial_sum){.rows = 0};
    const VmafBufferName result = vmaf_program_partials(program, ORDERED_SUM_RESULTS, &first);
    const Cut all = cut(program, sum, size_of_part);
    VmafBufferName earlier = all.block_estimates; /* not read for the first part */
    for (uint32_t i = 0; i < all.n_parts; i++) {
        const Part part = part_of(&all, i);
        const VmafBufferName to =
            i + 1 < all.n_parts
                ? vmaf_program_scratch(program, ORDERED_SUM_RESULTS * sizeof(uint64_t))
                : result;
        add_estimates(program, *stage, &all, &part);
        add_runs(program, *stage + 1, &all, &part);
        add_walk(program, *stage + 2 + i, &all, &part, earlier, to);
        earlier = to;
    }
    *stage += 2 + all.n_parts;
    return single(first);
}

partial_sum vmaf_program_ordered_sum(VmafProgram *program, uint32_t *stage,
                                     const VmafOrderedSum *sum)
{
    return vmaf_program_ordered_sum_in_parts(program, stage, sum, MOST_BYTES / size_of_term(sum));
}

/* -- rows -- */

void vmaf_program_row_sums(VmafProgram *program, uint32_t *stage, const VmafRowSums *rows)
{
    const row_sums_args args = {
        .rows = rows->rows,
        .columns = rows->columns,
        .stride = rows->stride,
        .first = rows->first,
    };
    const VmafProgramRun run = {
        .kernel = "row_sums",
        .buffers = {rows->terms, rows->sums},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {ceil_div(rows->rows, ROW_SUMS_ROWS), 1, 1},
    };
    if (rows->rows)
        vmaf_program_run(program, (*stage)++, &run);
}

partial_sum vmaf_program_total_in_order(VmafProgram *program, uint32_t *stage, VmafBufferName terms,
                                        uint32_t first, uint32_t count)
{
    uint32_t at;
    const total_in_order_args args = {.first = first, .count = count};
    const VmafProgramRun run = {
        .kernel = "total_in_order",
        .buffers = {terms, vmaf_program_partials(program, 1, &at)},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {1, 1, 1},
    };
    vmaf_program_run(program, (*stage)++, &run);
    return single(at);
}
