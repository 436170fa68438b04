/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encode/ffmpeg_output.h"

#include "platform/file.h"
#include "platform/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Versions ---- */

/* What follows the first place that the pattern fits; NULL: none. */
static const char *behind(const char *line, const char *pattern)
{
    while (*pattern) {
        const size_t length = strcspn(pattern, "*");
        while (*line && !vmaf_ascii_begins_alike(line, pattern, length))
            line++;
        if (!*line)
            return NULL;
        line += length;
        pattern += length + (pattern[length] == '*');
    }
    return line;
}

static void look_for_version(FfmpegLog *log)
{
    const Encoder *encoder = log->encoder;
    const json_t *pattern;
    size_t i;
    json_array_foreach(encoder->version_patterns, i, pattern)
    {
        const char *found = behind(log->line, json_string_value(pattern));
        if (!log->version[0] && found && *found >= '0' && *found <= '9')
            snprintf(log->version, sizeof(log->version), "%s%.*s", encoder->version_prefix,
                     (int)strcspn(found, " \t,;"), found);
    }
}

/* ---- Errors ---- */

/* "[libx264 @ 0x5617] [error] text" and "x265 [error]: text" become "libx264: text". */
static void keep_cause(FfmpegLog *log, const char *tag, const char *text)
{
    const char *line = log->line;
    int length = (int)(tag - line);
    if (*line == '[' && tag > line) { /* a part of FFmpeg, and where it lies in memory */
        line++;
        length = (int)strcspn(line, "@]");
    }
    while (length > 0 && line[length - 1] == ' ')
        length--;
    snprintf(log->cause, sizeof(log->cause), "%.*s%s%s", length, line, length > 0 ? ": " : "",
             text + strspn(text, ": "));
}

static void look_for_error(FfmpegLog *log)
{
    static const char *const tags[] = {"[error]", "[fatal]", "[panic]"};
    const bool disk_full = !log->disk_full && strstr(log->line, "No space left on device");
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        const char *tag = strstr(log->line, tags[i]);
        if (tag && (!log->cause[0] || disk_full)) {
            keep_cause(log, tag, tag + strlen(tags[i]));
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

/* A number of its own that the line has; 35.5 may be 35.50 there. */
static void look_for_number(FfmpegLog *log)
{
    static const char of_numbers[] = "0123456789.";
    const char *zeros = strchr(log->number, '.') ? "0" : "";
    for (const char *at = strstr(log->line, log->number); at; at = strstr(at + 1, log->number)) {
        const char *end = at + strlen(log->number);
        end += strspn(end, zeros);
        log->has_number |=
            (at == log->line || !strchr(of_numbers, at[-1])) && !(*end && strchr(of_numbers, *end));
    }
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

/* What goes to and fro is no progress. */
static bool grows(unsigned long long *most, const char *value)
{
    const unsigned long long number = strtoull(value, NULL, 10);
    const bool has_grown = number > *most;
    if (has_grown)
        *most = number;
    return has_grown;
}

static void take_line(FfmpegProgress *progress)
{
    char *value = strchr(progress->line, '=');
    progress->used = 0;
    if (!value)
        return;
    *value++ = '\0';
    if (!strcmp(progress->line, "frame")) {
        progress->frames = strtoull(value, NULL, 10);
        progress->advances |= grows(&progress->most_frames, value);
    } else if (!strcmp(progress->line, "total_size")) {
        progress->advances |= grows(&progress->most_bytes, value);
    } else if (!strcmp(progress->line, "progress")) {
        progress->ended = !strcmp(value, "end");
        progress->reports = true;
        progress->advances |= progress->ended;
    }
}

void ffmpeg_progress_add(FfmpegProgress *progress, const char *text, size_t size)
{
    progress->reports = progress->advances = false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '\n' && text[i] != '\r' && progress->used < sizeof(progress->line) - 1)
            progress->line[progress->used++] = text[i];
        progress->line[progress->used] = '\0';
        if (text[i] == '\n')
            take_line(progress);
    }
}

/* ---- Statistics of frames ---- */

enum { FILE_MAX = 1 << 30 };

typedef enum FrameValue { QP, TEXTURE, MOTION, REST, INTRA, INTER, SKIPPED, N_VALUES } FrameValue;

/* x264's names, and x265's where they differ. */
static const struct {
    const char *name;
    FrameValue value;
} keys[] = {
    {"q", QP},      {"tex", TEXTURE}, {"mv", MOTION}, {"misc", REST}, {"imb", INTRA},
    {"pmb", INTER}, {"smb", SKIPPED}, {"icu", INTRA}, {"pcu", INTER}, {"scu", SKIPPED},
};

/* Mean and deviation in one pass (Welford 1962), since bits of frames are large. */
typedef struct Moments {
    size_t n;
    double mean, squares;
} Moments;

typedef struct Sums {
    Moments qp, bits, motion, intra_texture, other_texture;
    double intra, inter, skipped, total_bits;
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

static void add_frame(Sums *sums, const double *values, bool is_intra)
{
    const double bits = values[TEXTURE] + values[MOTION] + values[REST];
    moments_add(&sums->qp, values[QP]);
    moments_add(&sums->bits, bits);
    moments_add(&sums->motion, values[MOTION]);
    moments_add(is_intra ? &sums->intra_texture : &sums->other_texture, values[TEXTURE]);
    sums->total_bits += bits;
    sums->intra += values[INTRA];
    sums->inter += values[INTER];
    sums->skipped += values[SKIPPED];
}

/* key:value or key=value, of a frame if it has "in" and "type". */
static void add_line(Sums *sums, char *line)
{
    double values[N_VALUES] = {0};
    bool has_in = false;
    char type = '\0', *word;
    while ((word = strsep(&line, " \t,;\r"))) {
        char *value = word + strcspn(word, ":=");
        if (!*value)
            continue;
        *value++ = '\0';
        has_in |= vmaf_ascii_alike(word, "in");
        if (vmaf_ascii_alike(word, "type"))
            type = *value;
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
            if (vmaf_ascii_alike(word, keys[i].name))
                values[keys[i].value] = strtod(value, NULL);
    }
    if (has_in && type)
        add_frame(sums, values, type == 'I' || type == 'i');
}

int encoder_stats_load(const char *path, EncoderStats *stats)
{
    char *text = NULL;
    size_t size = 0;
    Sums sums = {0};
    *stats = (EncoderStats){0};
    const int err = vmaf_file_load(path, FILE_MAX, &text, &size);
    if (err)
        return err;
    for (char *rest = text, *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
        if (*line != '#')
            add_line(&sums, line);
    free(text);
    const double blocks = sums.intra + sums.inter + sums.skipped;
    *stats = (EncoderStats){
        .frames = sums.qp.n,
        .qp_mean = sums.qp.mean,
        .qp_std = deviation(&sums.qp),
        .bits_mean = sums.bits.mean,
        .bits_std = deviation(&sums.bits),
        .mv_mean = sums.motion.mean,
        .mv_std = deviation(&sums.motion),
        .itex_mean = sums.intra_texture.mean,
        .ptex_mean = sums.other_texture.mean,
        .intra_ratio = blocks > 0 ? sums.intra / blocks : 0,
        .skip_ratio = blocks > 0 ? sums.skipped / blocks : 0,
        .total_bits = sums.total_bits,
    };
    return 0;
}
