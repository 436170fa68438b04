/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Words of PTX; modules and entries: declarations, and what instructions can name. */
#include "ptx_internal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
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

static void ptx_skip_line(PtxLexer *lexer)
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

/* -- modules and entries: declarations, and what instructions can name -- */

bool ptx_fail(PtxParser *parser, const char *format, ...)
{
    if (parser->error[0] == '\0') {
        int length = snprintf(parser->error, PTX_ERROR_SIZE, "PTX line %u: ", parser->lexer.line);
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(parser->error + length, PTX_ERROR_SIZE - (size_t)length, format, arguments);
        va_end(arguments);
    }
    return false;
}

bool ptx_expect(PtxParser *parser, const char *token)
{
    return ptx_take(&parser->lexer, token) ||
           ptx_fail(parser, "\"%s\" where \"%s\" should be", parser->lexer.token, token);
}

void *ptx_grow(void *array, uint32_t count, size_t size)
{
    if ((count & (count - 1)) == 0) { /* full at powers of two */
        array = realloc(array, (count ? 2 * (size_t)count : 1) * size);
    }
    return array;
}

static PtxSymbol *ptx_declare(PtxParser *parser, enum PtxSymbolKind kind, const char *name,
                              uint64_t value, uint32_t count)
{
    parser->symbols = ptx_grow(parser->symbols, parser->n_symbols, sizeof(*parser->symbols));
    PtxSymbol *symbol = &parser->symbols[parser->n_symbols++];
    *symbol = (PtxSymbol){.kind = kind, .value = value, .count = count};
    snprintf(symbol->name, sizeof(symbol->name), "%s", name);
    return symbol;
}

uint32_t ptx_add_registers(PtxParser *parser, uint32_t count, bool is_wide)
{
    const uint32_t first = parser->n_registers;
    for (uint32_t i = 0; i < count; i++) {
        parser->is_wide = ptx_grow(parser->is_wide, parser->n_registers, sizeof(bool));
        parser->is_wide[parser->n_registers++] = is_wide;
    }
    return first;
}

const PtxSymbol *ptx_find(const PtxParser *parser, const char *name)
{
    for (uint32_t i = 0; i < parser->n_symbols; i++) {
        if (strcmp(parser->symbols[i].name, name) == 0)
            return &parser->symbols[i];
    }
    return NULL;
}

static uint32_t align_up(uint32_t offset, uint32_t align)
{
    return (offset + align - 1) / align * align;
}

/* [.align N] .type name[ "[" N "]" ]: its name, and its place behind `*size` bytes. */
static bool parse_variable(PtxParser *parser, char name[PTX_TOKEN_SIZE], uint32_t *offset,
                           uint32_t *size)
{
    PtxLexer *lexer = &parser->lexer;
    int64_t align = 1, length = 1;
    if (ptx_take(lexer, ".align") && (!ptx_take_number(lexer, &align) || align <= 0))
        return ptx_fail(parser, "an alignment of \"%s\"", lexer->token);
    const uint32_t element = ptx_type_size(lexer->token + (lexer->token[0] == '.'));
    if (element == 0)
        return ptx_fail(parser, "a variable of the type \"%s\"", lexer->token);
    ptx_next(lexer);
    memcpy(name, lexer->token, PTX_TOKEN_SIZE);
    ptx_next(lexer);
    parser->element_size = element;
    if (ptx_take(lexer, "[") &&
        (!ptx_take_number(lexer, &length) || length <= 0 || !ptx_expect(parser, "]")))
        return ptx_fail(parser, "the variable %s without a length", name);
    *offset = align_up(*size, (uint32_t)align > element ? (uint32_t)align : element);
    *size = *offset + (uint32_t)length * element;
    return *size < 1u << 20 || ptx_fail(parser, "%s is too large", name);
}

static bool parse_params(PtxParser *parser)
{
    PtxEntry *entry = parser->entry;
    if (ptx_take(&parser->lexer, ")"))
        return true;
    do {
        char name[PTX_TOKEN_SIZE];
        uint32_t offset;
        if (!ptx_expect(parser, ".param") ||
            !parse_variable(parser, name, &offset, &entry->params_size))
            return false;
        entry->params = ptx_grow(entry->params, entry->n_params, sizeof(*entry->params));
        entry->params[entry->n_params++] = (PtxParam){offset, entry->params_size - offset};
        ptx_declare(parser, PTX_SYMBOL_ADDRESS, name, offset, 0);
    } while (ptx_take(&parser->lexer, ","));
    return ptx_expect(parser, ")");
}

/* .reg .type %name<count>, ...; */
static bool parse_registers(PtxParser *parser)
{
    PtxLexer *lexer = &parser->lexer;
    const bool is_wide = strcmp(lexer->token, ".pred") != 0 && ptx_type_size(lexer->token + 1) == 8;
    ptx_next(lexer); /* otherwise instructions have their own type */
    do {
        char name[PTX_TOKEN_SIZE];
        int64_t count = 0;
        memcpy(name, lexer->token, sizeof(name));
        ptx_next(lexer);
        if (ptx_take(lexer, "<") &&
            (!ptx_take_number(lexer, &count) || count <= 0 || !ptx_expect(parser, ">")))
            return ptx_fail(parser, "registers %s without a number", name);
        if (!ptx_find(parser, name)) { /* blocks declare their own of the same name */
            const uint32_t first = ptx_add_registers(parser, count ? (uint32_t)count : 1, is_wide);
            ptx_declare(parser, PTX_SYMBOL_REGISTER, name, first, (uint32_t)count);
        }
    } while (ptx_take(lexer, ","));
    return ptx_expect(parser, ";");
}

static bool parse_memory(PtxParser *parser, uint32_t *size)
{
    char name[PTX_TOKEN_SIZE];
    uint32_t offset;
    if (!parse_variable(parser, name, &offset, size))
        return false;
    ptx_declare(parser, PTX_SYMBOL_ADDRESS, name, PTX_MEMORY_BASE + offset, 0);
    return ptx_expect(parser, ";");
}

static bool parse_statement(PtxParser *parser)
{
    PtxLexer *lexer = &parser->lexer;
    if (ptx_take(lexer, ".reg"))
        return parse_registers(parser);
    if (ptx_take(lexer, ".shared"))
        return parse_memory(parser, &parser->entry->shared_size);
    if (ptx_is(lexer, ".pragma") || ptx_is(lexer, ".loc")) {
        ptx_skip_line(lexer);
        return true;
    }
    if (lexer->token[0] == '.')
        return ptx_fail(parser, "the directive \"%s\" is not supported", lexer->token);
    return ptx_parse_instruction(parser);
}

/* Lanes at most, from .maxntid or .reqntid. */
static bool parse_lanes(PtxParser *parser)
{
    parser->entry->max_lanes = 1;
    do {
        int64_t lanes;
        if (!ptx_take_number(&parser->lexer, &lanes) || lanes <= 0 || lanes > 1024)
            return ptx_fail(parser, "\"%s\" lanes", parser->lexer.token);
        parser->entry->max_lanes *= (uint32_t)lanes;
    } while (ptx_take(&parser->lexer, ","));
    return true;
}

static bool parse_entry(PtxParser *parser)
{
    PtxLexer *lexer = &parser->lexer;
    PtxModule *module = parser->module;
    module->entries = ptx_grow(module->entries, module->n_entries, sizeof(*module->entries));
    parser->entry = &module->entries[module->n_entries++];
    *parser->entry = (PtxEntry){.name = strdup(lexer->token), .module = module};
    parser->entry->shared_size = parser->module_shared_size;
    parser->n_symbols = parser->n_module_symbols;
    parser->n_labels = parser->n_registers = parser->n_constants = 0;
    parser->carry[0] = parser->carry[1] = PTX_NONE;
    ptx_add_registers(parser, PTX_SPECIALS, false);
    ptx_next(lexer);
    if (!ptx_expect(parser, "(") || !parse_params(parser))
        return false;
    while (ptx_is(lexer, ".maxntid") || ptx_is(lexer, ".reqntid")) {
        ptx_next(lexer);
        if (!parse_lanes(parser))
            return false;
    }
    if (!ptx_expect(parser, "{"))
        return false;
    for (unsigned depth = 1; depth > 0;) { /* of blocks, which hold what compilers insert */
        if (ptx_is(lexer, "{") || ptx_is(lexer, "}")) {
            depth += ptx_is(lexer, "{") ? 1 : -1U;
            ptx_next(lexer);
            continue;
        }
        if (ptx_is(lexer, ""))
            return ptx_fail(parser, "%s has no end", parser->entry->name);
        if (!parse_statement(parser))
            return false;
    }
    if (!ptx_finish_code(parser))
        return false;
    ptx_place_registers(parser);
    return true;
}

/* { value, value, ... } or one value. */
static bool parse_initializer(PtxParser *parser, PtxVariable *variable, uint32_t element)
{
    PtxLexer *lexer = &parser->lexer;
    const bool is_list = ptx_take(lexer, "{");
    size_t at = 0;
    do {
        int64_t value;
        if (!ptx_take_number(lexer, &value) || at + element > variable->size)
            return ptx_fail(parser, "the value \"%s\" of %s", lexer->token, variable->name);
        memcpy(variable->data + at, &value, element); /* the lower bytes come first */
        at += element;
    } while (is_list && ptx_take(lexer, ","));
    return !is_list || ptx_expect(parser, "}");
}

/* .global or .const variable of the module, or group memory of all its kernels. */
static bool parse_module_variable(PtxParser *parser)
{
    PtxLexer *lexer = &parser->lexer;
    PtxModule *module = parser->module;
    const bool is_shared = ptx_is(lexer, ".shared"), is_const = ptx_is(lexer, ".const");
    char name[PTX_TOKEN_SIZE];
    uint32_t offset, size = 0;
    ptx_next(lexer);
    if (is_shared) {
        if (!parse_variable(parser, name, &offset, &parser->module_shared_size))
            return false;
        ptx_declare(parser, PTX_SYMBOL_ADDRESS, name, PTX_MEMORY_BASE + offset, 0);
    } else {
        if (!parse_variable(parser, name, &offset, &size))
            return false;
        module->variables =
            ptx_grow(module->variables, module->n_variables, sizeof(*module->variables));
        PtxVariable *variable = &module->variables[module->n_variables++];
        *variable = (PtxVariable){.name = strdup(name),
                                  .data = aligned_alloc(256, align_up(size, 256)),
                                  .size = size,
                                  .is_read_only = is_const};
        memset(variable->data, 0, size);
        ptx_declare(parser, PTX_SYMBOL_ADDRESS, name, (uintptr_t)variable->data, 0);
        if (ptx_take(lexer, "=") && !parse_initializer(parser, variable, parser->element_size))
            return false;
    }
    parser->n_module_symbols = parser->n_symbols;
    return ptx_expect(parser, ";");
}

/* .version 6.3, .target sm_70, .address_size 64 */
static bool parse_header(PtxParser *parser)
{
    PtxLexer *lexer = &parser->lexer;
    PtxModule *module = parser->module;
    int major, minor, end = 0;
    if (ptx_take(lexer, ".version")) {
        if (sscanf(lexer->token, "%d.%d", &major, &minor) != 2)
            return ptx_fail(parser, "the version \"%s\"", lexer->token);
        module->version = 10 * major + minor;
    } else if (ptx_take(lexer, ".target")) {
        if (sscanf(lexer->token, "sm_%d%n", &module->target, &end) != 1)
            return ptx_fail(parser, "the target \"%s\"", lexer->token);
        module->is_target_only = lexer->token[end] != '\0';
    }
    ptx_skip_line(lexer);
    return true;
}

bool ptx_module_read_header(const char *text, PtxModule *module)
{
    char error[PTX_ERROR_SIZE] = "";
    *module = (PtxModule){0};
    PtxParser parser = {.lexer = {.at = text, .line = 1}, .module = module, .error = error};
    ptx_next(&parser.lexer);
    while (ptx_is(&parser.lexer, ".version") || ptx_is(&parser.lexer, ".target")) {
        if (!parse_header(&parser))
            return false;
    }
    return module->version > 0 && module->target > 0;
}

static bool parse_module(PtxParser *parser)
{
    PtxLexer *lexer = &parser->lexer;
    ptx_next(lexer);
    while (!ptx_is(lexer, "")) {
        if (ptx_take(lexer, ".entry")) {
            if (!parse_entry(parser))
                return false;
        } else if (ptx_is(lexer, ".version") || ptx_is(lexer, ".target") ||
                   ptx_is(lexer, ".address_size")) {
            if (!parse_header(parser))
                return false;
        } else if (ptx_is(lexer, ".global") || ptx_is(lexer, ".const") ||
                   ptx_is(lexer, ".shared")) {
            if (!parse_module_variable(parser))
                return false;
        } else if (!ptx_take(lexer, ".visible") && !ptx_take(lexer, ".weak")) {
            return ptx_fail(parser, "the directive \"%s\" is not supported", lexer->token);
        }
    }
    return parser->module->n_entries > 0 || ptx_fail(parser, "there is no kernel");
}

PtxModule *ptx_module_load(const char *text, char error[PTX_ERROR_SIZE])
{
    PtxModule *module = calloc(1, sizeof(*module));
    module->text = strdup(text);
    PtxParser parser = {.lexer = {.at = module->text, .line = 1}, .module = module, .error = error};
    error[0] = '\0';
    const bool ok = parse_module(&parser);
    free(parser.symbols);
    free(parser.labels);
    free(parser.is_wide);
    free(parser.constants);
    if (!ok) {
        ptx_module_free(module);
        return NULL;
    }
    return module;
}

void ptx_module_free(PtxModule *module)
{
    if (!module)
        return;
    for (uint32_t i = 0; i < module->n_entries; i++) {
        free(module->entries[i].name);
        free(module->entries[i].params);
        free(module->entries[i].code);
        free(module->entries[i].constants);
    }
    for (uint32_t i = 0; i < module->n_variables; i++) {
        free(module->variables[i].name);
        free(module->variables[i].data);
    }
    free(module->variables);
    free(module->entries);
    free(module->text);
    free(module);
}

const PtxEntry *ptx_module_find(const PtxModule *module, const char *name)
{
    for (uint32_t i = 0; i < module->n_entries; i++) {
        if (strcmp(module->entries[i].name, name) == 0)
            return &module->entries[i];
    }
    return NULL;
}
