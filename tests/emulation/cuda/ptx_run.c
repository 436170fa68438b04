/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "ptx_run.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNNING, WAITS, ENDED, FAILED };

typedef struct Lane {
    uint64_t *slots;
    unsigned char *local;
    uint32_t at; /* the next instruction */
    int state;
} Lane;

struct PtxRunner {
    const PtxLaunch *launch;
    const PtxEntry *entry;
    Lane *lanes;
    uint32_t n_lanes;
    uint64_t *slots;       /* of all lanes */
    unsigned char *local;  /* of all lanes */
    unsigned char *shared; /* of the group */
    size_t shared_size;
    size_t last; /* allocation that was accessed */
    uint64_t instructions;
    uint64_t limit;
    char *error;
};

static void fill_noise(void *memory, size_t size, uint32_t seed)
{
    const uint32_t word = (seed | 1) * 2654435761u;
    for (size_t i = 0; i < size; i += sizeof(word)) {
        memcpy((char *)memory + i, &word, size - i < sizeof(word) ? size - i : sizeof(word));
    }
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
    const uint32_t local = (entry->local_size + 15) & ~15u;
    const size_t n_slots = n * entry->n_slots;
    runner->launch = launch;
    runner->entry = entry;
    runner->n_lanes = (uint32_t)n;
    runner->lanes = calloc(n, sizeof(*runner->lanes));
    runner->slots = malloc(n_slots * sizeof(*runner->slots));
    runner->local = malloc(n * local + 1);
    runner->shared_size = entry->shared_size + launch->shared_bytes;
    runner->shared = malloc(runner->shared_size + 1);
    fill_noise(runner->slots, n_slots * sizeof(*runner->slots), launch->noise);
    for (uint32_t i = 0; i < n; i++) {
        Lane *lane = &runner->lanes[i];
        lane->slots = runner->slots + (size_t)i * entry->n_slots;
        lane->local = runner->local + (size_t)i * local;
        lane->slots[PTX_TID] = i % launch->lanes[0];
        lane->slots[PTX_TID + 1] = i / launch->lanes[0] % launch->lanes[1];
        lane->slots[PTX_TID + 2] = i / launch->lanes[0] / launch->lanes[1];
        for (unsigned axis = 0; axis < 3; axis++) {
            lane->slots[PTX_NTID + axis] = launch->lanes[axis];
            lane->slots[PTX_NCTAID + axis] = launch->groups[axis];
        }
        memcpy(lane->slots + entry->n_slots - entry->n_constants, entry->constants,
               entry->n_constants * sizeof(*entry->constants));
    }
    return runner;
}

void ptx_runner_destroy(PtxRunner *runner)
{
    if (runner) {
        free(runner->lanes);
        free(runner->slots);
        free(runner->local);
        free(runner->shared);
        free(runner);
    }
}

uint64_t ptx_runner_instructions(const PtxRunner *runner)
{
    return runner->instructions;
}

/* Stores the text of a failure at an instruction. */
__attribute__((format(printf, 5, 6))) static void fail(const PtxRunner *runner, const Lane *lane,
                                                       const PtxInstruction *at,
                                                       enum PtxFault fault, const char *format, ...)
{
    if (runner->launch->fault)
        *runner->launch->fault = fault;
    const uint64_t *s = lane->slots;
    int length =
        snprintf(runner->error, PTX_ERROR_SIZE,
                 "kernel %s, group (%u, %u, %u), lane (%u, %u, %u): ", runner->entry->name,
                 (unsigned)s[PTX_CTAID], (unsigned)s[PTX_CTAID + 1], (unsigned)s[PTX_CTAID + 2],
                 (unsigned)s[PTX_TID], (unsigned)s[PTX_TID + 1], (unsigned)s[PTX_TID + 2]);
    length += snprintf(runner->error + length, PTX_ERROR_SIZE - (size_t)length, "\"%.*s\" ",
                       (int)(at->text_length < 80 ? at->text_length : 80),
                       runner->entry->text + at->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(runner->error + length, PTX_ERROR_SIZE - (size_t)length, format, arguments);
    va_end(arguments);
}

static unsigned char *in_window(unsigned char *data, size_t window, uint64_t offset, size_t size)
{
    return offset <= window && size <= window - offset ? data + offset : NULL;
}

static unsigned char *in_allocation(PtxRunner *runner, uint64_t address, size_t size, bool write)
{
    const PtxLaunch *launch = runner->launch;
    for (size_t i = 0; i < launch->n_allocations; i++) {
        const size_t k = (runner->last + i) % launch->n_allocations;
        const PtxAllocation *in = &launch->allocations[k];
        unsigned char *at = in_window(
            in->data, in->size, address - (in->address ? in->address : (uintptr_t)in->data), size);
        if (at && !(write && in->is_read_only)) {
            runner->last = k;
            return at;
        }
    }
    return NULL;
}

/* Where the memory is that an instruction accesses; NULL and a text if it may not. */
static unsigned char *locate(PtxRunner *runner, const Lane *lane, const PtxInstruction *at,
                             bool write)
{
    uint64_t address = lane->slots[at->a] + (uint64_t)at->offset;
    const size_t size = (size_t)at->size * at->count;
    unsigned space = at->space;
    unsigned char *found = NULL;
    if (address % size != 0) {
        fail(runner, lane, at, PTX_FAULT_ALIGNMENT,
             "accesses %zu bytes at 0x%" PRIx64 ", which is not aligned", size, address);
        return NULL;
    }
    if (space == PTX_GENERIC) {
        space = address & PTX_GENERIC_SHARED  ? PTX_SHARED
                : address & PTX_GENERIC_LOCAL ? PTX_LOCAL
                                              : PTX_GLOBAL;
        address &= ~(PTX_GENERIC_SHARED | PTX_GENERIC_LOCAL);
    }
    switch (space) {
    case PTX_PARAM: /* the runner does not change it */
        found = in_window((unsigned char *)(uintptr_t)runner->launch->params,
                          write ? 0 : runner->entry->params_size, address, size);
        break;
    case PTX_SHARED:
        found = in_window(runner->shared, runner->shared_size, address - PTX_MEMORY_BASE, size);
        break;
    case PTX_LOCAL:
        found = in_window(lane->local, runner->entry->local_size, address - PTX_MEMORY_BASE, size);
        break;
    default:
        found = in_allocation(runner, address, size, write);
    }
    if (!found) {
        static const char *const names[] = {"memory", "global memory", "arguments", "group memory",
                                            "lane memory"};
        fail(runner, lane, at, PTX_FAULT_ADDRESS,
             "%s %zu bytes at 0x%" PRIx64 ", which no %s holds", write ? "writes" : "reads", size,
             address, names[space]);
    }
    return found;
}

static uint64_t load(const unsigned char *from, unsigned size, bool is_signed)
{
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (size) {
    case 1:
        memcpy(&u8, from, 1);
        return is_signed ? (uint64_t)(int8_t)u8 : u8;
    case 2:
        memcpy(&u16, from, 2);
        return is_signed ? (uint64_t)(int16_t)u16 : u16;
    case 4:
        memcpy(&u32, from, 4);
        return is_signed ? (uint64_t)(int32_t)u32 : u32;
    default:
        memcpy(&u64, from, 8);
        return u64;
    }
}

static void store(unsigned char *to, unsigned size, uint64_t value)
{
    const uint8_t u8 = (uint8_t)value;
    const uint16_t u16 = (uint16_t)value;
    const uint32_t u32 = (uint32_t)value;
    switch (size) {
    case 1:
        memcpy(to, &u8, 1);
        break;
    case 2:
        memcpy(to, &u16, 2);
        break;
    case 4:
        memcpy(to, &u32, 4);
        break;
    default:
        memcpy(to, &value, 8);
    }
}

/* Loads, stores and atomic operations. */
static bool access_memory(PtxRunner *runner, const Lane *lane, const PtxInstruction *at)
{
    uint64_t *slots = lane->slots;
    unsigned char *memory = locate(runner, lane, at, at->op != PTX_OP_LD);
    if (!memory) {
        return false;
    }
    if (at->op == PTX_OP_LD) {
        for (unsigned i = 0; i < at->count; i++) {
            slots[at->data[i]] = load(memory + i * at->size, at->size, at->is_signed);
        }
        return true;
    }
    if (at->op == PTX_OP_ST) {
        for (unsigned i = 0; i < at->count; i++) {
            store(memory + i * at->size, at->size, slots[at->data[i]]);
        }
        return true;
    }
    const uint64_t a = load(memory, at->size, false), b = slots[at->b], c = slots[at->c];
    uint64_t result = a;
    switch (at->op) {
#define X(id, name, value)                                                                         \
    case PTX_OP_##id:                                                                              \
        result = value;                                                                            \
        break;
        PTX_ATOMICS(X)
#undef X
    }
    store(memory, at->size, result);
    slots[at->dst] = a;
    return true;
}

/* Runs a lane to its next barrier or to its end. */
static void run_lane(PtxRunner *runner, Lane *lane)
{
    const PtxInstruction *const code = runner->entry->code;
    uint64_t *const slots = lane->slots;
    uint32_t i = lane->at;
    lane->state = RUNNING;
    while (lane->state == RUNNING) {
        const PtxInstruction *at = &code[i++];
        const uint64_t a = slots[at->a], b = slots[at->b], c = slots[at->c];
        runner->instructions++;
        switch ((enum PtxOp)at->op) {
#define X(id, name, sources, value)                                                                \
    case PTX_OP_##id:                                                                              \
        slots[at->dst] = (uint64_t)(value);                                                        \
        break;
            PTX_VALUES(X)
#undef X
#define X(id, name, T, value)                                                                      \
    case PTX_OP_##id:                                                                              \
        if ((T)b == 0) {                                                                           \
            fail(runner, lane, at, PTX_FAULT_DIVISION, "divides by 0");                            \
            lane->state = FAILED;                                                                  \
            break;                                                                                 \
        }                                                                                          \
        slots[at->dst] = (uint64_t)(value);                                                        \
        break;
            PTX_DIVISIONS(X)
#undef X
#define X(id, name, value) case PTX_OP_##id:
            PTX_ATOMICS(X)
#undef X
        case PTX_OP_LD:
        case PTX_OP_ST:
            if (!access_memory(runner, lane, at)) {
                lane->state = FAILED;
            }
            break;
        case PTX_OP_SKIP_IF:
            i += a != 0;
            break;
        case PTX_OP_SKIP_UNLESS:
            i += a == 0;
            break;
        case PTX_OP_BRA:
            i = at->dst;
            if (runner->limit && runner->instructions > runner->limit) {
                fail(runner, lane, at, PTX_FAULT_ENDLESS,
                     "is still running after too many instructions");
                lane->state = FAILED;
            }
            break;
        case PTX_OP_BAR:
            lane->state = WAITS;
            break;
        case PTX_OP_RET:
            lane->state = ENDED;
            break;
        }
    }
    lane->at = i;
}

/* Whether all lanes have come to the same barrier, or to their end. */
static bool lanes_agree(const PtxRunner *runner)
{
    const Lane *first = runner->lanes;
    for (uint32_t i = 1; i < runner->n_lanes; i++) {
        const Lane *lane = &runner->lanes[i];
        if (lane->state == first->state && (lane->state == ENDED || lane->at == first->at)) {
            continue;
        }
        const Lane *waiting = lane->state == WAITS ? lane : first;
        const Lane *other = lane->state == WAITS ? first : lane;
        fail(runner, waiting, &runner->entry->code[waiting->at - 1], PTX_FAULT_BARRIER,
             "waits for lane (%u, %u, %u), which %s", (unsigned)other->slots[PTX_TID],
             (unsigned)other->slots[PTX_TID + 1], (unsigned)other->slots[PTX_TID + 2],
             other->state == ENDED ? "has ended" : "waits at another barrier");
        return false;
    }
    return true;
}

int ptx_runner_group(PtxRunner *runner, const uint32_t group[3], char error[PTX_ERROR_SIZE])
{
    const PtxLaunch *launch = runner->launch;
    runner->error = error;
    runner->limit = launch->max_instructions ? runner->instructions + launch->max_instructions : 0;
    fill_noise(runner->shared, runner->shared_size, launch->noise + 1);
    fill_noise(runner->local, (size_t)runner->n_lanes * ((runner->entry->local_size + 15) & ~15u),
               launch->noise + 2);
    for (uint32_t i = 0; i < runner->n_lanes; i++) {
        runner->lanes[i].at = 0;
        for (unsigned axis = 0; axis < 3; axis++) {
            runner->lanes[i].slots[PTX_CTAID + axis] = group[axis];
        }
    }
    do {
        for (uint32_t i = 0; i < runner->n_lanes; i++) {
            Lane *lane = &runner->lanes[launch->backwards ? runner->n_lanes - 1 - i : i];
            run_lane(runner, lane);
            if (lane->state == FAILED) {
                return -1;
            }
        }
        if (!lanes_agree(runner)) {
            return -1;
        }
    } while (runner->lanes[0].state == WAITS);
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
