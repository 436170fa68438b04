/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "model/svr.h"
#include "platform/text.h"

/* Published models have about 250 vectors; a limit keeps absurd files from exhausting memory. */
enum { MAX_VECTORS = 1 << 18, MAX_DIMENSIONS = MODEL_MAX_FEATURES };

typedef struct Token {
    const char *begin, *end;
} Token;

typedef struct Header {
    bool has_type, has_kernel, has_gamma, has_rho, has_total;
    double gamma, rho;
    unsigned total;
} Header;

typedef struct Parser {
    const char *next;
    Reason *why;
} Parser;

static int malformed(const Parser *parser, const char *what)
{
    return reason_set(parser->why, -ENOMEM, "support-vector text: %s", what);
}

static bool token_is(Token token, const char *word)
{
    size_t length = (size_t)(token.end - token.begin);
    return length == strlen(word) && memcmp(token.begin, word, length) == 0;
}

static bool token_in(Token token, const char *const words[])
{
    for (; *words; words++)
        if (token_is(token, *words))
            return true;
    return false;
}

/* Tokens of the header are separated by one space or one newline. False for an empty token. */
static bool next_token(Parser *parser, Token *token)
{
    token->begin = parser->next;
    token->end = parser->next + strcspn(parser->next, " \n");
    parser->next = *token->end ? token->end + 1 : token->end;
    return token->end > token->begin;
}

/* Called in the C locale, see libsvm_parse. */
static bool parse_real(Token token, double *value)
{
    /* strtod also accepts leading white space and words such as "nan". */
    if (token.begin == token.end || !strchr("+-.0123456789", *token.begin))
        return false;
    char *end;
    *value = strtod(token.begin, &end);
    return end == token.end && isfinite(*value);
}

static bool parse_count(Token token, unsigned *value)
{
    uint64_t number = 0;
    if (token.begin == token.end)
        return false;
    for (const char *c = token.begin; c < token.end; c++) {
        if (*c < '0' || *c > '9')
            return false;
        number = number * 10 + (unsigned)(*c - '0');
        if (number > UINT32_MAX)
            return false;
    }
    *value = (unsigned)number;
    return true;
}

static bool next_real(Parser *parser, double *value)
{
    Token token;
    return next_token(parser, &token) && parse_real(token, value);
}

static bool next_count(Parser *parser, unsigned *value)
{
    Token token;
    return next_token(parser, &token) && parse_count(token, value);
}

static int parse_svm_type(Parser *parser, Header *header)
{
    static const char *const types[] = {"c_svc",       "nu_svc", "one_class",
                                        "epsilon_svr", "nu_svr", NULL};
    Token token;
    if (!next_token(parser, &token) || !token_in(token, types))
        return malformed(parser, "unknown svm_type");
    if (!token_is(token, "nu_svr") && !token_is(token, "epsilon_svr"))
        return reason_set(parser->why, -EINVAL, "svm_type is not a regression");
    header->has_type = true;
    return 0;
}

static int parse_kernel_type(Parser *parser, Header *header)
{
    static const char *const kernels[] = {"linear",  "polynomial",  "rbf",
                                          "sigmoid", "precomputed", NULL};
    Token token;
    if (!next_token(parser, &token) || !token_in(token, kernels))
        return malformed(parser, "unknown kernel_type");
    if (!token_is(token, "rbf"))
        return reason_set(parser->why, -EINVAL, "kernel_type is not rbf");
    header->has_kernel = true;
    return 0;
}

/* Values of keywords that do not matter to a regression. */
static int skip_values(Parser *parser, unsigned count)
{
    double ignored;
    while (count--)
        if (!next_real(parser, &ignored))
            return malformed(parser, "malformed number in the header");
    return 0;
}

static int parse_header(Parser *parser, Header *header)
{
    static const char *const one_value[] = {"degree", "coef0", "probA", "probB", NULL};
    static const char *const value_per_class[] = {"label", "nr_sv", NULL};
    unsigned n_classes;
    Token token;

    for (;;) {
        int err = 0;
        if (!next_token(parser, &token))
            return malformed(parser, "the header ends early or has an empty word");
        if (token_is(token, "SV"))
            break;
        if (token_is(token, "svm_type")) {
            err = parse_svm_type(parser, header);
        } else if (token_is(token, "kernel_type")) {
            err = parse_kernel_type(parser, header);
        } else if (token_is(token, "gamma")) {
            if (!(header->has_gamma = next_real(parser, &header->gamma)))
                err = malformed(parser, "malformed gamma");
        } else if (token_is(token, "rho")) {
            if (!(header->has_rho = next_real(parser, &header->rho)))
                err = malformed(parser, "malformed rho");
        } else if (token_is(token, "total_sv")) {
            if (!(header->has_total = next_count(parser, &header->total)))
                err = malformed(parser, "malformed total_sv");
        } else if (token_is(token, "nr_class")) {
            if (!next_count(parser, &n_classes) || n_classes != 2)
                err = malformed(parser, "nr_class of a regression is 2");
        } else if (token_in(token, one_value)) {
            err = skip_values(parser, 1);
        } else if (token_in(token, value_per_class)) {
            err = skip_values(parser, 2);
        } else {
            err = malformed(parser, "unknown word in the header");
        }
        if (err)
            return err;
    }
    if (!header->has_type || !header->has_kernel || !header->has_gamma || !header->has_rho ||
        !header->has_total)
        return malformed(parser, "svm_type, kernel_type, gamma, rho or total_sv is missing");
    return 0;
}

/* "index:value" */
static bool parse_component(Token token, unsigned *index, double *value)
{
    const char *colon = memchr(token.begin, ':', (size_t)(token.end - token.begin));
    return colon && parse_count((Token){token.begin, colon}, index) &&
           parse_real((Token){colon + 1, token.end}, value);
}

/*
 * One line: a coefficient and its vector. Stores vector k in the arrays of `svr` unless it is NULL;
 * raises *dimensions to the largest index seen.
 */
static int parse_vector(Parser *parser, unsigned k, const SvrTable *svr, double *coefficients,
                        double *vectors, unsigned *dimensions)
{
    const char *line_end = parser->next + strcspn(parser->next, "\n");
    Token token;
    double value;

    if (parser->next == line_end || !next_real(parser, &value))
        return malformed(parser, *line_end ? "malformed coefficient" : "lines are missing");
    if (svr)
        coefficients[k] = value;

    unsigned previous = 0, index;
    while (parser->next < line_end) {
        if (!next_token(parser, &token) || !parse_component(token, &index, &value) ||
            index <= previous)
            return malformed(parser, "malformed index:value pair");
        if (index > MAX_DIMENSIONS)
            return reason_set(parser->why, -EINVAL,
                              "support-vector text: index %u, the largest is %d", index,
                              MAX_DIMENSIONS);
        if (svr)
            vectors[(size_t)(index - 1) * svr->stride + k] = value;
        previous = index;
    }
    if (previous > *dimensions)
        *dimensions = previous;
    parser->next = *line_end ? line_end + 1 : line_end;
    return 0;
}

static int parse_all(Parser *parser, SvrTable **result)
{
    Header header = {0};
    int err = parse_header(parser, &header);
    if (err)
        return err;
    /* A line takes at least two characters, so the text cannot hold more vectors than that. */
    if (header.total > strlen(parser->next) / 2 + 1)
        return malformed(parser, "lines are missing");
    if (header.total > MAX_VECTORS)
        return reason_set(parser->why, -EINVAL, "%u support vectors, the limit is %d", header.total,
                          MAX_VECTORS);

    /* Two passes over the lines: the first checks them and counts the components. */
    const char *vectors_begin = parser->next;
    unsigned dimensions = 0;
    for (unsigned k = 0; k < header.total; k++)
        if ((err = parse_vector(parser, k, NULL, NULL, NULL, &dimensions)))
            return err;

    double *coefficients, *vectors;
    SvrTable *svr = svr_create(header.total, dimensions, &coefficients, &vectors);
    if (!svr)
        return reason_set(parser->why, -ENOMEM, "out of memory");
    svr->gamma = header.gamma;
    svr->rho = header.rho;
    parser->next = vectors_begin;
    for (unsigned k = 0; k < header.total; k++)
        (void)parse_vector(parser, k, svr, coefficients, vectors, &dimensions);
    *result = svr;
    return 0;
}

int libsvm_parse(SvrTable **svr, const char *text, Reason *why)
{
    Parser parser = {.next = text, .why = why};
    VmafCLocaleScope scope;

    *svr = NULL;
    if (vmaf_c_locale_enter(&scope))
        return reason_set(why, -ENOMEM, "out of memory");
    int err = parse_all(&parser, svr);
    vmaf_c_locale_leave(&scope);
    return err;
}
