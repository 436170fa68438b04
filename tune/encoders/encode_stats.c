/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encoders/encode_stats.h"
#include "platform/file.h"
#include "platform/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 30 };

typedef enum FrameValue {
    VALUE_Q,
    VALUE_TEX,
    VALUE_MV,
    VALUE_MISC,
    VALUE_INTRA,
    VALUE_INTER,
    VALUE_SKIP,
    N_FRAME_VALUES
} FrameValue;

/* x264's names, and x265's where they differ. */
static const struct {
    const char *name;
    FrameValue value;
} keys[] = {
    {"q", VALUE_Q},       {"tex", VALUE_TEX},   {"mv", VALUE_MV},    {"misc", VALUE_MISC},
    {"imb", VALUE_INTRA}, {"pmb", VALUE_INTER}, {"smb", VALUE_SKIP}, {"icu", VALUE_INTRA},
    {"pcu", VALUE_INTER}, {"scu", VALUE_SKIP},
};

/* Mean and deviation in one pass (Welford 1962), since bits of frames are large. */
typedef struct Moments {
    size_t n;
    double mean, squares;
} Moments;

typedef struct Sums {
    Moments qp, bits, mv, intra_tex, other_tex;
    double intra, inter, skip, total_bits;
} Sums;

static void moments_add(Moments *moments, double value)
{
    const double difference = value - moments->mean;
    moments->n++;
    moments->mean += difference / (double)moments->n;
    moments->squares += difference * (value - moments->mean);
}

static double deviation(const Moments *moments)
{
    return moments->n < 2 ? 0.0 : sqrt(moments->squares / (double)moments->n);
}

typedef struct Token {
    const char *key, *value;
    size_t key_length, value_length;
} Token;

/* The next key:value of a line; false at its end. */
static bool next_token(const char **at, const char *end, Token *token)
{
    static const char separators[] = " \t,;\r";
    for (const char *text = *at; text < end;) {
        while (text < end && strchr(separators, *text))
            text++;
        const char *begin = text;
        while (text < end && !strchr(separators, *text))
            text++;
        const char *middle = begin;
        while (middle < text && *middle != ':' && *middle != '=')
            middle++;
        *at = text;
        if (middle > begin && middle < text) {
            *token =
                (Token){begin, middle + 1, (size_t)(middle - begin), (size_t)(text - middle - 1)};
            return true;
        }
    }
    return false;
}

static bool is_key(const Token *token, const char *name)
{
    return strlen(name) == token->key_length &&
           vmaf_ascii_begins_alike(token->key, name, token->key_length);
}

/* Numbers of these files have no exponents and a point, whatever the locale. */
static double number(const Token *token)
{
    double result = 0, unit = 1;
    size_t i = 0;
    const bool negative = token->value_length > 0 && token->value[0] == '-';
    bool digits = false, behind_point = false;
    for (i = negative; i < token->value_length; i++) {
        const char c = token->value[i];
        if (c == '.' && !behind_point) {
            behind_point = true;
        } else if (c >= '0' && c <= '9') {
            digits = true;
            result = 10 * result + (c - '0');
            unit *= behind_point ? 10 : 1;
        } else {
            return 0;
        }
    }
    return digits ? (negative ? -1 : 1) * result / unit : 0;
}

static void add_frame(Sums *sums, const double *values, char type)
{
    const double bits = values[VALUE_TEX] + values[VALUE_MV] + values[VALUE_MISC];
    moments_add(&sums->qp, values[VALUE_Q]);
    moments_add(&sums->bits, bits);
    moments_add(&sums->mv, values[VALUE_MV]);
    moments_add(type == 'I' || type == 'i' ? &sums->intra_tex : &sums->other_tex,
                values[VALUE_TEX]);
    sums->total_bits += bits;
    sums->intra += values[VALUE_INTRA];
    sums->inter += values[VALUE_INTER];
    sums->skip += values[VALUE_SKIP];
}

static void add_line(Sums *sums, const char *at, const char *end)
{
    double values[N_FRAME_VALUES] = {0};
    bool has_in = false;
    char type = '\0';
    Token token;
    if (at < end && *at == '#')
        return;
    while (next_token(&at, end, &token)) {
        if (is_key(&token, "in"))
            has_in = true;
        else if (is_key(&token, "type") && token.value_length > 0)
            type = token.value[0];
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
            if (is_key(&token, keys[i].name))
                values[keys[i].value] = number(&token);
    }
    if (has_in && type)
        add_frame(sums, values, type);
}

void encoder_stats_parse(const char *text, EncoderStats *stats)
{
    Sums sums = {0};
    while (*text) {
        const char *end = text + strcspn(text, "\n");
        add_line(&sums, text, end);
        text = *end ? end + 1 : end;
    }
    const double blocks = sums.intra + sums.inter + sums.skip;
    *stats = (EncoderStats){
        .frames = sums.qp.n,
        .qp_mean = sums.qp.mean,
        .qp_std = deviation(&sums.qp),
        .bits_mean = sums.bits.mean,
        .bits_std = deviation(&sums.bits),
        .mv_mean = sums.mv.mean,
        .mv_std = deviation(&sums.mv),
        .itex_mean = sums.intra_tex.mean,
        .ptex_mean = sums.other_tex.mean,
        .intra_ratio = blocks > 0 ? sums.intra / blocks : 0,
        .skip_ratio = blocks > 0 ? sums.skip / blocks : 0,
        .total_bits = sums.total_bits,
    };
}

int encoder_stats_load(const char *path, EncoderStats *stats)
{
    char *text = NULL;
    size_t size = 0;
    *stats = (EncoderStats){0};
    const int err = vmaf_file_load(path, FILE_MAX, &text, &size);
    if (err)
        return err;
    encoder_stats_parse(text, stats);
    free(text);
    return 0;
}
