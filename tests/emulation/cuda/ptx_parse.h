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
} PtxSymbol;

typedef struct PtxLabel {
    char name[PTX_TOKEN_SIZE];
    uint32_t at; /* instruction; UINT32_MAX: not yet known */
} PtxLabel;

typedef struct PtxParser {
    PtxLexer lexer;
    PtxModule *module;
    PtxEntry *entry;
    PtxSymbol *symbols; /* of the entry */
    uint32_t n_symbols;
    PtxLabel *labels;
    uint32_t n_labels;
    uint32_t n_slots; /* without constants */
    char *error;
} PtxParser;

/* Stores the first text of a failure; false. */
__attribute__((format(printf, 2, 3))) bool ptx_fail(PtxParser *parser, const char *format, ...);
bool ptx_expect(PtxParser *parser, const char *token);

/* Makes room for one more element. */
void *ptx_grow(void *array, uint32_t count, size_t size);

bool ptx_declare(PtxParser *parser, enum PtxSymbolKind kind, const char *name, uint64_t value,
                 uint32_t count);
const PtxSymbol *ptx_find(const PtxParser *parser, const char *name);

/* Bytes of a type such as "u32"; 0: there is none of that name. */
uint32_t ptx_type_size(const char *type);

/* A label or an instruction. */
bool ptx_parse_instruction(PtxParser *parser);
/* At the end of an entry: labels and constants get their places. */
bool ptx_finish_code(PtxParser *parser);

#endif
