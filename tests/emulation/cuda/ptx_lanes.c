/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Execution of instructions, each for all lanes of a chunk: plain loops that compilers make vectors
 * of. This file is compiled for several instruction sets (PTX_RUN_CHUNK is the function's name).
 */
#include "ptx_internal.h"

#ifndef PTX_RUN_CHUNK
#define PTX_RUN_CHUNK ptx_run_chunk
#endif

#if defined(__clang__)
#define EACH_LANE _Pragma("clang loop vectorize(assume_safety)")
#else
#define EACH_LANE _Pragma("GCC ivdep") /* the result may be one of the sources, not shifted */
#endif

typedef struct State {
    PtxRunner *runner;
    PtxChunk *chunk;
    uint64_t all;    /* lanes that there are */
    uint64_t active; /* lanes that run the instruction at hand, without regard to its condition */
    uint32_t at;     /* their next instruction */
    uint32_t stop;   /* where other lanes are, at the least; UINT32_MAX: there are none */
    uint64_t chosen_mask; /* as words of ones and zeros: */
    int32_t chosen[PTX_WIDTH];
} State;

static inline unsigned lowest(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask);
}

/* For each lane i of a mask; all of them is what most instructions run for. */
#define EACH_OF(mask, ...)                                                                         \
    {                                                                                              \
        if (mask == ~UINT64_C(0)) {                                                                \
            EACH_LANE                                                                              \
            for (unsigned i = 0; i < PTX_WIDTH; i++) {                                             \
                __VA_ARGS__                                                                        \
            }                                                                                      \
        } else {                                                                                   \
            for (uint64_t rest = mask; rest; rest &= rest - 1) {                                   \
                const unsigned i = lowest(rest);                                                   \
                __VA_ARGS__                                                                        \
            }                                                                                      \
        }                                                                                          \
    }

/* A predicate as bits. */
static uint64_t bits_of(const PtxWord *predicate)
{
    PtxWord every = 1, any = 0;
    for (unsigned i = 0; i < PTX_WIDTH; i++) {
        every &= predicate[i] != 0;
        any |= predicate[i];
    }
    if (every)
        return ~UINT64_C(0);
    uint64_t bits = 0;
    for (unsigned i = 0; i < PTX_WIDTH && any; i++)
        bits |= (uint64_t)(predicate[i] != 0) << i;
    return bits;
}

/* Results of lanes that ran, from where they were put for the while. */
static void blend(State *state, unsigned char *to, const unsigned char *from, uint64_t mask,
                  bool is_wide)
{
    const int32_t *const chosen = state->chosen;
    if (mask != state->chosen_mask) {
        for (unsigned i = 0; i < PTX_WIDTH; i++)
            state->chosen[i] = -(int32_t)(mask >> i & 1);
        state->chosen_mask = mask;
    }
    if (is_wide) {
        PtxWide *const words = (PtxWide *)to;
        const PtxWide *const results = (const PtxWide *)from;
        EACH_LANE
        for (unsigned i = 0; i < PTX_WIDTH; i++) {
            const PtxWide keep = ~(PtxWide)(int64_t)chosen[i];
            words[i] = (words[i] & keep) | (results[i] & ~keep);
        }
    } else {
        PtxWord *const words = (PtxWord *)to;
        const PtxWord *const results = (const PtxWord *)from;
        EACH_LANE
        for (unsigned i = 0; i < PTX_WIDTH; i++)
            words[i] = (words[i] & ~(PtxWord)chosen[i]) | (results[i] & (PtxWord)chosen[i]);
    }
}

/* -- control flow -- */

/* Lanes stop where they are and go on at an instruction later. */
static void park(const State *state, uint64_t mask, uint32_t at)
{
    for (; mask; mask &= mask - 1)
        state->chunk->at[lowest(mask)] = at;
}

/* Goes on with those that are furthest behind. False: none runs. */
static bool choose(State *state)
{
    const PtxChunk *chunk = state->chunk;
    uint32_t least = UINT32_MAX;
    for (uint64_t mask = chunk->running; mask; mask &= mask - 1) {
        const uint32_t at = chunk->at[lowest(mask)];
        least = at < least ? at : least;
    }
    state->at = least;
    state->active = 0;
    state->stop = UINT32_MAX;
    for (uint64_t mask = chunk->running; mask; mask &= mask - 1) {
        const unsigned i = lowest(mask);
        if (chunk->at[i] == least)
            state->active |= UINT64_C(1) << i;
        else if (chunk->at[i] < state->stop)
            state->stop = chunk->at[i];
    }
    return chunk->running != 0;
}

/* Lanes end or wait for others. False: none runs. */
static bool leave(State *state, uint64_t mask, bool waits)
{
    PtxChunk *chunk = state->chunk;
    park(state, state->active, state->at);
    chunk->running &= ~mask;
    if (waits)
        chunk->waiting |= mask;
    return choose(state);
}

static void branch(State *state, uint64_t mask, uint32_t target)
{
    if (mask == state->active) {
        state->at = target;
        return;
    }
    park(state, state->active & ~mask, state->at);
    park(state, mask, target);
    choose(state);
}

static bool takes_too_long(State *state, const PtxInstruction *at)
{
    PtxRunner *runner = state->runner;
    if (!runner->limit || runner->instructions <= runner->limit)
        return false;
    ptx_lane_fail(runner, state->chunk, lowest(state->active), at, PTX_FAULT_ENDLESS,
                  "is still running after too many instructions");
    return true;
}

/* -- memory -- */

static inline unsigned char *at_address(uint64_t address)
{
    return (unsigned char *)(uintptr_t)address;
}

/* Where each lane's element is, as an address of the process. False: a lane may not access it. */
static bool find_memory(State *state, const PtxInstruction *at, uint64_t mask, bool write,
                        uint64_t memory[PTX_WIDTH])
{
    PtxRunner *runner = state->runner;
    PtxChunk *chunk = state->chunk;
    const PtxWide *a = (const PtxWide *)(chunk->registers + at->a);
    const uint64_t offset = (uint64_t)at->offset, size = (uint64_t)at->size * at->count;
    uint64_t low = UINT64_MAX, high = 0, any = 0;
    unsigned char *base;
    EACH_OF(mask, {
        const uint64_t address = a[i] + offset;
        low = address < low ? address : low;
        high = address > high ? address : high;
        any |= address;
    })
    if ((any & (size - 1)) == 0 && ptx_locate_all(runner, at, low, high, write, &base)) {
        const uint64_t begin = (uintptr_t)base + offset - low;
        EACH_OF(mask, memory[i] = a[i] + begin;)
        return true;
    }
    for (uint64_t rest = mask; rest; rest &= rest - 1) {
        const unsigned i = lowest(rest);
        memory[i] = (uintptr_t)ptx_locate(runner, chunk, i, at, a[i] + offset, write);
        if (!memory[i])
            return false;
    }
    return true;
}

#define LOAD(T, R)                                                                                 \
    EACH_OF(mask, T value; memcpy(&value, at_address(memory[i] + shift), sizeof(value));           \
            ((R *)to)[i] = (R)value;)
#define LOAD_SIGNED(U, S, R)                                                                       \
    if (at->is_signed)                                                                             \
        LOAD(S, R)                                                                                 \
    else                                                                                           \
        LOAD(U, R)                                                                                 \
    break

static bool load(State *state, const PtxInstruction *at, uint64_t mask)
{
    uint64_t memory[PTX_WIDTH];
    if (!find_memory(state, at, mask, false, memory))
        return false;
    for (unsigned element = 0; element < at->count; element++) {
        unsigned char *to = state->chunk->registers + at->data[element];
        const unsigned shift = element * at->size;
        switch (at->size | at->is_wide << 8) {
        case 1:
            LOAD_SIGNED(uint8_t, int8_t, PtxWord);
        case 2:
            LOAD_SIGNED(uint16_t, int16_t, PtxWord);
        case 4:
            LOAD(uint32_t, PtxWord)
            break;
        case 1 | 1 << 8:
            LOAD_SIGNED(uint8_t, int8_t, PtxWide);
        case 2 | 1 << 8:
            LOAD_SIGNED(uint16_t, int16_t, PtxWide);
        case 4 | 1 << 8:
            LOAD_SIGNED(uint32_t, int32_t, PtxWide);
        default:
            LOAD(uint64_t, PtxWide)
        }
    }
    return true;
}

/* Where lanes write the same, the last one wins. */
#define STORE(T, R)                                                                                \
    if (!backwards) {                                                                              \
        for (uint64_t rest = mask; rest; rest &= rest - 1) {                                       \
            const unsigned i = lowest(rest);                                                       \
            const T value = (T)((const R *)from)[i];                                               \
            memcpy(at_address(memory[i] + shift), &value, sizeof(value));                          \
        }                                                                                          \
    } else {                                                                                       \
        for (uint64_t rest = mask; rest;) {                                                        \
            const unsigned i = 63 - (unsigned)__builtin_clzll(rest);                               \
            const T value = (T)((const R *)from)[i];                                               \
            memcpy(at_address(memory[i] + shift), &value, sizeof(value));                          \
            rest &= ~(UINT64_C(1) << i);                                                           \
        }                                                                                          \
    }

static bool store(State *state, const PtxInstruction *at, uint64_t mask)
{
    uint64_t memory[PTX_WIDTH];
    const bool backwards = state->runner->launch->backwards;
    if (!find_memory(state, at, mask, true, memory))
        return false;
    for (unsigned element = 0; element < at->count; element++) {
        const unsigned char *from = state->chunk->registers + at->data[element];
        const unsigned shift = element * at->size;
        switch (at->size) {
        case 1:
            STORE(uint8_t, PtxWord)
            break;
        case 2:
            STORE(uint16_t, PtxWord)
            break;
        case 4:
            STORE(uint32_t, PtxWord)
            break;
        default:
            STORE(uint64_t, PtxWide)
        }
    }
    return true;
}

/* One lane after the other, so that none is lost. */
static bool update(State *state, const PtxInstruction *at, uint64_t mask)
{
    uint64_t memory[PTX_WIDTH];
    unsigned char *const registers = state->chunk->registers;
    const bool backwards = state->runner->launch->backwards;
    if (!find_memory(state, at, mask, true, memory))
        return false;
    while (mask) {
        const unsigned i = backwards ? 63 - (unsigned)__builtin_clzll(mask) : lowest(mask);
        uint32_t a;
        memcpy(&a, at_address(memory[i]), sizeof(a));
        const uint32_t result = a + ((const PtxWord *)(registers + at->b))[i];
        memcpy(at_address(memory[i]), &result, sizeof(result));
        if (at->dst != PTX_NONE)
            ((PtxWord *)(registers + at->dst))[i] = a;
        mask &= ~(UINT64_C(1) << i);
    }
    return true;
}

/* -- instructions -- */

static bool fail_division(State *state, const PtxInstruction *at, unsigned lane)
{
    ptx_lane_fail(state->runner, state->chunk, lane, at, PTX_FAULT_DIVISION, "divides by 0");
    return false;
}

/* The instructions that compute registers, and memory. False: it failed. */
static bool execute(State *state, const PtxInstruction *at, uint64_t mask)
{
    static const unsigned char wide[] = {
#define X(id, name, sources, D, ...) [PTX_OP_##id] = sizeof(D) == 8,
        PTX_VALUES(X)
#undef X
#define X(id, name, R, ...) [PTX_OP_##id] = sizeof(R) == 8,
            PTX_DIVISIONS(X) PTX_FOURS(X)
#undef X
    };
    _Alignas(64) unsigned char apart[PTX_WIDTH * 8];
    unsigned char *const registers = state->chunk->registers;
    const bool is_all = mask == state->all;
    unsigned char *const dst = is_all ? registers + at->dst : apart;
    switch ((enum PtxOp)at->op) {
#define X(id, name, sources, D, A, B, C, value)                                                    \
    case PTX_OP_##id: {                                                                            \
        const A *const as = (const A *)(registers + at->a);                                        \
        const B *const bs = (const B *)(registers + (sources > 1 ? at->b : at->a));                \
        const C *const cs = (const C *)(registers + (sources > 2 ? at->c : at->a));                \
        D *const to = (D *)dst;                                                                    \
        EACH_LANE                                                                                  \
        for (unsigned i = 0; i < PTX_WIDTH; i++) {                                                 \
            const A a = as[i];                                                                     \
            const B b = sources > 1 ? bs[i] : 0;                                                   \
            const C c = sources > 2 ? cs[i] : 0;                                                   \
            (void)b;                                                                               \
            (void)c;                                                                               \
            to[i] = (D)(value);                                                                    \
        }                                                                                          \
        break;                                                                                     \
    }
        PTX_VALUES(X)
#undef X
#define X(id, name, R, T, value)                                                                   \
    case PTX_OP_##id: {                                                                            \
        const R *const as = (const R *)(registers + at->a);                                        \
        const R *const bs = (const R *)(registers + at->b);                                        \
        R *const to = (R *)dst;                                                                    \
        for (uint64_t rest = mask; rest; rest &= rest - 1) {                                       \
            const unsigned i = lowest(rest);                                                       \
            const R a = as[i], b = bs[i];                                                          \
            if ((T)b == 0)                                                                         \
                return fail_division(state, at, i);                                                \
            to[i] = (R)(value);                                                                    \
        }                                                                                          \
        break;                                                                                     \
    }
        PTX_DIVISIONS(X)
#undef X
#define X(id, name, R, value)                                                                      \
    case PTX_OP_##id: {                                                                            \
        const R *const as = (const R *)(registers + at->a);                                        \
        const R *const bs = (const R *)(registers + at->b);                                        \
        const PtxWord *const cs = (const PtxWord *)(registers + at->c);                            \
        const PtxWord *const ds = (const PtxWord *)(registers + at->d);                            \
        R *const to = (R *)dst;                                                                    \
        for (unsigned i = 0; i < PTX_WIDTH; i++) {                                                 \
            const R a = as[i], b = bs[i];                                                          \
            const PtxWord c = cs[i], d = ds[i];                                                    \
            to[i] = value;                                                                         \
        }                                                                                          \
        break;                                                                                     \
    }
        PTX_FOURS(X)
#undef X
    case PTX_OP_ATOMIC_ADD:
        return update(state, at, mask);
    case PTX_OP_LD:
        return load(state, at, mask);
    case PTX_OP_ST:
        return store(state, at, mask);
    case PTX_OP_BAR:
    case PTX_OP_BRA:
    case PTX_OP_RET:
    case PTX_OP_NOTHING:
        return true;
    }
    if (!is_all)
        blend(state, registers + at->dst, apart, mask, wide[at->op]);
    return true;
}

bool PTX_RUN_CHUNK(PtxRunner *runner, PtxChunk *chunk)
{
    const PtxInstruction *const code = runner->entry->code;
    State state = {.runner = runner, .chunk = chunk};
    state.all = chunk->n_lanes == 64 ? ~UINT64_C(0) : (UINT64_C(1) << chunk->n_lanes) - 1;
    if (!choose(&state))
        return true;
    for (;;) {
        if (state.at >= state.stop) { /* others are there or before */
            park(&state, state.active, state.at);
            choose(&state);
        }
        const PtxInstruction *at = &code[state.at++];
        uint64_t mask = state.active;
        if (at->guard != PTX_NONE) {
            const uint64_t holds = bits_of((const PtxWord *)(chunk->registers + at->guard));
            mask &= at->guard_is_not ? ~holds : holds;
        }
        if (!mask)
            continue;
        runner->instructions += (unsigned)__builtin_popcountll(mask);
        switch (at->op) {
        case PTX_OP_BRA:
            branch(&state, mask, at->dst);
            if (takes_too_long(&state, at))
                return false;
            break;
        case PTX_OP_BAR:
        case PTX_OP_RET:
            if (!leave(&state, mask, at->op == PTX_OP_BAR))
                return true;
            break;
        default:
            if (!execute(&state, at, mask))
                return false;
        }
    }
}
