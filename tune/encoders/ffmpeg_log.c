/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encoders/ffmpeg_log.h"

#include "platform/text.h"

#include <stdio.h>
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

/* ---- Lines ---- */

static void end_line(FfmpegLog *log)
{
    log->line[log->used] = '\0';
    if (log->used > 0) {
        snprintf(log->last, sizeof(log->last), "%.*s", (int)sizeof(log->last) - 1, log->line);
        look_for_error(log);
        if (log->encoder)
            look_for_version(log);
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
