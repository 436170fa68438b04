/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "ptx_lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || (c != '\0' && strchr("_$%.", c));
}

static void skip_space(PtxLexer *lexer)
{
    for (;;) {
        if (lexer->at[0] == '/' && lexer->at[1] == '/') {
            lexer->at += strcspn(lexer->at, "\n");
        } else if (*lexer->at == '\n') {
            lexer->line++;
            lexer->at++;
        } else if (isspace((unsigned char)*lexer->at)) {
            lexer->at++;
        } else {
            return;
        }
    }
}

void ptx_next(PtxLexer *lexer)
{
    skip_space(lexer);
    lexer->begin = lexer->at;
    size_t length = *lexer->at != '\0';
    if (is_word(*lexer->at)) {
        while (is_word(lexer->at[length]))
            length++;
    }
    lexer->at += length;
    if (length >= PTX_TOKEN_SIZE) { /* no name is as long; what it stands for is not found */
        length = PTX_TOKEN_SIZE - 1;
    }
    memcpy(lexer->token, lexer->begin, length);
    lexer->token[length] = '\0';
}

void ptx_skip_line(PtxLexer *lexer)
{
    lexer->at = lexer->begin + strcspn(lexer->begin, "\n");
    ptx_next(lexer);
}

bool ptx_is(const PtxLexer *lexer, const char *token)
{
    return strcmp(lexer->token, token) == 0;
}

bool ptx_take(PtxLexer *lexer, const char *token)
{
    const bool is = ptx_is(lexer, token);
    if (is)
        ptx_next(lexer);
    return is;
}

bool ptx_take_number(PtxLexer *lexer, int64_t *number)
{
    const bool negative = ptx_take(lexer, "-");
    if (!isdigit((unsigned char)lexer->token[0]))
        return false;
    char *end;
    const uint64_t value = strtoull(lexer->token, &end, 0);
    if (*end == 'U')
        end++;
    if (*end != '\0') { /* a floating-point number, for one */
        return false;
    }
    *number = (int64_t)(negative ? 0 - value : value);
    ptx_next(lexer);
    return true;
}
