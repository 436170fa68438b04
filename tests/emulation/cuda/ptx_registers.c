/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Registers get their places. Compilers write each value to a register of its own, thousands of
 * them; here those that are never needed at the same time share one, so that all of them fit a
 * cache.
 */
#include "ptx_internal.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_OPERANDS = 10 };

typedef struct Operand {
    uint32_t *slot;
    bool is_written, is_wide;
} Operand;

/* Of what the table of instructions says: sources, and which registers have 64 bits. */
static const struct {
    uint8_t sources;
    bool wide[4]; /* destination, sources */
} shapes[] = {
#define X(id, name, sources, D, A, B, C, ...)                                                      \
    [PTX_OP_##id] = {sources, {sizeof(D) == 8, sizeof(A) == 8, sizeof(B) == 8, sizeof(C) == 8}},
    PTX_VALUES(X)
#undef X
#define X(id, name, R, ...) [PTX_OP_##id] = {2, {sizeof(R) == 8, sizeof(R) == 8, sizeof(R) == 8}},
        PTX_DIVISIONS(X)
#undef X
};

/* The registers of an instruction, and of what width they have to be. */
static unsigned list_operands(PtxInstruction *at, Operand operands[MAX_OPERANDS])
{
    unsigned n = 0;
    uint32_t *const sources[] = {&at->a, &at->b, &at->c};
    if (at->guard != PTX_NONE)
        operands[n++] = (Operand){&at->guard, false, false};
    if (at->op == PTX_OP_LD || at->op == PTX_OP_ST) {
        operands[n++] = (Operand){&at->a, false, true};
        for (unsigned i = 0; i < at->count; i++)
            operands[n++] = (Operand){&at->data[i], at->op == PTX_OP_LD, at->is_wide};
    } else if (at->op == PTX_OP_ATOMIC_ADD) {
        operands[n++] = (Operand){&at->a, false, true};
        operands[n++] = (Operand){&at->b, false, false};
        if (at->dst != PTX_NONE)
            operands[n++] = (Operand){&at->dst, true, false};
    } else if (at->op == PTX_OP_bfi_b32 || at->op == PTX_OP_bfi_b64 || at->op == PTX_OP_lop3_b32) {
        const bool is_wide = at->op == PTX_OP_bfi_b64;
        operands[n++] = (Operand){&at->a, false, is_wide};
        operands[n++] = (Operand){&at->b, false, is_wide};
        operands[n++] = (Operand){&at->c, false, false};
        operands[n++] = (Operand){&at->d, false, false};
        operands[n++] = (Operand){&at->dst, true, is_wide};
    } else if (at->op < sizeof(shapes) / sizeof(shapes[0])) {
        for (unsigned i = 0; i < shapes[at->op].sources; i++)
            operands[n++] = (Operand){sources[i], false, shapes[at->op].wide[i + 1]};
        if (at->dst != PTX_NONE)
            operands[n++] = (Operand){&at->dst, true, shapes[at->op].wide[0]};
    }
    return n;
}

/* -- registers of another width than the instruction's -- */

/* Loads of less than 64 bits go to either width, but to one. */
static void choose_width(const PtxParser *parser, PtxInstruction *at)
{
    at->is_wide = at->size == 8;
    if (at->op != PTX_OP_LD || at->is_wide)
        return;
    at->is_wide = true;
    for (unsigned i = 0; i < at->count; i++)
        at->is_wide &= parser->is_wide[at->data[i]];
}

static void append(PtxInstruction **code, uint32_t *n, const PtxInstruction *added)
{
    *code = ptx_grow(*code, *n, sizeof(**code));
    (*code)[(*n)++] = *added;
}

static PtxInstruction make_move(const PtxInstruction *at, uint32_t to, uint32_t from, bool widens)
{
    PtxInstruction move = *at;
    move.op = widens ? PTX_OP_cvt_u64_u32 : PTX_OP_cvt_u32_u64;
    move.guard = PTX_NONE;
    move.dst = to;
    move.a = from;
    move.b = move.c = move.d = PTX_NONE;
    return move;
}

/* Moves values between registers of both widths where code mixes them. */
static void match_widths(PtxParser *parser)
{
    PtxEntry *entry = parser->entry;
    PtxInstruction *code = NULL;
    uint32_t n = 0, *moved_to = malloc((entry->n_code + 1) * sizeof(*moved_to));
    for (uint32_t i = 0; i < entry->n_code; i++) {
        PtxInstruction at = entry->code[i], behind[MAX_OPERANDS];
        Operand operands[MAX_OPERANDS];
        unsigned n_behind = 0;
        moved_to[i] = n;
        choose_width(parser, &at);
        const unsigned n_operands = list_operands(&at, operands);
        for (unsigned k = 0; k < n_operands; k++) {
            const uint32_t slot = *operands[k].slot;
            const bool is_wide = operands[k].is_wide;
            if ((slot & PTX_CONSTANT) || parser->is_wide[slot] == is_wide)
                continue;
            const uint32_t other = ptx_add_registers(parser, 1, is_wide);
            *operands[k].slot = other;
            if (operands[k].is_written) {
                behind[n_behind] = make_move(&entry->code[i], slot, other, !is_wide);
                behind[n_behind].guard = at.guard;
                behind[n_behind++].guard_is_not = at.guard_is_not;
            } else {
                const PtxInstruction move = make_move(&entry->code[i], other, slot, is_wide);
                append(&code, &n, &move);
            }
        }
        append(&code, &n, &at);
        for (unsigned k = 0; k < n_behind; k++)
            append(&code, &n, &behind[k]);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (code[i].op == PTX_OP_BRA)
            code[i].dst = moved_to[code[i].dst];
    }
    free(moved_to);
    free(entry->code);
    entry->code = code;
    entry->n_code = n;
}

/* -- when registers are needed -- */

/* From the first to the last time; instruction i reads at 2 i and writes at 2 i + 1. */
typedef struct Interval {
    uint32_t begin, end, slot;
} Interval;

static void cover(Interval *interval, uint32_t time)
{
    if (interval->begin == PTX_NONE || time < interval->begin)
        interval->begin = time;
    if (interval->end == PTX_NONE || time > interval->end)
        interval->end = time;
}

/* A loop that has some of it has all of it. Whether it has become longer. */
static bool stretch(Interval *interval, uint32_t begin, uint32_t end)
{
    if (interval->begin == PTX_NONE || interval->begin > end || interval->end < begin ||
        (interval->begin <= begin && interval->end >= end))
        return false;
    cover(interval, begin);
    cover(interval, end);
    return true;
}

/*
 * A value that is written and read within one block, which no branch leaves or enters, is needed
 * between the two. All others, as long as anything may jump back over where they are named.
 */
static Interval *find_intervals(const PtxEntry *entry, uint32_t n_registers)
{
    Interval *intervals = malloc((n_registers + 1) * sizeof(*intervals));
    uint32_t *block_of = malloc((n_registers + 1) * sizeof(*block_of)), block = 0;
    bool *begins = calloc(entry->n_code + 1, sizeof(*begins));
    for (uint32_t r = 0; r < n_registers; r++)
        intervals[r] = (Interval){PTX_NONE, PTX_NONE, r};
    for (uint32_t i = 0; i < entry->n_code; i++) {
        if (entry->code[i].op == PTX_OP_BRA)
            begins[entry->code[i].dst] = begins[i + 1] = true;
    }
    for (uint32_t i = 0; i < entry->n_code; i++) {
        Operand operands[MAX_OPERANDS];
        const unsigned n = list_operands(&entry->code[i], operands);
        block += begins[i];
        for (unsigned k = 0; k < n; k++) { /* what it reads comes before what it writes */
            const uint32_t slot = *operands[k].slot;
            if (slot & PTX_CONSTANT)
                continue;
            /* Under a condition, the old value stays in other lanes. */
            const bool is_new = operands[k].is_written && entry->code[i].guard == PTX_NONE;
            if (intervals[slot].begin == PTX_NONE)
                block_of[slot] = is_new ? block : PTX_NONE;
            else if (block_of[slot] != block)
                block_of[slot] = PTX_NONE;
            cover(&intervals[slot], 2 * i + operands[k].is_written);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < entry->n_code; i++) {
            const uint32_t to = entry->code[i].dst;
            if (entry->code[i].op != PTX_OP_BRA || to > i)
                continue;
            for (uint32_t r = 0; r < n_registers; r++)
                changed |= block_of[r] == PTX_NONE && stretch(&intervals[r], 2 * to, 2 * i + 1);
        }
    }
    free(begins);
    free(block_of);
    return intervals;
}

static int compare_begin(const void *a, const void *b)
{
    const Interval *first = a, *second = b;
    if (first->begin != second->begin)
        return first->begin < second->begin ? -1 : 1;
    return first->slot < second->slot ? -1 : first->slot > second->slot;
}

/* Places of one width: when each is free again. */
typedef struct Places {
    uint32_t *free_at;
    uint32_t n;
} Places;

static uint32_t take_place(Places *places, const Interval *interval)
{
    uint32_t i = 0;
    while (i < places->n && places->free_at[i] >= interval->begin)
        i++;
    if (i == places->n) {
        places->free_at = ptx_grow(places->free_at, places->n, sizeof(*places->free_at));
        places->n++;
    }
    places->free_at[i] = interval->end;
    return i;
}

/* A constant's place, of the width that is needed. */
static uint32_t place_constant(PtxEntry *entry, Places places[2], uint64_t value, bool is_wide)
{
    for (uint32_t i = 0; i < entry->n_constants; i++) {
        if (entry->constants[i].value == value && entry->constants[i].is_wide == is_wide)
            return entry->constants[i].at;
    }
    const Interval always = {0, PTX_NONE, 0};
    entry->constants = ptx_grow(entry->constants, entry->n_constants, sizeof(*entry->constants));
    const uint32_t at = take_place(&places[is_wide], &always);
    entry->constants[entry->n_constants++] = (PtxConstant){at, is_wide, value};
    return at;
}

static uint32_t offset_of(uint32_t place, bool is_wide, uint32_t n_wide)
{
    return is_wide ? place * PTX_WIDTH * 8 : n_wide * PTX_WIDTH * 8 + place * PTX_WIDTH * 4;
}

void ptx_place_registers(PtxParser *parser)
{
    PtxEntry *entry = parser->entry;
    Places places[2] = {{NULL, 0}, {NULL, 0}};
    match_widths(parser);
    const uint32_t n = parser->n_registers;
    Interval *intervals = find_intervals(entry, n);
    uint32_t *place = malloc((n + 1) * sizeof(*place));
    for (uint32_t r = 0; r < PTX_SPECIALS; r++) { /* they are there from the start, for ever */
        if (intervals[r].begin != PTX_NONE)
            intervals[r] = (Interval){0, PTX_NONE - 1, r};
    }
    qsort(intervals, n, sizeof(*intervals), compare_begin);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t r = intervals[i].slot;
        place[r] = intervals[i].begin == PTX_NONE
                       ? PTX_NONE
                       : take_place(&places[parser->is_wide[r]], &intervals[i]);
    }
    for (uint32_t i = 0; i < entry->n_code; i++) {
        Operand operands[MAX_OPERANDS];
        const unsigned n_operands = list_operands(&entry->code[i], operands);
        for (unsigned k = 0; k < n_operands; k++) {
            uint32_t *slot = operands[k].slot;
            *slot = *slot & PTX_CONSTANT
                        ? place_constant(entry, places, parser->constants[*slot & ~PTX_CONSTANT],
                                         operands[k].is_wide)
                        : place[*slot];
        }
    }
    for (uint32_t i = 0; i < entry->n_code; i++) { /* now that their number is known */
        Operand operands[MAX_OPERANDS];
        const unsigned n_operands = list_operands(&entry->code[i], operands);
        for (unsigned k = 0; k < n_operands; k++)
            *operands[k].slot = offset_of(*operands[k].slot, operands[k].is_wide, places[1].n);
    }
    for (uint32_t i = 0; i < entry->n_constants; i++)
        entry->constants[i].at =
            offset_of(entry->constants[i].at, entry->constants[i].is_wide, places[1].n);
    for (uint32_t r = 0; r < PTX_SPECIALS; r++)
        entry->specials[r] =
            place[r] == PTX_NONE ? PTX_NONE : offset_of(place[r], false, places[1].n);
    entry->registers_size = offset_of(places[0].n, false, places[1].n);
    free(place);
    free(intervals);
    free(places[0].free_at);
    free(places[1].free_at);
}
