/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encoders/ffmpeg_output.h"

#include "platform/file.h"
#include "platform/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Versions ---- */

static const char *find_alike(const char *text, const char *part, size_t length)
{
    for (; *text; text++)
        if (vmaf_ascii_begins_alike(text, part, length))
            return text;
    return length ? NULL : text;
}

/* What follows the first place that the pattern fits; NULL: none. */
static const char *behind(const char *line, const char *pattern)
{
    while (line && *pattern) {
        const size_t length = strcspn(pattern, "*");
        line = find_alike(line, pattern, length);
        if (line)
            line += length;
        pattern += length;
        pattern += *pattern == '*';
    }
    return line;
}

static void look_for_version(FfmpegLog *log)
{
    const Encoder *encoder = log->encoder;
    for (size_t i = 0; !log->version[0] && i < encoder->version_patterns.n; i++) {
        const char *found = behind(log->line, encoder->version_patterns.items[i]);
        if (found && *found >= '0' && *found <= '9')
            snprintf(log->version, sizeof(log->version), "%s%.*s", encoder->version_prefix,
                     (int)strcspn(found, " \t,;"), found);
    }
}

/* ---- Errors ---- */

/* "[libx264 @ 0x5617] [error] text" and "x265 [error]: text" become "libx264: text". */
static void keep_cause(FfmpegLog *log, const char *tag, size_t tag_length)
{
    const char *line = log->line, *text = tag + tag_length;
    text += strspn(text, ": ");
    int length = (int)(tag - line);
    if (*line == '[' && tag > line) { /* a part of FFmpeg, and where it lies in memory */
        line++;
        length = (int)strcspn(line, "@]");
    }
    while (length > 0 && line[length - 1] == ' ')
        length--;
    snprintf(log->cause, sizeof(log->cause), "%.*s%s%s", length, line, length > 0 ? ": " : "",
             text);
}

static void look_for_error(FfmpegLog *log)
{
    static const char *const tags[] = {"[error]", "[fatal]", "[panic]"};
    const bool disk_full = !log->disk_full && strstr(log->line, "No space left on device");
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        const char *tag = strstr(log->line, tags[i]);
        if (tag && (!log->cause[0] || disk_full)) {
            keep_cause(log, tag, strlen(tags[i]));
            log->disk_full = disk_full;
            return;
        }
    }
}

/* Settings that an encoder does not know, and goes on without. */
static void look_for_complaint(FfmpegLog *log)
{
    static const char *const complaints[] = {"[warning] Error parsing option",
                                             "[warning] Unknown option"};
    const size_t used = strlen(log->complaint);
    for (size_t i = 0; i < sizeof(complaints) / sizeof(complaints[0]); i++) {
        const char *found = strstr(log->line, complaints[i]);
        if (found)
            snprintf(log->complaint + used, sizeof(log->complaint) - used, "%s%s", used ? " " : "",
                     found + strlen("[warning] "));
    }
}

/* ---- Numbers ---- */

static bool is_of_number(char c)
{
    return (c >= '0' && c <= '9') || c == '.';
}

static void look_for_number(FfmpegLog *log)
{
    const size_t length = strlen(log->number);
    for (const char *at = strstr(log->line, log->number); at; at = strstr(at + 1, log->number))
        log->has_number |= (at == log->line || !is_of_number(at[-1])) && !is_of_number(at[length]);
}

/* ---- Lines ---- */

static void end_line(FfmpegLog *log)
{
    log->line[log->used] = '\0';
    if (log->used > 0) {
        snprintf(log->last, sizeof(log->last), "%.*s", (int)sizeof(log->last) - 1, log->line);
        look_for_error(log);
        look_for_complaint(log);
        if (log->encoder)
            look_for_version(log);
        if (log->number)
            look_for_number(log);
    }
    log->used = 0;
}

void ffmpeg_log_add(FfmpegLog *log, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n' || text[i] == '\r')
            end_line(log);
        else if (log->used < sizeof(log->line) - 1)
            log->line[log->used++] = text[i] ? text[i] : ' ';
    }
}

void ffmpeg_log_end(FfmpegLog *log)
{
    end_line(log);
    if (log->encoder && log->encoder->is_hardware)
        snprintf(log->version, sizeof(log->version), "%s", log->encoder->name);
    else if (!log->version[0])
        snprintf(log->version, sizeof(log->version), "unknown");
}

/* ---- Progress ---- */

/* "23.98": no exponents, and a point in every locale. 0: it is none. */
static double number(const char *text, size_t length)
{
    double result = 0, unit = 1;
    const bool negative = length > 0 && text[0] == '-';
    bool digits = false, behind_point = false;
    for (size_t i = negative; i < length; i++) {
        const char c = text[i];
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

static bool grow(unsigned long long *most, unsigned long long value)
{
    const bool grows = value > *most;
    if (grows)
        *most = value;
    return grows;
}

static void take_line(FfmpegProgress *progress, ProgressNews *news)
{
    progress->line[progress->used] = '\0';
    progress->used = 0;
    char *value = strchr(progress->line, '=');
    if (!value)
        return;
    *value++ = '\0';
    value += strspn(value, " ");
    const char *key = progress->line;
    if (!strcmp(key, "frame")) {
        progress->frames = strtoull(value, NULL, 10);
        news->advanced |= grow(&progress->most_frames, progress->frames);
    } else if (!strcmp(key, "fps")) {
        progress->fps = number(value, strspn(value, "0123456789."));
    } else if (!strcmp(key, "total_size")) {
        news->advanced |= grow(&progress->most_bytes, strtoull(value, NULL, 10));
    } else if (!strcmp(key, "progress")) {
        progress->ended = !strcmp(value, "end");
        news->reported = true;
        news->advanced |= progress->ended;
    }
}

ProgressNews ffmpeg_progress_add(FfmpegProgress *progress, const char *text, size_t size)
{
    ProgressNews news = {false, false};
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n')
            take_line(progress, &news);
        else if (progress->used < sizeof(progress->line) - 1 && text[i] != '\r')
            progress->line[progress->used++] = text[i];
    }
    return news;
}

/* ---- Statistics of frames ---- */

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
                values[keys[i].value] = number(token.value, token.value_length);
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
