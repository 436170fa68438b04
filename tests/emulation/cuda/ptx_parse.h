/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_PTX_PARSE_H
#define TESTS_EMULATION_CUDA_PTX_PARSE_H

#include "ptx_lexer.h"
#include "ptx_module.h"

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

PtxSymbol *ptx_declare(PtxParser *parser, enum PtxSymbolKind kind, const char *name, uint64_t value,
                       uint32_t count);
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

#endif
