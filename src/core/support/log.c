/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "platform/process.h"
#include "platform/text.h"

int reason_set(Reason *why, int error, const char *format, ...)
{
    if (!why)
        return error;

    VmafCLocaleScope scope;
    va_list arguments;
    va_start(arguments, format);
    vmaf_c_locale_enter(&scope);
    if (vsnprintf(why->text, sizeof(why->text), format, arguments) < 0)
        why->text[0] = '\0';
    vmaf_c_locale_leave(&scope);
    va_end(arguments);
    return error;
}

enum { LINE_SIZE = 4096 + 256 }; /* a path and some words; what is longer is cut */

/* The one process-wide variable that the API demands: see log_level of VmafConfiguration. */
static _Atomic int process_level = VMAF_LOG_LEVEL_INFO;

typedef struct LevelText {
    const char *name;
    const char *colour; /* ECMA-48 */
} LevelText;

static const LevelText level_texts[] = {
    [VMAF_LOG_LEVEL_ERROR] = {"ERROR", "\033[31m"},
    [VMAF_LOG_LEVEL_WARNING] = {"WARNING", "\033[33m"},
    [VMAF_LOG_LEVEL_INFO] = {"INFO", "\033[32m"},
    [VMAF_LOG_LEVEL_DEBUG] = {"DEBUG", "\033[34m"},
};

void log_set_process_level(enum VmafLogLevel level)
{
    atomic_store_explicit(&process_level, (int)level, memory_order_relaxed);
}

/* Characters that snprintf stored in a buffer with `space` bytes. */
static size_t stored(int printed, size_t space)
{
    if (printed < 0)
        return 0;
    return (size_t)printed < space ? (size_t)printed : space - 1;
}

/*
 * Messages quote names and paths, which can hold any bytes: what a terminal would take for a
 * command is shown as \x1b and the like. Returns how many bytes were stored.
 */
static size_t escape(char *target, size_t room, const char *text)
{
    size_t used = 0, left = strlen(text);
    while (left) {
        uint32_t code = 0;
        const size_t length = vmaf_utf8_length(text, left, &code);
        const bool keep = length && vmaf_utf8_is_printable(code);
        const size_t taken = keep ? length : 1, needed = keep ? length : sizeof("\\x1b") - 1;
        if (needed >= room - used)
            break;
        if (keep)
            memcpy(target + used, text, length);
        else
            snprintf(target + used, room - used, "\\x%02x", (unsigned char)*text);
        used += needed;
        text += taken;
        left -= taken;
    }
    return used;
}

/* A message after the `n` bytes that are in a line. One call, so that lines of several threads stay
 * whole. The C runtime of Windows buffers standard error unless it is a console; elsewhere there is
 * nothing to flush. */
static void write_line(char *line, size_t n, const char *message)
{
    n += escape(line + n, LINE_SIZE - 1 - n, message); /* the line feed replaces the terminator */
    line[n++] = '\n';
    fwrite(line, 1, n, stderr);
    fflush(stderr);
}

void log_message(const Logger *logger, enum VmafLogLevel level, const char *format, ...)
{
    int limit =
        logger ? (int)logger->level : atomic_load_explicit(&process_level, memory_order_relaxed);
    if (level < VMAF_LOG_LEVEL_ERROR || level > VMAF_LOG_LEVEL_DEBUG || (int)level > limit)
        return;

    int saved_errno = errno;
    const LevelText *text = &level_texts[level];
    const char *magenta = "", *colour = "", *plain = "";
    if (vmaf_is_terminal(stderr)) {
        magenta = "\033[35m";
        colour = text->colour;
        plain = "\033[0m";
    }

    char line[LINE_SIZE], message[LINE_SIZE];
    const size_t n = stored(snprintf(line, sizeof(line), "%slibvmaf%s %s%s%s ", magenta, plain,
                                     colour, text->name, plain),
                            sizeof(line));
    VmafCLocaleScope scope;
    va_list arguments;
    va_start(arguments, format);
    vmaf_c_locale_enter(&scope);
    message[stored(vsnprintf(message, sizeof(message), format, arguments), sizeof(message))] = '\0';
    vmaf_c_locale_leave(&scope);
    va_end(arguments);
    write_line(line, n, message);
    errno = saved_errno;
}

void log_always(const char *format, ...)
{
    const int saved_errno = errno;
    char line[LINE_SIZE], message[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    message[stored(vsnprintf(message, sizeof(message), format, arguments), sizeof(message))] = '\0';
    va_end(arguments);
    write_line(line, 0, message);
    errno = saved_errno;
}
