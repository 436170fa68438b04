/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/ffmpeg/log_capture.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stdio.h>
#include <string.h>

void log_capture_init(LogCapture *log)
{
    *log = (LogCapture){.has_error = false};
    vmaf_mutex_init(&log->lock);
}

void log_capture_destroy(LogCapture *log)
{
    vmaf_mutex_destroy(&log->lock);
}

/* The capture of whoever says something. */
static LogCapture *find_capture(void *object)
{
    const AVClass *class = object ? *(const AVClass **)object : NULL;
    if (!class)
        return NULL;
    if (class == avcodec_get_class())
        return ((AVCodecContext *)object)->opaque;
    if (class == avformat_get_class())
        return ((AVFormatContext *)object)->opaque;
    return NULL;
}

/*
 * Concealment is said to those who want to know more. The frame has a flag, too, but with several
 * threads a frame that is shown later may be given out before it is known.
 */
static bool tells_damage(int level, const char *format)
{
    static const char concealed[] = "concealing ";
    return level <= AV_LOG_ERROR ||
           (level <= AV_LOG_DEBUG && !strncmp(format, concealed, sizeof(concealed) - 1));
}

static void take_line(void *object, int level, const char *format, va_list arguments)
{
    LogCapture *log = tells_damage(level, format) ? find_capture(object) : NULL;
    if (!log)
        return;
    vmaf_mutex_lock(&log->lock);
    if (!log->has_error) {
        vsnprintf(log->first, sizeof(log->first), format, arguments);
        log->first[strcspn(log->first, "\r\n")] = '\0';
        log->has_error = true;
    }
    vmaf_mutex_unlock(&log->lock);
}

void log_capture_start(void)
{
    av_log_set_callback(take_line);
}

bool log_capture_take(LogCapture *log, char *text, size_t size)
{
    vmaf_mutex_lock(&log->lock);
    const bool has_error = log->has_error;
    if (has_error)
        snprintf(text, size, "%s", log->first);
    log->has_error = false;
    vmaf_mutex_unlock(&log->lock);
    return has_error;
}
