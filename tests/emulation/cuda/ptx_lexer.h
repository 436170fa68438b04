/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_PTX_LEXER_H
#define TESTS_EMULATION_CUDA_PTX_LEXER_H

#include <stdbool.h>
#include <stdint.h>

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
void ptx_skip_line(PtxLexer *lexer);

bool ptx_is(const PtxLexer *lexer, const char *token);
/* Whether it is this token, which is read then. */
bool ptx_take(PtxLexer *lexer, const char *token);
/* Reads a number, which may have a sign. */
bool ptx_take_number(PtxLexer *lexer, int64_t *number);

#endif
