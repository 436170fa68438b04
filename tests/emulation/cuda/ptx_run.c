/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Launches: groups, one after the other, their chunks and barriers, and the memory they see. */
#include "ptx_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill_noise(void *memory, size_t size, uint32_t seed)
{
    const uint32_t word = (seed | 1) * 2654435761u;
    for (size_t i = 0; i < size; i += sizeof(word))
        memcpy((char *)memory + i, &word, size - i < sizeof(word) ? size - i : sizeof(word));
}

/* -- chunks -- */

static uint32_t count_chunks(uint32_t n_lanes)
{
    uint32_t n = 2; /* so that no group runs as if it were one lane */
    while (n * PTX_WIDTH < n_lanes)
        n *= 2;
    return n_lanes == 1 ? 1 : n;
}

/*
 * Lanes whose numbers differ in one bit are in different chunks, so that what neighbours exchange
 * without a barrier is seen: chunks run one after the other.
 */
static uint32_t chunk_of(uint32_t lane, uint32_t n_chunks)
{
    uint32_t chunk = 0;
    for (uint32_t bit = 0; lane >> bit; bit++) {
        if (lane >> bit & 1)
            chunk ^= 1 + bit % (n_chunks - 1);
    }
    return chunk;
}

/* What all lanes know from the start. */
static void set_word(const PtxChunk *chunk, uint32_t at, unsigned lane, uint32_t value)
{
    if (at != PTX_NONE)
        ((PtxWord *)(chunk->registers + at))[lane] = value;
}

static void set_registers(const PtxRunner *runner, PtxChunk *chunk)
{
    const PtxEntry *entry = runner->entry;
    const uint32_t *lanes = runner->launch->lanes;
    for (unsigned i = 0; i < PTX_WIDTH; i++) { /* those that are no lanes compute, too */
        const uint32_t lane = chunk->lanes[i < chunk->n_lanes ? i : 0];
        const uint32_t tid[] = {lane % lanes[0], lane / lanes[0] % lanes[1],
                                lane / lanes[0] / lanes[1]};
        for (unsigned axis = 0; axis < 3; axis++) {
            set_word(chunk, entry->specials[PTX_TID + axis], i, tid[axis]);
            set_word(chunk, entry->specials[PTX_NTID + axis], i, lanes[axis]);
            set_word(chunk, entry->specials[PTX_NCTAID + axis], i, runner->launch->groups[axis]);
        }
        for (uint32_t k = 0; k < entry->n_constants; k++) {
            const PtxConstant *constant = &entry->constants[k];
            if (constant->is_wide)
                ((PtxWide *)(chunk->registers + constant->at))[i] = constant->value;
            else
                set_word(chunk, constant->at, i, (uint32_t)constant->value);
        }
    }
}

static void make_chunks(PtxRunner *runner)
{
    const uint32_t n = count_chunks(runner->n_lanes);
    const size_t size = runner->entry->registers_size;
    runner->n_chunks = n;
    runner->chunks = calloc(n, sizeof(*runner->chunks));
    for (uint32_t i = 0; i < runner->n_lanes; i++) {
        PtxChunk *chunk = &runner->chunks[n > 1 ? chunk_of(i, n) : 0];
        if (chunk->n_lanes == PTX_WIDTH) { /* groups of odd sizes: the first that has room */
            for (chunk = runner->chunks; chunk->n_lanes == PTX_WIDTH; chunk++) {
            }
        }
        chunk->lanes[chunk->n_lanes++] = (uint16_t)i;
    }
    for (uint32_t i = 0; i < n; i++) {
        runner->chunks[i].registers = aligned_alloc(64, size + 64);
        fill_noise(runner->chunks[i].registers, size, runner->launch->noise + i);
        set_registers(runner, &runner->chunks[i]);
    }
}

/* -- runners -- */

static int compare_allocations(const void *a, const void *b)
{
    const PtxAllocation *first = a, *second = b;
    return first->address < second->address ? -1 : first->address > second->address;
}

/* All that can be accessed, by address. */
static void list_allocations(PtxRunner *runner)
{
    const PtxLaunch *launch = runner->launch;
    const PtxModule *module = runner->entry->module;
    const size_t n = launch->n_allocations + module->n_variables;
    runner->allocations = malloc((n + 1) * sizeof(*runner->allocations));
    runner->n_allocations = n;
    for (size_t i = 0; i < n; i++) {
        PtxAllocation *to = &runner->allocations[i];
        if (i < launch->n_allocations) {
            *to = launch->allocations[i];
        } else {
            const PtxVariable *variable = &module->variables[i - launch->n_allocations];
            *to = (PtxAllocation){.data = variable->data,
                                  .size = variable->size,
                                  .is_read_only = variable->is_read_only};
        }
        to->address = to->address ? to->address : (uintptr_t)to->data;
    }
    qsort(runner->allocations, n, sizeof(*runner->allocations), compare_allocations);
}

PtxRunner *ptx_runner_create(const PtxLaunch *launch, char error[PTX_ERROR_SIZE])
{
    const PtxEntry *entry = launch->entry;
    const uint64_t n = (uint64_t)launch->lanes[0] * launch->lanes[1] * launch->lanes[2];
    if (n == 0 || n > 1024 || (entry->max_lanes && n > entry->max_lanes)) {
        snprintf(error, PTX_ERROR_SIZE, "kernel %s: a group cannot have %" PRIu64 " lanes",
                 entry->name, n);
        return NULL;
    }
    PtxRunner *runner = calloc(1, sizeof(*runner));
    runner->launch = launch;
    runner->entry = entry;
    runner->n_lanes = (uint32_t)n;
    runner->shared = malloc(entry->shared_size + 1);
    list_allocations(runner);
    make_chunks(runner);
    return runner;
}

void ptx_runner_destroy(PtxRunner *runner)
{
    if (runner) {
        for (uint32_t i = 0; i < runner->n_chunks; i++)
            free(runner->chunks[i].registers);
        free(runner->chunks);
        free(runner->shared);
        free(runner->allocations);
        free(runner);
    }
}

uint64_t ptx_runner_instructions(const PtxRunner *runner)
{
    return runner->instructions;
}

/* -- memory and failures -- */

void ptx_lane_fail(PtxRunner *runner, const PtxChunk *chunk, unsigned lane,
                   const PtxInstruction *at, enum PtxFault fault, const char *format, ...)
{
    const uint32_t number = chunk->lanes[lane], *lanes = runner->launch->lanes;
    if (runner->launch->fault)
        *runner->launch->fault = fault;
    int length = snprintf(runner->error, PTX_ERROR_SIZE,
                          "kernel %s, group (%u, %u, %u), lane (%u, %u, %u): ", runner->entry->name,
                          runner->group[0], runner->group[1], runner->group[2], number % lanes[0],
                          number / lanes[0] % lanes[1], number / lanes[0] / lanes[1]);
    length += snprintf(runner->error + length, PTX_ERROR_SIZE - (size_t)length, "\"%.*s\" ",
                       (int)(at->text_length < 80 ? at->text_length : 80),
                       runner->entry->module->text + at->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(runner->error + length, PTX_ERROR_SIZE - (size_t)length, format, arguments);
    va_end(arguments);
}

static unsigned char *in_window(unsigned char *data, size_t window, uint64_t offset, size_t size)
{
    return offset <= window && size <= window - offset ? data + offset : NULL;
}

/* The last allocation that begins at or before the address, if it has all of that. */
static unsigned char *in_allocation(PtxRunner *runner, uint64_t address, uint64_t size, bool write)
{
    if (runner->n_allocations == 0)
        return NULL;
    const PtxAllocation *in = &runner->allocations[runner->last];
    if (address - in->address >= in->size) {
        size_t low = 0, high = runner->n_allocations;
        while (high - low > 1) {
            const size_t middle = (low + high) / 2;
            *(runner->allocations[middle].address <= address ? &low : &high) = middle;
        }
        runner->last = low;
        in = &runner->allocations[low];
    }
    return write && in->is_read_only ? NULL
                                     : in_window(in->data, in->size, address - in->address, size);
}

bool ptx_locate_all(PtxRunner *runner, const PtxInstruction *at, uint64_t low, uint64_t high,
                    bool write, unsigned char **base)
{
    const uint64_t size = high - low + (uint64_t)at->size * at->count;
    switch (at->space) {
    case PTX_PARAM: /* the runner does not change it */
        *base = in_window((unsigned char *)(uintptr_t)runner->launch->params,
                          write ? 0 : runner->entry->params_size, low, size);
        break;
    case PTX_SHARED:
        *base = in_window(runner->shared, runner->entry->shared_size, low - PTX_MEMORY_BASE, size);
        break;
    default:
        *base = in_allocation(runner, low, size, write);
    }
    return *base != NULL;
}

unsigned char *ptx_locate(PtxRunner *runner, const PtxChunk *chunk, unsigned lane,
                          const PtxInstruction *at, uint64_t address, bool write)
{
    const size_t size = (size_t)at->size * at->count;
    unsigned char *found;
    if (address % size != 0) {
        ptx_lane_fail(runner, chunk, lane, at, PTX_FAULT_ALIGNMENT,
                      "accesses %zu bytes at 0x%" PRIx64 ", which is not aligned", size, address);
        return NULL;
    }
    if (ptx_locate_all(runner, at, address, address, write, &found))
        return found;
    static const char *const names[] = {"", "global memory", "arguments", "group memory"};
    ptx_lane_fail(runner, chunk, lane, at, PTX_FAULT_ADDRESS,
                  "%s %zu bytes at 0x%" PRIx64 ", which no %s holds", write ? "writes" : "reads",
                  size, address, names[at->space]);
    return NULL;
}

/* -- groups -- */

/* Whether all lanes have come to the same barrier (then they go on), or to their end. */
static bool lanes_agree(PtxRunner *runner, bool *waits)
{
    const PtxChunk *waiting = NULL, *other = NULL;
    unsigned waiting_lane = 0, other_lane = 0;
    bool has_ended = false;
    for (uint32_t i = 0; i < runner->n_chunks; i++) {
        const PtxChunk *chunk = &runner->chunks[i];
        for (unsigned k = 0; k < chunk->n_lanes; k++) {
            const bool is_waiting = chunk->waiting >> k & 1;
            if (is_waiting && !waiting) {
                waiting = chunk;
                waiting_lane = k;
            } else if (!is_waiting) {
                other = chunk;
                other_lane = k;
                has_ended = true;
            } else if (chunk->at[k] != waiting->at[waiting_lane] && !has_ended) {
                other = chunk;
                other_lane = k;
            }
        }
    }
    *waits = waiting != NULL;
    if (!waiting || !other)
        return true;
    const uint32_t number = other->lanes[other_lane], *lanes = runner->launch->lanes;
    ptx_lane_fail(runner, waiting, waiting_lane,
                  &runner->entry->code[waiting->at[waiting_lane] - 1], PTX_FAULT_BARRIER,
                  "waits for lane (%u, %u, %u), which %s", number % lanes[0],
                  number / lanes[0] % lanes[1], number / lanes[0] / lanes[1],
                  has_ended ? "has ended" : "waits at another barrier");
    return false;
}

static bool run_chunk(PtxRunner *runner, PtxChunk *chunk)
{
#ifdef PTX_HAS_AVX2
    if (__builtin_cpu_supports("avx2"))
        return ptx_run_chunk_avx2(runner, chunk);
#endif
    return ptx_run_chunk(runner, chunk);
}

static void start_group(PtxRunner *runner, const uint32_t group[3])
{
    const uint32_t noise = runner->launch->noise;
    fill_noise(runner->shared, runner->entry->shared_size, noise + 1);
    for (uint32_t i = 0; i < runner->n_chunks; i++) {
        PtxChunk *chunk = &runner->chunks[i];
        memset(chunk->at, 0, sizeof(chunk->at));
        chunk->running = chunk->n_lanes == 64 ? ~UINT64_C(0) : (UINT64_C(1) << chunk->n_lanes) - 1;
        chunk->waiting = 0;
        for (unsigned lane = 0; lane < PTX_WIDTH; lane++) {
            for (unsigned axis = 0; axis < 3; axis++)
                set_word(chunk, runner->entry->specials[PTX_CTAID + axis], lane, group[axis]);
        }
    }
}

int ptx_runner_group(PtxRunner *runner, const uint32_t group[3], char error[PTX_ERROR_SIZE])
{
    const PtxLaunch *launch = runner->launch;
    const uint32_t n = runner->n_chunks;
    bool waits;
    runner->error = error;
    memcpy(runner->group, group, sizeof(runner->group));
    runner->limit = launch->max_instructions ? runner->instructions + launch->max_instructions : 0;
    start_group(runner, group);
    do {
        for (uint32_t i = 0; i < n; i++) {
            if (!run_chunk(runner, &runner->chunks[launch->backwards ? n - 1 - i : i]))
                return -1;
        }
        if (!lanes_agree(runner, &waits))
            return -1;
        for (uint32_t i = 0; i < n; i++) {
            runner->chunks[i].running = runner->chunks[i].waiting;
            runner->chunks[i].waiting = 0;
        }
    } while (waits);
    return 0;
}

int ptx_run(const PtxLaunch *launch, char error[PTX_ERROR_SIZE])
{
    PtxRunner *runner = ptx_runner_create(launch, error);
    int status = runner ? 0 : -1;
    const uint64_t row = launch->groups[0], plane = row * launch->groups[1];
    for (uint64_t i = 0; i < plane * launch->groups[2] && status == 0; i++) {
        const uint32_t group[3] = {(uint32_t)(i % row), (uint32_t)(i % plane / row),
                                   (uint32_t)(i / plane)};
        status = ptx_runner_group(runner, group, error);
    }
    if (runner && launch->instructions)
        *launch->instructions += runner->instructions;
    ptx_runner_destroy(runner);
    return status;
}
