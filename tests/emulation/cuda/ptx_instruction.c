/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Decodes instructions. */
#include "ptx_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Operation {
    const char *name;
    uint16_t op;
    uint8_t sources;
} Operation;

static const Operation operations[] = {
#define X(id, name, sources, ...) {name, PTX_OP_##id, sources},
    PTX_VALUES(X)
#undef X
#define X(id, name, ...) {name, PTX_OP_##id, 2},
        PTX_DIVISIONS(X)
#undef X
#define X(id, name, ...) {name, PTX_OP_##id, 4},
            PTX_FOURS(X)
#undef X
};

uint32_t ptx_type_size(const char *type)
{
    static const char *const names[] = {"8", "16", "32", "64"};
    if (strcmp(type, "f32") == 0)
        return 4;
    for (uint32_t i = 0; i < 4; i++) {
        if (type[0] != '\0' && strchr("bus", type[0]) && strcmp(type + 1, names[i]) == 0)
            return 1u << i;
    }
    return 0;
}

static uint32_t constant(PtxParser *parser, uint64_t value)
{
    for (uint32_t i = 0; i < parser->n_constants; i++) {
        if (parser->constants[i] == value)
            return PTX_CONSTANT | i;
    }
    parser->constants =
        ptx_grow(parser->constants, parser->n_constants, sizeof(*parser->constants));
    parser->constants[parser->n_constants] = value;
    return PTX_CONSTANT | parser->n_constants++;
}

/* 0f3F800000 */
static bool take_float(PtxLexer *lexer, uint64_t *bits)
{
    char *end;
    if (lexer->token[0] != '0' || (lexer->token[1] != 'f' && lexer->token[1] != 'F') ||
        strlen(lexer->token) != 10)
        return false;
    *bits = strtoull(lexer->token + 2, &end, 16);
    if (*end != '\0')
        return false;
    ptx_next(lexer);
    return true;
}

static bool find_special(const char *name, uint32_t *slot)
{
    static const struct {
        const char *name;
        uint32_t slot;
    } specials[] = {
        {"%tid.", PTX_TID}, {"%ntid.", PTX_NTID}, {"%ctaid.", PTX_CTAID}, {"%nctaid.", PTX_NCTAID}};
    for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
        const size_t length = strlen(specials[i].name);
        const char axis = strncmp(name, specials[i].name, length) == 0 ? name[length] : '\0';
        if (axis >= 'x' && axis <= 'z' && name[length + 1] == '\0') {
            *slot = specials[i].slot + (uint32_t)(axis - 'x');
            return true;
        }
    }
    return false;
}

/* A register, by its own name or as number k of a range. */
static bool find_register(const PtxParser *parser, const char *name, uint32_t *slot)
{
    size_t digits = strlen(name);
    while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
        digits--;
    for (uint32_t i = 0; i < parser->n_symbols; i++) {
        const PtxSymbol *symbol = &parser->symbols[i];
        if (symbol->kind != PTX_SYMBOL_REGISTER)
            continue;
        if (symbol->count == 0 && strcmp(symbol->name, name) == 0) {
            *slot = (uint32_t)symbol->value;
            return true;
        }
        if (symbol->count > 0 && name[digits] != '\0' && strlen(symbol->name) == digits &&
            strncmp(symbol->name, name, digits) == 0) {
            const unsigned long number = strtoul(name + digits, NULL, 10);
            *slot = (uint32_t)(symbol->value + number);
            return number < symbol->count;
        }
    }
    return false;
}

/* Register, special register, number, or address of a variable or parameter. */
static bool parse_value(PtxParser *parser, uint32_t *slot)
{
    PtxLexer *lexer = &parser->lexer;
    int64_t number;
    uint64_t bits;
    if (take_float(lexer, &bits)) {
        *slot = constant(parser, bits);
        return true;
    }
    if (ptx_take_number(lexer, &number)) {
        *slot = constant(parser, (uint64_t)number);
        return true;
    }
    if (find_register(parser, lexer->token, slot) || find_special(lexer->token, slot)) {
        ptx_next(lexer);
        return true;
    }
    const PtxSymbol *symbol = ptx_find(parser, lexer->token);
    if (symbol && symbol->kind != PTX_SYMBOL_REGISTER) {
        ptx_next(lexer);
        *slot = constant(parser, symbol->value);
        return true;
    }
    return ptx_fail(parser, "the operand \"%s\" is not supported", lexer->token);
}

static bool parse_destination(PtxParser *parser, uint32_t *slot)
{
    if (!find_register(parser, parser->lexer.token, slot))
        return ptx_fail(parser, "\"%s\" is no register", parser->lexer.token);
    ptx_next(&parser->lexer);
    return true;
}

/* [base], [base+offset] */
static bool parse_address(PtxParser *parser, PtxInstruction *to)
{
    PtxLexer *lexer = &parser->lexer;
    if (!ptx_expect(parser, "["))
        return false;
    if (!parse_value(parser, &to->a))
        return false;
    if (ptx_take(lexer, "+") && !ptx_take_number(lexer, &to->offset))
        return ptx_fail(parser, "\"%s\" in an address", lexer->token);
    return ptx_expect(parser, "]");
}

/* value, or {value, value, ...} */
static bool parse_elements(PtxParser *parser, PtxInstruction *to, bool read)
{
    const bool vector = to->count > 1;
    if (vector && !ptx_expect(parser, "{"))
        return false;
    for (uint32_t i = 0; i < to->count; i++) {
        if ((i > 0 && !ptx_expect(parser, ",")) ||
            !(read ? parse_destination(parser, &to->data[i]) : parse_value(parser, &to->data[i])))
            return false;
    }
    return !vector || ptx_expect(parser, "}");
}

/* The name's parts between dots, one after the other. */
static bool next_part(const char **name, char part[PTX_TOKEN_SIZE])
{
    *name += **name == '.';
    const size_t length = strcspn(*name, ".");
    memcpy(part, *name, length);
    part[length] = '\0';
    *name += length;
    return length > 0;
}

static bool decode_space(const char *part, PtxInstruction *to)
{
    static const char *const spaces[] = {"", "global", "param", "shared"};
    if (strcmp(part, "const") == 0) {
        to->space = PTX_GLOBAL;
        return true;
    }
    for (uint8_t i = PTX_GLOBAL; i <= PTX_SHARED; i++) {
        if (strcmp(part, spaces[i]) == 0) {
            to->space = i;
            return true;
        }
    }
    return false;
}

/* The parts behind ld and st: space, hints, vector, type. */
static bool decode_access(const char *parts, PtxInstruction *to)
{
    char part[PTX_TOKEN_SIZE];
    to->count = 1;
    while (next_part(&parts, part)) {
        if (to->size > 0)
            return false; /* the type is last */
        if (strcmp(part, "v2") == 0 || strcmp(part, "v4") == 0) {
            to->count = (uint8_t)(part[1] - '0');
        } else if (ptx_type_size(part) > 0) {
            to->size = (uint8_t)ptx_type_size(part);
            to->is_signed = part[0] == 's';
        } else if (strcmp(part, "nc") != 0 && strcmp(part, "volatile") != 0 &&
                   !decode_space(part, to)) {
            return false;
        }
    }
    return to->size > 0 && to->space; /* generic addresses are not emulated */
}

/* The parts behind atom and red: space, operation, type. */
static bool decode_atomic(const char *parts, PtxInstruction *to)
{
    const char *rest = parts;
    char part[PTX_TOKEN_SIZE];
    static const char *const hints[] = {"relaxed", "gpu", "cta", "sys"};
    bool goes_on = true;
    while (goes_on && next_part(&rest, part)) {
        goes_on = decode_space(part, to);
        for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
            goes_on |= strcmp(part, hints[i]) == 0;
        parts = goes_on ? rest : parts;
    }
    to->op = PTX_OP_ATOMIC_ADD;
    to->size = 4;
    to->count = 1;
    return to->space && (strcmp(parts, ".add.u32") == 0 || strcmp(parts, ".add.s32") == 0);
}

static bool parse_atomic(PtxParser *parser, PtxInstruction *to, bool returns)
{
    if (returns && (!parse_destination(parser, &to->dst) || !ptx_expect(parser, ",")))
        return false;
    return parse_address(parser, to) && ptx_expect(parser, ",") && parse_value(parser, &to->b);
}

static PtxLabel *find_label(PtxParser *parser, const char *name)
{
    for (uint32_t i = 0; i < parser->n_labels; i++) {
        if (strcmp(parser->labels[i].name, name) == 0)
            return &parser->labels[i];
    }
    parser->labels = ptx_grow(parser->labels, parser->n_labels, sizeof(*parser->labels));
    PtxLabel *label = &parser->labels[parser->n_labels++];
    memcpy(label->name, name, PTX_TOKEN_SIZE);
    label->at = UINT32_MAX;
    return label;
}

static bool parse_sources(PtxParser *parser, PtxInstruction *to, unsigned n)
{
    uint32_t *const sources[] = {&to->a, &to->b, &to->c, &to->d};
    if (!parse_destination(parser, &to->dst))
        return false;
    for (unsigned i = 0; i < n; i++) {
        if (!ptx_expect(parser, ",") || !parse_value(parser, sources[i]))
            return false;
    }
    return true;
}

static PtxInstruction *add_instruction(PtxParser *parser, const char *begin)
{
    PtxEntry *entry = parser->entry;
    entry->code = ptx_grow(entry->code, entry->n_code, sizeof(*entry->code));
    PtxInstruction *added = &entry->code[entry->n_code++];
    *added = (PtxInstruction){.text = (uint32_t)(begin - parser->module->text),
                              .guard = PTX_NONE,
                              .dst = PTX_NONE,
                              .a = PTX_NONE,
                              .b = PTX_NONE,
                              .c = PTX_NONE,
                              .d = PTX_NONE,
                              .data = {PTX_NONE, PTX_NONE, PTX_NONE, PTX_NONE}};
    return added;
}

/* One more instruction, which is part of the one that is being decoded. */
static void add_part(PtxParser *parser, const PtxInstruction *part)
{
    *add_instruction(parser, parser->module->text) = *part;
}

/* mov.b64 {low, high}, value: two instructions; a half that is not wanted is "_". */
static bool parse_halves(PtxParser *parser, PtxInstruction *to, unsigned bits)
{
    PtxInstruction low = *to, high = *to;
    if (!ptx_expect(parser, "{") ||
        !(ptx_take(&parser->lexer, "_") || parse_destination(parser, &low.dst)) ||
        !ptx_expect(parser, ",") ||
        !(ptx_take(&parser->lexer, "_") || parse_destination(parser, &high.dst)) ||
        !ptx_expect(parser, "}") || !ptx_expect(parser, ",") || !parse_value(parser, &low.a))
        return false;
    low.op = bits == 64 ? PTX_OP_cvt_u32_u64 : PTX_OP_cvt_u16_u32;
    high.op = bits == 64 ? PTX_OP_shr_u64 : PTX_OP_shr_u32;
    high.a = low.a;
    high.b = constant(parser, bits / 2);
    *to = low; /* it may be the value, or its low half: then the high one comes first */
    if (low.dst == low.a) {
        *to = high;
        high = low;
    }
    add_part(parser, &high);
    return true;
}

/* mov.b64 value, {low, high} */
static bool parse_packing(PtxParser *parser, PtxInstruction *to, unsigned bits)
{
    to->op = bits == 64 ? PTX_OP_pack_b64 : PTX_OP_pack_b32;
    return parse_destination(parser, &to->dst) && ptx_expect(parser, ",") &&
           ptx_expect(parser, "{") && parse_value(parser, &to->a) && ptx_expect(parser, ",") &&
           parse_value(parser, &to->b) && ptx_expect(parser, "}");
}

static const Operation *find_operation(const char *name)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (strcmp(name, operations[i].name) == 0)
            return &operations[i];
    }
    return NULL;
}

/*
 * add.cc, addc, addc.cc, sub.cc, subc, subc.cc: the carry first, as the sum may replace what it is
 * made of; what came in is read until the end.
 */
static bool parse_carry(PtxParser *parser, PtxInstruction *to, const char *name)
{
    const bool is_sub = strncmp(name, "sub", 3) == 0, takes = name[3] == 'c';
    const char *rest = name + 3 + takes;
    const bool leaves = strncmp(rest, ".cc.", 4) == 0;
    char type[8], text[32];
    if ((!leaves && !takes) || strlen(rest) > 8)
        return ptx_fail(parser, "the instruction %s is not supported", name);
    snprintf(type, sizeof(type), "%s", rest + (leaves ? 4 : 1));
    if (type[0] == 's')
        type[0] = 'u';
    for (unsigned i = 0; i < 2; i++) {
        if (parser->carry[i] == PTX_NONE)
            parser->carry[i] = ptx_add_registers(parser, 1, false);
    }
    snprintf(text, sizeof(text), "(%s).%s", is_sub ? "borrow" : "carry", type);
    const Operation *carry = find_operation(text);
    snprintf(text, sizeof(text), "%s.%s", is_sub ? "subc" : "addc", type);
    const Operation *sum = find_operation(text);
    if (!carry || !sum)
        return ptx_fail(parser, "the instruction %s is not supported", name);
    if (!parse_sources(parser, to, 2))
        return false;
    to->c = takes ? parser->carry[0] : constant(parser, 0);
    PtxInstruction first = *to, second = *to, third = *to;
    first.op = carry->op;
    first.dst = parser->carry[1];
    second.op = sum->op;
    third.op = PTX_OP_mov_u32;
    third.dst = parser->carry[0];
    third.a = parser->carry[1];
    third.b = third.c = PTX_NONE;
    *to = leaves ? first : second;
    if (leaves) {
        add_part(parser, &second);
        add_part(parser, &third);
    }
    return true;
}

/* bar.sync 0: the barrier of the whole group. */
static bool parse_barrier(PtxParser *parser, PtxInstruction *to)
{
    to->op = PTX_OP_BAR;
    return ptx_expect(parser, "0");
}

/* What has a form of its own; *known: it is such an instruction. */
static bool parse_special(PtxParser *parser, PtxInstruction *to, const char *name, bool *known)
{
    PtxLexer *lexer = &parser->lexer;
    const bool is_load = strncmp(name, "ld.", 3) == 0, is_atom = strncmp(name, "atom.", 5) == 0;
    *known = true;
    if ((is_load || strncmp(name, "st.", 3) == 0) && decode_access(name + 2, to)) {
        to->op = is_load ? PTX_OP_LD : PTX_OP_ST;
        return is_load ? parse_elements(parser, to, true) && ptx_expect(parser, ",") &&
                             parse_address(parser, to)
                       : parse_address(parser, to) && ptx_expect(parser, ",") &&
                             parse_elements(parser, to, false);
    }
    if ((is_atom || strncmp(name, "red.", 4) == 0) && decode_atomic(name + (is_atom ? 4 : 3), to))
        return parse_atomic(parser, to, is_atom);
    if (strcmp(name, "bra") == 0 || strcmp(name, "bra.uni") == 0) {
        to->op = PTX_OP_BRA;
        to->dst = (uint32_t)(find_label(parser, lexer->token) - parser->labels);
        ptx_next(lexer);
        return true;
    }
    if (strcmp(name, "ret") == 0 || strcmp(name, "exit") == 0) {
        to->op = PTX_OP_RET;
        return true;
    }
    if (strncmp(name, "membar.", 7) == 0 || strncmp(name, "fence.", 6) == 0) {
        to->op = PTX_OP_NOTHING; /* lanes see at once what others write */
        return true;
    }
    if (strcmp(name, "bar.sync") == 0 || strcmp(name, "barrier.sync") == 0)
        return parse_barrier(parser, to);
    if (strncmp(name, "add", 3) == 0 || strncmp(name, "sub", 3) == 0) {
        if (name[3] == 'c' || strncmp(name + 3, ".cc", 3) == 0)
            return parse_carry(parser, to, name);
    }
    if (strcmp(name, "mov.b64") == 0 || strcmp(name, "mov.b32") == 0) {
        const unsigned bits = name[5] == '6' ? 64 : 32;
        if (ptx_is(lexer, "{"))
            return parse_halves(parser, to, bits);
        const PtxLexer before = *lexer;
        ptx_next(lexer);
        const bool packs = ptx_take(lexer, ",") && ptx_is(lexer, "{");
        *lexer = before;
        if (packs)
            return parse_packing(parser, to, bits);
    }
    *known = false;
    return true;
}

/* The operation and its operands, up to the semicolon. */
static bool parse_operation(PtxParser *parser, PtxInstruction *to)
{
    char name[PTX_TOKEN_SIZE];
    bool known;
    memcpy(name, parser->lexer.token, sizeof(name));
    ptx_next(&parser->lexer);
    const bool ok = parse_special(parser, to, name, &known);
    if (known)
        return ok;
    const Operation *operation = name[0] == '(' ? NULL : find_operation(name);
    if (!operation)
        return ptx_fail(parser, "the instruction %s is not supported", name);
    to->op = operation->op;
    return parse_sources(parser, to, operation->sources);
}

/* A label or an instruction, in front of which may be a condition. */
bool ptx_parse_instruction(PtxParser *parser)
{
    PtxLexer *lexer = &parser->lexer;
    const char *begin = lexer->begin;
    if (*lexer->at == ':') {
        PtxLabel *label = find_label(parser, lexer->token);
        if (label->at != UINT32_MAX)
            return ptx_fail(parser, "the label %s stands twice", label->name);
        label->at = parser->entry->n_code;
        ptx_next(lexer);
        ptx_next(lexer);
        return true;
    }
    const uint32_t index = parser->entry->n_code;
    PtxInstruction decoded = *add_instruction(parser, begin);
    if (ptx_take(lexer, "@")) {
        decoded.guard_is_not = ptx_take(lexer, "!");
        if (!parse_value(parser, &decoded.guard))
            return false;
    }
    if (!parse_operation(parser, &decoded))
        return false;
    decoded.text_length = (uint32_t)(lexer->begin - begin);
    parser->entry->code[index] = decoded;
    return ptx_expect(parser, ";");
}

bool ptx_finish_code(PtxParser *parser)
{
    PtxEntry *entry = parser->entry;
    for (uint32_t i = 0; i < parser->n_labels; i++) {
        if (parser->labels[i].at == UINT32_MAX)
            return ptx_fail(parser, "there is no label %s", parser->labels[i].name);
    }
    add_instruction(parser, parser->module->text)->op = PTX_OP_RET; /* also of last labels */
    for (uint32_t i = 0; i < entry->n_code; i++) {
        PtxInstruction *at = &entry->code[i];
        if (at->op == PTX_OP_BRA)
            at->dst = parser->labels[at->dst].at;
    }
    return true;
}
