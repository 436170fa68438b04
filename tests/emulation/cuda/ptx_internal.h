/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_PTX_INTERNAL_H
#define TESTS_EMULATION_CUDA_PTX_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx.h"

enum { PTX_TOKEN_SIZE = 128 };

/* A word (also numbers, registers, directives with their dot), one character, or "" at the end. */
typedef struct PtxLexer {
    const char *at; /* behind the token */
    uint32_t line;
    const char *begin; /* of the token */
    char token[PTX_TOKEN_SIZE];
} PtxLexer;

/* Reads the next token; comments are space. */
void ptx_next(PtxLexer *lexer);

bool ptx_is(const PtxLexer *lexer, const char *token);
/* Whether it is this token, which is read then. */
bool ptx_take(PtxLexer *lexer, const char *token);
/* Reads a number, which may have a sign. */
bool ptx_take_number(PtxLexer *lexer, int64_t *number);

/* What ptx_module.c (declarations) and ptx_instruction.c share. */

enum PtxSymbolKind { PTX_SYMBOL_REGISTER, PTX_SYMBOL_ADDRESS };

typedef struct PtxSymbol {
    enum PtxSymbolKind kind;
    char name[PTX_TOKEN_SIZE];
    uint64_t value; /* first slot, or address */
    uint32_t count; /* registers: how many have a number behind this name; 0: itself */
    bool is_wide;   /* registers: of 64 bits */
} PtxSymbol;

typedef struct PtxLabel {
    char name[PTX_TOKEN_SIZE];
    uint32_t at; /* instruction; UINT32_MAX: not yet known */
} PtxLabel;

typedef struct PtxParser {
    PtxLexer lexer;
    PtxModule *module;
    PtxEntry *entry;
    PtxSymbol *symbols; /* of the module, then of the entry */
    uint32_t n_symbols, n_module_symbols;
    uint32_t element_size;       /* of the variable declared last */
    uint32_t module_shared_size; /* group memory that the module declares */
    PtxLabel *labels;
    uint32_t n_labels;
    uint32_t n_registers; /* of the entry; the special ones come first */
    bool *is_wide;        /* each of them */
    uint64_t *constants;  /* PTX_CONSTANT | index stands for a register with that value */
    uint32_t n_constants;
    uint32_t carry[2]; /* registers that add.cc and the like leave; PTX_NONE: not used */
    char *error;
} PtxParser;

/* Stores the first text of a failure; false. */
__attribute__((format(printf, 2, 3))) bool ptx_fail(PtxParser *parser, const char *format, ...);
bool ptx_expect(PtxParser *parser, const char *token);

/* Makes room for one more element. */
void *ptx_grow(void *array, uint32_t count, size_t size);

#define PTX_CONSTANT UINT32_C(0x80000000)

/* `count` more registers; the number of the first. */
uint32_t ptx_add_registers(PtxParser *parser, uint32_t count, bool is_wide);
const PtxSymbol *ptx_find(const PtxParser *parser, const char *name);

/* Bytes of a type such as "u32"; 0: there is none of that name. */
uint32_t ptx_type_size(const char *type);

/* A label or an instruction. */
bool ptx_parse_instruction(PtxParser *parser);
/* At the end of an entry: branches get their targets. */
bool ptx_finish_code(PtxParser *parser);
/* ptx_registers.c: then registers get their places. */
void ptx_place_registers(PtxParser *parser);

/*
 * A chunk of a group: lanes that run the same instruction at the same time, each in its element of
 * the registers. Where they take different branches, those that are furthest behind run until they
 * meet the others.
 */
typedef struct PtxChunk {
    uint32_t n_lanes;
    uint16_t lanes[PTX_WIDTH]; /* their numbers in the group, growing */
    unsigned char *registers;
    uint32_t at[PTX_WIDTH]; /* the next instruction of those that do not run */
    uint64_t running;       /* a bit for each lane; the others wait or have ended */
    uint64_t waiting;
} PtxChunk;

struct PtxRunner {
    const PtxLaunch *launch;
    const PtxEntry *entry;
    PtxChunk *chunks;
    uint32_t n_chunks, n_lanes;
    unsigned char *shared;
    PtxAllocation *allocations; /* those of the launch, and the variables of the module */
    size_t n_allocations;
    size_t last;       /* allocation that was accessed */
    uint32_t group[3]; /* the one that runs */
    uint64_t instructions;
    uint64_t limit;
    char *error;
};

/* Stores the text of a failure at an instruction of one lane. */
__attribute__((format(printf, 6, 7))) void ptx_lane_fail(PtxRunner *runner, const PtxChunk *chunk,
                                                         unsigned lane, const PtxInstruction *at,
                                                         enum PtxFault fault, const char *format,
                                                         ...);

/* Where the memory is that a lane accesses there; NULL and a text if it may not. */
unsigned char *ptx_locate(PtxRunner *runner, const PtxChunk *chunk, unsigned lane,
                          const PtxInstruction *at, uint64_t address, bool write);

/*
 * Where address 0 of a space would be, if all addresses from low to high (and a size behind) lie in
 * the same part of it and may be accessed so. False: look at each.
 */
bool ptx_locate_all(PtxRunner *runner, const PtxInstruction *at, uint64_t low, uint64_t high,
                    bool write, unsigned char **base);

/* Runs a chunk until each of its lanes waits or has ended. False: it failed. */
bool ptx_run_chunk(PtxRunner *runner, PtxChunk *chunk);
bool ptx_run_chunk_avx2(PtxRunner *runner, PtxChunk *chunk);

#endif
