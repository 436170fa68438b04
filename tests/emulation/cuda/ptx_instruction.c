/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Decodes instructions. */
#include "ptx_parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Marks slots of constants until the number of registers is known. */
#define CONSTANT UINT32_C(0x80000000)

typedef struct Operation {
    const char *name;
    uint16_t op;
    uint8_t sources;
} Operation;

static const Operation operations[] = {
#define X(id, name, sources, value) {name, PTX_OP_##id, sources},
    PTX_VALUES(X)
#undef X
#define X(id, name, type, value) {name, PTX_OP_##id, 2},
        PTX_DIVISIONS(X)
#undef X
};

static const Operation atomics[] = {
#define X(id, name, value) {name, PTX_OP_##id, 1},
    PTX_ATOMICS(X)
#undef X
};

uint32_t ptx_type_size(const char *type)
{
    static const char *const names[] = {"8", "16", "32", "64"};
    for (uint32_t i = 0; i < 4; i++) {
        if (type[0] != '\0' && strchr("bus", type[0]) && strcmp(type + 1, names[i]) == 0) {
            return 1u << i;
        }
    }
    return 0;
}

static uint32_t constant(PtxParser *parser, uint64_t value)
{
    PtxEntry *entry = parser->entry;
    for (uint32_t i = 0; i < entry->n_constants; i++) {
        if (entry->constants[i] == value) {
            return CONSTANT | i;
        }
    }
    entry->constants = ptx_grow(entry->constants, entry->n_constants, sizeof(*entry->constants));
    entry->constants[entry->n_constants] = value;
    return CONSTANT | entry->n_constants++;
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
    while (digits > 0 && isdigit((unsigned char)name[digits - 1])) {
        digits--;
    }
    for (uint32_t i = 0; i < parser->n_symbols; i++) {
        const PtxSymbol *symbol = &parser->symbols[i];
        if (symbol->kind != PTX_SYMBOL_REGISTER) {
            continue;
        }
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
    if (!find_register(parser, parser->lexer.token, slot)) {
        return ptx_fail(parser, "\"%s\" is no register", parser->lexer.token);
    }
    ptx_next(&parser->lexer);
    return true;
}

/* [base], [base+offset] */
static bool parse_address(PtxParser *parser, PtxInstruction *to)
{
    PtxLexer *lexer = &parser->lexer;
    if (!ptx_expect(parser, "[")) {
        return false;
    }
    if (!parse_value(parser, &to->a)) {
        return false;
    }
    if (ptx_take(lexer, "+") && !ptx_take_number(lexer, &to->offset)) {
        return ptx_fail(parser, "\"%s\" in an address", lexer->token);
    }
    return ptx_expect(parser, "]");
}

/* value, or {value, value, ...} */
static bool parse_elements(PtxParser *parser, PtxInstruction *to, bool read)
{
    const bool vector = to->count > 1;
    if (vector && !ptx_expect(parser, "{")) {
        return false;
    }
    for (uint32_t i = 0; i < to->count; i++) {
        if ((i > 0 && !ptx_expect(parser, ",")) ||
            !(read ? parse_destination(parser, &to->data[i]) : parse_value(parser, &to->data[i]))) {
            return false;
        }
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
    static const char *const spaces[] = {"", "global", "param", "shared", "local"};
    for (uint8_t i = PTX_GLOBAL; i <= PTX_LOCAL; i++) {
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
        if (to->size > 0) {
            return false; /* the type is last */
        }
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
    return to->size > 0;
}

/* The parts behind atom and red: space, operation, type. */
static bool decode_atomic(const char *parts, PtxInstruction *to)
{
    const char *rest = parts;
    char part[PTX_TOKEN_SIZE];
    if (next_part(&rest, part) && decode_space(part, to)) {
        parts = rest;
    }
    for (size_t i = 0; i < sizeof(atomics) / sizeof(atomics[0]); i++) {
        if (*parts == '.' && strcmp(parts + 1, atomics[i].name) == 0) {
            to->op = atomics[i].op;
            to->size = 4;
            to->count = 1;
            return true;
        }
    }
    return false;
}

static bool parse_atomic(PtxParser *parser, PtxInstruction *to, bool returns)
{
    to->dst = parser->n_slots; /* for results that nobody reads */
    if (!returns) {
        parser->n_slots++;
    } else if (!parse_destination(parser, &to->dst) || !ptx_expect(parser, ",")) {
        return false;
    }
    if (!parse_address(parser, to) || !ptx_expect(parser, ",") || !parse_value(parser, &to->b)) {
        return false;
    }
    return to->op != PTX_OP_atom_cas_b32 ||
           (ptx_expect(parser, ",") && parse_value(parser, &to->c));
}

static PtxLabel *find_label(PtxParser *parser, const char *name)
{
    for (uint32_t i = 0; i < parser->n_labels; i++) {
        if (strcmp(parser->labels[i].name, name) == 0) {
            return &parser->labels[i];
        }
    }
    parser->labels = ptx_grow(parser->labels, parser->n_labels, sizeof(*parser->labels));
    PtxLabel *label = &parser->labels[parser->n_labels++];
    memcpy(label->name, name, PTX_TOKEN_SIZE);
    label->at = UINT32_MAX;
    return label;
}

static bool parse_sources(PtxParser *parser, PtxInstruction *to, unsigned n)
{
    uint32_t *const sources[] = {&to->a, &to->b, &to->c};
    if (!parse_destination(parser, &to->dst)) {
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        if (!ptx_expect(parser, ",") || !parse_value(parser, sources[i])) {
            return false;
        }
    }
    return true;
}

/* mov.b64 {low, high}, value: two instructions, of which `to` becomes the second. */
static bool parse_halves(PtxParser *parser, PtxInstruction to, unsigned bits)
{
    PtxInstruction low = to, high = to;
    if (!ptx_expect(parser, "{") || !parse_destination(parser, &low.dst) ||
        !ptx_expect(parser, ",") || !parse_destination(parser, &high.dst) ||
        !ptx_expect(parser, "}") || !ptx_expect(parser, ",") || !parse_value(parser, &low.a))
        return false;
    low.op = bits == 64 ? PTX_OP_cvt_u32_u64 : PTX_OP_cvt_u16_u32;
    high.op = bits == 64 ? PTX_OP_shr_u64 : PTX_OP_shr_u32;
    high.a = low.a;
    high.b = constant(parser, bits / 2);
    PtxEntry *entry = parser->entry;
    entry->code[entry->n_code - 1] = low;
    entry->code = ptx_grow(entry->code, entry->n_code, sizeof(*entry->code));
    entry->code[entry->n_code++] = high;
    return true;
}

/* The operation and its operands, up to the semicolon. */
static bool parse_operation(PtxParser *parser, PtxInstruction *to)
{
    PtxLexer *lexer = &parser->lexer;
    char name[PTX_TOKEN_SIZE];
    memcpy(name, lexer->token, sizeof(name));
    ptx_next(lexer);
    const bool is_load = strncmp(name, "ld.", 3) == 0, is_atom = strncmp(name, "atom.", 5) == 0;
    if ((is_load || strncmp(name, "st.", 3) == 0) && decode_access(name + 2, to)) {
        to->op = is_load ? PTX_OP_LD : PTX_OP_ST;
        return is_load ? parse_elements(parser, to, true) && ptx_expect(parser, ",") &&
                             parse_address(parser, to)
                       : parse_address(parser, to) && ptx_expect(parser, ",") &&
                             parse_elements(parser, to, false);
    }
    if ((is_atom || strncmp(name, "red.", 4) == 0) && decode_atomic(name + (is_atom ? 4 : 3), to)) {
        return parse_atomic(parser, to, is_atom);
    }
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
    if (strcmp(name, "bar.sync") == 0) {
        to->op = PTX_OP_BAR;
        return ptx_expect(parser, "0"); /* the barrier of the whole group */
    }
    if (strncmp(name, "mov.b", 5) == 0 && ptx_is(lexer, "{")) {
        const PtxEntry *entry = parser->entry;
        const uint16_t before = entry->n_code > 1 ? entry->code[entry->n_code - 2].op : PTX_OP_RET;
        if (before == PTX_OP_SKIP_IF || before == PTX_OP_SKIP_UNLESS)
            return ptx_fail(parser, "%s of halves under a condition is not supported", name);
        return parse_halves(parser, *to, strcmp(name, "mov.b64") == 0 ? 64 : 32);
    }
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (strcmp(name, operations[i].name) == 0) {
            to->op = operations[i].op;
            return parse_sources(parser, to, operations[i].sources);
        }
    }
    return ptx_fail(parser, "the instruction %s is not supported", name);
}

static PtxInstruction *add_instruction(PtxParser *parser, const char *begin)
{
    PtxEntry *entry = parser->entry;
    entry->code = ptx_grow(entry->code, entry->n_code, sizeof(*entry->code));
    PtxInstruction *added = &entry->code[entry->n_code++];
    *added = (PtxInstruction){.text = (uint32_t)(begin - parser->module->text)};
    return added;
}

bool ptx_parse_instruction(PtxParser *parser)
{
    PtxLexer *lexer = &parser->lexer;
    const char *begin = lexer->begin;
    if (*lexer->at == ':') {
        PtxLabel *label = find_label(parser, lexer->token);
        if (label->at != UINT32_MAX) {
            return ptx_fail(parser, "the label %s stands twice", label->name);
        }
        label->at = parser->entry->n_code;
        ptx_next(lexer);
        ptx_next(lexer);
        return true;
    }
    if (ptx_take(lexer, "@")) {
        PtxInstruction *guard = add_instruction(parser, begin);
        guard->op = ptx_take(lexer, "!") ? PTX_OP_SKIP_IF : PTX_OP_SKIP_UNLESS;
        if (!parse_value(parser, &guard->a)) {
            return false;
        }
    }
    PtxInstruction *added = add_instruction(parser, begin);
    if (!parse_operation(parser, added)) {
        return false;
    }
    added = &parser->entry->code[parser->entry->n_code - 1];
    added->text_length = (uint32_t)(lexer->begin - begin);
    return ptx_expect(parser, ";");
}

bool ptx_finish_code(PtxParser *parser)
{
    PtxEntry *entry = parser->entry;
    for (uint32_t i = 0; i < parser->n_labels; i++) {
        if (parser->labels[i].at == UINT32_MAX) {
            return ptx_fail(parser, "there is no label %s", parser->labels[i].name);
        }
    }
    add_instruction(parser, parser->module->text)->op = PTX_OP_RET; /* also of last labels */
    entry->n_slots = parser->n_slots + entry->n_constants;
    for (uint32_t i = 0; i < entry->n_code; i++) {
        PtxInstruction *at = &entry->code[i];
        uint32_t *const slots[] = {&at->a,       &at->b,       &at->c,      &at->data[0],
                                   &at->data[1], &at->data[2], &at->data[3]};
        for (size_t k = 0; k < sizeof(slots) / sizeof(slots[0]); k++) {
            if (*slots[k] & CONSTANT) {
                *slots[k] = parser->n_slots + (*slots[k] & ~CONSTANT);
            }
        }
        if (at->op == PTX_OP_BRA) {
            at->dst = parser->labels[at->dst].at;
        }
    }
    return true;
}
